//! What long runs over numbered cases share: which cases are run, a log with a line for each, so that machines share the
//! work, and the logs read again.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Which cases are run.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// What decides the cases.
    pub seed: u64,
    /// The number of the first.
    pub from: usize,
    /// How many.
    pub count: usize,
    /// How many threads judge them; 0 for as many as there are processors.
    pub jobs: usize,
    /// After what time no other is begun.
    pub time: Duration,
}

/// A file to which lines are added.
pub struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// The log of a path, which may be there already.
    ///
    /// Errors: it cannot be written.
    pub fn open(path: &Path) -> Result<Log, String> {
        let file = File::options().create(true).append(true).open(path);
        let file = file.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Log { path: path.to_owned(), file })
    }

    /// Adds a line.
    ///
    /// Errors: it cannot be written.
    pub fn add(&mut self, record: &dyn Display) -> Result<(), String> {
        writeln!(self.file, "{record}").map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

/// The records of logs together: of those with the same key the last.
///
/// Errors: a file cannot be read, or has a line that is no record.
pub fn read<R, K: Ord>(
    files: &[&str],
    parse: impl Fn(&str) -> Option<R>,
    key: impl Fn(&R) -> K,
) -> Result<Vec<R>, String> {
    let mut records = BTreeMap::new();
    for file in files {
        let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        for line in text.lines() {
            let record = parse(line).ok_or_else(|| format!("{file}: '{line}' is no record"))?;
            records.insert(key(&record), record);
        }
    }
    Ok(records.into_values().collect())
}

/// A message without the names and numbers of its kernel.
pub fn general(message: &str) -> String {
    let mut out = String::new();
    let mut chars = message.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '%' => {
                while chars.peek().is_some_and(|c| c.is_alphanumeric() || *c == '_') {
                    chars.next();
                }
                out.push_str("%_");
            }
            '0'..='9' => {
                while chars.peek().is_some_and(char::is_ascii_digit) {
                    chars.next();
                }
                out.push('#');
            }
            '\t' | '\n' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_added_to_and_read_together() {
        let folder = std::env::temp_dir().join(format!("dlc-runs-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder can be made");
        let path = |name: &str| folder.join(name);
        let mut first = Log::open(&path("a")).expect("it can be written");
        first.add(&"1 x").and_then(|()| first.add(&"2 y")).expect("it can be written");
        Log::open(&path("a")).and_then(|mut again| again.add(&"3 z")).expect("it can be written");
        Log::open(&path("b")).and_then(|mut other| other.add(&"2 new")).expect("it can be written");
        let names = ["a", "b"].map(|name| path(name).display().to_string());
        let parse = |line: &str| line.split_once(' ').map(|(key, word)| (key.to_string(), word.to_string()));
        let files: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = read(&files, parse, |(key, _)| key.clone()).expect("all are records");
        assert_eq!(found.iter().map(|(_, word)| word.as_str()).collect::<Vec<_>>(), ["x", "new", "z"]);
        assert!(read(&files, |_| None::<u8>, |_| 0).is_err());
        fs::remove_dir_all(&folder).expect("the folder is there");
    }
}
