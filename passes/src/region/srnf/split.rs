//! R2: a reduction of sums is the sum of two reductions.

use dlc_core::scalar::{self, Combiner};
use dlc_ir::body::CloneMap;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::{Diagnostic, RemarkKind};
use dlc_ir::pass::PassCx;
use dlc_ir::{Context, OpId, Type};
use dlc_region::ops::{Binary, NewBinary, Reduce};
use rustc_hash::FxHashSet;

use super::{NON_ASSOCIATIVE_TRANSFORM, Verdict, apply_after, mark, narrow};
use crate::analysis::axes::{contributions, elem};
use crate::rewrites::unused::erase_unused;

/// Splits a reduction in two, one for each operand of the op that it yields. The second one.
pub fn split(body: &mut Body, reduce: OpId, op: OpId, cx: &PassCx<'_>, said: &mut FxHashSet<OpId>) -> Option<OpId> {
    let ctx = cx.ctx;
    let view = Reduce::from(OpRef::new(ctx, body, reduce));
    let (combiner, binary) = (view.combiner()?, Binary::of(OpRef::new(ctx, body, op))?);
    let function = binary.function();
    let reassociates = match verdict(ctx, body, view, binary)? {
        Verdict::Exact => false,
        Verdict::Real => true,
        Verdict::Wrong(why) => {
            if said.insert(op) {
                let message = format!("a {} does not distribute over '{}': {why}", combiner.word(), function.word());
                let warning = Diagnostic::warning(&NON_ASSOCIATIVE_TRANSFORM, body.loc(op), message).at(binary.name());
                cx.diags.emit(warning.suggest("cast the operands to the type of the accumulator first"));
            }
            return None;
        }
    };
    if !cx.allows_rule("R2") {
        return None;
    }
    let (loc, lhs, rhs) = (body.loc(op), binary.lhs(), binary.rhs());
    cx.remark(RemarkKind::Passed, body.loc(reduce), format!("R2: split in two at '{}'", function.word()));
    let mut map = CloneMap::new();
    let second = body.clone_op(reduce, &mut map);
    body.insert(second, InsertPoint::After(reduce));
    let copy = map.value(body.result(op, 0)).and_then(|value| body.defining_op(value));
    for (reduce, operand) in [(reduce, lhs), (second, map.value(rhs).unwrap_or(rhs))] {
        let end = contributions(body, reduce).and_then(|block| body.last_op(block))?;
        body.set_operand(end, 0, operand);
    }
    erase_unused(ctx, body, std::iter::once(op).chain(copy).collect());
    let other = body.result(second, 0);
    let first = body.result(reduce, 0);
    narrow(body, cx, second, &[first]);
    let new = apply_after(body, cx, reduce, second, &[other], |builder, out, ty| {
        NewBinary { lhs: out, rhs: other, function, widen: None, out_type: ty }.build(builder, loc)
    });
    if reassociates {
        mark(body, cx, new);
    }
    Some(second)
}

/// Whether a reduction distributes over a function; `None` where it is no question.
fn verdict(ctx: &Context, body: &Body, reduce: Reduce<'_>, op: Binary<'_>) -> Option<Verdict> {
    use scalar::Binary::{Add, Max, Min, Mul, Sub};
    let (acc, own) = (elem(ctx, body, reduce.result(0)), elem(ctx, body, op.out()));
    let is_float = |ty: Type| ty.float_kind(ctx).is_some();
    let wraps =
        || Verdict::Wrong(format!("it wraps in {} before it is accumulated in {}", own.display(ctx), acc.display(ctx)));
    Some(match (reduce.combiner()?, op.function()) {
        (Combiner::Max, Max) | (Combiner::Min, Min) => Verdict::Exact,
        (Combiner::Sum, Add | Sub) | (Combiner::Prod, Mul) if is_float(own) => Verdict::Real,
        (Combiner::Sum, Sub) if own == Type::I1 => Verdict::Wrong("truth values have no difference".into()),
        (Combiner::Sum, Add | Sub) | (Combiner::Prod, Mul) if own == acc => Verdict::Exact,
        (Combiner::Sum, Add | Sub) | (Combiner::Prod, Mul) => wraps(),
        (Combiner::Max | Combiner::Min, Add | Sub) => {
            Verdict::Wrong("the largest of sums is not the sum of the largest".into())
        }
        _ => return None,
    })
}
