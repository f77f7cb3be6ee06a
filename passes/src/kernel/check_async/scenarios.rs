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

use super::exprs::{Condition, Expr, Factor, Slot};
use super::facts::Facts;
use super::integers::compute;
use super::machine::Scenario;
use super::program::{Instr, Program};
use super::traces::Traces;
use super::words::Words;
use dlc_core::scalar::Binary;

/// As many rounds of tiles for a block as are tried.
const MOST_ROUNDS: i64 = 4;

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
}

impl Launch {
    /// `None` where the grid has no blocks, or cannot be launched.
    pub fn new(program: &Program, symbols: &[i64]) -> Option<Launch> {
        let mut slots = Vec::new();
        let grid = Launch::compute(program, symbols, &mut slots)?;
        Some(Launch { symbols: symbols.to_vec(), slots, grid, alone: false })
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

    /// The clusters that are run: those at the ends, as far as the number of a block matters, each with every way that
    /// branches on data go.
    pub fn scenarios(&self, program: &Program) -> Vec<Scenario> {
        let last: Vec<i64> = (0..3).map(|axis| self.grid[axis] - program.cluster[axis]).collect();
        let second: Vec<i64> = (0..3).map(|axis| last[axis].min(program.cluster[axis])).collect();
        let mut firsts = vec![[0, 0, 0]];
        if program.ids && !self.alone {
            for first in [&second, &last] {
                let first = [first[0], first[1], first[2]];
                if !firsts.contains(&first) {
                    firsts.push(first);
                }
            }
        }
        let ways = if program.data { 0..3 } else { 0..1 };
        let of = |first: [i64; 3]| {
            let scenario = move |data| Scenario { symbols: self.symbols.clone(), grid: self.grid, first, data };
            ways.clone().map(scenario)
        };
        firsts.into_iter().flat_map(of).collect()
    }
}

/// The launches that are tried, small ones first.
pub fn launches(program: &Program, traces: &mut Traces<'_>) -> Vec<Launch> {
    let facts = Facts::of(program);
    let count = program.symbols.len();
    let most = program.most_rounds();
    let blocks = blocks(program);
    let units: Vec<Vec<i64>> = facts.units();
    // Small sizes at which it may be launched.
    let tile: Vec<i64> = units.iter().map(|units| units[units.len() - 1]).collect();
    let more = (1..=12).map(|power| tile.iter().map(|tile| tile.saturating_mul(1 << power)).collect());
    let small = [vec![1; count], vec![8; count], vec![16; count], tile.clone()].into_iter().chain(more);
    let fits = |symbols: Vec<i64>| Launch::new(program, &symbols).map(|launch| (symbols, facts.known_slots(&launch)));
    let (mut one, mut slots) =
        small.filter_map(fits).next().unwrap_or_else(|| (vec![1; count], vec![0; program.slots]));
    // What is asked of one of them does not make the others larger: tiles may be of several together.
    for symbol in 0..count {
        if let Some(smaller) = fits(with(&one, &[(symbol, 1)])) {
            (one, slots) = smaller;
        }
    }
    let (one, limits) = (one, facts.limits(&slots, most));
    let rings = Rings::of(program, &facts, &units, &one, &slots);
    let mut tried = Tried::default();
    tried.add(&one, &[], false);
    // Whether the first block goes around no loop more often than is of use.
    let is_of_use = |symbols: &[i64], traces: &mut Traces<'_>| {
        let Some(launch) = Launch::new(program, symbols) else { return false };
        let first = launch.scenarios(program).into_iter().next();
        facts.is_short(&facts.known_slots(&launch), &limits)
            && first.is_some_and(|first| traces.is_short(&first, &launch.slots))
    };
    // One by one, the others at one tile.
    for (symbol, units) in units.iter().enumerate() {
        for value in sweep(units, &rings.sweeps[symbol], blocks, one[symbol]) {
            tried.add(&one, &[(symbol, value)], false);
        }
    }
    // The same with another at many tiles, as many as it has a use for.
    for other in 0..count {
        let many = *units[other].last().unwrap_or(&1);
        let mut tiles = if rings.nests[other] { 3 } else { 3 * blocks + 1 };
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
    let (mut seen, mut values) = (Words::default(), Vec::new());
    let mut chosen = Vec::new();
    let (mut slots_of, mut known) = (Vec::new(), Vec::new());
    for (symbols, alone) in tried.all() {
        let Some(grid) = Launch::compute(program, symbols, &mut slots_of) else { continue };
        known.clone_from(&slots_of);
        facts.compute_known(&mut known);
        if !facts.is_short(&known, &limits) {
            continue;
        }
        values.clear();
        facts.values(grid, &known, &mut values);
        if let (_, true) = seen.number(&values) {
            chosen.push(Launch { symbols: symbols.to_vec(), slots: slots_of.clone(), grid, alone });
        }
    }
    facts.leave_long(chosen, most, MOST_ROUNDS)
}

/// Values of symbols that are tried, each once.
#[derive(Default)]
struct Tried {
    values: Words,
    /// Whether the first block is enough for them.
    alone: Vec<bool>,
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
        }
    }

    /// All of them, in order.
    fn all(&self) -> impl Iterator<Item = (&[i64], bool)> {
        (0..).zip(&self.alone).map(|(number, alone)| (self.values.list(number), *alone))
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
                let near = [-1, 0, 1].map(|more| unit.saturating_mul(rounds * blocks + more));
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
