//! Verifies that what a kernel does asynchronously is safe, or shows how it goes wrong. What is not covered is an error.
//!
//! **Requires**: kernel.
//! **Ensures**: the same program. In every block, whatever the order of its warps, copies and matrix products: what is
//! read is there, nothing is overwritten that is still read, barriers are met by those and as often as they say, nobody
//! deadlocks, and nothing is on its way when a block ends.
//!
//! **Before**
//! ```mlir before
//! kernel.func @sum<N>(%X: memref<[N], f32>) -> memref<[N], f32> {
//!   %Y = output : memref<[N], f32>
//!   grid (N ceildiv 256) threads 128 {
//!     %s = shared : tile<[256], f32, row_major>
//!     %b = block_id 0
//!     copy %X[256 * %b + i0] where (256 * %b + i0 < N) else 0.0 to %s by blocked [1] lanes [32] warps [4]
//!     barrier
//!     %x = load_shared %s : frag<[256], f32, blocked [2] lanes [32] warps [4]>
//!     store %x to %Y[256 * %b + i0] where (256 * %b + i0 < N)
//!   }
//!   return %Y
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @sum<N>(%X: memref<[N], f32>) -> memref<[N], f32> {
//!   %Y = output : memref<[N], f32>
//!   grid (N ceildiv 256) threads 128 {
//!     %s = shared : tile<[256], f32, row_major>
//!     %b = block_id 0
//!     copy %X[256 * %b + i0] where (256 * %b + i0 < N) else 0.0 to %s by blocked [1] lanes [32] warps [4]
//!     barrier
//!     %x = load_shared %s : frag<[256], f32, blocked [2] lanes [32] warps [4]>
//!     store %x to %Y[256 * %b + i0] where (256 * %b + i0 < N)
//!   }
//!   return %Y
//! }
//! ```
//!
//! **Does not** look at numbers or whether positions in global memory are in bounds; nor at registers, bank conflicts and
//! resources. It changes nothing.
//!
//! *Algorithm.* (0) `blocks`: what blocks do to each other in global memory, from the text. (1) `compile`: the grid without its data is a small program over integers. (2) `sizes`: those
//! at which trip counts, conditions and stages differ, up to beyond twice the deepest ring, on both sides of whatever a
//! condition, a quotient or the end of a loop changes at (`boundaries`), and the blocks at the ends of the grid and at what
//! is asked of their number; runs in which all warps do the same are made once (`traces`), and those that begin alike
//! together (`together`).
//! (3) `machine`: for each, the warps of a cluster run in one order, while vector clocks say what each is known to know
//! (`clocks`; Fidge and Mattern 1988; Flanagan and Freund, FastTrack, 2009). Each wait, arrival, read and write is held
//! against what is known, not against what happened, so that one order stands for all: which threads pass a barrier
//! never depends on the order, so another order has the same events. What goes on in circles is left out (`steady`; states are kept
//! as Brent 1980 does). (4) `report`: the first fault as a trace. (5) Stores of different blocks to the same element (`blocks::writes`). Conditions on data take every truth value
//! in turn, the same condition the same one, and both ways of a branch on them must synchronize alike. Linear in what the
//! warps do, times the number of barriers.

mod blocks;
mod boundaries;
mod cells;
mod clocks;
mod compile;
mod ends;
mod event_streams;
pub mod exprs;
mod facts;
mod integers;
mod kind;
mod kinds;
mod loops;
mod machine;
mod members;
mod memory;
mod orbits;
mod order;
mod parts;
mod paths;
mod program;
mod quotients;
mod report;
mod rows;
mod scenarios;
mod shapes;
mod sizes;
mod steady;
mod sync;
mod together;
mod traces;
mod uses;
mod values;
mod walk;
mod ways;
mod words;

use std::fmt::{self, Display, Formatter};
use std::rc::Rc;

use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::{Diagnostic, RemarkKind};
use dlc_ir::pass::{Analysis, OptionValues, Pass, PassCx, PassDef, PassFailed, PassResult, StatDef};
use dlc_ir::{Context, OpId};
use dlc_kernel::ops::{For, Func, Grid, GridWait, If};

use members::Run;
use traces::RunClass;

dlc_ir::codes! {
    /// Shared memory, a barrier or what a grid before this one writes is used before it is there.
    READ_TOO_EARLY = "E1801" "ReadTooEarly";
    /// Memory is written while somebody may still read or write it.
    OVERWRITTEN = "E1802" "Overwritten";
    /// A wait may pass in another phase of its barrier than the one that it waits for, or at another barrier in its place.
    PHASE_MISMATCH = "E1803" "PhaseMismatch";
    /// More or fewer arrive at an mbarrier in one phase than it counts.
    ARRIVAL_MISMATCH = "E1804" "ArrivalMismatch";
    /// More or fewer bytes come in one phase of an mbarrier than are expected.
    BYTE_MISMATCH = "E1805" "ByteMismatch";
    /// Threads deadlock.
    DEADLOCK = "E1806" "Deadlock";
    /// TMA or a matrix product may not see what threads wrote.
    MISSING_FENCE = "E1807" "MissingFence";
    /// Work is awaited by other threads than those that began it.
    FOREIGN_TOKEN = "E1808" "ForeignToken";
    /// A block or a warp ends while something of it is still used or on its way.
    ENDS_TOO_EARLY = "E1809" "EndsTooEarly";
    /// Registers are read that a matrix product may still write.
    NOT_AWAITED = "E1810" "NotAwaited";
    /// Warps of one thread group, or lanes of one warp, touch the same bytes with no barrier between.
    NO_BARRIER = "E1811" "NoBarrier";
    /// Warps do not agree on a numbered barrier, or come to one for which nothing waits.
    BARRIER_MISMATCH = "E1812" "BarrierMismatch";
    /// What warps wait for depends on data.
    DIVERGENT_SYNCHRONIZATION = "E1813" "DivergentSynchronization";
    /// What a kernel does cannot be followed, or not for all sizes, blocks and data.
    NOT_CHECKED = "E1814" "NotChecked";
    /// A block reads or writes memory that another block writes, and nothing orders the two.
    UNORDERED_BLOCKS = "E1815" "UnorderedBlocks";
    /// Flags are used that another grid of the same launch has used before.
    STALE_FLAG = "E1816" "StaleFlag";
}

/// As many ways that data go in a run as are tried.
const MOST_WAYS: u32 = 4096;

/// As many instructions as are followed for all sizes and blocks together.
const MOST_FOLLOWED: u64 = 10_000_000;

/// The same for sizes with many blocks and rounds.
const MOST_SEARCHED: u64 = 200_000;

/// As many numbers as one may be of which it is the smaller or the greater.
const MOST_FORMS: usize = 8;

/// What helps where not everything is covered.
const SUGGEST_COVER: &str = "decide by fewer conditions, or by sizes and positions that are linear";

static DEF: PassDef = PassDef {
    requires: &["kernel"],
    statistics: &[
        StatDef { name: "grids", doc: "Grids that were verified." },
        StatDef { name: "sizes", doc: "Sets of sizes that they were verified for, one for each cell." },
        StatDef { name: "blocks", doc: "Blocks of the grids of those sizes; of a cluster the first one counts." },
        StatDef { name: "runs", doc: "Runs of a cluster, each for other sizes or another place in the grid." },
        StatDef { name: "steps", doc: "Instructions of the abstract machine." },
    ],
    ..PassDef::base(
        "check-async",
        "Verifies that kernels have no race in shared memory and no deadlock, for the cells of sizes and rounds it reports.",
        create,
    )
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(CheckAsync))
}

struct CheckAsync;

impl Pass for CheckAsync {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let proofs = proofs(body, cx)?;
        for (grid, proof) in proofs {
            cx.count("grids", 1);
            cx.count("sizes", proof.sizes);
            cx.count("blocks", proof.blocks);
            cx.count("runs", proof.runs);
            cx.count("steps", proof.steps);
            cx.remark(RemarkKind::Analysis, body.loc(grid), proof.to_string());
        }
        Ok(())
    }
}

/// What is proved of each grid of a kernel, or what is wrong with it. It holds as long as the kernel is not changed.
struct Safety(Vec<(OpId, Result<Proof, Box<Diagnostic>>)>);

impl Analysis for Safety {
    const NAME: &'static str = "async-safety";

    fn of(ctx: &Context, body: &Body) -> Self {
        Safety(grids(ctx, body).into_iter().map(|grid| (grid, check_async(ctx, body, grid))).collect())
    }
}

/// The proofs that the grids of a kernel are safe, in order. Not made again while the kernel is as it was when they
/// were asked for before.
///
/// Errors: what is wrong with each grid that is not safe is emitted.
pub(crate) fn proofs(body: &Body, cx: &PassCx<'_>) -> Result<Vec<(OpId, Proof)>, PassFailed> {
    proofs_or_faults(body, cx).map_err(|faults| {
        faults.into_iter().for_each(|fault| cx.diags.emit(fault));
        PassFailed
    })
}

/// The same, with what is wrong instead of emitting it.
pub(crate) fn proofs_or_faults(body: &Body, cx: &PassCx<'_>) -> Result<Vec<(OpId, Proof)>, Vec<Diagnostic>> {
    let safety = cx.analysis::<Safety>(body);
    let outcomes = &safety.get().0;
    let faults: Vec<Diagnostic> =
        outcomes.iter().filter_map(|(_, outcome)| outcome.as_ref().err()).map(|fault| (**fault).clone()).collect();
    let proved = outcomes.iter().filter_map(|(grid, outcome)| Some((*grid, *outcome.as_ref().ok()?)));
    if faults.is_empty() { Ok(proved.collect()) } else { Err(faults) }
}

/// The grids of a kernel, in order. None of another body.
pub fn grids(ctx: &Context, body: &Body) -> Vec<OpId> {
    let block = body.entry_block().filter(|_| OpRef::new(ctx, body, body.root()).is(Func::DEF));
    let is_grid = |&op: &OpId| OpRef::new(ctx, body, op).is(Grid::DEF);
    block.into_iter().flat_map(|block| body.ops(block)).filter(is_grid).collect()
}

/// What a proof covers, and what it took. Nothing in it depends on the machine that the checker runs on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Proof {
    /// Sets of sizes, each another cell of what the kernel decides by sizes.
    pub sizes: u64,
    /// Blocks of the grids of those sizes; of a cluster the first one counts.
    pub blocks: u64,
    /// The most combinations of truth values of data in one block.
    pub choices: u64,
    /// The stages of the deepest ring.
    pub ring: u64,
    /// The rounds of a loop after which it only repeats what it did.
    pub rounds: u64,
    /// Runs of a cluster: sizes, blocks and choices in which all warps do the same share one.
    pub runs: u64,
    /// Instructions of the abstract machine.
    pub steps: u64,
    /// Stores to global memory that write no element which another block writes.
    pub disjoint: u64,
    /// Stores of which that is not shown.
    pub open: u64,
}

impl Proof {
    /// What is known of a program before runs of it are made.
    fn before(program: &program::Program) -> Proof {
        let (ring, rounds) = (program.depth.unsigned_abs(), program.most_rounds().unsigned_abs());
        Proof { ring, rounds, ..Proof::default() }
    }
}

impl Display for Proof {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let number = |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        write!(
            f,
            "verified: {} of sizes with {}, rings of up to {}, loops of up to {}, {} of data; {} of {}; \
             {} of {} global stores disjoint between blocks",
            number(self.sizes, "cell"),
            number(self.blocks, "block"),
            number(self.ring, "stage"),
            number(self.rounds, "round"),
            number(self.choices, "choice"),
            number(self.runs, "run"),
            number(self.steps, "step"),
            self.disjoint,
            self.disjoint + self.open,
        )
    }
}

/// Proves that a grid of a kernel is safe.
///
/// Errors: the first thing that is not, with a trace.
pub fn check_async(ctx: &Context, body: &Body, grid: OpId) -> Result<Proof, Box<Diagnostic>> {
    let function = OpRef::new(ctx, body, body.root());
    let grid = OpRef { id: grid, ..function };
    rows::check_rows(Grid::from(grid))?;
    let blocks_of_grid = blocks::check_blocks(Grid::from(grid))?;
    let (program, flow) = compile::compile(Func::from(function), Grid::from(grid))?;
    let mut shapes = shapes::Shapes::default();
    let mut machine = machine::Machine::new(&program, &mut shapes);
    let mut traces = traces::Traces::new(&program);
    let mut proof = Proof::before(&program);
    let mut runs: Vec<Run> = Vec::new();
    let mut long: Vec<(program::Pc, scenarios::Launch, scenarios::Scenario)> = Vec::new();
    let mut prove = |runs: &mut Vec<Run>, event_streams: &event_streams::EventStreams| {
        prove_all(&mut machine, (function, &program), runs, event_streams, &mut proof).map_err(|fault| fault.of(grid))
    };
    let boundaries = boundaries::Boundaries::of(&program);
    let uncovered = |what: &str| not_all_run(grid, what);
    if program.is_never_launched() {
        return Ok(proof);
    }
    let launches = sizes::launches(&program, &boundaries, &mut traces).map_err(uncovered)?;
    let (mut sizes, mut blocks, mut choices) = (launches.len() as u64, 0, 0);
    let (few, largest) = (fewest(&program, &launches), scenarios::largest(&program, &launches));
    let all_run = AllRun { function, grid: Grid::from(grid), program: &program };
    // What is refused is looked at for a fault that is near.
    let most_followed = if all_run.numbers(&flow).is_ok() { MOST_FOLLOWED } else { MOST_FOLLOWED / 10 };
    let too_many = || uncovered("what is done depends on the number of the block in too many ways");
    let mut queue = scenarios::with_blocks(launches, &program, &boundaries).ok_or_else(too_many)?;
    let mut last: Option<Vec<i64>> = None;
    // Then sizes with many blocks and rounds, as far as that does not take too long.
    for is_search in [false, true] {
        let (mut most_searched, mut is_near) = (traces.steps() + MOST_SEARCHED, true);
        for (launch, first) in queue.drain(..) {
            if is_search && (traces.steps() > most_searched || is_near && launch.late) {
                is_near &= !launch.late;
                if all_run.check(&blocks_of_grid, &flow, &traces).is_ok() {
                    break;
                }
                most_searched = most_searched.max(traces.steps()).saturating_mul(2);
            }
            blocks += 1;
            let before = last.replace(launch.symbols.clone());
            sizes += u64::from(is_search && before.as_ref() != Some(&launch.symbols));
            let mut ways = Ways::default();
            loop {
                let scenario = launch.scenario(first, ways.data.clone());
                let met = meet(&mut traces, &scenario, &launch, is_search || launch.whole || program.data);
                match met {
                    RunClass::Unknown if is_search => {}
                    met @ (RunClass::New | RunClass::Unknown) => {
                        let behaviour = if met == RunClass::New { traces.behaviour() } else { None };
                        let is_known = behaviour.is_some();
                        runs.push(Run { launch: launch.clone(), scenario, behaviour });
                        if !is_known {
                            prove(&mut runs, traces.event_streams())?;
                        }
                    }
                    RunClass::Before => {}
                    RunClass::Long(start) if long.iter().any(|&(known, ..)| known == start) => {}
                    RunClass::Long(start) => long.push((start, launch.clone(), scenario)),
                }
                if traces.steps() > most_followed {
                    all_run.numbers(&flow)?;
                    return Err(uncovered("too many sizes and rounds would have to be followed"));
                }
                let goes_on = ways.go_on(traces.choices());
                choices = choices.max(ways.count.into());
                if !goes_on {
                    break;
                }
                if ways.count > MOST_WAYS {
                    return Err(uncovered("what is done depends on data in too many ways"));
                }
            }
        }
        // Where all that go around a loop go on for long, one of them does.
        for (start, launch, scenario) in std::mem::take(&mut long) {
            if traces.has_met(start) {
                continue;
            }
            let behaviour = if traces.follow_long(&scenario, &launch.slots) { traces.behaviour() } else { None };
            let is_known = behaviour.is_some();
            runs.push(Run { launch, scenario, behaviour });
            if !is_known {
                prove(&mut runs, traces.event_streams())?;
            }
        }
        prove(&mut runs, traces.event_streams())?;
        if is_search || traces.ways().0.forks().is_empty() {
            break;
        }
        queue = scenarios::with_many_blocks(&program, &largest, &facts::Facts::of(&program));
    }
    if proof.runs == 0 {
        return Err(uncovered("no run was made"));
    }
    all_run.check(&blocks_of_grid, &flow, &traces)?;
    let (disjoint, open) = all_run.stores(&blocks_of_grid.writes(&few)?)?;
    Ok(Proof { sizes, blocks, choices, disjoint, open, ..proof })
}

/// Whether everything that a grid may do was run: what was not, and may happen, is not verified.
struct AllRun<'a> {
    function: OpRef<'a>,
    grid: Grid<'a>,
    program: &'a program::Program,
}

impl<'a> AllRun<'a> {
    /// Errors: what was not run, or is decided by numbers that greater sizes may change.
    fn check(
        &self,
        blocks: &blocks::Blocks<'a>,
        flow: &values::Flow,
        traces: &traces::Traces<'_>,
    ) -> Result<(), Box<Diagnostic>> {
        self.waits_always()?;
        self.numbers(flow)?;
        let op_at = |pc: program::Pc| OpRef { id: self.program.at[pc as usize].0, ..self.function };
        let (ways, taken, sets) = traces.ways();
        let times = |(pc, on): paths::BranchArm| ways.many(pc).unwrap_or(i64::from(on));
        let all_of = |ways: &[paths::BranchArm]| ways.iter().map(|&way| (op_at(way.0), times(way))).collect::<Vec<_>>();
        let between = Rc::new(kinds::between(self.grid, self.program.most_rounds()));
        let are_never = |ways: &[paths::BranchArm]| blocks.are_never(&all_of(ways), &between);
        if let Some(way) = ways.others(taken).find(|&way| !are_never(&[way])) {
            return Err(blocks::never_run((op_at(way.0), times(way))));
        }
        paths::check(self.program, ways, taken, &sets, &are_never).map_err(|unseen| match unseen {
            paths::Unseen::Ways(ways) => blocks::never_together(&all_of(&ways)),
            paths::Unseen::TooMany(pc) => {
                let message = "not verified: what is done depends on too many conditions together";
                let op = op_at(pc);
                Box::new(Diagnostic::error(&NOT_CHECKED, op.loc(), message).at(op.name()).suggest(SUGGEST_COVER))
            }
        })
    }

    /// Errors: something is decided by numbers of which runs do not show all.
    fn numbers(&self, flow: &values::Flow) -> Result<(), Box<Diagnostic>> {
        let undecided = kinds::undecided(self.grid, flow, self.program.most_rounds());
        undecided.first().map_or(Ok(()), |(op, reason)| Err(kinds::not_covered(*op, reason)))
    }

    /// A grid that waits for those before it does so whatever the sizes: who waits for it waits for those as well.
    ///
    /// Errors: it waits on some ways only.
    fn waits_always(&self) -> Result<(), Box<Diagnostic>> {
        let grid = *self.grid;
        let mut all = Vec::new();
        grid.body.walk_regions(grid.id, &mut all);
        let waits = || all.iter().map(|&id| OpRef { id, ..grid }).filter(|op| op.is(GridWait::DEF));
        let is_always = |op: OpRef<'_>| {
            let around = std::iter::successors(op.body.parent_op(op.id), |&id| op.body.parent_op(id));
            let mut around = around.take_while(|&id| id != grid.id).map(|id| OpRef { id, ..grid });
            !around.any(|op| op.is(For::DEF) || op.is(If::DEF))
        };
        let Some(first) = waits().next().filter(|_| !waits().any(is_always)) else { return Ok(()) };
        let message =
            "not verified: the grid waits for those before it on some ways only, and who waits for it relies on that";
        let suggestion = "put a 'grid_wait' before all loops and conditions";
        Err(Box::new(Diagnostic::error(&NOT_CHECKED, first.loc(), message).at(first.name()).suggest(suggestion)))
    }

    /// How many stores are shown to be disjoint, and of how many that is not.
    ///
    /// Errors: one of the latter is folded onto few elements.
    fn stores(&self, writes: &blocks::Writes) -> Result<(u64, u64), Box<Diagnostic>> {
        let mut kinds = kinds::Kinds::new(self.grid, self.program.most_rounds(), true);
        let mut open = writes.open.iter().map(|&id| OpRef { id, ..self.function });
        let reason = "two blocks may store to the same element, as the store is at a quotient, a remainder, the smaller or \
                      the greater of something that is computed from the number of the block";
        match open.find(|&op| kinds.is_folded(op)) {
            Some(op) => Err(kinds::not_covered(op, reason)),
            None => Ok((writes.disjoint, writes.open.len() as u64)),
        }
    }
}

/// Meets a run, also where it goes on for long if all of it is wanted.
fn meet(
    traces: &mut traces::Traces<'_>,
    scenario: &scenarios::Scenario,
    launch: &scenarios::Launch,
    is_whole: bool,
) -> RunClass {
    match traces.meet(scenario, &launch.slots) {
        RunClass::Long(_) if is_whole => traces.meet_whole(scenario, &launch.slots),
        met => met,
    }
}

/// The diagnostic of a grid that is not verified, and why.
fn not_all_run(grid: OpRef<'_>, what: &str) -> Box<Diagnostic> {
    let message = format!("not verified: {what}");
    Box::new(Diagnostic::error(&NOT_CHECKED, grid.loc(), message).at(grid.name()).suggest(SUGGEST_COVER))
}

/// Why runs are not proved.
enum Unproved {
    /// One goes wrong: a report.
    Wrong(Box<Diagnostic>),
    /// All together are more work than is done.
    TooLong,
}

impl Unproved {
    /// What is said of it at a grid.
    fn of(self, grid: OpRef<'_>) -> Box<Diagnostic> {
        match self {
            Unproved::Wrong(report) => report,
            Unproved::TooLong => not_all_run(grid, "all that it may do takes too long to follow"),
        }
    }
}

/// Makes runs, counts them, and leaves none.
///
/// Errors: the first that goes wrong.
fn prove_all(
    machine: &mut machine::Machine<'_>,
    (function, program): (OpRef<'_>, &program::Program),
    runs: &mut Vec<Run>,
    event_streams: &event_streams::EventStreams,
    proof: &mut Proof,
) -> Result<(), Unproved> {
    let wrong = |(run, fault): (&Run, machine::Stop)| match fault.is_too_long {
        true => Unproved::TooLong,
        false => Unproved::Wrong(Box::new(report::report(function, program, &run.launch, &run.scenario, &fault))),
    };
    let steps = prove(machine, runs, event_streams).map_err(wrong)?;
    proof.runs += runs.len() as u64;
    proof.steps += steps;
    runs.clear();
    Ok(())
}

/// The sizes of the launches, those of few blocks first.
fn fewest(program: &program::Program, launches: &[scenarios::Launch]) -> Vec<Rc<blocks::Sizes>> {
    let mut all: Vec<&scenarios::Launch> = launches.iter().collect();
    all.sort_by_key(|launch| launch.grid.iter().fold(1_i64, |blocks, &dim| blocks.saturating_mul(dim)));
    let named = |launch: &scenarios::Launch| program.symbols.iter().cloned().zip(launch.symbols.clone()).collect();
    all.into_iter().map(|launch| Rc::new(named(launch))).collect()
}

/// Which truth values data have, one way after another.
#[derive(Default)]
struct Ways {
    data: Vec<integers::Choices>,
    /// How many came before.
    count: u32,
}

impl Ways {
    /// Goes on to the next way, if `asked` is how many truth values each model thread asked for in this one. Whether there
    /// is one.
    fn go_on(&mut self, asked: &[u32]) -> bool {
        self.data.resize(asked.len(), 0);
        self.count += 1;
        for (data, &asked) in self.data.iter_mut().zip(asked).rev() {
            // The last that was true becomes false; those after it are asked again.
            let all = integers::Choices::MAX.checked_shl(asked).map_or(integers::Choices::MAX, |above| !above);
            let open = !*data & all;
            if open != 0 {
                let bit = open.ilog2();
                *data = (*data & ((1 << bit) - 1)) | 1 << bit;
                return true;
            }
            *data = 0;
        }
        false
    }
}

/// Makes runs, of which only the last may be one that could not be followed. How many steps that took.
///
/// Errors: the first of them that goes wrong.
fn prove<'r>(
    machine: &mut machine::Machine<'_>,
    runs: &'r [Run],
    event_streams: &event_streams::EventStreams,
) -> Result<u64, (&'r Run, machine::Stop)> {
    let mut all = 0;
    match machine.make(runs, event_streams) {
        Ok(steps) => all += steps,
        Err(fault) => {
            // Which of them it is the first in.
            for run in runs.iter().filter(|run| run.behaviour.is_some()) {
                machine.make(std::slice::from_ref(run), event_streams).map_err(|fault| (run, fault))?;
            }
            return Err((&runs[0], fault));
        }
    }
    if let Some(run) = runs.last().filter(|run| run.behaviour.is_none()) {
        machine.prepare(&run.scenario, &run.launch.slots, Rc::default());
        machine.run().map_err(|fault| (run, fault))?;
        all += machine.steps;
    }
    Ok(all)
}
