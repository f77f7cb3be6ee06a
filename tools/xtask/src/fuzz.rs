//! `cargo xtask fuzz`: damaged input by the thousand, in worker processes that are watched.
//!
//! A worker reads numbers of cases and answers each with a line: what became of it, its computing time and the most memory
//! of the process meanwhile. A worker that answers nothing for a minute, or that ends, is replaced.

mod arrays;
pub mod record;

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use dlc_ir::Context;
use dlc_ir::pass::panics::{catch, install_hook};
use dlc_ir::random::Random;
use dlc_opt::Setup;
use dlc_test::fuzz::{Damage, Damaged, Fate};

use arrays::Arrays;
use record::Record;

/// How long a case may take until its worker is ended.
pub const LONGEST: Duration = Duration::from_secs(60);

/// The most address space of a worker, in kilobytes: what would take all memory ends the worker, and not the machine.
const ADDRESS_SPACE: u64 = 8 << 20;

/// What is damaged, by the word on the command line.
pub const KINDS: [&str; 4] = ["texts", "json", "plans", "arrays"];

/// Which cases are run.
#[derive(Clone, Debug)]
pub struct Range {
    /// One of [`KINDS`].
    pub kind: &'static str,
    /// Where the text tests are: a folder with `test` in it.
    pub root: PathBuf,
    /// What decides the cases.
    pub seed: u64,
    /// The first case.
    pub from: u64,
    /// How many.
    pub count: u64,
    /// How many workers; 0 for as many as there are processors.
    pub jobs: usize,
    /// After what time no other case is begun.
    pub time: Duration,
}

/// What cases are made from.
enum Source {
    Passes(Setup, Box<Damaged>),
    Arrays(Setup, Arrays),
}

impl Source {
    fn load(kind: &str, root: &Path) -> io::Result<Source> {
        let damage = match kind {
            "texts" => Damage::Texts,
            "json" => Damage::Json,
            "plans" => Damage::Plans,
            _ => return Ok(Source::Arrays(crate::setup(), Arrays::load(&root.join("test"))?)),
        };
        Ok(Source::Passes(crate::setup(), Box::new(Damaged::load(&root.join("test"), damage)?)))
    }

    /// Runs a case: its fate in a word, and with which code it was refused or what is wrong.
    fn run(&self, seed: u64, case: u64) -> (&'static str, String) {
        let ran = catch(|| match self {
            Source::Passes(setup, damaged) => {
                damaged.run(&|| Context::new(setup.dialects.iter().copied()), seed, case).map(|fate| match fate {
                    Fate::Invalid => ("invalid", String::new()),
                    Fate::Done => ("done", String::new()),
                    Fate::Refused(code) => ("refused", code.into()),
                })
            }
            Source::Arrays(setup, arrays) => arrays.run(setup, &mut Random::of_case(seed, case)),
        });
        match ran {
            Ok(Ok(fate)) => fate,
            Ok(Err(why)) => ("fault", why),
            Err(panic) => ("fault", format!("it panicked at {}: {}", panic.place.unwrap_or_default(), panic.message)),
        }
    }
}

/// Answers numbers of cases, a line each, until there are no more.
///
/// Errors: the text tests cannot be read, or nothing reads the answers.
pub fn work(kind: &str, root: &Path, seed: u64, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    install_hook();
    let source = Source::load(kind, root)?;
    for line in input.lines() {
        let Ok(case) = line?.trim().parse() else { continue };
        // The most memory is that since this is written.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let before = crate::computed().unwrap_or(0);
        let (fate, detail) = source.run(seed, case);
        let milliseconds = (crate::computed().unwrap_or(0) - before) / 1_000_000;
        let kilobytes = crate::said_by_system("/proc/self/status", "VmHWM:").unwrap_or(0);
        let record = Record { kind: kind.into(), seed, case, fate: fate.into(), detail, milliseconds, kilobytes };
        writeln!(output, "{record}")?;
        output.flush()?;
    }
    Ok(())
}

/// A worker, and what it says.
struct Worker {
    child: Child,
    cases: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Worker {
    fn start(command: &mut Command) -> io::Result<Worker> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (send, lines) = mpsc::channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                let lines = BufReader::new(output).lines().map_while(Result::ok);
                lines.take_while(|line| send.send(line.clone()).is_ok()).for_each(drop);
            });
        }
        let cases = child.stdin.take();
        Ok(Worker { child, cases, lines })
    }

    /// The line with which it answers a case; otherwise why it does not.
    fn ask(&mut self, case: u64, longest: Duration) -> Result<String, &'static str> {
        let asked = self.cases.as_mut().is_some_and(|cases| writeln!(cases, "{case}").is_ok());
        if !asked {
            return Err("crash");
        }
        self.lines.recv_timeout(longest).map_err(|why| match why {
            RecvTimeoutError::Timeout => "hang",
            RecvTimeoutError::Disconnected => "crash",
        })
    }

    /// Ends it; how it ended.
    fn end(mut self) -> String {
        self.cases = None;
        let _ = self.child.kill();
        self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
    }
}

/// The command that starts a worker.
pub fn worker(range: &Range) -> io::Result<Command> {
    let mut command = Command::new("sh");
    let limit = format!("ulimit -v {ADDRESS_SPACE} 2>/dev/null; exec \"$0\" \"$@\"");
    command.arg("-c").arg(limit).arg(std::env::current_exe()?);
    command.args(["fuzz", range.kind, "--worker", "--seed", &range.seed.to_string(), "--root"]).arg(&range.root);
    command.stderr(Stdio::null());
    Ok(command)
}

/// Runs cases in workers and shows each as soon as it is known; all of them in order, the same for any number of workers,
/// times and memory excepted.
///
/// Errors: a worker cannot be started.
pub fn run(
    range: &Range,
    worker: impl Fn() -> io::Result<Command> + Sync,
    longest: Duration,
    mut show: impl FnMut(&Record),
) -> io::Result<Vec<Record>> {
    let (next, start, mut all) = (AtomicU64::new(range.from), Instant::now(), BTreeMap::new());
    let (send, receive) = mpsc::channel();
    let work = |send: mpsc::Sender<io::Result<Record>>| -> io::Result<()> {
        let mut running: Option<Worker> = None;
        while start.elapsed() < range.time {
            let case = next.fetch_add(1, Ordering::Relaxed);
            if case >= range.from + range.count {
                break;
            }
            let mut asked = match running.take() {
                Some(worker) => worker,
                None => Worker::start(&mut worker()?)?,
            };
            let record = match asked.ask(case, longest).map(|line| Record::parse(&line)) {
                Ok(Some(record)) => {
                    running = Some(asked);
                    record
                }
                Ok(None) => return Err(io::Error::other("a worker answers what is no record")),
                Err(fate) => {
                    let (kind, seed) = (range.kind.into(), range.seed);
                    let milliseconds = if fate == "hang" { longest.as_millis() as u64 } else { 0 };
                    Record { kind, seed, case, fate: fate.into(), detail: asked.end(), milliseconds, kilobytes: 0 }
                }
            };
            // The one who listens goes last.
            let _ = send.send(Ok(record));
        }
        running.map(Worker::end);
        Ok(())
    };
    let jobs = if range.jobs > 0 { range.jobs } else { thread::available_parallelism().map_or(1, usize::from) };
    thread::scope(|scope| {
        for _ in 0..jobs {
            let (send, work) = (send.clone(), &work);
            scope.spawn(move || {
                if let Err(error) = work(send.clone()) {
                    let _ = send.send(Err(error));
                }
            });
        }
        drop(send);
        for record in receive {
            let record = record?;
            show(&record);
            all.insert(record.case, record);
        }
        Ok(all.into_values().collect())
    })
}

/// The damaged text of a case, and the passes it goes through; bytes of arrays are not shown.
pub fn shown(range: &Range, case: u64) -> Option<String> {
    let Ok(Source::Passes(setup, damaged)) = Source::load(range.kind, &range.root) else { return None };
    let found = damaged.find(&|| Context::new(setup.dialects.iter().copied()), range.seed, case);
    Some(format!("// {}\n{}", found.passes, found.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(kind: &'static str, count: u64) -> Range {
        Range { kind, root: crate::repo::Repo::root(), seed: 1, from: 0, count, jobs: 1, time: Duration::MAX }
    }

    #[test]
    fn damaged_files_of_arrays_are_arrays_or_errors() {
        let cases: String = (0..300).map(|case| format!("{case}\n")).collect();
        let mut lines = Vec::new();
        let root = crate::repo::Repo::root();
        work("arrays", &root, 1, cases.as_bytes(), &mut lines).expect("the files can be read");
        let lines = String::from_utf8(lines).expect("it is text");
        let records: Vec<Record> = lines.lines().filter_map(Record::parse).collect();
        assert_eq!(records.len(), 300);
        let faults: Vec<&Record> = records.iter().filter(|record| record.is_fault()).collect();
        assert!(faults.is_empty(), "{faults:?}");
        let of = |fate: &str| records.iter().filter(|record| record.fate == fate).count();
        assert!(of("done") > 0 && of("refused") > 0, "{}", record::report(&records));
    }

    /// A worker that is a script of the shell.
    fn script(text: &'static str) -> impl Fn() -> io::Result<Command> + Sync {
        move || {
            let mut command = Command::new("sh");
            command.args(["-c", text]);
            Ok(command)
        }
    }

    fn fates(text: &'static str) -> Vec<String> {
        let records = run(&range("texts", 4), script(text), Duration::from_secs(3), |_| {}).expect("a shell starts");
        records.into_iter().map(|record| format!("{} {}", record.case, record.fate)).collect()
    }

    #[test]
    fn workers_that_end_or_hang_are_replaced() {
        let answers = r#"while read n; do printf "texts\t1\t$n\tdone\t\t5\t9\n"; done"#;
        assert_eq!(fates(answers), ["0 done", "1 done", "2 done", "3 done"]);
        let ends = r#"while read n; do [ $n = 2 ] && exit 1; printf "texts\t1\t$n\tdone\t\t5\t9\n"; done"#;
        assert_eq!(fates(ends), ["0 done", "1 done", "2 crash", "3 done"]);
        let hangs = r#"while read n; do [ $n = 1 ] && exec sleep 9; printf "texts\t1\t$n\tdone\t\t5\t9\n"; done"#;
        assert_eq!(fates(hangs), ["0 done", "1 hang", "2 done", "3 done"]);
        // It reads the case first: one that ends before it is asked is a crash, not an answer.
        assert!(run(&range("texts", 1), script("read n; echo what"), LONGEST, |_| {}).is_err());
    }
}
