//! The files of the repository, in memory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Extensions of the files that rules look at.
const READ: &[&str] = &[
    "book", "frontend", "host", "html", "js", "json", "kernel", "md", "mlir", "pest", "plan", "poly", "ptx", "py",
    "region", "rs", "sample", "test", "tiny", "toml",
];

/// The text files of the repository that rules look at, by path.
#[derive(Debug, Default)]
pub struct Repo {
    files: Vec<(String, String)>,
}

impl Repo {
    /// The root of the repository that this program was built from.
    pub fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("`tools/xtask/` is in the root").to_owned()
    }

    /// The files below a root. Hidden folders and those of build products are not looked into.
    pub fn load(root: &Path) -> io::Result<Repo> {
        let mut repo = Repo::default();
        repo.add(root, root)?;
        repo.files.sort();
        Ok(repo)
    }

    /// Some files, for tests of rules.
    pub fn of(files: &[(&str, &str)]) -> Repo {
        Repo { files: files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect() }
    }

    /// Every file, with its path below the root (`/` separates) and its text.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> + '_ {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The files with an extension.
    pub fn with_extension<'a>(&'a self, extension: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> + 'a {
        self.files().filter(move |(path, _)| path.rsplit_once('.').is_some_and(|(_, found)| found == extension))
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files().find(|(found, _)| *found == path).map(|(_, text)| text)
    }

    /// Whether some file is in this folder or a folder of it.
    pub fn has_folder(&self, folder: &str) -> bool {
        self.files().any(|(path, _)| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    }

    fn add(&mut self, root: &Path, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            if path.is_dir() && !name.starts_with('.') && name != "target" && name != "__pycache__" {
                self.add(root, &path)?;
            } else if path.is_file() && READ.contains(&extension) {
                // Some inputs of tests are not UTF-8; no rule looks at those.
                let Ok(text) = String::from_utf8(fs::read(&path)?) else { continue };
                let below = path.strip_prefix(root).expect("it is below the root");
                let parts: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
                self.files.push((parts.join("/"), text));
            }
        }
        Ok(())
    }
}
