//! Rules about passes: one file, one header, one registry entry and one folder of tests, all of one name.

use super::Complaints;
use crate::header;
use crate::repo::Repo;
use dlc_ir::pass::PassDef;

/// Groups of `passes/src/` whose files are not passes.
const NO_PASSES: [&str; 3] = ["analysis", "plan", "rewrites"];

/// Dialects that every pass may use: what layers share.
const SHARED: [&str; 1] = ["core"];

/// The file of a pass.
#[derive(Clone, Copy, Debug)]
pub struct PassFile<'a> {
    /// Its path.
    pub path: &'a str,
    /// The folder it is in: the layer, the lowering, or `generic`.
    pub group: &'a str,
    /// Its name in snake case.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
}

impl PassFile<'_> {
    /// The name of the pass on the command line.
    pub fn pass(&self) -> String {
        self.name.replace('_', "-")
    }
}

/// The files of passes: `passes/src/<group>/<name>.rs`. Deeper files are parts of a pass.
pub fn files(repo: &Repo) -> impl Iterator<Item = PassFile<'_>> {
    repo.with_extension("rs").filter_map(|(path, text)| {
        let (group, file) = path.strip_prefix("passes/src/")?.split_once('/')?;
        let name = file.strip_suffix(".rs").filter(|name| !name.contains('/') && !matches!(*name, "mod" | "tests"))?;
        (!NO_PASSES.contains(&group)).then_some(PassFile { path, group, name, text })
    })
}

/// Every pass has its header.
pub fn headers(repo: &Repo) -> Complaints {
    let wrong = files(repo).filter_map(|file| Some(format!("{}: {}", file.path, header::read(file.text).err()?)));
    wrong.collect()
}

/// Every file registers the pass of its name and only that; every pass of the crate has its file.
pub fn registered(repo: &Repo, passes: &[&'static PassDef]) -> Complaints {
    let mut complaints = Vec::new();
    let knows = |name: &str| passes.iter().any(|def| def.name == name);
    for file in files(repo) {
        let entries = file.text.matches("inventory::submit!").count();
        if !knows(&file.pass()) || entries != 1 {
            complaints.push(format!(
                "{}: it does not register the pass '{}', or more than that",
                file.path,
                file.pass()
            ));
        }
        let parent = repo.text(&format!("passes/src/{}.rs", file.group)).unwrap_or_default();
        if !parent.contains(&format!("mod {};", file.name)) {
            complaints.push(format!("{}: passes/src/{}.rs does not name it", file.path, file.group));
        }
    }
    complaints
}

/// Every pass has a folder of text tests with a `basic` one.
pub fn tested(repo: &Repo) -> Complaints {
    let lacks = |file: &PassFile<'_>| {
        let basic = format!("test/passes/{}/{}/basic.", file.group, file.pass());
        !repo.files().any(|(path, _)| path.starts_with(&basic))
    };
    let missing = files(repo).filter(lacks);
    missing.map(|file| format!("{}: no test/passes/{}/{}/basic.*", file.path, file.group, file.pass())).collect()
}

/// A pass names no dialect but those of the layers that it declares.
pub fn layers(repo: &Repo, passes: &[&'static PassDef]) -> Complaints {
    let dialects = repo.files().filter_map(|(path, _)| path.strip_prefix("dialects/")?.split_once("/Cargo.toml"));
    let dialects: Vec<&str> = dialects.map(|(dialect, _)| dialect).collect();
    let mut complaints = Vec::new();
    for file in files(repo) {
        let def = passes.iter().find(|def| def.name == file.pass());
        let declared = |dialect: &str| {
            def.is_some_and(|def| {
                [def.requires, def.adds, def.removes, def.consults].iter().any(|layers| layers.contains(&dialect))
            })
        };
        for dialect in &dialects {
            if file.text.contains(&format!("dlc_{dialect}::")) && !declared(dialect) && !SHARED.contains(dialect) {
                complaints.push(format!(
                    "{}: it uses the dialect {dialect}, which is no layer of its declaration",
                    file.path
                ));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    static DROP: PassDef =
        PassDef { requires: &["tiny"], ..PassDef::base("drop-it", "Drops it.", |_| Err("x".into())) };

    const FILE: &str = "dlc_ir::inventory::submit! { &DEF }\nuse dlc_tiny::X;\nuse dlc_core::Y;\n";

    fn repo(edit: impl Fn(&str, &str) -> Option<String>) -> Repo {
        let files = [
            ("passes/src/tiny.rs", "pub mod drop_it;\n"),
            ("passes/src/tiny/drop_it.rs", FILE),
            ("passes/src/tiny/drop_it/tests.rs", ""),
            ("passes/src/analysis/ranges.rs", ""),
            ("passes/src/rewrites/rings.rs", ""),
            ("test/passes/tiny/drop-it/basic.mlir", ""),
            ("dialects/tiny/Cargo.toml", ""),
            ("dialects/book/Cargo.toml", ""),
            ("dialects/core/Cargo.toml", ""),
        ];
        let edited = files.map(|(path, text)| (path, edit(path, text).unwrap_or(text.to_owned())));
        Repo::of(&edited.each_ref().map(|(path, text)| (*path, text.as_str())))
    }

    #[test]
    fn one_of_each() {
        let good = repo(|_, _| None);
        assert_eq!(files(&good).map(|file| file.pass()).collect::<Vec<_>>(), ["drop-it"]);
        assert_eq!(registered(&good, &[&DROP]), [] as [&str; 0]);
        assert_eq!(tested(&good), [] as [&str; 0]);
        assert_eq!(layers(&good, &[&DROP]), [] as [&str; 0]);
        assert_eq!(headers(&good).len(), 1);
    }

    #[test]
    fn something_missing() {
        assert_eq!(registered(&repo(|_, _| None), &[]).len(), 1);
        let unnamed = repo(|path, _| (path == "passes/src/tiny.rs").then(String::new));
        assert_eq!(registered(&unnamed, &[&DROP]).len(), 1);
        let untested = Repo::of(&[("passes/src/tiny/drop_it.rs", FILE)]);
        assert_eq!(tested(&untested).len(), 1);
        let other = repo(|_, text| (text == FILE).then(|| text.replace("tiny", "book")));
        assert_eq!(layers(&other, &[&DROP]).len(), 1);
    }
}
