//! The sizes for which a grid is run.
//!
//! What is done depends on symbols only through some integers: trip counts, conditions, stages. So values are tried at
//! which those differ. A symbol that is divided by tiles goes through all numbers of tiles up to twice the deepest ring,
//! and around the multiples of the grid's blocks; symbols go through theirs one by one, with the others at one tile, and
//! with another at many, and all pairs of them through a few. Two sets of values at which all of those integers are equal
//! are tried once (`facts`), and so are two runs in which all model threads do the same (`traces`).
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
use super::exprs::{Expr, Factor, Slot};
use super::facts::Facts;
use super::program::{Instr, Program};
use super::scenarios::Launch;
use super::traces::Traces;
use super::words::Words;
use dlc_core::scalar::Binary;

/// As many sizes as the thresholds of several symbols may give.
const MOST_BASES: usize = 256;

/// As many sizes as are looked at where the usual ones cannot be launched.
const MOST_TRIED: usize = 20_000;

/// As many rounds of tiles for a block as are tried.
const MOST_ROUNDS: i64 = 4;

/// The greatest size at which many rounds are looked for.
const MOST_SIZE: i64 = 1 << 31;

/// What sizes are chosen by.
struct Sizes<'a, 'p> {
    program: &'p Program,
    boundaries: &'a Boundaries,
    facts: Facts<'p>,
    /// One tile of each symbol, and of each the steps in which it is tried, the greatest last.
    one: Vec<i64>,
    units: Vec<Vec<i64>>,
    /// What is computed from sizes, where more of it is of no use.
    limits: Vec<i64>,
    rings: Rings,
    /// The most rounds that are of use, and the most blocks that the text says the grid has.
    most: i64,
    blocks: i64,
    /// Rounds of loops at which something changes, after those that are tried anyway.
    named_rounds: Vec<i64>,
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
    let sizes = Sizes::of(program, boundaries)?;
    let mut tried = Tried::default();
    tried.add(&sizes.one, &[], false);
    sizes.one_by_one(&mut tried);
    let bases = sizes.bases()?;
    sizes.around(&bases, &mut tried);
    sizes.named(&mut tried);
    sizes.with_many(&mut tried, traces);
    sizes.shared_loops(&mut tried, traces);
    sizes.pairs(&mut tried);
    sizes.together(&mut tried);
    sizes.chosen(&tried)
}

impl<'a, 'p> Sizes<'a, 'p> {
    fn of(program: &'p Program, boundaries: &'a Boundaries) -> Result<Sizes<'a, 'p>, &'static str> {
        let facts = Facts::of(program);
        let count = program.symbols.len();
        let most = program.most_rounds();
        let blocks = blocks(program);
        let mut units: Vec<Vec<i64>> = facts.units();
        // Small sizes at which it may be launched.
        let tile: Vec<i64> = units.iter().map(|units| units[units.len() - 1]).collect();
        let more = (1..=12).map(|power| tile.iter().map(|tile| tile.saturating_mul(1 << power)).collect());
        let small = [vec![1; count], vec![8; count], vec![16; count], tile.clone()].into_iter().chain(more);
        let small = small.map(|symbols| program.with_fixed(symbols));
        let fits =
            |symbols: Vec<i64>| Launch::new(program, &symbols).map(|launch| (symbols, facts.known_slots(&launch)));
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
        // What changes after more rounds of the loops that blocks share than are of use is found as a boundary only: the number
        // of tiles grows with a product of sizes.
        for (symbol, units) in units.iter_mut().enumerate() {
            let is_of_use = |unit: i64| {
                let (mut slots, grid) = Launch::would_be(program, &with(&one, &[(symbol, unit)]));
                facts.compute_known(&mut slots);
                facts.least_rounds(&slots, grid).is_none_or(|rounds| rounds <= most)
            };
            let mut least = units[0];
            while least > 1 && !is_of_use(least) {
                least /= 2;
            }
            units[0] = least;
            units.retain(|&unit| unit == least || is_of_use(unit));
        }
        let rings = Rings::of(program, &facts, &units, &one, &slots);
        let named_rounds = boundaries.rounds()?.into_iter().filter(|rounds| rounds + program.depth > most).collect();
        Ok(Sizes { program, boundaries, facts, one, units, limits, rings, most, blocks, named_rounds })
    }

    /// How often a block goes through loops that blocks share, and whether no other loop runs for longer than is of use.
    fn rounds(&self, symbols: &[i64]) -> Option<(i64, bool)> {
        let (mut slots, grid) = Launch::would_be(self.program, symbols);
        self.facts.compute_known(&mut slots);
        self.facts.least_rounds(&slots, grid).map(|rounds| (rounds, self.facts.is_short(&slots, &self.limits)))
    }

    /// Whether the first block goes around no loop more often than is of use.
    fn is_of_use(&self, symbols: &[i64], traces: &mut Traces<'_>) -> bool {
        let Some(launch) = Launch::new(self.program, symbols) else { return false };
        let first = launch.scenario([0; 3], Vec::new());
        self.facts.is_short(&self.facts.known_slots(&launch), &self.limits) && traces.is_short(&first, &launch.slots)
    }

    /// Whether a value is beyond those that are tried anyway.
    fn is_far(&self, symbol: usize, value: i64) -> bool {
        value > self.units[symbol][self.units[symbol].len() - 1].saturating_mul(self.most)
    }

    /// Symbols go through their values, the others at one tile.
    fn one_by_one(&self, tried: &mut Tried) {
        for (symbol, units) in self.units.iter().enumerate() {
            for value in sweep(units, &self.rings.sweeps[symbol], self.blocks, self.one[symbol]) {
                tried.add(&self.one, &[(symbol, value)], false);
            }
        }
    }

    /// Where something changes with one symbol, the others at one tile, and at what changes with those.
    fn bases(&self) -> Result<Vec<Vec<i64>>, &'static str> {
        let mut bases = vec![self.one.clone()];
        for (symbol, units) in self.units.iter().enumerate() {
            for base in bases.clone() {
                let far = |value: i64| self.is_far(symbol, value);
                let named = self.named_rounds.iter().flat_map(|rounds| {
                    let following = rounds.saturating_add(self.program.depth + 1);
                    units.iter().map(move |unit| unit.saturating_mul(following))
                });
                for value in thresholds(self.boundaries, symbol, &base, &far)?.into_iter().chain(named) {
                    let changed = with(&base, &[(symbol, value)]);
                    if Launch::new(self.program, &changed).is_some() && !bases.contains(&changed) {
                        bases.push(changed);
                    }
                }
            }
            if bases.len() > MOST_BASES {
                return Err("what is done depends on sizes in too many ways");
            }
        }
        Ok(bases)
    }

    /// On both sides of what changes.
    fn around(&self, bases: &[Vec<i64>], tried: &mut Tried) {
        for base in bases {
            for (symbol, (units, tiles)) in self.units.iter().zip(&self.rings.sweeps).enumerate() {
                // Others than are tried by themselves.
                let is_other = with(base, &[(symbol, self.one[symbol])]) != self.one;
                for (value, is_threshold) in near(self.boundaries, symbol, base, units, tiles, self.program.depth) {
                    let is_far = is_threshold || self.is_far(symbol, value);
                    tried.add_whole(base, &[(symbol, value)], is_far || is_other, is_far || *base != self.one);
                }
                // What goes on for long, with rings that go around.
                if is_other {
                    let around = units[units.len() - 1].saturating_mul(self.most);
                    tried.add_whole(base, &[(symbol, around)], true, true);
                }
            }
        }
    }

    /// Rounds and blocks that are named.
    fn named(&self, tried: &mut Tried) {
        for rounds in &self.named_rounds {
            for (symbol, units) in self.units.iter().enumerate() {
                for unit in units {
                    for more in [-1, 0, 1, 2, self.program.depth, self.program.depth + 1] {
                        let value = unit.saturating_mul(rounds.saturating_add(more));
                        tried.add_whole(&self.one, &[(symbol, value)], true, true);
                    }
                }
            }
        }
        // As many blocks as are named.
        for block in self.boundaries.numbered_blocks() {
            for (symbol, units) in self.units.iter().enumerate() {
                for unit in units {
                    for more in [0, 1, 2] {
                        tried.add_whole(
                            &self.one,
                            &[(symbol, unit.saturating_mul(block.saturating_add(more)))],
                            true,
                            true,
                        );
                    }
                }
            }
        }
        // As many of all at once, where a block is named by several of its numbers, or together with a round.
        if let Some(block) = self.boundaries.numbered_blocks().into_iter().max().filter(|_| self.one.len() > 1) {
            let most = self.named_rounds.iter().copied().fold(block, i64::max).saturating_add(2);
            let many = |units: &Vec<i64>| units[units.len() - 1].saturating_mul(most);
            tried.add_whole(&self.units.iter().map(many).collect::<Vec<_>>(), &[], true, true);
        }
    }

    /// One symbol at many tiles, as many as it has a use for, each other one around the ends of its rings.
    fn with_many(&self, tried: &mut Tried, traces: &mut Traces<'_>) {
        for other in 0..self.one.len() {
            let many = *self.units[other].last().unwrap_or(&1);
            let mut tiles = if self.rings.nests[other] { 3 } else { self.blocks.saturating_mul(3).saturating_add(1) };
            while tiles > 1 {
                let base = with(&self.one, &[(other, tiles.saturating_mul(many))]);
                if self.is_of_use(&base, traces) {
                    for (symbol, units) in self.units.iter().enumerate().filter(|&(symbol, _)| symbol != other) {
                        let unit = units[units.len() - 1];
                        for tiles in &self.rings.turns[symbol] {
                            tried.add(&base, &[(symbol, unit.saturating_mul(*tiles))], self.rings.nests[symbol]);
                        }
                    }
                    break;
                }
                tiles = if tiles > 3 { (tiles / 2 + 1).max(3) } else { 0 };
            }
        }
    }

    /// Loops that blocks share, until the rings that are waited for in them have gone around.
    fn shared_loops(&self, tried: &mut Tried, traces: &mut Traces<'_>) {
        for (symbol, units) in self.units.iter().enumerate().filter(|_| self.blocks > 1) {
            let unit = units[units.len() - 1].saturating_mul(self.blocks);
            let mut before = Vec::new();
            for rounds in MOST_ROUNDS + 1..=self.most {
                let symbols = with(&self.one, &[(symbol, unit.saturating_mul(rounds))]);
                if !self.is_of_use(&symbols, traces) || traces.last() == before {
                    break;
                }
                before = traces.last().to_vec();
                tried.add(&symbols, &[], true);
            }
        }
    }

    /// All pairs of symbols.
    fn pairs(&self, tried: &mut Tried) {
        for a in 0..self.one.len() {
            for b in 0..a {
                for &x in &few(&self.units[a]) {
                    for &y in &few(&self.units[b]) {
                        tried.add(&self.one, &[(a, x), (b, y)], false);
                    }
                }
            }
        }
    }

    /// Where a symbol makes loops that blocks share longer only together with those in them, many rounds with many steps.
    fn together(&self, tried: &mut Tried) {
        let is_apart = |(symbols, _, whole, _): (&[i64], _, bool, _)| {
            let found = self.rounds(symbols).filter(|_| !whole && Launch::failing(self.program, symbols) == 0);
            found.is_some_and(|(rounds, is_short)| is_short && rounds >= MOST_ROUNDS - 1)
        };
        if self.blocks > 1 && self.facts.has_shared() && !tried.all().any(is_apart) {
            let rounds = |symbols: &[i64]| self.rounds(symbols).map_or(0, |(rounds, _)| rounds);
            for (symbol, units) in self.units.iter().enumerate() {
                // With so many rounds, trip counts in them of every remainder by twice the ring; with others, of two.
                for (wanted, steps) in
                    (1..MOST_ROUNDS).map(|few| (few, 1)).chain([(MOST_ROUNDS, self.most), (self.most, 1)])
                {
                    let Some(from) = first_with(units, |value| rounds(&with(&self.one, &[(symbol, value)])) >= wanted)
                    else {
                        continue;
                    };
                    let trips = |value: i64| {
                        let launch = Launch::new(self.program, &with(&self.one, &[(symbol, value)]));
                        launch.map_or_else(Vec::new, |launch| self.facts.trips(&self.facts.known_slots(&launch)))
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
                            tried.add_whole(&self.one, &[(symbol, value)], true, true);
                        }
                    }
                }
            }
        }
    }

    /// Of all that are tried, one for each cell.
    fn chosen(&self, tried: &Tried) -> Result<Vec<Launch>, &'static str> {
        let (mut seen, mut values) = (Words::default(), Vec::new());
        let mut chosen = Vec::new();
        let (mut slots_of, mut known) = (Vec::new(), Vec::new());
        for (symbols, alone, whole, late) in tried.all() {
            let Some(grid) = Launch::compute(self.program, symbols, &mut slots_of) else { continue };
            known.clone_from(&slots_of);
            self.facts.compute_known(&mut known);
            if !whole && !self.facts.is_short(&known, &self.limits) {
                continue;
            }
            values.clear();
            self.facts.values(grid, &known, &mut values);
            if let (_, true) = seen.number(&values) {
                chosen.push(Launch { symbols: symbols.to_vec(), slots: slots_of.clone(), grid, alone, whole, late });
            }
        }
        let mut launches = self.facts.leave_long(chosen, self.most, MOST_ROUNDS);
        launches.sort_by_key(|launch| launch.late);
        match self.facts.are_covered(&launches, self.boundaries) {
            true => Ok(launches),
            false => Err("a condition on sizes is not linear, and no sizes were found at which it changes"),
        }
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
