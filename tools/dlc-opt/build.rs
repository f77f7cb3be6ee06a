//! How the tool is linked, and the version that it says: with the commit that it was built from, if that is known.

use std::path::Path;
use std::process::Command;

#[path = "../link.rs"]
mod link;

fn main() {
    link::main();
    println!("cargo::rerun-if-changed=build.rs");
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // While somebody works on it, a commit is no reason to build the tools again.
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = is_release.then(commit).flatten().map_or(String::new(), |commit| format!(" ({commit})"));
    println!("cargo::rustc-env=DLC_VERSION={version}{commit}");
}

/// The commit of the checkout, and that a new one is noticed.
fn commit() -> Option<String> {
    for name in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", name])?;
        if Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_string()).filter(|text| !text.is_empty())
}
