//! `--log`: a line for each run in a table (specification, section 13): what was computed and moved, what of the machine
//! was filled, how long an estimate says it takes and how long it took, and the plan.

use std::io::Read;
use std::time::Duration;

use dlc::cuda::driver::Occupancy;
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::{Context, Loc};
use dlc_opt::input::{CANNOT_READ, CANNOT_WRITE};
use dlc_opt::output::write_file;
use dlc_opt::planned::{Planned, PlannedKernel};
use dlc_translate::manifest::numbers::Use;
use dlc_translate::manifest::plan::{Plan, Run};

use crate::args::Options;
use crate::inputs::Inputs;

dlc_ir::codes! {
    /// The file for the log is no log, one with other columns, or too large.
    NOT_A_LOG = "E0563" "NotALog";
}

/// The largest log that lines are appended to: it is written again each time.
const MAX_BYTES: u64 = 64 << 20;

/// The columns. Where a run has several kernels or launches, their words stand in order with `;` between them.
const COLUMNS: [&str; 16] = [
    "program",
    "kernels",
    "device",
    "sizes",
    "flops",
    "bytes",
    "registers",
    "local",
    "shared",
    "threads",
    "warps",
    "occupancy",
    "estimate_us",
    "actual_us",
    "runs",
    "plan",
];

/// A line of the log.
#[derive(Clone, PartialEq, Debug)]
pub struct Row([String; COLUMNS.len()]);

impl Row {
    /// Of a run on the CPU, where there are no kernels.
    pub fn of_cpu(program: &str, inputs: &Inputs, time: Duration) -> Row {
        let mut row = Row(Default::default());
        row.set("program", program.to_string());
        row.set("device", "cpu".to_string());
        row.set("sizes", sizes(&inputs.symbols));
        row.set("actual_us", format!("{:.3}", 1e6 * time.as_secs_f64()));
        row.set("runs", "1".to_string());
        row
    }

    /// Of runs of a program on a device, with their median in milliseconds and how many there were.
    pub fn of_device(
        ctx: &Context,
        (program, device): (&str, &str),
        plan: &Plan,
        symbols: &[(String, i64)],
        occupancy: &[Occupancy],
        (time, runs): (f64, usize),
        planned: Option<&Planned>,
    ) -> Row {
        let starts = || plan.runs.iter().flat_map(|run| &run.numbers.starts);
        let each = |word: &dyn Fn(&Occupancy) -> String| joined(occupancy.iter().map(word));
        let module = planned.map(Planned::module);
        let module = module.as_ref().and_then(|module| module.as_ref());
        let kernel = |run: &Run| {
            PlannedKernel::of(ctx, module?, &run.kernel, &|name| run.symbols.get(name).copied().unwrap_or(1))
        };
        let known: Vec<Option<PlannedKernel>> = plan.runs.iter().map(kernel).collect();
        // A sum in which something is not known is not known.
        let sum = |term: &dyn Fn(&PlannedKernel) -> Option<f64>| -> Option<f64> {
            known.iter().map(|known| known.as_ref().and_then(term)).sum::<Option<f64>>().filter(|_| !known.is_empty())
        };
        let mut row = Row(Default::default());
        row.set("program", program.to_string());
        row.set("kernels", joined(plan.runs.iter().map(|run| run.kernel.clone())));
        row.set("device", device.to_string());
        row.set("sizes", sizes(symbols));
        row.set("flops", sum(&|known| Some(known.flops)).map_or(String::new(), |flops| format!("{flops:.0}")));
        row.set("bytes", plan.runs.iter().map(bytes).sum::<u64>().to_string());
        row.set("registers", each(&|of| of.registers.to_string()));
        row.set("local", each(&|of| of.local.to_string()));
        row.set("shared", each(&|of| of.shared.to_string()));
        row.set("threads", joined(starts().map(|start| start.threads.to_string())));
        row.set("warps", each(&|of| of.warps.to_string()));
        row.set("occupancy", each(&|of| format!("{:.3}", f64::from(of.warps) / f64::from(of.most.max(1)))));
        row.set("estimate_us", sum(&|known| Some(known.cost?.time)).map_or(String::new(), |time| format!("{time:.3}")));
        row.set("actual_us", format!("{:.3}", 1e3 * time));
        row.set("runs", runs.to_string());
        let clauses = |known: &PlannedKernel| Some(known.plan.as_ref()?.clauses(ctx).join(" "));
        let plans = known.iter().map(|known| known.as_ref().and_then(clauses).unwrap_or_default());
        row.set("plan", joined(plans));
        row
    }

    fn set(&mut self, column: &str, text: String) {
        if let Some(place) = COLUMNS.iter().position(|own| *own == column) {
            self.0[place] = text;
        }
    }

    /// The word of a column.
    pub fn get(&self, column: &str) -> &str {
        COLUMNS.iter().position(|own| *own == column).map_or("", |place| &self.0[place])
    }
}

/// What a kernel takes and gives, each once.
fn bytes(run: &Run) -> u64 {
    let moved = run.numbers.buffers.iter().filter(|(_, is)| !matches!(is, Use::Scratch | Use::Workspace));
    moved.map(|(tensor, _)| tensor.bytes()).sum()
}

fn joined(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(";")
}

fn sizes(symbols: &[(String, i64)]) -> String {
    joined(symbols.iter().map(|(name, size)| format!("{name}={size}")))
}

/// What a log holds, and no more than a byte beyond what it may hold. What is no plain file is written to and not read: a
/// pipe or a device holds no lines of before.
fn read(file: &str) -> std::io::Result<String> {
    let mut text = String::new();
    if std::fs::metadata(file)?.is_file() {
        std::fs::File::open(file)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    }
    Ok(text)
}

/// Appends lines to the log, if there is one. Whether all is well; if not, that is reported, and the file is as it was.
pub fn append(options: &Options, rows: &[&Row], diags: &Diagnostics) -> bool {
    let (Some(file), false) = (&options.log, rows.is_empty()) else { return true };
    append_to(file, &line(&COLUMNS), rows.iter().map(|row| line(&row.0)), diags)
}

/// Appends lines to a table whose first line is `head`. Whether all is well; if not, that is reported, and the file is as it
/// was.
pub fn append_to(file: &str, head: &str, lines: impl Iterator<Item = String>, diags: &Diagnostics) -> bool {
    let fail = |code, message: String| {
        diags.emit(Diagnostic::error(code, Loc::UNKNOWN, message));
        false
    };
    let mut text = match read(file) {
        Ok(text) if text.len() as u64 > MAX_BYTES => {
            let message = format!("'{file}' is larger than the {MAX_BYTES} bytes that a log may have");
            diags.emit(Diagnostic::error(&NOT_A_LOG, Loc::UNKNOWN, message).suggest("begin another file"));
            return false;
        }
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return fail(&CANNOT_READ, format!("'{file}' cannot be read: {error}")),
    };
    if text.is_empty() {
        text.push_str(head);
    } else if !text.starts_with(head) {
        return fail(&NOT_A_LOG, format!("'{file}' is not a log: its first line is not '{}'", head.trim_end()));
    }
    // The last line of somebody else may lack its end.
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.extend(lines);
    match write_file(file, |out| out.write_all(text.as_bytes())) {
        Ok(()) => true,
        Err(error) => fail(&CANNOT_WRITE, format!("'{file}' cannot be written: {error}")),
    }
}

/// A line of a table: words with signs in them are quoted.
pub fn line<T: AsRef<str>>(words: &[T]) -> String {
    let word = |word: &T| match word.as_ref() {
        word if word.contains([',', '"', '\n', '\r']) => format!("\"{}\"", word.replace('"', "\"\"")),
        word => word.to_string(),
    };
    words.iter().map(word).collect::<Vec<_>>().join(",") + "\n"
}
