//! `--bench`: how long a plan takes, with cold caches, by the clock of the device.

use std::time::{Duration, Instant};

use comfy_table::Table;
use dlc::cuda::DRIVER_FAILS;
use dlc::cuda::driver::Failure;
use dlc::cuda::exec::Loaded;
use dlc_ir::Loc;
use dlc_ir::diag::Diagnostic;
use dlc_translate::manifest::plan::Plan;

use dlc::table::table;

/// How many runs there are at least before any is timed: what is loaded late is loaded.
const WARM_UP: usize = 5;
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
/// For how long there are such runs: clocks rise.
pub const WARM_TIME: Duration = Duration::from_millis(100);

/// What was measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// Milliseconds of each run, from the shortest on.
    times: Vec<f64>,
}

impl Measured {
    /// Of times in any order; at least one.
    pub fn of(mut times: Vec<f64>) -> Measured {
        times.sort_by(f64::total_cmp);
        Measured { times }
    }

    /// The time that this part of the runs is not longer than.
    pub fn quantile(&self, part: f64) -> f64 {
        let at = (part * (self.times.len().saturating_sub(1)) as f64).round() as usize;
        self.times.get(at).copied().unwrap_or(f64::NAN)
    }

    /// The time in the middle.
    pub fn median(&self) -> f64 {
        let middle = self.times.len() / 2;
        match self.times.len() {
            0 => f64::NAN,
            len if len % 2 == 1 => self.times[middle],
            _ => (self.times[middle - 1] + self.times[middle]) / 2.0,
        }
    }
}

/// Runs a plan so many times and measures each run, after others for a while that are not measured. Before each run the
/// caches are emptied; the time is that from the first launch, with what it needs to be zero, to the end of the last.
pub fn measure(loaded: &mut Loaded<'_>, count: usize, warm: Duration) -> Result<Measured, Box<Diagnostic>> {
    let begin = Instant::now();
    let mut runs = 0;
    while runs < WARM_UP || begin.elapsed() < warm {
        loaded.driver().flush().map_err(fails)?;
        loaded.enqueue()?;
        loaded.wait()?;
        runs += 1;
    }
    let mut times = Vec::new();
    for _ in 0..count {
        loaded.driver().flush().map_err(fails)?;
        let from = loaded.driver().mark().map_err(fails)?;
        loaded.enqueue()?;
        let to = loaded.driver().mark().map_err(fails)?;
        // With the limit: a run that hangs here is reported as one.
        loaded.wait()?;
        times.push(loaded.driver().between(from, to).map_err(fails)?.into());
    }
    Ok(Measured::of(times))
}

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

pub(super) fn fails(failure: Failure) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(&DRIVER_FAILS, Loc::UNKNOWN, format!("nothing can be measured: {}", failure.message)))
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
        measured.times.len().to_string(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_ends() {
        let measured = Measured::of(vec![3.0, 1.0, 2.0, 11.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]);
        assert_eq!((measured.median(), measured.quantile(0.1), measured.quantile(0.9)), (6.0, 2.0, 10.0));
        assert_eq!((measured.quantile(0.0), measured.quantile(1.0)), (1.0, 11.0));
        assert_eq!(Measured::of(vec![1.0, 2.0]).median(), 1.5);
        assert!(Measured::of(vec![]).median().is_nan());
    }
}
