//! How long what is loaded takes, with cold caches, by the clock of the device.

use std::time::{Duration, Instant};

use dlc_ir::Loc;
use dlc_ir::diag::Diagnostic;

use super::DRIVER_FAILS;
use super::driver::Failure;
use super::exec::Loaded;

/// How many runs there are at least before any is timed: what is loaded late is loaded.
const WARM_UP: usize = 5;
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

    /// How many there are.
    pub fn runs(&self) -> usize {
        self.times.len()
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

/// What is reported of a device that cannot be measured.
pub fn fails(failure: Failure) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(&DRIVER_FAILS, Loc::UNKNOWN, format!("nothing can be measured: {}", failure.message)))
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
