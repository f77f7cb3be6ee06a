//! Ways that an agent may go together, in one round of a loop or from its beginning, and has gone in no run.
//!
//! Each way by itself may be gone in some run, and two of them together in none: a barrier may be left out only where both are.
//! So all combinations of the ways of branches that stand in one loop, or in none, are gone in some round, or are shown to be
//! impossible; and of branches in loops and outside of these all pairs.

use std::cell::Cell;

use super::program::{Instr, Pc, Program};
use super::ways::{Taken, Ways};

/// As many combinations as are looked at.
const MOST_PATHS: usize = 20_000;

/// As many as are shown to be impossible: that takes some milliseconds each.
const MOST_ASKED: usize = 1000;

/// A way: where it is, and whether it goes on there.
pub type Way = (Pc, bool);

/// Ways that may be gone together, and were not.
pub enum Unseen {
    /// These.
    Ways(Vec<Way>),
    /// There are too many to look at.
    TooMany(Pc),
}

/// A loop, or an agent.
struct Scope {
    /// What its sets begin with.
    key: i64,
    outer: Option<usize>,
    /// The branches and loops in it, but for those in loops in it.
    sites: Vec<Pc>,
}

/// A branch or a loop.
struct Site {
    pc: Pc,
    scope: usize,
    /// The ways that lead to it.
    behind: Vec<Way>,
}

struct Paths<'a> {
    ways: &'a Ways,
    gone: &'a Taken,
    sets: Vec<Vec<&'a [i64]>>,
    scopes: Vec<Scope>,
    sites: Vec<Site>,
    /// Whether ways are shown to be impossible together.
    never: &'a dyn Fn(&[Way]) -> bool,
    left: usize,
    /// As many combinations as may still be shown to be impossible.
    asked: Cell<usize>,
}

/// The first ways that may be gone together and are in none of the sets. Each set begins with the number of the loop or agent.
///
/// Errors: those ways.
pub fn check(
    program: &Program,
    ways: &Ways,
    gone: &Taken,
    sets: &[&[i64]],
    are_never: &dyn Fn(&[Way]) -> bool,
) -> Result<(), Unseen> {
    let (scopes, sites) = scopes(program, ways);
    let mut of_scopes = vec![Vec::new(); scopes.len()];
    for (scope, of_scope) in scopes.iter().zip(&mut of_scopes) {
        *of_scope = sets.iter().filter(|set| set.first() == Some(&scope.key)).map(|set| &set[1..]).collect();
    }
    let mut paths = Paths {
        ways,
        gone,
        sets: of_scopes,
        scopes,
        sites,
        never: are_never,
        left: MOST_PATHS,
        asked: Cell::new(MOST_ASKED),
    };
    for scope in 0..paths.scopes.len() {
        let sets = paths.sets[scope].clone();
        paths.together(scope, 0, &mut Vec::new(), &sets)?;
    }
    paths.pairs()
}

fn scopes(program: &Program, ways: &Ways) -> (Vec<Scope>, Vec<Site>) {
    let mut scopes = vec![Scope { key: -1, outer: None, sites: Vec::new() }];
    for role in &program.roles {
        scopes.push(Scope { key: -1 - i64::from(role.start), outer: Some(0), sites: Vec::new() });
    }
    let agent = |pc: Pc| {
        let begun = program.roles.iter().enumerate().filter(|(_, role)| role.start <= pc);
        begun.max_by_key(|(_, role)| role.start).map_or(0, |(number, _)| number + 1)
    };
    let mut of_loops: Vec<Option<usize>> = vec![None; program.loops.len()];
    let mut sites: Vec<Site> = Vec::new();
    for &pc in ways.forks() {
        let (.., around) = program.at[pc as usize];
        let instr = &program.code[pc as usize];
        let mut scope = around;
        if let (Instr::Test { .. }, Some(own)) = (instr, around) {
            scope = program.loops[own].outer;
        }
        let of = scope.and_then(|around| of_loops[around]).unwrap_or_else(|| agent(pc));
        if let (Instr::Test { .. }, Some(own)) = (instr, around) {
            of_loops[own] = Some(scopes.len());
            scopes.push(Scope { key: i64::from(pc) - 1, outer: Some(of), sites: Vec::new() });
        }
        let behind = ways.forks().iter().filter_map(|&other| Some((other, arm(program, other, pc)?))).collect();
        scopes[of].sites.push(pc);
        sites.push(Site { pc, scope: of, behind });
    }
    (scopes, sites)
}

/// On which way of a branch an instruction is, if it is in that.
fn arm(program: &Program, branch: Pc, pc: Pc) -> Option<bool> {
    let (Instr::Branch(_, to) | Instr::BranchOn(_, to)) = program.code[branch as usize] else { return None };
    let Instr::Jump(end) = program.code[to as usize - 1] else { return None };
    match pc {
        _ if branch < pc && pc < to => Some(true),
        _ if to <= pc && pc < end => Some(false),
        _ => None,
    }
}

fn has(set: &[i64], way: u32) -> bool {
    set.get(way as usize / 64).is_some_and(|bits| bits >> (way % 64) & 1 == 1)
}

impl<'a> Paths<'a> {
    fn number(&self, (pc, on): Way) -> u32 {
        self.ways.number(pc, on)
    }

    fn is_gone(&self, way: Way) -> bool {
        has(self.gone.list(), self.number(way))
    }

    /// All combinations of the ways of the branches in a scope, from one of them on, behind some that were chosen; `sets`
    /// are those in which these were gone.
    fn together(&mut self, scope: usize, at: usize, chosen: &mut Vec<Way>, sets: &[&'a [i64]]) -> Result<(), Unseen> {
        // What the block did before roles began counts as well.
        let before = if (1..).zip(self.scopes[scope].outer).any(|(_, outer)| outer == 0 && self.scopes[scope].key < 0) {
            self.scopes[0].sites.len()
        } else {
            0
        };
        let site = match at.checked_sub(before) {
            Some(at) => self.scopes[scope].sites.get(at),
            None => self.scopes[0].sites.get(at),
        };
        let Some(&pc) = site else { return Ok(()) };
        self.left = self.left.checked_sub(1).ok_or(Unseen::TooMany(pc))?;
        let site = self.sites.iter().find(|site| site.pc == pc);
        let is_behind = |&(branch, on): &Way| !chosen.contains(&(branch, !on));
        if !site.is_none_or(|site| site.behind.iter().all(is_behind)) {
            return self.together(scope, at + 1, chosen, sets);
        }
        for way in [(pc, true), (pc, false)] {
            if !self.is_gone(way) {
                continue;
            }
            let number = self.number(way);
            let with: Vec<&[i64]> = sets.iter().copied().filter(|set| has(set, number)).collect();
            chosen.push(way);
            if !with.is_empty() {
                self.together(scope, at + 1, chosen, &with)?;
            } else if !self.are_never(chosen)? {
                return Err(Unseen::Ways(chosen.clone()));
            }
            chosen.pop();
        }
        Ok(())
    }

    /// Whether ways are shown to be impossible together.
    fn are_never(&self, ways: &[Way]) -> Result<bool, Unseen> {
        let left = self.asked.get().checked_sub(1).ok_or(Unseen::TooMany(ways[ways.len() - 1].0))?;
        self.asked.set(left);
        Ok((self.never)(ways))
    }

    fn chain(&self, scope: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(scope), |&scope| self.scopes[scope].outer)
    }

    /// All pairs of ways of branches that are not in the same loop.
    fn pairs(&self) -> Result<(), Unseen> {
        for (number, b) in self.sites.iter().enumerate() {
            for a in &self.sites[..number] {
                let Some(both) = self.chain(a.scope).find(|&scope| self.chain(b.scope).any(|other| other == scope))
                else {
                    continue;
                };
                if a.scope == b.scope {
                    continue;
                }
                // Different agents are held against each other by the machine; what the block did before is in their sets.
                let role = |scope: usize| self.chain(scope).find(|&scope| scope != 0 && self.scopes[scope].key < 0);
                let sets = match (role(a.scope), role(b.scope)) {
                    (None, Some(role)) => &self.sets[role],
                    (None, None) => &self.sets[both],
                    (Some(a), Some(b)) if a == b => &self.sets[both],
                    _ => continue,
                };
                self.pair(a, b, sets)?;
            }
        }
        Ok(())
    }

    fn pair(&self, a: &Site, b: &Site, sets: &[&'a [i64]]) -> Result<(), Unseen> {
        for first in [(a.pc, true), (a.pc, false)] {
            for second in [(b.pc, true), (b.pc, false)] {
                if !self.is_gone(first) || !self.is_gone(second) || b.behind.contains(&(first.0, !first.1)) {
                    continue;
                }
                // In other arms of a branch.
                if a.behind.iter().any(|&(branch, on)| b.behind.contains(&(branch, !on))) {
                    continue;
                }
                // In a loop that has no round.
                let is_around = self.chain(b.scope).any(|scope| self.scopes[scope].key == i64::from(first.0) - 1);
                if is_around {
                    continue;
                }
                let [x, y] = [self.number(first), self.number(second)];
                if !sets.iter().any(|set| has(set, x) && has(set, y)) && !self.are_never(&[first, second])? {
                    return Err(Unseen::Ways(vec![first, second]));
                }
            }
        }
        Ok(())
    }
}
