//! Elements by position, and positions as numbers.

use dlc_core::scalar::ANY_ORDER;
use dlc_frontend::interp::move_back;
use dlc_frontend::ops as frontend;
use dlc_frontend::shape::half;
use dlc_ir::affine::SizeExpr;
use dlc_ir::{Type, ValueId};
use dlc_tiny::ops::{self as tiny, Combiner, Predicate};

use super::emit::{Emit, Lower, Values};
use super::parts::accumulator;

/// The rules of positions.
pub const RULES: &[Lower] = &[
    Lower { op: frontend::Arange::DEF, emit: arange },
    Lower { op: frontend::Full::DEF, emit: full },
    Lower { op: frontend::Embedding::DEF, emit: embedding },
    Lower { op: frontend::Take::DEF, emit: take },
    Lower { op: frontend::Gather::DEF, emit: gather },
    Lower { op: frontend::ScatterAdd::DEF, emit: scatter_add },
    Lower { op: frontend::Rope::DEF, emit: rope },
    Lower { op: frontend::Tril::DEF, emit: tril },
    Lower { op: frontend::Triu::DEF, emit: triu },
];

fn one(value: ValueId) -> Values {
    Values::from_elem(value, 1)
}

fn arange(e: &mut Emit<'_>) -> Values {
    let op = frontend::Arange::from(e.source());
    let (start, step) = (op.start().unwrap_or(0.0), op.step().unwrap_or(1.0));
    let (dims, elem) = (e.result_dims(0), e.result_elem(0));
    let compute = if e.is_float(elem) { e.compute_type(elem) } else { elem };
    let mut value = e.range(0, dims, compute);
    if step != 1.0 {
        value = e.times(value, step);
    }
    if start != 0.0 {
        value = e.plus(value, start);
    }
    one(e.cast(value, elem))
}

fn full(e: &mut Emit<'_>) -> Values {
    let value = frontend::Full::from(e.source()).value();
    let (dims, elem) = (e.result_dims(0), e.result_elem(0));
    one(e.full(value, dims, elem))
}

fn embedding(e: &mut Emit<'_>) -> Values {
    one(e.index(e.operands[0], &[e.operands[1]]))
}

/// The axis to the front; what is taken stands there, and goes back to where the axis was.
fn take(e: &mut Emit<'_>) -> Values {
    let axis = frontend::Take::from(e.source()).axis() as usize;
    let (input, ids) = (e.operands[0], e.operands[1]);
    let (rank, ids_rank) = (e.rank(input), e.rank(ids));
    let front: Vec<usize> = [axis].into_iter().chain((0..rank).filter(|&other| other != axis)).collect();
    let front = e.permute(input, &front);
    let taken = e.index(front, &[ids]);
    one(e.permute(taken, &move_back(ids_rank, axis, rank - 1)))
}

fn gather(e: &mut Emit<'_>) -> Values {
    let axis = frontend::Gather::from(e.source()).axis() as usize;
    let (input, ids) = (e.operands[0], e.operands[1]);
    let dims = e.dims(ids);
    let places: Vec<ValueId> =
        (0..dims.len()).map(|at| if at == axis { ids } else { e.range(at, dims.clone(), Type::I32) }).collect();
    one(e.index(input, &places))
}

/// A sum, at each position of the axis, of what has that as its index.
fn scatter_add(e: &mut Emit<'_>) -> Values {
    let op = frontend::ScatterAdd::from(e.source());
    let (axis, any_order) = (op.axis() as usize, op.any_order().is_some());
    let (input, ids, updates) = (e.operands[0], e.operands[1], e.operands[2]);
    let elem = e.result_elem(0);
    let acc = accumulator(e.ctx(), elem);
    let one_more = |mut dims: Vec<SizeExpr>| {
        dims.insert(axis, SizeExpr::from(1));
        dims
    };
    let own = e.dims(updates);
    let mut of_ids = own.clone();
    if e.rank(ids) != own.len() {
        of_ids = vec![SizeExpr::from(1); own.len()];
        of_ids[axis] = own[axis].clone();
    }
    let wide = e.cast(updates, acc);
    let (parts, ids) = (e.reshape(wide, one_more(own)), e.reshape(ids, one_more(of_ids)));
    let mut places = vec![SizeExpr::from(1); e.rank(parts)];
    places[axis] = e.dims(input)[axis].clone();
    let place = e.range(axis, places, Type::I64);
    let is_here = e.cmp(Predicate::Eq, place, ids);
    let zero = e.number(0.0, acc);
    let here = e.where_(is_here, parts, zero);
    let sums = e.reduce(Combiner::Sum, here, &[axis + 1], acc);
    if any_order {
        e.mark(sums, ANY_ORDER);
    }
    let input = e.cast(input, acc);
    let value = e.add(input, sums);
    one(e.cast(value, elem))
}

fn rope(e: &mut Emit<'_>) -> Values {
    let interleaved = frontend::Rope::from(e.source()).interleaved().is_some();
    let elem = e.result_elem(0);
    let any_f64 = e.operands.iter().any(|&operand| e.elem(operand) == Type::F64);
    let compute = if any_f64 { Type::F64 } else { Type::F32 };
    let wide: Vec<ValueId> = e.operands.iter().map(|&operand| e.cast(operand, compute)).collect();
    let (input, cos, sin) = (wide[0], wide[1], wide[2]);
    let dims = e.dims(input);
    let (axis, half) = (dims.len() - 1, half(&dims).expect("the verifier has halved the size"));
    let mut pairs = dims.clone();
    pairs[axis] = half.clone();
    let (zero, two) = (SizeExpr::from(0), SizeExpr::from(2));
    let (first, second) = if interleaved {
        let mut apart = pairs.clone();
        apart.push(two.clone());
        let apart = e.reshape(input, apart);
        let first = e.part(apart, axis + 1, zero, SizeExpr::from(1));
        let second = e.part(apart, axis + 1, SizeExpr::from(1), two);
        (e.reshape(first, pairs.clone()), e.reshape(second, pairs.clone()))
    } else {
        (e.part(input, axis, zero, half.clone()), e.part(input, axis, half, dims[axis].clone()))
    };
    let (a_cos, b_sin) = (e.mul(first, cos), e.mul(second, sin));
    let a = e.sub(a_cos, b_sin);
    let (b_cos, a_sin) = (e.mul(second, cos), e.mul(first, sin));
    let b = e.add(b_cos, a_sin);
    let turned = if interleaved {
        let mut single = pairs;
        single.push(SizeExpr::from(1));
        let (a, b) = (e.reshape(a, single.clone()), e.reshape(b, single));
        let together = e.concat(&[a, b], axis + 1);
        e.reshape(together, dims)
    } else {
        e.concat(&[a, b], axis)
    };
    one(e.cast(turned, elem))
}

fn tril(e: &mut Emit<'_>) -> Values {
    let diagonal = frontend::Tril::from(e.source()).diagonal().unwrap_or(0);
    triangle(e, Predicate::Le, diagonal)
}

fn triu(e: &mut Emit<'_>) -> Values {
    let diagonal = frontend::Triu::from(e.source()).diagonal().unwrap_or(0);
    triangle(e, Predicate::Ge, diagonal)
}

/// The elements whose column compares so with the row and the diagonal.
fn triangle(e: &mut Emit<'_>, predicate: Predicate, diagonal: i64) -> Values {
    let input = e.operands[0];
    let (dims, elem) = (e.dims(input), e.elem(input));
    let matrix = dims[dims.len() - 2..].to_vec();
    // Where the diagonal is far away, its 32-bit number would not be.
    let places = if i32::try_from(diagonal).is_ok() { Type::I32 } else { Type::I64 };
    let (row, column) = (e.range(0, matrix.clone(), places), e.range(1, matrix, places));
    let bound = if diagonal == 0 { row } else { e.plus(row, diagonal as f64) };
    let inside = e.cmp(predicate, column, bound);
    let zero = e.number(0.0, elem);
    one(e.where_(inside, input, zero))
}

impl Emit<'_> {
    /// The elements at indices that are values.
    pub fn index(&mut self, value: ValueId, indices: &[ValueId]) -> ValueId {
        let op = tiny::Index::build(&mut self.builder, self.loc, value, indices);
        self.builder.result(op)
    }
}
