//! Ways that a model thread may go together, in one round of a loop or from its beginning, and has gone in no run.
//!
//! Each way by itself may be gone in some run, and two of them together in none: a barrier may be left out only where both are.
//! So all combinations of the ways of branches that stand in one loop, or in none, are gone in some round, or are shown to be
//! impossible; of branches in different loops, outside of loops, and of different model threads, all pairs are, and all
//! that three of them go.

use std::cell::Cell;

use smallvec::SmallVec;

use super::program::{Instr, Pc, Program};
use super::ways::{OF_RUN, Taken, Ways};

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

/// A loop, or a model thread.
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
    is_loop: bool,
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

/// The first ways that may be gone together and are in none of the sets. Each set begins with the number of the loop or
/// model thread.
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
    let of_run: Vec<&[i64]> = sets.iter().filter(|set| set.first() == Some(&OF_RUN)).map(|set| &set[1..]).collect();
    paths.apart(&of_run)
}

fn scopes(program: &Program, ways: &Ways) -> (Vec<Scope>, Vec<Site>) {
    let mut scopes = vec![Scope { key: -1, outer: None, sites: Vec::new() }];
    for role in &program.roles {
        scopes.push(Scope { key: -1 - i64::from(role.start), outer: Some(0), sites: Vec::new() });
    }
    let model_thread = |pc: Pc| {
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
        let of = scope.and_then(|around| of_loops[around]).unwrap_or_else(|| model_thread(pc));
        if let (Instr::Test { .. }, Some(own)) = (instr, around) {
            of_loops[own] = Some(scopes.len());
            scopes.push(Scope { key: i64::from(pc) - 1, outer: Some(of), sites: Vec::new() });
        }
        let behind = ways.forks().iter().filter_map(|&other| Some((other, arm(program, other, pc)?))).collect();
        scopes[of].sites.push(pc);
        sites.push(Site { pc, is_loop: matches!(instr, Instr::Test { .. }), scope: of, behind });
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

    /// Where branches are gone together: in a round of the innermost loop around all, by one model thread, or in one run.
    fn around(&self, sites: &[&Site]) -> Around {
        let role = |site: &Site| self.chain(site.scope).find(|&scope| scope != 0 && self.scopes[scope].key < 0);
        let first = sites.iter().find_map(|site| role(site));
        if sites.iter().any(|site| role(site).is_some_and(|role| Some(role) != first)) {
            return Around::Run;
        }
        // What the block did before is in the sets of its model threads.
        if let Some(role) = first.filter(|_| sites.iter().any(|site| role(site).is_none())) {
            return Around::Scope(role);
        }
        let is_common = |scope: &usize| sites.iter().all(|site| self.chain(site.scope).any(|other| other == *scope));
        Around::Scope(self.chain(sites[0].scope).find(is_common).unwrap_or(0))
    }

    /// All pairs of ways of branches that are not in the same loop, and then all that three such branches go.
    fn apart(&self, of_run: &[&'a [i64]]) -> Result<(), Unseen> {
        let gone =
            Gone { scopes: self.sets.iter().map(|sets| Together::of(sets)).collect(), run: Together::of(of_run) };
        for (number, b) in self.sites.iter().enumerate() {
            for a in &self.sites[..number] {
                if a.scope != b.scope {
                    self.all_ways(&[a, b], &gone)?;
                }
            }
        }
        for (number, c) in self.sites.iter().enumerate() {
            for (number, b) in self.sites[..number].iter().enumerate() {
                for a in &self.sites[..number] {
                    if a.scope != b.scope && b.scope != c.scope && a.scope != c.scope {
                        self.all_ways(&[a, b, c], &gone)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// All that several branches may go together, in the order of the program.
    fn all_ways(&self, sites: &[&Site], gone: &Gone) -> Result<(), Unseen> {
        let around = self.around(sites);
        // Loops in loops have other rounds in each round; that those of other model threads have as many is asked elsewhere.
        let is_inner_loop = |site: &&Site| site.is_loop && self.scopes[site.scope].key >= 0;
        if matches!(around, Around::Run) && sites.iter().any(is_inner_loop) {
            return Ok(());
        }
        let all = gone.of(&around);
        for which in 0..1_u32 << sites.len() {
            let ways: Vec<Way> = (0..).zip(sites).map(|(at, site)| (site.pc, which >> at & 1 == 0)).collect();
            if !ways.iter().all(|&way| self.is_gone(way)) || !self.are_open(sites, &ways) {
                continue;
            }
            let numbers: SmallVec<[u32; 3]> = ways.iter().map(|&way| self.number(way)).collect();
            // Pairs that are gone nowhere were shown to be impossible before.
            let is_pair_gone =
                |a: usize, b: usize| gone.of(&self.around(&[sites[a], sites[b]])).has_all(&[numbers[a], numbers[b]]);
            let are_pairs_gone = || (0..ways.len()).all(|b| (0..b).all(|a| is_pair_gone(a, b)));
            if !all.has_all(&numbers) && (ways.len() == 2 || are_pairs_gone()) && !self.are_never(&ways)? {
                return Err(Unseen::Ways(ways));
            }
        }
        Ok(())
    }

    /// Whether the text has ways to go together: no two arms of a branch, and nothing in a loop that has no round.
    fn are_open(&self, sites: &[&Site], ways: &[Way]) -> bool {
        let is_open = |a: usize, b: usize| {
            let (first, second) = (sites[a], sites[b]);
            let is_around = || self.chain(second.scope).any(|scope| self.scopes[scope].key == i64::from(first.pc) - 1);
            !second.behind.contains(&(ways[a].0, !ways[a].1))
                && !first.behind.iter().any(|&(branch, on)| second.behind.contains(&(branch, !on)))
                && !is_around()
        };
        (0..ways.len()).all(|b| (0..b).all(|a| is_open(a, b)))
    }
}

/// Where branches are gone together.
enum Around {
    /// In a round of a loop, or by a model thread.
    Scope(usize),
    /// By model threads of one run.
    Run,
}

/// The sets of ways that were gone together.
struct Gone {
    scopes: Vec<Together>,
    run: Together,
}

impl Gone {
    fn of(&self, around: &Around) -> &Together {
        match around {
            Around::Scope(scope) => &self.scopes[*scope],
            Around::Run => &self.run,
        }
    }
}

/// Of each way the sets that have it, a bit each.
struct Together(Vec<Vec<u64>>);

impl Together {
    fn of(sets: &[&[i64]]) -> Together {
        let ways = 64 * sets.iter().map(|set| set.len()).max().unwrap_or(0);
        let mut all = vec![vec![0; sets.len().div_ceil(64)]; ways];
        for (number, set) in sets.iter().enumerate() {
            for (way, of_way) in (0..).zip(&mut all) {
                of_way[number / 64] |= u64::from(has(set, way)) << (number % 64);
            }
        }
        Together(all)
    }

    /// Whether one set has all of some ways.
    fn has_all(&self, ways: &[u32]) -> bool {
        let of_ways: Option<SmallVec<[&Vec<u64>; 3]>> = ways.iter().map(|&way| self.0.get(way as usize)).collect();
        let Some(of_ways) = of_ways else { return false };
        let words = of_ways.first().map_or(0, |bits| bits.len());
        (0..words).any(|at| of_ways.iter().fold(u64::MAX, |both, bits| both & bits[at]) != 0)
    }
}
