//! What a build of `dlc-ir` consists of, as literals: which compiler, which sources.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// A hash of the sources of the crate that expands this, and of its macros. Two builds with one hash have one meaning
/// of every field and function table, which sizes alone do not show.
pub fn sources() -> Result<String, String> {
    let root = std::env::var_os("CARGO_MANIFEST_DIR").ok_or("only cargo knows where the sources are")?;
    let root = PathBuf::from(root);
    let mut files = Vec::new();
    for dir in ["src", "macros/src"] {
        collect(&root.join(dir), &mut files).map_err(|error| format!("{}: {error}", root.join(dir).display()))?;
    }
    files.sort();
    let mut hash = DefaultHasher::new();
    for file in files {
        let name = file.strip_prefix(&root).unwrap_or(&file);
        name.to_string_lossy().hash(&mut hash);
        std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?.hash(&mut hash);
    }
    Ok(format!("{:016x}", hash.finish()))
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "pest") {
            files.push(path);
        }
    }
    Ok(())
}
