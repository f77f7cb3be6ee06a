//! A line of progress on a terminal, when a pipeline takes longer than a second.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use dlc_ir::pass::instrument::Instrument;
use indicatif::{ProgressBar, ProgressDrawTarget};

/// Shows which pass is running.
#[derive(Default)]
pub struct Progress {
    state: Mutex<Option<(Instant, Option<ProgressBar>)>>,
}

/// Pipelines that are faster show nothing.
const PATIENCE: Duration = Duration::from_secs(1);

impl Progress {
    /// Takes the line away.
    pub fn end(&self) {
        if let Some((_, Some(bar))) = self.state.lock().ok().and_then(|mut state| state.take()) {
            bar.finish_and_clear();
        }
    }
}

impl Instrument for Progress {
    fn wants_module(&self) -> bool {
        false
    }

    fn progress(&self, pass: &str, number: usize, of: usize) {
        let Ok(mut state) = self.state.lock() else { return };
        let (start, bar) = state.get_or_insert_with(|| (Instant::now(), None));
        if start.elapsed() < PATIENCE {
            return;
        }
        let bar =
            bar.get_or_insert_with(|| ProgressBar::with_draw_target(Some(of as u64), ProgressDrawTarget::stderr()));
        bar.set_position(number as u64);
        bar.set_message(pass.to_string());
    }
}
