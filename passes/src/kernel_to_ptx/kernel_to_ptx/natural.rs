//! Which integers are never negative: their bounds below need no check, and quotients of them are shifts.

use dlc_core::sizes::value_number;
use dlc_ir::affine::{Factor, SizeExpr};
use dlc_ir::{Body, Context, OpRef, ValueId};
use dlc_kernel::ops as kernel;

/// How many ops are looked at after one another.
const DEPTH: usize = 16;

/// Whether an expression is never negative, when it is known of its names.
pub fn is_natural_expr(expr: &SizeExpr, of: &dyn Fn(&str) -> bool) -> bool {
    let term = |(coefficient, factors): (i64, Vec<Factor>)| {
        coefficient >= 0
            && factors.iter().all(|factor| match factor {
                Factor::Symbol(name) => of(name),
                Factor::Quotient(numerator, divisor) => is_natural_expr(numerator, of) && is_natural_expr(divisor, of),
            })
    };
    expr.terms().into_iter().all(term) || is_remainder(expr)
}

/// Whether an expression is `x mod c` for a positive number c: the numerator of its quotient minus c times that.
fn is_remainder(expr: &SizeExpr) -> bool {
    expr.terms().into_iter().any(|(_, factors)| {
        let [Factor::Quotient(numerator, divisor)] = factors.as_slice() else { return false };
        let Some(divisor) = divisor.as_constant().filter(|&divisor| divisor > 0) else { return false };
        let whole = || {
            let quotient = numerator.floordiv(&SizeExpr::from(divisor)).ok()?;
            numerator.sub(&quotient.mul(&SizeExpr::from(divisor)).ok()?).ok()
        };
        whole().as_ref() == Some(expr)
    })
}

/// Whether an integer is never negative. `known` is asked first; what it does not answer follows from the op that gives
/// the integer, and without an op nothing does. Sizes are never negative.
pub fn is_natural(ctx: &Context, body: &Body, value: ValueId, known: &dyn Fn(ValueId) -> Option<bool>) -> bool {
    within(ctx, body, value, known, DEPTH)
}

fn within(ctx: &Context, body: &Body, value: ValueId, known: &dyn Fn(ValueId) -> Option<bool>, depth: usize) -> bool {
    if let Some(known) = known(value) {
        return known;
    }
    let (Some(id), Some(depth)) = (body.defining_op(value), depth.checked_sub(1)) else { return false };
    let op = OpRef::new(ctx, body, id);
    let holds = |value| within(ctx, body, value, known, depth);
    if let Some(op) = kernel::Index::of(op) {
        let args: Vec<bool> = op.args().map(holds).collect();
        let of = |name: &str| value_number(name).is_none_or(|number| args.get(number).is_some_and(|&arg| arg));
        return op.value().iter().all(|expr| is_natural_expr(expr, &of));
    }
    if let Some(op) = kernel::Min::of(op) {
        return holds(op.lhs()) && holds(op.rhs());
    }
    if let Some(op) = kernel::Max::of(op) {
        return holds(op.lhs()) || holds(op.rhs());
    }
    if let Some(op) = kernel::Advance::of(op) {
        return if value == op.next() { holds(op.stage()) } else { holds(op.parity()) };
    }
    if let Some(op) = kernel::TileOrder::of(op) {
        return holds(op.tile());
    }
    kernel::BlockId::of(op).is_some() || kernel::GridSize::of(op).is_some()
}
