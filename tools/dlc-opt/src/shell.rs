//! What the tools print for shells and for `man`: completions, and their options as a manual page.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command, value_parser};
use clap_complete::Shell;

use crate::{Io, Status};

/// The options `--completions` and `--man`, under a heading of the help.
pub fn args(heading: &'static str) -> [Arg; 2] {
    [
        Arg::new("completions")
            .long("completions")
            .value_name("SHELL")
            .help("Print completions for a shell")
            .help_heading(heading)
            .value_parser(value_parser!(Shell)),
        Arg::new("man").long("man").help("Print the manual page").help_heading(heading).action(ArgAction::SetTrue),
    ]
}

/// Prints what a command line asks for by these options, whatever else it lacks. `None` if it asks for neither, or for a shell
/// that is not known.
pub fn printed(command: &mut Command, args: &[OsString], io: &mut Io<'_>) -> Option<Status> {
    let asks = |arg: &OsString| arg.to_str().is_some_and(|arg| arg == "--man" || arg.starts_with("--completions"));
    if !args.iter().any(asks) {
        return None;
    }
    let matches = command.clone().ignore_errors(true).try_get_matches_from(args).ok()?;
    let mut text = Vec::new();
    if let Some(shell) = matches.get_one::<Shell>("completions") {
        let name = command.get_name().to_string();
        clap_complete::generate(*shell, command, name, &mut text);
    } else if matches.get_flag("man") {
        clap_mangen::Man::new(command.clone()).render(&mut text).ok()?;
    } else {
        return None;
    }
    // What goes wrong with a stream is reported at the end.
    let _ = io.stdout.write_all(&text);
    Some(Status::Success)
}
