//! What the pass manager itself costs: `cargo bench -p dlc-opt --bench passes`.
//!
//! On a module of 50 000 functions with 20 ops each: an empty pass over a function, and how much faster two threads are
//! than one. Times are those that `--timing=json` reports, medians of several runs.

use std::ffi::OsString;
use std::fmt::Write;

use dlc_ir::Body;
use dlc_ir::pass::registry::Registry;
use dlc_ir::pass::{Pass, PassCx, PassDef, PassResult};
use dlc_opt::{Io, Setup};
use {dlc_passes as _, dlc_sample as _};

struct Nothing;

impl Pass for Nothing {
    fn run(&self, _: &mut Body, _: &PassCx<'_>) -> PassResult {
        Ok(())
    }
}

static NOTHING: PassDef = PassDef::base("nothing", "Does nothing.", |_| Ok(Box::new(Nothing)));

const FUNCTIONS: usize = 50_000;
const RUNS: usize = 7;

fn main() {
    let mut text = String::new();
    for number in 0..FUNCTIONS {
        writeln!(text, "sample.func @f{number}(%a0: i64, %b0: i64) -> i64 {{").expect("memory");
        for op in 0..19 {
            let name = ["addi", "muli", "xori", "subi"][(number + op) % 4];
            writeln!(text, "  %a{} = {name} %a{op}, %b0 : i64", op + 1).expect("memory");
        }
        text.push_str("  return %a19\n}\n");
    }
    let one = seconds(&text, &["nothing"], 1);
    let many = seconds(&text, &["nothing"; 101], 1);
    println!("| an empty pass over a function, the first, us | {:.3} |", one / FUNCTIONS as f64 * 1e6);
    println!("| each further one, us | {:.3} |", (many - one) / 100.0 / FUNCTIONS as f64 * 1e6);
    let work = ["canonicalize", "cse", "licm", "sccp", "canonicalize", "cse"];
    let (single, double) = (seconds(&text, &work, 1), seconds(&text, &work, 2));
    println!("| six function passes, two threads against one | {:.2} times |", single / double);
}

/// The median of the wall seconds of a pipeline on every function.
fn seconds(text: &str, passes: &[&str], threads: usize) -> f64 {
    let mut runs: Vec<f64> = (0..RUNS).map(|_| once(text, passes, threads)).collect();
    runs.sort_by(f64::total_cmp);
    runs[RUNS / 2]
}

fn once(text: &str, passes: &[&str], threads: usize) -> f64 {
    let mut registry = Registry::linked();
    registry.add_pass(&NOTHING);
    let setup = Setup { registry, ..Setup::linked() };
    let pipeline = format!("--pass-pipeline=builtin.module(sample.func({}))", passes.join(","));
    let args = ["dlc-opt", "-", "--no-output", "--timing=json", &format!("--threads={threads}"), &pipeline];
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut stdin = text.as_bytes();
    let mut io = Io { stdin: &mut stdin, stdout: &mut stdout, stderr: &mut stderr, terminal: false };
    dlc_opt::run(&setup, &args, &mut io);
    let report: serde_json::Value = serde_json::from_slice(&stderr).expect("--timing=json writes JSON");
    report["timing"]["wall"].as_f64().expect("the report has the wall time")
}
