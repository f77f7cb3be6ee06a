//! `cargo xtask growth`: how the time of the compiler grows with the program, for fourteen shapes of programs.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use dlc_ir::Context;
use dlc_opt::Setup;
use dlc_test::growth::{self, SHAPES, Shape};

/// The sizes in ops, where none are given.
pub const SIZES: [usize; 2] = [1000, 2000];

/// Passes with a smaller share of the time are not named: their time is mostly noise.
const SHARE: f64 = 0.03;

/// The times of a shape at two sizes or more.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The name of the shape.
    pub shape: &'static str,
    /// The ops of the programs.
    pub ops: Vec<usize>,
    /// The seconds of computing from text to instructions.
    pub seconds: Vec<f64>,
    /// By how much the time grows for twice the ops, at most, from one size to the next.
    pub ratio: f64,
    /// The pass whose time grows most from the last size but one to the last, and by how much, among those that take a share
    /// of the largest program.
    pub pass: Option<(&'static str, f64)>,
    /// The most memory of the process meanwhile, in kilobytes, where the system says so.
    pub kilobytes: Option<u64>,
}

/// The head of a table of rows of so many sizes.
pub fn head(sizes: usize) -> String {
    let (ops, lines) = (" ops | s |".repeat(sizes), " --- | --- |".repeat(sizes));
    format!("| shape |{ops} for twice the ops, at most | grows most | MB |\n| --- |{lines} --- | --- | --- |")
}

impl Display for Row {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "| {} |", self.shape)?;
        for (ops, seconds) in self.ops.iter().zip(&self.seconds) {
            write!(f, " {ops} | {seconds:.3} |")?;
        }
        write!(f, " {:.2} |", self.ratio)?;
        match self.pass {
            Some((name, ratio)) => write!(f, " `{name}`, {ratio:.2} |")?,
            None => write!(f, " |")?,
        }
        match self.kilobytes {
            Some(kilobytes) => write!(f, " {:.0} |", kilobytes as f64 / 1024.0),
            None => write!(f, " |"),
        }
    }
}

/// The shapes of a name, or all.
///
/// Errors: there is no shape of the name.
pub fn shapes(name: Option<&str>) -> Result<Vec<&'static Shape>, String> {
    let Some(name) = name else { return Ok(SHAPES.iter().collect()) };
    let known = || SHAPES.iter().map(|shape| shape.name).collect::<Vec<_>>().join(", ");
    let found = growth::shape(name).ok_or_else(|| format!("there is no shape '{name}'; there are {}", known()))?;
    Ok(vec![found])
}

/// Measures a shape at sizes on one thread, so many times, and takes the least times.
///
/// Errors: a program is refused.
pub fn measure(setup: &Setup, shape: &'static Shape, sizes: &[usize], times: usize) -> Result<Row, String> {
    let mut taken: Vec<Taken> = sizes.iter().map(|_| Taken::default()).collect();
    // The most memory is that since this is written.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    for _ in 0..times.max(1) {
        for (taken, &ops) in taken.iter_mut().zip(sizes) {
            taken.keep_least(on_big_stack(|| compile(setup, shape, ops))?);
        }
    }
    let kilobytes = crate::said_by_system("/proc/self/status", "VmHWM:");
    let ops: Vec<usize> = taken.iter().map(|taken| taken.ops).collect();
    let seconds: Vec<f64> = taken.iter().map(|taken| taken.all).collect();
    let ratios = (1..ops.len()).map(|at| growth::ratio([ops[at - 1], ops[at]], [seconds[at - 1], seconds[at]]));
    let ratio = ratios.fold(0.0, f64::max);
    let mut pass: Option<(&'static str, f64)> = None;
    if let [.., small, large] = taken.as_slice() {
        for (&name, &most) in &large.passes {
            let cost = [small.passes.get(name).copied().unwrap_or(0.0), most];
            let ratio = growth::ratio([small.ops, large.ops], cost);
            if most >= SHARE * large.all && pass.is_none_or(|(_, most)| ratio > most) {
                pass = Some((name, ratio));
            }
        }
    }
    Ok(Row { shape: shape.name, ops, seconds, ratio, pass, kilobytes })
}

/// The instructions of a shape at two sizes or more, which do not vary from run to run.
#[derive(Clone, PartialEq, Debug)]
pub struct Counts {
    /// The name of the shape.
    pub shape: &'static str,
    /// The sizes that were asked for, in ops.
    pub sizes: Vec<usize>,
    /// The instructions of computing from text to instructions of the GPU.
    pub instructions: Vec<u64>,
    /// By how much they grow for twice the ops, at most, from one size to the next.
    pub ratio: f64,
}

/// The head of a table of counts of so many sizes.
pub fn counts_head(sizes: usize) -> String {
    let (ops, lines) = (" ops | 10^9 instructions |".repeat(sizes), " --- | --- |".repeat(sizes));
    format!("| shape |{ops} for twice the ops, at most |\n| --- |{lines} --- |")
}

impl Display for Counts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "| {} |", self.shape)?;
        for (ops, instructions) in self.sizes.iter().zip(&self.instructions) {
            write!(f, " {ops} | {:.3} |", *instructions as f64 / 1e9)?;
        }
        write!(f, " {:.2} |", self.ratio)
    }
}

/// Counts the instructions of shapes at sizes, by `valgrind` on `xtask` (this program), with a process for each. Those of
/// a program of one op are taken away: they are for what a process begins with.
///
/// Errors: there is no `valgrind`, or a program is refused.
pub fn count(xtask: &Path, work: &[(&'static Shape, Vec<usize>)]) -> Result<Vec<Counts>, String> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]).arg(xtask);
    command.args(["growth", "--compile"]);
    for (shape, sizes) in work {
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        command.arg(format!("{}:1,{}", shape.name, sizes.join(",")));
    }
    let output = command.output().map_err(|error| format!("valgrind: {error}"))?;
    let (named, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let counts = counted(&named, &said);
    let of = |shape: &Shape, ops: usize| {
        let count = counts.get(&format!("{}:{ops}", shape.name)).filter(|_| output.status.success());
        count.copied().ok_or_else(|| format!("{}: {said}", shape.name))
    };
    work.iter()
        .map(|(shape, sizes)| {
            let least = of(shape, 1)?;
            let instructions = sizes.iter().map(|&ops| Ok(of(shape, ops)?.saturating_sub(least)));
            let instructions = instructions.collect::<Result<Vec<u64>, String>>()?;
            let costs = |at: usize| [instructions[at - 1] as f64, instructions[at] as f64];
            let ratio =
                (1..sizes.len()).map(|at| growth::ratio([sizes[at - 1], sizes[at]], costs(at))).fold(0.0, f64::max);
            Ok(Counts { shape: shape.name, sizes: sizes.clone(), instructions, ratio })
        })
        .collect()
}

/// The instructions of each program, from the process of each as [`compile_each`] names it, and the number of each process
/// as cachegrind says it at the end.
fn counted(named: &str, said: &str) -> BTreeMap<String, u64> {
    let count = |process: &str| {
        let start = format!("=={process}== I   refs:");
        let number = said.lines().find_map(|line| line.strip_prefix(&start))?.trim();
        number.replace(',', "").parse().ok()
    };
    let lines = named.lines().filter_map(|line| line.split_once(' '));
    lines.filter_map(|(process, program)| Some((program.to_owned(), count(process)?))).collect()
}

/// Compiles programs of shapes, written `shape:ops,ops,..`, and prints the process of each: for `valgrind`.
///
/// Each process is forked from this one when this one has compiled the least programs. So `valgrind` translates the
/// compiler once, which takes longer than to count most of the programs.
///
/// Errors: a program is refused, or a text does not say a shape and sizes.
pub fn compile_each(setup: &Setup, programs: &[&str]) -> Result<(), String> {
    let mut work: Vec<(&'static Shape, usize)> = Vec::new();
    for text in programs {
        let (name, sizes) = text.split_once(':').ok_or_else(|| format!("{text}: there is no ':'"))?;
        for shape in shapes(Some(name))? {
            on_big_stack(|| compile(setup, shape, 1))?;
            for ops in sizes.split(',') {
                work.push((shape, ops.parse().map_err(|error| format!("{ops}: {error}"))?));
            }
        }
    }
    let processors = thread::available_parallelism().map_or(1, usize::from);
    for (running, (shape, ops)) in work.iter().enumerate() {
        if running >= processors {
            end_of_one()?;
        }
        match fork() {
            0 => {
                let compiled = catch_unwind(AssertUnwindSafe(|| on_big_stack(|| compile(setup, shape, *ops))));
                let refused = compiled.map(|compiled| compiled.map_err(|error| eprintln!("{error}")).is_err());
                std::process::exit(i32::from(refused.unwrap_or(true)));
            }
            process if process > 0 => println!("{process} {}:{ops}", shape.name),
            _ => return Err(format!("no process: {}", std::io::Error::last_os_error())),
        }
    }
    (0..work.len().min(processors)).try_for_each(|_| end_of_one())
}

/// Waits until a process that was forked from this one ends.
fn end_of_one() -> Result<(), String> {
    let ended = rustix::process::wait(rustix::process::WaitOptions::empty());
    match ended.map_err(|error| format!("no process ends: {error}"))? {
        Some((_, status)) if status.exit_status() == Some(0) => Ok(()),
        ended => Err(format!("a program is refused: {ended:?}")),
    }
}

// SAFETY: this is how POSIX declares it. The other threads of this program have ended when it is called, so that the new
// process waits for no lock of theirs.
#[allow(unsafe_code)]
unsafe extern "C" {
    safe fn fork() -> i32;
}

/// What a program took, in seconds.
#[derive(Default)]
struct Taken {
    ops: usize,
    all: f64,
    passes: BTreeMap<&'static str, f64>,
}

impl Taken {
    fn keep_least(&mut self, other: Taken) {
        if self.ops == 0 {
            *self = other;
            return;
        }
        self.all = self.all.min(other.all);
        for (name, seconds) in other.passes {
            let least = self.passes.entry(name).or_insert(seconds);
            *least = least.min(seconds);
        }
    }
}

fn compile(setup: &Setup, shape: &Shape, ops: usize) -> Result<Taken, String> {
    let text = (shape.text)(ops);
    let ctx = Context::new(setup.dialects.iter().copied());
    let (start, computed) = (Instant::now(), crate::computed());
    let compiled = growth::compile(&ctx, &setup.registry, text).map_err(|error| format!("{}: {error}", shape.name))?;
    // What others do on the machine does not count, where the system says how long this thread has computed.
    let own = crate::computed().zip(computed).map(|(after, before)| after - before);
    let all = own.map_or_else(|| start.elapsed(), Duration::from_nanos).as_secs_f64();
    let mut passes: BTreeMap<&'static str, f64> = BTreeMap::new();
    let report = &compiled.report;
    for pass in &report.passes {
        *passes.entry(pass.def.name).or_default() += pass.run.as_secs_f64();
    }
    let verify: Duration = report.passes.iter().map(|pass| pass.verify).sum();
    passes.insert("(verifier)", (verify + report.symbols).as_secs_f64());
    Ok(Taken { ops: compiled.ops, all, passes })
}

/// Runs on a stack like that of `dlc-opt`.
pub fn on_big_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(growth::STACK).spawn_scoped(scope, run);
        thread.expect("a thread starts").join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_compiles_and_has_about_as_many_ops_as_asked_for() {
        let setup = crate::setup();
        for shape in &SHAPES {
            let row = measure(&setup, shape, &[60, 120], 1).expect("the program compiles");
            // Functions and their ends are ops too.
            let about = |ops: usize, wanted: usize| ops >= wanted && ops < 2 * wanted;
            assert!(about(row.ops[0], 60) && about(row.ops[1], 120), "{row}");
        }
    }

    #[test]
    fn instructions_are_read_from_what_cachegrind_says() {
        let said = "==7== \n==8== \n==8== I   refs:      609,994,613\n==7== I   refs:      1,234\n";
        let counts = [("tree:1".to_owned(), 1234), ("tree:20".to_owned(), 609_994_613)];
        assert_eq!(counted("7 tree:1\n8 tree:20\n9 tree:40\n", said), BTreeMap::from(counts));
        assert_eq!(counted("7 tree:1\n", "valgrind: no such tool"), BTreeMap::new());
        let counts = Counts { shape: "tree", sizes: vec![1000, 2000], instructions: vec![600, 1200], ratio: 2.0 };
        assert_eq!(counts.to_string(), "| tree | 1000 | 0.000 | 2000 | 0.000 | 2.00 |");
    }

    #[test]
    fn a_shape_is_found_by_its_name() {
        assert_eq!(shapes(None).map(|shapes| shapes.len()), Ok(14));
        assert_eq!(shapes(Some("tree")).map(|shapes| shapes[0].name), Ok("tree"));
        assert!(shapes(Some("bush")).is_err_and(|error| error.contains("there are chain, tree")));
    }
}
