//! `--batch`: every program below a folder, each checked against its `expected.npz`.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use dlc::cuda::gpu::Gpu;
use dlc::options::Device;
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::{Context, Loc};
use dlc_opt::input::CANNOT_READ;
use dlc_opt::report::diagnostics;
use dlc_opt::table::{lines, table};
use dlc_opt::{Io, STACK, Setup, Status};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::{InputFile, Options, What};
use crate::log;
use crate::run::{self, Ran};
use crate::show::{short, times};

const INPUTS: &str = "inputs.npz";
const EXPECTED: &str = "expected.npz";
/// `[00:00:02] 3 of 18 gelu`
const LINE: &str = "[{elapsed_precise}] {pos} of {len} {msg}";

/// The result of a folder.
struct Row {
    status: Status,
    ran: Option<Ran>,
    /// Diagnostics, as they are shown.
    said: String,
}

/// Runs every program below a folder and shows a table. The status is the worst of all.
pub fn run(setup: &Setup, options: &Options, folder: &str, gpu: &mut Gpu, io: &mut Io<'_>) -> Status {
    let mut found = Vec::new();
    let problem = match find(Path::new(folder), &mut found) {
        Ok(()) if found.is_empty() => {
            Some(format!("no folder in '{folder}' holds a program with {INPUTS} or {EXPECTED}"))
        }
        Ok(()) => None,
        Err(error) => Some(format!("'{folder}' cannot be read: {error}")),
    };
    if let Some(message) = problem {
        let error = Diagnostic::error(&CANNOT_READ, Loc::UNKNOWN, message);
        let _ = io.stderr.write_all(diagnostics(&Context::new([]), vec![error], options.shown).as_bytes());
        return Status::Failure;
    }
    let diags = Diagnostics::new();
    let said = |diags: &Diagnostics, io: &mut Io<'_>| {
        let _ = io.stderr.write_all(diagnostics(&Context::new([]), diags.take(), options.shown).as_bytes());
    };
    // A device that is asked for and cannot be had is reported once.
    let rows = match gpu.is_chosen(options.device, &diags) {
        Err(status) => {
            said(&diags, io);
            return status;
        }
        Ok(true) => on_gpu(setup, options, &found, gpu),
        Ok(false) => run_all(setup, &Options { device: Device::Cpu, ..options.clone() }, &found),
    };
    let logged: Vec<_> = rows.iter().filter_map(|row| row.ran.as_ref()?.row.as_ref()).collect();
    let is_logged = log::append(options, &logged, &diags);
    said(&diags, io);
    let mut shown = table(["program", "outputs", "elements", "off by", "result"], &[2, 3]);
    for (path, row) in found.iter().zip(&rows) {
        let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy();
        let checked = row.ran.as_ref().map_or(&[][..], |ran| &ran.checked);
        let outputs: Vec<&str> = checked.iter().map(|found| found.name.as_str()).collect();
        let elements: usize = checked.iter().map(|found| found.count).sum();
        let largest = checked.iter().map(|found| found.largest).fold(0.0, f64::max);
        let result = match row.status {
            Status::Success => "as expected",
            _ if checked.iter().any(|found| found.differing > 0) => "differs",
            _ => "fails",
        };
        let cells = match checked {
            [] => [String::new(), String::new()],
            _ => [elements.to_string(), short(largest)],
        };
        let [elements, largest] = cells;
        shown.add_row([&*name, &outputs.join(", "), &elements, &largest, result]);
    }
    let good = rows.iter().filter(|row| row.status == Status::Success).count();
    // Nothing can be reported where these fail.
    let _ = writeln!(io.stdout, "{}{good} of {} as expected", lines(&shown), rows.len());
    let _ = io.stdout.flush();
    for (path, row) in found.iter().zip(&rows) {
        let _ = io.stderr.write_all(row.said.as_bytes());
        if let Some(ran) = row.ran.as_ref().filter(|_| options.time) {
            let _ = writeln!(io.stderr, "{}: {}", path.display(), times(&ran.times));
        }
    }
    let worst = rows.iter().map(|row| row.status).max().unwrap_or(Status::Success);
    if is_logged { worst } else { worst.max(Status::Failure) }
}

/// The folders that hold a program and arrays, by name. Links to folders are not followed.
fn find(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries = std::fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    if has_arrays(folder) && !programs(folder).is_empty() {
        found.push(folder.to_owned());
    }
    for entry in entries {
        if entry.file_type()?.is_dir() {
            find(&entry.path(), found)?;
        }
    }
    Ok(())
}

fn has_arrays(folder: &Path) -> bool {
    folder.join(INPUTS).is_file() || folder.join(EXPECTED).is_file()
}

/// What may be the program of a folder: `graph.json`, or else the files of IR.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let graph = folder.join("graph.json");
    if graph.is_file() {
        return vec![graph];
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let is_ir = |path: &PathBuf| path.extension().is_some_and(|end| end == "tiny" || end == "mlir");
    let mut files: Vec<PathBuf> = entries.filter(is_ir).collect();
    files.sort();
    files
}

fn progress(options: &Options, folders: &[PathBuf]) -> ProgressBar {
    let target = if options.progress { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(folders.len() as u64), target);
    bar.with_style(ProgressStyle::with_template(LINE).expect("the template is right"))
}

/// All programs on one device, one after another: they would wait for each other there, and what is measured would not
/// be theirs alone.
fn on_gpu(setup: &Setup, options: &Options, folders: &[PathBuf], gpu: &mut Gpu) -> Vec<Row> {
    let bar = progress(options, folders);
    let mut rows = Vec::new();
    for folder in folders {
        bar.set_message(folder.display().to_string());
        rows.push(run_folder(setup, options, folder, options.threads, gpu));
        bar.inc(1);
    }
    bar.finish_and_clear();
    rows
}

/// All programs, several at once, in the order of the folders.
fn run_all(setup: &Setup, options: &Options, folders: &[PathBuf]) -> Vec<Row> {
    let bar = progress(options, folders);
    let next = AtomicUsize::new(0);
    let rows: Mutex<Vec<Option<Row>>> = Mutex::new(folders.iter().map(|_| None).collect());
    let work = || {
        while let Some((place, folder)) = take(&next, folders) {
            bar.set_message(folder.display().to_string());
            // The programs are what the threads share out.
            let row = run_folder(setup, options, folder, 1, &mut Gpu::none());
            rows.lock().unwrap_or_else(PoisonError::into_inner)[place] = Some(row);
            bar.inc(1);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..options.threads.min(folders.len()) {
            // With fewer threads it only takes longer.
            let _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        }
        work();
    });
    bar.finish_and_clear();
    let rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter();
    rows.map(|row| row.unwrap_or(Row { status: Status::Internal, ran: None, said: String::new() })).collect()
}

/// The next folder that nobody has taken.
fn take<'a>(next: &AtomicUsize, folders: &'a [PathBuf]) -> Option<(usize, &'a PathBuf)> {
    let place = next.fetch_add(1, Ordering::Relaxed);
    Some((place, folders.get(place)?))
}

fn run_folder(setup: &Setup, options: &Options, folder: &Path, threads: usize, gpu: &mut Gpu) -> Row {
    let ctx = Context::new(setup.dialects.iter().copied());
    let diags = Diagnostics::new();
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let programs = programs(folder);
    let missing = [INPUTS, EXPECTED].into_iter().find(|name| !folder.join(name).is_file());
    let (ran, status) = match (&programs[..], missing) {
        ([program], None) => {
            let options = Options {
                what: What::Program(program.to_string_lossy().into_owned()),
                given: vec![InputFile { name: None, file: path(INPUTS), entry: None }],
                check: Some(path(EXPECTED)),
                threads,
                ..options.clone()
            };
            run::run(setup, &ctx, &options, &program.to_string_lossy(), gpu, &mut std::io::empty(), &diags)
        }
        (_, missing) => {
            let why = missing.map_or("has several programs".to_string(), |name| format!("has no {name}"));
            let message = format!("the folder '{}' {why}", folder.display());
            diags.emit(Diagnostic::error(&CANNOT_READ, Loc::UNKNOWN, message));
            (None, Status::Failure)
        }
    };
    Row { status, ran, said: diagnostics(&ctx, diags.take(), options.shown) }
}
