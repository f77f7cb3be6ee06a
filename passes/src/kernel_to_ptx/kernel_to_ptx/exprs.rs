//! Expressions and guards as instructions. What they name is looked up once, as they are computed for many registers.

use std::collections::BTreeSet;

use dlc_core::guard::{Condition, Guard};
use dlc_core::sizes::value_number;
use dlc_ir::Type;
use dlc_ir::affine::{Factor, Interval, SizeExpr};
use dlc_ptx::inst::Arg;
use dlc_ptx::table;

use super::Refused;
use super::code::{Code, Cond};
use super::natural::is_natural_expr;
use super::values::axis;
use crate::analysis::index_ranges::{Width, is_narrow, width};

/// What names in expressions stand for.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// The symbols of sizes.
    pub symbols: &'a dyn Fn(&str) -> Option<Arg>,
    /// The values, `_0` and so on: integers, and for fragments what a register has.
    pub values: &'a [(Arg, bool)],
    /// `i0` and so on.
    pub coords: &'a [Arg],
    /// The same as sums of what the thread says and what the register adds, where they are that: what is computed of the
    /// first is the same for all registers.
    pub parts: &'a [(Arg, u32)],
}

/// Between which numbers an expression is.
pub type Ranges<'a> = &'a dyn Fn(&SizeExpr) -> Interval;

/// What a name stands for.
#[derive(Clone, Debug)]
enum Name {
    Value(usize),
    Axis(usize),
    Size(Arg),
}

#[derive(Clone, Debug)]
enum Part {
    Name(Name),
    Quotient(Box<(Expr, Expr)>),
}

/// An expression whose names are looked up.
#[derive(Clone, Debug)]
pub struct Expr {
    terms: Vec<(i64, Vec<Part>)>,
    constant: i64,
    /// Whether it is known not to be negative.
    natural: bool,
    /// Whether it is not without its constant.
    has_natural_terms: bool,
    /// Whether it is computed in 64 bits. Sums and 32-bit products are right if the whole is, whatever their parts;
    /// what is divided is an expression of its own.
    wide: bool,
    /// Whether its 32 bits are read without a sign.
    unsigned: bool,
}

impl Expr {
    /// The expression with these names; of values and coordinates it only matters whether they are there and may be
    /// negative. It is computed in 64 bits where it may have as many.
    pub fn new(expr: &SizeExpr, names: &Names<'_>, ranges: Ranges<'_>) -> Result<Expr, Refused> {
        Expr::of_bits(expr, names, !is_narrow(ranges(expr)), ranges)
    }

    /// The same in 64 bits, or the lower 32 of it.
    pub fn of_bits(expr: &SizeExpr, names: &Names<'_>, wide: bool, ranges: Ranges<'_>) -> Result<Expr, Refused> {
        let name = |name: &str| {
            if let Some(number) = value_number(name) {
                return (number < names.values.len()).then_some(Name::Value(number));
            }
            if let Some(axis) = axis(name) {
                return (axis < names.coords.len()).then_some(Name::Axis(axis));
            }
            (names.symbols)(name).map(Name::Size)
        };
        let is_natural = |text: &str| {
            name(text).is_some_and(|name| match name {
                Name::Value(number) => names.values[number].1,
                Name::Axis(_) | Name::Size(_) => true,
            })
        };
        let (mut terms, mut constant) = (Vec::new(), 0);
        for (coefficient, factors) in expr.terms() {
            if factors.is_empty() {
                constant += coefficient;
                continue;
            }
            let part = |factor: &Factor| match factor {
                Factor::Symbol(text) => match name(text) {
                    Some(name) => Ok(Part::Name(name)),
                    None => Err(Refused::new(format!("'{text}' in an expression is not known"))),
                },
                Factor::Quotient(numerator, divisor) => {
                    let parts = [numerator, divisor];
                    // Where neither is negative, both may be read without a sign.
                    let known = parts.map(ranges);
                    let is_wide = known.iter().any(|&range| width(range) == Width::Wide || range.lo() < Some(0));
                    let unsigned = !is_wide && known.iter().any(|&range| width(range) == Width::Unsigned);
                    let part = |expr: &SizeExpr| match unsigned {
                        true => Ok(Expr { unsigned, natural: true, ..Expr::of_bits(expr, names, false, ranges)? }),
                        false => Expr::new(expr, names, ranges),
                    };
                    Ok(Part::Quotient(Box::new((part(numerator)?, part(divisor)?))))
                }
            };
            terms.push((coefficient, factors.iter().map(part).collect::<Result<_, _>>()?));
        }
        let natural = is_natural_expr(expr, &is_natural);
        let without = expr.sub(&constant.into()).ok().filter(|_| !natural && constant < 0);
        // Each of them is then, whatever of a position is counted with the constant; a remainder is only as a whole.
        let are_added = |terms: &SizeExpr| terms.terms().iter().all(|(coefficient, _)| *coefficient >= 0);
        let has_natural_terms = without.is_some_and(|terms| are_added(&terms) && is_natural_expr(&terms, &is_natural));
        Ok(Expr { terms, constant, natural, has_natural_terms, wide, unsigned: false })
    }

    /// The number that it is, if it names nothing.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }
}

/// A condition whose names are looked up.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// What is bounded.
    pub expr: Expr,
    /// What it is not below.
    pub lower: Option<Expr>,
    /// What it is below.
    pub upper: Option<Expr>,
}

/// An axis that is bounded several times, each time with the same next to it.
#[derive(Clone, Debug)]
struct Limit {
    axis: usize,
    /// What is added to it.
    alongside: Expr,
    /// Whether the sum is computed in 64 bits.
    wide: bool,
    /// What the sum is at most.
    most: Vec<Expr>,
}

/// A guard whose names are looked up.
#[derive(Clone, Debug)]
pub struct Pieces {
    /// The conditions of each piece, in the order of the text, and what each is the same for.
    pub pieces: Vec<Vec<(usize, Bounds)>>,
    /// What is asked of axes besides, in each piece: of an axis that is bounded several times, the least bound, which is
    /// the same for many elements. None but in [`Pieces::joined`].
    limits: Vec<Vec<Limit>>,
}

impl Pieces {
    /// The guard with these names.
    pub fn new(guard: &Guard, names: &Names<'_>, ranges: Ranges<'_>) -> Result<Pieces, Refused> {
        let expr = |expr: &SizeExpr| Expr::new(expr, names, ranges);
        let bounds = |condition: &Condition| {
            let (lower, upper) = (condition.lower.as_ref().map(expr), condition.upper.as_ref().map(expr));
            let bounds = Bounds { expr: expr(&condition.expr)?, lower: lower.transpose()?, upper: upper.transpose()? };
            Ok((shared_by(condition), bounds))
        };
        let piece = |piece: &Vec<Condition>| piece.iter().map(bounds).collect();
        let pieces = guard.pieces.iter().map(piece).collect::<Result<Vec<_>, Refused>>()?;
        let limits = vec![Vec::new(); pieces.len()];
        Ok(Pieces { pieces, limits })
    }

    /// The same, with what is asked of an axis several times asked once.
    pub fn joined(guard: &Guard, names: &Names<'_>, ranges: Ranges<'_>) -> Result<Pieces, Refused> {
        let piece = |piece: &Vec<Condition>| limits(piece, names, ranges);
        let pieces = guard.pieces.iter().map(piece).collect::<Result<Vec<_>, Refused>>()?;
        let (rest, limits) = pieces.into_iter().unzip();
        Ok(Pieces { limits, ..Pieces::new(&Guard { pieces: rest }, names, ranges)? })
    }

    /// Whether an axis is bounded several times.
    pub fn has_limits(&self) -> bool {
        self.limits.iter().any(|limits| !limits.is_empty())
    }
}

/// A bound of a condition: its number, whether it is the upper one, and what is bounded by it at most.
type Bound = (usize, bool, SizeExpr);

/// The bounds from above that several conditions have of the same sum, and the conditions without them.
fn limits(piece: &[Condition], names: &Names<'_>, ranges: Ranges<'_>) -> Result<(Vec<Condition>, Vec<Limit>), Refused> {
    let mut found: Vec<(usize, SizeExpr, Vec<Bound>)> = Vec::new();
    let natural = |expr: &&SizeExpr| Expr::new(expr, names, ranges).is_ok_and(|expr| expr.natural);
    for (number, condition) in piece.iter().enumerate() {
        // `expr < upper`, and `lower <= expr`.
        let upper = condition.upper.as_ref().filter(natural).and_then(|upper| upper.sub(&SizeExpr::from(1)).ok());
        let above = upper.map(|most| (&condition.expr, (number, true, most)));
        let below = condition.lower.as_ref().map(|lower| (lower, (number, false, condition.expr.clone())));
        for (sum, bound) in above.into_iter().chain(below) {
            let Some((axis, alongside)) = axis_and_alongside(sum, &bound.2) else { continue };
            match found.iter_mut().find(|(known, with, _)| *known == axis && *with == alongside) {
                Some((_, _, all)) => all.push(bound),
                None => found.push((axis, alongside, vec![bound])),
            }
        }
    }
    found.retain(|(_, _, all)| all.len() > 1);
    let mut rest = piece.to_vec();
    let mut made = Vec::with_capacity(found.len());
    for (axis, alongside, all) in found {
        for &(number, upper, _) in &all {
            let bound = if upper { &mut rest[number].upper } else { &mut rest[number].lower };
            *bound = None;
        }
        let most = all.iter().map(|(_, _, most)| Expr::new(most, names, ranges)).collect::<Result<_, _>>()?;
        let whole = SizeExpr::symbol(&format!("i{axis}")).and_then(|axis| alongside.add(&axis));
        let wide = whole.map_or(true, |whole| !is_narrow(ranges(&whole)));
        made.push(Limit { axis, alongside: Expr::new(&alongside, names, ranges)?, wide, most });
    }
    rest.retain(|condition| condition.lower.is_some() || condition.upper.is_some());
    Ok((rest, made))
}

/// The last axis that is once in a sum, and not in what the sum is at most; and what else is in the sum.
fn axis_and_alongside(sum: &SizeExpr, most: &SizeExpr) -> Option<(usize, SizeExpr)> {
    let bounds = most.symbols();
    let is_free = |name: &&std::sync::Arc<str>| axis(name).is_some() && !bounds.contains(*name);
    let symbols = sum.symbols();
    let name = symbols.iter().filter(is_free).max_by_key(|name| axis(name))?;
    let alongside = sum.sub(&SizeExpr::symbol(name).ok()?).ok()?;
    (!alongside.symbols().contains(name)).then(|| Some((axis(name)?, alongside)))?
}

impl Code<'_> {
    /// An expression that is computed once, and whether it is known not to be negative.
    pub fn expr(&mut self, expr: &SizeExpr, names: &Names<'_>, ranges: Ranges<'_>) -> Result<(Arg, bool), Refused> {
        Ok(self.value(&Expr::new(expr, names, ranges)?, names))
    }

    /// An integer with as many bits as an expression has.
    fn part(&mut self, value: Arg, expr: &Expr) -> Arg {
        if expr.wide { self.in64(value) } else { self.in32(value) }
    }

    /// The integer that an expression is, and whether it is known not to be negative.
    pub fn value(&mut self, expr: &Expr, names: &Names<'_>) -> (Arg, bool) {
        let mut sum = Arg::Int(0);
        // The constant last, so that it is folded into what follows.
        let mut constant = expr.constant;
        let mut terms: Vec<(Arg, i64)> = Vec::with_capacity(expr.terms.len());
        for (coefficient, factors) in &expr.terms {
            if let [Part::Name(Name::Axis(axis))] = factors.as_slice()
                && let Some(&(thread, own)) = names.parts.get(*axis)
            {
                let thread = self.part(thread, expr);
                terms.push((thread, *coefficient));
                // Registers hold integers modulo a power of two.
                constant = constant.wrapping_add(coefficient.wrapping_mul(own.into()));
                continue;
            }
            let mut product = Arg::Int(1);
            for factor in factors {
                let value = match factor {
                    Part::Name(Name::Value(number)) => names.values[*number].0,
                    Part::Name(Name::Axis(axis)) => names.coords[*axis],
                    Part::Name(Name::Size(size)) => *size,
                    Part::Quotient(parts) => {
                        let (numerator, above) = self.value(&parts.0, names);
                        let (divisor, below) = self.value(&parts.1, names);
                        self.floordiv(numerator, divisor, above && below)
                    }
                };
                let value = self.part(value, expr);
                product = self.mul(product, value);
            }
            terms.push((product, *coefficient));
        }
        // A difference of a number and a multiple of a quotient is what is left of it: `x - 8*(x floordiv 8)`.
        for (product, coefficient) in terms {
            sum = match coefficient {
                -1 => self.sub(sum, product),
                coefficient => {
                    let coefficient = self.part(Arg::Int(coefficient), expr);
                    let scaled = self.mul(product, coefficient);
                    self.add(sum, scaled)
                }
            };
        }
        // What the register adds may be more than what the expression takes away.
        let natural = expr.natural || (expr.has_natural_terms && constant >= 0);
        let constant = self.part(Arg::Int(constant), expr);
        let sum = self.add(sum, constant);
        let sum = match sum {
            Arg::Int(value) if expr.unsigned => Arg::Int((value as u32).into()),
            other => self.part(other, expr),
        };
        (sum, natural || matches!(sum, Arg::Int(value) if value >= 0))
    }

    /// Whether a guard holds that is asked once.
    pub fn guard(&mut self, guard: &Guard, names: &Names<'_>, ranges: Ranges<'_>) -> Result<Cond, Refused> {
        Ok(self.is_inside(&Pieces::new(guard, names, ranges)?, names))
    }

    /// Whether a guard holds.
    pub fn is_inside(&mut self, guard: &Pieces, names: &Names<'_>) -> Cond {
        let mut any = Cond::Known(false);
        for (piece, limits) in guard.pieces.iter().zip(&guard.limits) {
            // What is the same for many elements is asked first, and once: of all, of a row, of a column.
            let mut order: Vec<&(usize, Bounds)> = piece.iter().collect();
            order.sort_by_key(|one| one.0);
            let mut all = Cond::Known(true);
            for group in order.chunk_by(|a, b| a.0 == b.0 && a.0 != OF_ELEMENTS) {
                let mut own = Cond::Known(true);
                for (_, bounds) in group {
                    let holds = self.holds(bounds, names);
                    own = self.both(own, holds);
                }
                all = self.both(all, own);
            }
            for limit in limits {
                let holds = self.is_below(limit, names);
                all = self.both(all, holds);
            }
            any = self.either(any, all);
        }
        any
    }

    /// Whether an axis is within its limits: what the register adds is compared with the room that the thread has, which is
    /// the same for all registers for which the bounds are.
    fn is_below(&mut self, limit: &Limit, names: &Names<'_>) -> Cond {
        let most = limit.most.iter().map(|most| self.value(most, names).0).collect::<Vec<_>>();
        let least = most.into_iter().reduce(|a, b| self.min(a, b)).unwrap_or(Arg::Int(0));
        let (mut alongside, _) = self.value(&limit.alongside, names);
        if limit.wide {
            alongside = self.in64(alongside);
        }
        let Some(&(thread, own)) = names.parts.get(limit.axis) else {
            let at = self.add(alongside, names.coords[limit.axis]);
            return self.compare("le", at, least);
        };
        let thread = self.add(alongside, thread);
        let room = self.room(least, thread);
        self.compare("le", Arg::Int(own.into()), room)
    }

    /// The difference of two integers, or the nearest one of 32 bits.
    fn room(&mut self, a: Arg, b: Arg) -> Arg {
        if let (Arg::Int(a), Arg::Int(b)) = (a, b) {
            return Arg::Int((a - b).clamp(i32::MIN.into(), i32::MAX.into()));
        }
        let [a, b] = [a, b].map(|arg| self.in64(arg));
        let a = Arg::Value(self.register(a, Type::I64));
        let difference = self.inst(&table::SUB, "s64", &[a, b]);
        Arg::Value(self.inst(&table::CVT, "sat.s32.s64", &[difference.into()]))
    }

    /// Whether a condition holds. A number from zero on, below one that is not negative, is one without a sign below it.
    fn holds(&mut self, bounds: &Bounds, names: &Names<'_>) -> Cond {
        let (value, natural) = self.value(&bounds.expr, names);
        let from_zero = bounds.lower.as_ref().is_some_and(|lower| lower.as_constant() == Some(0));
        let mut holds = Cond::Known(true);
        let upper = bounds.upper.as_ref().map(|upper| self.value(upper, names));
        if let Some((upper, true)) = upper.filter(|_| from_zero && !natural && !matches!(value, Arg::Int(_))) {
            let word = if self.is_wide(value) || self.is_wide(upper) { "lt.u64" } else { "lt.u32" };
            let [value, upper] = if word == "lt.u64" { [self.in64(value), self.in64(upper)] } else { [value, upper] };
            return Cond::If(self.inst(&table::SETP, word, &[value, upper]));
        }
        if let Some(lower) = bounds.lower.as_ref().filter(|_| !(natural && from_zero)) {
            let (lower, _) = self.value(lower, names);
            holds = self.compare("ge", value, lower);
        }
        if let Some((upper, _)) = upper {
            let below = self.compare("lt", value, upper);
            holds = self.both(holds, below);
        }
        holds
    }
}

/// What is asked of each element by itself.
const OF_ELEMENTS: usize = usize::MAX;

/// What a condition is the same for: 0 for all elements, `1 + axis` for those that are at one place of an axis.
fn shared_by(condition: &Condition) -> usize {
    let names = condition.exprs().flat_map(SizeExpr::symbols);
    let axes: BTreeSet<usize> = names.filter_map(|name| axis(&name)).collect();
    match axes.len() {
        0 => 0,
        1 => 1 + axes.first().copied().unwrap_or(0),
        _ => OF_ELEMENTS,
    }
}
