//! A project that `--new-plugin` writes outside of the workspace builds, passes its own test, and its library fits the
//! `dlc-opt` of these tests.
//!
//! It is built without the network, and in the target folder of this workspace: everything but the plugin itself is there
//! already, because the project has the packages of dlc at the same places of its workspace.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const DLC_OPT: &str = env!("CARGO_BIN_EXE_dlc-opt");

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The target folder that this test was built in, and the folder of its profile.
fn target() -> (PathBuf, PathBuf) {
    let executable = std::env::current_exe().expect("the path of this program");
    // target/debug/deps/cli-0123456789abcdef, with a target triple one level more.
    let profile = executable.ancestors().nth(2).expect("a target folder").to_owned();
    let levels = if std::env::var_os("CARGO_BUILD_TARGET").is_some() { 2 } else { 1 };
    (profile.ancestors().nth(levels).expect("a target folder").to_owned(), profile)
}

/// What cargo does in a project, in the profile and the target folder of this test.
fn cargo(project: &Path, args: &[&str]) -> Output {
    let (target, profile) = target();
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).args(["--offline", "--locked"]).current_dir(project).env("CARGO_TARGET_DIR", target);
    match profile.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => {}
        Some(profile) => drop(command.args(["--profile", profile])),
    }
    command.env("DLC_OPT", DLC_OPT).output().expect("cargo runs")
}

#[test]
fn a_project_outside_of_the_workspace_fits() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("`tools/dlc-opt/` is in the root");
    let folder = tempfile::tempdir().expect("a folder");
    // A name of its own, as it shares a target folder: no other test builds it.
    let project = folder.path().join("outside-plugin");
    let written = Command::new(DLC_OPT).arg("--new-plugin").arg(&project).arg("--source").arg(root).output();
    let written = written.expect("dlc-opt runs");
    assert!(written.status.success(), "{}", text(&written.stderr));

    let tested = cargo(&project, &["test"]);
    let (said, told) = (text(&tested.stdout), text(&tested.stderr));
    // What was built goes again, whatever became of it: its names depend on the folder.
    let cleaned = cargo(&project, &["clean", "--package", "outside-plugin"]);
    assert!(tested.status.success(), "{said}\n{told}");
    // The program with the plugin linked in, and the `dlc-opt` of this workspace with the library.
    for test in ["linked fuse.mlir", "shared fuse.mlir"] {
        assert!(said.lines().any(|line| line.contains(test) && line.ends_with("ok")), "{test}\n{said}\n{told}");
    }
    // Another build of dlc would take minutes, and its types would be others.
    let is_built = |package: &str| told.lines().any(|line| line.contains(&format!("Compiling {package} v")));
    assert!(is_built("outside-plugin") && !is_built("dlc-ir") && !is_built("dlc-passes"), "{told}");
    assert!(cleaned.status.success(), "{}", text(&cleaned.stderr));
}
