//! `cargo xtask mutants`: kernels with one edit each go through `check-async`, and what it accepts is evaluated in
//! several orders, as a kernel and as instructions: no evaluator may find it racing, deadlocking or reading what was
//! not written.

mod edit;
pub mod emit;
mod evaluate;
mod insert;
pub mod record;
mod sizes;
mod sources;

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use dlc_ir::diag::{Diagnostics, Severity};
use dlc_ir::pass::panics::catch;
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::random::Random;
use dlc_ir::text::{ParseOptions, parse_module};
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context};
use dlc_opt::Setup;

use crate::runs::Range;

pub use sources::{generated, kernels};

/// The codes by which something is wrong with a pass, and not with the kernel.
const INTERNAL: [&str; 3] = ["E0402", "E0403", "E1905"];

/// How many edits are drawn for a mutant that parses and verifies.
const EDITS: usize = 64;

/// What decides whether a kernel is right: the code with which it refuses and the message, if it does.
pub type Checker = fn(&Setup, &Context, &Body) -> Option<(String, String)>;

/// How much is done for a mutant.
#[derive(Clone, Copy)]
pub struct Effort {
    /// How many sizes an accepted mutant is evaluated at: with two or more, the first two on both sides of a boundary.
    pub sizes: usize,
    /// In how many orders it is evaluated at each of them.
    pub orders: u64,
    /// Whether it is evaluated as instructions too.
    pub ptx: bool,
    /// Whether refused ones are evaluated too, to see how many of their faults evaluation finds.
    pub refused: bool,
    /// Whether ops of any kind are put into kernels, in place of edits, and each goes through every pass of kernels.
    pub ops: bool,
    /// How long the checker and the evaluations may take together.
    pub time: Duration,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { sizes: 3, orders: 4, ptx: true, refused: false, ops: false, time: Duration::from_secs(120) }
    }
}

/// What evaluations found, as kernels and as instructions.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct KernelMutant {
    /// How many evaluations came to their end.
    pub ended: [usize; 2],
    /// The first fault of each: its kind, and what was said.
    pub faults: [Option<(&'static str, String)>; 2],
    /// Why one did not, if that is no fault of synchronization.
    pub stopped: [Option<String>; 2],
    /// At which sizes, in the order of the symbols.
    pub sizes: Vec<Vec<i64>>,
    /// Whether two of them are on both sides of a boundary.
    pub boundary: bool,
    /// Whether there are no instructions.
    pub no_ptx: bool,
    /// Whether a result has numbers that nothing wrote.
    pub unwritten: bool,
}

/// What became of a mutant.
#[derive(Clone, PartialEq, Debug)]
pub enum Fate {
    /// It does not parse or verify.
    Invalid,
    /// It is accepted; what evaluations found.
    Accepted(KernelMutant),
    /// It is refused with a code and a message; what evaluations found, if there were any.
    Refused(String, String, Option<KernelMutant>),
    /// The checker or an evaluation took too long.
    Slow,
    /// The checker or an evaluator panicked.
    Panicked(String),
}

/// A mutant.
pub struct Mutant {
    /// The number.
    pub number: usize,
    /// The kernel, the seed and the number.
    pub name: String,
    /// How many edits were drawn for it, until one parsed and verified.
    pub edits: usize,
    /// The lines that differ.
    pub diff: String,
    /// The whole text.
    pub text: String,
    /// What became of it.
    pub fate: Fate,
}

/// What `check-async` says.
pub fn check(setup: &Setup, ctx: &Context, body: &Body) -> Option<(String, String)> {
    let pipeline = match Pipeline::parse(&setup.registry, "check-async") {
        Ok(pipeline) => pipeline,
        Err(_) => return Some(("no such pass".into(), String::new())),
    };
    let diags = Diagnostics::new();
    crate::run(setup, ctx, &pipeline, &mut body.clone(), &diags)?;
    let diags = diags.take();
    let error = diags.iter().find(|each| each.severity == Severity::Error);
    let said = |each: &dlc_ir::Diagnostic| (each.code.code.to_string(), each.message.to_string());
    Some(error.map_or_else(|| ("no code".into(), String::new()), said))
}

/// What becomes of a text. A thread of its own looks at it; where that takes too long it is abandoned, and ends with
/// the program.
pub fn judge(setup: &Arc<Setup>, checker: Checker, effort: Effort, name: &str, text: &str, random: &Random) -> Fate {
    let (send, receive) = mpsc::channel();
    let (setup, name, text, mut random) = (Arc::clone(setup), name.to_string(), text.to_string(), *random);
    thread::spawn(move || {
        let fate = match catch(|| look(&setup, checker, effort, &name, &text, &mut random)) {
            Ok(fate) => fate,
            Err(panic) => Fate::Panicked(panic.message),
        };
        // Nobody listens any more where it took too long.
        let _ = send.send(fate);
    });
    receive.recv_timeout(effort.time).unwrap_or(Fate::Slow)
}

/// The module of a text, if it parses and verifies.
fn module(ctx: &Context, name: &str, text: &str) -> Option<Body> {
    let diags = Diagnostics::new();
    let file = ctx.sources.add(name, text.to_string())?;
    let parsed = parse_module(ctx, &file, 0..file.text.len(), ParseOptions::default(), &diags).ok();
    parsed.filter(|body| verify(ctx, body, &diags))
}

/// What a pass of kernels breaks, if one does: it panics, or leaves what the verifier refuses.
fn broken(setup: &Setup, ctx: &Context, body: &Body) -> Option<String> {
    let passes = setup.registry.passes().filter(|def| def.requires == ["kernel"]).map(|def| def.name);
    let passes = passes.chain(["kernel-to-ptx{unchecked}"]);
    passes.into_iter().find_map(|name| {
        let pipeline = Pipeline::parse(&setup.registry, name).ok()?;
        let (mut body, diags) = (body.clone(), Diagnostics::new());
        crate::run(setup, ctx, &pipeline, &mut body, &diags);
        let diags = diags.take();
        let error = diags.iter().find(|each| INTERNAL.contains(&each.code.code))?;
        Some(format!("{name}: {} {}", error.code.code, error.message))
    })
}

fn look(setup: &Setup, checker: Checker, effort: Effort, name: &str, text: &str, random: &mut Random) -> Fate {
    let ctx = Context::new(setup.dialects.iter().copied());
    let Some(body) = module(&ctx, name, text) else { return Fate::Invalid };
    if let Some(broken) = effort.ops.then(|| broken(setup, &ctx, &body)).flatten() {
        return Fate::Panicked(broken);
    }
    let refused = checker(setup, &ctx, &body);
    let is_accepted = refused.is_none();
    let evaluated = (is_accepted || effort.refused)
        .then(|| evaluate::evaluate(setup, &ctx, &body, text, effort, is_accepted, random));
    match (refused, evaluated) {
        (Some((code, reason)), found) => Fate::Refused(code, reason, found),
        (None, found) => Fate::Accepted(found.unwrap_or_default()),
    }
}

/// Tells texts apart.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Draws mutants that parse and verify, as many as wanted, and judges each text once; each is shown as soon as its fate is known,
/// and all of them are given in order. The same for the same seed with any number of threads, but for those that take too
/// long. Texts that are `known`, by their hashes, are not evaluated.
pub fn run(
    setup: &Arc<Setup>,
    checker: Checker,
    (effort, known): (Effort, &HashSet<u64>),
    kernels: &[(String, String)],
    range: Range,
    mut show: impl FnMut(&Mutant),
) -> Vec<Mutant> {
    let Range { seed, from, count, jobs, time } = range;
    let (next, mut all, start) = (AtomicUsize::new(from), BTreeMap::new(), Instant::now());
    let judged: Mutex<BTreeMap<u64, Fate>> = Mutex::default();
    let (send, receive) = mpsc::channel();
    let work = |send: mpsc::Sender<Mutant>| {
        while start.elapsed() < time {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= from + count {
                return;
            }
            let (kernel, original) = &kernels[number % kernels.len()];
            let mut random = Random::of_case(seed, number as u64);
            let name = format!("{kernel}_{seed}_{number}");
            for edits in 1..=EDITS {
                let edited = match effort.ops {
                    true => catch(|| insert::insert(setup, kernels, original, &mut random)).ok().flatten(),
                    false => edit::edit(original, &mut random),
                };
                let Some((text, diff)) = edited else { continue };
                // What becomes of a text follows from the text alone: two threads that see it at once find the same.
                let hash = hash(&text);
                let before = judged.lock().ok().and_then(|judged| judged.get(&hash).cloned());
                let fate = before.unwrap_or_else(|| {
                    let sizes = if known.contains(&hash) { 0 } else { effort.sizes };
                    let effort = Effort { sizes, ..effort };
                    let fate = judge(setup, checker, effort, kernel, &text, &Random::new(hash));
                    judged.lock().ok().and_then(|mut judged| judged.insert(hash, fate.clone()));
                    fate
                });
                if fate != Fate::Invalid || edits == EDITS {
                    // The one who listens goes last.
                    let _ = send.send(Mutant { number, name, edits, diff, text, fate });
                    break;
                }
            }
        }
    };
    let jobs = if jobs > 0 { jobs } else { thread::available_parallelism().map_or(1, usize::from) };
    thread::scope(|scope| {
        for _ in 0..jobs {
            let send = send.clone();
            scope.spawn(|| work(send));
        }
        drop(send);
        for mutant in receive {
            show(&mutant);
            all.insert(mutant.number, mutant);
        }
    });
    all.into_values().collect()
}

/// What is wrong with a mutant: it is accepted and at fault, or something panicked.
pub fn complaint(mutant: &Mutant) -> Option<String> {
    let what = match &mutant.fate {
        Fate::Accepted(found) => found.faults.iter().flatten().next().map(|(_, said)| said)?,
        Fate::Panicked(what) => what,
        _ => return None,
    };
    Some(format!("{}: {what}\n{}\n", mutant.name, mutant.diff))
}

impl Mutant {
    /// What is kept of it in a file: what was found, and the text.
    pub fn saved(&self) -> String {
        let found = complaint(self).unwrap_or_default();
        let lines: Vec<String> = found.lines().map(|line| format!("// {line}\n")).collect();
        lines.concat() + &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::evaluate::FAULTS;
    use super::*;

    fn by_hand(names: &[&str]) -> Vec<(String, String)> {
        let mut found = kernels(&crate::repo::Repo::root()).expect("the kernels can be read");
        found.retain(|(name, _)| names.contains(&name.as_str()));
        assert_eq!(found.len(), names.len(), "all kernels are there");
        found
    }

    fn complaints(checker: Checker, names: &[&str], count: usize) -> Vec<String> {
        let setup = Arc::new(crate::setup());
        let range = Range { seed: 1, from: 0, count, jobs: 0, time: Duration::MAX };
        let found = run(&setup, checker, (Effort::default(), &HashSet::new()), &by_hand(names), range, |_| {});
        let verified = found.iter().filter(|mutant| mutant.fate != Fate::Invalid).count();
        assert!(verified * 10 >= count * 9, "{verified} of {count}");
        found.iter().filter_map(complaint).collect()
    }

    const KERNELS: [&str; 5] = ["chain", "gemm_cooperative", "gemm_pingpong", "gemm_small_m", "gemm_sm80"];

    #[test]
    fn without_its_awaits_a_kernel_is_refused_and_found() {
        let (name, text) = by_hand(&["gemm_sm80"]).remove(0);
        let text: String = text.lines().filter(|line| !line.trim().starts_with("await")).collect::<Vec<_>>().join("\n");
        let effort = Effort { refused: true, ..Effort::default() };
        let fate = judge(&Arc::new(crate::setup()), check, effort, &name, &text, &Random::new(1));
        let Fate::Refused(_, _, Some(found)) = &fate else { panic!("{fate:?}") };
        assert!(found.faults.iter().all(Option::is_some), "{fate:?}");
    }

    #[test]
    fn no_accepted_mutant_is_at_fault() {
        let found = complaints(check, &KERNELS, 100);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn any_op_goes_through_every_pass() {
        let setup = Arc::new(crate::setup());
        let range = Range { seed: 1, from: 0, count: 100, jobs: 0, time: Duration::MAX };
        let effort = Effort { ops: true, refused: true, sizes: 1, orders: 1, ..Effort::default() };
        let all = kernels(&crate::repo::Repo::root()).expect("the kernels can be read");
        let found = run(&setup, check, (effort, &HashSet::new()), &all, range, |_| {});
        let verified = found.iter().filter(|mutant| mutant.fate != Fate::Invalid).count();
        assert!(verified * 10 >= found.len() * 9, "{verified} of {}", found.len());
        let found: Vec<String> = found.iter().filter_map(complaint).collect();
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn a_checker_that_accepts_everything_is_found() {
        let found = complaints(|_, _, _| None, &["gemm_sm80"], 20);
        assert!(!found.is_empty());
    }

    #[test]
    fn every_kind_of_fault_is_said() {
        let expect = "expect %full[%s2] bytes 32768\n";
        let ahead = "%ahead = index ((%s0 + 1) mod 3)";
        let steps = "%s1, %p1 = for %k = 0 to %steps + 1 carry (%s2 = %s0, %p2 = %p0) {";
        let again = "%h0 = extract %h at [0, 0] : frag<[64, 64], f16, wgmma>\nfor %again = 0 to 2 {\n\
                     %made = mbarriers arrivals 2 : mbarrier<1>\nbarrier\narrive %made by one\nbarrier\n}";
        let lanes =
            "store_shared %h0 to %sD[%even]\n%again = load_shared %sD[%even] transposed : frag<[64, 64], f16, wgmma>";
        // What the lines that begin so become.
        let edits = [
            (FAULTS[0], "gemm_pingpong", "expect", ""),
            (FAULTS[1], "gemm_sm80", "copy_async %A", ""),
            (FAULTS[2], "gemm_sm80", "await", ""),
            (FAULTS[3], "gemm_sm80", "await %last", ""),
            (FAULTS[4], "gemm_sm80", "%ahead =", ahead),
            (FAULTS[5], "gemm_pingpong", "fence_async", ""),
            (FAULTS[6], "gemm_sm80", "barrier", "warp_sync"),
            (FAULTS[7], "gemm_pingpong", "%s1, %p1 = for", steps),
            (FAULTS[8], "gemm_pingpong", "await_read", ""),
            (FAULTS[9], "gemm_pingpong", "await %last", ""),
            (FAULTS[10], "gemm_pingpong", "expect", &(expect.repeat(2))),
            (FAULTS[11], "gemm_pingpong", "store_shared %h0", lanes),
            (FAULTS[12], "chain", "barrier", ""),
            (FAULTS[13], "gemm_pingpong", "if (%t + %blocks < %tiles) {", "if (%t < %tiles) {"),
            (FAULTS[14], "gemm_pingpong", "%h0 = extract", again),
            (FAULTS[15], "split_k_flags", "%seen = acquire", ""),
        ];
        assert_eq!(edits.len(), FAULTS.len());
        let setup = Arc::new(crate::setup());
        let effort = Effort { sizes: 4, orders: 8, ptx: false, ..Effort::default() };
        let mut missed = Vec::new();
        for (fault, name, begins, becomes) in edits {
            let (_, text) = by_hand(&[name]).remove(0);
            let line = |line: &str| match line.trim_start().starts_with(begins) {
                true => format!("{becomes}\n"),
                false => format!("{line}\n"),
            };
            let text: String = text.lines().map(line).collect();
            match judge(&setup, |_, _, _| None, effort, name, &text, &Random::new(1)) {
                Fate::Accepted(KernelMutant { faults: [Some((kind, _)), _], .. }) if kind == fault => {}
                fate => missed.push(format!("{fault}: {fate:?}")),
            }
        }
        assert!(missed.is_empty(), "{}", missed.join("\n"));
    }
}
