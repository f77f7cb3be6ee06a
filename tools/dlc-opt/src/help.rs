//! `-h`, `--help` and `--help=TOPIC`: a screen of what is used most, every option, or those of one topic.
//!
//! A topic is what the options of a heading are about: the layer of `Passes on the layer region`, the first word of other
//! headings. What else has a name (a pass, an op) says for itself what it is.

use clap::{Arg, ArgAction, Command};
use dlc_ir::diag::{Code, did_you_mean};
use dlc_ir::op::{Dialect, OpDef};
use dlc_ir::pass::registry::Registry;
use dlc_ir::pass::{OptionDef, OptionKind, PassDef};
use dlc_plan::Schedule;

use crate::layers::LAYERS;
use crate::{Io, Status};

/// The heading of named pipelines.
pub const PIPELINES: &str = "Named pipelines";
/// How clap shows the value of a pass without options.
const NO_VALUE: &str = "[=<>]";
/// What a heading begins with whose topic is its last word.
const OF_LAYER: &str = "Passes on the layer ";

/// The help of a tool.
pub struct Help<'a> {
    /// The options that `-h` shows.
    pub common: &'a [&'a str],
    /// What else `--help=` explains: its names, as a word for all of them and each one, and the text of a name.
    pub named: Option<&'a dyn Named>,
    /// What is explained where neither a name nor a topic is meant.
    pub explained: Option<&'a Linked<'a>>,
}

/// Things that have names and say what they are.
pub trait Named {
    /// What they are called together: `PASS`.
    fn kind(&self) -> &'static str;
    /// All names.
    fn names(&self) -> Vec<&str>;
    /// What a name is.
    fn text(&self, name: &str) -> Option<String>;
}

/// The options `-h`, `--help` and `--help=TOPIC`.
pub fn arg() -> Arg {
    let arg = Arg::new("help").short('h').long("help").value_name("TOPIC").num_args(0..=1).require_equals(true);
    arg.default_missing_value("").help("Print help: all of it, or of a topic").action(ArgAction::Set)
}

impl Help<'_> {
    /// Prints what a command line asks for, whatever else it lacks. `None` if it asks for no help.
    pub fn printed(&self, command: &Command, args: &[std::ffi::OsString], io: &mut Io<'_>) -> Option<Status> {
        let args = args.iter().skip(1).filter_map(|arg| arg.to_str()).take_while(|arg| *arg != "--");
        let wanted = args.filter(|arg| *arg == "-h" || *arg == "--help" || arg.starts_with("--help=")).last()?;
        let text = match wanted.strip_prefix("--help=") {
            None if wanted == "-h" => Ok(self.short(command)),
            None => Ok(self.long(command)),
            Some(topic) => self.topic(command, topic),
        };
        // What goes wrong with a stream is reported at the end.
        match text {
            Ok(text) => {
                let _ = io.stdout.write_all(text.as_bytes());
                Some(Status::Success)
            }
            Err(message) => {
                let _ = writeln!(io.stderr, "error: {message}");
                Some(Status::Usage)
            }
        }
    }

    /// The options that are used most, and where the others are.
    fn short(&self, command: &Command) -> String {
        let is_common = |arg: &Arg| arg.is_positional() || self.common.contains(&arg.get_id().as_str());
        let topics = topics(command).join(", ");
        let named = self.named.map_or(String::new(), |named| format!(", or --help={}", named.kind()));
        let more = format!("All options: --help. Those of a topic: --help={{{topics}}}{named}.");
        let shown =
            command.clone().mut_args(|arg| if is_common(&arg) { arg.help_heading(None) } else { arg.hide(true) });
        shown.after_help(more).render_help().to_string()
    }

    /// All options; of passes where each is explained.
    fn long(&self, command: &Command) -> String {
        let Some(named) = self.named else { return rendered(command.clone()) };
        let of_passes = format!(
            "Each pass and named pipeline is an option as well: --list-passes, --help=passes, --help={}.",
            named.kind()
        );
        let after = command.get_after_help().map_or(String::new(), |text| format!("\n\n{text}"));
        let is_named = |arg: &Arg| arg.get_help_heading().is_some_and(is_of_passes);
        let shown = command.clone().mut_args(|arg| if is_named(&arg) { arg.hide(true) } else { arg });
        rendered(shown.after_help(format!("{of_passes}{after}")))
    }

    /// The options of a topic, or what a name is.
    fn topic(&self, command: &Command, wanted: &str) -> Result<String, String> {
        if let Some(text) = self.named.and_then(|named| named.text(wanted)) {
            return Ok(text);
        }
        let all = topics(command);
        if !all.iter().any(|topic| topic == wanted) {
            if let Some(text) = self.explained.and_then(|linked| linked.explained(wanted)) {
                return Ok(text);
            }
            let names = self.explained.map_or_else(Vec::new, Named::names);
            let near = did_you_mean(wanted, all.iter().map(String::as_str).chain(names));
            let near = near.unwrap_or_else(|| format!("the topics are {}", all.join(", ")));
            return Err(format!("there is no help on '{wanted}'; {near}"));
        }
        let is_meant = |arg: &Arg| {
            let heading = arg.get_help_heading().unwrap_or("");
            topic(heading) == wanted || wanted == "passes" && is_of_passes(heading)
        };
        let shown = command.clone().mut_args(|arg| if is_meant(&arg) { arg } else { arg.hide(true) });
        let of_dialect = self.explained.and_then(|linked| linked.layer(wanted)).unwrap_or_default();
        let options = rendered(shown.disable_version_flag(true).after_help("").help_template("{all-args}"));
        Ok(of_dialect + &options)
    }
}

/// The help of a command line, with the longer texts of options where there are any.
fn rendered(mut command: Command) -> String {
    let is_long = command.get_arguments().any(|arg| !arg.is_hide_set() && arg.get_long_help().is_some());
    let text = if is_long { command.render_long_help() } else { command.render_help() };
    // clap has no word for a value without a name. Blanks keep the columns.
    let lines = text.to_string().replace(NO_VALUE, &" ".repeat(NO_VALUE.len()));
    lines.split('\n').map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// Whether a heading is that of passes, which are options as well.
fn is_of_passes(heading: &str) -> bool {
    heading.starts_with("Passes on ") || heading == PIPELINES
}

/// The topic of a heading.
fn topic(heading: &str) -> String {
    let of_layer = heading.strip_prefix(OF_LAYER);
    of_layer.unwrap_or_else(|| heading.split([' ', ',']).next().unwrap_or("")).to_lowercase()
}

/// The topics of a command line, in the order of its headings.
fn topics(command: &Command) -> Vec<String> {
    let mut topics: Vec<String> = Vec::new();
    let headings = command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(Arg::get_help_heading);
    for heading in headings.filter(|heading| *heading != PIPELINES) {
        let topic = topic(heading);
        if !topics.contains(&topic) {
            topics.push(topic);
        }
    }
    topics
}

/// The passes and pipelines that are linked in, and the ops of dialects.
pub struct Linked<'a> {
    /// Passes and pipelines.
    pub registry: &'a Registry,
    /// Dialects.
    pub dialects: &'a [&'static Dialect],
}

impl Named for Linked<'_> {
    fn kind(&self) -> &'static str {
        "PASS"
    }

    fn names(&self) -> Vec<&str> {
        let passes = self.registry.passes().map(|def| def.name);
        let ops = self.dialects.iter().flat_map(|dialect| dialect.ops.iter().map(|op| op.name));
        passes.chain(self.registry.pipelines().map(|def| def.name)).chain(ops).collect()
    }

    fn text(&self, name: &str) -> Option<String> {
        if let Some(def) = self.registry.passes().find(|def| def.name == name || def.formerly.contains(&name)) {
            return Some(pass(def));
        }
        if let Some(def) = self.registry.pipelines().find(|def| def.name == name) {
            return Some(format!("{}: {}\n\nIt stands for\n  {}\n", def.name, def.summary, def.text));
        }
        let op = self.dialects.iter().flat_map(|dialect| dialect.ops).find(|op| op.name == name)?;
        Some(self::op(op))
    }
}

impl Linked<'_> {
    /// What the dialect of a layer is, before the passes on it. Its ops are too many to stand before these.
    fn layer(&self, name: &str) -> Option<String> {
        let dialect = self.dialects.iter().find(|dialect| dialect.name == name)?;
        let (count, list) = (dialect.ops.len(), format!("--show-dialects={name} lists them"));
        let page = reference(name).map_or(String::new(), |page| format!(", {page} describes them"));
        Some(format!("{name}: {}\n\n{count} ops: {list}{page}.\n\n", dialect.summary))
    }

    /// What anything is that a text may name: also a dialect, an op without its dialect, a code of diagnostics, and a clause
    /// of plans.
    fn explained(&self, name: &str) -> Option<String> {
        if let Some(text) = self.text(name) {
            return Some(text);
        }
        if let Some(dialect) = self.dialects.iter().find(|dialect| dialect.name == name) {
            return Some(self::dialect(dialect));
        }
        if let Some(code) = dlc_ir::inventory::iter::<&'static Code>().find(|code| code.code.eq_ignore_ascii_case(name))
        {
            return Some(format!("{} {}: {}\n", code.code, code.kind, code.summary));
        }
        let ops: Vec<String> = self.dialects.iter().filter_map(|dialect| dialect.op_spelled(name)).map(op).collect();
        if !ops.is_empty() {
            return Some(ops.join("\n"));
        }
        let (doc, wanted) = Schedule::clause_doc(name)?;
        Some(format!("{name}: a clause of {}, {wanted}\n\n{doc}\n", Schedule::OP))
    }
}

/// What an op is, with an example.
fn op(op: &OpDef) -> String {
    let example = op.example.trim().replace('\n', "\n  ");
    let example = if example.is_empty() { example } else { format!("\nExample:\n  {example}\n") };
    let mut text = format!("{}\n\n{}\n{example}", op.name, op.doc.trim());
    if op.name == Schedule::OP {
        text += "\nClauses:\n";
        for (word, (doc, _)) in Schedule::WORDS.iter().zip(Schedule::DOCS) {
            text += &format!("  {word:<16} {}\n", doc.trim());
        }
    }
    text
}

/// What a dialect is for, with its ops.
fn dialect(dialect: &Dialect) -> String {
    let mut text = format!("{}: {}\n\nOps, each explained by --help=NAME:\n", dialect.name, dialect.summary);
    for op in dialect.ops {
        text += &format!("  {:<24} {}\n", op.name, op.summary());
    }
    text += &reference(dialect.name).map_or(String::new(), |page| format!("\nReference: {page}\n"));
    text
}

/// The page about the dialect of a layer. Dialects of plugins have none.
fn reference(name: &str) -> Option<String> {
    LAYERS.contains(&name).then(|| format!("docs/reference/{name}.md"))
}

/// The words that an option takes, if it takes one of some: `one of ieee, tf32; `.
pub fn one_of(option: &OptionDef) -> String {
    match option.kind {
        OptionKind::Choice(words) => format!("one of {}; ", words.join(", ")),
        _ => String::new(),
    }
}

/// What a pass does, with its options, layers and statistics.
fn pass(def: &PassDef) -> String {
    let mut text = format!("{}: {}\n", def.name, def.summary);
    let title = |text: &mut String, title: &str| *text += &format!("\n{title}:\n");
    if !def.options.is_empty() {
        title(&mut text, &format!("Options, as in --{}='NAME=VALUE ..'", def.name));
        for option in def.options {
            let default = if option.default.is_empty() { "none" } else { option.default };
            let values = one_of(option);
            text += &format!("  {:<16} {} [{values}default: {default}]\n", option.name, option.doc);
        }
    }
    let layers = [("needs", def.requires), ("adds", def.adds), ("removes", def.removes), ("looks at", def.consults)];
    if layers.iter().any(|(_, layers)| !layers.is_empty()) {
        title(&mut text, "Layers");
        for (word, layers) in layers.iter().filter(|(_, layers)| !layers.is_empty()) {
            text += &format!("  {word:<16} {}\n", layers.join(", "));
        }
    }
    if !def.statistics.is_empty() {
        title(&mut text, "Statistics");
        for statistic in def.statistics {
            text += &format!("  {:<16} {}\n", statistic.name, statistic.doc);
        }
    }
    if !def.formerly.is_empty() {
        text += &format!("\nFormerly: {}\n", def.formerly.join(", "));
    }
    text
}
