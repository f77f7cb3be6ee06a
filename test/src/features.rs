//! Outside tools that a test may need, and where they are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A feature that `REQUIRES:` may name, and the programs that supply it, the preferred one first.
pub const FEATURES: &[(&str, &[&str])] = &[
    ("FileCheck", &["FileCheck-22", "FileCheck"]),
    ("chromium", &["chromium", "chromium-browser", "google-chrome"]),
    ("cuobjdump", &["cuobjdump"]),
    ("mlir-opt", &["mlir-opt-22", "mlir-opt"]),
    ("nvcc", &["nvcc"]),
    ("ptxas", &["ptxas"]),
    ("python3", &["python3"]),
    ("tree-sitter", &["tree-sitter"]),
    ("valgrind", &["valgrind"]),
];

/// Packages of Python that `REQUIRES:` may name as features, by the names that they have there, and how their versions
/// must begin.
const PACKAGES: &[(&str, &str, &str)] =
    &[("islpy", "islpy", "20"), ("nvrtc", "nvidia-cuda-nvrtc", "13."), ("tinygrad", "tinygrad", "0.14.")];

/// The tools that this machine has.
#[derive(Clone, Debug, Default)]
pub struct Features {
    found: BTreeMap<&'static str, PathBuf>,
}

impl Features {
    /// Looks in the directories of `path`, the value of the PATH variable.
    pub fn on_path(path: &std::ffi::OsStr) -> Features {
        let directories: Vec<PathBuf> = std::env::split_paths(path).collect();
        let find = |names: &[&str]| {
            let candidates = names.iter().flat_map(|name| directories.iter().map(move |dir| dir.join(name)));
            candidates.into_iter().find(|candidate| candidate.is_file())
        };
        let found = FEATURES.iter().filter_map(|(name, programs)| Some((*name, find(programs)?)));
        let mut found: BTreeMap<&'static str, PathBuf> = found.collect();
        if let Some(python) = found.get("python3").cloned() {
            let packages = PACKAGES.iter().filter(|(_, package, version)| has_package(&python, package, version));
            found.extend(packages.map(|(name, ..)| (*name, python.clone())));
        }
        Features { found }
    }

    /// The program of a feature, if it is there.
    pub fn program(&self, name: &str) -> Option<&Path> {
        self.found.get(name).map(PathBuf::as_path)
    }

    /// The same without one feature.
    #[must_use]
    pub fn without(mut self, name: &str) -> Features {
        self.found.remove(name);
        self
    }

    /// An error when one of these features, separated by commas, is absent or not known.
    pub fn require(&self, wanted: &str) -> Result<(), String> {
        let wanted: Vec<String> = wanted.split(',').map(|name| name.trim().to_owned()).collect();
        match self.missing(&wanted)?.as_slice() {
            [] => Ok(()),
            missing => Err(format!("not on the PATH: {}", missing.join(", "))),
        }
    }

    /// Which of the required features are absent; an unknown name is an error.
    pub fn missing(&self, required: &[String]) -> Result<Vec<String>, String> {
        if let Some(unknown) = required.iter().find(|name| !is_known(name)) {
            let names: Vec<&str> = names().collect();
            return Err(format!("`{unknown}` is not known; known are {}", names.join(", ")));
        }
        Ok(required.iter().filter(|name| self.program(name).is_none()).cloned().collect())
    }
}

/// Whether `REQUIRES:` may name it.
pub fn is_known(name: &str) -> bool {
    names().any(|known| known == name)
}

fn names() -> impl Iterator<Item = &'static str> {
    FEATURES.iter().map(|(name, _)| *name).chain(PACKAGES.iter().map(|(name, ..)| *name))
}

/// Whether a Python has a package of a version. What is called `python3` may be anything; then it has not.
fn has_package(python: &Path, name: &str, version: &str) -> bool {
    let program = format!("import importlib.metadata as m; print(m.version('{name}'))");
    let output = std::process::Command::new(python).args(["-c", &program]).output();
    output.is_ok_and(|output| output.status.success() && output.stdout.starts_with(version.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_on_the_path_in_order_of_preference() {
        let directory = tempfile::tempdir().expect("a directory");
        for name in ["mlir-opt", "mlir-opt-22", "ptxas"] {
            std::fs::write(directory.path().join(name), "").expect("a file");
        }
        let features = Features::on_path(directory.path().as_os_str());
        assert_eq!(features.program("mlir-opt"), Some(directory.path().join("mlir-opt-22").as_path()));
        let required = ["ptxas", "nvcc"].map(str::to_owned);
        assert_eq!(features.missing(&required), Ok(vec!["nvcc".to_owned()]));
        assert_eq!(
            features.clone().without("ptxas").missing(&required),
            Ok(vec!["ptxas".to_owned(), "nvcc".to_owned()])
        );
        assert_eq!(features.require("ptxas, mlir-opt"), Ok(()));
        assert_eq!(features.require("ptxas,nvcc"), Err("not on the PATH: nvcc".to_owned()));
        assert!(features.require("ptxsa").is_err());
        assert!(Features::default().missing(&["mlir-optt".to_owned()]).is_err());
    }
}
