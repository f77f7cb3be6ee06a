//! What a pass may ask of the program that it runs in. `ir` and the passes know no files and no processes; a tool does,
//! and lends them to a pass through this trait.

use std::ffi::OsString;
use std::time::Duration;

/// The program that passes run in.
pub trait Host: Sync {
    /// Runs another program to its end, contained: nothing of it is left when this returns.
    fn run(&self, job: &Job<'_>) -> Ended;

    /// Whether ops, types and attributes that no dialect registers are taken as they are when text is read.
    fn allow_unregistered(&self) -> bool;

    /// Called when a program that ran as a pass has made a mistake, as distinct from refusing its input.
    fn blame(&self) {}
}

/// A program to run.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// The program: a path, or a name that is looked for where programs are.
    pub program: OsString,
    /// Its arguments. No shell sees them.
    pub args: Vec<OsString>,
    /// Variables set in its environment.
    pub env: Vec<(&'a str, &'a str)>,
    /// What it reads on standard input.
    pub input: String,
    /// How long it may run; `None` for as long as the host usually waits.
    pub timeout: Option<Duration>,
}

/// How a program came to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ended {
    /// How.
    pub how: How,
    /// What it wrote to standard output. Complete only when the program ended by itself.
    pub stdout: Vec<u8>,
    /// The end of what it wrote to standard error.
    pub stderr: String,
}

/// How a program came to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum How {
    /// By itself, with this status.
    Exited(i32),
    /// By a signal that nobody here sent.
    Signalled(i32),
    /// It was stopped after this time.
    TimedOut(Duration),
    /// It was stopped after more output than this many bytes.
    Flooded(u64),
    /// It could not be started, or not be listened to, for this reason.
    NotStarted(String),
}

/// A host that runs no program: for passes outside of a tool.
pub struct NoHost;

impl Host for NoHost {
    fn run(&self, _job: &Job<'_>) -> Ended {
        let how = How::NotStarted("nothing is run outside of a tool like dlc-opt".into());
        Ended { how, stdout: Vec::new(), stderr: String::new() }
    }

    fn allow_unregistered(&self) -> bool {
        false
    }
}
