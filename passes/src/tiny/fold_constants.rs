//! Evaluates what depends on constants alone, so that it is computed once and here, not at every run.
//!
//! Programs of tinygrad spell out masks and counters as views and sums of ones; whole pieces of them are one number.
//!
//! **Requires**: tiny.
//! **Ensures**: no op of a bounded cost is left whose operands are constants and whose elements are all one number.
//!
//! **Before**
//! ```mlir before
//! tiny.func @f<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
//!   %four = const 4.0 : tensor<[], f32>
//!   %scale = recip %four : tensor<[], f32>
//!   %y = mul %x, %scale : tensor<[M], f32>
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! tiny.func @f<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
//!   %scale = const 2.500000e-01 : tensor<[], f32>
//!   %y = mul %x, %scale : tensor<[M], f32>
//!   return %y
//! }
//! ```
//!
//! **Does not** simplify where one operand is a constant (`canonicalize`); make tables of more than `max-elements`
//! numbers, or of positions (`range`), which are better computed; or look into regions.
//!
//! Ops are evaluated in order by their own evaluators, values of one number by that number, whatever their sizes; others
//! when their sizes are known and the op handles at most `max-work` elements. Then, from the last to the first, what an
//! op that stays needs becomes a constant, or stays too. Linear in ops and elements. Rule of the debug counters:
//! `fold`.

use dlc_core::tensor::TensorValue;
use dlc_core::types::Tensor;
use dlc_ir::attrs::{AttrData, Container, DenseData};
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::diag::RemarkKind;
use dlc_ir::float;
use dlc_ir::interp::{Datum, Interpreter};
use dlc_ir::op::Traits;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::rewrite::Rewriter;
use dlc_ir::smallvec::SmallVec;
use dlc_ir::{Attr, Context, OpId, Type, ValueId};
use dlc_tiny::ops::{Const, Contract, Pad, Range, is_elementwise};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::access::{Shapes, is_view};
use crate::rewrites::unused::erase_unused;

static DEF: PassDef = PassDef {
    requires: &["tiny"],
    options: &[
        OptionDef {
            name: "max-elements",
            kind: OptionKind::Int,
            default: "64",
            doc: "The most elements of a constant whose elements differ.",
        },
        OptionDef {
            name: "max-work",
            kind: OptionKind::Int,
            default: "16384",
            doc: "The most elements that an op may read, combine or give to be evaluated.",
        },
    ],
    statistics: &[
        StatDef { name: "folded", doc: "Ops replaced with constants." },
        StatDef { name: "evaluated", doc: "Ops evaluated." },
    ],
    ..PassDef::base("fold-constants", "Evaluates ops whose operands are constants.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let number = |name: &str| {
        let value = options.int(name);
        usize::try_from(value).map_err(|_| format!("'{name}' must not be negative, but is {value}"))
    };
    Ok(Box::new(FoldConstants(Bounds { max_elements: number("max-elements")?, max_work: number("max-work")? })))
}

struct FoldConstants(Bounds);

/// What folding may cost.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The most elements of a constant whose elements differ.
    pub max_elements: usize,
    /// The most elements that an op may handle.
    pub max_work: usize,
}

impl Pass for FoldConstants {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let (folded, evaluated) = fold_constants(body, self.0, cx);
        cx.count("folded", folded);
        cx.count("evaluated", evaluated);
        Ok(())
    }
}

/// Replaces what depends on constants alone. How many ops were replaced, and evaluated.
pub fn fold_constants(body: &mut Body, bounds: Bounds, cx: &PassCx<'_>) -> (u64, u64) {
    let ctx = cx.ctx;
    let Known { values, missed } = evaluate(ctx, body, bounds);
    for (op, why) in missed {
        cx.remark(RemarkKind::Missed, body.loc(op), why);
    }
    // What becomes a constant: what an op needs that stays, from the last to the first.
    let mut stays: FxHashSet<OpId> = FxHashSet::default();
    let mut constants = Vec::new();
    for op in body.walk().into_iter().rev() {
        let known = (body.num_results(op) == 1).then(|| values.get(&body.result(op, 0))).flatten();
        let is_constant = OpRef::new(ctx, body, op).has(Traits::CONSTANT_LIKE);
        let Some(known) = known.filter(|_| !is_constant) else { continue };
        let value = body.result(op, 0);
        let needed = body.uses(value).any(|u| {
            let user = (body.num_results(u.op) == 1).then(|| body.result(u.op, 0));
            stays.contains(&u.op) || !user.is_some_and(|user| values.contains_key(&user))
        });
        if !needed {
            continue;
        }
        match constant(ctx, body.value_type(value), known, bounds) {
            Some(attr) => constants.push((op, attr)),
            None => {
                stays.insert(op);
                if cx.wants_remarks() && !known.positions {
                    let message =
                        format!("its elements differ and are more than {}: it is no constant", bounds.max_elements);
                    cx.remark(RemarkKind::Missed, body.loc(op), message);
                }
            }
        }
    }
    let (mut folded, evaluated) = (0, values.len() as u64);
    for (op, attr) in constants.into_iter().rev() {
        if !cx.allows_rule("fold") {
            continue;
        }
        let (loc, ty) = (body.loc(op), body.value_type(body.result(op, 0)));
        cx.remark(RemarkKind::Passed, loc, "evaluated to a constant");
        let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
        let made = Const::build(&mut builder, loc, attr, ty);
        let value = builder.result(made);
        let operands = body.operands(op).filter_map(|value| body.defining_op(value)).collect();
        Rewriter::new(ctx, body).replace_op(op, &[value]);
        erase_unused(ctx, body, operands);
        folded += 1;
    }
    (folded, evaluated)
}

/// What is known of values.
struct Known {
    values: FxHashMap<ValueId, Value>,
    /// Ops whose operands are constants and that were not evaluated, and why.
    missed: Vec<(OpId, String)>,
}

/// What is known of a value.
#[derive(Clone)]
struct Value {
    elements: Elements,
    /// Whether positions went into it.
    positions: bool,
}

#[derive(Clone)]
enum Elements {
    /// All are this number.
    Splat(Datum),
    /// Those of this tensor.
    Tensor(Datum),
}

fn evaluate(ctx: &Context, body: &Body, bounds: Bounds) -> Known {
    let mut known = Known { values: FxHashMap::default(), missed: Vec::new() };
    let mut interp = Interpreter::new(ctx, body);
    let shapes = Shapes::default();
    for op in body.walk() {
        let op = OpRef::new(ctx, body, op);
        let is_pure = op.has(Traits::PURE) && !op.has(Traits::TERMINATOR) && op.def().eval.is_some();
        if !is_pure || op.results().len() != 1 || !op.regions().is_empty() || body.nested(op.id).is_some() {
            continue;
        }
        let operands: Option<SmallVec<[&Value; 4]>> = op.operands().map(|value| known.values.get(&value)).collect();
        let value = operands.map(|operands| value_of(&mut interp, op, &operands, &shapes, bounds));
        match value.unwrap_or(Ok(None)) {
            Ok(Some(value)) => drop(known.values.insert(op.result(0), value)),
            Ok(None) => {}
            Err(why) => known.missed.push((op.id, why)),
        }
    }
    known
}

/// The value of an op with known operands. `None` where sizes are not known, an error where it costs too much.
fn value_of<'a>(
    interp: &mut Interpreter<'a>,
    op: OpRef<'a>,
    operands: &[&Value],
    shapes: &Shapes,
    bounds: Bounds,
) -> Result<Option<Value>, String> {
    let ctx = op.ctx;
    let positions = op.is(Range::DEF) || operands.iter().any(|value| value.positions);
    let give = |elements| Ok(Some(Value { elements, positions }));
    if let Some(number) = Const::of(op).and_then(|op| Datum::of_attr(ctx, op.value())) {
        return give(Elements::Splat(number));
    }
    let splats: Option<SmallVec<[&Datum; 4]>> = operands
        .iter()
        .map(|value| match &value.elements {
            Elements::Splat(number) => Some(number),
            Elements::Tensor(_) => None,
        })
        .collect();
    match splats {
        // One number stays one number, seen through any view but one that puts others around.
        Some(splats) if is_view(op) && !op.is(Pad::DEF) => return give(Elements::Splat(splats[0].clone())),
        Some(splats) if is_elementwise(op) => {
            let numbers = splats.iter().zip(op.operands()).map(|(number, operand)| {
                let elem = elem_of(op, operand);
                TensorValue::splat(ctx, Vec::new(), elem, number).map(Datum::opaque)
            });
            let numbers = numbers.collect::<Result<Vec<Datum>, String>>()?;
            let result = interp.evaluate(op, &numbers).map_err(|failure| failure.message)?;
            let number = result.first().and_then(|datum| datum.as_opaque::<TensorValue>()?.splat_value());
            return number.map_or(Ok(None), |number| give(Elements::Splat(number)));
        }
        _ => {}
    }
    let sizes = |value: ValueId| -> Option<Vec<usize>> {
        let sizes = shapes.of(ctx, op.type_of(value));
        sizes.iter().map(|size| usize::try_from(size.as_constant()?).ok()).collect()
    };
    let all: Option<Vec<Vec<usize>>> = op.operands().chain(op.results()).map(sizes).collect();
    let Some(all) = all else { return Ok(None) };
    let count = |sizes: &Vec<usize>| sizes.iter().fold(1usize, |count, &size| count.saturating_mul(size));
    let mut work = all.iter().map(count).max().unwrap_or(0);
    if op.is(Contract::DEF) {
        // Not more than each element of one side with each of the other.
        work = all[..2].iter().map(count).fold(1, usize::saturating_mul);
    }
    if work > bounds.max_work {
        return Err(format!(
            "its operands are constants, but it handles {work} elements, more than {}",
            bounds.max_work
        ));
    }
    let tensors = operands.iter().zip(op.operands().zip(&all)).map(|(value, (operand, sizes))| match &value.elements {
        Elements::Splat(number) => {
            TensorValue::splat(ctx, sizes.clone(), elem_of(op, operand), number).map(Datum::opaque)
        }
        Elements::Tensor(tensor) => Ok(tensor.clone()),
    });
    let tensors = tensors.collect::<Result<Vec<Datum>, String>>()?;
    let result = interp.evaluate(op, &tensors).map_err(|failure| failure.message)?;
    let Some(datum) = result.into_iter().next() else { return Ok(None) };
    let splat = datum.as_opaque::<TensorValue>().and_then(TensorValue::splat_value);
    give(splat.map_or(Elements::Tensor(datum), Elements::Splat))
}

/// The attribute of a value, if it may be a constant.
fn constant(ctx: &Context, ty: Type, value: &Value, bounds: Bounds) -> Option<Attr> {
    let elem = Tensor::of(ctx, ty)?.elem(ctx);
    let tensor = match &value.elements {
        Elements::Splat(number) => return quiet(number.clone()).to_attr(ctx, elem),
        Elements::Tensor(datum) => datum.as_opaque::<TensorValue>()?,
    };
    if tensor.is_empty() {
        // Any number does.
        let zero = if elem.float_kind(ctx).is_some() { Datum::Float(0.0) } else { Datum::Int(0) };
        return zero.to_attr(ctx, elem);
    }
    if value.positions || tensor.len() > bounds.max_elements {
        return None;
    }
    let bytes = elem.bits(ctx)?.div_ceil(8) as usize;
    let mut payload = Vec::with_capacity(tensor.len() * bytes);
    for element in tensor.elements() {
        let bits = match quiet(element) {
            Datum::Float(value) => float::encode(value, elem.float_kind(ctx)?),
            Datum::Int(value) => value as u64,
            Datum::Opaque(_) => return None,
        };
        payload.extend_from_slice(&bits.to_le_bytes()[..bytes]);
    }
    let shape: Vec<u64> = tensor.shape().iter().map(|&size| size as u64).collect();
    let payload = payload.into();
    let dense = DenseData { shape: &shape, elem, payload, container: Container::Tensor, resource: None };
    Some(ctx.attr(AttrData::Dense(dense)))
}

/// The number itself; for what is no number always the same bits, whichever the machine has made.
fn quiet(number: Datum) -> Datum {
    match number {
        Datum::Float(value) if value.is_nan() => Datum::Float(f64::NAN),
        number => number,
    }
}

fn elem_of(op: OpRef<'_>, value: ValueId) -> Type {
    Tensor::expect(op.ctx, op.type_of(value)).elem(op.ctx)
}
