//! `cargo xtask growth`: how the time of the compiler grows with the program, for fourteen shapes of programs.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
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

/// Counts the instructions of a shape at sizes, by `valgrind` in a process of `xtask` (this program) for each. Those of a
/// program of one op are taken away: they are for what a process begins with.
///
/// Errors: there is no `valgrind`, or a program is refused.
pub fn count(xtask: &Path, shape: &'static Shape, sizes: &[usize]) -> Result<Counts, String> {
    let least = count_instructions(xtask, shape, 1)?;
    let of_size = |&ops: &usize| Ok(count_instructions(xtask, shape, ops)?.saturating_sub(least));
    let instructions = sizes.iter().map(of_size).collect::<Result<Vec<u64>, String>>()?;
    let costs = |at: usize| [instructions[at - 1] as f64, instructions[at] as f64];
    let ratio = (1..sizes.len()).map(|at| growth::ratio([sizes[at - 1], sizes[at]], costs(at))).fold(0.0, f64::max);
    Ok(Counts { shape: shape.name, sizes: sizes.to_vec(), instructions, ratio })
}

fn count_instructions(xtask: &Path, shape: &Shape, ops: usize) -> Result<u64, String> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]).arg(xtask);
    let output = command.args(["growth", "--compile", shape.name, &ops.to_string()]).output();
    let output = output.map_err(|error| format!("valgrind: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    counted(&said).filter(|_| output.status.success()).ok_or_else(|| format!("{}: {said}", shape.name))
}

/// The number in what cachegrind says at its end.
fn counted(said: &str) -> Option<u64> {
    let number = said.lines().find_map(|line| line.split_once("I   refs:"))?.1.trim();
    number.replace(',', "").parse().ok()
}

/// Compiles one program of a shape, and says nothing: for `valgrind`.
///
/// Errors: the program is refused.
pub fn compile_once(setup: &Setup, shape: &Shape, ops: usize) -> Result<(), String> {
    on_big_stack(|| compile(setup, shape, ops)).map(drop)
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
        let said = "==7== \n==7== I   refs:      609,994,613\n";
        assert_eq!(counted(said), Some(609_994_613));
        assert_eq!(counted("valgrind: no such tool"), None);
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
