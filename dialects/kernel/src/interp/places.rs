//! Expressions at every element of a fragment or tile.

use std::sync::Arc;

use dlc_core::eval::bindings;
use dlc_core::guard::Guard;
use dlc_core::launch::Number;
use dlc_core::sizes::{Bindings, Exprs, value_number};
use dlc_ir::affine::{AffineExpr, SizeExpr, parse_expr};
use dlc_ir::define::Kind;
use dlc_ir::interp::{Datum, Eval, Failure};
use dlc_ir::smallvec::SmallVec;
use dlc_ir::{Attr, OpRef};
use rustc_hash::FxHashMap;

use super::state::{device, wrong};
use super::values::{registers, to_numbers};
use crate::ops::Grid;

/// Expressions that were read from attributes: a loop runs the same ones many times.
#[derive(Default)]
struct Read {
    exprs: FxHashMap<Attr, Arc<Vec<SizeExpr>>>,
    guards: FxHashMap<Attr, Arc<Guard>>,
}

/// The expressions of an attribute of the op; none where it has no such attribute.
pub fn exprs(cx: &mut Eval<'_, '_>, key: &str) -> Arc<Vec<SizeExpr>> {
    let Some(attr) = cx.op.prop_named(key) else { return Arc::default() };
    let ctx = cx.op.ctx;
    let read = &mut cx.interp.state::<Read>().exprs;
    Arc::clone(read.entry(attr).or_insert_with(|| Arc::new(Exprs::get(ctx, attr).unwrap_or_default())))
}

/// The guard of the op, if it has one.
pub fn guard(cx: &mut Eval<'_, '_>) -> Option<Arc<Guard>> {
    let attr = cx.op.prop_named("guard")?;
    let ctx = cx.op.ctx;
    let read = &mut cx.interp.state::<Read>().guards;
    if let Some(guard) = read.get(&attr) {
        return Some(Arc::clone(guard));
    }
    let guard = Arc::new(Guard::get(ctx, attr)?);
    read.insert(attr, Arc::clone(&guard));
    Some(guard)
}

/// What the symbols of expressions are: those of the kernel, values, and the position in a fragment.
pub struct Names {
    symbols: Arc<Bindings>,
    values: Vec<Value>,
}

enum Value {
    Uniform(i64),
    /// A number for each slot.
    Each(Vec<i64>),
}

/// Where an expression is looked at: the position in the fragment, and the slot.
#[derive(Clone, Copy)]
pub struct At<'p> {
    pub coords: &'p [i64],
    pub slot: usize,
}

impl Names {
    /// The operands `first..` are the values of expressions.
    pub fn of(cx: &mut Eval<'_, '_>, first: usize, count: usize) -> Result<Names, Failure> {
        let mut values = Vec::with_capacity(count);
        for index in first..first + count {
            values.push(match cx.operand(index)? {
                Datum::Opaque(_) => {
                    let numbers = to_numbers(&registers(cx, index)?);
                    Value::Each(
                        numbers
                            .iter()
                            .map(|number| match *number {
                                Number::Int(value) => value,
                                Number::Float(value) => value as i64,
                            })
                            .collect(),
                    )
                }
                datum => Value::Uniform(datum.as_int().unwrap_or(0) as i64),
            });
        }
        let symbols = match in_grid(cx.op) {
            true => Arc::clone(&device(cx).symbols),
            false => Arc::new(bindings(cx)?),
        };
        Ok(Names { symbols, values })
    }

    /// Whether an expression is the same at every slot with the same position.
    fn value(&self, name: &str, at: At<'_>) -> Option<i64> {
        if let Some(number) = value_number(name) {
            return match self.values.get(number)? {
                Value::Uniform(value) => Some(*value),
                Value::Each(values) => values.get(at.slot).copied(),
            };
        }
        if let Some(axis) = axis_number(name) {
            return at.coords.get(axis).copied();
        }
        self.symbols.integer(&SizeExpr::symbol(name).ok()?).ok()
    }

    /// The number that an expression is.
    pub fn integer(&self, expr: &SizeExpr, at: At<'_>) -> Result<i64, String> {
        expr.eval(&|name| self.value(name, at)).map_err(|error| error.message.into_owned())
    }

    /// The number that an expression is which names no position.
    pub fn uniform(&self, expr: &SizeExpr) -> Result<i64, String> {
        self.integer(expr, At { coords: &[], slot: 0 })
    }

    /// The numbers that expressions are.
    pub fn uniforms(&self, exprs: &[SizeExpr]) -> Result<Vec<i64>, String> {
        exprs.iter().map(|expr| self.uniform(expr)).collect()
    }

    /// An expression made ready to be evaluated at many positions.
    pub fn prepare<'e>(&'e self, expr: &'e SizeExpr) -> Prepared<'e> {
        self.linear(expr).or_else(|| self.tree(expr)).unwrap_or(Prepared::General(self, expr))
    }

    /// The expression with the numbers of what is the same everywhere put in.
    fn tree<'e>(&'e self, expr: &SizeExpr) -> Option<Prepared<'e>> {
        let varies = |name: &str| {
            axis_number(name).is_some()
                || value_number(name).is_some_and(|number| matches!(self.values.get(number), Some(Value::Each(_))))
        };
        let uniform = |name: &str| match varies(name) {
            true => None,
            false => self.value(name, At { coords: &[], slot: 0 }).map(SizeExpr::from),
        };
        let expr = expr.substitute(&uniform).ok()?;
        if let Some(linear) = self.linear(&expr) {
            return Some(linear);
        }
        let names: Vec<_> = expr.symbols().into_iter().collect();
        let tree = parse_expr(&expr.to_string(), &names.iter().map(|name| &**name).collect::<Vec<_>>(), &[]).ok()?;
        let leaf = |name: &str| match axis_number(name) {
            Some(axis) => Some(Leaf::Axis(axis)),
            None => match self.values.get(value_number(name)?)? {
                Value::Each(values) => Some(Leaf::Each(values)),
                Value::Uniform(_) => None,
            },
        };
        Some(Prepared::Tree(tree, names.iter().map(|name| leaf(name)).collect::<Option<_>>()?))
    }

    fn linear<'e>(&'e self, expr: &SizeExpr) -> Option<Prepared<'e>> {
        let (terms, mut constant) = expr.as_linear()?;
        let (mut axes, mut each) = (Vec::new(), Vec::new());
        for (name, factor) in terms {
            match axis_number(&name) {
                Some(axis) => axes.push((axis, factor)),
                None => match value_number(&name).and_then(|number| self.values.get(number)) {
                    Some(Value::Each(values)) => each.push((values.as_slice(), factor)),
                    _ => {
                        let value = self.value(&name, At { coords: &[], slot: 0 })?;
                        constant = constant.checked_add(value.checked_mul(factor)?)?;
                    }
                },
            }
        }
        Some(Prepared::Linear { constant, axes, each })
    }

    /// Whether a guard holds at a position.
    pub fn holds(&self, guard: &Guard, at: At<'_>) -> Result<bool, String> {
        guard.contains(&|name| self.value(name, at))
    }

    /// A guard made ready to be evaluated at many positions.
    pub fn prepare_guard<'e>(&'e self, guard: Option<&'e Guard>) -> PreparedGuard<'e> {
        let pieces = guard.map(|guard| {
            let piece = |piece: &'e Vec<dlc_core::guard::Condition>| {
                let bound = |bound: &'e Option<SizeExpr>| bound.as_ref().map(|bound| self.prepare(bound));
                piece
                    .iter()
                    .map(|condition| (self.prepare(&condition.expr), bound(&condition.lower), bound(&condition.upper)))
                    .collect()
            };
            guard.pieces.iter().map(piece).collect()
        });
        PreparedGuard(pieces)
    }
}

/// An expression that is evaluated at many positions.
pub enum Prepared<'e> {
    /// A constant, a factor for each axis, and numbers of slots with a factor.
    Linear {
        constant: i64,
        axes: Vec<(usize, i64)>,
        each: Vec<(&'e [i64], i64)>,
    },
    /// A tree, and what its leaves are.
    Tree(AffineExpr, Vec<Leaf<'e>>),
    General(&'e Names, &'e SizeExpr),
}

/// A leaf of an expression that is not the same everywhere.
pub enum Leaf<'e> {
    Axis(usize),
    Each(&'e [i64]),
}

impl Prepared<'_> {
    pub fn at(&self, at: At<'_>) -> Result<i64, String> {
        match self {
            Prepared::Linear { constant, axes, each } => {
                let axes: i64 =
                    axes.iter().map(|&(axis, factor)| at.coords.get(axis).copied().unwrap_or(0) * factor).sum();
                let each: i64 = each
                    .iter()
                    .map(|(values, factor)| values.get(at.slot).copied().unwrap_or(0).wrapping_mul(*factor))
                    .sum();
                Ok(constant + axes + each)
            }
            Prepared::Tree(tree, leaves) => {
                let leaf = |leaf: &Leaf<'_>| match leaf {
                    Leaf::Axis(axis) => at.coords.get(*axis).copied().unwrap_or(0),
                    Leaf::Each(values) => values.get(at.slot).copied().unwrap_or(0),
                };
                let leaves: SmallVec<[i64; 4]> = leaves.iter().map(leaf).collect();
                tree.eval(&leaves, &[]).map_err(|error| error.message.into_owned())
            }
            Prepared::General(names, expr) => names.integer(expr, at),
        }
    }
}

type PreparedCondition<'e> = (Prepared<'e>, Option<Prepared<'e>>, Option<Prepared<'e>>);

/// A guard that is evaluated at many positions.
pub struct PreparedGuard<'e>(Option<Vec<Vec<PreparedCondition<'e>>>>);

impl PreparedGuard<'_> {
    pub fn at(&self, at: At<'_>) -> Result<bool, String> {
        let Some(pieces) = &self.0 else { return Ok(true) };
        for piece in pieces {
            let mut inside = true;
            for (expr, lower, upper) in piece {
                let value = expr.at(at)?;
                let above = lower.as_ref().map_or(Ok(true), |lower| lower.at(at).map(|lower| lower <= value))?;
                let below = upper.as_ref().map_or(Ok(true), |upper| upper.at(at).map(|upper| value < upper))?;
                inside = inside && above && below;
            }
            if inside {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether a block runs the op, not the host.
fn in_grid(op: OpRef<'_>) -> bool {
    let mut at = op.body.parent_op(op.id);
    while let Some(id) = at {
        if Grid::of(OpRef { id, ..op }).is_some() {
            return true;
        }
        at = op.body.parent_op(id);
    }
    false
}

/// The axis that a name is the position on: 1 of `i1`.
pub fn axis_number(name: &str) -> Option<usize> {
    let digits = name.strip_prefix('i').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    digits.parse().ok()
}

/// The numbers that the expressions of an attribute are which name no positions, their values being the operands
/// `first..`.
pub fn integers(cx: &mut Eval<'_, '_>, key: &str, first: usize, count: usize) -> Result<Vec<i64>, Failure> {
    let exprs = exprs(cx, key);
    let names = Names::of(cx, first, count)?;
    names.uniforms(&exprs).map_err(|reason| wrong(cx, reason))
}
