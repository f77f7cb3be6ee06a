//! A launch of a grid: the values of symbols with what follows from them, and the blocks for which it is run.

use dlc_ir::affine::gcd;

use super::boundaries::Boundaries;
use super::exprs::{Condition, Expr};
use super::facts::Facts;
use super::integers::{Choices, compute};
use super::program::{Instr, Program};

/// As many blocks of a launch as are run.
const MOST_BLOCKS: usize = 512;

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
    pub late: bool,
}

/// What a run is of: the values of symbols, blocks, and how branches on data go.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Scenario {
    /// The values of the symbols.
    pub symbols: Vec<i64>,
    /// The blocks of the grid along the axes.
    pub grid: [i64; 3],
    /// The first block of the cluster.
    pub first: [i64; 3],
    /// The truth values that data have for each model thread, all model threads of a block after another; none left is `true`.
    pub data: Vec<Choices>,
}

/// Sizes of all symbols, and of one with the others small, with which rings turn and blocks have many rounds; with tails.
const MANY: [i64; 4] = [72, 320, 576, LARGEST];

/// The largest of these.
const LARGEST: i64 = 1352;

/// A size of all symbols for rings that go on in few of the rounds.
const FAR: i64 = 4160;

/// The largest size at which something changes that is put together with others that are 0.
const MOST_ALONE: i64 = 1 << 17;

/// The largest size that is looked at for blocks with many rounds of tiles.
const MOST_OF_ROUNDS: i64 = 1 << 24;

/// As many rounds of tiles as sizes are looked for.
const MOST_ROUNDS: i64 = 20;

/// As many tiles as a block of such a launch has, but of a late one.
const MOST_TILES: i64 = 1024;

/// As many blocks of such a launch as are run: all where there are fewer than twice as many.
const MANY_BLOCKS: i64 = 48;

/// The same of late ones.
const FEW_BLOCKS: i64 = 6;

/// Launches, each with a block of it that is run. `None` where these are too many.
pub fn with_blocks(launches: Vec<Launch>, program: &Program, near: &Boundaries) -> Option<Vec<(Launch, [i64; 3])>> {
    let mut all = Vec::with_capacity(launches.len());
    for launch in launches {
        let firsts = launch.firsts(program, near)?;
        all.extend(firsts.into_iter().map(|first| (launch.clone(), first)));
    }
    Some(all)
}

/// The largest size of each symbol in launches.
pub fn largest(program: &Program, launches: &[Launch]) -> Vec<i64> {
    (0..program.symbols.len()).map(|at| launches.iter().map(|launch| launch.symbols[at]).max().unwrap_or(0)).collect()
}

/// Launches with many blocks and rounds, and blocks of them spread over the grid; after them late ones, with larger sizes or
/// more tiles for a block, which are of use where something was not run. `largest` are the largest sizes that were run.
pub fn with_many_blocks(program: &Program, largest: &[i64], facts: &Facts<'_>) -> Vec<(Launch, [i64; 3])> {
    let symbols = program.symbols.len();
    let mut sizes: Vec<Vec<i64>> = Vec::new();
    // As many steps of the largest as rings have a use for.
    let steps = program.code.iter().filter_map(|instr| match instr {
        Instr::Start { bounds, .. } => match bounds[2] {
            Expr::Const(step) => Some(step),
            _ => None,
        },
        _ => None,
    });
    let unit = facts.units().iter().flatten().copied().chain(steps).max().unwrap_or(1);
    let long = unit.saturating_mul(program.most_rounds() + 1).min(MOST_ALONE);
    // Groups that take tiles in turns have as many rounds of their own.
    let groups = program.roles.iter().map(|role| i64::from(role.groups)).max().unwrap_or(1);
    let in_turns = (groups > 1).then(|| groups.saturating_mul(program.most_rounds()));
    for symbol in (0..symbols).filter(|symbol| !program.fixed.iter().any(|(fixed, _)| fixed == symbol)) {
        let alone = |size: i64, others: i64| {
            program.with_fixed((0..symbols).map(|at| if at == symbol { size } else { others }).collect())
        };
        if symbols > 1 {
            let many = [alone(LARGEST, 1), alone(LARGEST, 64), alone(0, LARGEST), alone(1, LARGEST)];
            sizes.extend(many.into_iter().chain([alone(long, 1), alone(1, long)]));
        }
        // Blocks with each number of tiles.
        let rounds = |size: i64| {
            let launch = Launch::new(program, &alone(size, 1))?;
            facts.least_rounds(&facts.known_slots(&launch), launch.grid)
        };
        for wanted in (1..=program.most_rounds().min(MOST_ROUNDS)).chain(in_turns) {
            let (mut below, mut size) = (0, MOST_OF_ROUNDS);
            if rounds(size).is_none_or(|rounds| rounds < wanted) {
                break;
            }
            while size - below > 1 {
                let middle = below + (size - below) / 2;
                match rounds(middle).is_some_and(|rounds| rounds >= wanted) {
                    true => size = middle,
                    false => below = middle,
                }
            }
            sizes.push(alone(size, 1));
        }
        let largest = largest[symbol];
        if (LARGEST + 1..=MOST_ALONE).contains(&largest) {
            sizes.extend([alone(largest, 0), alone(largest, 1)]);
        }
    }
    sizes.extend(MANY.into_iter().chain([long, FAR]).map(|size| program.with_fixed(vec![size; symbols])));
    sizes.dedup();
    let mut launches: Vec<Launch> = sizes.iter().filter_map(|sizes| Launch::new(program, sizes)).collect();
    for launch in &mut launches {
        let tiles = facts.least_rounds(&facts.known_slots(launch), launch.grid);
        launch.late =
            launch.symbols.iter().any(|&size| size > LARGEST) || tiles.is_some_and(|tiles| tiles > MOST_TILES);
    }
    launches.sort_by_key(|launch| launch.late);
    let with_blocks = |launch: Launch| {
        let [x, y, z] = launch.grid;
        let all = x.saturating_mul(y).saturating_mul(z);
        let most = if launch.late { FEW_BLOCKS } else { MANY_BLOCKS };
        let count = if all < 2 * most { all } else { most };
        // The first, the last, and evenly between them: by a step that shares no divisor with the number of blocks, so that
        // they leave all remainders by what divides it.
        let coprime = |&step: &i64| gcd(step.unsigned_abs(), all.unsigned_abs()) == 1;
        let step = match (1..=all / count).rev().find(coprime) {
            // Such a step may be 1 alone, and then only the first blocks would be run: around the grid by the golden ratio.
            Some(1) | None if all > count => (all / 8 * 5 + 1..all).find(coprime).unwrap_or(1),
            step => step.unwrap_or(1),
        };
        let numbers = (0..count).map(|at| if at + 1 == count { all - 1 } else { at.saturating_mul(step) % all });
        let mut firsts: Vec<[i64; 3]> = numbers
            .map(|number| {
                let at = [number % x, number / x % y, number / x / y];
                [0, 1, 2].map(|axis: usize| at[axis] - at[axis] % program.cluster[axis])
            })
            .collect();
        firsts.dedup();
        firsts.into_iter().map(move |first| (launch.clone(), first)).collect::<Vec<_>>()
    };
    launches.into_iter().flat_map(with_blocks).collect()
}

impl Launch {
    /// `None` where the grid has no blocks, or cannot be launched.
    pub fn new(program: &Program, symbols: &[i64]) -> Option<Launch> {
        let mut slots = Vec::new();
        let grid = Launch::compute(program, symbols, &mut slots)?;
        Some(Launch { symbols: symbols.to_vec(), slots, grid, alone: false, whole: false, late: false })
    }

    /// What the launch would compute, and the blocks along the axes, whether it can be launched or not.
    pub fn would_be(program: &Program, symbols: &[i64]) -> (Vec<i64>, [i64; 3]) {
        let mut slots = symbols.to_vec();
        slots.resize(program.slots, 0);
        program.launch.iter().for_each(|instr| compute(instr, &mut slots));
        let grid = [0, 1, 2].map(|axis: usize| program.grid.get(axis).map_or(1, |size| size.eval(&slots)));
        (slots, grid)
    }

    /// How much keeps a grid from being launched.
    pub fn failing(program: &Program, symbols: &[i64]) -> usize {
        let (slots, grid) = Launch::would_be(program, symbols);
        let requires = program.requires.iter().flatten().map(|condition| condition.failing(&slots));
        let has_none = (0..3).filter(|&axis| grid[axis] <= 0 || grid[axis] % program.cluster[axis] != 0);
        requires.sum::<usize>() + has_none.count()
    }

    /// The blocks along the axes, and all slots. `None` where there are no blocks, or it cannot be launched.
    pub fn compute(program: &Program, symbols: &[i64], slots: &mut Vec<i64>) -> Option<[i64; 3]> {
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
