//! Sends programs through every named pipeline, from every layer.
//!
//! A program that the verifier accepts may be refused by a pass, with an error that says why. It never makes a pass panic,
//! nor is it broken by one.

use std::collections::BTreeMap;

use dlc_ir::diag::Severity;
use dlc_ir::pass::manager::{FailureKind, Manager, ManagerOptions};
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::pass::registry::Registry;
use dlc_ir::pass::{DebugCounters, NoHost};
use dlc_ir::text::{ParseOptions, parse_module};
use dlc_ir::{Body, Context, Diagnostics, verify};

use super::{Program, reduce};
use crate::fuzz::shown;

/// The ways to the layers: as they are lowered, and after what is usual there.
const STARTS: [&str; 8] = [
    "dce",
    "lower-indexbook",
    "tiny-to-book",
    "lower-indexbook,form-regions",
    "tiny-to-book,form-regions",
    "tiny-to-region",
    "lower-indexbook,form-regions,tensorize",
    "tiny-to-kernel",
];

/// Every named pipeline, from every layer.
pub struct Pipelines {
    registry: Registry,
    starts: Vec<(&'static str, Pipeline)>,
    pipelines: Vec<(String, Pipeline)>,
    /// How often a pipeline ran to its end.
    pub done: u64,
    /// How often a program was refused, by the code of the error.
    pub refused: BTreeMap<&'static str, u64>,
}

/// The result of a pipeline.
enum Outcome {
    Done(Box<Body>),
    Refused(&'static str),
}

impl Pipelines {
    /// Those that are linked into the program.
    pub fn new() -> Pipelines {
        let registry = Registry::linked();
        let parse = |text: &str| Pipeline::parse(&registry, text).expect("the names of passes, and their options");
        let starts = STARTS.iter().map(|&text| (text, parse(text))).collect();
        let names: Vec<&str> = registry.pipelines().map(|pipeline| pipeline.name).collect();
        let pipelines = names.into_iter().map(|name| (name.to_string(), parse(name))).collect();
        Pipelines { registry, starts, pipelines, done: 0, refused: BTreeMap::new() }
    }

    /// Runs one program through all of them.
    ///
    /// Errors: a pass panics on it, breaks it or refuses it without an error; with the smallest program that does so.
    pub fn run(&mut self, ctx: &Context, program: &Program) -> Result<(), String> {
        let body = read(ctx, program).ok_or("a made program is not valid")?;
        for start in 0..self.starts.len() {
            let begun = match self.pass(ctx, &body, &self.starts[start].1) {
                Ok(Outcome::Done(body)) => body,
                Ok(Outcome::Refused(code)) => {
                    *self.refused.entry(code).or_default() += 1;
                    continue;
                }
                Err(why) => return Err(self.report(ctx, program, start, None, &why)),
            };
            for pipeline in 0..self.pipelines.len() {
                match self.pass(ctx, &begun, &self.pipelines[pipeline].1) {
                    Ok(Outcome::Done(_)) => self.done += 1,
                    Ok(Outcome::Refused(code)) => *self.refused.entry(code).or_default() += 1,
                    Err(why) => return Err(self.report(ctx, program, start, Some(pipeline), &why)),
                }
            }
        }
        Ok(())
    }

    fn pass(&self, ctx: &Context, body: &Body, pipeline: &Pipeline) -> Result<Outcome, String> {
        let (mut body, diags, counters) = (body.clone(), Diagnostics::new(), DebugCounters::off());
        let options = ManagerOptions { verify_each: true, ..ManagerOptions::default() };
        let (registry, instruments) = (&self.registry, vec![]);
        let manager = Manager { ctx, registry, options, instruments, counters: &counters, host: &NoHost };
        let Some(failure) = manager.run(pipeline, &mut body, &diags).failure else {
            return Ok(Outcome::Done(Box::new(body)));
        };
        if failure.kind != FailureKind::Failed {
            return Err(format!("{} {:?}: {}", failure.pass, failure.kind, shown(ctx, &diags)));
        }
        match diags.take().iter().find(|diagnostic| diagnostic.severity == Severity::Error) {
            Some(error) => Ok(Outcome::Refused(error.code.code)),
            None => Err(format!("{} fails without an error", failure.pass)),
        }
    }

    /// Whether a program fails on one way.
    fn failure(&self, ctx: &Context, program: &Program, start: usize, pipeline: Option<usize>) -> Option<String> {
        let body = read(ctx, program)?;
        let begun = match (self.pass(ctx, &body, &self.starts[start].1), pipeline) {
            (Err(why), None) => return Some(why),
            (Ok(Outcome::Done(body)), Some(_)) => body,
            _ => return None,
        };
        self.pass(ctx, &begun, &self.pipelines[pipeline?].1).err()
    }

    /// The failure, with the smallest program that fails on the same way as a text test.
    fn report(&self, ctx: &Context, program: &Program, start: usize, pipeline: Option<usize>, why: &str) -> String {
        let small = reduce(program, &|program| self.failure(ctx, program, start, pipeline).is_some());
        let why = self.failure(ctx, &small, start, pipeline).unwrap_or_else(|| why.into());
        let then = pipeline.map(|at| format!(",{}", self.pipelines[at].0)).unwrap_or_default();
        let flag = format!("{}{then}", self.starts[start].0);
        format!("{flag}: {why}\n\n// RUN: dlc-opt %s --pass-pipeline='{flag}'\n{}", small.text())
    }
}

impl Default for Pipelines {
    fn default() -> Pipelines {
        Pipelines::new()
    }
}

fn read(ctx: &Context, program: &Program) -> Option<Body> {
    let diags = Diagnostics::new();
    let text = program.text();
    let file = ctx.sources.add("fuzz", text.clone())?;
    let parsed = parse_module(ctx, &file, 0..text.len(), ParseOptions::default(), &diags).ok();
    parsed.filter(|body| verify::verify(ctx, body, &diags))
}
