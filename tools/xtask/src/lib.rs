//! The chores of the repository: `cargo xtask` shows them.
//!
//! - [`repo`]: the files of the repository, in memory.
//! - [`tidy`]: rules about the files that no compiler checks; each is a test of this crate.
//! - [`mod@growth`]: how the time of the compiler grows with the program.
//! - [`mod@fuzz`]: damaged input by the thousand.
//! - [`header`]: the header of a pass, whose example is run.
//! - [`mod@reference`]: the generated pages `docs/reference/`.
//! - [`new_pass`]: the files of a new pass.
//! - [`kernels`]: every kernel of the repository, whether it is verified, and how long that takes.
//! - [`mutants`]: edits of kernels that `check-async` accepts and an evaluator finds at fault.
//! - [`mod@plans`]: plans drawn for regions, and what becomes of each.
//! - [`runs`]: what long runs share: ranges of cases, and logs of them.
//! - [`mutate`]: skips each rewrite in turn; some text test must notice.
//!
//! Everything is a function from files to complaints or to files; only `main.rs` writes.

pub mod fuzz;
pub mod growth;
pub mod header;
pub mod kernels;
pub mod mutants;
pub mod mutate;
pub mod new_pass;
pub mod picture;
pub mod plans;
pub mod reference;
pub mod repo;
pub mod runs;
pub mod tidy;

// What is linked in registers itself.
use {
    dlc_book as _, dlc_core as _, dlc_frontend as _, dlc_host as _, dlc_kernel as _, dlc_passes as _, dlc_plan as _,
    dlc_poly as _, dlc_ptx as _, dlc_region as _, dlc_run as _, dlc_sample as _, dlc_tiny as _,
};

use dlc_ir::diag::Diagnostics;
use dlc_ir::pass::manager::{Failure, Manager, ManagerOptions};
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::pass::{DebugCounters, NoHost};
use dlc_ir::{Body, Context};
use dlc_opt::Setup;

/// Everything that is linked in: all dialects and passes of the repository.
pub fn setup() -> Setup {
    Setup::linked()
}

/// Runs a pipeline on a module, in one thread. How it failed, if it did.
fn run(setup: &Setup, ctx: &Context, pipeline: &Pipeline, module: &mut Body, diags: &Diagnostics) -> Option<Failure> {
    let counters = DebugCounters::off();
    let options = ManagerOptions { threads: 1, ..ManagerOptions::default() };
    let (registry, instruments) = (&setup.registry, Vec::new());
    let manager = Manager { ctx, registry, options, instruments, counters: &counters, host: &NoHost };
    manager.run(pipeline, module, diags).failure
}

/// The number after a word in a file of the system; `None` where there is none.
fn said_by_system(file: &str, word: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(word))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The nanoseconds that this thread has computed, where the system says so.
fn computed() -> Option<u64> {
    said_by_system("/proc/thread-self/schedstat", "")
}
