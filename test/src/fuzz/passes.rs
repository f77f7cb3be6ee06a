//! Sends modules, most of them damaged, through a few passes that are drawn.

use std::collections::BTreeMap;

use dlc_ir::diag::Severity;
use dlc_ir::pass::manager::{FailureKind, Manager, ManagerOptions};
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::pass::registry::Registry;
use dlc_ir::pass::{DebugCounters, NoHost};
use dlc_ir::text::{ParseOptions, parse_module};
use dlc_ir::{Body, Context, Diagnostics, verify};

use super::{Rng, shown};

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

/// All passes that are linked into the program.
pub struct Passes {
    registry: Registry,
    names: Vec<&'static str>,
    /// How many modules the verifier accepted.
    pub accepted: u64,
    /// How many came through all of their passes.
    pub done: u64,
    /// How many were refused by a pass, by the code of the error.
    pub refused: BTreeMap<&'static str, u64>,
}

impl Passes {
    /// Those that need no options.
    pub fn new() -> Passes {
        let registry = Registry::linked();
        let names = registry.passes().map(|def| def.name).chain(registry.pipelines().map(|pipeline| pipeline.name));
        let names = names.filter(|name| Pipeline::parse(&registry, name).is_ok()).collect();
        Passes { registry, names, accepted: 0, done: 0, refused: BTreeMap::new() }
    }

    /// Reads a text and, if it is a module, runs three to six passes.
    ///
    /// Errors: a pass panics, breaks the module, or fails without an error.
    pub fn text(&mut self, ctx: &Context, text: &str, rng: &mut Rng) -> Result<(), String> {
        let diags = Diagnostics::new();
        let file = ctx.sources.add("fuzz", text.to_string()).ok_or("the text is too long")?;
        match parse_module(ctx, &file, 0..text.len(), ParseOptions::default(), &diags) {
            Ok(body) => self.body(ctx, body, rng).map_err(|why| format!("{why}\n{text}")),
            Err(_) => Ok(()),
        }
    }

    /// Runs three to six passes on a module, if the verifier accepts it.
    ///
    /// Errors: as for text.
    pub fn body(&mut self, ctx: &Context, mut body: Body, rng: &mut Rng) -> Result<(), String> {
        let diags = Diagnostics::new();
        if !verify::verify(ctx, &body, &diags) {
            return Ok(());
        }
        self.accepted += 1;
        let count = 3 + rng.below(4);
        let passes: Vec<&str> = (0..count).filter_map(|_| rng.pick(&self.names).copied()).collect();
        let passes = passes.join(",");
        let pipeline = Pipeline::parse(&self.registry, &passes).map_err(|error| format!("{passes}: {error:?}"))?;
        let (options, counters) = (ManagerOptions::default(), DebugCounters::off());
        let (registry, instruments) = (&self.registry, vec![]);
        let manager = Manager { ctx, registry, options, instruments, counters: &counters, host: &NoHost };
        let Some(failure) = manager.run(&pipeline, &mut body, &diags).failure else {
            self.done += 1;
            return Ok(());
        };
        if failure.kind != FailureKind::Failed {
            return Err(format!("{passes}: {} {:?}: {}", failure.pass, failure.kind, shown(ctx, &diags)));
        }
        match diags.take().iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
            Some(error) => *self.refused.entry(error.code.code).or_default() += 1,
            None => return Err(format!("{passes}: {} fails without an error", failure.pass)),
        }
        Ok(())
    }
}

impl Default for Passes {
    fn default() -> Passes {
        Passes::new()
    }
}

/// A text with some of its numbers, from a place on, replaced by extreme ones.
pub fn extreme_numbers(rng: &mut Rng, text: &str, from: usize) -> String {
    let (kept, rest) = text.split_at(from);
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
        out += rng.word(&EXTREMES);
        done = digits;
    }
    out + &rest[done..]
}
