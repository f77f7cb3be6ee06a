//! Running another program, contained: a process group of its own, a time limit, a limit on what it prints. When this
//! returns the group is gone.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use dlc_ir::pass::host::{Ended, How, Job};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::native;

/// What a program may print besides 16 times what it was given: modules grow, but not without end.
const OUTPUT: u64 = 64 << 20;
/// How much of the end of standard error is kept.
const LAST_WORDS: usize = 16 << 10;
/// How long pipes may stay open when the group is gone: something that left the group may hold them.
const GRACE: Duration = Duration::from_secs(1);

/// What the threads that listen tell.
enum Event {
    Stdout(Vec<u8>),
    /// More than the limit.
    Flood,
    Stderr(Vec<u8>),
    /// The program has ended, and waits for being reaped.
    Exited,
}

/// Runs a program to its end.
pub fn run(job: &Job<'_>, timeout: Duration) -> Ended {
    let limit = OUTPUT + 16 * job.input.len() as u64;
    let mut command = Command::new(&job.program);
    command.args(&job.args).envs(job.env.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    native::dies_with_parent(&mut command);
    let deadline = Instant::now() + timeout;
    let ended = |how| Ended { how, stdout: Vec::new(), stderr: String::new() };
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let program = job.program.to_string_lossy();
            return ended(How::NotStarted(match error.kind() {
                std::io::ErrorKind::NotFound => format!("there is no program '{program}'"),
                _ => format!("'{program}': {error}"),
            }));
        }
    };
    let (send, receive) = channel();
    if let Err(error) = listen(&mut child, job.input.clone().into_bytes(), limit, &send) {
        stop(&mut child);
        return ended(How::NotStarted(format!("no thread to listen to it: {error}")));
    }
    drop(send);
    gather(&mut child, &receive, deadline, timeout, limit)
}

/// Starts the threads that write, read and wait. They end with the group, or soon after.
fn listen(child: &mut Child, input: Vec<u8>, limit: u64, send: &Sender<Event>) -> std::io::Result<()> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let pid = Pid::from_child(child);
    let spawn = |work: Box<dyn FnOnce() + Send>| std::thread::Builder::new().spawn(work).map(drop);
    if let Some(mut stdin) = stdin {
        // Who does not read to the end has read enough.
        spawn(Box::new(move || drop(stdin.write_all(&input))))?;
    }
    if let Some(stdout) = stdout {
        let send = send.clone();
        spawn(Box::new(move || {
            let mut bytes = Vec::new();
            let _ = stdout.take(limit + 1).read_to_end(&mut bytes);
            let event = if bytes.len() as u64 > limit { Event::Flood } else { Event::Stdout(bytes) };
            let _ = send.send(event);
        }))?;
    }
    if let Some(stderr) = stderr {
        let send = send.clone();
        spawn(Box::new(move || drop(send.send(Event::Stderr(last_words(stderr))))))?;
    }
    let send = send.clone();
    spawn(Box::new(move || {
        // The process is left to be reaped: until then its number, which is that of the group, is not given away.
        while waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).is_err_and(interrupted) {}
        let _ = send.send(Event::Exited);
    }))
}

fn interrupted(error: rustix::io::Errno) -> bool {
    error == rustix::io::Errno::INTR
}

/// Reads to the end and keeps the end.
fn last_words(mut from: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut piece) {
        kept.extend_from_slice(&piece[..count]);
        if kept.len() > 2 * LAST_WORDS {
            kept.drain(..kept.len() - LAST_WORDS);
        }
    }
    kept.drain(..kept.len().saturating_sub(LAST_WORDS));
    kept
}

fn gather(child: &mut Child, receive: &Receiver<Event>, deadline: Instant, timeout: Duration, limit: u64) -> Ended {
    let (mut stdout, mut stderr, mut stopped, mut status) = (None, None, None, None);
    let mut until = deadline;
    while stdout.is_none() || stderr.is_none() || status.is_none() {
        match receive.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Event::Stdout(bytes)) => stdout = Some(bytes),
            Ok(Event::Stderr(bytes)) => stderr = Some(bytes),
            Ok(Event::Flood) => {
                stopped = Some(How::Flooded(limit));
                stdout = Some(Vec::new());
                status = status.or_else(|| stop(child));
                until = Instant::now() + GRACE;
            }
            Ok(Event::Exited) => {
                // With what it may have started.
                status = status.or_else(|| stop(child));
                until = until.min(Instant::now() + GRACE);
            }
            // The program runs: its time is over. It does not: what holds the pipes is not waited for.
            Err(RecvTimeoutError::Timeout) if status.is_none() => {
                stopped = Some(How::TimedOut(timeout));
                status = stop(child);
                until = Instant::now() + GRACE;
            }
            Err(_) => break,
        }
    }
    let status = status.or_else(|| stop(child));
    let how = stopped.unwrap_or_else(|| match status {
        Some(status) => match (status.code(), status.signal()) {
            (Some(code), _) => How::Exited(code),
            (None, signal) => How::Signalled(signal.unwrap_or(0)),
        },
        None => How::NotStarted("nothing knows how it ended".into()),
    });
    let stderr = String::from_utf8_lossy(&stderr.unwrap_or_default()).into_owned();
    Ended { how, stdout: stdout.unwrap_or_default(), stderr }
}

/// Ends the group of a process, if it has not ended, and reaps the process.
fn stop(child: &mut Child) -> Option<std::process::ExitStatus> {
    // A group that is gone is as good.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    child.wait().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(script: &str) -> Job<'_> {
        let args = vec!["-c".into(), script.into()];
        Job { program: "/bin/sh".into(), args, env: vec![("WORD", "hello")], input: "in\n".into(), timeout: None }
    }

    fn check(script: &str, limit: Duration, how: How) -> Ended {
        let ended = run(&job(script), limit);
        assert_eq!(ended.how, how, "{script}: {ended:?}");
        ended
    }

    #[test]
    fn streams_and_status_come_back() {
        let long = Duration::from_secs(20);
        let ended = check("cat; echo $WORD; echo oh >&2; exit 3", long, How::Exited(3));
        assert_eq!((ended.stdout.as_slice(), ended.stderr.as_str()), (&b"in\nhello\n"[..], "oh\n"));
        check("kill -SEGV $$", long, How::Signalled(11));
    }

    #[test]
    fn what_does_not_end_is_stopped_with_its_children() {
        let start = Instant::now();
        check("sleep 60 & sleep 60", Duration::from_millis(200), How::TimedOut(Duration::from_millis(200)));
        // What it leaves after is stopped too, and does not hold up anybody.
        check("sleep 60 & exit 0", Duration::from_secs(20), How::Exited(0));
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    }

    #[test]
    fn floods_are_dammed() {
        let limit = OUTPUT + 16 * 3;
        check("cat /dev/zero", Duration::from_secs(60), How::Flooded(limit));
        let ended = check("head -c 10000000 /dev/zero >&2", Duration::from_secs(60), How::Exited(0));
        assert_eq!(ended.stderr.len(), LAST_WORDS);
    }
}
