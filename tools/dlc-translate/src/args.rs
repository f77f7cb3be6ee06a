//! The command line: what exists, and what was given.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ArgGroup, Command};
use dlc_opt::args::{refuse, shown, shown_args};
use dlc_opt::help::{self, Help};
use dlc_opt::report::Shown;
use dlc_opt::shell;
use dlc_opt::{Io, Setup, Status};

use crate::target::Target;

/// What the command line asks for.
#[derive(Clone, Debug)]
pub struct Options {
    /// The file that is read; `-` for standard input.
    pub file: String,
    /// What it is translated to.
    pub target: Target,
    /// Where that is written; `-` for standard output.
    pub output: String,
    /// The program that C++ compares its kernel with.
    pub against: Option<String>,
    /// The sizes of its symbols, unless they are given when it runs.
    pub shape: Vec<(String, i64)>,
    /// How diagnostics are shown.
    pub shown: Shown,
}

/// The options that `-h` shows.
const COMMON: [&str; 8] = ["to-ir", "to-json", "to-ptx", "to-cuda", "to-dot", "output", "help", "version"];

const EXAMPLES: &str = "\
Examples:
  dlc-translate graph.json --to-ir              a program as IR
  dlc-translate program.tiny --to-json -o p.json
  dlc-translate kernels.mlir --to-ptx -o k.ptx   PTX, and in k.json how it is launched
  dlc-translate kernels.mlir --to-cuda -o k.cu   the same kernels as C++ for people

Exit status:
  0  all went well
  1  something is wrong with the input
  2  dlc-translate was called wrongly
  3  dlc itself has made a mistake";

/// The command line.
pub fn command() -> Command {
    let targets = Target::ALL.iter().map(|(_, name, help)| {
        Arg::new(*name).long(*name).action(ArgAction::SetTrue).help(*help).help_heading("Translations")
    });
    let others = Target::ALL.iter().filter(|(target, ..)| *target != Target::Cuda).map(|(_, name, _)| *name);
    Command::new("dlc-translate")
        .about("Writes IR as something else: what devices run, what other programs read.")
        .version(dlc_opt::VERSION)
        .after_help(EXAMPLES)
        .disable_help_flag(true)
        .arg(help::arg())
        .arg(Arg::new("file").value_name("FILE").default_value("-").help("The program; '-' is standard input"))
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("FILE")
                .default_value("-")
                .help("Where the translation goes; '-' is standard output"),
        )
        .args(targets)
        .arg(
            Arg::new("against").long("against").value_name("FILE").conflicts_with_all(others).help(
                "With --to-cuda, add a 'main' that compares the kernel with the loops of this program of regions",
            ),
        )
        .arg(
            Arg::new("shape")
                .long("shape")
                .value_name("SIZES")
                .requires("against")
                .value_delimiter(',')
                .action(ArgAction::Append)
                .value_parser(symbol_size)
                .help("The sizes that 'main' takes unless it is given others: M=150,N=130"),
        )
        .group(ArgGroup::new("target").args(Target::ALL.iter().map(|(_, name, _)| *name)).required(true))
        .args(shown_args("Diagnostics"))
        .args(shell::args("Help"))
}

/// Reads a command line; when there is nothing more to do, how the process ends.
pub fn parse(setup: &Setup, args: &[OsString], io: &mut Io<'_>) -> Result<Options, Status> {
    let linked = help::Linked { registry: &setup.registry, dialects: &setup.dialects };
    let help = Help { common: &COMMON, named: None, explained: Some(&linked) };
    let mut command = command();
    if let Some(status) = help.printed(&command, args, io).or_else(|| shell::printed(&mut command, args, io)) {
        return Err(status);
    }
    let matches = command.try_get_matches_from(args).map_err(|error| refuse(&error, io))?;
    let text = |name: &str| matches.get_one::<String>(name).cloned().unwrap_or_else(|| "-".into());
    let target = Target::ALL.iter().find(|(_, name, _)| matches.get_flag(name));
    // The command line asks for exactly one.
    let (target, ..) = target.ok_or(Status::Usage)?;
    Ok(Options {
        file: text("file"),
        target: *target,
        output: text("output"),
        against: matches.get_one::<String>("against").cloned(),
        shape: matches.get_many::<(String, i64)>("shape").into_iter().flatten().cloned().collect(),
        shown: shown(&matches, io.terminal),
    })
}

/// A symbol and its size: `M=150`.
fn symbol_size(text: &str) -> Result<(String, i64), String> {
    let (name, size) = text.split_once('=').ok_or("a symbol and its size are wanted, such as M=150")?;
    match size.parse() {
        Ok(size) if size >= 0 => Ok((name.to_string(), size)),
        _ => Err(format!("'{size}' is no size")),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_made() {
        super::command().debug_assert();
    }
}
