//! Whether a machine can do what a schedule says. Every rule that is broken names the number that breaks it, and knows a
//! change that heals it; one after the other these lead to the nearest schedule that fits.
//!
//! - the tile: extents are positive, those of warps and threads divide it, loops are loops of its axes;
//! - combinations: what contradicts itself, and what the machine has no hardware for;
//! - the instruction: it is there for the type, its shape is one, and divides the tile of each warp;
//! - amounts: cluster, threads, registers of each role and of all, shared memory;
//! - alignment: widths of accesses and swizzles.

mod amounts;
mod combinations;
mod tiles;

use dlc_ir::Context;
use dlc_ir::diag::Code;

use crate::schedule::Schedule;
use crate::target::Target;

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
    /// A change that heals it, or brings it nearer to that.
    pub heal: Option<Box<dyn Fn(&mut Schedule)>>,
}

impl Broken {
    /// A rule about the first of these clauses that is there.
    pub fn new(clauses: &[&str], code: &'static Code, message: impl Into<String>) -> Broken {
        let clauses = clauses.iter().map(|clause| clause.to_string()).collect();
        Broken { code, clauses, message: message.into(), heal: None }
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

    fn fail_and_heal(
        &mut self,
        clauses: &[&str],
        code: &'static Code,
        message: impl Into<String>,
        heal: impl Fn(&mut Schedule) + 'static,
    ) {
        self.broken.push(Broken { heal: Some(Box::new(heal)), ..Broken::new(clauses, code, message) });
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

/// The nearest schedule that fits: broken rules are healed one after the other. `None` where that leads nowhere.
pub fn nearest(ctx: &Context, plan: &Schedule, target: &Target) -> Option<Schedule> {
    let mut plan = plan.clone();
    for _ in 0..STEPS {
        let broken = check(ctx, &plan, target);
        if broken.is_empty() {
            return Some(plan);
        }
        let before = plan.clone();
        for heal in broken.iter().filter_map(|broken| broken.heal.as_ref()) {
            heal(&mut plan);
            if plan != before {
                break;
            }
        }
        if plan == before {
            return None;
        }
    }
    None
}

/// The clauses of one schedule that another does not have, and the words of those that are gone.
pub fn difference(ctx: &Context, from: &Schedule, to: &Schedule) -> String {
    let (old, new) = (from.clauses(ctx), to.clauses(ctx));
    let word = |clause: &String| clause.split(' ').next().unwrap_or_default().to_string();
    let mut parts: Vec<String> =
        new.iter().filter(|clause| !old.contains(clause)).map(|it| format!("'{it}'")).collect();
    let gone = old.iter().map(word).filter(|gone| !new.iter().any(|clause| word(clause) == *gone));
    let mut gone: Vec<String> = gone.map(|word| format!("no '{word}'")).collect();
    gone.dedup();
    parts.extend(gone);
    parts.join(", ")
}
