//! What all tests of a run share: where things are, what the machine has, how long a command may take.

use crate::features::Features;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

/// The programs of the workspace that tests may call.
pub const PROGRAMS: &[&str] =
    &["dlc-opt", "dlc-reduce", "dlc-run", "dlc-translate", "example-opt", "lit-child", "xtask"];

/// The program that extra arguments and probes go to.
pub const PROBED: &str = "dlc-opt";

/// A question to every `dlc-opt` of the tests: it is run once more with these arguments, and what it then prints on
/// standard error is kept.
#[derive(Debug, Default)]
pub struct Probe {
    /// The arguments.
    pub args: Vec<String>,
    /// The answers, each with the file of its test.
    pub answers: Mutex<Vec<(PathBuf, String)>>,
}

/// The settings of a run.
#[derive(Debug)]
pub struct Session {
    /// The root of the repository.
    pub root: PathBuf,
    /// The directory with the workspace's programs.
    pub target: PathBuf,
    /// Programs that are somewhere else, by name.
    pub elsewhere: BTreeMap<String, PathBuf>,
    /// The outside tools.
    pub features: Features,
    /// Whether snapshots are rewritten instead of compared.
    pub bless: bool,
    /// Where the tests' own folders are made.
    pub scratch: PathBuf,
    /// How long one command may run.
    pub limit: Duration,
    /// Arguments that every `dlc-opt` gets besides its own.
    pub extra_args: Vec<String>,
    /// What else to ask every `dlc-opt`.
    pub probe: Option<Probe>,
    /// The tests that did not run, by the tool that is missing.
    pub not_run: Mutex<BTreeMap<String, Vec<String>>>,
}

impl Session {
    /// The settings that the environment and the place of the running test executable give.
    pub fn from_environment() -> Result<Session, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("`test/` is in the root").to_owned();
        let executable = std::env::current_exe().map_err(|error| format!("the path of this program: {error}"))?;
        // target/debug/deps/lit-0123456789abcdef
        let target = executable.parent().and_then(Path::parent).ok_or("this program is not in a target directory")?;
        let limit = match std::env::var("DLC_TEST_TIME_LIMIT") {
            Ok(seconds) => seconds.parse().map_err(|_| format!("DLC_TEST_TIME_LIMIT: `{seconds}` is no number"))?,
            Err(_) => 60.0,
        };
        let features = Features::on_path(&std::env::var_os("PATH").unwrap_or_default());
        if let Ok(wanted) = std::env::var("DLC_TEST_REQUIRE_TOOLS") {
            features.require(&wanted).map_err(|error| format!("DLC_TEST_REQUIRE_TOOLS: {error}"))?;
        }
        let extra_args = std::env::var("DLC_TEST_EXTRA_ARGS").unwrap_or_default();
        Ok(Session {
            target: target.to_owned(),
            elsewhere: BTreeMap::new(),
            root,
            features,
            extra_args: extra_args.split_whitespace().map(str::to_owned).collect(),
            probe: None,
            scratch: std::env::temp_dir(),
            bless: std::env::var_os("DLC_BLESS").is_some_and(|value| value == "1"),
            limit: Duration::from_secs_f64(limit),
            not_run: Mutex::default(),
        })
    }

    /// The same settings for a test inside a test, which leaves nothing outside of `scratch`.
    #[must_use]
    pub fn nested(&self, scratch: &Path) -> Session {
        Session {
            root: self.root.clone(),
            target: self.target.clone(),
            elsewhere: self.elsewhere.clone(),
            features: self.features.clone(),
            scratch: scratch.to_owned(),
            bless: false,
            limit: self.limit,
            extra_args: self.extra_args.clone(),
            probe: None,
            not_run: Mutex::default(),
        }
    }

    /// A program of the workspace.
    pub fn program(&self, name: &str) -> Result<PathBuf, String> {
        let in_target = || self.target.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        let path = self.elsewhere.get(name).cloned().unwrap_or_else(in_target);
        if !path.is_file() {
            return Err(format!("`{name}` is not built: there is no {}", path.display()));
        }
        Ok(path)
    }

    /// Builds the programs and libraries of the workspace, in the profile and the place of the running executable.
    pub fn build(&self) -> Result<(), String> {
        if std::env::var_os("DLC_TEST_NO_BUILD").is_some_and(|value| value == "1") {
            return Ok(());
        }
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(["build", "--quiet", "--workspace", "--bins", "--lib"]).current_dir(&self.root);
        match self.target.file_name().and_then(|name| name.to_str()) {
            Some("debug") | None => {}
            Some(profile) => drop(command.args(["--profile", profile])),
        }
        // With a target triple there is one more level: target/x86_64-unknown-linux-gnu/debug.
        let levels = if std::env::var_os("CARGO_BUILD_TARGET").is_some() { 2 } else { 1 };
        let directory = self.target.ancestors().nth(levels).ok_or("this program is not in a target directory")?;
        command.arg("--target-dir").arg(directory);
        let status = command.status().map_err(|error| format!("cannot run cargo: {error}"))?;
        if !status.success() {
            return Err("the workspace does not build (DLC_TEST_NO_BUILD=1 tests what is built)".into());
        }
        Ok(())
    }
}
