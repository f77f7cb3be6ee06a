//! `dlc-reduce`: makes a program smaller on which a command fails, as `mlir-reduce` and `creduce` do.
//!
//! - [`oracle`]: runs the command and says whether it still fails in the same way.
//! - [`edit`]: what makes a program smaller. Edits work on IR of any dialect.
//! - [`search`]: which edits are tried in which order; lines of text where the input is not read as IR.

pub mod edit;
pub mod oracle;
pub mod search;

use std::ffi::OsString;
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::pass::outside::parse_seconds;
use dlc_ir::pass::panics;
use dlc_ir::pass::reproducer::Reproducer;
use dlc_ir::verify::verify;
use dlc_ir::{Context, Loc};
use regex::Regex;

use crate::help::{self, Help};
use crate::output::write_file;
use crate::{Io, Setup, Status, args, input, report, shell};
use oracle::{Bounds, Condition, Oracle};
use search::Search;

dlc_ir::codes! {
    /// The command that `dlc-reduce` was given does not fail on its input as it should.
    NOTHING_TO_REDUCE = "E0505" "NothingToReduce";
}

/// The options that `-h` shows.
const COMMON: [&str; 11] =
    ["test", "output", "code", "match", "status", "panic", "slower", "differs", "max-time", "help", "version"];

const EXAMPLES: &str = "\
Examples:
  dlc-reduce model.mlir --test='dlc-opt {} --choose-plan' --code=E1814 -o small.mlir
  dlc-reduce model.mlir --test='dlc-opt {} --tiny-to-kernel' --panic -o small.mlir
  dlc-reduce model.mlir --test='dlc-opt {} --choose-plan' --slower=5s -o small.mlir
  dlc-reduce model.mlir --test='./interesting.sh {}' --status=0 -o small.mlir
  dlc-reduce reproducer.mlir -o small.mlir       what --reproducer of dlc-opt wrote

Without a condition, the command must print the code of the first error that it prints now; where it
prints none, it must end with the exit status that it ends with now, which is not 0.

Exit status:
  0  all went well
  1  the command does not fail or a file cannot be read or written
  2  dlc-reduce was called wrongly
  3  dlc itself has made a mistake";

/// The command line.
pub fn command() -> Command {
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).action(ArgAction::Set).help(help)
    };
    const CONDITIONS: &str = "Conditions that the command must show (all that are given)";
    const BOUNDS: &str = "Bounds";
    let time = |name, default: &'static str, help| {
        option(name, "TIME", help).value_parser(parse_seconds).default_value(default).help_heading(BOUNDS)
    };
    Command::new("dlc-reduce")
        .about("Makes a program smaller on which a command fails, as long as it fails in the same way.")
        .version(crate::VERSION)
        .after_help(EXAMPLES)
        .disable_help_flag(true)
        .arg(help::arg())
        .arg(Arg::new("file").value_name("FILE").required(true).help("The program; '-' is standard input"))
        .arg(option("test", "COMMAND", "The command, run by 'sh'; '{}' is the file, which else comes last"))
        .arg(option("output", "FILE", "Where the result goes").short('o').default_value("-"))
        .arg(option("code", "CODE", "It prints this code, such as E1814").help_heading(CONDITIONS))
        .arg(option("match", "REGEX", "It prints what matches").value_parser(Regex::new).help_heading(CONDITIONS))
        .arg(
            option("status", "N", "It ends with this exit status")
                .value_parser(value_parser!(i32))
                .help_heading(CONDITIONS),
        )
        .arg(
            Arg::new("panic")
                .long("panic")
                .action(ArgAction::SetTrue)
                .help("It reports a panic, or a signal ends it")
                .help_heading(CONDITIONS),
        )
        .arg(
            option("slower", "TIME", "It takes longer; it is ended then")
                .value_parser(parse_seconds)
                .conflicts_with_all(["code", "match", "status", "panic", "differs"])
                .help_heading(CONDITIONS),
        )
        .arg(
            option("differs", "COMMAND", "This command prints something else, and both end with 0")
                .help_heading(CONDITIONS),
        )
        .arg(
            option("max-runs", "N", "How often the command runs")
                .value_parser(value_parser!(u32).range(1..))
                .default_value("10000")
                .help_heading(BOUNDS),
        )
        .arg(time("max-time", "10m", "How long all runs take"))
        .arg(time("timeout", "60s", "How long one run takes; it does not count as a failure"))
        .args(args::shown_args("Diagnostics"))
        .args(shell::args("Help"))
}

/// Does what a command line says. `args` starts with the name of the program.
pub fn run(setup: &Setup, args: &[OsString], io: &mut Io<'_>) -> Status {
    let linked = help::Linked { registry: &setup.registry, dialects: &setup.dialects };
    let help = Help { common: &COMMON, named: None, explained: Some(&linked) };
    let mut command = command();
    if let Some(status) = help.printed(&command, args, io).or_else(|| shell::printed(&mut command, args, io)) {
        return status;
    }
    let matches = match command.try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) => return args::refuse(&error, io),
    };
    let (ctx, diags) = (Context::new(setup.dialects.iter().copied()), Diagnostics::new());
    let done = reduce(setup, &ctx, &matches, &diags, io);
    let shown = args::shown(&matches, io.terminal);
    let _ = io.stderr.write_all(report::diagnostics(&ctx, diags.take(), shown).as_bytes());
    if done.is_some() { Status::Success } else { Status::Failure }
}

fn text_of(matches: &ArgMatches, name: &str) -> Option<String> {
    matches.get_one::<String>(name).cloned()
}

fn reduce(setup: &Setup, ctx: &Context, matches: &ArgMatches, diags: &Diagnostics, io: &mut Io<'_>) -> Option<()> {
    let started = Instant::now();
    let fail = |code, message: String| diags.emit(Diagnostic::error(code, Loc::UNKNOWN, message));
    let name = text_of(matches, "file")?;
    let file = input::read(ctx, &name, io.stdin, diags)?;
    let text = file.text.as_ref();
    let is_reproducer = Reproducer::read(text).is_some();
    let Some(test) = text_of(matches, "test").or(is_reproducer.then(|| "dlc-opt {} --run-reproducer".into())) else {
        let error = Diagnostic::error(&NOTHING_TO_REDUCE, Loc::UNKNOWN, "no command is given that fails");
        diags.emit(error.suggest("give one with --test, as in --test='dlc-opt {} --choose-plan'"));
        return None;
    };
    let mut oracle = match Oracle::new(test.clone(), condition(matches), bounds(matches), suffix(&name)) {
        Ok(oracle) => oracle,
        Err(error) => {
            fail(&input::CANNOT_WRITE, format!("no folder for the candidates can be made: {error}"));
            return None;
        }
    };
    first_run(&mut oracle, text, &test, diags)?;
    let _ = writeln!(io.stderr, "dlc-reduce: looks for {}", oracle.condition());
    // The lines that say what a reproducer runs; other comments are dropped.
    let header: String = if is_reproducer { comments(text) } else { String::new() };
    // JSON is read as well: as diagnostics say nothing new, they are dropped.
    let read = || input::module(ctx, &setup.registry, &file, 0..text.len(), search::READ, &Diagnostics::new());
    let (result, sizes) = match panics::catch(read).ok().flatten() {
        Some(body) => {
            let verified = panics::catch(|| verify(ctx, &body, &Diagnostics::new())).unwrap_or(false);
            let before = edit::num_ops(&body);
            let mut search = Search { ctx, setup, oracle: &mut oracle, header: &header, verified, body };
            let result = by_edits(&mut search, text);
            let after = edit::num_ops(&search.body);
            (result, format!("{before} ops became {after}"))
        }
        None => {
            let result = search::lines(text, &mut oracle);
            let sizes = format!("{} lines became {}, not read as IR", text.lines().count(), result.lines().count());
            (result, sizes)
        }
    };
    let bound = if oracle.is_exhausted() { ", stopped at a bound" } else { "" };
    let (runs, time) = (oracle.runs, started.elapsed().as_secs_f64());
    let _ = writeln!(io.stderr, "dlc-reduce: {sizes}; {runs} runs, {time:.1} s{bound}");
    write(&text_of(matches, "output")?, &result, io)
        .map_err(|(name, error)| fail(&input::CANNOT_WRITE, format!("'{name}' cannot be written: {error}")))
        .ok()
}

/// The smallest program, in the form that people read where the command fails on that too.
fn by_edits(search: &mut Search<'_>, original: &str) -> String {
    let printed = search.text(&search.body, true);
    let named = search.oracle.name_candidates(".mlir");
    // What does not fail once it is printed is reduced as text.
    let Some(printed) = printed.filter(|printed| search.oracle.fails(printed)) else {
        search.oracle.name_candidates(&named);
        return search::lines(original, search.oracle);
    };
    search.run();
    let generic = search.text(&search.body, true).unwrap_or(printed);
    let custom = search.text(&search.body, false);
    // One more run, whatever the bounds say.
    let fails = |text: &String| search.oracle.run(text).is_ok_and(|ran| search.oracle.holds(&ran));
    custom.filter(fails).unwrap_or(generic)
}

/// Runs the command on the original, and settles what is looked for.
fn first_run(oracle: &mut Oracle, text: &str, test: &str, diags: &Diagnostics) -> Option<()> {
    let ran = match oracle.run(text) {
        Ok(ran) => ran,
        Err(error) => {
            let message = format!("'{test}' cannot be run: {error}");
            diags.emit(Diagnostic::error(&NOTHING_TO_REDUCE, Loc::UNKNOWN, message));
            return None;
        }
    };
    if oracle.condition().is_empty() && !ran.timed_out {
        let code = ran.first_code();
        let status = ran.status.filter(|status| code.is_none() && *status != 0);
        oracle.set_condition(Condition { code, status, panic: ran.status.is_none(), ..Condition::default() });
    }
    if oracle.condition().is_empty() || !oracle.holds(&ran) {
        let wanted = oracle.condition();
        let (message, suggestion) = match (ran.timed_out, wanted.is_empty()) {
            (true, _) => (format!("'{test}' takes longer than one run may"), Some("see --timeout and --slower")),
            (_, true) => {
                (format!("'{test}' ends well on the input"), Some("for a script that ends with 0: --status=0"))
            }
            _ => (format!("'{test}' does not show {wanted} on the input"), None),
        };
        diags.emit(Diagnostic::error(&NOTHING_TO_REDUCE, Loc::UNKNOWN, message).suggest_if(suggestion));
        return None;
    }
    Some(())
}

fn condition(matches: &ArgMatches) -> Condition {
    Condition {
        code: text_of(matches, "code"),
        matches: matches.get_one::<Regex>("match").cloned(),
        status: matches.get_one::<i32>("status").copied(),
        panic: matches.get_flag("panic"),
        slower: matches.get_one::<Duration>("slower").copied(),
        differs: text_of(matches, "differs"),
    }
}

fn bounds(matches: &ArgMatches) -> Bounds {
    let time = |name| matches.get_one::<Duration>(name).copied().unwrap_or(Duration::from_secs(60));
    let runs = matches.get_one::<u32>("max-runs").map_or(usize::MAX, |runs| *runs as usize);
    Bounds { runs, time: time("max-time"), timeout: time("timeout") }
}

/// The end of a file's name, by which tools know what is in it.
fn suffix(name: &str) -> &str {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.rfind('.').filter(|at| *at > 0).map_or(".mlir", |at| &file[at..])
}

fn comments(text: &str) -> String {
    text.split_inclusive('\n').take_while(|line| line.starts_with("//")).collect()
}

fn write(name: &str, text: &str, io: &mut Io<'_>) -> Result<(), (String, std::io::Error)> {
    let done = match name {
        "-" => io.stdout.write_all(text.as_bytes()),
        _ => write_file(name, |file| file.write_all(text.as_bytes())),
    };
    done.map_err(|error| (name.to_string(), error))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_made() {
        super::command().debug_assert();
    }
}
