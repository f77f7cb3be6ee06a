//! R1 for what is yielded: `sum(c*x) = c*sum(x)`, `max(x + c) = max(x) + c`.

use dlc_core::broadcast::promote;
use dlc_core::scalar::{self, Combiner};
use dlc_ir::attrs::AttrData;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::PassCx;
use dlc_ir::{Attr, Context, OpId, Type, ValueId, float};
use dlc_region::ops::{Binary, Const, NewBinary, Reduce};

use super::{Srnf, Verdict, apply_after, is_outside, mark};
use crate::analysis::axes::{contributions, elem, is_over};
use crate::rewrites::unused::erase_unused;

/// Applies to the result of a reduction what the op applies to each contribution. Whether that was done.
pub fn factor(body: &mut Body, reduce: OpId, op: OpId, may: Srnf, cx: &PassCx<'_>) -> bool {
    let ctx = cx.ctx;
    let Some(found) = Factor::find(ctx, body, reduce, op) else { return false };
    let reassociates = match found.verdict(ctx, body, reduce) {
        Verdict::Exact => false,
        Verdict::Real if may.reassoc => true,
        Verdict::Real => {
            let message = format!(
                "R1: '{}' by what does not change stays; 'reassoc' allows to do it once",
                found.function.word()
            );
            cx.remark(RemarkKind::Missed, body.loc(op), message);
            return false;
        }
        Verdict::Wrong(why) => {
            cx.remark(RemarkKind::Missed, body.loc(op), format!("R1: '{}' stays: {why}", found.function.word()));
            return false;
        }
    };
    let Some(end) = contributions(body, reduce).and_then(|block| body.last_op(block)) else { return false };
    if !cx.allows_rule("R1") {
        return false;
    }
    if cx.wants_remarks() {
        let message = format!("R1: '{}' is done once, on the accumulator", found.function.word());
        cx.remark(RemarkKind::Passed, body.loc(op), message);
    }
    let Factor { function, varying, fixed, fixed_is_left, .. } = found;
    let (loc, name) = (body.loc(op), body.value_name(body.result(op, 0)));
    body.set_operand(end, 0, varying);
    let new = apply_after(body, cx, reduce, reduce, &[fixed], |builder, out, ty| {
        let (lhs, rhs) = if fixed_is_left { (fixed, out) } else { (out, fixed) };
        NewBinary { lhs, rhs, function, widen: None, out_type: ty }.build(builder, loc)
    });
    body.set_value_name(body.result(new, 0), name);
    // Last, as nothing else may use what does not vary.
    erase_unused(ctx, body, vec![op]);
    if reassociates {
        mark(body, cx, new);
    }
    true
}

/// A contribution that is a function of what varies in a reduction and what does not.
struct Factor {
    function: scalar::Binary,
    /// The type that the contribution is rounded to.
    rounded: Type,
    varying: ValueId,
    fixed: ValueId,
    fixed_is_left: bool,
}

impl Factor {
    fn find(ctx: &Context, body: &Body, reduce: OpId, op: OpId) -> Option<Factor> {
        let view = Reduce::from(OpRef::new(ctx, body, reduce));
        let (binary, block) = (Binary::of(OpRef::new(ctx, body, op))?, contributions(body, reduce)?);
        let reduced = view.axes();
        let fixed = |value: ValueId| is_outside(body, value, block) && !is_over(ctx, body, value, &reduced);
        let (lhs, rhs, function, rounded) =
            (binary.lhs(), binary.rhs(), binary.function(), elem(ctx, body, binary.out()));
        let found = match (fixed(lhs), fixed(rhs)) {
            (true, false) => Factor { function, rounded, varying: rhs, fixed: lhs, fixed_is_left: true },
            (false, true) => Factor { function, rounded, varying: lhs, fixed: rhs, fixed_is_left: false },
            _ => return None,
        };
        use scalar::Binary::{Add, Fdiv, Mul, Sub};
        let fits = match (view.combiner()?, function) {
            (Combiner::Sum, Mul) | (Combiner::Max | Combiner::Min, Add) => true,
            (Combiner::Sum, Fdiv) | (Combiner::Max | Combiner::Min, Sub) => !found.fixed_is_left,
            // The order is kept by a positive number only.
            (Combiner::Max | Combiner::Min, Mul | Fdiv) => {
                (function == Mul || !found.fixed_is_left) && found.number(ctx, body).is_some_and(|number| number > 0.0)
            }
            _ => false,
        };
        let acc = elem(ctx, body, view.result(0));
        let varying = elem(ctx, body, found.varying);
        let is_float = |ty: Type| ty.float_kind(ctx).is_some();
        let accumulates = is_float(varying) == is_float(acc) && promote(ctx, varying, acc).is_ok_and(|ty| ty == acc);
        let (left, right) = match found.fixed_is_left {
            true => (elem(ctx, body, found.fixed), acc),
            false => (acc, elem(ctx, body, found.fixed)),
        };
        (fits && accumulates && function.elem(ctx, left, right).is_ok_and(|ty| ty == acc)).then_some(found)
    }

    /// The fixed operand, if it is a float that is the same everywhere.
    fn number(&self, ctx: &Context, body: &Body) -> Option<f64> {
        let op = body.defining_op(self.fixed)?;
        float_of(ctx, Const::of(OpRef::new(ctx, body, op))?.value()).filter(|number| number.is_finite())
    }

    fn verdict(&self, ctx: &Context, body: &Body, reduce: OpId) -> Verdict {
        let view = Reduce::from(OpRef::new(ctx, body, reduce));
        let acc = elem(ctx, body, view.result(0));
        let own = self.rounded;
        let is_float = |ty: Type| ty.float_kind(ctx).is_some();
        if !is_float(own) || !is_float(acc) {
            // Modulo two to the power of one width, and for truth values, products distribute over sums.
            return match view.combiner() {
                Some(Combiner::Sum) if own == acc => Verdict::Exact,
                _ => Verdict::Wrong(format!("numbers of type {} may wrap", own.display(ctx))),
            };
        }
        // Rounding keeps the order, and so do a finite summand and a positive factor. Without contributions the result
        // is infinite, and stays so.
        let same = own == acc && elem(ctx, body, self.varying) == acc;
        let infinite = view.init().iter().all(|&init| float_of(ctx, init).is_some_and(f64::is_infinite));
        match view.combiner() {
            Some(Combiner::Max | Combiner::Min) if same && infinite && self.number(ctx, body).is_some() => {
                Verdict::Exact
            }
            _ => Verdict::Real,
        }
    }
}

fn float_of(ctx: &Context, number: Attr) -> Option<f64> {
    match ctx.attr_data(number) {
        AttrData::Float { ty, bits } => Some(float::decode(*bits, ty.float_kind(ctx)?)),
        _ => None,
    }
}
