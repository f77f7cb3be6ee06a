//! `--new-plugin`: the project of a plugin, to be built anywhere such that this program loads it.
//!
//! A library fits a program when both have the same code of `dlc-ir`, from the same compiler, and the same identities
//! of types ([`mod@dlc_ir::plugin`]). Cargo makes the identities from the place of a package in its workspace, its profile
//! and features, and the versions of all that it depends on. So the project has the workspace of dlc in a folder `dlc`:
//! its manifest with the plugin as one more member, its lock file, and links to the folders of its members
//! (docs/decisions/0062-plugins-outside-the-tree.md).

use std::path::{Path, PathBuf};
use std::process::Command;

use dlc_ir::plugin::Stamp;
use dlc_ir::{Diagnostic, Loc};

use crate::{Setup, Status, input};

// The hash that a stamp has of its sources.
#[path = "../../../../ir/macros/src/stamp/sources.rs"]
mod sources;

dlc_ir::codes! {
    /// The project of a plugin is to be written where something is, or under a name that does not do.
    PROJECT_PLACE = "E0525" "ProjectPlace";
    /// The sources that the project of a plugin builds on are not given, not there, or not those of this program.
    PROJECT_SOURCES = "E0526" "ProjectSources";
}

/// What a project was not written for, and how the process ends.
type Unwritten = Box<(Diagnostic, Status)>;

fn place(message: String) -> Diagnostic {
    Diagnostic::error(&PROJECT_PLACE, Loc::UNKNOWN, message)
}

fn usage<T>(diagnostic: Diagnostic) -> Result<T, Unwritten> {
    Err(Box::new((diagnostic, Status::Usage)))
}

/// Writes a project to a folder that is not there or empty, and says what it has written. `source` is a checkout of dlc.
pub fn create(setup: &Setup, dir: &str, source: Option<&str>) -> Result<String, Unwritten> {
    let cannot_write = |error: std::io::Error| {
        let message = format!("the project '{dir}' cannot be written: {error}");
        Box::new((Diagnostic::error(&input::CANNOT_WRITE, Loc::UNKNOWN, message), Status::Failure))
    };
    let path = std::path::absolute(dir).map_err(cannot_write)?;
    if path.symlink_metadata().is_ok() && !std::fs::read_dir(&path).is_ok_and(|mut files| files.next().is_none()) {
        let error = place(format!("'{dir}' exists, and is no empty folder"));
        return usage(error.suggest("name a folder that is not there yet"));
    }
    let source = Source::find(source)?;
    let name = Name::of(setup, &source, &path)?;
    let files = files(&name, &source);
    write(&path, &files, &source).map_err(cannot_write)?;
    let mut written: String = files.iter().map(|(file, _)| format!("{dir}/{file}\n")).collect();
    written += &source.folders.iter().map(|folder| format!("{dir}/dlc/{folder}/ (a link)\n")).collect::<String>();
    Ok(written + &format!("It builds and passes its test: cd {dir} && cargo test --locked{PROFILE}\n"))
}

/// The option of cargo for the profile of this program, and the folder of what is built by it.
const PROFILE: &str = if cfg!(debug_assertions) { "" } else { " --release" };
const PROFILE_FOLDER: &str = if cfg!(debug_assertions) { "debug" } else { "release" };

/// The names of a plugin.
struct Name {
    /// That of the package.
    package: String,
    /// That of the crate and the dialect.
    ident: String,
}

/// Names that cargo does not take for a package, or Rust for a crate.
const RESERVED: &[&str] = &[
    "abstract",
    "alloc",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "build",
    "const",
    "continue",
    "core",
    "crate",
    "deps",
    "do",
    "dyn",
    "else",
    "enum",
    "examples",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "incremental",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "proc-macro",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "std",
    "struct",
    "super",
    "test",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
];

impl Name {
    /// The names that the folder gives, if nothing has them.
    fn of(setup: &Setup, source: &Source, path: &Path) -> Result<Name, Unwritten> {
        let folder = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let package = folder.to_ascii_lowercase().replace(['_', ' '], "-");
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let is_name = package.starts_with(|c: char| c.is_ascii_lowercase())
            && package.chars().all(plain)
            && !package.ends_with('-')
            && !package.contains("--");
        let refused = |why: &str| {
            let error = place(format!("a plugin cannot have the name of the folder, '{folder}': {why}"));
            usage(error.suggest("name a folder of letters, digits and '-', as in my-plugin"))
        };
        if !is_name {
            return refused("it is none of a package");
        }
        if RESERVED.contains(&package.as_str()) {
            return refused("it is a word of Rust or cargo");
        }
        let ident = package.replace('-', "_");
        if source.lock.packages().any(|(name, _)| name.replace('-', "_") == ident) {
            return refused("a package that dlc is built from has it");
        }
        let pass = format!("{package}-fuse");
        let is_pass = setup.registry.pass(&pass).is_some() || setup.registry.pipeline(&pass).is_some();
        if is_pass || ident == "builtin" || setup.dialects.iter().any(|dialect| dialect.name == ident) {
            return refused("a dialect or pass of this program has it");
        }
        Ok(Name { package, ident })
    }
}

/// The sources of dlc: those that this program was built from, as far as it knows.
struct Source {
    root: PathBuf,
    /// The manifest of the workspace.
    manifest: String,
    /// The folders that its members are in.
    folders: Vec<String>,
    lock: Lock,
}

impl Source {
    /// The sources in a folder, or why they do not do.
    fn find(given: Option<&str>) -> Result<Source, Unwritten> {
        let error = |message: String| Diagnostic::error(&PROJECT_SOURCES, Loc::UNKNOWN, message);
        let Some(given) = given else {
            let error = error("the project of a plugin builds on the sources of dlc, and none are given".into());
            let external = "without them any program that reads and writes text is a pass: \
                            --pass-pipeline='external{cmd=\"python3 my_pass.py\"}'; tools/python/dlc_text.py of the \
                            sources, a file that needs nothing else, reads the text into objects of Python";
            return usage(needed(error).note(Loc::UNKNOWN, external).suggest("name a checkout of dlc: --source=DIR"));
        };
        let none = |why: &str| {
            let error = error(format!("'{given}' has no sources of dlc: {why}"));
            usage(needed(error).suggest("name a checkout of dlc: --source=DIR"))
        };
        if Path::new(given).is_file() {
            return none("it is a file; an archive must be unpacked first");
        }
        let Ok(root) = Path::new(given).canonicalize() else { return none("there is no such folder") };
        let read = |file: &str| std::fs::read_to_string(root.join(file));
        let (manifest, lock) = match (read("Cargo.toml"), read("Cargo.lock"), sources::hash(&root.join("ir"))) {
            (Ok(manifest), Ok(lock), Ok(hash)) if hash == Stamp::own().sources.text() => (manifest, Lock::read(&lock)),
            (Ok(_), Ok(_), Ok(hash)) => {
                let message = format!("the sources in '{given}' are not those that this program was built from");
                let hashes =
                    format!("dlc-ir: they have the hash {hash}, this program has {}", Stamp::own().sources.text());
                return usage(other(error(message).note(Loc::UNKNOWN, hashes), &root));
            }
            (Err(_), ..) => return none("there is no Cargo.toml"),
            (_, Err(_), _) => return none("there is no Cargo.lock"),
            (.., Err(_)) => return none("there is no ir/src"),
        };
        if let (Some(own), Some(theirs)) = (own_commit(), commit(&root))
            && own != theirs
        {
            return usage(other(
                error(format!("the sources in '{given}' are at another commit than this program")),
                &root,
            ));
        }
        let differing = lock.differences(&Stamp::own());
        if !differing.is_empty() {
            let mut error = error(format!("this program was not built with the versions of '{given}/Cargo.lock'"));
            for difference in differing {
                error = error.note(Loc::UNKNOWN, difference);
            }
            return usage(error.suggest("build dlc-opt again with cargo's option --locked"));
        }
        match members(&manifest) {
            Some(folders) => Ok(Source { root, manifest, folders, lock }),
            None => none("its Cargo.toml lists no members of a workspace"),
        }
    }
}

/// With which sources are needed.
fn needed(error: Diagnostic) -> Diagnostic {
    let unknown = if own_commit().is_some() { "" } else { ", a build that does not know its commit" };
    error.note(Loc::UNKNOWN, format!("this program is dlc {}{unknown}", crate::VERSION))
}

/// With which sources are needed, and which there are.
fn other(error: Diagnostic, root: &Path) -> Diagnostic {
    let there = commit(root).map(|commit| format!("the sources are at the commit {commit}"));
    let error = needed(error);
    let error = there.into_iter().fold(error, |error, there| error.note(Loc::UNKNOWN, there));
    match own_commit() {
        Some(commit) => error.suggest(format!("git -C {} checkout {commit}", root.display())),
        None => error.suggest("check out the commit of this program, or build dlc-opt from these sources"),
    }
}

/// The commit that this program was built from, of which builds for development know nothing.
fn own_commit() -> Option<&'static str> {
    crate::VERSION.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'))
}

/// The commit of a checkout, as long as that of this program is written.
fn commit(root: &Path) -> Option<String> {
    let output = Command::new("git").arg("-C").arg(root).args(["rev-parse", "--short=12", "HEAD"]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_string();
    Some(text).filter(|text| output.status.success() && !text.is_empty())
}

/// The folders that the members of a workspace are in, in order.
fn members(manifest: &str) -> Option<Vec<String>> {
    let (_, list) = manifest.split_once(MEMBERS)?;
    let list = list.split_once(']')?.0.split(',').map(|member| member.trim().trim_matches('"'));
    let mut folders: Vec<String> = list.filter_map(|member| Some(member.split('/').next()?.to_string())).collect();
    folders.sort();
    folders.dedup();
    folders.retain(|folder| !folder.is_empty());
    Some(folders)
}

const MEMBERS: &str = "\nmembers = [";

/// A lock file of cargo.
struct Lock {
    text: String,
}

impl Lock {
    fn read(text: &str) -> Lock {
        Lock { text: text.to_string() }
    }

    /// The names and versions of its packages.
    fn packages(&self) -> impl Iterator<Item = (&str, &str)> {
        let quoted = |line: &'_ str, key: &str| -> Option<(usize, usize)> {
            let start = line.find(key)? + key.len();
            Some((start, start + line[start..].find('"')?))
        };
        self.text.split("\n[[package]]\n").skip(1).filter_map(move |package| {
            let (name, version) = (quoted(package, "name = \"")?, quoted(package, "version = \"")?);
            Some((&package[name.0..name.1], &package[version.0..version.1]))
        })
    }

    /// Packages that a program has in versions that are not here.
    fn differences(&self, stamp: &Stamp) -> Vec<String> {
        let text = stamp.dependencies.text();
        let own = text.split_terminator(';').filter_map(|entry| entry.split_once(' '));
        let missing = own.filter(|own| !self.packages().any(|package| package == *own));
        missing
            .map(|(name, version)| {
                let theirs: Vec<&str> =
                    self.packages().filter(|package| package.0 == name).map(|package| package.1).collect();
                let theirs = if theirs.is_empty() { "none".to_string() } else { theirs.join(" and ") };
                format!("{name}: the lock file has {theirs}, this program has {version}")
            })
            .collect()
    }

    /// The text with one package more, in its place.
    fn with(&self, name: &str, dependencies: &[&str]) -> String {
        let list: String = dependencies.iter().map(|dependency| format!(" \"{dependency}\",\n")).collect();
        let package = format!("name = \"{name}\"\nversion = \"0.1.0\"\ndependencies = [\n{list}]\n");
        let mut parts: Vec<&str> = self.text.split("\n[[package]]\n").collect();
        let at = self.packages().take_while(|(other, _)| *other < name).count() + 1;
        parts.insert(at, &package);
        // The last one ends the file.
        let text = parts.iter().map(|part| part.trim_end_matches('\n')).collect::<Vec<_>>().join("\n\n[[package]]\n");
        text + "\n"
    }
}

/// The packages of dlc that a project depends on, as its `Cargo.toml` has them.
const DEPENDENCIES: &[&str] = &["dlc-ir", "dlc-opt", "dlc-sample", "dlc-test"];

/// The files of a project, with their texts.
fn files(name: &Name, source: &Source) -> Vec<(String, String)> {
    let stamp = Stamp::own();
    let library = format!("{}{}{}", std::env::consts::DLL_PREFIX, name.ident, std::env::consts::DLL_SUFFIX);
    let at = commit(&source.root).map_or(String::new(), |commit| format!(", with its sources at the commit {commit}"));
    let version = format!("{}{at}", crate::VERSION);
    let fill = |text: &str| {
        let text = text.replace("{name}", &name.package).replace("{ident}", &name.ident).replace("{library}", &library);
        let text = text.replace("{version}", &version).replace("{compiler}", &stamp.compiler.text());
        let text = text.replace("{profile}", PROFILE).replace("{profile_folder}", PROFILE_FOLDER);
        text.replace("{target}", &stamp.target.text()).replace("{folders}", &source.folders.join(" "))
    };
    let links: String = source.folders.iter().map(|folder| format!("/dlc/{folder}\n")).collect();
    let workspace = source.manifest.replacen(MEMBERS, &format!("{MEMBERS}\"..\", "), 1);
    let text = |file: &str, text: &str| (file.to_string(), fill(text));
    let mut files = vec![
        text("README.md", include_str!("project/README.md.in")),
        text("Cargo.toml", include_str!("project/Cargo.toml.in")),
        text(".cargo/config.toml", include_str!("project/config.toml.in")),
        (".gitignore".into(), format!("/target\n{links}")),
        text("src/lib.rs", include_str!("project/lib.rs.in")),
        text("src/main.rs", include_str!("project/main.rs.in")),
        text("test/fuse.mlir", include_str!("project/fuse.mlir.in")),
        text("tests/text.rs", include_str!("project/text.rs.in")),
        ("dlc/Cargo.toml".into(), format!("{}{workspace}", include_str!("project/workspace.toml.in"))),
        ("dlc/Cargo.lock".into(), source.lock.with(&name.package, DEPENDENCIES)),
    ];
    files.extend(toolchain(&stamp.compiler.text()).map(|text| ("rust-toolchain.toml".into(), text)));
    files
}

/// A file for `rustup` that names the compiler of this program, where another one is installed.
fn toolchain(compiler: &str) -> Option<String> {
    let installed = Command::new("rustc").arg("--version").output().ok()?;
    // `rustc 1.95.0 (59807616e 2026-04-14)`; what is no release has no name of this kind.
    let version = compiler.split(' ').nth(1).filter(|version| !version.contains('-'))?;
    let is_other = String::from_utf8_lossy(&installed.stdout).trim() != compiler;
    is_other.then(|| format!("# The compiler of dlc-opt.\n[toolchain]\nchannel = \"{version}\"\n"))
}

/// Writes all of it next to its place first, and then in one step into it.
fn write(path: &Path, files: &[(String, String)], source: &Source) -> std::io::Result<()> {
    let parent = path.parent().unwrap_or(path);
    std::fs::create_dir_all(parent)?;
    let scratch = tempfile::Builder::new().prefix(".dlc-").tempdir_in(parent)?;
    // The folder of `tempfile` is for nobody else; one within it has the permissions that others have.
    let project = scratch.path().join("project");
    for (file, text) in files {
        let file = project.join(file);
        std::fs::create_dir_all(file.parent().unwrap_or(&project))?;
        std::fs::write(file, text)?;
    }
    for folder in &source.folders {
        std::os::unix::fs::symlink(source.root.join(folder), project.join("dlc").join(folder))?;
    }
    std::fs::rename(project, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "# generated\nversion = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \
                        \"c\"\nversion = \"2.0.0\"\ndependencies = [\n \"a\",\n]\n";

    #[test]
    fn a_package_is_put_in_its_place() {
        let lock = Lock::read(LOCK);
        assert_eq!(lock.packages().collect::<Vec<_>>(), [("a", "1.0.0"), ("c", "2.0.0")]);
        let packages = |name: &str| {
            let text = lock.with(name, &["a", "c"]);
            assert!(text.ends_with("]\n") && text.starts_with("# generated\nversion = 4\n\n[[package]]\n"), "{text}");
            Lock::read(&text).packages().map(|(name, _)| name.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(packages("b"), ["a", "b", "c"]);
        assert_eq!(packages("0"), ["0", "a", "c"]);
        assert_eq!(packages("d"), ["a", "c", "d"]);
        let added = "[[package]]\nname = \"b\"\nversion = \"0.1.0\"\ndependencies = [\n \"a\",\n \"c\",\n]\n\n[[package]]\nname = \"c\"";
        assert!(lock.with("b", &["a", "c"]).contains(added));
    }

    #[test]
    fn versions_that_are_not_in_the_lock_file_are_named() {
        let lock = Lock::read(LOCK);
        let stamp = |text| Stamp { dependencies: dlc_ir::plugin::Words::new(text), ..Stamp::own() };
        assert_eq!(lock.differences(&stamp("a 1.0.0;c 2.0.0;")), [] as [&str; 0]);
        let expected =
            ["b: the lock file has none, this program has 1.0.0", "c: the lock file has 2.0.0, this program has 3.0.0"];
        assert_eq!(lock.differences(&stamp("a 1.0.0;b 1.0.0;c 3.0.0;")), expected);
    }

    #[test]
    fn another_compiler_is_asked_for() {
        assert_eq!(toolchain("rustc 1.2.3-nightly (0123 2000-01-01)"), None);
        // Where no compiler is installed, there is nothing to compare with.
        let file = toolchain("rustc 1.2.3 (0123 2000-01-01)");
        assert!(file.is_none_or(|file| file.ends_with("channel = \"1.2.3\"\n")));
    }

    #[test]
    fn folders_of_members() {
        let manifest = "[workspace]\nresolver = \"3\"\nmembers = [\"ir\", \"ir/macros\", \"dialects/book\",\n    \"tools/dlc\", \"passes\"]\n";
        assert_eq!(members(manifest).expect("members"), ["dialects", "ir", "passes", "tools"]);
        assert_eq!(members("[package]\n"), None);
    }
}
