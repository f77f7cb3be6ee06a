//! `cargo xtask growth`: how the time of the compiler grows with the program, for eleven shapes of programs.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::thread;
use std::time::{Duration, Instant};

use dlc_ir::Context;
use dlc_opt::Setup;
use dlc_test::growth::{self, SHAPES, Shape};

/// The sizes in ops, where none are given.
pub const SIZES: [usize; 2] = [1000, 2000];

/// Passes with a smaller share of the time are not named: their time is mostly noise.
const SHARE: f64 = 0.03;

/// The times of a shape at two sizes.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The name of the shape.
    pub shape: &'static str,
    /// The ops of both programs.
    pub ops: [usize; 2],
    /// The seconds from text to instructions.
    pub seconds: [f64; 2],
    /// By how much the time grows for twice the ops.
    pub ratio: f64,
    /// The pass whose time grows most, and by how much, among those that take a share of the larger program.
    pub pass: Option<(&'static str, f64)>,
}

/// The head of a table of rows.
pub const HEAD: &str = "\
| shape | ops | s | ops | s | for twice the ops | grows most |
| --- | --- | --- | --- | --- | --- | --- |";

impl Display for Row {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Row { shape, ops, seconds, ratio, pass } = self;
        write!(f, "| {shape} | {} | {:.3} | {} | {:.3} | {ratio:.2} |", ops[0], seconds[0], ops[1], seconds[1])?;
        match pass {
            Some((name, ratio)) => write!(f, " `{name}`, {ratio:.2} |"),
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

/// Measures a shape at two sizes on one thread, so many times, and takes the least times.
///
/// Errors: a program is refused.
pub fn measure(setup: &Setup, shape: &'static Shape, sizes: [usize; 2], times: usize) -> Result<Row, String> {
    let mut taken = [Taken::default(), Taken::default()];
    for _ in 0..times.max(1) {
        for (taken, ops) in taken.iter_mut().zip(sizes) {
            taken.keep_least(on_big_stack(|| compile(setup, shape, ops))?);
        }
    }
    let ops = [taken[0].ops, taken[1].ops];
    let seconds = [taken[0].all, taken[1].all];
    let mut pass: Option<(&'static str, f64)> = None;
    for (&name, &large) in &taken[1].passes {
        let ratio = growth::ratio(ops, [taken[0].passes.get(name).copied().unwrap_or(0.0), large]);
        if large >= SHARE * seconds[1] && pass.is_none_or(|(_, most)| ratio > most) {
            pass = Some((name, ratio));
        }
    }
    Ok(Row { shape: shape.name, ops, seconds, ratio: growth::ratio(ops, seconds), pass })
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
    let start = Instant::now();
    let compiled = growth::compile(&ctx, &setup.registry, text).map_err(|error| format!("{}: {error}", shape.name))?;
    let all = start.elapsed().as_secs_f64();
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
fn on_big_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
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
            let row = measure(&setup, shape, [60, 120], 1).expect("the program compiles");
            // Functions and their ends are ops too.
            let about = |ops: usize, wanted: usize| ops >= wanted && ops < 2 * wanted;
            assert!(about(row.ops[0], 60) && about(row.ops[1], 120), "{row}");
        }
    }

    #[test]
    fn a_shape_is_found_by_its_name() {
        assert_eq!(shapes(None).map(|shapes| shapes.len()), Ok(11));
        assert_eq!(shapes(Some("tree")).map(|shapes| shapes[0].name), Ok("tree"));
        assert!(shapes(Some("bush")).is_err_and(|error| error.contains("there are chain, tree")));
    }
}
