//! Tests of what is measured, and of whole programs.

mod programs;

use std::collections::BTreeMap;
use std::time::Duration;

use dlc::cuda::exec::Loaded;
use dlc::cuda::fake::Fake;
use dlc_ir::Context;
use dlc_ir::diag::Diagnostics;
use dlc_translate::manifest::plan::{Plan, Target};
use dlc_translate::manifest::read;
use serde_json::json;

use super::bench;

/// A kernel of two launches, for three rows.
fn plan() -> Plan {
    let manifest = json!({
        "manifest": 1, "target": "sm_90a", "ptx_version": "8.0", "module": "m.ptx",
        "kernels": [{
            "name": "k", "symbols": ["N"],
            "inputs": [{"name": "x", "type": "f32", "shape": ["N", 8]}],
            "outputs": ["y"],
            "buffers": [{"name": "y", "role": "output", "type": "f32", "shape": ["N", 8]}],
            "launches": [
                {"entry": "first", "grid": ["2*N", 1, 1], "threads": 64, "args": [{"buffer": "x"}]},
                {"entry": "second", "grid": ["N", 2, 3], "threads": 32, "args": [{"buffer": "y"}]},
            ],
        }],
    });
    let (ctx, diags) = (Context::new([]), Diagnostics::new());
    let file = ctx.sources.add("m.json", manifest.to_string()).expect("a small text");
    let manifest = read(&file, &diags).unwrap_or_else(|| panic!("{:?}", diags.take()));
    let sizes = BTreeMap::from([("N".to_string(), 3)]);
    Target::Kernel(&manifest.kernels[0]).plan(&manifest, &sizes).expect("a plan")
}

/// What `work` asks of a driver.
fn asked(plan: &Plan, work: impl FnOnce(&mut Loaded<'_>)) -> Vec<String> {
    let mut fake = Fake::new();
    let log = fake.log.clone();
    let mut loaded = Loaded::new(&mut fake, plan, Duration::from_secs(1)).expect("it loads");
    log.lines().clear();
    work(&mut loaded);
    // Without what is given back at the end.
    let lines = std::mem::take(&mut *log.lines());
    drop(loaded);
    lines
}

/// What it takes to start a run is measured besides the driver's part of it.
#[test]
fn calls_are_measured() {
    let plan = plan();
    let lines = asked(&plan, |loaded| {
        let calls =
            bench::calls(loaded, &bench::Measured::of(vec![1.0])).expect("it does").expect("there are launches");
        assert!(calls.driver == 2.0 && calls.all < 1e4, "{calls:?}");
        // What takes long is started less often.
        let calls = bench::calls(loaded, &bench::Measured::of(vec![1e6])).expect("it does");
        assert_eq!(calls.map(|calls| calls.driver), Some(2.0));
    });
    let bursts = |count: usize| lines.iter().filter(|line| **line == format!("{count} times Graph(Graph(1))")).count();
    assert_eq!((bursts(32), bursts(1)), (3, 1), "{lines:?}");
    assert_eq!(lines.iter().filter(|line| *line == "replay 1").count(), 3 * 32 + 1);
}

#[test]
fn runs_are_measured_with_cold_caches() {
    let plan = plan();
    let lines = asked(&plan, |loaded| {
        let measured = bench::measure(loaded, 2, Duration::ZERO).expect("it does");
        // The fake takes the number of the later mark for the time.
        assert_eq!((measured.quantile(0.0), measured.quantile(1.0)), (2.0, 4.0));
        let shown = dlc_opt::table::lines(&bench::shown("@k", &plan, &measured, None));
        let row = shown.lines().nth(1).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        assert_eq!(row.as_deref(), Some("@k 2 2 3000.00 2000.00 4000.00 2000.00 0.0 - -"));
    });
    let timed = lines.iter().position(|line| line == "mark 1").expect("a mark");
    let expected = "flush\nmark 1\nreplay 1\nmark 2\nwait\nbetween 1 and 2\nflush\nmark 3\nreplay 1\nmark 4\nwait\nbetween 3 and 4";
    assert_eq!(lines[timed - 1..].join("\n"), expected);
    assert_eq!(lines.iter().filter(|line| *line == "flush").count(), 7);
}
