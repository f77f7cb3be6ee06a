//! The text tests of a project outside of this repository, as `dlc-opt --new-plugin` writes it.
//!
//! In its tests `dlc-opt` is the program of the project, with the plugin linked in. Where the variable [`INSTALLED`] names
//! another `dlc-opt`, every test runs on that as well, with the plugin loaded from its shared library.

use crate::discover::{self, Kind, Test};
use crate::features::Features;
use crate::markdown;
use crate::session::{PROBED, Session};
use crate::test_file::{self, Outcome};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// The variable that names an installed `dlc-opt`.
pub const INSTALLED: &str = "DLC_OPT";

/// Runs the tests of a project. `own` is its program, `library` the name of its crate.
pub fn main(root: &str, own: &str, library: &str) -> ExitCode {
    let arguments = Arguments::from_args();
    match trials(Path::new(root), own, library) {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn trials(root: &Path, own: &str, library: &str) -> Result<Vec<Trial>, String> {
    let executable = env::current_exe().map_err(|error| format!("the path of this program: {error}"))?;
    // target/debug/deps/text-0123456789abcdef
    let deps = executable.parent().ok_or("this program is in no folder")?;
    let mut sessions = vec![("linked ", session(root, deps, own.into(), Vec::new()))];
    if let Some(installed) = env::var_os(INSTALLED) {
        let name = format!("{}{library}{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
        let load = format!("--load-plugin={}", deps.join(name).display());
        sessions.push(("shared ", session(root, deps, installed.into(), vec![load])));
    }
    let tests = discover::tests(root)?;
    let sessions = sessions.into_iter().map(|(prefix, session)| (prefix, Arc::new(session)));
    let trials = sessions.flat_map(|(prefix, session)| {
        tests.iter().map(move |test| trial(Arc::clone(&session), prefix, test.clone())).collect::<Vec<_>>()
    });
    Ok(trials.collect())
}

fn session(root: &Path, deps: &Path, program: PathBuf, extra_args: Vec<String>) -> Session {
    Session {
        root: root.to_owned(),
        target: deps.parent().unwrap_or(deps).to_owned(),
        elsewhere: BTreeMap::from([(PROBED.to_owned(), program)]),
        features: Features::on_path(&env::var_os("PATH").unwrap_or_default()),
        bless: env::var_os("DLC_BLESS").is_some_and(|value| value == "1"),
        scratch: env::temp_dir(),
        limit: Duration::from_secs(60),
        extra_args,
        probe: None,
        not_run: Default::default(),
    }
}

/// A test for the harness. Its name begins with `prefix`.
pub fn trial(session: Arc<Session>, prefix: &str, test: Test) -> Trial {
    let name = format!("{prefix}{}", test.name);
    Trial::ignorable_test(name, move || {
        let outcome = match test.kind {
            Kind::Script => test_file::run(&session, &test.path),
            Kind::Page => markdown::run(&session, &test.path),
            Kind::Broken(message) => Outcome::Failed(message),
        };
        match outcome {
            Outcome::Passed => Ok(Completion::Completed),
            Outcome::Failed(message) => Err(Failed::from(message)),
            Outcome::NotRun(missing) => {
                let mut not_run = session.not_run.lock().expect("no test panics with the lock");
                for tool in &missing {
                    not_run.entry(tool.clone()).or_default().push(test.name.clone());
                }
                Ok(Completion::ignored_with(format!("needs {}", missing.join(", "))))
            }
        }
    })
}
