//! The expressions of ops of kernel with the values that they name, read and written again, and guards without what is
//! decided.

use dlc_core::guard::{Condition, Guard};
use dlc_core::sizes::{Exprs, value_name, value_number};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::define::Kind;
use dlc_ir::{Context, OpId, Str, Type, ValueId};
use dlc_kernel::ops::Index;

/// The properties that are lists of expressions, of any op.
const LISTS: &[&str] = &["dims", "bounds", "value", "tiles", "at", "offsets"];

/// The expressions of an op, in which `_0`, `_1`, .. are its values.
#[derive(Clone, PartialEq, Debug)]
pub struct Places {
    /// The values.
    pub args: Vec<ValueId>,
    /// Lists of expressions, by the name of their property.
    pub lists: Vec<(&'static str, Vec<SizeExpr>)>,
    /// The condition, if there is one.
    pub guard: Option<Guard>,
}

/// The group of operands that expressions name.
fn group(op: OpRef<'_>) -> Option<usize> {
    op.def().operands.iter().position(|operand| operand.name == "args")
}

impl Places {
    /// The expressions of an op; `None` for an op that has none.
    pub fn of(op: OpRef<'_>) -> Option<Places> {
        let args = op.operands_of_group(group(op)?).collect();
        let list = |&key: &&'static str| Some((key, Exprs::get(op.ctx, op.prop_named(key)?)?));
        let guard = op.prop_named("guard").and_then(|attr| Guard::get(op.ctx, attr));
        Some(Places { args, lists: LISTS.iter().filter_map(list).collect(), guard })
    }

    /// The value that a symbol stands for.
    pub fn value(&self, symbol: &str) -> Option<ValueId> {
        self.args.get(value_number(symbol)?).copied()
    }

    /// All expressions.
    pub fn exprs(&self) -> impl Iterator<Item = &SizeExpr> {
        self.lists.iter().flat_map(|(_, list)| list).chain(self.guard.iter().flat_map(Guard::exprs))
    }

    /// With numbers for some of the values. `None` beyond the limits of expressions.
    pub fn with_numbers(&self, number: &dyn Fn(ValueId) -> Option<i64>) -> Option<Places> {
        let put =
            |expr: &SizeExpr| expr.substitute(&|symbol| self.value(symbol).and_then(number).map(SizeExpr::from)).ok();
        self.map(&put)
    }

    fn map(&self, put: &dyn Fn(&SizeExpr) -> Option<SizeExpr>) -> Option<Places> {
        let list = |(key, list): &(&'static str, Vec<SizeExpr>)| {
            Some((*key, list.iter().map(put).collect::<Option<Vec<_>>>()?))
        };
        let guard = match &self.guard {
            Some(guard) => Some(guard.map(put)?),
            None => None,
        };
        Some(Places { args: self.args.clone(), lists: self.lists.iter().map(list).collect::<Option<_>>()?, guard })
    }

    /// Puts the expressions into an op, whose operands become those values that they still name.
    pub fn write(&self, ctx: &Context, body: &mut Body, op: OpId) {
        let view = OpRef::new(ctx, body, op);
        let Some(group) = group(view) else { return };
        let named = |number: &usize| {
            let name = value_name(*number);
            self.exprs().any(|expr| expr.symbols().contains(name.as_str()))
        };
        let kept: Vec<usize> = (0..self.args.len()).filter(named).collect();
        let renumbered = |symbol: &str| {
            let number = kept.iter().position(|&kept| Some(kept) == value_number(symbol))?;
            SizeExpr::symbol(&value_name(number)).ok()
        };
        // Fewer names make no expression larger.
        let Some(places) = self.map(&|expr| expr.substitute(&renumbered).ok()) else { return };
        let range = view.operand_group(group);
        let mut operands: Vec<ValueId> = view.operands().collect();
        operands.splice(range, kept.iter().map(|&number| self.args[number]));
        let segments: Option<Vec<i32>> = view.prop(Str::OPERAND_SEGMENTS).map(|_| {
            let count = |at: usize| if at == group { kept.len() } else { view.operand_group(at).len() };
            (0..view.def().operands.len()).map(|at| count(at) as i32).collect()
        });
        body.set_operands(op, &operands);
        if let Some(segments) = segments {
            body.set_prop(ctx, op, Str::OPERAND_SEGMENTS, Some(ctx.i32_array(&segments)));
        }
        for (key, list) in places.lists {
            body.set_prop(ctx, op, ctx.intern_str(key), Some(Exprs::make(ctx, list)));
        }
        let guard = places.guard.map(|guard| Guard::make(ctx, guard));
        if guard.is_some() || self.guard.is_none() {
            body.set_prop(ctx, op, ctx.intern_str("guard"), guard);
        }
    }
}

/// The number that a value is known to be.
pub fn number(ctx: &Context, body: &Body, value: ValueId) -> Option<i64> {
    let index = Index::of(OpRef::new(ctx, body, body.defining_op(value)?))?;
    match body.value_type(value) {
        Type::INDEX => index.value().first()?.as_constant(),
        _ => None,
    }
}

/// What is left of a guard.
#[derive(Clone, PartialEq, Debug)]
pub struct Decided {
    /// The conditions that are not known; `None` where it holds everywhere.
    pub guard: Option<Guard>,
    /// How many bounds are gone.
    pub bounds: u64,
}

/// A guard without the bounds that are decided, `holds` saying whether an expression is never negative, or always.
pub fn decide(guard: &Guard, holds: &dyn Fn(&SizeExpr) -> Option<bool>) -> Decided {
    let (mut pieces, mut bounds) = (Vec::new(), 0);
    for piece in &guard.pieces {
        let mut left = Some(Vec::new());
        for condition in piece {
            let above = condition.lower.as_ref().and_then(|lower| holds(&condition.expr.sub(lower).ok()?));
            let room = |upper: &SizeExpr| upper.sub(&condition.expr).ok()?.sub(&SizeExpr::from(1)).ok();
            let below = condition.upper.as_ref().and_then(|upper| holds(&room(upper)?));
            if above == Some(false) || below == Some(false) {
                bounds += 1;
                left = None;
                break;
            }
            let kept = |bound: &Option<SizeExpr>, known: Option<bool>| bound.clone().filter(|_| known.is_none());
            let (lower, upper) = (kept(&condition.lower, above), kept(&condition.upper, below));
            bounds += u64::from(above.is_some()) + u64::from(below.is_some());
            if lower.is_some() || upper.is_some() {
                left.get_or_insert_default().push(Condition { expr: condition.expr.clone(), lower, upper });
            }
        }
        pieces.extend(left);
    }
    let everywhere = pieces.iter().any(Vec::is_empty);
    Decided { guard: (!everywhere).then_some(Guard { pieces }), bounds }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(expr: &SizeExpr) -> Option<bool> {
        expr.as_constant().map(|value| value >= 0)
    }

    fn guard(conditions: &[(&str, &str, &str)]) -> Vec<Condition> {
        let parse = |text: &str| SizeExpr::parse(text).unwrap();
        conditions.iter().filter_map(|(a, sign, b)| Condition::of(&parse(a), sign, &parse(b))).collect()
    }

    #[test]
    fn what_numbers_decide_goes() {
        let decided = decide(&Guard::all(guard(&[("i0", "<", "M"), ("4", "<", "5")])), &number);
        assert_eq!(decided.guard.map(|guard| guard.to_string()), Some("(i0 < M)".into()));
        assert_eq!(decided.bounds, 1);
    }

    #[test]
    fn a_piece_that_is_everything_is_enough() {
        let pieces = vec![guard(&[("i0", "<", "M")]), guard(&[("4", "<", "5")])];
        assert_eq!(decide(&Guard { pieces }, &number), Decided { guard: None, bounds: 1 });
    }

    #[test]
    fn a_piece_that_is_nothing_goes() {
        let pieces = vec![guard(&[("5", "<", "5"), ("i0", "<", "M")])];
        assert_eq!(decide(&Guard { pieces }, &number).guard, Some(Guard { pieces: Vec::new() }));
    }
}
