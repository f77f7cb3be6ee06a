//! Sends modules, most of them damaged, through a few passes that are drawn.

use std::ops::Range;

use dlc_ir::diag::Severity;
use dlc_ir::pass::manager::{FailureKind, Manager, ManagerOptions};
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::pass::registry::Registry;
use dlc_ir::pass::{DebugCounters, NoHost};
use dlc_ir::{Body, Context, Diagnostics};

use super::shown;
use dlc_ir::random::Random;

/// Numbers at which arithmetic goes wrong, if it does.
const EXTREMES: [&str; 16] = [
    "0",
    "-1",
    "1",
    "2",
    "3",
    "7",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967296",
    "4611686018427387904",
    "9223372036854775807",
    "-9223372036854775808",
];

/// What became of a module that passes ran on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It does not parse or verify.
    Invalid,
    /// It came through all passes.
    Done,
    /// A pass refused it with an error of this code.
    Refused(&'static str),
}

/// All passes that are linked into the program.
pub struct Passes {
    registry: Registry,
    names: Vec<&'static str>,
}

impl Passes {
    /// Those that need no options.
    pub fn new() -> Passes {
        let registry = Registry::linked();
        let names = registry.passes().map(|def| def.name).chain(registry.pipelines().map(|pipeline| pipeline.name));
        let names = names.filter(|name| Pipeline::parse(&registry, name).is_ok()).collect();
        Passes { registry, names }
    }

    /// What is registered.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Three to six passes.
    pub fn draw(&self, rng: &mut Random) -> String {
        let count = 3 + rng.below(4);
        let passes: Vec<&str> = (0..count).filter_map(|_| rng.pick(&self.names).copied()).collect();
        passes.join(",")
    }

    /// Runs passes on a module that is valid.
    ///
    /// Errors: a pass panics, breaks the module, or fails without an error.
    pub fn run(&self, ctx: &Context, mut body: Body, passes: &str) -> Result<Fate, String> {
        let diags = Diagnostics::new();
        let pipeline = Pipeline::parse(&self.registry, passes).map_err(|error| format!("{passes}: {error:?}"))?;
        let (options, counters) = (ManagerOptions { threads: 1, ..ManagerOptions::default() }, DebugCounters::off());
        let (registry, instruments) = (&self.registry, vec![]);
        let manager = Manager { ctx, registry, options, instruments, counters: &counters, host: &NoHost };
        let Some(failure) = manager.run(&pipeline, &mut body, &diags).failure else { return Ok(Fate::Done) };
        if failure.kind != FailureKind::Failed {
            return Err(format!("{passes}: {} {:?}: {}", failure.pass, failure.kind, shown(ctx, &diags)));
        }
        match diags.take().iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
            Some(error) => Ok(Fate::Refused(error.code.code)),
            None => Err(format!("{passes}: {} fails without an error", failure.pass)),
        }
    }
}

impl Default for Passes {
    fn default() -> Passes {
        Passes::new()
    }
}

/// A text with one or two numbers in a part of it replaced by extreme ones; as it is where there are none.
pub fn extreme_numbers(rng: &mut Random, text: &str, part: Range<usize>) -> String {
    let (kept, rest, following) = (&text[..part.start], &text[part.clone()], &text[part.end..]);
    let is_start = |at: usize, c: char| {
        let before = rest[..at].chars().next_back();
        c.is_ascii_digit() && !before.is_some_and(|b| b.is_alphanumeric() || "_%.@".contains(b))
    };
    let starts: Vec<usize> = rest.char_indices().filter(|&(at, c)| is_start(at, c)).map(|(at, _)| at).collect();
    let mut chosen: Vec<usize> = (0..1 + rng.below(2)).filter_map(|_| rng.pick(&starts).copied()).collect();
    chosen.sort_unstable();
    chosen.dedup();
    let (mut out, mut done) = (kept.to_string(), 0);
    for start in chosen {
        let digits = rest[start..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |len| start + len);
        out += &rest[done..start];
        out += rng.one_of(&EXTREMES);
        done = digits;
    }
    out + &rest[done..] + following
}
