//! One test file, from its text to its outcome.

use crate::exec::Shell;
use crate::filecheck::Options;
use crate::session::Session;
use crate::shell::{self, Substitutions};
use crate::{run_line, snapshot};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// How a test went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All its commands did what they should.
    Passed,
    /// It did not run, for want of these tools.
    NotRun(Vec<String>),
    /// Why it fails.
    Failed(String),
}

/// Runs the `RUN:` lines of a file.
pub fn run(session: &Session, file: &Path) -> Outcome {
    match try_run(session, file) {
        Ok(outcome) => outcome,
        Err(message) => Outcome::Failed(message),
    }
}

fn try_run(session: &Session, file: &Path) -> Result<Outcome, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let script = run_line::read(&text)?;
    if script.runs.is_empty() {
        return Err("no RUN line".into());
    }
    let missing = session.features.missing(&script.requires).map_err(|error| format!("REQUIRES: {error}"))?;
    if !missing.is_empty() {
        return Ok(Outcome::NotRun(missing));
    }
    let directory = temporary_directory(session)?;
    let substitutions = substitutions(session, file, directory.path(), &script.requires);
    let mut shell = Shell {
        session,
        file: file.to_owned(),
        directory: directory.path().to_owned(),
        requires: script.requires,
        prefixes: Vec::new(),
        substitutions,
    };
    let commands = commands(&script.runs, &shell.substitutions);
    shell.prefixes = prefixes(&commands);
    unused_snapshots(&text, &commands)?;
    for run in &script.runs {
        if let Err(message) = shell.run(&run.text) {
            // What the test wrote stays, to be looked at.
            let kept = directory.keep();
            let kept = format!("the files it wrote are in {}", kept.display());
            return Err(format!("line {}: {}\n{message}\n{kept}", run.line, run.text));
        }
    }
    Ok(Outcome::Passed)
}

/// A new directory for what a test writes.
pub fn temporary_directory(session: &Session) -> Result<TempDir, String> {
    let directory = tempfile::Builder::new().prefix("dlc-test-").tempdir_in(&session.scratch);
    directory.map_err(|error| format!("a temporary directory: {error}"))
}

/// `%s`, `%S`, `%t`, `%T` of a test file, with the names in braces.
fn substitutions(session: &Session, file: &Path, directory: &Path, requires: &[String]) -> Substitutions {
    let path = |path: &Path| path.display().to_string();
    let mut all = common_substitutions(session);
    all.extend([
        ("s".to_owned(), path(file)),
        ("S".to_owned(), file.parent().map(path).unwrap_or_default()),
        ("t".to_owned(), path(&directory.join("t"))),
        ("T".to_owned(), path(directory)),
    ]);
    // A test that does not say so must not depend on python.
    if requires.iter().any(|name| name == "python3") {
        all.extend(session.features.program("python3").map(|python| ("{python}".to_owned(), path(python))));
    }
    all
}

/// The names in braces that mean the same in every test.
pub fn common_substitutions(session: &Session) -> Substitutions {
    let path = |path: &PathBuf| path.display().to_string();
    Substitutions::from([
        ("{root}".to_owned(), path(&session.root)),
        ("{target}".to_owned(), path(&session.target)),
        ("{shlibext}".to_owned(), std::env::consts::DLL_SUFFIX.to_owned()),
        ("{shlibprefix}".to_owned(), std::env::consts::DLL_PREFIX.to_owned()),
    ])
}

/// The words of all commands, as far as they can be read; what cannot is reported when it runs.
fn commands(runs: &[run_line::RunLine], substitutions: &Substitutions) -> Vec<Vec<String>> {
    let lines = runs.iter().filter_map(|run| shell::parse(&run.text, substitutions).ok());
    lines.flatten().flatten().map(|command| command.words).collect()
}

/// The prefixes of all FileChecks of the test.
fn prefixes(commands: &[Vec<String>]) -> Vec<String> {
    let arguments = commands.iter().filter_map(|words| {
        let at = words.iter().position(|word| word == "FileCheck")?;
        Options::parse(&words[at + 1..]).ok()
    });
    arguments.flat_map(|options| options.prefixes).collect()
}

/// A snapshot that no command compares is never wrong, and so says nothing.
fn unused_snapshots(text: &str, commands: &[Vec<String>]) -> Result<(), String> {
    let used: Vec<&str> = commands
        .iter()
        .filter(|words| words.iter().any(|word| word == "snapshot"))
        .map(|words| words.iter().find_map(|word| word.strip_prefix("--name=")).unwrap_or_default())
        .collect();
    match snapshot::names(text).iter().find(|name| !used.contains(&name.as_str())) {
        Some(name) if name.is_empty() => Err("no RUN line compares the block `EXPECT:`".into()),
        Some(name) => Err(format!("no RUN line compares the block `EXPECT {name}:`")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    //! A runner that finds every test passed would find its own text tests passed too; hence these.

    use super::*;
    use std::time::Duration;

    fn outcome(text: &str) -> Outcome {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("case.test");
        fs::write(&file, text).expect("a file");
        let session = Session {
            root: directory.path().to_owned(),
            target: directory.path().to_owned(),
            elsewhere: Default::default(),
            features: Default::default(),
            scratch: directory.path().to_owned(),
            bless: false,
            limit: Duration::from_secs(60),
            extra_args: Vec::new(),
            probe: None,
            not_run: Default::default(),
        };
        run(&session, &file)
    }

    #[track_caller]
    fn fails(text: &str) {
        assert!(matches!(outcome(text), Outcome::Failed(_)), "{text}: {:?}", outcome(text));
    }

    #[test]
    fn outcomes() {
        assert_eq!(outcome("RUN: echo a | FileCheck %s\nCHECK: a\n"), Outcome::Passed);
        assert_eq!(outcome("REQUIRES: ptxas\nRUN: echo\n"), Outcome::NotRun(vec!["ptxas".into()]));
        fails("RUN: echo a | FileCheck %s\nCHECK: b\n");
        fails("RUN: not echo a\n");
        fails("RUN: cat missing\n");
        fails("RUN: cat missing | echo\n");
        fails("RUN: cat missing && echo\n");
        fails("RUN: echo\nRUN: cat missing\n");
        fails("RUN: cat missing\nRUN: echo\n");
        fails("RUN: no-such-command\n");
        fails("RUN: dlc-opt\n");
        fails("RUN: echo a | snapshot %s\n# EXPECT:\n# b\n");
        fails("nothing\n");
    }
}
