//! Arithmetic of guards: both, either, not, and what is left when all that is known is taken out.

use dlc_core::bounds::MAX_PIECES;
use dlc_core::guard::{Condition, Guard};
use dlc_core::space::Space;
use dlc_ir::affine::{AffineExpr, Interval, SizeExpr};
use dlc_region::verify::KernelAxes;
use rustc_hash::FxHashMap;

/// Where both hold. `None` if that takes too many pieces.
pub fn both(a: &Guard, b: &Guard) -> Option<Guard> {
    let pieces = a.pieces.iter().flat_map(|own| b.pieces.iter().map(move |other| [&own[..], other].concat()));
    limited(pieces.collect())
}

/// Where one of them holds. `None` if that takes too many pieces.
pub fn either(a: &Guard, b: &Guard) -> Option<Guard> {
    limited([&a.pieces[..], &b.pieces].concat())
}

/// Where it does not hold. `None` if that takes too many pieces.
pub fn not(guard: &Guard) -> Option<Guard> {
    let negated = |condition: &Condition| {
        let expr = &condition.expr;
        let below =
            condition.lower.clone().map(|lower| Condition { expr: expr.clone(), lower: None, upper: Some(lower) });
        let above =
            condition.upper.clone().map(|upper| Condition { expr: expr.clone(), lower: Some(upper), upper: None });
        below.into_iter().chain(above).map(|condition| vec![condition]).collect::<Vec<_>>()
    };
    let everywhere = Guard { pieces: vec![Vec::new()] };
    guard
        .pieces
        .iter()
        .try_fold(everywhere, |rest, piece| both(&rest, &Guard { pieces: piece.iter().flat_map(negated).collect() }))
}

fn limited(pieces: Vec<Vec<Condition>>) -> Option<Guard> {
    (pieces.len() <= MAX_PIECES).then_some(Guard { pieces })
}

/// The affine dimensions of the axes of each op: those that it is over, as of others nothing is known at its points.
pub struct Spaces<'k> {
    /// The axes of the kernel.
    pub kernel: &'k KernelAxes,
    made: FxHashMap<Vec<String>, Option<Space>>,
}

/// Some axes as dimensions.
pub struct GuardScope<'s> {
    space: &'s mut Space,
    axes: Vec<String>,
}

impl<'k> Spaces<'k> {
    /// For the axes of a kernel.
    pub fn new(kernel: &'k KernelAxes) -> Spaces<'k> {
        Spaces { kernel, made: FxHashMap::default() }
    }

    /// The dimensions of some axes. `None` beyond the limits of affine expressions.
    pub fn over(&mut self, axes: &[&str]) -> Option<GuardScope<'_>> {
        let names: Vec<String> = axes.iter().map(|&axis| axis.to_owned()).collect();
        let kernel = self.kernel;
        let space = self.made.entry(names.clone()).or_insert_with(|| {
            let sizes: Option<Vec<SizeExpr>> = axes.iter().map(|axis| kernel.size(axis).cloned()).collect();
            Space::of(&sizes?)
        });
        Some(GuardScope { space: space.as_mut()?, axes: names })
    }
}

/// A part of a condition that can be left out by itself.
#[derive(Clone, PartialEq, Eq)]
struct Bound {
    condition: Condition,
    /// What is not negative exactly where it holds; `None` where that is not affine.
    affine: Option<Vec<AffineExpr>>,
}

impl GuardScope<'_> {
    fn affine(&mut self, expr: &SizeExpr) -> Option<AffineExpr> {
        let axes = &self.axes;
        let axis = |name: &str| axes.iter().position(|known| known == name).map(|axis| axis as u32);
        self.space.read(expr, &axis)
    }

    /// The integers between which an expression lies.
    pub fn range(&mut self, expr: &SizeExpr) -> Interval {
        let affine = self.affine(expr);
        affine.map_or(Interval::ALL, |affine| affine.range_of(self.space.ranges()))
    }

    fn bound(&mut self, condition: Condition) -> Bound {
        let axes = &self.axes;
        let axis = |name: &str| axes.iter().position(|known| known == name).map(|axis| axis as u32);
        let affine = self.space.read_condition(&condition, &axis);
        Bound { condition, affine }
    }

    /// The bounds of a piece: both sides of an interval, but an equality whole.
    fn bounds(&mut self, piece: &[Condition]) -> Vec<Bound> {
        let mut bounds = Vec::new();
        for condition in piece {
            let next = condition.lower.as_ref().and_then(|lower| lower.add(&SizeExpr::from(1)).ok());
            let is_equality = next.is_some() && next == condition.upper;
            let parts = match (&condition.lower, &condition.upper) {
                (Some(_), Some(_)) if !is_equality => {
                    vec![Condition { upper: None, ..condition.clone() }, Condition { lower: None, ..condition.clone() }]
                }
                _ => vec![condition.clone()],
            };
            for part in parts {
                let bound = self.bound(part);
                if !bounds.contains(&bound) {
                    bounds.push(bound);
                }
            }
        }
        bounds
    }

    fn proves(&self, given: &[AffineExpr], bound: &Bound) -> bool {
        bound.affine.as_ref().is_some_and(|claims| claims.iter().all(|claim| self.space.proves(given, claim)))
    }

    /// Whether a bound holds throughout a piece.
    fn holds_in(&self, piece: &[Bound], bound: &Bound) -> bool {
        piece.contains(bound) || self.proves(&all(piece), bound)
    }

    fn is_empty(&self, piece: &[Bound]) -> bool {
        self.space.proves(&all(piece), &AffineExpr::Constant(-1))
    }

    /// The same points of the axes, said in fewer words.
    pub fn shorten(&mut self, guard: &Guard) -> Guard {
        let mut pieces: Vec<Vec<Bound>> = guard.pieces.iter().map(|piece| self.bounds(piece)).collect();
        pieces.retain(|piece| !self.is_empty(piece));
        for piece in &mut pieces {
            self.gist(piece);
        }
        while let Some((a, b, joined)) = self.joinable(&pieces) {
            pieces[a] = joined;
            pieces.remove(b);
        }
        Guard { pieces: pieces.into_iter().map(conditions).collect() }
    }

    /// Leaves out what follows from the rest and from the sizes of the axes.
    fn gist(&self, piece: &mut Vec<Bound>) {
        let mut at = 0;
        while at < piece.len() {
            let own = piece.remove(at);
            if !self.holds_in(piece, &own) {
                piece.insert(at, own);
                at += 1;
            }
        }
    }

    /// Two pieces that are one together, and which, as isl's `coalesce` finds them in its simplest case: the bounds of
    /// each that hold in the other describe no point outside of both.
    fn joinable(&self, pieces: &[Vec<Bound>]) -> Option<(usize, usize, Vec<Bound>)> {
        for b in 1..pieces.len() {
            for a in 0..b {
                let (first, second) = (&pieces[a], &pieces[b]);
                let (kept, lost): (Vec<&Bound>, Vec<&Bound>) =
                    first.iter().partition(|bound| self.holds_in(second, bound));
                let mut joined: Vec<Bound> = kept.into_iter().cloned().collect();
                joined.extend(second.iter().filter(|bound| self.holds_in(first, bound)).cloned());
                if lost.iter().all(|bound| self.covers_rest(&joined, bound, second)) {
                    self.gist(&mut joined);
                    return Some((a, b, joined));
                }
            }
        }
        None
    }

    /// Whether a piece holds wherever some bounds hold but not another one.
    fn covers_rest(&self, bounds: &[Bound], broken: &Bound, piece: &[Bound]) -> bool {
        broken.affine.as_ref().is_some_and(|exprs| {
            exprs.iter().all(|expr| {
                let Ok(below) = expr.neg().and_then(|expr| expr.sub(&AffineExpr::Constant(1))) else { return false };
                let given = [all(bounds), vec![below]].concat();
                piece.iter().all(|bound| bounds.contains(bound) || self.proves(&given, bound))
            })
        })
    }
}

fn all(piece: &[Bound]) -> Vec<AffineExpr> {
    piece.iter().filter_map(|bound| bound.affine.clone()).flatten().collect()
}

/// Bounds as conditions, the two of one expression together.
fn conditions(piece: Vec<Bound>) -> Vec<Condition> {
    let mut conditions: Vec<Condition> = Vec::new();
    for Bound { condition, .. } in piece {
        let other = conditions.iter_mut().find(|other| {
            let open = (other.lower.is_none() && condition.upper.is_none())
                || (other.upper.is_none() && condition.lower.is_none());
            other.expr == condition.expr && open
        });
        match other {
            Some(other) if other.lower.is_none() => other.lower = condition.lower,
            Some(other) => other.upper = condition.upper,
            None => conditions.push(condition),
        }
    }
    conditions
}
