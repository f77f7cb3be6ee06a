//! A line of progress on a terminal, when a pipeline takes longer than a second.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use dlc_ir::pass::instrument::Instrument;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Pipelines that are faster show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line is drawn again.
const TICK: Duration = Duration::from_millis(100);
/// `[00:00:02] pass 3 of 7, canonicalize`
const LINE: &str = "[{elapsed_precise}] pass {msg}";

/// Shows which pass is running, and for how long all of them have. A thread draws the line: one pass alone may take
/// long, too.
#[derive(Default)]
pub struct Progress {
    shared: Arc<Shared>,
    drawer: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Shared {
    now: Mutex<Now>,
    ended: Condvar,
}

#[derive(Default)]
struct Now {
    message: String,
    has_ended: bool,
}

impl Progress {
    /// Takes the line away.
    pub fn end(&self) {
        self.shared.now.lock().unwrap_or_else(PoisonError::into_inner).has_ended = true;
        self.shared.ended.notify_all();
        let drawer = self.drawer.lock().unwrap_or_else(PoisonError::into_inner).take();
        // What it panicked with, if it did, is no matter of the result.
        let _ = drawer.map(JoinHandle::join);
    }
}

impl Instrument for Progress {
    fn wants_module(&self) -> bool {
        false
    }

    fn progress(&self, pass: &str, number: usize, of: usize) {
        self.shared.now.lock().unwrap_or_else(PoisonError::into_inner).message =
            format!("{} of {of}, {pass}", number + 1);
        let mut drawer = self.drawer.lock().unwrap_or_else(PoisonError::into_inner);
        if drawer.is_none() {
            let shared = Arc::clone(&self.shared);
            // Without a thread there is no line.
            *drawer = std::thread::Builder::new().spawn(move || draw(&shared)).ok();
        }
    }
}

/// Waits, and then draws the line until the end.
fn draw(shared: &Shared) {
    let mut bar: Option<ProgressBar> = None;
    let mut now = shared.now.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let wait = if bar.is_some() { TICK } else { PATIENCE };
        let waited = shared.ended.wait_timeout_while(now, wait, |now| !now.has_ended);
        now = waited.unwrap_or_else(PoisonError::into_inner).0;
        if now.has_ended {
            break;
        }
        let bar = bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_elapsed(PATIENCE);
            bar.with_style(ProgressStyle::with_template(LINE).expect("the template is right"))
        });
        bar.set_message(now.message.clone());
        bar.tick();
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}
