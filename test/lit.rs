//! The test target that runs every text test of the repository; see `docs/testing.md`.

use dlc_test::discover;
use dlc_test::project::trial;
use dlc_test::session::Session;
use libtest_mimic::Arguments;
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
    let trials = tests.into_iter().map(|test| trial(Arc::clone(&session), "", test)).collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !arguments.list {
        report_missing(&session);
    }
    conclusion.exit_code()
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
