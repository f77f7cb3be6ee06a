//! `cargo xtask mutants`: kernels with one edit each go through `check-async`, and what it accepts is evaluated in
//! several orders: no evaluator may find it racing, waiting for ever or reading what was not written.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
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

/// How long one evaluation may run: what takes longer is counted as left out.
const LIMITS: Limits = Limits { steps: 1 << 18, depth: 1000 };

/// The sizes that are drawn, on both sides of the tiles that kernels have.
const SIZES: [i64; 14] = [1, 8, 15, 16, 56, 63, 64, 65, 72, 127, 128, 129, 136, 200];

/// How many sizes are drawn for each mutant, and in how many orders each is evaluated.
const DRAWS: usize = 3;
const ORDERS: u64 = 3;

/// What evaluators say where synchronization is at fault, and not a number or a position.
const FAULTS: [&str; 7] = [
    "no thread can go on",
    "of shared memory, which",
    "registers that",
    "arrive in one phase",
    "is on its way",
    "not awaited",
    "no barrier between",
];

/// What became of a mutant.
#[derive(Clone, PartialEq, Debug)]
pub enum Fate {
    /// It does not parse or verify.
    Invalid,
    /// It is accepted, and no evaluation found anything; how many came to their end.
    Sound(usize),
    /// It is accepted, and an evaluation found this.
    Faulty(String),
    /// It is refused with a code; what an evaluation found, if anything.
    Refused(String, Option<String>),
    /// The checker or an evaluator panicked.
    Panicked(String),
}

/// A mutant.
pub struct Mutant {
    /// The kernel, and the number of the edit.
    pub name: String,
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

/// What becomes of a text.
pub fn judge(setup: &Setup, name: &str, text: &str, random: &mut Seed) -> Fate {
    match catch(|| look(setup, name, text, random)) {
        Ok(fate) => fate,
        Err(panic) => Fate::Panicked(panic.message),
    }
}

fn look(setup: &Setup, name: &str, text: &str, random: &mut Seed) -> Fate {
    let ctx = Context::new(setup.dialects.iter().copied());
    let diags = Diagnostics::new();
    let Some(file) = ctx.sources.add(name, text.to_string()) else { return Fate::Invalid };
    let parsed = parse_module(&ctx, &file, 0..file.text.len(), ParseOptions::default(), &diags).ok();
    let Some(body) = parsed.filter(|body| verify(&ctx, body, &diags)) else { return Fate::Invalid };
    let Ok(pipeline) = Pipeline::parse(&setup.registry, "check-async") else { return Fate::Invalid };
    let counters = DebugCounters::off();
    let manager = Manager {
        ctx: &ctx,
        registry: &setup.registry,
        options: ManagerOptions { threads: 1, ..ManagerOptions::default() },
        instruments: vec![],
        counters: &counters,
        host: &NoHost,
    };
    let diags = Diagnostics::new();
    let failed = manager.run(&pipeline, &mut body.clone(), &diags).failure.is_some();
    let code = diags.take().iter().find(|each| each.severity == Severity::Error).map(|each| each.code.code.to_string());
    let (found, ended) = evaluate(&ctx, &body, random);
    match (failed, found) {
        (true, found) => Fate::Refused(code.unwrap_or_else(|| "no code".into()), found),
        (false, Some(found)) => Fate::Faulty(found),
        (false, None) => Fate::Sound(ended),
    }
}

/// What evaluations find, and how many came to their end.
fn evaluate(ctx: &Context, body: &Body, random: &mut Seed) -> (Option<String>, usize) {
    let mut ended = 0;
    for function in functions(ctx, body) {
        // Sizes that the kernel is not for are drawn anew, for a while.
        let mut drawn = 0;
        for _ in 0..4 * DRAWS {
            if drawn == DRAWS {
                break;
            }
            let mut bindings = Bindings::default();
            for symbol in &function.symbols {
                if bindings.set(symbol, SIZES[random.random(SIZES.len())]).is_err() {
                    return (None, ended);
                }
            }
            let Some(inputs) = inputs(ctx, &function, &bindings) else { continue };
            for order in 0..ORDERS {
                let mut interpreter = Interpreter::new(ctx, body);
                interpreter.limits = LIMITS;
                *interpreter.state::<Bindings>() = bindings.clone();
                *interpreter.state::<Seed>() = Seed(order);
                match interpreter.call(&function.name, &inputs) {
                    Ok(_) => ended += 1,
                    Err(failure) if failure.code.code == UNDEFINED.code => {
                        if FAULTS.iter().any(|fault| failure.message.contains(fault)) {
                            return (Some(format!("{} ({bindings:?}, order {order})", failure.message)), ended);
                        }
                        break;
                    }
                    Err(failure) if failure.code.code == EVAL_LIMIT.code => break,
                    Err(_) => {
                        drawn = drawn.saturating_sub(1);
                        break;
                    }
                }
            }
            drawn += 1;
        }
    }
    (None, ended)
}

fn inputs(ctx: &Context, function: &Function, bindings: &Bindings) -> Option<Data> {
    let input = |port: &dlc_opt::function::Port| {
        let (dims, elem) = sizes(ctx, port.ty)?;
        let shape = bindings.values(&dims).ok()?;
        let numbers = numbers(ctx, elem, shape.iter().product(), Spread::Small, 1, &port.name)?;
        Values { shape, elem, numbers }.to_datum(ctx, port.ty).ok()
    };
    function.inputs.iter().map(input).collect()
}

/// Draws mutants, until `count` edits were made, and judges them on all cores. The same for the same seed.
pub fn run(setup: &Setup, kernels: &[(String, String)], count: usize, seed: u64) -> Vec<Mutant> {
    let (next, all) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            let (kernel, text) = &kernels[number % kernels.len()];
            let mut random = Seed((seed << 32) + number as u64 + 1).start();
            let Some((text, diff)) = (0..16).find_map(|_| edit(text, &mut random)) else { continue };
            let name = format!("{kernel}_{seed}_{number}");
            let fate = judge(setup, &name, &text, &mut random);
            if let Ok(mut all) = all.lock() {
                all.insert(number, Mutant { name, diff, text, fate });
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    all.into_inner().unwrap_or_default().into_values().collect()
}

/// The counts, and what is wrong.
pub fn report(mutants: &[Mutant]) -> String {
    let count = |is: fn(&Fate) -> bool| mutants.iter().filter(|mutant| is(&mutant.fate)).count();
    let mut out = format!(
        "edits {}, that verify {}, accepted {} (evaluated to the end at least once: {}), accepted and faulty {}, panics {}\n",
        mutants.len(),
        mutants.len() - count(|fate| *fate == Fate::Invalid),
        count(|fate| matches!(fate, Fate::Sound(_) | Fate::Faulty(_))),
        count(|fate| matches!(fate, Fate::Sound(1..))),
        count(|fate| matches!(fate, Fate::Faulty(_))),
        count(|fate| matches!(fate, Fate::Panicked(_))),
    );
    let mut codes: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for mutant in mutants {
        match &mutant.fate {
            Fate::Refused(code, found) => {
                let (refused, seen) = codes.entry(code).or_default();
                *refused += 1;
                *seen += usize::from(found.is_some());
            }
            Fate::Faulty(what) | Fate::Panicked(what) => {
                let _ = writeln!(out, "{}: {what}\n{}", mutant.name, mutant.diff);
            }
            _ => {}
        }
    }
    out += "code   refused  also found by evaluation\n";
    for (code, (refused, found)) in codes {
        let _ = writeln!(out, "{code:6} {refused:7}  {found}");
    }
    out
}

/// Whether an accepted mutant is at fault, or something panicked.
pub fn is_bad(mutants: &[Mutant]) -> bool {
    mutants.iter().any(|mutant| matches!(mutant.fate, Fate::Faulty(_) | Fate::Panicked(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_root() -> Vec<(String, String)> {
        kernels(&crate::repo::Repo::root()).expect("the kernels can be read")
    }

    #[test]
    fn without_its_awaits_a_kernel_is_refused_and_found() {
        let (_, text) = of_root().into_iter().find(|(name, _)| name == "gemm_sm80").expect("the kernel is there");
        let text: String = text.lines().filter(|line| !line.trim().starts_with("await")).collect::<Vec<_>>().join("\n");
        let fate = judge(&crate::setup(), "no_await", &text, &mut Seed(1).start());
        assert!(matches!(fate, Fate::Refused(_, Some(_))), "{fate:?}");
    }
}
