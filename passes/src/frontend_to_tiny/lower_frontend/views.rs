//! Views, apart and together.

use dlc_frontend::ops as frontend;
use dlc_ir::ValueId;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{IntArray, Kind};
use dlc_tiny::ops as tiny;

use super::emit::{Emit, Lower, Values};

/// The rules of views.
pub const RULES: &[Lower] = &[
    Lower { op: frontend::Reshape::DEF, emit: reshape },
    Lower { op: frontend::Transpose::DEF, emit: transpose },
    Lower { op: frontend::Expand::DEF, emit: expand },
    Lower { op: frontend::Pad::DEF, emit: pad },
    Lower { op: frontend::Slice::DEF, emit: slice },
    Lower { op: frontend::Flip::DEF, emit: flip },
    Lower { op: frontend::Concat::DEF, emit: concat },
    Lower { op: frontend::Split::DEF, emit: split },
];

fn one(value: ValueId) -> Values {
    Values::from_elem(value, 1)
}

fn reshape(e: &mut Emit<'_>) -> Values {
    let dims = e.result_dims(0);
    one(e.reshape(e.operands[0], dims))
}

fn transpose(e: &mut Emit<'_>) -> Values {
    let order: Vec<usize> =
        frontend::Transpose::from(e.source()).order().into_iter().map(|axis| axis as usize).collect();
    one(e.permute(e.operands[0], &order))
}

fn expand(e: &mut Emit<'_>) -> Values {
    let dims = e.result_dims(0);
    one(e.expand(e.operands[0], dims))
}

fn pad(e: &mut Emit<'_>) -> Values {
    let op = frontend::Pad::from(e.source());
    let (low, high, fill) = (op.low(), op.high(), op.fill());
    let elem = e.result_elem(0);
    let value = fill.map(|fill| e.number_attr(fill, elem));
    let op = tiny::Pad::build(&mut e.builder, e.loc, e.operands[0], low, high, value);
    one(e.builder.result(op))
}

fn slice(e: &mut Emit<'_>) -> Values {
    let op = frontend::Slice::from(e.source());
    let (start, stop, step) = (op.start(), op.stop(), op.step());
    let op = tiny::Shrink::build(&mut e.builder, e.loc, e.operands[0], start, stop, step);
    one(e.builder.result(op))
}

fn flip(e: &mut Emit<'_>) -> Values {
    let axes = e.source().prop_named("axes").and_then(|axes| IntArray::get(e.ctx(), axes)).unwrap_or_default();
    let op = tiny::Flip::build(&mut e.builder, e.loc, e.operands[0], axes);
    one(e.builder.result(op))
}

fn concat(e: &mut Emit<'_>) -> Values {
    let axis = frontend::Concat::from(e.source()).axis() as usize;
    let elem = e.result_elem(0);
    let parts: Vec<ValueId> = e.operands.iter().map(|&part| e.cast(part, elem)).collect();
    one(e.concat(&parts, axis))
}

fn split(e: &mut Emit<'_>) -> Values {
    let op = frontend::Split::from(e.source());
    let (axis, sizes) = (op.axis() as usize, op.sizes());
    let mut start = SizeExpr::from(0);
    let mut parts = Values::new();
    for size in sizes {
        let stop = sum(&start, &size);
        parts.push(e.part(e.operands[0], axis, start, stop.clone()));
        start = stop;
    }
    parts
}

fn sum(a: &SizeExpr, b: &SizeExpr) -> SizeExpr {
    a.add(b).expect("the verifier has added these sizes")
}

impl Emit<'_> {
    /// Repeated along axes of size 1, and new axes at the left: itself if it has the sizes.
    pub fn expand(&mut self, value: ValueId, dims: Vec<SizeExpr>) -> ValueId {
        let own = self.dims(value);
        if own == dims {
            return value;
        }
        // Without new axes they are those of the value, one for one.
        let new = dims.len() - own.len();
        let places = (new > 0).then(|| (new as i64..dims.len() as i64).collect());
        let op = tiny::Expand::build(&mut self.builder, self.loc, value, dims, places);
        self.builder.result(op)
    }

    /// The elements between two indices of an axis.
    pub fn part(&mut self, value: ValueId, axis: usize, start: SizeExpr, stop: SizeExpr) -> ValueId {
        let mut stops = self.dims(value);
        let mut starts = vec![SizeExpr::from(0); stops.len()];
        (starts[axis], stops[axis]) = (start, stop);
        let op = tiny::Shrink::build(&mut self.builder, self.loc, value, starts, stops, None);
        self.builder.result(op)
    }

    /// Values of one type one after another on an axis: each with zeros in place of the others, added.
    pub fn concat(&mut self, parts: &[ValueId], axis: usize) -> ValueId {
        let sizes: Vec<SizeExpr> = parts.iter().map(|&part| self.dims(part)[axis].clone()).collect();
        let zero = SizeExpr::from(0);
        let total = |sizes: &[SizeExpr]| sizes.iter().fold(zero.clone(), |total, size| sum(&total, size));
        let mut all = None;
        for (at, &part) in parts.iter().enumerate() {
            let rank = self.rank(part);
            let (mut low, mut high) = (vec![zero.clone(); rank], vec![zero.clone(); rank]);
            (low[axis], high[axis]) = (total(&sizes[..at]), total(&sizes[at + 1..]));
            let padded = if low[axis] == zero && high[axis] == zero {
                part
            } else {
                let op = tiny::Pad::build(&mut self.builder, self.loc, part, low, high, None);
                self.builder.result(op)
            };
            all = Some(all.map_or(padded, |all| self.add(all, padded)));
        }
        all.expect("the verifier has seen that there are parts")
    }
}
