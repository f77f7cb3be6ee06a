//! What is damaged and sent through passes: texts of every layer, JSON, and plans clause by clause.

use dlc_ir::random::Random;
use std::io;
use std::ops::Range;
use std::path::Path;

use dlc_core::tensor::with_threads;
use dlc_ir::pass::panics::catch;
use dlc_ir::pass::registry::Translation;
use dlc_ir::text::{ParseOptions, parse_module};
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context, Diagnostics};
use dlc_plan::Schedule;

use super::{Fate, Passes, exchange, exchange_json, extreme_numbers, files, mutate, mutate_json};

/// What a kernel with a plan goes through to instructions.
const LOWERING: &str = "tensorize,kernel-schedule,kernel-to-ptx,licm,cse,dce";

/// How many texts are drawn for a case until one is valid: most damage is refused by the verifier.
const DRAWS: usize = 16;

/// The largest part of a text test that is damaged, in bytes.
const LARGEST: usize = 8000;

/// What is damaged, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Damage {
    /// Texts of every layer: a few words or numbers are others.
    Texts,
    /// JSON of every layer: a few tokens are others.
    Json,
    /// Plans: numbers of one clause are extreme, of each clause as often as of the others.
    Plans,
}

/// What is damaged, with the passes that it goes through.
pub struct Damaged {
    damage: Damage,
    /// The parts of the text tests that are not large.
    texts: Vec<String>,
    /// Documents, with what reads them.
    documents: Vec<(String, &'static Translation)>,
    /// For each clause the texts that have it, and where.
    clauses: Vec<Vec<(usize, Range<usize>)>>,
    passes: Passes,
}

impl Damaged {
    /// Reads the text tests below the folder `test`.
    ///
    /// Errors: a file cannot be read.
    pub fn load(root: &Path, damage: Damage) -> io::Result<Damaged> {
        let mut all = Damaged { damage, texts: vec![], documents: vec![], clauses: vec![], passes: Passes::new() };
        if damage == Damage::Json {
            all.documents = documents(root, &all.passes)?;
            return Ok(all);
        }
        let folders = ["dialects", "kernels", "layers", "passes", "pipelines", "plans", "gpu", "ladder"];
        let folders = folders.map(|name| root.join(name));
        let folders: Vec<&Path> = folders.iter().map(|folder| folder.as_path()).collect();
        let files = files(&folders, "mlir")?;
        let parts = files.iter().flat_map(|file| file.split("// -----\n"));
        all.texts = parts.map(without_comments).filter(|part| part.len() < LARGEST).collect();
        let texts = &all.texts;
        let with = |word: &&str| {
            let places = |(at, text): (usize, &String)| clauses(text, word).into_iter().map(move |place| (at, place));
            texts.iter().enumerate().flat_map(places).collect()
        };
        all.clauses = Schedule::WORDS.iter().map(with).collect();
        Ok(all)
    }

    /// The clauses that no text has.
    pub fn missing(&self) -> Vec<&'static str> {
        let none = self.clauses.iter().zip(Schedule::WORDS).filter(|(places, _)| places.is_empty());
        none.map(|(_, word)| *word).collect()
    }

    /// A damaged text, the passes that it goes through, and what reads it if it is no text of IR.
    fn draw(&self, rng: &mut Random, case: u64) -> (String, String, Option<&'static Translation>) {
        match self.damage {
            Damage::Texts => {
                let text = rng.pick(&self.texts).cloned().unwrap_or_default();
                let text = match rng.below(4) {
                    0 => String::from_utf8_lossy(&mutate(rng, &text)).into_owned(),
                    1 => extreme_numbers(rng, &text, 0..text.len()),
                    _ => exchange(rng, &text),
                };
                (text, self.passes.draw(rng), None)
            }
            Damage::Json => {
                let Some((text, reader)) = rng.pick(&self.documents) else { return Default::default() };
                let text = if rng.one_in(3) { mutate_json(rng, text) } else { exchange_json(rng, text) };
                (text, self.passes.draw(rng), Some(*reader))
            }
            Damage::Plans => {
                let clause = (case % self.clauses.len().max(1) as u64) as usize;
                let Some((at, place)) = self.clauses.get(clause).and_then(|places| rng.pick(places)) else {
                    return Default::default();
                };
                let text = &self.texts[*at];
                let mut damaged = extreme_numbers(rng, text, place.clone());
                // A clause without a number stands next to others that have some.
                if damaged == *text {
                    damaged = extreme_numbers(rng, text, text.find("plan.schedule").unwrap_or(0)..text.len());
                }
                let passes = if rng.one_in(2) { LOWERING.into() } else { self.passes.draw(rng) };
                (damaged, passes, None)
            }
        }
    }

    /// Draws damaged texts until one is valid, or reading one panics, and gives the last of them with its passes. Contexts have
    /// every layer.
    pub fn find(&self, context: &dyn Fn() -> Context, seed: u64, case: u64) -> DamagedText {
        let mut rng = Random::of_case(seed, case);
        let mut draws = 1;
        loop {
            let (text, passes, reader) = self.draw(&mut rng, case);
            let ctx = context();
            let read = with_threads(1, || catch(|| read(&ctx, &text, reader)));
            let module = read.map_err(|panic| format!("reading panicked at {:?}: {}", panic.place, panic.message));
            if draws == DRAWS || !matches!(module, Ok(None)) {
                return DamagedText { text, passes, ctx, module };
            }
            draws += 1;
        }
    }

    /// Draws a case and runs it.
    ///
    /// Errors: a pass panics, breaks the module, or fails without an error.
    pub fn run(&self, context: &dyn Fn() -> Context, seed: u64, case: u64) -> Result<Fate, String> {
        let DamagedText { text, passes, ctx, module } = self.find(context, seed, case);
        let fate = module.and_then(|module| match module {
            Some(module) => with_threads(1, || self.passes.run(&ctx, module, &passes)),
            None => Ok(Fate::Invalid),
        });
        fate.map_err(|why| format!("{why}\n// {passes}\n{text}"))
    }
}

/// A case.
pub struct DamagedText {
    /// The damaged text.
    pub text: String,
    /// The passes that it goes through.
    pub passes: String,
    ctx: Context,
    /// The module, if it is valid; or how reading it panicked.
    module: Result<Option<Body>, String>,
}

/// The module of a text, if it is valid.
fn read(ctx: &Context, text: &str, reader: Option<&'static Translation>) -> Option<Body> {
    let diags = Diagnostics::new();
    let file = ctx.sources.add("fuzz", text.to_string())?;
    let module = match reader {
        Some(reader) => reader.read?(ctx, &file, 0..text.len(), &diags),
        None => parse_module(ctx, &file, 0..text.len(), ParseOptions::default(), &diags).ok(),
    };
    module.filter(|module| verify(ctx, module, &diags))
}

/// The documents of the text tests, and of the programs, that some layer reads.
fn documents(root: &Path, passes: &Passes) -> io::Result<Vec<(String, &'static Translation)>> {
    let folders = ["golden", "dialects", "programs", "pipelines"].map(|name| root.join(name));
    let folders: Vec<&Path> = folders.iter().map(|folder| folder.as_path()).collect();
    let files = files(&folders, "json")?;
    let parts = files.iter().flat_map(|file| file.split("// -----\n")).map(without_comments);
    let parts = parts.filter(|part| part.len() < 100_000);
    Ok(parts.filter_map(|part| passes.registry().reader_of_text(&part).map(|reader| (part, reader))).collect())
}

/// The part of a file without the lines that are comments: what a test asks for is not read.
fn without_comments(part: &str) -> String {
    part.split_inclusive('\n').filter(|line| !line.trim_start().starts_with("//")).collect()
}

/// Where a text has a clause of plans: the lines that begin with its word.
fn clauses(text: &str, word: &str) -> Vec<Range<usize>> {
    let Some(mut at) = text.find("plan.schedule") else { return Vec::new() };
    let mut places = Vec::new();
    for line in text[at..].split_inclusive('\n') {
        let is_it = line.trim_start().strip_prefix(word).is_some_and(|rest| rest.starts_with([' ', '\n']));
        if is_it {
            places.push(at..at + line.len());
        }
        at += line.len();
    }
    places
}
