//! Random input for the text layer: about a second, or as long as `DLC_FUZZ_SECONDS` says.
//!
//! A failure names its seed and case. `DLC_FUZZ_SEED` and `DLC_FUZZ_CASE` repeat it; `DLC_FUZZ_CASES` says how many cases are
//! run. With a time given and no seed, the seed is the clock.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use dlc_core::tensor::with_threads;
use dlc_ir::random::Random;
use dlc_ir::{Body, Context, Diagnostics, OpRef, verify};
use dlc_passes as _;
use dlc_test::fuzz::tiny::{self, Fuzzer, Pipelines, Style};
use dlc_test::fuzz::{self, Damage, Damaged, Kind};

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is a number, not '{text}'")))
}

fn fuzz(kind: Kind) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = fuzz::corpus(&[&root.join("mlir"), &root.join("ir")]).expect("the corpus can be read");
    let cases = match kind {
        Kind::Bytes | Kind::Soup => 2000,
        Kind::Mutated => 300,
        Kind::Module => 200,
    };
    repeat(&format!("{kind:?}"), cases, |seed, case| fuzz::run(kind, seed, case, &corpus));
}

/// Runs cases: so many, or as many as the time allows, or the one that is named.
fn repeat(what: &str, usual: u64, run: impl FnMut(u64, u64) -> Result<(), String>) {
    repeat_share(what, usual, (0, 1), run);
}

/// As [`repeat`], of `(n, of)` every case that is `n` modulo `of`: for tests that would keep one processor busy longest.
fn repeat_share(what: &str, usual: u64, share: (u64, u64), mut run: impl FnMut(u64, u64) -> Result<(), String>) {
    let seconds = number("DLC_FUZZ_SECONDS");
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let seed = number("DLC_FUZZ_SEED").unwrap_or_else(|| if seconds.is_some() { clock() } else { 1 });
    let only = number("DLC_FUZZ_CASE");
    // Without a time the number of cases is fixed, so that the test is the same on every machine.
    let cases = match (only, seconds) {
        (Some(case), _) => case..case + 1,
        (None, Some(_)) => 0..u64::MAX,
        (None, None) => 0..number("DLC_FUZZ_CASES").unwrap_or(usual),
    };
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut done = 0;
    for case in cases.filter(|case| case % share.1 == share.0) {
        if end.is_some_and(|end| Instant::now() > end) {
            break;
        }
        done += 1;
        let started = time_taken();
        let result = catch_unwind(AssertUnwindSafe(|| run(seed, case)));
        let result = result.unwrap_or_else(|_| Err("it panicked, see above".into()));
        let took = time_taken().saturating_sub(started);
        let result = result.and(if took > Duration::from_secs(10) { Err(format!("it took {took:?}")) } else { Ok(()) });
        if let Err(message) = result {
            let again = format!("DLC_FUZZ_SEED={seed} DLC_FUZZ_CASE={case}");
            panic!("{what}, seed {seed}, case {case}: {message}\nrepeat with {again}");
        }
    }
    println!("{what}: {done} cases of seed {seed}");
}

/// The time that this thread has computed so far, where the system says so, whatever else the machine does.
fn time_taken() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = *START.get_or_init(Instant::now);
    let of_thread = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = of_thread.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

#[test]
fn random_bytes() {
    fuzz(Kind::Bytes);
}

#[test]
fn random_tokens() {
    fuzz(Kind::Soup);
}

#[test]
fn mutated_files() {
    fuzz(Kind::Mutated);
}

#[test]
fn valid_modules() {
    fuzz(Kind::Module);
}

/// JSON of tiny that is nearly right: it is refused with errors, or is a program that is written and read back as itself.
#[test]
fn mutated_json() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = fuzz::files(&[&root.join("golden/tiny"), &root.join("dialects/tiny/json")], "json").expect("a corpus");
    let small: Vec<String> = corpus.into_iter().filter(|text| text.len() < 100_000).collect();
    repeat("JSON", 1500, |seed, case| {
        let mut rng = Random::of_case(seed, case);
        let file = rng.pick(&small).cloned().unwrap_or_default();
        let parts: Vec<&str> = file.split("// -----\n").collect();
        let part = rng.pick(&parts).copied().unwrap_or_default();
        check_json(&fuzz::mutate_json(&mut rng, part))
    });
}

fn check_json(text: &str) -> Result<(), String> {
    let ctx = Context::new([&dlc_core::DIALECT, &dlc_tiny::DIALECT]);
    let diags = Diagnostics::new();
    let translation = &dlc_tiny::json::TRANSLATION;
    let (read, write) = (translation.read.ok_or("it reads")?, translation.write.ok_or("it writes")?);
    let read = |text: &str, diags: &Diagnostics| {
        let file = ctx.sources.add("t.json", text.to_string())?;
        read(&ctx, &file, 0..text.len(), diags)
    };
    let whole = |what: &str| format!("{what}:\n{text}");
    let Some(module) = read(text, &diags) else {
        return if diags.errors() > 0 { Ok(()) } else { Err(whole("it is refused without an error")) };
    };
    if !verify::verify(&ctx, &module, &diags) {
        return Ok(());
    }
    let func = |module: &Body| module.nested_ops().first().copied().ok_or_else(|| whole("there is no function"));
    let view = OpRef::new(&ctx, &module, func(&module)?);
    let Some(written) = write(&ctx, view, &diags) else {
        return if diags.errors() > 0 { Ok(()) } else { Err(whole("it is not written, without an error")) };
    };
    let Some(again) = read(&written, &diags) else {
        let why = diags.take().into_iter().map(|error| error.message).collect::<Vec<_>>().join("\n");
        return Err(whole(&format!("what is written does not read: {why}\n{written}\nof")));
    };
    let second = write(&ctx, OpRef::new(&ctx, &again, func(&again)?), &diags);
    match second {
        Some(second) if second == written => Ok(()),
        _ => Err(whole(&format!("what is written is written otherwise:\n{written}\n{second:?}\nof"))),
    }
}

/// From tensors to instructions.
const LAYERS: [&dlc_ir::op::Dialect; 8] = [
    &dlc_core::DIALECT,
    &dlc_tiny::DIALECT,
    &dlc_book::DIALECT,
    &dlc_region::DIALECT,
    &dlc_kernel::DIALECT,
    &dlc_host::DIALECT,
    &dlc_plan::DIALECT,
    &dlc_ptx::DIALECT,
];

/// Tensor programs, through every pass that leaves them what they are, and down to kernels.
fn fuzz_tensors(style: Style, usual: u64, share: (u64, u64)) {
    let mut fuzzer = Fuzzer::new();
    repeat_share(&format!("{style:?} tensor programs"), usual, share, |seed, case| {
        // Each in a context of its own, or it would grow.
        let ctx = Context::new(LAYERS);
        let program = tiny::program(&ctx, &mut Random::of_case(seed, case), style);
        with_threads(1, || fuzzer.run(&ctx, &program, style))
    });
    for (pipeline, changed) in fuzzer.pipelines().zip(&fuzzer.changed) {
        println!("{pipeline}: {changed} programs changed");
    }
    println!("written in other forms: {}", fuzzer.translated);
}

#[test]
fn even_tensor_programs() {
    fuzz_tensors(Style::Any, 10_000, (0, 2));
}

#[test]
fn odd_tensor_programs() {
    fuzz_tensors(Style::Any, 10_000, (1, 2));
}

#[test]
fn smooth_tensor_programs() {
    fuzz_tensors(Style::Smooth, 2_000, (0, 1));
}

/// Tensor programs, through every named pipeline from every layer.
#[test]
fn pipelines_from_every_layer() {
    let mut pipelines = Pipelines::new();
    repeat("programs through pipelines", 100, |seed, case| {
        let ctx = Context::new(LAYERS);
        let program = tiny::program(&ctx, &mut Random::of_case(seed, case), Style::Any);
        with_threads(1, || pipelines.run(&ctx, &program))
    });
    println!("{} pipelines ran to their end; refused: {:?}", pipelines.done, pipelines.refused);
}

/// The most bytes that the process had, where the system says so.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

/// What is damaged goes through three to six passes, which takes no gigabytes. `cargo xtask fuzz` does so by the thousand.
fn fuzz_damaged(damage: Damage, usual: u64) {
    let damaged = Damaged::load(Path::new(env!("CARGO_MANIFEST_DIR")), damage).expect("the corpus can be read");
    assert!(damage != Damage::Plans || damaged.missing().is_empty(), "{:?}", damaged.missing());
    let mut fates: BTreeMap<String, usize> = BTreeMap::new();
    repeat(&format!("{damage:?}"), usual, |seed, case| {
        let layers = [&dlc_frontend::DIALECT, &dlc_poly::DIALECT, &dlc_sample::DIALECT];
        let fate = damaged.run(&|| Context::new(LAYERS.into_iter().chain(layers)), seed, case)?;
        *fates.entry(format!("{fate:?}")).or_default() += 1;
        Ok(())
    });
    println!("{damage:?}: {fates:?}");
    assert!(most_memory().is_none_or(|bytes| bytes < 2 << 30), "{damage:?} took {:?} bytes", most_memory());
}

#[test]
fn damaged_texts_through_passes() {
    fuzz_damaged(Damage::Texts, 400);
}

#[test]
fn plans_with_extreme_numbers_through_passes() {
    fuzz_damaged(Damage::Plans, 200);
}

#[test]
fn damaged_json_through_passes() {
    fuzz_damaged(Damage::Json, 200);
}
