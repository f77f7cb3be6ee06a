//! Looking at the module between passes: printing, comparing, running it.

use super::PassResult;
use super::pipeline::PassUse;
use crate::body::Body;
use crate::context::Context;
use crate::diag::Diagnostics;

/// Is called by the manager while a pipeline runs. While any instrument wants the module, passes are run on all bodies
/// one after another, so that there is a module to look at between them.
pub trait Instrument: Sync {
    /// Whether the hooks on the module are to be called.
    fn wants_module(&self) -> bool {
        true
    }

    /// The pipeline starts on a module.
    fn start(&self, _ctx: &Context, _module: &Body) {}

    /// A pass is going to run.
    fn before(&self, _at: &At<'_>, _module: &Body) {}

    /// A pass has run. An error, reported to [`At::diags`], ends the pipeline.
    fn after(&self, _at: &At<'_>, _module: &Body) -> PassResult {
        Ok(())
    }

    /// A pass has failed. The module is as the pass left it; there is none when the pass panicked.
    fn failed(&self, _at: &At<'_>, _module: Option<&Body>) {}

    /// Passes are going to run, the first of which has this number, of so many in the pipeline. Called without a module
    /// too, from the thread that runs the manager.
    fn progress(&self, _pass: &str, _number: usize, _of: usize) {}
}

/// What an instrument observes.
pub struct At<'a> {
    /// The context.
    pub ctx: &'a Context,
    /// The pass.
    pub pass: &'a PassUse,
    /// The pass with the nesting around it, as a pipeline.
    pub pipeline: &'a str,
    /// How many passes ran before.
    pub number: usize,
    /// Whether the pass has changed anything; false before it runs.
    pub changed: bool,
    /// Where to report.
    pub diags: &'a Diagnostics,
}
