//! Tests of what is asked of the driver, and of what is reported when it fails.

use std::collections::BTreeMap;
use std::time::Duration;

use dlc_ir::Context;
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_translate::manifest::numbers::Use;
use dlc_translate::manifest::plan::{Plan, Target};
use dlc_translate::manifest::{Manifest, read};
use serde_json::{Value, json};

use super::driver::{Device, Driver, Failure, Kind};
use super::exec::Loaded;
use super::fake::Fake;
use super::{
    BAD_MODULE, DRIVER_FAILS, DRIVER_TOO_OLD, KERNEL_FAULT, KERNEL_HANGS, NO_DEVICE, NO_DRIVER, OUT_OF_MEMORY,
    WRONG_ARCHITECTURE, cache, device,
};

const LIMIT: Duration = Duration::from_secs(1);

/// A kernel with scratch, a tensor map and two launches, and a program that runs it twice.
fn manifest() -> Value {
    json!({
        "manifest": 1, "target": "sm_90a", "ptx_version": "8.0", "module": "m.ptx",
        "kernels": [{
            "name": "k", "symbols": ["N"],
            "inputs": [{"name": "x", "type": "f32", "shape": ["N", 8]}],
            "outputs": ["y"],
            "buffers": [
                {"name": "y", "role": "output", "type": "f32", "shape": ["N", 8]},
                {"name": "s", "role": "scratch", "type": "f32", "shape": ["N"]},
            ],
            "tensor_maps": [{"name": "m", "buffer": "x", "type": "f32", "box": [16, 8], "swizzle": 32}],
            "launches": [
                {"entry": "first", "grid": ["2*N", 1, 1], "cluster": [2, 1, 1], "threads": 64, "shared": 5000,
                 "args": [{"map": "m"}, {"buffer": "s"}, {"i32": "-N"}]},
                {"entry": "second", "grid": ["N", 2, 3], "threads": 32, "early": true, "args": [{"buffer": "s"}, {"buffer": "y"}]},
            ],
        }],
        "programs": [{
            "name": "p", "symbols": ["B"],
            "inputs": [{"name": "a", "type": "f32", "shape": ["B", 8]}],
            "outputs": [{"name": "z", "type": "f32", "shape": ["B", 8]}, {"name": "c", "type": "i8", "shape": [4]}],
            "arena": "32*B", "pool": 4,
            "steps": [
                {"const": "c", "type": "i8", "shape": [4], "offset": 0, "base64": "AQIDBA=="},
                {"launch": [{"kernel": "k", "sizes": {"N": "B"}}], "inputs": ["a"],
                 "outputs": [{"name": "h", "type": "f32", "shape": ["B", 8], "offset": 0}]},
                {"launch": [{"kernel": "k", "sizes": {"N": "B"}}], "inputs": ["h"],
                 "outputs": [{"name": "z", "type": "f32", "shape": ["B", 8], "offset": null}]},
            ],
            "results": ["z", "c"],
        }],
    })
}

fn read_value(value: &Value) -> Manifest {
    let (ctx, diags) = (Context::new([]), Diagnostics::new());
    let file = ctx.sources.add("m.json", value.to_string()).expect("a small text");
    read(&file, &diags).unwrap_or_else(|| panic!("{:?}", diags.take()))
}

/// The plan of the kernel, or of the program, for three rows.
fn plan(program: bool) -> Plan {
    let manifest = read_value(&manifest());
    let (target, symbol) = match program {
        true => (Target::Program(&manifest.programs[0]), "B"),
        false => (Target::Kernel(&manifest.kernels[0]), "N"),
    };
    target.plan(&manifest, &BTreeMap::from([(symbol.to_string(), 3)])).expect("a plan")
}

/// What `work` asks of a driver.
fn asked(plan: &Plan, work: impl FnOnce(&mut Loaded<'_>)) -> Vec<String> {
    let mut fake = Fake::new();
    let log = fake.log.clone();
    let mut loaded = Loaded::new(&mut fake, plan, LIMIT).expect("it loads");
    log.lines().clear();
    work(&mut loaded);
    // Without what is given back at the end.
    let lines = std::mem::take(&mut *log.lines());
    drop(loaded);
    lines
}

/// What is reported when something fails.
fn failing_run(plan: &Plan, change: impl FnOnce(&mut Fake)) -> Box<Diagnostic> {
    let mut fake = Fake::new();
    change(&mut fake);
    let mut work = || {
        let mut loaded = Loaded::new(&mut fake, plan, LIMIT)?;
        loaded.upload(&[vec![0; 96]])?;
        loaded.run()?;
        loaded.download()
    };
    work().expect_err("it fails")
}

#[test]
fn memory_is_taken_entries_are_found_and_maps_are_made() {
    let mut fake = Fake::new();
    let log = fake.log.clone();
    let plan = plan(true);
    drop(Loaded::new(&mut fake, &plan, LIMIT));
    let expected = "\
allocate 96
fill 96 at 0x1000 with 255
allocate 96
fill 96 at 0x2000 with 255
allocate 96
fill 96 at 0x3000 with 255
allocate 4
fill 4 at 0x4000 with 255
allocate 256
fill 256 at 0x5000 with 255
wait
upload 4 to 0x4000
entry first, shared 5000, clusters of 2
entry second, shared 0, clusters of 1
map m of 0x1000: [8, 3] [32] [8, 16]
map m of 0x3000: [8, 3] [32] [8, 16]
release 0x1000
release 0x2000
release 0x3000
release 0x4000
release 0x5000";
    assert_eq!(log.lines().join("\n"), expected);
}

#[test]
fn a_program_runs_in_order() {
    let plan = plan(true);
    let lines = asked(&plan, |loaded| {
        loaded.upload(&[vec![0; 96]]).expect("it does");
        loaded.run().expect("it runs");
        assert_eq!(loaded.download().map(|outputs| outputs.len()).ok(), Some(2));
    });
    // A launch that may start early is awaited together with the one before it.
    let expected = "\
upload 96 to 0x1000
wait
fill 12 at 0x5000 with 0
launch first [6, 1, 1] by [2, 1, 1], 64, 5000 (map(0x1000), 0x5000, -3)
launch second [3, 2, 3] by [1, 1, 1], 32, 0 early (0x5000, 0x3000)
wait
fill 12 at 0x5000 with 0
launch first [6, 1, 1] by [2, 1, 1], 64, 5000 (map(0x3000), 0x5000, -3)
launch second [3, 2, 3] by [1, 1, 1], 32, 0 early (0x5000, 0x2000)
wait
download 96 from 0x2000
download 4 from 0x4000";
    assert_eq!(lines.join("\n"), expected);
}

#[test]
fn an_entry_has_what_its_largest_launch_needs() {
    let mut plan = plan(true);
    plan.runs[1].numbers.starts[0].shared = 4000;
    plan.runs[1].numbers.starts[0].cluster = [4, 2, 1];
    plan.runs[1].numbers.starts[1].entry = "first".into();
    let mut fake = Fake::new();
    let log = fake.log.clone();
    drop(Loaded::new(&mut fake, &plan, LIMIT));
    let entries: Vec<String> = log.lines().iter().filter(|line| line.starts_with("entry")).cloned().collect();
    assert_eq!(entries, ["entry first, shared 5000, clusters of 8", "entry second, shared 0, clusters of 1"]);
}

#[test]
fn several_launches_are_recorded_once() {
    let plan = plan(false);
    let lines = asked(&plan, |loaded| {
        loaded.enqueue().expect("it does");
        loaded.enqueue().expect("it does");
        loaded.wait().expect("it does");
    });
    let expected = "\
record
fill 12 at 0x3000 with 0
launch first [6, 1, 1] by [2, 1, 1], 64, 5000 (map(0x1000), 0x3000, -3)
launch second [3, 2, 3] by [1, 1, 1], 32, 0 early (0x3000, 0x2000)
recorded 1
replay 1
replay 1
wait";
    assert_eq!(lines.join("\n"), expected);
    // A single launch needs no graph, and with memory that must be zero it is two things to do.
    let mut single = plan;
    single.runs[0].numbers.starts.truncate(1);
    let lines = asked(&single, |loaded| loaded.enqueue().expect("it does"));
    assert!(lines.len() == 5 && lines[0] == "record" && lines[4] == "replay 1", "{lines:?}");
    single.runs[0].numbers.buffers.retain(|(_, is)| *is != Use::Scratch);
    single.runs[0].places.truncate(2);
    single.runs[0].numbers.starts[0].params.truncate(1);
    let lines = asked(&single, |loaded| loaded.enqueue().expect("it does"));
    assert!(lines.len() == 1 && lines[0].starts_with("launch first"), "{lines:?}");
}

#[test]
fn a_recording_that_fails_is_ended() {
    let plan = plan(false);
    let mut fake = Fake::new();
    fake.fails.push(("launch second", 0, Kind::Other));
    let log = fake.log.clone();
    let mut loaded = Loaded::new(&mut fake, &plan, LIMIT).expect("it loads");
    let error = loaded.enqueue().expect_err("it fails");
    assert_eq!(error.code, &DRIVER_FAILS);
    assert!(error.message.contains("'second' of the kernel 'k'"), "{error:?}");
    assert_eq!(log.lines().last().map(String::as_str), Some("recorded 1"));
}

#[test]
fn what_does_not_fit_is_told_with_its_bytes() {
    let error = failing_run(&plan(false), |fake| fake.total = 150);
    assert_eq!(error.code, &OUT_OF_MEMORY);
    let message = "96 bytes for the output 'y', of 448 in all, are more than the device has left; \
                   54 of the 150 bytes of Fake are free";
    assert_eq!(error.message, message);
}

#[test]
fn a_kernel_that_faults_is_named_with_its_launch() {
    let mut single = plan(false);
    single.runs[0].numbers.starts.truncate(1);
    // The first waits are before the first launch.
    let error = failing_run(&single, |fake| fake.fails.push(("wait", 1, Kind::Fault)));
    assert_eq!(error.code, &DRIVER_FAILS, "{error:?}");

    let error = failing_run(&single, |fake| fake.fails.push(("launch first", 0, Kind::Fault)));
    assert_eq!(error.code, &KERNEL_FAULT);
    let message = "'first' of the kernel 'k' (grid [6, 1, 1], clusters [2, 1, 1], 64 threads, 5000 bytes of shared \
                   memory) has gone wrong: it was told to";
    assert_eq!(error.message, message);
    assert_eq!(error.notes[0].message, "its parameters are the tensor map 'm', 's' ([3] of f32), -3");

    let fault = |kind| failing_run(&plan(false), |fake| fake.fails.push(("wait", 2, kind)));
    let error = fault(Kind::Fault);
    assert_eq!(error.code, &KERNEL_FAULT);
    assert!(error.message.contains("'first' of") && error.message.contains(", or 'second' of"), "{error:?}");
    let error = fault(Kind::TimedOut);
    assert_eq!(error.code, &KERNEL_HANGS);
    assert!(error.suggestion.is_some_and(|text| text.contains("--time-limit")));
}

#[test]
fn entries_must_be_in_the_module() {
    let error = failing_run(&plan(false), |fake| fake.fails.push(("entry second", 0, Kind::NoEntry)));
    assert_eq!(error.code, &BAD_MODULE);
    assert_eq!(error.message, "the module has no entry 'second', which the kernel 'k' launches");
    let error = failing_run(&plan(false), |fake| fake.fails.push(("entry second", 0, Kind::Other)));
    assert!(error.code == &BAD_MODULE && error.message.contains("cannot be prepared: it was told to"), "{error:?}");
    let error = failing_run(&plan(false), |fake| {
        fake.device.shared = 4096;
        fake.fails.push(("entry first", 0, Kind::Other));
    });
    assert_eq!(error.code, &WRONG_ARCHITECTURE);
    assert!(error.message.contains("needs 5000 bytes of shared memory, and a block of Fake has 4096"), "{error:?}");
    let error = failing_run(&plan(false), |fake| fake.fails.push(("map m", 0, Kind::Other)));
    assert!(error.code == &DRIVER_FAILS && error.message.contains("the tensor map 'm' of the kernel 'k'"), "{error:?}");
}

#[test]
fn machines_without_a_driver_or_a_device() {
    let failed = |kind| device::usable(Err(Failure { kind, message: "why".into() })).expect_err("it cannot be used");
    let error = failed(Kind::NoDriver);
    assert_eq!((error.code, error.message.as_str()), (&NO_DRIVER, "there is no CUDA driver: why"));
    let error = failed(Kind::TooOld);
    assert_eq!(error.code, &DRIVER_TOO_OLD);
    assert_eq!(error.message, "why: a driver for CUDA 12.0 or later is needed");
    assert_eq!(failed(Kind::NoDevice).code, &NO_DEVICE);
    assert_eq!(failed(Kind::Other).code, &DRIVER_FAILS);
    let error = device::usable(Ok(11080)).expect_err("it is too old");
    assert_eq!(error.code, &DRIVER_TOO_OLD);
    assert_eq!(error.message, "the CUDA driver is for CUDA 11.8, and a driver for CUDA 12.0 or later is needed");
    assert!(device::usable(Ok(12000)).is_ok() && device::usable(Ok(13010)).is_ok());
}

#[test]
fn modules_fit_a_device_or_not() {
    let fits = |target: &str, ptx: &str, capability, driver| {
        let mut value = manifest();
        value["target"] = json!(target);
        value["ptx_version"] = json!(ptx);
        let device = Device { name: "D".into(), capability, driver, shared: 0 };
        device::fits(&read_value(&value), &device)
    };
    assert!(fits("sm_90a", "8.0", (9, 0), 12000).is_ok());
    assert!(fits("sm_80", "8.0", (9, 0), 12000).is_ok());
    assert!(fits("sm_100f", "8.8", (10, 3), 13000).is_ok());
    for (target, capability) in
        [("sm_90a", (10, 0)), ("sm_90a", (8, 0)), ("sm_90", (8, 9)), ("sm_100f", (12, 0)), ("sm_103f", (10, 0))]
    {
        let error = fits(target, "8.0", capability, 13000).expect_err("another device");
        assert_eq!(error.code, &WRONG_ARCHITECTURE, "{target}");
        let is = format!("sm_{}{}", capability.0, capability.1);
        assert_eq!(error.message, format!("the module is for {target}, and the device is D ({is})"));
    }
    let error = fits("sm_90a", "8.7", (9, 0), 12040).expect_err("an old driver");
    assert_eq!(error.code, &DRIVER_TOO_OLD);
    let message =
        "the module is in PTX 8.7, which needs a driver for CUDA 12.8 or later, and this driver is for CUDA 12.4";
    assert_eq!(error.message, message);
    // What this program does not know of, the driver may.
    assert!(fits("sm_90a", "99.0", (9, 0), 13000).is_ok());
}

#[test]
fn modules_are_compiled_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let inside = folder.path().join("cache");
    let load = |ptx: &str, change: &dyn Fn(&mut Fake), folder: Option<&std::path::Path>| {
        let kept = folder.map(|folder| cache::Cache { folder: folder.into(), bytes: cache::USUAL_BYTES });
        let mut fake = Fake::new();
        change(&mut fake);
        let cached = cache::load(&mut fake, ptx, kept.as_ref());
        let lines = fake.log.lines().join("\n");
        (cached.map_err(|failure| failure.kind), lines)
    };
    let compiled = "compile a\nload code of a".to_string();
    let same = |_: &mut Fake| {};
    assert_eq!(load("a", &same, Some(&inside)), (Ok(false), compiled.clone()));
    assert_eq!(load("a", &same, Some(&inside)), (Ok(true), "load code of a".into()));
    // Without a folder, with another driver, on another device and for another text it is compiled.
    assert_eq!(load("a", &same, None), (Ok(false), compiled.clone()));
    assert_eq!(load("a", &|fake| fake.device.driver = 13010, Some(&inside)), (Ok(false), compiled.clone()));
    assert_eq!(load("a", &|fake| fake.device.capability = (9, 1), Some(&inside)), (Ok(false), compiled.clone()));
    assert_eq!(load("b", &same, Some(&inside)).0, Ok(false));
    let files = || std::fs::read_dir(&inside).expect("the folder").map(|file| file.expect("a file").path());
    assert_eq!(files().count(), 4);
    // What is cut off or of another form is compiled again, and then whole.
    for file in files() {
        let bytes = std::fs::read(&file).expect("a file");
        std::fs::write(&file, &bytes[..bytes.len() / 2]).expect("it is written");
    }
    assert_eq!(load("a", &same, Some(&inside)), (Ok(false), compiled.clone()));
    assert_eq!(load("a", &same, Some(&inside)).0, Ok(true));
    // So is code that lacks its end.
    for file in files() {
        let bytes = std::fs::read(&file).expect("a file");
        std::fs::write(&file, &bytes[..bytes.len() - 1]).expect("it is written");
    }
    assert_eq!(load("a", &same, Some(&inside)), (Ok(false), compiled.clone()));
    assert_eq!(load("a", &same, Some(&inside)).0, Ok(true));
    // A folder that cannot be written to costs time alone.
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("it is written");
    assert_eq!(load("a", &same, Some(&file.join("below"))), (Ok(false), compiled));
    // Code that the driver does not take any more is compiled again.
    let (cached, lines) = load("a", &|fake| fake.fails.push(("load code", 0, Kind::BadModule)), Some(&inside));
    assert_eq!((cached, lines.as_str()), (Err(Kind::BadModule), "load code of a\ncompile a\nload code of a"));
}

#[test]
fn modules_that_are_not_taken() {
    let load = |kind| {
        let mut fake = Fake::new();
        fake.fails.push(("compile", 0, kind));
        let cached = cache::load(&mut fake, "a", None).map_err(|failure| failure.kind);
        let lines = fake.log.lines().join("\n");
        (cached, lines)
    };
    assert_eq!(load(Kind::BadModule), (Err(Kind::BadModule), "compile a".into()));
    assert_eq!(load(Kind::TooOld), (Err(Kind::TooOld), "compile a".into()));
    // A driver that makes no code to keep may still load PTX.
    assert_eq!(load(Kind::Other), (Ok(false), "compile a\nload a\0".into()));

    let fails = |kind| {
        let mut fake = Fake::new();
        fake.fails.push(("compile", 0, kind));
        super::module::load(&mut fake, &read_value(&manifest()), "a", None).expect_err("it is not taken")
    };
    let error = fails(Kind::BadModule);
    assert_eq!(error.code, &BAD_MODULE);
    assert_eq!(error.message, "the CUDA driver does not take 'm.ptx': it was told to");
    let error = fails(Kind::TooOld);
    assert_eq!(error.code, &DRIVER_TOO_OLD);
    assert!(error.message.ends_with("needs a newer driver, and this driver is for CUDA 13.0"), "{error:?}");
}

/// What gives registers to some of its warps is loaded as PTX, and not kept: linked code would keep them in memory.
#[test]
fn modules_that_set_registers_are_not_linked() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = cache::Cache { folder: folder.path().join("dlc"), bytes: 1 << 20 };
    for _ in 0..2 {
        let mut fake = Fake::new();
        assert!(!cache::load(&mut fake, "setmaxnreg", Some(&cache)).expect("it is loaded"));
        assert_eq!(fake.log.lines().join("\n"), "load setmaxnreg\0");
    }
    assert_eq!(cache.holds(), (0, 0));
}

/// Where there is a GPU, a device can be opened; elsewhere an error says why not.
#[test]
fn this_machine_has_a_device_or_says_why_not() {
    match device::open(0) {
        Ok(mut cuda) => assert!(cuda.memory().is_ok_and(|(free, total)| free <= total)),
        Err(error) => assert!([&NO_DRIVER, &NO_DEVICE, &DRIVER_TOO_OLD, &DRIVER_FAILS].contains(&error.code)),
    }
}

/// A module of a text, from a cache or compiled.
fn cached(cache: &cache::Cache, ptx: &str) -> bool {
    let mut fake = Fake::new();
    let was = cache::load(&mut fake, ptx, Some(cache)).expect("it is loaded");
    let loaded = fake.log.lines().last().cloned();
    assert_eq!(loaded.as_deref(), Some(&*format!("load code of {ptx}")));
    was
}

#[test]
fn what_was_used_last_stays_and_nobody_else_reads_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    // A file has 76 bytes and the nine of "code of a".
    let cache = cache::Cache { folder: folder.path().join("dlc"), bytes: 2 * 85 };
    assert!(!cached(&cache, "a") && !cached(&cache, "b") && cached(&cache, "a"));
    assert!(!cached(&cache, "c"));
    assert_eq!(cache.holds(), (2, 170));
    assert!(cached(&cache, "a") && cached(&cache, "c") && !cached(&cache, "b"));
    let mode = |path: &std::path::Path| path.metadata().expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&cache.folder), 0o700);
    for file in std::fs::read_dir(&cache.folder).expect("a folder") {
        assert_eq!(mode(&file.expect("a file").path()), 0o600);
    }
    // What a process has left that ended while it wrote is no module, and goes with the others.
    std::fs::write(cache.folder.join(".dlc-left"), "dlc cubin 3").expect("it is written");
    assert_eq!(cache.holds(), (2, 170));
    assert_eq!(cache.clear().expect("it is cleared"), (2, 170));
    assert_eq!(std::fs::read_dir(&cache.folder).expect("a folder").count(), 0);
    // What is larger than the cache is not kept.
    let small = cache::Cache { bytes: 84, ..cache };
    assert!(!cached(&small, "a") && !cached(&small, "a"));
}

/// Several processes write and trim one cache at once, and one of them is ended in the middle: each has the code of its
/// text all the time.
#[test]
fn processes_share_a_cache() {
    const FOLDER: &str = "DLC_TEST_CACHE";
    let run = |cache: &cache::Cache| {
        for step in 0..150 {
            cached(cache, ["a", "b", "c", "d"][step % 4]);
        }
    };
    if let Some(folder) = std::env::var_os(FOLDER) {
        return run(&cache::Cache { folder: folder.into(), bytes: 3 * 85 });
    }
    let folder = tempfile::tempdir().expect("a folder");
    let cache = cache::Cache { folder: folder.path().join("dlc"), bytes: 3 * 85 };
    let start = || {
        let mut command = std::process::Command::new(std::env::current_exe().expect("this program"));
        command.args(["--exact", "cuda::tests::processes_share_a_cache"]).env(FOLDER, &cache.folder);
        command.stdout(std::process::Stdio::null()).spawn().expect("it starts")
    };
    let (mut one, mut two, mut ended) = (start(), start(), start());
    run(&cache);
    ended.kill().expect("it is ended");
    ended.wait().expect("it has ended");
    assert!(one.wait().expect("it ends").success() && two.wait().expect("it ends").success());
    // The one that was ended may have written and not trimmed: the next that writes does.
    assert!(!cached(&cache, "e"));
    assert!(cache.holds().1 <= cache.bytes);
}
