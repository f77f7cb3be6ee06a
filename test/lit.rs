//! The test target that runs every text test of the repository; see `docs/testing.md`.

use dlc_test::discover::{self, Kind, Test};
use dlc_test::session::Session;
use dlc_test::test_file::Outcome;
use dlc_test::{markdown, test_file};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let start = || -> Result<_, String> {
        let session = Session::from_environment()?;
        let tests = discover::tests(&session.root)?;
        if !arguments.list {
            session.build()?;
        }
        Ok((Arc::new(session), tests))
    };
    let (session, tests) = match start() {
        Ok(started) => started,
        Err(message) => {
            eprintln!("lit: {message}");
            return ExitCode::FAILURE;
        }
    };
    let trials = tests.into_iter().map(|test| trial(Arc::clone(&session), test)).collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list {
        report_missing(&session);
    }
    conclusion.exit_code()
}

fn trial(session: Arc<Session>, test: Test) -> Trial {
    let name = test.name.clone();
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

/// Says what was not tested, and why.
fn report_missing(session: &Session) {
    if session.features.program("FileCheck").is_none() {
        eprintln!("no FileCheck of LLVM on the PATH: directives were judged by our own alone");
    }
    let not_run = session.not_run.lock().expect("no test panics with the lock");
    for (tool, tests) in not_run.iter() {
        eprintln!("not run for want of {tool}: {}", tests.join(" "));
    }
}
