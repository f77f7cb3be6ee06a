//! Whether a command still fails in the way that is looked for.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use regex::Regex;
use tempfile::TempDir;

/// What a run must show. All that is set must hold.
#[derive(Clone, Default, Debug)]
pub struct Condition {
    /// A code that is printed, such as E1814.
    pub code: Option<String>,
    /// What is printed.
    pub matches: Option<Regex>,
    /// The exit status.
    pub status: Option<i32>,
    /// dlc reports a panic, or the process is ended by a signal.
    pub panic: bool,
    /// The command takes longer.
    pub slower: Option<Duration>,
    /// This command ends well too and prints something else.
    pub differs: Option<String>,
}

impl Condition {
    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        let Condition { code, matches, status, panic, slower, differs } = self;
        code.is_none() && matches.is_none() && status.is_none() && !panic && slower.is_none() && differs.is_none()
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.code.iter().map(|code| format!("the code {code}")));
        parts.extend(self.matches.iter().map(|regex| format!("output that matches '{regex}'")));
        parts.extend(self.status.iter().map(|status| format!("exit status {status}")));
        parts.extend(self.panic.then(|| "a panic".to_string()));
        parts.extend(self.slower.iter().map(|time| format!("more than {} s", time.as_secs_f64())));
        parts.extend(self.differs.iter().map(|other| format!("output other than that of '{other}'")));
        f.write_str(&parts.join(" and "))
    }
}

/// A command that has ended, or was ended.
#[derive(Debug)]
pub struct Ran {
    /// The exit status; `None` when a signal ended it.
    pub status: Option<i32>,
    /// Whether it ran out of time.
    pub timed_out: bool,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Ran {
    fn text(&self) -> String {
        format!("{}{}", String::from_utf8_lossy(&self.stderr), String::from_utf8_lossy(&self.stdout))
    }

    /// The code of the first error that was printed.
    pub fn first_code(&self) -> Option<String> {
        let codes = Regex::new(r#"\[(E\d{4})\] Error|error\[(E\d{4})\]|"code": "(E\d{4})""#).ok()?;
        let stderr = String::from_utf8_lossy(&self.stderr);
        let found = codes.captures(&stderr)?;
        (1..=3).find_map(|at| found.get(at)).map(|code| code.as_str().to_string())
    }
}

/// Runs the command on one text after the other.
pub struct Oracle {
    command: String,
    condition: Condition,
    dir: TempDir,
    /// The end of the name of the file that candidates are written to.
    suffix: String,
    timeout: Duration,
    end: Instant,
    runs_left: usize,
    /// The runs so far.
    pub runs: usize,
    /// Texts that do not fail.
    known: BTreeSet<String>,
}

/// How often and how long the command runs.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The number of runs.
    pub runs: usize,
    /// All runs together.
    pub time: Duration,
    /// One run.
    pub timeout: Duration,
}

impl Oracle {
    /// For a command in which `{}` is the file. `suffix` is the end of its name.
    pub fn new(command: String, condition: Condition, bounds: Bounds, suffix: &str) -> std::io::Result<Oracle> {
        let dir = tempfile::Builder::new().prefix("dlc-reduce-").tempdir()?;
        let timeout = condition.slower.unwrap_or(bounds.timeout);
        let end = Instant::now() + bounds.time;
        Ok(Oracle {
            command,
            condition,
            dir,
            suffix: suffix.into(),
            timeout,
            end,
            runs_left: bounds.runs,
            runs: 0,
            known: BTreeSet::new(),
        })
    }

    /// What is looked for.
    pub fn condition(&self) -> &Condition {
        &self.condition
    }

    /// Looks for something else.
    pub fn set_condition(&mut self, condition: Condition) {
        self.condition = condition;
    }

    /// Writes candidates to a file whose name ends otherwise. How it ended.
    pub fn name_candidates(&mut self, suffix: &str) -> String {
        std::mem::replace(&mut self.suffix, suffix.into())
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join(format!("candidate{}", self.suffix))
    }

    /// Whether no more runs are allowed.
    pub fn is_exhausted(&self) -> bool {
        self.runs_left == 0 || Instant::now() >= self.end
    }

    /// Whether the command fails on a text as it should. Not, when no more runs are allowed.
    pub fn fails(&mut self, text: &str) -> bool {
        if self.is_exhausted() || self.known.contains(text) {
            return false;
        }
        let fails = self.run(text).is_ok_and(|ran| self.holds(&ran));
        if !fails {
            self.known.insert(text.to_string());
        }
        fails
    }

    /// Runs the command on a text.
    pub fn run(&mut self, text: &str) -> std::io::Result<Ran> {
        std::fs::write(self.file(), text)?;
        self.runs += 1;
        self.runs_left = self.runs_left.saturating_sub(1);
        self.shell(&self.command)
    }

    /// Whether a run shows what is looked for.
    pub fn holds(&self, ran: &Ran) -> bool {
        let Condition { code, matches, status, panic, slower, differs } = &self.condition;
        if slower.is_some() || ran.timed_out {
            return slower.is_some() && ran.timed_out;
        }
        let text = ran.text();
        let has_word = |word: &str| {
            let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
            words.any(|found| found == word)
        };
        let panicked = || ran.status.is_none_or(|status| status >= 128) || text.contains("panicked");
        code.as_deref().is_none_or(has_word)
            && matches.as_ref().is_none_or(|regex| regex.is_match(&text))
            && status.is_none_or(|status| ran.status == Some(status))
            && (!panic || panicked())
            && differs.as_ref().is_none_or(|other| {
                let other = self.shell(other);
                ran.status == Some(0) && other.is_ok_and(|other| other.status == Some(0) && other.stdout != ran.stdout)
            })
    }

    fn shell(&self, command: &str) -> std::io::Result<Ran> {
        let file = self.file();
        let file = file.to_string_lossy();
        let quoted = shlex::try_quote(&file).map_err(std::io::Error::other)?;
        let command =
            if command.contains("{}") { command.replace("{}", &quoted) } else { format!("{command} {quoted}") };
        let (out, err) = (self.dir.path().join("stdout"), self.dir.path().join("stderr"));
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).stdin(Stdio::null());
        shell.stdout(File::create(&out)?).stderr(File::create(&err)?).process_group(0);
        if let Some(path) = path_with_own_folder() {
            shell.env("PATH", path);
        }
        let mut child = shell.spawn()?;
        let end = Instant::now() + self.timeout;
        let mut pause = Duration::from_millis(1);
        let (status, timed_out) = loop {
            if let Some(status) = child.try_wait()? {
                break (status, false);
            }
            if Instant::now() >= end {
                if let Some(group) = rustix::process::Pid::from_raw(child.id() as i32) {
                    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
                }
                break (child.wait()?, true);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        };
        Ok(Ran { status: status.code(), timed_out, stdout: std::fs::read(&out)?, stderr: std::fs::read(&err)? })
    }
}

/// `PATH`, with the folder of this program first: `dlc-opt` is the one next to it.
fn path_with_own_folder() -> Option<std::ffi::OsString> {
    let own = std::env::current_exe().ok()?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(own.parent()?.to_owned()).chain(std::env::split_paths(&path))).ok()
}
