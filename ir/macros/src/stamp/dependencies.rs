//! Which packages the crate is built from, with their versions.
//!
//! No variable of cargo tells a crate the versions of its dependencies, and a lock file found from the sources is the
//! wrong one when the crate is built in another workspace. So the compiler's own command line is read: `--extern` names
//! the compiled file of each direct dependency, the list of sources next to that file (`.d`) the folder that it was
//! compiled from, and `Cargo.toml` in that folder the version.
//! That is what was built, in whichever workspace.
//!
//! Dependencies of dependencies are not on the command line. They are read from a lock file: that of the folder in which
//! the compiler runs, or that above the folder it writes to, and only one that has the direct dependencies as they were
//! built. Where none has, the direct ones are all that is known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The packages that the crate which expands this is built from: `bumpalo 3.20.3;hashbrown 0.17.1;`, in order. Every
/// entry ends with its semicolon, so a text that is cut has no wrong version at its end.
pub fn dependencies() -> String {
    let args: Vec<String> = std::env::args().collect();
    let built = direct(&args);
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
    let outputs = args.iter().position(|arg| arg == "--out-dir").and_then(|at| args.get(at + 1)).map(PathBuf::from);
    let folders = [std::env::current_dir().ok(), outputs];
    let locks = folders.iter().flatten().flat_map(|folder| folder.ancestors()).map(|folder| folder.join("Cargo.lock"));
    let closure = locks.filter_map(|file| std::fs::read_to_string(file).ok()).find_map(|text| {
        let lock = Lock::read(&text);
        lock.has(&package, &built).then(|| lock.closure(&package))
    });
    let all = closure.unwrap_or_else(|| built.into_iter().collect());
    all.into_iter().map(|(name, version)| format!("{name} {version};")).collect()
}

/// The direct dependencies, by the command line of the compiler. Crates of the workspace itself are left out.
fn direct(args: &[String]) -> BTreeMap<String, String> {
    let externs = args.iter().zip(args.iter().skip(1)).filter(|(flag, _)| *flag == "--extern");
    externs.filter_map(|(_, value)| package_of(Path::new(value.split_once('=')?.1))).collect()
}

/// The name and version of the package that a compiled file comes from.
fn package_of(compiled: &Path) -> Option<(String, String)> {
    let stem = compiled.file_stem()?.to_str()?;
    let list = compiled.with_file_name(format!("{}.d", stem.strip_prefix("lib").unwrap_or(stem)));
    let text = std::fs::read_to_string(list).ok()?;
    let source = first_source(&text)?;
    let manifest =
        Path::new(&source).ancestors().map(|folder| folder.join("Cargo.toml")).find(|file| file.is_file())?;
    name_and_version(&std::fs::read_to_string(manifest).ok()?)
}

/// The first source in a list of sources, which is written as a rule of make: `output: source source`.
fn first_source(list: &str) -> Option<String> {
    let (_, sources) = list.lines().next()?.split_once(": ")?;
    let (mut source, mut chars) = (String::new(), sources.chars());
    while let Some(c) = chars.next().filter(|c| *c != ' ') {
        match c {
            '\\' if chars.as_str().starts_with(' ') => source.extend(chars.next()),
            c => source.push(c),
        }
    }
    Some(source).filter(|source| !source.is_empty())
}

/// The name and version that the section `[package]` of a manifest gives literally.
fn name_and_version(manifest: &str) -> Option<(String, String)> {
    let package = manifest.lines().skip_while(|line| line.trim() != "[package]").skip(1);
    let package: Vec<&str> = package.take_while(|line| !line.starts_with('[')).collect();
    let value = |key: &str| package.iter().find_map(|line| quoted(line.strip_prefix(key)?.trim().strip_prefix('=')?));
    Some((value("name")?, value("version")?))
}

fn quoted(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(',');
    Some(text.strip_prefix('"')?.strip_suffix('"')?.to_string())
}

/// The packages of a lock file: name and version, and what each depends on, as it is written there.
struct Lock(Vec<(String, String, Vec<String>)>);

impl Lock {
    fn read(text: &str) -> Lock {
        let mut packages = Vec::new();
        for section in text.split("[[package]]").skip(1) {
            let value = |key: &str| section.lines().find_map(|line| quoted(line.strip_prefix(key)?));
            let list = section.split_once("dependencies = [").map_or("", |(_, rest)| rest);
            let list = list.split_once(']').map_or("", |(list, _)| list).lines().filter_map(quoted).collect();
            if let (Some(name), Some(version)) = (value("name = "), value("version = ")) {
                packages.push((name, version, list));
            }
        }
        Lock(packages)
    }

    /// The packages that an entry of a list names: `bumpalo`, or `hashbrown 0.17.1` where there are several.
    fn named(&self, entry: &str) -> impl Iterator<Item = &(String, String, Vec<String>)> {
        let mut words = entry.split(' ');
        let (name, version) = (words.next().unwrap_or_default().to_string(), words.next().map(str::to_string));
        self.0.iter().filter(move |package| package.0 == name && version.as_ref().is_none_or(|v| *v == package.1))
    }

    /// Whether it has a package, with these versions of its direct dependencies.
    fn has(&self, package: &str, built: &BTreeMap<String, String>) -> bool {
        let Some((.., list)) = self.named(package).next() else { return false };
        let direct: BTreeSet<(&str, &str)> =
            list.iter().flat_map(|entry| self.named(entry)).map(|(name, version, _)| (&**name, &**version)).collect();
        built.iter().all(|(name, version)| direct.contains(&(&**name, &**version)))
    }

    /// Everything that a package depends on, itself left out.
    fn closure(&self, package: &str) -> BTreeSet<(String, String)> {
        let mut found = BTreeSet::new();
        let mut next: Vec<&(String, String, Vec<String>)> = self.named(package).collect();
        while let Some((.., list)) = next.pop() {
            for dependency in list.iter().flat_map(|entry| self.named(entry)) {
                if found.insert((dependency.0.clone(), dependency.1.clone())) {
                    next.push(dependency);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"version = 4

[[package]]
name = "a"
version = "0.1.0"
dependencies = [
 "b",
 "c 2.0.0",
]

[[package]]
name = "b"
version = "1.0.1"
source = "elsewhere"
dependencies = [
 "c 1.0.0",
]

[[package]]
name = "c"
version = "1.0.0"

[[package]]
name = "c"
version = "2.0.0"

[[package]]
name = "d"
version = "3.0.0"
"#;

    fn versions(all: &[(&str, &str)]) -> Vec<(String, String)> {
        all.iter().map(|(name, version)| (name.to_string(), version.to_string())).collect()
    }

    #[test]
    fn a_lock_file_gives_all_that_a_package_depends_on() {
        let lock = Lock::read(LOCK);
        let all: Vec<_> = lock.closure("a").into_iter().collect();
        assert_eq!(all, versions(&[("b", "1.0.1"), ("c", "1.0.0"), ("c", "2.0.0")]));
        assert!(lock.closure("nothing").is_empty());
    }

    #[test]
    fn a_lock_file_of_another_workspace_does_not_fit() {
        let lock = Lock::read(LOCK);
        let built = |version: &str| versions(&[("b", version), ("c", "2.0.0")]).into_iter().collect();
        assert!(lock.has("a", &built("1.0.1")));
        assert!(!lock.has("a", &built("1.0.2")));
        assert!(!lock.has("nothing", &BTreeMap::new()));
    }

    #[test]
    fn the_version_is_that_of_the_folder_that_was_compiled() {
        let folder = std::env::temp_dir().join(format!("dlc-dependencies-{}", std::process::id()));
        let sources = folder.join("with space/odd-name/src");
        std::fs::create_dir_all(&sources).expect("a folder");
        let write = |file: PathBuf, text: &str| std::fs::write(file, text).expect("a file");
        let manifest = "# generated\n[package]\nedition = \"2021\"\nname = \"odd-name\"\nversion = \"1.2.3\"\n[lib]\n";
        write(folder.join("with space/odd-name/Cargo.toml"), manifest);
        let source = sources.join("lib.rs").display().to_string().replace(' ', "\\ ");
        write(folder.join("odd_name-0123.d"), &format!("out/libodd_name-0123.rmeta: {source} other.rs\n\nother.rs:\n"));
        let own = "[package]\nname = \"own\"\nversion.workspace = true\n";
        let arg = |name: &str| format!("{name}={}", folder.join(format!("lib{name}-0123.rmeta")).display());
        let args = ["rustc", "--extern", &arg("odd_name"), "--extern", "proc_macro", "--extern", &arg("missing")];
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        assert_eq!(direct(&args).into_iter().collect::<Vec<_>>(), versions(&[("odd-name", "1.2.3")]));
        assert_eq!(name_and_version(own), None);
        std::fs::remove_dir_all(folder).expect("the folder goes");
    }
}
