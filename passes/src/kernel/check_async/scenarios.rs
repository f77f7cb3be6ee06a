//! For which sizes and blocks a grid is run.
//!
//! What is done depends on symbols only through some integers: trip counts, conditions, stages. So values are tried at
//! which those differ. A symbol that is divided by tiles goes through all numbers of tiles up to twice the deepest ring,
//! and around the multiples of the grid's blocks; symbols go through theirs one by one, with the others at one tile, and
//! with another at many, and all pairs of them through a few. Two sets of values at which all of those integers are equal
//! are tried once.

use rustc_hash::FxHashSet;

use super::exprs::{Expr, Factor, Slot, UNKNOWN};
use super::machine::{Scenario, binary};
use super::program::{Instr, Program};
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
}

impl Launch {
    /// `None` where the grid has no blocks, or cannot be launched.
    pub fn new(program: &Program, symbols: &[i64]) -> Option<Launch> {
        let mut slots = vec![0; program.slots];
        slots[..symbols.len()].copy_from_slice(symbols);
        for instr in &program.launch {
            match instr {
                Instr::Set(slot, expr) => slots[*slot as usize] = expr.eval(&slots),
                Instr::Binary(slot, function, [a, b]) => {
                    let value = binary(*function, slots[*a as usize], slots[*b as usize]);
                    slots[*slot as usize] = value.unwrap_or(UNKNOWN);
                }
                _ => {}
            }
        }
        if program.requires.iter().any(|condition| condition.holds(&slots) == Some(false)) {
            return None;
        }
        let mut grid = [1; 3];
        for (axis, size) in program.grid.iter().enumerate().take(3) {
            grid[axis] = size.eval(&slots);
        }
        let fits = |axis: usize| grid[axis] > 0 && grid[axis] % program.cluster[axis] == 0;
        (0..3).all(fits).then(|| Launch { symbols: symbols.to_vec(), slots, grid })
    }

    /// The clusters that are run: those at the ends, as far as the number of a block matters, each with every way that
    /// branches on data go.
    pub fn scenarios(&self, program: &Program) -> Vec<Scenario> {
        let last: Vec<i64> = (0..3).map(|axis| self.grid[axis] - program.cluster[axis]).collect();
        let second: Vec<i64> = (0..3).map(|axis| last[axis].min(program.cluster[axis])).collect();
        let mut firsts = vec![[0, 0, 0]];
        if program.ids {
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

/// Whatever of the program depends on symbols alone.
struct Facts<'p> {
    program: &'p Program,
    /// Whether a slot is known at the launch.
    known: Vec<bool>,
    exprs: Vec<&'p Expr>,
    slots: Vec<Slot>,
    /// Trip counts: the first integer, the one behind the last, the step.
    trips: Vec<&'p [Expr; 3]>,
    /// The integers behind the last of loops that blocks share, each with a part of its own.
    shared: Vec<&'p Expr>,
    /// Trip counts that a loop has at most: its end is the smaller of one that symbols decide and another.
    capped: Vec<[Expr; 3]>,
}

impl<'p> Facts<'p> {
    fn of(program: &'p Program) -> Facts<'p> {
        let mut known = vec![false; program.slots];
        known[..program.symbols.len()].fill(true);
        for instr in &program.launch {
            if let Instr::Set(slot, _) | Instr::Binary(slot, ..) = instr {
                known[*slot as usize] = true;
            }
        }
        let mut facts = Facts {
            program,
            known,
            exprs: Vec::new(),
            slots: Vec::new(),
            trips: Vec::new(),
            shared: Vec::new(),
            capped: Vec::new(),
        };
        for instr in &program.code {
            for expr in exprs_of(instr) {
                facts.add(expr);
            }
            if let Instr::Start { bounds, .. } = instr {
                if bounds.iter().all(|bound| facts.is_known(bound)) {
                    facts.trips.push(bounds);
                } else if facts.is_known(&bounds[1]) {
                    facts.shared.push(&bounds[1]);
                } else if let Some(end) = facts.cap(&bounds[1]).filter(|_| facts.is_known(&bounds[0])) {
                    facts.capped.push([bounds[0].clone(), end, bounds[2].clone()]);
                }
            }
        }
        facts.slots.sort_unstable();
        facts.slots.dedup();
        facts
    }

    /// What symbols decide that an integer is not above: one of two of which it is the smaller.
    fn cap(&self, expr: &Expr) -> Option<Expr> {
        let Expr::Slot(end) = expr else { return None };
        let both = self.program.code.iter().find_map(|instr| match instr {
            Instr::Binary(slot, Binary::Min, both) if slot == end => Some(both),
            _ => None,
        })?;
        both.iter().find_map(|&slot| {
            let set = self.program.code.iter().find_map(|instr| match instr {
                Instr::Set(to, expr) if *to == slot => Some(expr.clone()),
                _ => None,
            });
            Some(set.unwrap_or(Expr::Slot(slot))).filter(|expr| self.is_known(expr))
        })
    }

    fn is_known(&self, expr: &Expr) -> bool {
        let mut slots = Vec::new();
        expr.slots(&mut slots);
        slots.into_iter().all(|slot| self.known[slot as usize])
    }

    /// The expression, or the parts of it that symbols decide.
    fn add(&mut self, expr: &'p Expr) {
        if self.is_known(expr) {
            if !matches!(expr, Expr::Const(_)) {
                self.exprs.push(expr);
            }
            return;
        }
        match expr {
            Expr::Linear(_, terms) => {
                self.slots.extend(terms.iter().map(|&(slot, _)| slot).filter(|&slot| self.known[slot as usize]));
            }
            Expr::Sum(terms) => {
                for factor in terms.iter().flat_map(|(_, factors)| factors) {
                    match factor {
                        Factor::Slot(slot) if self.known[*slot as usize] => self.slots.push(*slot),
                        Factor::Slot(_) => {}
                        Factor::Quotient(parts) => parts.iter().for_each(|part| self.add(part)),
                    }
                }
            }
            _ => {}
        }
    }

    /// The numbers that decide everything.
    fn values(&self, launch: &Launch) -> Vec<i64> {
        let exprs = self.exprs.iter().map(|expr| expr.eval(&launch.slots));
        let slots = self.slots.iter().map(|&slot| launch.slots[slot as usize]);
        // The last block has another number in another grid.
        let grid = if self.program.ids || self.program.sizes { &launch.grid[..] } else { &[] };
        exprs.chain(slots).chain(grid.iter().copied()).collect()
    }

    /// Whether no loop whose trip count depends on symbols runs for longer than is of use.
    fn is_short(&self, launch: &Launch, most: i64) -> bool {
        self.rounds(launch).all(|rounds| rounds <= most)
            && self.trips.iter().all(|bounds| runs_at_most(bounds, launch, most))
    }

    /// How often a block goes through each of the loops that blocks share.
    fn rounds(&self, launch: &Launch) -> impl Iterator<Item = i64> {
        let blocks = launch.grid.iter().fold(1, |all: i64, size| all.saturating_mul(*size)).max(1);
        self.shared.iter().map(move |last| last.eval(&launch.slots) / blocks)
    }

    /// Leaves out launches in which a loop inside of rounds may run for longer than is of use, where others have as many
    /// rounds: both together are of no use.
    fn leave_long(&self, launches: Vec<Launch>, most: i64) -> Vec<Launch> {
        let is_short = |launch: &Launch| self.capped.iter().all(|bounds| runs_at_most(bounds, launch, most));
        let rounds = |launch: &Launch| self.rounds(launch).min().unwrap_or(0);
        let all = launches.iter().map(rounds).max().unwrap_or(0);
        let left = launches.iter().filter(|launch| is_short(launch)).map(rounds).max().unwrap_or(0);
        match self.capped.is_empty() || self.shared.is_empty() || left < all.min(MOST_ROUNDS) {
            true => launches,
            false => launches.into_iter().filter(is_short).collect(),
        }
    }

    /// The sizes of a symbol at which something changes, least first.
    fn units(&self, symbol: Slot) -> Vec<i64> {
        let mut divisors = Vec::new();
        let everything = self.program.launch.iter().chain(&self.program.code);
        for instr in everything {
            for expr in exprs_of(instr) {
                expr.divisors(&mut divisors);
            }
            if let Instr::Start { bounds, .. } = instr {
                let mut slots = Vec::new();
                bounds[1].slots(&mut slots);
                if let Expr::Const(step) = bounds[2] {
                    divisors.extend(slots.into_iter().map(|slot| (slot, 1, step)));
                }
            }
        }
        for size in &self.program.grid {
            size.divisors(&mut divisors);
        }
        let of = |&(slot, factor, divisor): &(Slot, i64, i64)| {
            let unit = divisor / gcd(divisor, factor).max(1);
            (slot == symbol && unit > 0).then_some(unit)
        };
        let mut units: Vec<i64> = divisors.iter().filter_map(of).collect();
        units.sort_unstable();
        units.dedup();
        if units.is_empty() {
            units.push(1);
        }
        units
    }
}

/// Whether a loop runs so often at most; one whose bounds are numbers does not depend on symbols.
fn runs_at_most(bounds: &[Expr; 3], launch: &Launch, most: i64) -> bool {
    let [first, last, step] = [0, 1, 2].map(|part: usize| bounds[part].eval(&launch.slots));
    let constant = bounds.iter().all(|bound| matches!(bound, Expr::Const(_)));
    constant || step <= 0 || last.saturating_sub(first) / step <= most
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

fn exprs_of(instr: &Instr) -> Vec<&Expr> {
    match instr {
        Instr::Set(_, expr) => vec![expr],
        Instr::Order { sizes, .. } => sizes.iter().collect(),
        Instr::Start { bounds, .. } => bounds.iter().collect(),
        Instr::Branch(condition, _) => condition.exprs().collect(),
        Instr::Slice { at, .. } => at.iter().collect(),
        _ => Vec::new(),
    }
}

/// The launches that are tried, small ones first.
pub fn launches(program: &Program) -> Vec<Launch> {
    let facts = Facts::of(program);
    let count = program.symbols.len();
    let most = 2 * program.depth.min(12) + 2;
    let blocks: i64 = program.grid.iter().map(|size| if let Expr::Const(size) = size { *size } else { 1 }).product();
    let units: Vec<Vec<i64>> = (0..count).map(|symbol| facts.units(symbol as Slot)).collect();
    // Small sizes at which it may be launched.
    let tile: Vec<i64> = units.iter().map(|units| units[units.len() - 1]).collect();
    let small = [vec![1; count], vec![8; count], vec![16; count], tile];
    let fits = |symbols: &&Vec<i64>| Launch::new(program, symbols).is_some();
    let one: Vec<i64> = small.iter().find(fits).unwrap_or(&small[0]).clone();
    let mut tried: Vec<Vec<i64>> = vec![one.clone()];
    // One by one, the others at one tile.
    let sweeps: Vec<Vec<i64>> = units.iter().map(|units| sweep(units, most, blocks)).collect();
    for (symbol, sweep) in sweeps.iter().enumerate() {
        tried.extend(sweep.iter().map(|&value| with(&one, &[(symbol, value)])));
    }
    // The same with another at many tiles, those that it has a use for.
    for other in 0..count {
        let many = *units[other].last().unwrap_or(&1);
        for tiles in [3 * blocks + 1, 3] {
            let base = with(&one, &[(other, tiles.saturating_mul(many))]);
            let of_use = Launch::new(program, &base).is_some_and(|launch| facts.is_short(&launch, most));
            if of_use {
                for (symbol, units) in units.iter().enumerate().filter(|&(symbol, _)| symbol != other) {
                    tried.extend(turns(units, program.depth).map(|value| with(&base, &[(symbol, value)])));
                }
                break;
            }
        }
    }
    // All pairs.
    for a in 0..count {
        for b in 0..a {
            for &x in &few(&units[a]) {
                tried.extend(few(&units[b]).into_iter().map(|y| with(&one, &[(a, x), (b, y)])));
            }
        }
    }
    let mut seen = FxHashSet::default();
    let mut chosen = Vec::new();
    for symbols in tried {
        let Some(launch) = Launch::new(program, &symbols) else { continue };
        if facts.is_short(&launch, most) && seen.insert(facts.values(&launch)) {
            chosen.push(launch);
        }
    }
    facts.leave_long(chosen, most)
}

fn with(base: &[i64], changed: &[(usize, i64)]) -> Vec<i64> {
    let mut symbols = base.to_vec();
    for &(symbol, value) in changed {
        symbols[symbol] = value;
    }
    symbols
}

fn sweep(units: &[i64], most: i64, blocks: i64) -> Vec<i64> {
    let mut values = vec![0, 1, 8, 16];
    for unit in units {
        values.extend((1..=most).map(|tiles| unit.saturating_mul(tiles)));
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

/// Around the ends of the ring: what is in between is between in the second round.
fn turns(units: &[i64], depth: i64) -> impl Iterator<Item = i64> {
    let unit = units[units.len() - 1];
    [0, 1, 2, depth - 1, depth, depth + 1, 2 * depth + 1].map(|tiles| unit.saturating_mul(tiles)).into_iter()
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
