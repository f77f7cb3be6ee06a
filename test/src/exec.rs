//! Runs lines of commands.
//!
//! The commands of a pipeline run one after another, each with the whole output of the one before; every one of them
//! must succeed.
//! A name is looked up among the built-in commands ([`crate::builtins`]), the programs of the workspace, and the
//! outside tools that the test requires; nothing else can be run.

use crate::builtins;
use crate::child::{self, Ending, Output};
use crate::features;
use crate::session::{PROBED, Session};
use crate::shell::{self, Command, Sink, Substitutions};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What the commands of one test see.
pub struct Shell<'a> {
    /// The settings of the run.
    pub session: &'a Session,
    /// The test file.
    pub file: PathBuf,
    /// The directory in which the commands run, private to the test.
    pub directory: PathBuf,
    /// The features that the test declares.
    pub requires: Vec<String>,
    /// The prefixes of all FileChecks of the test.
    pub prefixes: Vec<String>,
    /// What `%s` and its like stand for.
    pub substitutions: Substitutions,
}

/// What is put before a command and changes how it runs.
#[derive(Clone, Debug, Default)]
pub struct Manner {
    /// `not`: it must fail, and not by a crash.
    pub not: bool,
    /// `not --crash`: it must crash.
    pub crash: bool,
    /// `env X=y`: variables of the environment.
    pub environment: BTreeMap<String, String>,
}

impl Shell<'_> {
    /// Runs a line; the last command's output, or why it fails.
    pub fn run(&self, text: &str) -> Result<Output, String> {
        let line = shell::parse(text, &self.substitutions)?;
        let mut output = Output::of(0, "", "");
        for pipeline in &line {
            let mut input = Vec::new();
            let mut failure = None;
            for command in pipeline {
                output = self.command(command, std::mem::take(&mut input))?;
                input.clone_from(&output.stdout);
                if output.ending != Ending::Code(0) && failure.is_none() {
                    failure = Some(describe(command, &output));
                }
            }
            if let Some(failure) = failure {
                return Err(failure);
            }
        }
        Ok(output)
    }

    /// Runs a line to the end, whatever its commands return; for Markdown, where a failure may be what is shown.
    pub fn run_anyway(&self, text: &str) -> Result<Output, String> {
        let mut shown = Output::of(0, "", "");
        for pipeline in &shell::parse(text, &self.substitutions)? {
            let mut input = Vec::new();
            for (idx, command) in pipeline.iter().enumerate() {
                let mut command = command.clone();
                // A terminal shows both streams.
                if command.stderr == Sink::Pipe && idx + 1 == pipeline.len() {
                    command.stderr = Sink::Stdout;
                }
                let output = self.command(&command, input)?;
                shown.stderr.extend(output.stderr);
                shown.ending = if shown.ending == Ending::Code(0) { output.ending } else { shown.ending };
                input = output.stdout;
            }
            shown.stdout.extend(input);
            if shown.ending != Ending::Code(0) {
                break;
            }
        }
        Ok(shown)
    }

    /// The path that a word of a command means.
    pub fn path(&self, word: &str) -> PathBuf {
        self.directory.join(word)
    }

    fn command(&self, command: &Command, mut input: Vec<u8>) -> Result<Output, String> {
        let (manner, words) = manner(&command.words)?;
        if let Some(path) = &command.stdin {
            input = fs::read(self.path(path)).map_err(|error| format!("`< {path}`: {error}"))?;
        }
        let merge = command.stderr == Sink::Stdout;
        let mut output = match builtins::find(&words[0]) {
            Some(builtin) => {
                let mut output = builtin(self, &manner, &words[1..], input)?;
                if merge {
                    output.stdout.append(&mut output.stderr);
                }
                output
            }
            None => {
                if words[0] == PROBED
                    && let Some(probe) = &self.session.probe
                {
                    let answer = self.child(words, &probe.args, &manner, &input, false)?;
                    let text = String::from_utf8_lossy(&answer.stderr).into_owned();
                    probe.answers.lock().expect("no test panics with the lock").push((self.file.clone(), text));
                }
                let extra = if words[0] == PROBED { &*self.session.extra_args } else { &[] };
                self.child(words, extra, &manner, &input, merge)?
            }
        };
        self.redirect(&command.stdout, &mut output.stdout)?;
        self.redirect(&command.stderr, &mut output.stderr)?;
        output.ending = judge(&manner, output.ending);
        Ok(output)
    }

    /// Runs a command outside of this program.
    fn child(
        &self,
        words: &[String],
        extra: &[String],
        manner: &Manner,
        input: &[u8],
        merge: bool,
    ) -> Result<Output, String> {
        let mut child = std::process::Command::new(self.program(&words[0])?);
        child.args(&words[1..]).args(extra).current_dir(&self.directory);
        // What a person sees in colour, what a panic adds, and whether there is a GPU is no matter for a test.
        child.env("NO_COLOR", "1").env("RUST_BACKTRACE", "0").env("CUDA_VISIBLE_DEVICES", "");
        child.envs(&manner.environment);
        child::run(&mut child, input, merge, self.session.limit)
            .map_err(|error| format!("{}: {error}", words.join(" ")))
    }

    fn redirect(&self, sink: &Sink, bytes: &mut Vec<u8>) -> Result<(), String> {
        let Sink::File { path, append } = sink else { return Ok(()) };
        let mut options = OpenOptions::new();
        options.create(true).write(true).append(*append).truncate(!append);
        let file = options.open(self.path(path)).and_then(|mut file| file.write_all(bytes));
        bytes.clear();
        file.map_err(|error| format!("`> {path}`: {error}"))
    }

    fn program(&self, name: &str) -> Result<PathBuf, String> {
        if crate::session::PROGRAMS.contains(&name) {
            return self.session.program(name);
        }
        let by_path = |feature: &&(&str, &[&str])| self.session.features.program(feature.0) == Some(Path::new(name));
        let feature = match features::FEATURES.iter().find(by_path) {
            Some((feature, _)) => feature,
            None if features::is_known(name) => name,
            None => {
                let names = builtins::NAMES.join(" ");
                let programs = crate::session::PROGRAMS.join(" ");
                return Err(format!("`{name}` is not known; built in: not env {names}; programs: {programs}"));
            }
        };
        if !self.requires.iter().any(|required| required == feature) {
            return Err(format!("`{feature}` is an outside tool; the test says `REQUIRES: {feature}`"));
        }
        let program = self.session.features.program(feature).expect("a test whose tools are missing does not run");
        Ok(program.to_owned())
    }
}

/// Takes `not` and `env` off the front of a command.
fn manner(words: &[String]) -> Result<(Manner, &[String]), String> {
    let mut manner = Manner::default();
    let mut rest = words;
    loop {
        match rest {
            [not, crash, after @ ..] if not == "not" && crash == "--crash" && !manner.not => {
                (manner.not, manner.crash, rest) = (true, true, after);
            }
            [not, after @ ..] if not == "not" && !manner.not => (manner.not, rest) = (true, after),
            [env, after @ ..] if env == "env" => {
                let settings = after.iter().map_while(|word| word.split_once('='));
                let settings: Vec<_> = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
                rest = &after[settings.len()..];
                manner.environment.extend(settings);
            }
            [] => return Err(format!("`{}`: a command is missing", words.join(" "))),
            _ => return Ok((manner, rest)),
        }
    }
}

/// Turns the ending round where `not` asks for it; a time limit is never what was wanted.
fn judge(manner: &Manner, ending: Ending) -> Ending {
    match (manner.not, manner.crash, ending) {
        (false, _, ending) | (true, _, ending @ Ending::TimeLimit) => ending,
        (true, true, Ending::Crash) => Ending::Code(0),
        (true, true, Ending::Code(_)) => Ending::Code(1),
        (true, false, Ending::Code(0)) => Ending::Code(1),
        (true, false, Ending::Code(_)) => Ending::Code(0),
        (true, false, Ending::Crash) => Ending::Crash,
    }
}

fn describe(command: &Command, output: &Output) -> String {
    let words = command.words.join(" ");
    let mut text = match (command.words[0].as_str(), output.ending) {
        ("not", Ending::Code(_)) => format!("`{words}` did not fail as it should\n"),
        (_, ending) => format!("`{words}` {ending}\n"),
    };
    for (name, bytes) in [("standard error", &output.stderr), ("standard output", &output.stdout)] {
        if !bytes.is_empty() {
            text += &format!("{name}:\n{}\n", indent(&String::from_utf8_lossy(bytes)));
        }
    }
    text.trim_end().to_owned()
}

/// Indents by two, and cuts what is too long to be read.
fn indent(text: &str) -> String {
    const SHOWN: usize = 60;
    let count = text.lines().count();
    let mut lines: Vec<String> = text.lines().take(SHOWN).map(|line| format!("  {line}")).collect();
    if count > SHOWN {
        lines.push(format!("  ... ({} more lines)", count - SHOWN));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_ordinary_failure_satisfies_not() {
        let not = Manner { not: true, ..Manner::default() };
        assert_eq!(judge(&not, Ending::Code(1)), Ending::Code(0));
        assert_eq!(judge(&not, Ending::Code(0)), Ending::Code(1));
        assert_eq!(judge(&not, Ending::Crash), Ending::Crash);
        assert_eq!(judge(&not, Ending::TimeLimit), Ending::TimeLimit);
        let crash = Manner { not: true, crash: true, ..Manner::default() };
        assert_eq!(judge(&crash, Ending::Crash), Ending::Code(0));
        assert_eq!(judge(&crash, Ending::Code(1)), Ending::Code(1));
        assert_eq!(judge(&crash, Ending::TimeLimit), Ending::TimeLimit);
    }

    #[test]
    fn manners_stand_before_the_command() {
        let words = ["not", "env", "A=1", "B=x=y", "dlc-opt", "not"].map(str::to_owned);
        let (manner, rest) = manner(&words).expect("a command");
        assert!(manner.not && !manner.crash);
        assert_eq!(manner.environment["B"], "x=y");
        assert_eq!(rest, ["dlc-opt", "not"]);
        assert!(super::manner(&["not".to_owned()]).is_err());
    }
}
