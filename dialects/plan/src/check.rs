//! Whether a machine can do what a schedule says. Every rule that is broken names the number that breaks it, and knows a
//! change that fixes it; one after another these lead to the nearest schedule that fits.
//!
//! - the tile: extents are positive, those of warps and threads divide it, loops are loops of its axes;
//! - combinations: what contradicts itself, and what the machine has no hardware for;
//! - the instruction: it is there for the type, its shape is one, and divides the tile of each warp;
//! - amounts: cluster, threads, registers of each role and of all, shared memory;
//! - alignment: widths of accesses and swizzles.

mod amounts;
mod combinations;
mod tiles;

use dlc_ir::diag::Code;
use dlc_ir::{Body, Context};

use crate::schedule::Schedule;
use crate::target::Target;
use crate::value::Table;

dlc_ir::codes! {
    /// The tile of a schedule, or of its warps or threads, is none, or does not divide.
    BAD_TILE = "E1601" "BadTile";
    /// A schedule needs more shared memory than the target has.
    TOO_MUCH_SMEM = "E1602" "TooMuchSharedMemory";
    /// A schedule needs more registers than the target has.
    TOO_MANY_REGISTERS = "E1603" "TooManyRegisters";
    /// A schedule has more threads than a block can have, or a number that is none of whole warps.
    BAD_THREADS = "E1604" "BadThreads";
    /// The instruction of a schedule is none of the target, or does not divide the tile.
    BAD_INSTRUCTION = "E1605" "BadInstruction";
    /// A schedule asks for what the target has no hardware for.
    UNSUPPORTED = "E1606" "Unsupported";
    /// The cluster of a schedule is too large, or shares what is not the same in its blocks.
    BAD_CLUSTER = "E1607" "BadCluster";
    /// The width or swizzle of a tensor does not go with its tile.
    MISALIGNED = "E1608" "Misaligned";
    /// Two clauses of a schedule contradict each other.
    CONFLICT = "E1609" "Conflict";
    /// A schedule names a loop, a place or a role that there is not.
    UNKNOWN_LOOP = "E1610" "UnknownLoop";
    /// No target has this name.
    UNKNOWN_TARGET = "E1611" "UnknownTarget";
    /// A schedule names an axis, a symbol or a tensor that its kernel does not have.
    NOT_OF_KERNEL = "E1612" "NotOfKernel";
}

/// A rule that a schedule breaks.
pub struct Broken {
    /// Which.
    pub code: &'static Code,
    /// The clause that it is about, by its word or by its word and tensor; where that is not there, the next of these.
    pub clauses: Vec<String>,
    /// How, with the number that breaks it.
    pub message: String,
    /// A change that fixes it, or brings it nearer to that.
    pub fix: Option<Box<dyn Fn(&mut Schedule)>>,
}

impl Broken {
    /// A rule about the first of these clauses that is there.
    pub fn new(clauses: &[&str], code: &'static Code, message: impl Into<String>) -> Broken {
        let clauses = clauses.iter().map(|clause| clause.to_string()).collect();
        Broken { code, clauses, message: message.into(), fix: None }
    }
}

impl std::fmt::Debug for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code.code, self.message)
    }
}

/// What rules look at.
struct Checked<'a> {
    ctx: &'a Context,
    plan: &'a Schedule,
    target: &'a Target,
    broken: Vec<Broken>,
}

impl Checked<'_> {
    fn fail(&mut self, clauses: &[&str], code: &'static Code, message: impl Into<String>) {
        self.broken.push(Broken::new(clauses, code, message));
    }

    fn error_with_fix(
        &mut self,
        clauses: &[&str],
        code: &'static Code,
        message: impl Into<String>,
        fix: impl Fn(&mut Schedule) + 'static,
    ) {
        self.broken.push(Broken { fix: Some(Box::new(fix)), ..Broken::new(clauses, code, message) });
    }
}

/// The rules that a schedule breaks on a target.
pub fn check(ctx: &Context, plan: &Schedule, target: &Target) -> Vec<Broken> {
    let mut checked = Checked { ctx, plan, target, broken: Vec::new() };
    checked.tiles();
    // Amounts of what is no tile mean nothing.
    if checked.broken.is_empty() {
        checked.combinations();
        checked.instruction();
        checked.amounts();
        checked.alignment();
    }
    checked.broken
}

/// How many changes may lead to a schedule that fits.
const STEPS: usize = 64;

/// What a kernel requires of its schedule, besides what machines do. Passes know kernels, and register it.
pub struct KernelRules {
    /// The first rule that a schedule breaks for the function that it names, on its machines.
    pub broken: fn(&Context, &Body, &Schedule, &[Target]) -> Option<Broken>,
    /// What the schedule names and the kernel does not have, also of a schedule that breaks rules of machines.
    pub unknown: fn(&Context, &Body, &Schedule) -> Option<Broken>,
}

dlc_ir::inventory::collect!(&'static KernelRules);

/// The nearest schedule that fits all targets and breaks no rule of its kernel: broken rules are fixed one after another;
/// where no rule knows how, the clause that is at fault is left out. `None` where that leads nowhere.
pub fn nearest(
    ctx: &Context,
    plan: &Schedule,
    targets: &[Target],
    check_matches_kernel: &dyn Fn(&Schedule) -> Option<Broken>,
) -> Option<Schedule> {
    let mut plan = plan.clone();
    for _ in 0..STEPS {
        let mut broken: Vec<Broken> = targets.iter().flat_map(|target| check(ctx, &plan, target)).collect();
        if broken.is_empty() {
            broken.extend(check_matches_kernel(&plan));
        }
        if broken.is_empty() {
            return Some(plan);
        }
        let before = plan.clone();
        let fixes = broken.iter().filter_map(|rule| rule.fix.as_ref());
        let changes = |plan: &mut Schedule, change: &dyn Fn(&mut Schedule)| {
            change(plan);
            *plan != before
        };
        let is_fixed = fixes.into_iter().any(|fix| changes(&mut plan, fix));
        let clauses = || broken.iter().flat_map(|rule| &rule.clauses);
        if !is_fixed && !clauses().any(|clause| changes(&mut plan, &|plan| leave_out(plan, clause))) {
            return None;
        }
    }
    None
}

/// Takes a clause out, by its word or by its word and what it is about. A schedule without a tile would be another one.
fn leave_out(plan: &mut Schedule, clause: &str) {
    fn without<T>(table: &mut Option<Table<T>>, name: &str) {
        if let Some(table) = table {
            table.0.retain(|(own, _)| own != name);
        }
        *table = table.take().filter(|table| !table.0.is_empty());
    }
    match clause.split_once(' ') {
        Some(("cache", tensor)) => plan.caches.retain(|cache| cache.tensor != tensor),
        Some(("edge", value)) => plan.edges.retain(|edge| edge.from != value),
        Some(("swizzle", name)) => without(&mut plan.swizzle, name),
        Some(("stride", name)) => without(&mut plan.stride, name),
        Some(("policy", name)) => without(&mut plan.policy, name),
        Some(("vectors", name)) => without(&mut plan.vectors, name),
        Some(("algo", name)) => without(&mut plan.algo, name),
        Some(("fix", name)) => without(&mut plan.fix, name),
        Some(("assume", name)) => without(&mut plan.assume, name),
        Some(("multicast", name)) => {
            plan.multicast = plan.multicast.take().map(|mut all| {
                all.retain(|own| own != name);
                all
            });
            plan.multicast = plan.multicast.take().filter(|all| !all.is_empty());
        }
        Some((word, _)) => plan.clear(word),
        None if clause == "tile" => {}
        None => plan.clear(clause),
    }
}

/// The clauses of one schedule that another does not have, and the words of those that are gone.
pub fn difference(ctx: &Context, from: &Schedule, to: &Schedule) -> String {
    let (old, new) = (from.clauses(ctx), to.clauses(ctx));
    // Clauses that may be there several times are known by what they are about.
    let word = |clause: &String| {
        let mut words = clause.split(' ');
        let word = words.next().unwrap_or_default();
        let about = words.next().filter(|_| matches!(word, "cache" | "edge"));
        about.map_or_else(|| word.to_string(), |about| format!("{word} {about}"))
    };
    let mut parts: Vec<String> =
        new.iter().filter(|clause| !old.contains(clause)).map(|it| format!("'{it}'")).collect();
    let gone = old.iter().map(word).filter(|gone| !new.iter().any(|clause| word(clause) == *gone));
    let mut gone: Vec<String> = gone.map(|word| format!("no '{word}'")).collect();
    gone.dedup();
    parts.extend(gone);
    parts.join(", ")
}
