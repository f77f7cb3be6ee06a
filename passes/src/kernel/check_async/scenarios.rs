//! For which sizes and blocks a grid is run.
//!
//! What is done depends on symbols only through some integers: trip counts, conditions, stages. So values are tried at
//! which those differ. A symbol that is divided by tiles goes through all numbers of tiles up to twice the deepest ring,
//! and around the multiples of the grid's blocks; symbols go through theirs one by one, with the others at one tile, and
//! with another at many, and all pairs of them through a few. Two sets of values at which all of those integers are equal
//! are tried once (`facts`), and so are two runs in which all agents do the same (`traces`).
//!
//! A loop in loops whose trip counts are numbers walks its ring on from one to the next: it begins at each stage, and goes
//! around many times, whatever its own trip count is. So of trip counts only those are tried around which something
//! changes, unless something else is computed from them.
//!
//! A symbol that several sizes share makes tiles and the steps in each more: there are no many tiles of few steps. So sizes are
//! looked for at which blocks have few tiles and many, and steps of every remainder by twice the ring; they are followed to
//! their end.

use std::collections::BTreeSet;

use super::boundaries::{Boundaries, Boundary};
use super::exprs::{Condition, Expr, Factor, Slot};
use super::facts::Facts;
use super::integers::{Choices, compute};
use super::machine::Scenario;
use super::program::{Instr, Program};
use super::traces::Traces;
use super::words::Words;
use dlc_core::scalar::Binary;

/// As many blocks of a launch as are run.
const MOST_BLOCKS: usize = 512;

/// As many sizes as the thresholds of several symbols may give.
const MOST_BASES: usize = 256;

/// As many sizes as are looked at where the usual ones cannot be launched.
const MOST_TRIED: usize = 20_000;

/// As many rounds of tiles for a block as are tried.
const MOST_ROUNDS: i64 = 4;

/// The greatest size at which many rounds are looked for.
const MOST_SIZE: i64 = 1 << 31;

/// The values of symbols with what the launch computes from them.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The values of the symbols.
    pub symbols: Vec<i64>,
    /// All slots.
    pub slots: Vec<i64>,
    /// The blocks along the axes.
    pub grid: [i64; 3],
    /// Whether the first block is enough: what the others do differently was tried with fewer tiles.
    pub alone: bool,
    /// Whether it is followed to its end, however long its loops go on: something changes at these sizes.
    pub whole: bool,
    /// Whether others come first: a fault is shown at usual sizes where it can be.
    late: bool,
}

impl Launch {
    /// `None` where the grid has no blocks, or cannot be launched.
    pub fn new(program: &Program, symbols: &[i64]) -> Option<Launch> {
        let mut slots = Vec::new();
        let grid = Launch::compute(program, symbols, &mut slots)?;
        Some(Launch { symbols: symbols.to_vec(), slots, grid, alone: false, whole: false, late: false })
    }

    /// What the launch would compute, and the blocks along the axes, whether it can be launched or not.
    fn would_be(program: &Program, symbols: &[i64]) -> (Vec<i64>, [i64; 3]) {
        let mut slots = symbols.to_vec();
        slots.resize(program.slots, 0);
        program.launch.iter().for_each(|instr| compute(instr, &mut slots));
        let grid = [0, 1, 2].map(|axis: usize| program.grid.get(axis).map_or(1, |size| size.eval(&slots)));
        (slots, grid)
    }

    /// How much keeps a grid from being launched.
    fn failing(program: &Program, symbols: &[i64]) -> usize {
        let (slots, grid) = Launch::would_be(program, symbols);
        let requires = program.requires.iter().flatten().map(|condition| condition.failing(&slots));
        let has_none = (0..3).filter(|&axis| grid[axis] <= 0 || grid[axis] % program.cluster[axis] != 0);
        requires.sum::<usize>() + has_none.count()
    }

    /// The blocks along the axes, and all slots. `None` where there are no blocks, or it cannot be launched.
    fn compute(program: &Program, symbols: &[i64], slots: &mut Vec<i64>) -> Option<[i64; 3]> {
        slots.clear();
        slots.extend_from_slice(symbols);
        slots.resize(program.slots, 0);
        let [of_symbols, others] = &program.requires;
        let fail = |conditions: &[Condition], slots: &[i64]| {
            conditions.iter().any(|condition| condition.holds(slots) == Some(false))
        };
        // Many launches are refused by their sizes alone.
        if fail(of_symbols, slots) {
            return None;
        }
        for instr in &program.launch {
            compute(instr, slots);
        }
        if fail(others, slots) {
            return None;
        }
        let mut grid = [1; 3];
        for (axis, size) in program.grid.iter().enumerate().take(3) {
            grid[axis] = size.eval(slots);
        }
        let fits = |axis: usize| grid[axis] > 0 && grid[axis] % program.cluster[axis] == 0;
        (0..3).all(fits).then_some(grid)
    }

    /// The first blocks of the clusters that are run, as far as the number of a block matters: the first, the second, the
    /// last, and those on both sides of whatever is asked of that number. `None` where these are too many.
    pub fn firsts(&self, program: &Program, boundaries: &Boundaries) -> Option<Vec<[i64; 3]>> {
        let last = [0, 1, 2].map(|axis: usize| self.grid[axis] - program.cluster[axis]);
        let second = [0, 1, 2].map(|axis: usize| last[axis].min(program.cluster[axis]));
        let mut firsts = vec![[0, 0, 0]];
        if !program.ids || self.alone {
            return Some(firsts);
        }
        let mut near = boundaries.blocks(&self.symbols, self.grid);
        for (axis, near) in near.iter_mut().enumerate() {
            near.iter_mut().for_each(|at| *at -= *at % program.cluster[axis]);
            near.extend([0, second[axis], last[axis]]);
            near.sort_unstable();
            near.dedup();
        }
        if near.iter().map(Vec::len).product::<usize>() > MOST_BLOCKS {
            return None;
        }
        let others = near.iter().any(|near| near.len() > 3);
        let mut add = |first: [i64; 3]| {
            if !firsts.contains(&first) {
                firsts.push(first);
            }
        };
        [second, last].into_iter().for_each(&mut add);
        for &x in near[0].iter().filter(|_| others) {
            for &y in &near[1] {
                near[2].iter().for_each(|&z| add([x, y, z]));
            }
        }
        Some(firsts)
    }

    /// The run of the cluster that begins at a block.
    pub fn scenario(&self, first: [i64; 3], data: Vec<Choices>) -> Scenario {
        Scenario { symbols: self.symbols.clone(), grid: self.grid, first, data }
    }
}

/// The launches that are tried, small ones first.
///
/// Errors: what they do not cover.
pub fn launches(
    program: &Program,
    boundaries: &Boundaries,
    traces: &mut Traces<'_>,
) -> Result<Vec<Launch>, &'static str> {
    if boundaries.has_long_period() {
        return Err("what is done depends on a remainder by a large number");
    }
    let facts = Facts::of(program);
    let count = program.symbols.len();
    let most = program.most_rounds();
    let blocks = blocks(program);
    let mut units: Vec<Vec<i64>> = facts.units();
    // Small sizes at which it may be launched.
    let tile: Vec<i64> = units.iter().map(|units| units[units.len() - 1]).collect();
    let more = (1..=12).map(|power| tile.iter().map(|tile| tile.saturating_mul(1 << power)).collect());
    let small = [vec![1; count], vec![8; count], vec![16; count], tile.clone()].into_iter().chain(more);
    let fits = |symbols: Vec<i64>| Launch::new(program, &symbols).map(|launch| (symbols, facts.known_slots(&launch)));
    let first = small.filter_map(fits).next();
    let (mut one, mut slots) = match first {
        Some(found) => found,
        None => search(program, boundaries, &units)
            .and_then(fits)
            .ok_or("no sizes were found at which it can be launched")?,
    };
    // What is asked of one of them does not make the others larger: tiles may be of several together.
    for symbol in 0..count {
        if let Some(smaller) = fits(with(&one, &[(symbol, 1)])) {
            (one, slots) = smaller;
        }
    }
    let (one, limits) = (one, facts.limits(&slots, most));
    // How often a block goes through loops that blocks share, and whether no other loop runs for longer than is of use.
    let rounds = |symbols: &[i64]| {
        let (mut slots, grid) = Launch::would_be(program, symbols);
        facts.compute_known(&mut slots);
        facts.least_rounds(&slots, grid).map(|rounds| (rounds, facts.is_short(&slots, &limits)))
    };
    // What changes behind more rounds of the loops that blocks share than are of use is found as a boundary only: the number
    // of tiles grows with a product of sizes.
    for (symbol, units) in units.iter_mut().enumerate() {
        let is_of_use = |unit: i64| rounds(&with(&one, &[(symbol, unit)])).is_none_or(|(rounds, _)| rounds <= most);
        let mut least = units[0];
        while least > 1 && !is_of_use(least) {
            least /= 2;
        }
        units[0] = least;
        units.retain(|&unit| unit == least || is_of_use(unit));
    }
    let rings = Rings::of(program, &facts, &units, &one, &slots);
    let mut tried = Tried::default();
    tried.add(&one, &[], false);
    // Whether the first block goes around no loop more often than is of use.
    let is_of_use = |symbols: &[i64], traces: &mut Traces<'_>| {
        let Some(launch) = Launch::new(program, symbols) else { return false };
        let first = launch.scenario([0; 3], Vec::new());
        facts.is_short(&facts.known_slots(&launch), &limits) && traces.is_short(&first, &launch.slots)
    };
    // One by one, the others at one tile.
    for (symbol, units) in units.iter().enumerate() {
        for value in sweep(units, &rings.sweeps[symbol], blocks, one[symbol]) {
            tried.add(&one, &[(symbol, value)], false);
        }
    }
    // On both sides of whatever changes with one of them, the others at one tile, and at what changes with those.
    let far = |symbol: usize, value: i64| value > units[symbol][units[symbol].len() - 1].saturating_mul(most);
    let mut bases = vec![one.clone()];
    // Rounds of loops at which something changes, behind those that are tried anyway.
    let named_rounds = boundaries.rounds()?.into_iter().filter(|rounds| rounds + program.depth > most);
    let named_rounds: Vec<i64> = named_rounds.collect();
    for (symbol, units) in units.iter().enumerate() {
        for base in bases.clone() {
            let far = |value: i64| far(symbol, value);
            let named = named_rounds.iter().flat_map(|rounds| {
                let behind = rounds.saturating_add(program.depth + 1);
                units.iter().map(move |unit| unit.saturating_mul(behind))
            });
            for value in thresholds(boundaries, symbol, &base, &far)?.into_iter().chain(named) {
                let changed = with(&base, &[(symbol, value)]);
                if Launch::new(program, &changed).is_some() && !bases.contains(&changed) {
                    bases.push(changed);
                }
            }
        }
        if bases.len() > MOST_BASES {
            return Err("what is done depends on sizes in too many ways");
        }
    }
    for base in &bases {
        for (symbol, (units, tiles)) in units.iter().zip(&rings.sweeps).enumerate() {
            // Others than are tried by themselves.
            let is_other = with(base, &[(symbol, one[symbol])]) != one;
            for (value, is_threshold) in near(boundaries, symbol, base, units, tiles, program.depth) {
                let is_far = is_threshold || far(symbol, value);
                tried.add_whole(base, &[(symbol, value)], is_far || is_other, is_far || *base != one);
            }
            // What goes on for long, with rings that go around.
            if is_other {
                let around = units[units.len() - 1].saturating_mul(most);
                tried.add_whole(base, &[(symbol, around)], true, true);
            }
        }
    }
    for rounds in &named_rounds {
        for (symbol, units) in units.iter().enumerate() {
            for unit in units {
                for more in [-1, 0, 1, 2, program.depth, program.depth + 1] {
                    let value = unit.saturating_mul(rounds.saturating_add(more));
                    tried.add_whole(&one, &[(symbol, value)], true, true);
                }
            }
        }
    }
    // As many blocks as are named.
    for block in boundaries.numbered_blocks() {
        for (symbol, units) in units.iter().enumerate() {
            for unit in units {
                for more in [0, 1, 2] {
                    tried.add_whole(&one, &[(symbol, unit.saturating_mul(block.saturating_add(more)))], true, true);
                }
            }
        }
    }
    // As many of all at once, where a block is named by several of its numbers, or together with a round.
    if let Some(block) = boundaries.numbered_blocks().into_iter().max().filter(|_| count > 1) {
        let most = named_rounds.into_iter().fold(block, i64::max).saturating_add(2);
        let many = |units: &Vec<i64>| units[units.len() - 1].saturating_mul(most);
        tried.add_whole(&units.iter().map(many).collect::<Vec<_>>(), &[], true, true);
    }
    // The same with another at many tiles, as many as it has a use for.
    for other in 0..count {
        let many = *units[other].last().unwrap_or(&1);
        let mut tiles = if rings.nests[other] { 3 } else { blocks.saturating_mul(3).saturating_add(1) };
        while tiles > 1 {
            let base = with(&one, &[(other, tiles.saturating_mul(many))]);
            if is_of_use(&base, traces) {
                for (symbol, units) in units.iter().enumerate().filter(|&(symbol, _)| symbol != other) {
                    let unit = units[units.len() - 1];
                    for tiles in &rings.turns[symbol] {
                        tried.add(&base, &[(symbol, unit.saturating_mul(*tiles))], rings.nests[symbol]);
                    }
                }
                break;
            }
            tiles = if tiles > 3 { (tiles / 2 + 1).max(3) } else { 0 };
        }
    }
    // Loops that blocks share, until the rings that are waited for in them have gone around.
    for (symbol, units) in units.iter().enumerate().filter(|_| blocks > 1) {
        let unit = units[units.len() - 1].saturating_mul(blocks);
        let mut before = Vec::new();
        for rounds in MOST_ROUNDS + 1..=most {
            let symbols = with(&one, &[(symbol, unit.saturating_mul(rounds))]);
            if !is_of_use(&symbols, traces) || traces.last() == before {
                break;
            }
            before = traces.last().to_vec();
            tried.add(&symbols, &[], true);
        }
    }
    // All pairs.
    for a in 0..count {
        for b in 0..a {
            for &x in &few(&units[a]) {
                for &y in &few(&units[b]) {
                    tried.add(&one, &[(a, x), (b, y)], false);
                }
            }
        }
    }
    // Where a symbol makes loops that blocks share longer only together with those in them, many rounds come with many steps.
    let is_apart = |(symbols, _, whole, _): (&[i64], _, bool, _)| {
        let found = rounds(symbols).filter(|_| !whole && Launch::failing(program, symbols) == 0);
        found.is_some_and(|(rounds, is_short)| is_short && rounds >= MOST_ROUNDS - 1)
    };
    if blocks > 1 && facts.has_shared() && !tried.all().any(is_apart) {
        let rounds = |symbols: &[i64]| rounds(symbols).map_or(0, |(rounds, _)| rounds);
        for (symbol, units) in units.iter().enumerate() {
            // With so many rounds, trip counts in them of every remainder by twice the ring; with others, of two.
            for (wanted, steps) in (1..MOST_ROUNDS).map(|few| (few, 1)).chain([(MOST_ROUNDS, most), (most, 1)]) {
                let Some(from) = first_with(units, |value| rounds(&with(&one, &[(symbol, value)])) >= wanted) else {
                    continue;
                };
                let trips = |value: i64| {
                    let launch = Launch::new(program, &with(&one, &[(symbol, value)]));
                    launch.map_or_else(Vec::new, |launch| facts.trips(&facts.known_slots(&launch)))
                };
                let then = trips(from);
                // Of each trip count the least step that makes it greater.
                let grows = |(at, then): (usize, &i64)| {
                    let is_more = |unit: &&i64| trips(from.saturating_add(**unit)).get(at) > Some(then);
                    units.iter().find(is_more).copied()
                };
                let steps_of: BTreeSet<i64> = then.iter().enumerate().filter_map(grows).collect();
                for unit in steps_of {
                    for step in 0..=steps {
                        let value = from.saturating_add(unit.saturating_mul(step));
                        tried.add_whole(&one, &[(symbol, value)], true, true);
                    }
                }
            }
        }
    }
    let (mut seen, mut values) = (Words::default(), Vec::new());
    let mut chosen = Vec::new();
    let (mut slots_of, mut known) = (Vec::new(), Vec::new());
    for (symbols, alone, whole, late) in tried.all() {
        let Some(grid) = Launch::compute(program, symbols, &mut slots_of) else { continue };
        known.clone_from(&slots_of);
        facts.compute_known(&mut known);
        if !whole && !facts.is_short(&known, &limits) {
            continue;
        }
        values.clear();
        facts.values(grid, &known, &mut values);
        if let (_, true) = seen.number(&values) {
            chosen.push(Launch { symbols: symbols.to_vec(), slots: slots_of.clone(), grid, alone, whole, late });
        }
    }
    let mut launches = facts.leave_long(chosen, most, MOST_ROUNDS);
    launches.sort_by_key(|launch| launch.late);
    match facts.are_covered(&launches, boundaries) {
        true => Ok(launches),
        false => Err("a condition on sizes is not linear, and no sizes were found at which it changes"),
    }
}

/// Values of symbols that are tried, each once.
#[derive(Default)]
struct Tried {
    values: Words,
    /// Whether the first block is enough for them.
    alone: Vec<bool>,
    /// Whether they are followed to their end.
    whole: Vec<bool>,
    /// Whether others come first.
    late: Vec<bool>,
    next: Vec<i64>,
}

impl Tried {
    /// Adds values, some of them changed. Those that were added before stay as they are.
    fn add(&mut self, base: &[i64], changed: &[(usize, i64)], alone: bool) {
        self.next.clear();
        self.next.extend_from_slice(base);
        for &(symbol, value) in changed {
            self.next[symbol] = value;
        }
        if let (_, true) = self.values.number(&self.next) {
            self.alone.push(alone);
            self.whole.push(false);
            self.late.push(false);
        }
    }

    /// The same for all blocks, and followed to the end if this is asked for: also where they were added before.
    fn add_whole(&mut self, base: &[i64], changed: &[(usize, i64)], whole: bool, late: bool) {
        self.add(base, changed, false);
        let (number, _) = self.values.number(&self.next);
        self.whole[number as usize] |= whole;
        self.late[number as usize] |= late;
        self.alone[number as usize] = false;
    }

    /// All of them, in order.
    fn all(&self) -> impl Iterator<Item = (&[i64], bool, bool, bool)> {
        let flags = self.alone.iter().zip(&self.whole).zip(&self.late);
        (0..).zip(flags).map(|(number, ((&alone, &whole), &late))| (self.values.list(number), alone, whole, late))
    }
}

/// Of each symbol, the numbers of tiles that are tried.
struct Rings {
    /// With one tile of the others.
    sweeps: Vec<Vec<i64>>,
    /// With many of another.
    turns: Vec<Vec<i64>>,
    /// Whether a ring goes on in a loop of loops for each of them.
    nests: Vec<bool>,
}

impl Rings {
    /// `one` are the symbols for one tile of each, `slots` what follows from them.
    fn of(program: &Program, facts: &Facts<'_>, units: &[Vec<i64>], one: &[i64], slots: &[i64]) -> Rings {
        let (most, depth) = (program.most_rounds(), program.depth);
        let mut rings = Rings { sweeps: Vec::new(), turns: Vec::new(), nests: Vec::new() };
        for (symbol, units) in units.iter().enumerate() {
            let unit = units[units.len() - 1];
            let two = Launch::new(program, &with(one, &[(symbol, one[symbol].saturating_add(unit))]));
            let two = two.map_or_else(|| slots.to_vec(), |launch| facts.known_slots(&launch));
            let is_nest = facts.nest(symbol as Slot, slots, &two) > 2;
            // In a loop of loops a ring goes around often enough by itself, and each of them begins elsewhere in it.
            let skips = is_nest && !facts.is_computed_with(symbol as Slot);
            let holds = |tiles: i64| {
                let symbols = with(one, &[(symbol, unit.saturating_mul(tiles))]);
                Launch::new(program, &symbols).map(|launch| facts.conditions(&launch))
            };
            let differs = |tiles: i64| {
                tiles <= 3 || (tiles - depth).abs() <= 1 || tiles == 2 * depth + 1 || holds(tiles) != holds(tiles - 1)
            };
            rings.sweeps.push((1..=most).filter(|&tiles| !skips || differs(tiles)).collect());
            // Around the ends of the ring: what is in between is between in the second round.
            let ends = [0, 1, 2, depth - 1, depth, depth + 1, 2 * depth + 1];
            rings.turns.push(match (is_nest, skips) {
                (_, true) => ends[..3].to_vec(),
                (true, _) => ends[..6].to_vec(),
                _ => ends.to_vec(),
            });
            rings.nests.push(is_nest);
        }
        rings
    }
}

/// The most blocks that the text says the grid has.
fn blocks(program: &Program) -> i64 {
    program.grid.iter().map(|size| most(program, size).unwrap_or(1)).fold(1, i64::saturating_mul)
}

/// What an expression is at most for any symbols. `None` where the text does not say.
fn most(program: &Program, expr: &Expr) -> Option<i64> {
    let slot = |slot: Slot| {
        program.launch.iter().find_map(|instr| match instr {
            Instr::Set(to, expr) if *to == slot => most(program, expr),
            Instr::Binary(to, Binary::Min, both) if *to == slot => {
                both.iter().filter_map(|&slot| most(program, &Expr::Slot(slot))).min()
            }
            Instr::Binary(to, Binary::Mul, both) if *to == slot => both
                .iter()
                .map(|&slot| most(program, &Expr::Slot(slot)))
                .try_fold(1, |all: i64, size| all.checked_mul(size?)),
            _ => None,
        })
    };
    // A part that is taken away, or below 0, says nothing about the most.
    let times = |factor: i64, value: i64| factor.checked_mul(value).filter(|_| factor >= 0 && value >= 0);
    match expr {
        Expr::Const(value) => Some(*value),
        Expr::Slot(at) => slot(*at),
        Expr::Linear(constant, terms) => {
            terms.iter().try_fold(*constant, |sum, &(at, factor)| sum.checked_add(times(factor, slot(at)?)?))
        }
        Expr::Sum(terms) => terms.iter().try_fold(0, |sum: i64, (coefficient, factors)| {
            let product = factors.iter().try_fold(*coefficient, |product, factor| match factor {
                Factor::Slot(at) => times(product, slot(*at)?),
                _ => None,
            });
            sum.checked_add(product?)
        }),
    }
}

/// The values of a symbol at which something changes once, or for the first time but `far` from where it is tried anyway, and
/// those before them.
///
/// Errors: what is not tried.
fn thresholds(
    boundaries: &Boundaries,
    symbol: usize,
    base: &[i64],
    far: &dyn Fn(i64) -> bool,
) -> Result<Vec<i64>, &'static str> {
    let mut values = Vec::new();
    for boundary in boundaries.of_symbol(symbol as Slot, base) {
        match boundary {
            Boundary::At(at) => values.extend([at.saturating_sub(1), at]),
            Boundary::From(at) if far(at) => values.extend([at.saturating_sub(1), at]),
            Boundary::From(_) | Boundary::Each { .. } => {}
            Boundary::Far(what) => return Err(what),
        }
    }
    values.retain(|&at| at >= 0);
    values.sort_unstable();
    values.dedup();
    Ok(values)
}

/// The values of a symbol around which something changes, the others as they are, and whether it changes there once.
/// What changes again and again is tried for some tiles from the start, and around each threshold.
fn near(
    boundaries: &Boundaries,
    symbol: usize,
    base: &[i64],
    units: &[i64],
    tiles: &[i64],
    depth: i64,
) -> Vec<(i64, bool)> {
    let is_far = |at: i64| at > units[units.len() - 1].saturating_mul(2 * depth + 2);
    let once = thresholds(boundaries, symbol, base, &is_far).unwrap_or_default();
    let mut values: Vec<(i64, bool)> = once.iter().map(|&at| (at, true)).collect();
    for boundary in boundaries.of_symbol(symbol as Slot, base) {
        let (unit, rest) = match boundary {
            Boundary::Each { unit, rest } => (unit, rest),
            Boundary::From(at) => {
                values.extend([at.saturating_sub(1), at].map(|at| (at, false)));
                continue;
            }
            Boundary::At(_) | Boundary::Far(_) => continue,
        };
        for &tile in [0].iter().chain(tiles) {
            let at = unit.saturating_mul(tile).saturating_add(rest);
            values.extend([(at.saturating_sub(1), false), (at, false)]);
        }
        for &at in once.iter().chain([&base[symbol]]) {
            let next = at.saturating_add((rest - at).rem_euclid(unit));
            values.extend([next.saturating_sub(1), next].map(|at| (at, true)));
        }
    }
    // A ring goes on from there.
    for &at in &once {
        let unit = units[units.len() - 1];
        let next = at.saturating_sub(at % unit);
        values.extend([-1, 1, 2, depth].map(|more| (next.saturating_add(unit.saturating_mul(more)), true)));
    }
    values.retain(|&(at, _)| at >= 0);
    // Of the same value the one that is followed to the end.
    values.sort_unstable_by_key(|&(at, is_threshold)| (at, !is_threshold));
    values.dedup_by_key(|(at, _)| *at);
    values
}

/// Sizes that can be launched, where none of the usual ones can. `None` where none is found.
fn search(program: &Program, boundaries: &Boundaries, units: &[Vec<i64>]) -> Option<Vec<i64>> {
    let count = program.symbols.len();
    let blocks = program.cluster.iter().copied().max().unwrap_or(1);
    let candidates = |symbol: usize, base: &[i64]| {
        let mut values = vec![0, 1, 8, 16];
        for unit in &units[symbol] {
            values.extend((1..=2 * blocks).map(|tiles| unit.saturating_mul(tiles)));
        }
        let tiles: Vec<i64> = (1..=2 * blocks).collect();
        values.extend(near(boundaries, symbol, base, &units[symbol], &tiles, 1).into_iter().map(|(at, _)| at));
        values.sort_unstable();
        values.dedup();
        values
    };
    let mut base = vec![1; count];
    // What one of them must be may follow from another.
    for _ in 0..=count {
        let lists: Vec<Vec<i64>> = (0..count).map(|symbol| candidates(symbol, &base)).collect();
        for symbol in 0..count {
            let fails = |&value: &i64| Launch::failing(program, &with(&base, &[(symbol, value)]));
            let best = lists[symbol].iter().copied().min_by_key(fails);
            base[symbol] = best.unwrap_or(1);
        }
        if Launch::failing(program, &base) == 0 {
            return Some(base);
        }
    }
    // All of them together, each chosen for those before it.
    let forwards: Vec<usize> = (0..count).collect();
    let backwards: Vec<usize> = (0..count).rev().collect();
    [forwards, backwards].into_iter().find_map(|order| {
        let mut left = MOST_TRIED;
        choose_all(program, &candidates, &order, vec![1; count], &mut left)
    })
}

/// Values for the symbols that are left, from those that may suit what was chosen; `left` is how many may still be tried.
fn choose_all(
    program: &Program,
    candidates: &dyn Fn(usize, &[i64]) -> Vec<i64>,
    order: &[usize],
    base: Vec<i64>,
    left: &mut usize,
) -> Option<Vec<i64>> {
    let Some((&symbol, rest)) = order.split_first() else {
        *left = left.saturating_sub(1);
        return (Launch::failing(program, &base) == 0).then_some(base);
    };
    for value in candidates(symbol, &base) {
        if *left == 0 {
            return None;
        }
        let found = choose_all(program, candidates, rest, with(&base, &[(symbol, value)]), left);
        if found.is_some() {
            return found;
        }
    }
    None
}

/// About the first multiple of a unit at which something holds that holds for all large ones.
fn first_with(units: &[i64], holds: impl Fn(i64) -> bool) -> Option<i64> {
    units.iter().find_map(|unit| {
        let times = |power: u32| unit.checked_mul(1 << power).filter(|&value| value < MOST_SIZE);
        let power = (0..40).find(|&power| times(power).is_some_and(&holds))?;
        let (mut below, mut above) = (if power > 0 { 1 << (power - 1) } else { 0 }, 1 << power);
        while above - below > 1 {
            let middle = below + (above - below) / 2;
            if holds(unit * middle) {
                above = middle;
            } else {
                below = middle;
            }
        }
        Some(unit * above)
    })
}

fn with(base: &[i64], changed: &[(usize, i64)]) -> Vec<i64> {
    let mut symbols = base.to_vec();
    for &(symbol, value) in changed {
        symbols[symbol] = value;
    }
    symbols
}

fn sweep(units: &[i64], tiles: &[i64], blocks: i64, one: i64) -> Vec<i64> {
    let mut values = vec![0, 1, 8, 16];
    for &unit in units {
        // Where no smaller ones can be launched, from there on.
        if one > 16 {
            values.extend(tiles.iter().map(|tiles| unit.saturating_mul(*tiles).saturating_add(one)));
        }
        values.extend(tiles.iter().map(|tiles| unit.saturating_mul(*tiles)));
        values.extend([1, 8, 16].map(|more| unit.saturating_add(more)));
        if blocks > 2 {
            for rounds in 1..=MOST_ROUNDS {
                let near =
                    [-1, 0, 1].map(|more| unit.saturating_mul(rounds.saturating_mul(blocks).saturating_add(more)));
                values.extend(near.into_iter().filter(|&value| value > 0));
            }
        }
    }
    values.sort_unstable();
    values.dedup();
    values
}

fn few(units: &[i64]) -> Vec<i64> {
    let mut values = vec![0, 1, 8];
    for unit in units {
        values.extend([*unit, unit.saturating_add(1), unit.saturating_add(8), unit.saturating_mul(3)]);
    }
    values.sort_unstable();
    values.dedup();
    values
}
