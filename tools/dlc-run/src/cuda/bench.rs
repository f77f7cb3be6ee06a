//! `--bench`: how long a plan takes, with cold caches, by the clock of the device.

use std::time::{Duration, Instant};

use comfy_table::Table;
use dlc::cuda::exec::Loaded;
pub use dlc::cuda::measure::{Measured, WARM_TIME, fails, measure};
use dlc_ir::diag::Diagnostic;
use dlc_translate::manifest::plan::Plan;

use dlc_opt::table::table;

/// How many runs are measured for a line of the log where nobody says it.
pub const LOGGED: usize = 20;
/// How many runs are compared with a library where nobody says it.
pub const COMPARED: usize = 100;
/// How many runs are started in a row where it is measured what that takes, if they are short enough.
const BURST: usize = 32;
/// How often.
const BURSTS: usize = 20;
/// How many milliseconds of the device all of them may take.
const BURST_TIME: f64 = 200.0;

/// What it takes on this side to start a run, in microseconds, without waiting for it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Calls {
    /// All of it.
    pub all: f64,
    /// The call of the driver alone.
    pub driver: f64,
}

/// Starts a run that is ready many times, a burst by [`Loaded`] and a burst by the driver's function alone, and takes the
/// medians.
pub fn calls(loaded: &mut Loaded<'_>, measured: &Measured) -> Result<Option<Calls>, Box<Diagnostic>> {
    let Some(ready) = loaded.ready()? else { return Ok(None) };
    // Not so many that the driver waits for a place in its queue, or anybody for the end.
    let most = (BURST_TIME / 2.0 / measured.median().max(1e-3)) as usize;
    let (mut all, mut driver) = (Vec::new(), Vec::new());
    let burst = BURST.min(most).max(1);
    for _ in 0..BURSTS.min(most / burst).max(1) {
        let begin = Instant::now();
        for _ in 0..burst {
            loaded.enqueue()?;
        }
        all.push(begin.elapsed());
        loaded.wait()?;
        driver.push(loaded.driver().bare(ready, burst).map_err(fails)?);
        loaded.wait()?;
    }
    let each = |times: Vec<Duration>| {
        let micros = times.iter().map(|time| 1e6 * time.as_secs_f64() / burst as f64);
        Measured::of(micros.collect()).median()
    };
    Ok(Some(Calls { all: each(all), driver: each(driver) }))
}

/// The table of what was measured. Bytes are those of inputs and outputs, each once.
pub fn shown(name: &str, plan: &Plan, measured: &Measured, calls: Option<&Calls>) -> Table {
    let header =
        ["measured", "launches", "runs", "median us", "10 % us", "90 % us", "least us", "GB/s", "call us", "driver us"];
    let mut shown = table(header, &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let bytes: u64 = plan.inputs.iter().chain(plan.outputs.iter().map(|(tensor, _)| tensor)).map(|t| t.bytes()).sum();
    let micro = |milli: f64| format!("{:.2}", 1e3 * milli);
    let call = |of: fn(&Calls) -> f64| calls.map_or("-".to_string(), |calls| format!("{:.2}", of(calls)));
    shown.add_row([
        name.to_string(),
        plan.launches().to_string(),
        measured.runs().to_string(),
        micro(measured.median()),
        micro(measured.quantile(0.1)),
        micro(measured.quantile(0.9)),
        micro(measured.quantile(0.0)),
        format!("{:.1}", bytes as f64 / (1e6 * measured.median())),
        call(|calls| calls.all),
        call(|calls| calls.driver),
    ]);
    shown
}
