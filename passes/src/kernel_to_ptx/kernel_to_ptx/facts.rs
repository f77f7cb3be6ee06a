//! What is known of sizes, so that accesses may be wide: what divides them.

use std::collections::BTreeMap;

use dlc_core::guard::Guard;
use dlc_core::memref::MemRef;
use dlc_core::sizes::{Exprs, value_number};
use dlc_ir::affine::{Factor, SizeExpr};
use dlc_ir::define::Kind;
use dlc_ir::{Body, Context, OpRef, ValueId};
use dlc_kernel::ops as kernel;

use super::values::axis;

/// What divides the sizes of a kernel, as it requires, or as what it does with the copy engine requires.
#[derive(Clone, Default, Debug)]
pub struct Facts {
    divisors: BTreeMap<String, i64>,
}

/// The symbols in the expressions of an op.
pub fn symbols_of(op: OpRef<'_>) -> Vec<String> {
    let ctx = op.ctx;
    let mut names: Vec<String> = Vec::new();
    for &(_, attr) in op.body.props(op.id).as_dict(ctx).unwrap_or(&[]) {
        let exprs = Exprs::get(ctx, attr).unwrap_or_default();
        let guard = Guard::get(ctx, attr);
        let guarded = guard.iter().flat_map(Guard::exprs);
        for name in exprs.iter().chain(guarded).flat_map(SizeExpr::symbols) {
            let is_size = value_number(&name).is_none() && axis(&name).is_none();
            if is_size && !names.iter().any(|known| **known == *name) {
                names.push(name.to_string());
            }
        }
    }
    names
}

impl Facts {
    /// What a kernel requires when it is launched.
    pub fn of(ctx: &Context, body: &Body) -> Facts {
        let mut facts = Facts::default();
        let Some(block) = body.entry_block() else { return facts };
        for id in body.ops(block) {
            let op = OpRef::new(ctx, body, id);
            if let Some(op) = kernel::Require::of(op) {
                if let [conditions] = op.guard().pieces.as_slice() {
                    for condition in conditions {
                        // `K mod 8 == 0`: K - 8*(K floordiv 8) lies from 0 to below 1.
                        let is_zero = condition.lower.as_ref().and_then(SizeExpr::as_constant) == Some(0)
                            && condition.upper.as_ref().and_then(SizeExpr::as_constant) == Some(1);
                        if let Some((name, by)) = remainder(&condition.expr).filter(|_| is_zero) {
                            facts.divides(&name, by);
                        }
                    }
                }
            } else if let Some(op) = kernel::TensorMapOf::of(op) {
                // The copy engine takes rows of a multiple of 16 bytes only, and refuses others at the launch.
                let ty = body.value_type(op.memory());
                let memref = MemRef::of(ctx, ty);
                let dims = memref.map(|memref| memref.dims(ctx)).unwrap_or_default();
                let bits = memref.and_then(|memref| memref.elem(ctx).bits(ctx)).unwrap_or(8);
                if let Some(name) = dims.last().and_then(SizeExpr::as_symbol).filter(|_| dims.len() > 1) {
                    facts.divides(name, i64::from(128 / bits.max(8)));
                }
            }
        }
        facts
    }

    fn divides(&mut self, name: &str, by: i64) {
        let known = self.divisors.entry(name.to_string()).or_insert(1);
        // Both divide it, so the least common multiple does.
        *known = *known / gcd(*known, by) * by;
    }

    /// The largest power of two, up to `most`, that is known to divide an expression.
    pub fn alignment(&self, expr: &SizeExpr, most: i64) -> i64 {
        if expr.as_constant() == Some(0) {
            return most;
        }
        let replace = |name: &str| {
            let by = *self.divisors.get(name)?;
            SizeExpr::symbol(name).ok()?.mul(&SizeExpr::from(by)).ok()
        };
        let expr = expr.substitute(&replace).unwrap_or_else(|_| expr.clone());
        let divisor = expr.largest_known_divisor();
        if divisor == 0 {
            return most;
        }
        (1i64 << divisor.trailing_zeros().min(62)).min(most)
    }

    /// An expression with its values replaced by what they are made of, as far as that is known: an integer by its
    /// expression, what a loop counts by its start and its step. What is left is named `_v`, with a number.
    pub fn expand(ctx: &Context, body: &Body, expr: &SizeExpr, args: &[ValueId]) -> SizeExpr {
        let replace = |name: &str| {
            let number = value_number(name)?;
            Some(definition(ctx, body, *args.get(number)?, 0))
        };
        expr.substitute(&replace).unwrap_or_else(|_| expr.clone())
    }
}

/// A value as an expression.
fn definition(ctx: &Context, body: &Body, value: ValueId, depth: usize) -> SizeExpr {
    use dlc_ir::entity::EntityId;
    let name = || SizeExpr::symbol(&format!("_v{}", value.index())).unwrap_or_else(|_| SizeExpr::from(0));
    if depth > 6 {
        return name();
    }
    let expand = |expr: &SizeExpr, args: &[ValueId]| {
        let replace = |name: &str| Some(definition(ctx, body, *args.get(value_number(name)?)?, depth + 1));
        expr.substitute(&replace).ok()
    };
    if let Some(id) = body.defining_op(value) {
        if let Some(op) = kernel::Index::of(OpRef::new(ctx, body, id)) {
            let args: Vec<ValueId> = op.args().collect();
            let exprs = op.value();
            let uses_place = exprs.iter().flat_map(SizeExpr::symbols).any(|name| axis(&name).is_some());
            if let Some(expr) = exprs.first().filter(|_| !uses_place) {
                return expand(expr, &args).unwrap_or_else(name);
            }
        }
        return name();
    }
    // What a loop counts.
    let counted = body.defining_block(value).and_then(|block| {
        let parent = body.region_parent(body.region_of(block)?)?;
        let op = kernel::For::of(OpRef::new(ctx, body, parent))?;
        (body.args(block).first() == Some(&value)).then_some(op)
    });
    if let Some(op) = counted {
        let args: Vec<ValueId> = op.args().collect();
        if let [first, _, step] = op.bounds().as_slice() {
            let steps = expand(step, &args).and_then(|step| step.mul(&name()).ok());
            if let (Some(first), Some(steps)) = (expand(first, &args), steps) {
                return first.add(&steps).unwrap_or_else(|_| name());
            }
        }
    }
    name()
}

/// The symbol and the number of `x mod c`.
fn remainder(expr: &SizeExpr) -> Option<(String, i64)> {
    expr.terms().into_iter().find_map(|(coefficient, factors)| match factors.as_slice() {
        [Factor::Quotient(numerator, divisor)] => {
            let (name, by) = (numerator.as_symbol()?, divisor.as_constant()?);
            let whole = numerator.modulo(divisor).ok()?;
            (coefficient == -by && whole == *expr).then(|| (name.to_string(), by))
        }
        _ => None,
    })
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs().max(1) } else { gcd(b, a % b) }
}
