//! Runs another program, with its input, its output collected and a time limit.

use std::fmt;
use std::io::{self, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It exited with this status.
    Code(i32),
    /// It panicked (exit status 101) or a signal ended it.
    Crash,
    /// It ran past the time limit and was killed.
    TimeLimit,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Code(code) => write!(f, "exited with status {code}"),
            Ending::Crash => f.write_str("crashed"),
            Ending::TimeLimit => f.write_str("ran past the time limit and was killed"),
        }
    }
}

/// What a command left running.
#[derive(Clone, Debug)]
pub struct Output {
    /// How it ended.
    pub ending: Ending,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error; empty when that went to standard output.
    pub stderr: Vec<u8>,
}

impl Output {
    /// The output of a command that runs inside this program.
    pub fn of(code: i32, stdout: impl Into<Vec<u8>>, stderr: impl Into<Vec<u8>>) -> Output {
        Output { ending: Ending::Code(code), stdout: stdout.into(), stderr: stderr.into() }
    }
}

/// Exit status of a Rust program that panicked.
const PANIC: i32 = 101;

/// Runs `command` with `input`; `merge` sends its standard error to its standard output, in the order written.
pub fn run(command: &mut Command, input: &[u8], merge: bool, limit: Duration) -> Result<Output, String> {
    let deadline = Instant::now() + limit;
    own_group(command);
    let cannot = |error: io::Error| format!("cannot run it: {error}");
    let (stdout, stdout_writer) = io::pipe().map_err(cannot)?;
    let (stderr, stderr_writer) = io::pipe().map_err(cannot)?;
    if merge {
        drop(stderr_writer);
        command.stderr(stdout_writer.try_clone().map_err(cannot)?);
    } else {
        command.stderr(stderr_writer);
    }
    command.stdin(Stdio::piped()).stdout(stdout_writer);
    let mut child = command.spawn().map_err(cannot)?;
    // The writing ends live in `command`; the readers see the end of the text only when all of them are closed.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());

    let mut stdin = child.stdin.take().expect("standard input is piped");
    let input = input.to_vec();
    // A program may end without reading its input; that is no error. Nothing waits for this thread.
    thread::spawn(move || drop(stdin.write_all(&input)));
    let stdout = read_all(stdout);
    let stderr = read_all(stderr);

    let mut ending = None;
    let stdout = stdout.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok();
    let mut pause = Duration::from_micros(50);
    while ending.is_none() && Instant::now() < deadline {
        match child.try_wait().map_err(cannot)? {
            Some(status) => ending = Some(ending_of(status)),
            None => thread::sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(20));
    }
    // A child of the child may still hold a pipe open; its text is then not waited for beyond the limit.
    let stderr = stderr.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok();
    let in_time = stdout.is_some() && stderr.is_some();
    if !in_time || ending.is_none() {
        kill_group(child.id());
        drop(child.kill());
        drop(child.wait());
    }
    let ending = ending.filter(|_| in_time).unwrap_or(Ending::TimeLimit);
    Ok(Output { ending, stdout: stdout.unwrap_or_default(), stderr: stderr.unwrap_or_default() })
}

fn read_all(mut pipe: io::PipeReader) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is still worth showing.
        drop(pipe.read_to_end(&mut bytes));
        drop(sender.send(bytes));
    });
    receiver
}

fn ending_of(status: ExitStatus) -> Ending {
    match status.code() {
        Some(PANIC) | None => Ending::Crash,
        Some(code) => Ending::Code(code),
    }
}

/// Puts the child in a process group of its own, so that its children can be killed with it.
#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

/// Kills a group through the `kill` program: the call itself would need unsafe code.
#[cfg(unix)]
fn kill_group(group: u32) {
    drop(Command::new("kill").args(["-KILL", "--", &format!("-{group}")]).stderr(Stdio::null()).status());
}

#[cfg(not(unix))]
fn kill_group(_: u32) {}
