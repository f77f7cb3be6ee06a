//! Unions of sets in fewer pieces.
//!
//! As isl's `coalesce` (Verdoolaege, "Integer Set Coalescing", IMPACT 2015) in its simplest case: of two pieces, each
//! constraint of one either holds in all of the other or it does not. Those that hold in both describe a set around the
//! two; when it has no point outside of them, it takes their place. An equality counts as two inequalities.
//!
//! Which constraint holds in which piece is asked once. With `p` pieces of `c` constraints each these are `p*p*c`
//! questions to the solver, and for each pair some more.

use super::domain::Domain;
use super::range::Ranges;
use super::rows::Row;
use super::set::{Constraint, IntegerSet, Relation};
use super::solve::System;

impl Domain {
    /// The same points within the ranges in fewer pieces: empty ones and those inside of others are gone, and two that
    /// are one together are joined. A constraint that follows from others is left out.
    pub fn coalesce(&self, ranges: &Ranges) -> Domain {
        let mut work = Work {
            system: System::new(self.num_dims(), self.num_symbols(), ranges),
            constraints: Vec::new(),
            pieces: Vec::new(),
        };
        let mut others = Vec::new();
        for piece in self.pieces() {
            match work.piece(&piece.simplify_under(ranges)) {
                Some(constraints) => work.push(constraints),
                None => others.push(piece.clone()),
            }
        }
        while let Some((a, b, joined)) = work.next_pair() {
            work.pieces.remove(a.max(b));
            work.pieces.remove(a.min(b));
            work.push(joined);
        }
        let set = |piece: &Piece| work.set(piece, self);
        let mut pieces: Vec<IntegerSet> = work.pieces.iter().map(set).chain(others).collect();
        pieces.sort();
        pieces.dedup();
        self.with_pieces(pieces)
    }
}

struct Work<'r> {
    system: System<'r>,
    /// All constraints that occur, each once, as inequalities.
    constraints: Vec<(Constraint, Row)>,
    pieces: Vec<Piece>,
}

struct Piece {
    /// Indices of constraints.
    own: Vec<usize>,
    /// For each constraint whether it holds in the piece, where that has been asked.
    holds: Vec<Option<bool>>,
    /// Whether it has been compared with all pieces before it.
    compared: bool,
}

impl Work<'_> {
    /// The constraints of a set as inequalities; `None` beyond 64 bits.
    fn piece(&mut self, set: &IntegerSet) -> Option<Vec<usize>> {
        let mut own = Vec::new();
        for constraint in set.constraints() {
            let mut sides = vec![constraint.expr.clone()];
            if constraint.relation == Relation::Zero {
                sides.push(constraint.expr.neg().ok()?.simplify_under(self.system.ranges()));
            }
            for expr in sides {
                // Divided, so that two which say the same are the same, and two opposite ones an equality.
                let expr = expr.divided_by_common_factor(self.system.ranges()).ok()?;
                let side = Constraint { expr, relation: Relation::NotNegative };
                let row = self.system.constraint(&side)?;
                let known = self.constraints.iter().position(|(_, known)| *known == row);
                own.push(known.unwrap_or_else(|| {
                    self.constraints.push((side, row));
                    self.constraints.len() - 1
                }));
            }
        }
        own.sort_unstable();
        own.dedup();
        Some(own)
    }

    /// A piece more, without what follows from the rest of it; none if it is empty.
    fn push(&mut self, mut own: Vec<usize>) {
        if self.system.has_no_point(self.rows(&own)) == Some(true) {
            return;
        }
        let mut at = 0;
        while at < own.len() {
            let others = own.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, index)| *index);
            let others: Vec<usize> = others.collect();
            if self.implies(&others, &[], own[at]) {
                own = others;
            } else {
                at += 1;
            }
        }
        self.pieces.push(Piece { own, holds: Vec::new(), compared: false });
    }

    fn rows<'a>(&'a self, constraints: &'a [usize]) -> impl Iterator<Item = &'a Row> + Clone {
        constraints.iter().map(|index| &self.constraints[*index].1)
    }

    /// Whether a constraint is known to follow from others and more rows.
    fn implies(&self, from: &[usize], more: &[Row], constraint: usize) -> bool {
        from.contains(&constraint)
            || self.system.implies(self.rows(from).chain(more), &self.constraints[constraint].1) == Some(true)
    }

    /// Whether a constraint is known to hold in a piece.
    fn holds(&mut self, piece: usize, constraint: usize) -> bool {
        let known = self.pieces[piece].holds.get(constraint).copied().flatten();
        known.unwrap_or_else(|| {
            let holds = self.implies(&self.pieces[piece].own, &[], constraint);
            let all = &mut self.pieces[piece].holds;
            if all.len() <= constraint {
                all.resize(constraint + 1, None);
            }
            all[constraint] = Some(holds);
            holds
        })
    }

    /// Two pieces that are one, and the constraints of that.
    fn next_pair(&mut self) -> Option<(usize, usize, Vec<usize>)> {
        for a in 0..self.pieces.len() {
            if self.pieces[a].compared {
                continue;
            }
            // A piece that is not compared has only compared ones before it.
            for b in 0..a {
                if let Some(joined) = self.joined(a, b) {
                    return Some((a, b, joined));
                }
            }
            self.pieces[a].compared = true;
        }
        None
    }

    /// The constraints that hold in both pieces, if they describe no more than the two.
    fn joined(&mut self, a: usize, b: usize) -> Option<Vec<usize>> {
        let (in_both, cut_a) = self.parted(a, b);
        let (more, cut_b) = self.parted(b, a);
        let joined: Vec<usize> = in_both.into_iter().chain(more).collect();
        // A point outside of `a` is where one of its constraints fails, and must be in `b`.
        let mut before: Vec<Row> = Vec::new();
        for constraint in &cut_a {
            let row = &self.constraints[*constraint].1;
            for case in row.fails().ok()? {
                let known = before.iter().chain([&case]);
                let rows: Vec<Row> = known.cloned().collect();
                if !cut_b.iter().all(|constraint| self.implies(&joined, &rows, *constraint)) {
                    return None;
                }
            }
            before.push(row.clone());
        }
        Some(joined)
    }

    /// The constraints of a piece that hold in another, and those that do not.
    fn parted(&mut self, piece: usize, other: usize) -> (Vec<usize>, Vec<usize>) {
        let own = self.pieces[piece].own.clone();
        own.into_iter().partition(|constraint| self.holds(other, *constraint))
    }

    /// A piece as a set. Two inequalities that say of one expression that it is zero are an equality again.
    fn set(&self, piece: &Piece, domain: &Domain) -> IntegerSet {
        let mut left = piece.own.clone();
        let mut constraints = Vec::with_capacity(left.len());
        while let Some(index) = left.pop() {
            let (constraint, row) = &self.constraints[index];
            let opposite = row.negated().ok();
            let other = left.iter().position(|other| Some(&self.constraints[*other].1) == opposite.as_ref());
            let Some(other) = other.map(|place| left.remove(place)) else {
                constraints.push(constraint.clone());
                continue;
            };
            // The one of them that begins with a positive coefficient.
            let positive = row.coefficients.iter().find(|value| **value != 0).is_some_and(|first| *first > 0);
            let side = &self.constraints[if positive { index } else { other }].0;
            constraints.push(Constraint { expr: side.expr.clone(), relation: Relation::Zero });
        }
        constraints.sort();
        IntegerSet { num_dims: domain.num_dims(), num_symbols: domain.num_symbols(), constraints }
    }
}
