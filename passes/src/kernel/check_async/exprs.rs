//! Symbolic integers made ready to be evaluated often: what they name are slots of a list of numbers.

use dlc_core::guard::Guard;
use dlc_ir::affine::{Factor as Part, SizeExpr};
use smallvec::SmallVec;

/// A place in the list of numbers of a model thread.
pub type Slot = u32;

/// A number that the text does not say: it depends on data, or goes beyond 64 bits.
pub const UNKNOWN: i64 = i64::MIN;

/// An expression over slots.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A number.
    Const(i64),
    /// What a slot holds.
    Slot(Slot),
    /// A constant and slots, each with a factor.
    Linear(i64, Box<[(Slot, i64)]>),
    /// A sum of products.
    Sum(Box<[(i64, Box<[Factor]>)]>),
}

/// What is multiplied in a term of a sum.
#[derive(Clone, PartialEq, Debug)]
pub enum Factor {
    /// What a slot holds.
    Slot(Slot),
    /// A quotient, rounded down.
    Quotient(Box<[Expr; 2]>),
    /// The quotient of that number among those of the sum, again.
    Again(usize),
}

impl Expr {
    /// The expression with slots for its symbols. A symbol without a slot is unknown.
    pub fn compile(expr: &SizeExpr, slot: &dyn Fn(&str) -> Option<Slot>) -> Expr {
        if let Some(value) = expr.as_constant() {
            return Expr::Const(value);
        }
        if let Some((terms, constant)) = expr.as_linear() {
            let terms: Option<Vec<_>> = terms.iter().map(|(name, factor)| Some((slot(name)?, *factor))).collect();
            return match terms.as_deref() {
                None => Expr::Const(UNKNOWN),
                Some(&[(only, 1)]) if constant == 0 => Expr::Slot(only),
                Some(terms) => Expr::Linear(constant, terms.into()),
            };
        }
        let (mut sum, mut quotients) = (Vec::new(), Vec::new());
        for (coefficient, parts) in expr.terms() {
            let mut factors = Vec::with_capacity(parts.len());
            for part in parts {
                factors.push(match part {
                    Part::Symbol(name) => match slot(&name) {
                        Some(slot) => Factor::Slot(slot),
                        None => return Expr::Const(UNKNOWN),
                    },
                    Part::Quotient(above, below) => {
                        let quotient = [Expr::compile(&above, slot), Expr::compile(&below, slot)];
                        match quotients.iter().position(|known| *known == quotient) {
                            Some(number) => Factor::Again(number),
                            None => {
                                quotients.push(quotient.clone());
                                Factor::Quotient(Box::new(quotient))
                            }
                        }
                    }
                });
            }
            sum.push((coefficient, factors.into_boxed_slice()));
        }
        Expr::Sum(sum.into())
    }

    /// The number, or [`UNKNOWN`].
    #[inline]
    pub fn eval(&self, slots: &[i64]) -> i64 {
        match self {
            Expr::Const(value) => *value,
            Expr::Slot(slot) => slots[*slot as usize],
            Expr::Linear(constant, terms) => linear(*constant, terms, slots).unwrap_or(UNKNOWN),
            Expr::Sum(terms) => sum(terms, slots).unwrap_or(UNKNOWN),
        }
    }

    /// Adds the divisors that are constants, with the slots in what they divide and the factor of each there.
    pub fn divisors(&self, into: &mut Vec<(Slot, i64, i64)>) {
        let Expr::Sum(terms) = self else { return };
        for factor in terms.iter().flat_map(|(_, factors)| factors) {
            let Factor::Quotient(parts) = factor else { continue };
            parts[0].divisors(into);
            parts[1].divisors(into);
            let Expr::Const(divisor) = parts[1] else { continue };
            match &parts[0] {
                Expr::Slot(slot) => into.push((*slot, 1, divisor)),
                Expr::Linear(_, terms) => into.extend(terms.iter().map(|&(slot, factor)| (slot, factor, divisor))),
                _ => {}
            }
        }
    }

    /// How much it grows when a slot grows by one. `None` if that is not the same everywhere.
    pub fn slope(&self, of: Slot) -> Option<i64> {
        match self {
            Expr::Const(_) => Some(0),
            Expr::Slot(slot) => Some((*slot == of).into()),
            Expr::Linear(_, terms) => {
                let mut factors = terms.iter().filter(|&&(slot, _)| slot == of).map(|&(_, factor)| factor);
                factors.try_fold(0, i64::checked_add)
            }
            Expr::Sum(_) => {
                let mut slots = Vec::new();
                self.slots(&mut slots);
                (!slots.contains(&of)).then_some(0)
            }
        }
    }

    /// Adds the slots that it reads.
    pub fn slots(&self, into: &mut Vec<Slot>) {
        match self {
            Expr::Const(_) => {}
            Expr::Slot(slot) => into.push(*slot),
            Expr::Linear(_, terms) => into.extend(terms.iter().map(|&(slot, _)| slot)),
            Expr::Sum(terms) => {
                for factor in terms.iter().flat_map(|(_, factors)| factors) {
                    match factor {
                        Factor::Slot(slot) => into.push(*slot),
                        Factor::Quotient(parts) => parts.iter().for_each(|part| part.slots(into)),
                        Factor::Again(_) => {}
                    }
                }
            }
        }
    }
}

/// A number that is known.
#[inline]
fn known(value: i64) -> Option<i64> {
    if value == UNKNOWN { None } else { Some(value) }
}

#[inline]
fn linear(constant: i64, terms: &[(Slot, i64)], slots: &[i64]) -> Option<i64> {
    let mut sum = constant;
    for &(slot, factor) in terms {
        sum = sum.checked_add(known(slots[slot as usize])?.checked_mul(factor)?)?;
    }
    Some(sum)
}

/// A quotient, rounded down.
fn floor(above: i64, below: i64) -> Option<i64> {
    let quotient = above.checked_div_euclid(below)?;
    // Also where the divisor is negative.
    Some(if below < 0 && above.rem_euclid(below) != 0 { quotient - 1 } else { quotient })
}

fn sum(terms: &[(i64, Box<[Factor]>)], slots: &[i64]) -> Option<i64> {
    let mut sum = 0i64;
    let mut quotients: SmallVec<[i64; 4]> = SmallVec::new();
    for (coefficient, factors) in terms {
        let mut product = *coefficient;
        for factor in factors {
            product = product.checked_mul(match factor {
                Factor::Slot(slot) => known(slots[*slot as usize])?,
                Factor::Quotient(parts) => {
                    let above = known(parts[0].eval(slots))?;
                    let quotient = match parts[1] {
                        // Divisions are slow, and most of them are such.
                        Expr::Const(below) if below > 0 && below & (below - 1) == 0 => above >> below.trailing_zeros(),
                        ref below => floor(above, known(below.eval(slots))?)?,
                    };
                    quotients.push(quotient);
                    quotient
                }
                Factor::Again(number) => quotients[*number],
            })?;
        }
        sum = sum.checked_add(product)?;
    }
    Some(sum)
}

/// A condition on integers: pieces, in each of which all bounds hold.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition(Vec<Vec<(Expr, Option<Expr>, Option<Expr>)>>);

impl Condition {
    /// The guard with slots for its symbols.
    pub fn compile(guard: &Guard, slot: &dyn Fn(&str) -> Option<Slot>) -> Condition {
        let bound = |bound: &Option<SizeExpr>| bound.as_ref().map(|bound| Expr::compile(bound, slot));
        let piece = |piece: &Vec<dlc_core::guard::Condition>| {
            piece.iter().map(|part| (Expr::compile(&part.expr, slot), bound(&part.lower), bound(&part.upper))).collect()
        };
        Condition(guard.pieces.iter().map(piece).collect())
    }

    /// Whether it holds; `None` where that is unknown.
    pub fn holds(&self, slots: &[i64]) -> Option<bool> {
        let value = |expr: &Expr| Some(expr.eval(slots)).filter(|&value| value != UNKNOWN);
        for piece in &self.0 {
            let mut inside = true;
            for (expr, lower, upper) in piece {
                let at = value(expr)?;
                inside &= match lower {
                    Some(lower) => value(lower)? <= at,
                    None => true,
                };
                inside &= match upper {
                    Some(upper) => at < value(upper)?,
                    None => true,
                };
            }
            if inside {
                return Some(true);
            }
        }
        Some(false)
    }

    /// How many bounds do not hold in the piece in which the fewest do not.
    pub fn failing(&self, slots: &[i64]) -> usize {
        let fails = |(expr, lower, upper): &(Expr, Option<Expr>, Option<Expr>)| {
            let at = expr.eval(slots);
            let below = lower.as_ref().is_some_and(|lower| at < lower.eval(slots));
            below || upper.as_ref().is_some_and(|upper| at >= upper.eval(slots))
        };
        let of_piece = |piece: &Vec<_>| piece.iter().filter(|&part| fails(part)).count();
        self.0.iter().map(of_piece).min().unwrap_or(1)
    }

    /// Each expression that is asked of with what it is at least, and what it is below.
    pub fn bounds(&self) -> impl Iterator<Item = (&Expr, Option<&Expr>, Option<&Expr>)> {
        self.0.iter().flatten().map(|(expr, lower, upper)| (expr, lower.as_ref(), upper.as_ref()))
    }

    /// The expressions in it.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.bounds().flat_map(|(expr, lower, upper)| [Some(expr), lower, upper]).flatten()
    }
}
