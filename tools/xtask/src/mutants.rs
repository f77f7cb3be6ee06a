//! `cargo xtask mutants`: kernels with one edit each go through `check-async`, and what it accepts is evaluated in
//! several orders: no evaluator may find it racing, waiting for ever or reading what was not written.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use std::{fs, thread};

use dlc_core::launch::Seed;
use dlc_core::sizes::Bindings;
use dlc_ir::diag::{Diagnostics, Severity};
use dlc_ir::interp::{Data, EVAL_LIMIT, Interpreter, Limits, UNDEFINED};
use dlc_ir::pass::manager::{Manager, ManagerOptions};
use dlc_ir::pass::panics::catch;
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::pass::{DebugCounters, NoHost};
use dlc_ir::text::{ParseOptions, PrintOptions, parse_module, print_op};
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context};
use dlc_opt::Setup;
use dlc_opt::function::{Function, functions, sizes};
use dlc_opt::generate::{Spread, numbers};
use dlc_opt::numbers::Values;

/// How long one evaluation may run: what takes longer is not evaluated to its end. No edit makes a number much larger.
const LIMITS: Limits = Limits { steps: 1 << 12, depth: 1000 };

/// The sizes that are drawn, on both sides of the tiles that kernels have, the smallest first.
const SIZES: [i64; 15] = [1, 8, 15, 16, 56, 63, 64, 65, 72, 127, 128, 129, 136, 200, 328];

/// As many numbers as all inputs of an evaluation may have: many blocks do what a few do.
const MOST_NUMBERS: i64 = 1 << 14;

/// How many edits are drawn for a mutant that parses and verifies.
const EDITS: usize = 64;

/// What the evaluator of kernels says where synchronization is at fault, and not a number or a position. It has one code
/// for all that has no meaning, so its words decide; a test holds that it says each of them.
const FAULTS: [&str; 15] = [
    "no thread can go on: all of them wait",
    "of shared memory, which nothing was written to",
    "of shared memory, which a copy that is not awaited brings",
    "of shared memory, which a copy that has not ended brings",
    "of shared memory is already brought by a copy that has not ended",
    "of shared memory, which threads wrote, is read with no 'fence_async' between",
    "wrote with no barrier between",
    "the block ends while a copy to its shared memory is on its way",
    "the tile was overwritten before the store had read it",
    "is read from registers that a matrix product which is not awaited writes",
    "arrive in one phase of the barrier",
    "wrote with no 'warp_sync' between",
    "of shared memory, which threads wrote, is read before they have met",
    "threads have come to a barrier for which nobody waits",
    "makes mbarriers again within a phase of them",
];

/// What decides whether a kernel is right: the code with which it refuses, if it does.
pub type Checker = fn(&Setup, &Context, &Body) -> Option<String>;

/// How much is done for a mutant.
#[derive(Clone, Copy)]
pub struct Effort {
    /// How many sizes an accepted mutant is evaluated at, the smallest first.
    pub sizes: usize,
    /// In how many orders it is evaluated at each of them.
    pub orders: u64,
    /// Whether refused ones are evaluated too, to see how many of their faults evaluation finds.
    pub refused: bool,
    /// How long the checker and the evaluations may take together.
    pub time: Duration,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { sizes: 2, orders: 2, refused: false, time: Duration::from_secs(20) }
    }
}

/// What became of a mutant.
#[derive(Clone, PartialEq, Debug)]
pub enum Fate {
    /// It does not parse or verify.
    Invalid,
    /// It is accepted, and no evaluation found anything; how many came to their end.
    Sound(usize),
    /// It is accepted, and an evaluation found this fault: its kind, and what was said.
    Faulty(&'static str, String),
    /// It is refused with a code; the kind of fault that an evaluation found, if there was one.
    Refused(String, Option<&'static str>),
    /// It is accepted, and no fault was found in the time that there was; how many evaluations came to their end.
    Partly(usize),
    /// The checker took too long.
    Slow,
    /// The checker or an evaluator panicked.
    Panicked(String),
}

/// A mutant.
pub struct Mutant {
    /// The kernel, the seed and the number of the mutant.
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

/// The kernels by hand, by name.
///
/// Errors: a file cannot be read.
pub fn kernels(root: &Path) -> Result<Vec<(String, String)>, String> {
    let mut found = Vec::new();
    for folder in ["test/kernels", "test/passes/kernel/check-async"] {
        let entries = fs::read_dir(root.join(folder)).map_err(|error| format!("{folder}: {error}"))?;
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            if path.extension().is_some_and(|extension| extension == "mlir") {
                let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                // A file of several parts is no one module.
                if text.contains("kernel.func") && !text.contains("// -----") {
                    found.push((path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), text));
                }
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The kernels that passes make of the programs of `test/gpu/Inputs`, for both targets. Those for which the passes fail are left out.
///
/// Errors: a file cannot be read.
pub fn generated(setup: &Setup, root: &Path) -> Result<Vec<(String, String)>, String> {
    let folder = root.join("test/gpu/Inputs");
    let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        let text = fs::read_to_string(&path).map_err(wrong)?;
        for target in ["sm80", "sm90"] {
            let name = format!("{}_{target}", path.file_stem().unwrap_or_default().to_string_lossy());
            let passes =
                format!("tiny-to-region,choose-plan{{target={target}}},add-fallback,tensorize,kernel-schedule");
            let made = make(setup, &name, &text, &passes).filter(|text| text.contains("kernel.func"));
            found.extend(made.map(|text| (name, text)));
        }
    }
    found.sort();
    Ok(found)
}

/// The text that passes make of another.
fn make(setup: &Setup, name: &str, text: &str, passes: &str) -> Option<String> {
    let ctx = Context::new(setup.dialects.iter().copied());
    let (diags, counters) = (Diagnostics::new(), DebugCounters::off());
    let file = ctx.sources.add(name, text.to_string())?;
    let mut body = parse_module(&ctx, &file, 0..file.text.len(), ParseOptions::default(), &diags).ok()?;
    let manager = Manager {
        ctx: &ctx,
        registry: &setup.registry,
        options: ManagerOptions { threads: 1, ..ManagerOptions::default() },
        instruments: vec![],
        counters: &counters,
        host: &NoHost,
    };
    let pipeline = Pipeline::parse(&setup.registry, passes).ok()?;
    manager
        .run(&pipeline, &mut body, &diags)
        .failure
        .is_none()
        .then(|| print_op(&ctx, &body, body.root(), PrintOptions::default()))
}

/// One edit of a text: its lines, and what was changed.
fn edit(text: &str, random: &mut Seed) -> Option<(String, String)> {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let is_op = |line: &String| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with("//") && !line.starts_with('}') && !line.ends_with('{')
    };
    let start = lines.iter().position(|line| line.contains("grid ("))? + 1;
    let ops: Vec<usize> = (start..lines.len()).filter(|&at| is_op(&lines[at])).collect();
    let at = *ops.get(random.random(ops.len()))?;
    let other = ops[random.random(ops.len())];
    let was = lines[at].clone();
    let what = match random.random(8) {
        0 => {
            lines.remove(at);
            format!("-{was}")
        }
        1 => {
            lines.insert(at, was.clone());
            format!("+{was}")
        }
        2 => {
            let line = lines.remove(at);
            lines.insert(other.min(lines.len()), line);
            format!(">{was} (line {} to {})", at + 1, other + 1)
        }
        3 => {
            lines.swap(at, other);
            format!("<>{was}\n<>{}", lines[at])
        }
        kind => {
            // Conditions and loops begin lines that end in a brace; they have numbers and comparisons too.
            let at = start + random.random(lines.len() - start);
            let was = lines[at].clone();
            let now = if kind == 4 { operand(&was, text, random) } else { number(&was, random) }?;
            lines[at].clone_from(&now);
            format!("-{was}\n+{now}")
        }
    };
    Some((lines.join("\n") + "\n", what))
}

/// A line with another number, or another comparison.
fn number(line: &str, random: &mut Seed) -> Option<String> {
    let line_of_text = line.trim_start();
    if line_of_text.starts_with("//") {
        return None;
    }
    let bytes = line.as_bytes();
    let begins = |at: usize| {
        bytes[at].is_ascii_digit() && (at == 0 || !(bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_'))
    };
    let mut places: Vec<usize> = (0..bytes.len()).filter(|&at| begins(at)).collect();
    places.extend(line.match_indices(" < ").map(|(at, _)| at + 1));
    places.extend(line.match_indices(" <= ").map(|(at, _)| at + 1));
    let at = *places.get(random.random(places.len()))?;
    let (before, rest) = line.split_at(at);
    if let Some(rest) = rest.strip_prefix("<=") {
        return Some(format!("{before}<{rest}"));
    }
    if let Some(rest) = rest.strip_prefix('<') {
        return Some(format!("{before}<={rest}"));
    }
    let end = rest.find(|each: char| !each.is_ascii_digit()).unwrap_or(rest.len());
    let value: i64 = rest[..end].parse().ok()?;
    // No edit makes a number much larger, so that no mutant runs for ever.
    let now = [value + 1, (value - 1).max(0), value * 2, value / 2][random.random(4)];
    (now != value).then(|| format!("{before}{now}{}", &rest[end..]))
}

/// A line with another value for one of its operands; the verifier says whether it has the type.
fn operand(line: &str, text: &str, random: &mut Seed) -> Option<String> {
    let name = |text: &str| {
        let end = text[1..].find(|each: char| !(each.is_alphanumeric() || each == '_')).map_or(text.len(), |at| at + 1);
        text[..end].to_string()
    };
    let from = line.find('=').map_or(0, |at| at + 1);
    let places: Vec<usize> = line[from..].match_indices('%').map(|(at, _)| from + at).collect();
    let mut names: Vec<String> = text.match_indices('%').map(|(at, _)| name(&text[at..])).collect();
    names.sort();
    names.dedup();
    let at = *places.get(random.random(places.len()))?;
    let was = name(&line[at..]);
    let now = &names[random.random(names.len())];
    (*now != was).then(|| format!("{}{now}{}", &line[..at], &line[at + was.len()..]))
}

/// What `check-async` says.
pub fn check(setup: &Setup, ctx: &Context, body: &Body) -> Option<String> {
    let pipeline = match Pipeline::parse(&setup.registry, "check-async") {
        Ok(pipeline) => pipeline,
        Err(_) => return Some("no such pass".into()),
    };
    let counters = DebugCounters::off();
    let manager = Manager {
        ctx,
        registry: &setup.registry,
        options: ManagerOptions { threads: 1, ..ManagerOptions::default() },
        instruments: vec![],
        counters: &counters,
        host: &NoHost,
    };
    let diags = Diagnostics::new();
    manager.run(&pipeline, &mut body.clone(), &diags).failure?;
    let diags = diags.take();
    let error = diags.iter().find(|each| each.severity == Severity::Error);
    Some(error.map_or_else(|| "no code".into(), |each| each.code.code.to_string()))
}

/// What becomes of a text. A thread of its own looks at it; where that takes too long it is left behind, and ends with
/// the program.
pub fn judge(setup: &Arc<Setup>, checker: Checker, effort: Effort, name: &str, text: &str, random: &Seed) -> Fate {
    let (send, receive) = mpsc::channel();
    let (setup, name, text, mut random) = (Arc::clone(setup), name.to_string(), text.to_string(), *random);
    // One more than the evaluations that came to their end, once the checker has decided.
    let done = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&done);
    thread::spawn(move || {
        let fate = match catch(|| look(&setup, checker, effort, &name, &text, &mut random, &count)) {
            Ok(fate) => fate,
            Err(panic) => Fate::Panicked(panic.message),
        };
        // Nobody listens any more where it took too long.
        let _ = send.send(fate);
    });
    receive.recv_timeout(effort.time).unwrap_or_else(|_| match done.load(Ordering::Relaxed) {
        0 => Fate::Slow,
        done => Fate::Partly(done - 1),
    })
}

fn look(
    setup: &Setup,
    checker: Checker,
    effort: Effort,
    name: &str,
    text: &str,
    random: &mut Seed,
    done: &AtomicUsize,
) -> Fate {
    let ctx = Context::new(setup.dialects.iter().copied());
    let diags = Diagnostics::new();
    let Some(file) = ctx.sources.add(name, text.to_string()) else { return Fate::Invalid };
    let parsed = parse_module(&ctx, &file, 0..file.text.len(), ParseOptions::default(), &diags).ok();
    let Some(body) = parsed.filter(|body| verify(&ctx, body, &diags)) else { return Fate::Invalid };
    let refused = checker(setup, &ctx, &body);
    // What takes too long after a refusal is refused all the same.
    if refused.is_none() {
        done.store(1, Ordering::Relaxed);
    }
    let found = match refused.is_some() && !effort.refused {
        true => None,
        false => evaluate(&ctx, &body, effort, random, done),
    };
    match (refused, found) {
        (Some(code), found) => Fate::Refused(code, found.map(|(kind, _)| kind)),
        (None, Some((kind, said))) => Fate::Faulty(kind, said),
        (None, None) => Fate::Sound(done.load(Ordering::Relaxed) - 1),
    }
}

/// Sizes for the symbols of a function: first the smallest, then larger ones of one symbol after another, so that loops
/// have many rounds while there are few blocks.
fn draw(function: &Function, attempt: usize, random: &mut Seed) -> Option<Bindings> {
    let mut bindings = Bindings::default();
    for (at, symbol) in function.symbols.iter().enumerate() {
        let large = attempt % 2 == 1 && at == attempt / 2 % function.symbols.len();
        let from = if large { 4 + random.random(SIZES.len() - 4) } else { random.random(4 + attempt / 4) };
        bindings.set(symbol, *SIZES.get(from)?).ok()?;
    }
    Some(bindings)
}

/// The kind of fault that evaluations find and what was said; `done` counts those that came to their end.
fn evaluate(
    ctx: &Context,
    body: &Body,
    effort: Effort,
    random: &mut Seed,
    done: &AtomicUsize,
) -> Option<(&'static str, String)> {
    for function in functions(ctx, body) {
        // Sizes that the kernel is not for are drawn anew, for a while.
        let mut drawn = 0;
        for attempt in 0..8 * effort.sizes {
            if drawn == effort.sizes {
                break;
            }
            let Some(bindings) = draw(&function, attempt, random) else { break };
            let Some(inputs) = inputs(ctx, &function, &bindings) else { continue };
            let mut is_for = true;
            for order in 0..effort.orders {
                let mut interpreter = Interpreter::new(ctx, body);
                interpreter.limits = LIMITS;
                *interpreter.state::<Bindings>() = bindings.clone();
                *interpreter.state::<Seed>() = Seed(order);
                match interpreter.call(&function.name, &inputs) {
                    Ok(_) => _ = done.fetch_add(1, Ordering::Relaxed),
                    Err(failure) if failure.code.code == UNDEFINED.code => {
                        if let Some(kind) = kind_of(&failure.message) {
                            return Some((kind, format!("{} ({bindings:?}, order {order})", failure.message)));
                        }
                        break;
                    }
                    Err(failure) => {
                        is_for = failure.code.code == EVAL_LIMIT.code;
                        break;
                    }
                }
            }
            drawn += usize::from(is_for);
        }
    }
    None
}

/// The kind of fault, if it is one of synchronization.
fn kind_of(message: &str) -> Option<&'static str> {
    FAULTS.into_iter().find(|fault| message.contains(fault))
}

/// Inputs of these sizes. `None` where there are too many numbers, or negative ones.
fn inputs(ctx: &Context, function: &Function, bindings: &Bindings) -> Option<Data> {
    let mut count = 0_i64;
    for port in &function.inputs {
        let (dims, _) = sizes(ctx, port.ty)?;
        count += bindings.values(&dims).ok()?.iter().try_fold(1_i64, |all, &size| all.checked_mul(size as i64))?;
    }
    if count > MOST_NUMBERS {
        return None;
    }
    let input = |port: &dlc_opt::function::Port| {
        let (dims, elem) = sizes(ctx, port.ty)?;
        let shape = bindings.values(&dims).ok()?;
        let numbers = numbers(ctx, elem, shape.iter().product(), Spread::Small, 1, &port.name)?;
        Values { shape, elem, numbers }.to_datum(ctx, port.ty).ok()
    };
    function.inputs.iter().map(input).collect()
}

/// Draws mutants that parse and verify, as many as wanted, and judges them on all cores; each is shown as soon as its
/// fate is known, and all of them are given in order. The same for the same seed, but for those that take too long.
pub fn run(
    setup: &Arc<Setup>,
    checker: Checker,
    effort: Effort,
    kernels: &[(String, String)],
    range: (usize, u64),
    mut show: impl FnMut(&Mutant),
) -> Vec<Mutant> {
    let (count, seed) = range;
    let (next, mut all) = (AtomicUsize::new(0), BTreeMap::new());
    let (send, receive) = mpsc::channel();
    let work = |send: mpsc::Sender<(usize, Mutant)>| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            let (kernel, original) = &kernels[number % kernels.len()];
            let mut random = Seed((seed << 32) + number as u64 + 1).start();
            let name = format!("{kernel}_{seed}_{number}");
            for edits in 1..=EDITS {
                let Some((text, diff)) = edit(original, &mut random) else { continue };
                let fate = judge(setup, checker, effort, &name, &text, &random);
                if fate != Fate::Invalid || edits == EDITS {
                    // The one who listens goes last.
                    let _ = send.send((number, Mutant { name, edits, diff, text, fate }));
                    break;
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            let send = send.clone();
            scope.spawn(|| work(send));
        }
        drop(send);
        for (number, mutant) in receive {
            show(&mutant);
            all.insert(number, mutant);
        }
    });
    all.into_values().collect()
}

/// How many mutants had each fate.
#[derive(Default)]
pub struct Tally {
    edits: usize,
    invalid: usize,
    refused: usize,
    sound: usize,
    partly: usize,
    ended: usize,
    faulty: usize,
    slow: usize,
    panicked: usize,
}

impl Tally {
    /// Of these mutants.
    pub fn of(mutants: &[Mutant]) -> Tally {
        let mut tally = Tally::default();
        mutants.iter().for_each(|mutant| tally.add(mutant));
        tally
    }

    /// One more.
    pub fn add(&mut self, mutant: &Mutant) {
        self.edits += mutant.edits;
        let count = match &mutant.fate {
            Fate::Invalid => &mut self.invalid,
            Fate::Sound(runs) => {
                self.ended += usize::from(*runs > 0);
                &mut self.sound
            }
            Fate::Partly(runs) => {
                self.ended += usize::from(*runs > 0);
                &mut self.partly
            }
            Fate::Faulty(..) => &mut self.faulty,
            Fate::Refused(..) => &mut self.refused,
            Fate::Slow => &mut self.slow,
            Fate::Panicked(_) => &mut self.panicked,
        };
        *count += 1;
    }

    /// How many parse and verify.
    pub fn verified(&self) -> usize {
        self.refused + self.sound + self.partly + self.faulty + self.slow + self.panicked
    }
}

impl Display for Tally {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "edits {}, that verify {}: refused {}, ", self.edits, self.verified(), self.refused)?;
        let accepted = self.sound + self.partly;
        write!(f, "accepted and no fault found {accepted} ({} evaluated to the end, ", self.ended)?;
        write!(f, "{} not in all orders for want of time), accepted and faulty {}, ", self.partly, self.faulty)?;
        write!(f, "checker too slow {}, panics {}", self.slow, self.panicked)
    }
}

impl Mutant {
    /// What is kept of it in a file: what was found, and the text.
    pub fn saved(&self) -> String {
        let found = complaint(self).unwrap_or_default();
        let lines: Vec<String> = found.lines().map(|line| format!("// {line}\n")).collect();
        lines.concat() + &self.text
    }
}

/// The codes of what was refused, and the kinds of faults that evaluation found.
pub fn report(mutants: &[Mutant]) -> String {
    let mut codes: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for mutant in mutants {
        match &mutant.fate {
            Fate::Refused(code, found) => {
                let (refused, seen) = codes.entry(code).or_default();
                *refused += 1;
                if let Some(kind) = found {
                    *seen += 1;
                    kinds.entry(kind).or_default().1 += 1;
                }
            }
            Fate::Faulty(kind, _) => kinds.entry(kind).or_default().0 += 1,
            _ => {}
        }
    }
    let mut out = format!("{}\n", Tally::of(mutants)) + "code   refused  found by evaluation too\n";
    for (code, (refused, found)) in codes {
        let _ = writeln!(out, "{code:6} {refused:7}  {found}");
    }
    out += "accepted  refused  found by evaluation\n";
    for (kind, (accepted, refused)) in kinds {
        let _ = writeln!(out, "{accepted:8}  {refused:7}  {kind}");
    }
    out
}

/// What is wrong with a mutant: it is accepted and at fault, or something panicked.
pub fn complaint(mutant: &Mutant) -> Option<String> {
    match &mutant.fate {
        Fate::Faulty(_, what) | Fate::Panicked(what) => Some(format!("{}: {what}\n{}\n", mutant.name, mutant.diff)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_hand(names: &[&str]) -> Vec<(String, String)> {
        let mut found = kernels(&crate::repo::Repo::root()).expect("the kernels can be read");
        found.retain(|(name, _)| names.contains(&name.as_str()));
        assert_eq!(found.len(), names.len(), "all kernels are there");
        found
    }

    fn complaints(checker: Checker, names: &[&str], count: usize) -> Vec<String> {
        let setup = Arc::new(crate::setup());
        let found = run(&setup, checker, Effort::default(), &by_hand(names), (count, 1), |_| {});
        assert!(Tally::of(&found).verified() * 10 >= count * 9, "{}", Tally::of(&found));
        found.iter().filter_map(complaint).collect()
    }

    const KERNELS: [&str; 5] = ["chain", "gemm_cooperative", "gemm_pingpong", "gemm_skinny", "gemm_sm80"];

    #[test]
    fn without_its_awaits_a_kernel_is_refused_and_found() {
        let (name, text) = by_hand(&["gemm_sm80"]).remove(0);
        let text: String = text.lines().filter(|line| !line.trim().starts_with("await")).collect::<Vec<_>>().join("\n");
        let effort = Effort { refused: true, ..Effort::default() };
        let fate = judge(&Arc::new(crate::setup()), check, effort, &name, &text, &Seed(1).start());
        assert!(matches!(fate, Fate::Refused(_, Some(_))), "{fate:?}");
    }

    #[test]
    fn no_accepted_mutant_is_at_fault() {
        let found = complaints(check, &KERNELS, 100);
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
        ];
        assert_eq!(edits.len(), FAULTS.len());
        let setup = Arc::new(crate::setup());
        let effort = Effort { sizes: 4, orders: 8, ..Effort::default() };
        let mut missed = Vec::new();
        for (fault, name, begins, becomes) in edits {
            let (_, text) = by_hand(&[name]).remove(0);
            let line = |line: &str| match line.trim_start().starts_with(begins) {
                true => format!("{becomes}\n"),
                false => format!("{line}\n"),
            };
            let text: String = text.lines().map(line).collect();
            match judge(&setup, |_, _, _| None, effort, name, &text, &Seed(1).start()) {
                Fate::Faulty(kind, _) if kind == fault => {}
                fate => missed.push(format!("{fault}: {fate:?}")),
            }
        }
        assert!(missed.is_empty(), "{}", missed.join("\n"));
    }
}
