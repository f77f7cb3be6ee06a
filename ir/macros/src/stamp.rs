//! What a build of `dlc-ir` consists of, as literals: which compiler with which options, which sources, which
//! packages.

mod dependencies;
mod sources;

use std::path::{Path, PathBuf};
use std::process::Command;

pub use dependencies::dependencies;

/// The version line of the compiler that expands this: `rustc 1.95.0 (59807616e 2026-04-14)`.
///
/// A macro runs inside the compiler, so the running executable is asked. Where that is something else (a linter, an
/// editor) the `rustc` next to it is, and then the one that cargo names; nothing that they build is ever loaded.
pub fn compiler() -> String {
    let own = std::env::current_exe().ok();
    let is_rustc = |path: &PathBuf| path.file_stem().is_some_and(|name| name == "rustc");
    let alongside = own.as_deref().and_then(Path::parent).map(|dir| dir.join("rustc"));
    let named = std::env::var_os("RUSTC").map(PathBuf::from);
    let candidates = [own.filter(is_rustc), alongside, named, Some(PathBuf::from("rustc"))];
    for candidate in candidates.into_iter().flatten() {
        let Ok(output) = Command::new(candidate).arg("--version").output() else { continue };
        let version = String::from_utf8_lossy(&output.stdout).trim().to_string();
        if output.status.success() && version.starts_with("rustc ") {
            return version;
        }
    }
    "an unknown compiler".into()
}

/// The options of the compiler that come from the profile: `opt-level=1, debuginfo=line-tables-only`.
pub fn profile() -> String {
    profile_of(&std::env::args().collect::<Vec<_>>())
}

/// Options of the compiler that a profile sets.
const PROFILE: [&str; 6] = ["codegen-units", "debuginfo", "lto", "opt-level", "overflow-checks", "strip"];

fn profile_of(args: &[String]) -> String {
    let pairs = args.iter().zip(args.iter().skip(1)).filter(|(flag, _)| *flag == "-C").map(|(_, value)| value);
    let options = pairs.filter_map(|value| match value.split_once('=')?.0 {
        // Cargo tells builds with it apart too; its value is a folder.
        "incremental" => Some("incremental"),
        name => PROFILE.contains(&name).then_some(value.as_str()),
    });
    options.collect::<Vec<_>>().join(", ")
}

/// A hash of the sources of the crate that expands this, and of its macros.
pub fn sources() -> Result<String, String> {
    let root = std::env::var_os("CARGO_MANIFEST_DIR").ok_or("only cargo knows where the sources are")?;
    sources::hash(Path::new(&root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_some_of_the_options() {
        let line =
            "rustc -C opt-level=1 -C embed-bitcode=no -C debuginfo=1 -C metadata=0 -C incremental=dir --out-dir -C";
        let args: Vec<String> = line.split(' ').map(str::to_string).collect();
        assert_eq!(profile_of(&args), "opt-level=1, debuginfo=1, incremental");
    }
}
