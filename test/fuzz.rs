//! Random input for the text layer: about a second, or as long as `DLC_FUZZ_SECONDS` says.
//!
//! A failure names its seed and case. `DLC_FUZZ_SEED` and `DLC_FUZZ_CASE` repeat it; with a time given and no seed, the
//! seed is the clock.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use dlc_test::fuzz::{self, Kind};

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is a number, not '{text}'")))
}

fn fuzz(kind: Kind) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = fuzz::corpus(&[&root.join("mlir"), &root.join("ir")]).expect("the corpus can be read");
    let seconds = number("DLC_FUZZ_SECONDS");
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let seed = number("DLC_FUZZ_SEED").unwrap_or_else(|| if seconds.is_some() { clock() } else { 1 });
    let only = number("DLC_FUZZ_CASE");
    // Without a time the number of cases is fixed, so that the test is the same on every machine.
    let cases = match (only, seconds) {
        (Some(case), _) => case..case + 1,
        (None, Some(_)) => 0..u64::MAX,
        (None, None) => {
            0..match kind {
                Kind::Bytes | Kind::Soup => 2000,
                Kind::Mutated => 300,
                Kind::Module => 200,
            }
        }
    };
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut done = 0;
    for case in cases {
        if end.is_some_and(|end| Instant::now() > end) {
            break;
        }
        done += 1;
        let started = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| fuzz::run(kind, seed, case, &corpus)));
        let result = result.unwrap_or_else(|_| Err("it panicked, see above".into()));
        let took = started.elapsed();
        let result = result.and(if took > Duration::from_secs(10) { Err(format!("it took {took:?}")) } else { Ok(()) });
        if let Err(message) = result {
            let again = format!("DLC_FUZZ_SEED={seed} DLC_FUZZ_CASE={case}");
            panic!("{kind:?}, seed {seed}, case {case}: {message}\nrepeat with {again}");
        }
    }
    println!("{kind:?}: {done} cases of seed {seed}");
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
