//! A hash of the sources of a crate. It uses nothing but the standard library: `dlc-opt` compiles this file too, and
//! compares the sources that it finds with those that it was built from.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// A hash of the sources of the crate in a folder, and of its macros. Two builds with one hash have one meaning of every
/// field and function table, which sizes alone do not show.
pub fn hash(root: &Path) -> Result<String, String> {
    let mut files = Vec::new();
    for dir in ["src", "macros/src"] {
        collect(&root.join(dir), &mut files).map_err(|error| format!("{}: {error}", root.join(dir).display()))?;
    }
    files.sort();
    let mut hash = DefaultHasher::new();
    for file in files {
        let name = file.strip_prefix(root).unwrap_or(&file);
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
