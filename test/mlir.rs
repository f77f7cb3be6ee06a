//! Holds the generic form against MLIR: everything under `test/` that dlc-opt accepts, mlir-opt reads and prints back the
//! same, and dlc-opt reads what mlir-opt then writes.
//!
//! Runs where `mlir-opt` is installed, and says so where it is not.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dlc_test::child::{self, Ending};
use dlc_test::discover;
use dlc_test::features::Features;

use crate::tool::tool;

// What is linked in registers itself.
use {
    dlc_book as _, dlc_core as _, dlc_frontend as _, dlc_host as _, dlc_kernel as _, dlc_passes as _, dlc_plan as _,
    dlc_poly as _, dlc_ptx as _, dlc_region as _, dlc_sample as _, dlc_tiny as _,
};

/// Fewer modules than this mean that the walk, not the tree, has gone wrong.
const AT_LEAST: usize = 60;

/// How many modules one process of mlir-opt reads.
const BATCH: usize = 32;

/// What stands between modules, for `--split-input-file`.
const SEPARATOR: &str = "\n// -----\n";

#[test]
fn every_file_goes_through_mlir_opt_and_back() {
    let features = Features::on_path(&std::env::var_os("PATH").unwrap_or_default());
    let Some(mlir_opt) = features.program("mlir-opt") else {
        say("not run: mlir-opt is not installed");
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let parts = discover::parts(root).expect("the tree of tests can be read");
    let batches: Vec<&[(String, String)]> = parts.chunks(BATCH).collect();
    let (next, tried) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut failures = Vec::new();
        while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            // What dlc-opt refuses is there to be refused.
            let ours: Vec<(&str, String)> =
                batch.iter().filter_map(|(name, text)| Some((name.as_str(), dlc(text)?))).collect();
            tried.fetch_add(ours.len(), Ordering::Relaxed);
            let texts: Vec<&str> = ours.iter().map(|(_, text)| text.as_str()).collect();
            if round_trip(mlir_opt, &texts).is_ok() {
                continue;
            }
            let each = ours.iter().map(|(name, text)| (name, round_trip(mlir_opt, &[text])));
            failures.extend(each.filter_map(|(name, trip)| Some(format!("{name}: {}", trip.err()?))));
        }
        failures
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut failures: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker does not panic")).collect()
    });
    failures.sort();
    let tried = tried.into_inner();
    say(&format!("{tried} of {} modules went through mlir-opt and back", parts.len()));
    assert!(failures.is_empty(), "{} of {} modules:\n{}", failures.len(), tried, failures.join("\n"));
    assert!(tried >= AT_LEAST, "only {tried} modules were found");
}

/// Tells what was done also when the test passes: the harness swallows what the print macros write.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "\nmlir: {line}");
}

/// Sends modules to mlir-opt and back, which must leave them as they are.
fn round_trip(mlir_opt: &Path, ours: &[&str]) -> Result<(), String> {
    let theirs = mlir(mlir_opt, ours).map_err(|error| format!("mlir-opt refuses it: {error}\n{}", ours.join("\n")))?;
    let each: Vec<&str> = theirs.iter().map(String::as_str).collect();
    let again = mlir(mlir_opt, &each).map_err(|error| format!("mlir-opt refuses its own output: {error}"))?;
    if theirs != again {
        return Err("mlir-opt prints something else the second time".into());
    }
    let back = |text: &&str| dlc(text).ok_or_else(|| format!("dlc-opt refuses what mlir-opt printed:\n{text}"));
    let back: Vec<String> = each.iter().map(back).collect::<Result<_, _>>()?;
    let back: Vec<&str> = back.iter().map(String::as_str).collect();
    let last = mlir(mlir_opt, &back).map_err(|error| format!("mlir-opt refuses the second trip: {error}"))?;
    match theirs.iter().zip(&last).find(|(theirs, last)| theirs != last) {
        Some((theirs, last)) => Err(format!("the trip through dlc-opt changed it:\n{theirs}\n--- to ---\n{last}")),
        None => Ok(()),
    }
}

fn dlc(text: &str) -> Option<String> {
    tool(dlc_opt::run, &["dlc-opt", "-", "--allow-unregistered-dialect", "--print-generic"], text).ok()
}

/// What mlir-opt prints for each of some modules, all in one process: most of its time is that of its start.
fn mlir(mlir_opt: &Path, texts: &[&str]) -> Result<Vec<String>, String> {
    let mut command = Command::new(mlir_opt);
    command.args(["--allow-unregistered-dialect", "--mlir-print-op-generic", "--mlir-disable-threading"]);
    command.arg("--split-input-file");
    let output = child::run(&mut command, texts.join(SEPARATOR).as_bytes(), false, Duration::from_secs(60))?;
    if output.ending != Ending::Code(0) {
        return Err(String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or("").to_string());
    }
    let printed: Vec<String> =
        String::from_utf8_lossy(&output.stdout).split("// -----").map(|part| part.trim().to_string()).collect();
    match printed.len() == texts.len() {
        true => Ok(printed),
        false => Err(format!("it prints {} modules of {}", printed.len(), texts.len())),
    }
}
