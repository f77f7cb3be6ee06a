//! Ways that a model thread may go together, in one round of a loop or from its beginning, and has gone in no run.
//!
//! Each way by itself may be gone in some run, and two of them together in none: a barrier may be left out only where both are.
//! So of each loop, of each model thread and of all of them together, all combinations of the ways of the branches in it are
//! gone in some round, in some run of the model thread or in some run, or are shown to be impossible. A combination of which
//! a part is impossible is; so of one that no round has gone the least part that none has is asked for.

use super::program::{Instr, Pc, Program};
use super::ways::{OF_RUN, Taken, Ways};

/// As many combinations as are looked at.
const MOST_PATHS: usize = 20_000;

/// As many as are shown to be impossible: that takes some milliseconds each.
const MOST_ASKED: usize = 1000;

/// A way: where it is, and whether it goes on there.
pub type BranchArm = (Pc, bool);

/// Ways that may be gone together, and were not.
pub enum Unseen {
    /// These.
    Ways(Vec<BranchArm>),
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
    following: Vec<BranchArm>,
}

struct Paths<'a> {
    ways: &'a Ways,
    gone: &'a Taken,
    scopes: Vec<Scope>,
    sites: Vec<Site>,
    /// Whether ways are shown to be impossible together.
    never: &'a dyn Fn(&[BranchArm]) -> bool,
    /// Ways that were shown to be impossible together.
    known: Vec<Vec<BranchArm>>,
    left: usize,
    /// As many combinations as may still be shown to be impossible.
    asked: usize,
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
    are_never: &dyn Fn(&[BranchArm]) -> bool,
) -> Result<(), Unseen> {
    let (scopes, sites) = scopes(program, ways);
    let keys: Vec<i64> = scopes.iter().map(|scope| scope.key).collect();
    let (left, asked) = (MOST_PATHS, MOST_ASKED);
    let mut paths = Paths { ways, gone, scopes, sites, never: are_never, known: Vec::new(), left, asked };
    // The innermost first: what is impossible in one round of those is known then.
    for (scope, key) in keys.into_iter().enumerate().rev() {
        paths.all_in(&paths.sites_in(scope), &of_key(sets, key))?;
    }
    paths.all_in(&paths.sites_of_run(), &of_key(sets, OF_RUN))
}

/// The sets of a loop or a model thread.
fn of_key<'a>(sets: &[&'a [i64]], key: i64) -> Vec<&'a [i64]> {
    sets.iter().filter(|set| set.first() == Some(&key)).map(|set| &set[1..]).collect()
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
        let following = ways.forks().iter().filter_map(|&other| Some((other, arm(program, other, pc)?))).collect();
        scopes[of].sites.push(pc);
        sites.push(Site { pc, is_loop: matches!(instr, Instr::Test { .. }), scope: of, following });
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

impl Paths<'_> {
    fn number(&self, (pc, on): BranchArm) -> u32 {
        self.ways.number(pc, on)
    }

    /// A scope and those around it.
    fn chain(&self, scope: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(scope), |&scope| self.scopes[scope].outer)
    }

    /// The role that a scope is in. `None` where it is in none.
    fn role(&self, scope: usize) -> Option<usize> {
        self.chain(scope).find(|&scope| scope != 0 && self.scopes[scope].key < 0)
    }

    /// The branches and loops in a scope, in the order of the program. What the block did before counts for its roles as well.
    fn sites_in(&self, scope: usize) -> Vec<usize> {
        let is_role = self.role(scope) == Some(scope);
        let is_in = |site: &Site| match self.role(site.scope) {
            None if is_role => true,
            Some(_) if scope == 0 => false,
            _ => self.chain(site.scope).any(|around| around == scope),
        };
        (0..self.sites.len()).filter(|&number| is_in(&self.sites[number])).collect()
    }

    /// Those of all model threads of a run, where these are several. Loops in loops have other rounds in each round; that
    /// those of other model threads have as many is asked elsewhere.
    fn sites_of_run(&self) -> Vec<usize> {
        let mut roles: Vec<usize> = self.sites.iter().filter_map(|site| self.role(site.scope)).collect();
        roles.dedup();
        let is_inner_loop = |site: &Site| site.is_loop && self.scopes[site.scope].key >= 0;
        let all = (0..self.sites.len()).filter(|&number| !is_inner_loop(&self.sites[number]));
        if roles.len() > 1 { all.collect() } else { Vec::new() }
    }

    /// All combinations of the ways of some branches, if `sets` are those that were gone together.
    fn all_in(&mut self, sites: &[usize], sets: &[&[i64]]) -> Result<(), Unseen> {
        if sets.is_empty() {
            return Ok(());
        }
        let together = Together::of(sets);
        // From each site on, the sets with all ways that there are.
        let mut whole = vec![vec![u64::MAX; sets.len().div_ceil(64)]];
        for &site in sites.iter().rev() {
            let mut bits = whole[whole.len() - 1].clone();
            for way in self.ways_of(site) {
                together.keep(self.number(way), &mut bits);
            }
            whole.push(bits);
        }
        whole.reverse();
        let all = whole[sites.len()].clone();
        self.go_on(sites, &Seen { together, whole }, 0, &mut Vec::new(), &all)
    }

    /// The ways of a branch or a loop that some run has gone; others are impossible.
    fn ways_of(&self, site: usize) -> impl Iterator<Item = BranchArm> + use<> {
        let pc = self.sites[site].pc;
        let is_gone = [true, false].map(|on| has(self.gone.list(), self.number((pc, on))));
        [true, false].into_iter().zip(is_gone).filter(|&(_, is_gone)| is_gone).map(move |(on, _)| (pc, on))
    }

    /// All combinations from a site on, after ways that were chosen. `sets` are those with these, a bit each.
    fn go_on(
        &mut self,
        sites: &[usize],
        seen: &Seen,
        at: usize,
        chosen: &mut Vec<BranchArm>,
        sets: &[u64],
    ) -> Result<(), Unseen> {
        let Some(&site) = sites.get(at) else { return Ok(()) };
        // One set has all combinations that there may be.
        if sets.iter().zip(&seen.whole[at]).any(|(sets, whole)| sets & whole != 0) {
            return Ok(());
        }
        if !self.is_open(site, chosen) {
            return self.go_on(sites, seen, at + 1, chosen, sets);
        }
        self.left = self.left.checked_sub(1).ok_or(Unseen::TooMany(self.sites[site].pc))?;
        let mut has_way = false;
        for way in self.ways_of(site) {
            has_way = true;
            let mut with = sets.to_vec();
            seen.together.keep(self.number(way), &mut with);
            chosen.push(way);
            if with.iter().any(|&bits| bits != 0) {
                self.go_on(sites, seen, at + 1, chosen, &with)?;
            } else {
                self.are_never(&seen.together, chosen)?;
            }
            chosen.pop();
        }
        if has_way { Ok(()) } else { self.go_on(sites, seen, at + 1, chosen, sets) }
    }

    /// Whether a branch is met where ways were chosen: not on the other arm of one, nor in a loop that has no round.
    fn is_open(&self, site: usize, chosen: &[BranchArm]) -> bool {
        let site = &self.sites[site];
        let is_around = |pc: Pc| self.chain(site.scope).any(|scope| self.scopes[scope].key == i64::from(pc) - 1);
        chosen.iter().all(|&(pc, on)| !site.following.contains(&(pc, !on)) && (on || !is_around(pc)))
    }

    /// Shows that ways are impossible together which are in no set.
    ///
    /// Errors: the least part of them that is in none, where that is not shown.
    fn are_never(&mut self, together: &Together, ways: &[BranchArm]) -> Result<(), Unseen> {
        let is_known = |known: &Vec<BranchArm>| known.iter().all(|way| ways.contains(way));
        if self.known.iter().any(is_known) {
            return Ok(());
        }
        let mut least = ways.to_vec();
        let mut at = 0;
        while at < least.len() {
            let arm = least.remove(at);
            if together.has_all(least.iter().map(|&way| self.number(way))) {
                least.insert(at, arm);
                at += 1;
            }
        }
        // The others may be what makes them impossible.
        for ways in [&least, &ways.to_vec()] {
            self.asked = self.asked.checked_sub(1).ok_or(Unseen::TooMany(ways[ways.len() - 1].0))?;
            if (self.never)(ways) {
                self.known.push(ways.clone());
                return Ok(());
            }
        }
        Err(Unseen::Ways(least))
    }
}

/// What was gone together in one scope.
struct Seen {
    together: Together,
    /// From each site on, the sets that have all ways that there are, a bit each.
    whole: Vec<Vec<u64>>,
}

/// Of each way the sets that have it, a bit each.
struct Together {
    of_ways: Vec<Vec<u64>>,
    /// As many words as the bits of all sets take.
    words: usize,
}

impl Together {
    fn of(sets: &[&[i64]]) -> Together {
        let ways = 64 * sets.iter().map(|set| set.len()).max().unwrap_or(0);
        let words = sets.len().div_ceil(64);
        let mut of_ways = vec![vec![0; words]; ways];
        for (number, set) in sets.iter().enumerate() {
            for (way, of_way) in (0..).zip(&mut of_ways) {
                of_way[number / 64] |= u64::from(has(set, way)) << (number % 64);
            }
        }
        Together { of_ways, words }
    }

    /// Of some sets those that have a way.
    fn keep(&self, way: u32, sets: &mut [u64]) {
        match self.of_ways.get(way as usize) {
            Some(bits) => sets.iter_mut().zip(bits).for_each(|(sets, bits)| *sets &= bits),
            None => sets.fill(0),
        }
    }

    /// Whether one set has all of some ways.
    fn has_all(&self, ways: impl Iterator<Item = u32>) -> bool {
        let mut sets = vec![u64::MAX; self.words];
        ways.for_each(|way| self.keep(way, &mut sets));
        sets.iter().any(|&bits| bits != 0)
    }
}
