//! What passes emit next to the IR: tables and pictures, shown or written to a folder.

use std::collections::BTreeMap;
use std::path::Path;

use dlc_ir::Loc;
use dlc_ir::diag::Diagnostic;
use dlc_ir::pass::PassOutput;

use crate::output::write_file;
use crate::{Io, input};

/// Where outputs go, and which names are taken.
pub struct Outputs<'a> {
    folder: Option<&'a str>,
    given: BTreeMap<String, usize>,
}

impl<'a> Outputs<'a> {
    /// To files of this folder, or with none to standard error.
    pub fn new(folder: Option<&'a str>) -> Self {
        Outputs { folder, given: BTreeMap::new() }
    }

    /// Gives outputs to who asked for them. What cannot be written comes back as diagnostics.
    pub fn give(&mut self, outputs: Vec<PassOutput>, io: &mut Io<'_>) -> Vec<Diagnostic> {
        let mut failed = Vec::new();
        for PassOutput { name, text } in outputs {
            let name = self.unique(&file_name(&name));
            let end = if text.ends_with('\n') { "" } else { "\n" };
            let Some(folder) = self.folder else {
                // Nothing can be reported where this fails.
                let _ = write!(io.stderr, "// -----// {name} //----- //\n{text}{end}");
                continue;
            };
            let path = Path::new(folder).join(&name);
            let written = std::fs::create_dir_all(folder)
                .and_then(|()| write_file(&path.to_string_lossy(), |file| write!(file, "{text}{end}")));
            if let Err(error) = written {
                let message = format!("'{}' cannot be written: {error}", path.display());
                failed.push(Diagnostic::error(&input::CANNOT_WRITE, Loc::UNKNOWN, message));
            }
        }
        failed
    }

    /// A name that no output had yet: of several with one name, the later ones have a number before the extension.
    fn unique(&mut self, name: &str) -> String {
        let number = self.given.entry(name.to_owned()).or_default();
        *number += 1;
        match (*number, name.rsplit_once('.')) {
            (1, _) => name.to_owned(),
            (number, Some((stem, extension))) => format!("{stem}-{number}.{extension}"),
            (number, None) => format!("{name}-{number}"),
        }
    }
}

/// A name without anything that would mean another folder: names of symbols may hold any character.
pub fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' };
    let name: String = name.chars().map(plain).take(200).collect();
    if name.starts_with('.') || name.is_empty() { format!("_{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dlc_ir::pass::{OUTPUT, REMARK, take_outputs};

    #[test]
    fn outputs_are_taken_from_among_diagnostics() {
        let remark = Diagnostic::error(&REMARK, Loc::UNKNOWN, "stays");
        let output = Diagnostic::error(&OUTPUT, Loc::UNKNOWN, "text").at("a.svg");
        let mut found = vec![remark.clone(), output, remark];
        let taken = take_outputs(&mut found);
        assert_eq!(taken, [PassOutput { name: "a.svg".into(), text: "text".into() }]);
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn names_stay_in_the_folder() {
        assert_eq!(file_name("view.f.svg"), "view.f.svg");
        assert_eq!(file_name("../a/b"), "_.._a_b");
        assert_eq!(file_name(""), "_");
    }

    #[test]
    fn one_name_for_each() {
        let mut outputs = Outputs::new(None);
        let names = ["a.svg", "b", "a.svg", "b", "a.svg"].map(|name| outputs.unique(name));
        assert_eq!(names, ["a.svg", "b", "a-2.svg", "b-2", "a-3.svg"]);
    }
}
