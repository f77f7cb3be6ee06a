//! The command line: what exists, and what was given.

use std::ffi::OsString;
use std::io::Write;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use dlc_ir::diag::{RemarkKind, nearest};
use dlc_ir::pass::PassDef;
use dlc_ir::pass::manager::AutoLower;
use dlc_ir::pass::outside::parse_seconds;
use dlc_ir::pass::registry::Registry;

use crate::help::{self, Help, PIPELINES};
use crate::report::Shown;
use crate::{Io, Setup, Status, layers, plugin, shell};

/// What the command line asks for.
#[derive(Debug)]
pub struct Options {
    /// What is done at all.
    pub action: Action,
    /// The input file; `-` for standard input.
    pub input: String,
    /// Where the result goes; `-` for standard output.
    pub output: String,
    /// `--output-dir`: where what passes emit next to the IR goes.
    pub output_dir: Option<String>,
    /// The pipeline, as text, and what to call it in messages.
    pub pipeline: Option<(String, &'static str)>,
    /// `--run-reproducer`
    pub run_reproducer: bool,
    /// `--dump-pass-pipeline`
    pub dump_pass_pipeline: bool,
    /// `--allow-unregistered-dialect`
    pub allow_unregistered: bool,
    /// `--split-input-file`
    pub split: bool,
    /// `--verify-diagnostics`
    pub verify_diagnostics: bool,
    /// `--verify-roundtrip`
    pub verify_roundtrip: bool,
    /// Whether the verifier runs after each pass.
    pub verify_each: bool,
    /// Whether nothing is printed.
    pub no_output: bool,
    /// `--print-generic`
    pub generic: bool,
    /// `--emit-json`
    pub emit_json: bool,
    /// `--print-locations`
    pub locations: bool,
    /// `--elide-elements`
    pub elide_elements: Option<u64>,
    /// What is printed between passes.
    pub print: Print,
    /// `--dump`: layers, as the specification or the design calls them.
    pub dump: Vec<String>,
    /// `--emit`: the layer, as the specification or the design calls it, if it is given.
    pub emit: Vec<String>,
    /// `--dump-format=json`
    pub dump_json: bool,
    /// `--explore`: the file of a page.
    pub explore: Option<String>,
    /// `--plan`: files of plans.
    pub plans: Vec<String>,
    /// Which lowerings are put in: `--no-auto-lower`, `--exact-lowering`.
    pub auto_lower: AutoLower,
    /// How diagnostics are shown.
    pub shown: Shown,
    /// The kinds of remarks that are shown.
    pub remarks: Vec<RemarkKind>,
    /// Whether each of them is shown, also of many that are alike.
    pub all_remarks: bool,
    /// Remarks of passes whose names match.
    pub remarks_filter: Option<regex::Regex>,
    /// `--timing`
    pub timing: Option<Form>,
    /// `--statistics`
    pub statistics: Option<Form>,
    /// `--reproducer`
    pub reproducer: Option<String>,
    /// The rewrites to skip, by rule.
    pub debug_counters: Vec<(String, Option<u64>)>,
    /// `--debug-counter-report`
    pub debug_counter_report: bool,
    /// How many threads work on bodies.
    pub threads: usize,
    /// `--evaluate-each`
    pub evaluate_each: bool,
    /// `--order-seed`
    pub order_seed: u64,
    /// Whether a line of progress may be shown.
    pub progress: bool,
    /// `--load-plugin`, as given: what a reproducer needs again.
    pub load_plugins: Vec<String>,
    /// How long a plugin, or a program that is a pass, may run.
    pub plugin_timeout: Duration,
}

/// What is done at all.
#[derive(PartialEq, Eq, Debug)]
pub enum Action {
    /// `--list-passes`
    ListPasses,
    /// `--show-dialects`, of all or of one.
    ShowDialects(String),
    /// `--new-plugin`: where to, and `--source`.
    NewPlugin(String, Option<String>),
    /// Reading, running passes, writing.
    Opt,
}

/// What is printed between passes.
#[derive(Clone, Default, Debug)]
pub struct Print {
    /// Before these passes.
    pub before: Vec<String>,
    /// After these passes.
    pub after: Vec<String>,
    /// Before every pass.
    pub before_all: bool,
    /// After every pass.
    pub after_all: bool,
    /// After passes that changed something.
    pub after_change: bool,
    /// What changed, as a diff.
    pub as_diff: bool,
    /// After a pass that failed.
    pub after_failure: bool,
    /// To files in this directory, a tree of them.
    pub tree_dir: Option<String>,
}

impl Print {
    /// Whether anything is printed between passes that succeed.
    pub fn is_active(&self) -> bool {
        let Print { before, after, before_all, after_all, after_change, as_diff, after_failure, tree_dir } = self;
        let some = !before.is_empty() || !after.is_empty() || tree_dir.is_some();
        some || *before_all || *after_all || *after_change || *as_diff || *after_failure
    }
}

/// A form of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// For people.
    Text,
    /// For programs.
    Json,
}

const FILES: &str = "Input and output";
const PASSES: &str = "Passes and pipelines";
const LOOK: &str = "Looking at the IR";
const CHECK: &str = "Checks and diagnostics";
const MEASURE: &str = "Time, statistics, debugging";

/// The options that `-h` shows.
const COMMON: [&str; 14] = [
    "help",
    "version",
    "output",
    "plan",
    "pass-pipeline",
    "emit",
    "list-passes",
    "show-dialects",
    "load-plugin",
    "print-ir-after-change",
    "dump",
    "explore",
    "remarks",
    "evaluate-each",
];

fn flag(name: &'static str, heading: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help).help_heading(heading)
}

fn option(name: &'static str, value: &'static str, heading: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help).help_heading(heading)
}

/// An option whose value may be left out.
fn form(name: &'static str, help: &'static str) -> Arg {
    let values = PossibleValuesParser::new(["text", "json"]);
    let arg = option(name, "FORM", MEASURE, help).num_args(0..=1).require_equals(true);
    arg.value_parser(values).default_missing_value("text")
}

/// The options that say how diagnostics are shown; [`shown`] reads them.
pub fn shown_args(heading: &'static str) -> [Arg; 3] {
    let colors = PossibleValuesParser::new(["auto", "always", "never"]);
    [
        option("diagnostics", "FORM", heading, "The form of diagnostics")
            .value_parser(PossibleValuesParser::new(["text", "json"]))
            .default_value("text"),
        option("color", "WHEN", heading, "Colours in diagnostics").value_parser(colors).default_value("auto"),
        option("max-errors", "N", heading, "How many errors are shown")
            .value_parser(value_parser!(usize))
            .default_value("100"),
    ]
}

/// How diagnostics are shown, by [`shown_args`].
pub fn shown(matches: &ArgMatches, terminal: bool) -> Shown {
    let is = |name: &str, value: &str| matches.get_one::<String>(name).is_some_and(|given| given == value);
    Shown {
        json: is("diagnostics", "json"),
        color: is("color", "always") || (is("color", "auto") && terminal),
        max_errors: matches.get_one::<usize>("max-errors").copied().unwrap_or(100),
    }
}

/// `--threads`; [`threads`] reads it.
pub fn threads_arg(heading: &'static str, help: &'static str) -> Arg {
    option("threads", "N", heading, help).value_parser(value_parser!(u16).range(1..))
}

/// The number of threads, by [`threads_arg`]: as many as the machine has, unless it is given.
pub fn threads(matches: &ArgMatches) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    matches.get_one::<u16>("threads").map_or_else(all, |&threads| threads.into())
}

/// What clap has to say of a command line that it does not take, and how the process ends.
pub fn refuse(error: &clap::Error, io: &mut Io<'_>) -> Status {
    let text = error.render();
    let wanted = !error.use_stderr();
    let out = if wanted { &mut io.stdout } else { &mut io.stderr };
    // Nothing can be reported where this fails.
    let _ = if io.terminal { write!(out, "{}", text.ansi()) } else { write!(out, "{text}") };
    if wanted { Status::Success } else { Status::Usage }
}

fn list(arg: Arg) -> Arg {
    arg.action(ArgAction::Append).value_delimiter(',')
}

/// What is printed on the way.
fn look_args() -> [Arg; 11] {
    [
        list(option("print-ir-before", "PASS", LOOK, "Print the IR before these passes")),
        list(option("print-ir-after", "PASS", LOOK, "Print the IR after these passes")),
        flag("print-ir-before-all", LOOK, "Print the IR before every pass"),
        flag("print-ir-after-all", LOOK, "Print the IR after every pass"),
        flag("print-ir-after-change", LOOK, "Print the IR after passes that change it"),
        flag("print-ir-as-diff", LOOK, "Print what each pass changes as a diff"),
        flag("print-ir-after-failure", LOOK, "Print the IR that a failing pass leaves, in generic form"),
        option(
            "explore",
            "FILE",
            LOOK,
            "Write a page (HTML) that shows the program at each layer and after each pass; without passes, on its way to PTX",
        )
        .conflicts_with("split-input-file"),
        option("print-ir-tree-dir", "DIR", LOOK, "Write a file for each function and pass that changed it"),
        list(option(
            "dump",
            "LAYERS",
            LOOK,
            "Print each function as it reaches these layers, lowered for it where no pass does so",
        )),
        option("dump-format", "FORM", LOOK, "The form of --dump")
            .value_parser(PossibleValuesParser::new(["text", "json"]))
            .default_value("text"),
    ]
}

/// What is checked, compared and remarked.
fn check_args() -> [Arg; 7] {
    [
        option("verify-each", "BOOL", CHECK, "Verify what each pass has changed")
            .num_args(0..=1)
            .require_equals(true)
            .value_parser(value_parser!(bool))
            .default_value("true")
            .default_missing_value("true"),
        flag("verify-diagnostics", CHECK, "Compare diagnostics with the 'expected-error' comments of the input"),
        flag("verify-roundtrip", CHECK, "Check that what is printed reads back the same"),
        list(option(
            "remarks",
            "KINDS",
            CHECK,
            "Show what passes did, did not do, and determined; with all, each remark",
        ))
        .num_args(0..=1)
        .require_equals(true)
        .value_parser(PossibleValuesParser::new(["passed", "missed", "analysis", "all"]))
        .default_missing_values(["passed", "missed", "analysis"]),
        option("remarks-filter", "REGEX", CHECK, "Show remarks, but only of passes whose name matches"),
        flag("evaluate-each", CHECK, "Run the program before and after each pass and compare"),
        option("order-seed", "N", CHECK, "With --evaluate-each: the order of warps and of asynchronous work")
            .value_parser(value_parser!(u64))
            .requires("evaluate-each")
            .default_value("0"),
    ]
}

/// The command line, without the flags of passes.
fn own_command() -> Command {
    Command::new("dlc-opt")
        .about("Reads IR, verifies it, runs passes on it in the order given, and writes it.")
        .version(crate::VERSION)
        .disable_help_flag(true)
        .arg(help::arg())
        .args_override_self(true)
        .arg(Arg::new("input").value_name("FILE").default_value("-").help("The input; '-' is standard input"))
        .args([
            option("output", "FILE", FILES, "Where the result goes, written whole or not at all")
                .short('o')
                .default_value("-"),
            option("output-dir", "DIR", FILES, "Where tables and pictures that passes emit go; else they are shown"),
            flag("allow-unregistered-dialect", FILES, "Take ops, types and attributes of unknown dialects"),
            option("plan", "FILE", FILES, "Put the plans of a file, text or JSON, next to the kernels of the input")
                .action(ArgAction::Append),
            flag("split-input-file", FILES, "Take the parts of the input between lines '// -----' one by one"),
            flag("print-generic", FILES, "Print every op in generic form, as MLIR reads it"),
            flag("emit-json", FILES, "Write functions as the JSON of their layer").conflicts_with("print-generic"),
            flag("print-locations", FILES, "Print locations"),
            option("elide-elements", "N", FILES, "Leave out the elements of dense constants with more than N")
                .value_parser(value_parser!(u64)),
            flag("no-output", FILES, "Print no result").visible_alias("verify-only"),
        ])
        .args([
            option("pass-pipeline", "PIPELINE", PASSES, "The passes to run: 'builtin.module(cse,sample.func(licm))'"),
            flag("dump-pass-pipeline", PASSES, "Print the pipeline that was run, with the lowerings put in"),
            flag("list-passes", PASSES, "Show the passes and pipelines that are linked in"),
            option("show-dialects", "NAME", PASSES, "Show the dialects that are linked in, or the ops of one")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value(""),
            option("emit", "LAYER", PASSES, "Lower to a layer by its standard pipeline, after the other passes"),
            option(
                "load-plugin",
                "FILE",
                PASSES,
                "Take the passes and dialects of a shared library, in a child process",
            )
            .action(ArgAction::Append),
            option("plugin-timeout", "TIME", PASSES, "How long one run of a plugin may take: 30s, 500ms, 2m")
                .value_parser(parse_seconds)
                .default_value("30s"),
            flag("in-process-plugins", PASSES, "Load plugins into this process, for a debugger: a crash is a crash"),
            option("new-plugin", "DIR", PASSES, "Write the project of a plugin, with an op, a pass and a test"),
            option("source", "DIR", PASSES, "With --new-plugin: the checkout of dlc that the project builds on")
                .requires("new-plugin"),
            flag("no-auto-lower", PASSES, "Make it an error when a pass needs a layer that was not reached"),
            flag(
                "exact-lowering",
                PASSES,
                "Lower to a layer that was not reached by lowerings alone, which change no number",
            ),
            threads_arg(PASSES, "How many threads work on functions"),
            flag("no-threads", PASSES, "Use one thread"),
        ])
        .args(look_args())
        .args(shown_args(CHECK))
        .args(check_args())
        .args([
            form("timing", "Show how long each pass took"),
            form("statistics", "Show what passes counted"),
            option("reproducer", "FILE", MEASURE, "When a pass fails, write the IR before it and the pipeline"),
            flag("run-reproducer", MEASURE, "Run what the reproducer given as input says"),
            list(option("debug-counter", "RULE=N", MEASURE, "Skip the N-th rewrite of a rule (from 0), or 'all'")),
            flag("debug-counter-report", MEASURE, "Show the rules, and how many rewrites each wanted to do"),
        ])
        .args(shell::args(MEASURE))
}

/// Whether a name is that of an option of the program itself.
pub fn is_option(name: &str) -> bool {
    let command = own_command();
    let is = |arg: &Arg| arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|all| all.contains(&name));
    name == "version" || command.get_arguments().any(|arg| is(arg) || arg.get_id() == name)
}

/// The command line, with a flag for every pass and named pipeline.
pub fn command(registry: &Registry) -> Command {
    let mut command = own_command().next_line_help(false);
    for def in registry.passes() {
        command = command.arg(pass_flag(def));
        // The parser of pipelines says what became of these.
        let former = def.formerly.iter().map(|&name| pass_flag(def).id(name).long(name).hide(true));
        command = command.args(former);
    }
    for def in registry.pipelines() {
        let arg = Arg::new(def.name).long(def.name).help(def.summary).help_heading(PIPELINES);
        let arg = arg.num_args(0..=1).require_equals(true).default_missing_value("").value_name("OPT=VAL ..");
        command = command.arg(arg.action(ArgAction::Append));
    }
    command
}

fn pass_flag(def: &'static PassDef) -> Arg {
    let heading = match def.requires.first() {
        Some(layer) => format!("Passes on the layer {layer}"),
        None => "Passes on any layer".to_string(),
    };
    let mut help = def.summary.to_string();
    for option in def.options {
        let values = help::one_of(option);
        help += &format!("\n  {}: {} [{values}default: {}]", option.name, option.doc, option.default);
    }
    let arg = Arg::new(def.name).long(def.name).help(help).help_heading(heading).action(ArgAction::Append);
    // Without options it still takes a value, so that the parser of pipelines says what is wrong with one.
    let value = if def.options.is_empty() { "" } else { "OPT=VAL .." };
    arg.num_args(0..=1).require_equals(true).default_missing_value("").value_name(value)
}

/// Reads a command line; when there is nothing more to do, how the process ends.
pub fn parse(setup: &Setup, args: &[OsString], io: &mut Io<'_>) -> Result<Options, Status> {
    let registry = &setup.registry;
    let linked = help::Linked { registry, dialects: &setup.dialects };
    let help = Help { common: &COMMON, named: Some(&linked), explained: Some(&linked) };
    let mut command = command(registry);
    if let Some(status) = help.printed(&command, args, io).or_else(|| shell::printed(&mut command, args, io)) {
        return Err(status);
    }
    let wrong = |message: String, io: &mut Io<'_>| {
        let _ = writeln!(io.stderr, "error: {message}\n\nFor more information, try '--help'.");
        Status::Usage
    };
    let known: Vec<String> = command.get_arguments().filter_map(Arg::get_long).map(str::to_string).collect();
    let matches = command.try_get_matches_from(args).map_err(|error| match unknown_flag(&error, &known) {
        Some(message) => wrong(message, io),
        None => refuse(&error, io),
    })?;
    options(registry, &matches, io.terminal).map_err(|message| wrong(message, io))
}

/// What is wrong with a flag that is neither a pass nor an option, if that is the error.
fn unknown_flag(error: &clap::Error, known: &[String]) -> Option<String> {
    let flag = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(flag)) if error.kind() == ErrorKind::UnknownArgument => flag,
        _ => return None,
    };
    let name = flag.strip_prefix("--")?;
    let near = nearest(name, known.iter().map(String::as_str));
    let near = near.map_or(String::new(), |near| format!("; did you mean '--{near}'?"));
    Some(format!("no pass or option has the name '{flag}' (--list-passes shows the passes){near}"))
}

fn options(registry: &Registry, matches: &ArgMatches, terminal: bool) -> Result<Options, String> {
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let texts = |name: &str| matches.get_many::<String>(name).unwrap_or_default().cloned().collect::<Vec<_>>();
    let is_given = |name: &str| matches.value_source(name) == Some(ValueSource::CommandLine);
    let form = |name: &str| text(name).map(|form| if form == "json" { Form::Json } else { Form::Text });
    let action = match text("show-dialects") {
        _ if matches.get_flag("list-passes") => Action::ListPasses,
        Some(name) => Action::ShowDialects(name),
        None => match text("new-plugin") {
            Some(dir) => Action::NewPlugin(dir, text("source")),
            None => Action::Opt,
        },
    };
    let threads = if matches.get_flag("no-threads") { 1 } else { threads(matches) };
    let filter = text("remarks-filter").map(|filter| regex::Regex::new(&filter)).transpose();
    let kinds = texts("remarks");
    let all_remarks = kinds.contains(&"all".to_string());
    let remarks = RemarkKind::ALL.into_iter().filter(|kind| kinds.iter().any(|given| given == kind.word()));
    let print = Print {
        before: known(registry, "print-ir-before", texts("print-ir-before"))?,
        after: known(registry, "print-ir-after", texts("print-ir-after"))?,
        before_all: matches.get_flag("print-ir-before-all"),
        after_all: matches.get_flag("print-ir-after-all"),
        after_change: matches.get_flag("print-ir-after-change"),
        as_diff: matches.get_flag("print-ir-as-diff"),
        after_failure: matches.get_flag("print-ir-after-failure"),
        tree_dir: text("print-ir-tree-dir"),
    };
    let filter = filter.map_err(|error| format!("--remarks-filter: {error}"))?;
    let mut remarks: Vec<RemarkKind> = remarks.collect();
    if all_remarks || filter.is_some() && remarks.is_empty() {
        remarks = RemarkKind::ALL.to_vec();
    }
    Ok(Options {
        action,
        input: text("input").unwrap_or_else(|| "-".into()),
        output: text("output").unwrap_or_else(|| "-".into()),
        output_dir: text("output-dir"),
        pipeline: pipeline(registry, matches)?,
        run_reproducer: matches.get_flag("run-reproducer"),
        dump_pass_pipeline: matches.get_flag("dump-pass-pipeline"),
        allow_unregistered: matches.get_flag("allow-unregistered-dialect"),
        split: matches.get_flag("split-input-file"),
        verify_diagnostics: matches.get_flag("verify-diagnostics"),
        verify_roundtrip: matches.get_flag("verify-roundtrip"),
        verify_each: matches.get_one::<bool>("verify-each").copied().unwrap_or(true),
        // What is explored is looked at on the page, unless a place is named for the result.
        no_output: matches.get_flag("no-output") || text("explore").is_some() && !is_given("output"),
        generic: matches.get_flag("print-generic"),
        emit_json: matches.get_flag("emit-json"),
        locations: matches.get_flag("print-locations"),
        elide_elements: matches.get_one::<u64>("elide-elements").copied(),
        print,
        dump: texts("dump"),
        emit: text("emit").into_iter().collect(),
        explore: text("explore"),
        dump_json: text("dump-format").as_deref() == Some("json"),
        plans: matches.get_many::<String>("plan").into_iter().flatten().cloned().collect(),
        auto_lower: match (matches.get_flag("no-auto-lower"), matches.get_flag("exact-lowering")) {
            (true, _) => AutoLower::Off,
            (false, true) => AutoLower::Exact,
            (false, false) => AutoLower::Standard,
        },
        shown: shown(matches, terminal),
        remarks,
        all_remarks,
        remarks_filter: filter,
        timing: form("timing"),
        statistics: form("statistics"),
        reproducer: text("reproducer"),
        debug_counters: texts("debug-counter")
            .iter()
            .map(|text| debug_counter(registry, text))
            .collect::<Result<_, _>>()?,
        debug_counter_report: matches.get_flag("debug-counter-report"),
        threads,
        evaluate_each: matches.get_flag("evaluate-each"),
        order_seed: matches.get_one::<u64>("order-seed").copied().unwrap_or(0),
        progress: terminal,
        load_plugins: texts("load-plugin"),
        plugin_timeout: matches.get_one::<Duration>("plugin-timeout").copied().unwrap_or(plugin::TIMEOUT),
    })
}

/// The pipeline that `--pass-pipeline`, or the flags of passes in their order, stand for, with `--emit` after it.
fn pipeline(registry: &Registry, matches: &ArgMatches) -> Result<Option<(String, &'static str)>, String> {
    let given = matches.get_one::<String>("pass-pipeline");
    let names = registry.passes().flat_map(|def| def.formerly.iter().copied().chain([def.name]));
    let names = names.chain(registry.pipelines().map(|def| def.name));
    let mut flags: Vec<(usize, String)> = Vec::new();
    for name in names {
        let values = matches.get_many::<String>(name).unwrap_or_default();
        for (index, value) in matches.indices_of(name).unwrap_or_default().zip(values) {
            let item = if value.is_empty() { name.to_string() } else { format!("{name}{{{value}}}") };
            flags.push((index, item));
        }
    }
    flags.sort();
    let mut items: Vec<String> = flags.into_iter().map(|(_, item)| item).collect();
    if given.is_some() && !items.is_empty() {
        return Err(format!("--pass-pipeline and flags of passes exclude each other ('{}')", items.join(" ")));
    }
    let Some(layer) = matches.get_one::<String>("emit") else {
        let flags = (!items.is_empty()).then(|| (items.join(","), "<passes>"));
        let explored = || matches.contains_id("explore").then(|| (layers::to_instructions(registry), "<explore>"));
        return Ok(given.map(|text| (text.clone(), "<pass-pipeline>")).or(flags).or_else(explored));
    };
    if given.is_some() {
        return Err("--emit and --pass-pipeline exclude each other".into());
    }
    items.push(layers::pipeline_to(registry, layers::layer_name(layer)));
    Ok(Some((items.join(","), "<emit>")))
}

/// Names of passes, or what is wrong with one.
fn known(registry: &Registry, flag: &str, names: Vec<String>) -> Result<Vec<String>, String> {
    for name in &names {
        if registry.pass(name).is_none() {
            let near = registry.nearest(name).map_or(String::new(), |near| format!("; {near}"));
            return Err(format!("--{flag}: no pass of the name '{name}' is registered{near}"));
        }
    }
    Ok(names)
}

fn debug_counter(registry: &Registry, text: &str) -> Result<(String, Option<u64>), String> {
    let wrong = || format!("--debug-counter takes RULE=N or RULE=all, not '{text}'");
    let (rule, number) = text.split_once('=').ok_or_else(wrong)?;
    known(registry, "debug-counter", vec![rule.split('/').next().unwrap_or(rule).to_string()])?;
    match number {
        "all" => Ok((rule.to_string(), None)),
        number => Ok((rule.to_string(), Some(number.parse().map_err(|_| wrong())?))),
    }
}
