//! Rules about passes: one file, one header, one registry entry and one folder of tests, all of one name.

use std::collections::BTreeSet;

use super::Complaints;
use crate::header;
use crate::repo::Repo;
use dlc_ir::pass::PassDef;

/// Groups of `passes/src/` whose files are not passes.
const NO_PASSES: [&str; 3] = ["analysis", "plan", "rewrites"];

/// Imports that [`imports`] would refuse and that still stand: the file, and what it imports.
pub const KNOWN_IMPORTS: &[(&str, &str)] = &[
    ("passes/src/kernel_to_ptx/kernel_to_ptx.rs", "kernel::check_async"),
    ("passes/src/plan/resolved.rs", "region_to_kernel::tensorize"),
    ("passes/src/plan/shape.rs", "region_to_kernel::tensorize"),
    ("passes/src/region/choose_plan.rs", "host::plan_arena"),
];

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

/// A pass imports no other pass; `analysis`, `plan` and `rewrites` import no pass; `analysis` imports no rewrite.
pub fn imports(repo: &Repo) -> Complaints {
    let passes: Vec<PassFile<'_>> = files(repo).collect();
    let mut known: Vec<(&str, &str)> = KNOWN_IMPORTS.to_vec();
    known.retain(|(path, _)| repo.text(path).is_some());
    let mut used = vec![false; known.len()];
    let mut complaints = Vec::new();
    for (path, text) in repo.with_extension("rs") {
        let Some(own) = path.strip_prefix("passes/src/") else { continue };
        let mut parts = own.trim_end_matches(".rs").split('/');
        let own = (parts.next(), parts.next());
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            for import in line.split("crate::").skip(1) {
                let mut words = import.split(|c: char| !c.is_alphanumeric() && c != '_');
                let (group, name) = (words.next().unwrap_or(""), words.nth(1).unwrap_or(""));
                let is_pass = passes.iter().any(|pass| (pass.group, pass.name) == (group, name));
                let is_own = own == (Some(group), Some(name));
                if (!is_pass || is_own) && (own.0 != Some("analysis") || group != "rewrites") {
                    continue;
                }
                let import = format!("{group}::{name}");
                match known.iter().position(|known| *known == (path, import.as_str())) {
                    Some(at) => used[at] = true,
                    None => complaints.push(format!("{path}:{}: it imports {import}", number + 1)),
                }
            }
        }
    }
    let stale = known.iter().zip(used).filter(|(_, used)| !used);
    complaints.extend(stale.map(|((path, import), _)| format!("{path}: no longer imports {import}; shorten the list")));
    complaints
}

/// The rules of the debug counters that a header lists are those that the pass asks for, where it lists any by name.
pub fn rules(repo: &Repo) -> Complaints {
    let mut complaints = Vec::new();
    for file in files(repo) {
        let Some(listed) = listed_rules(file.text) else { continue };
        let folder = format!("passes/src/{}/{}/", file.group, file.name);
        let own: Vec<&str> = repo.files().filter(|(path, _)| path.starts_with(&folder)).map(|(_, text)| text).collect();
        let own = || own.iter().copied().chain([file.text]);
        // Patterns have their names where they are written, and general ones belong to the driver.
        let shared = ["passes/src/rewrites/", "ir/src/rewrite"];
        let shared = || repo.files().filter(|(path, _)| shared.iter().any(|folder| path.starts_with(folder)));
        for rule in &listed {
            let name = format!("\"{rule}\"");
            if !own().chain(shared().map(|(_, text)| text)).any(|text| text.contains(&name)) {
                complaints
                    .push(format!("{}: the header lists the rule `{rule}`, which the pass does not have", file.path));
            }
        }
        let asked = own().flat_map(|text| text.split("allows_rule(\"").skip(1));
        let asked: BTreeSet<&str> = asked.filter_map(|rest| Some(rest.split_once('"')?.0)).collect();
        let missing = asked.iter().filter(|rule| !listed.iter().any(|own| own == *rule));
        complaints.extend(missing.map(|rule| format!("{}: the header does not list the rule `{rule}`", file.path)));
    }
    complaints
}

/// The names in the sentence of a header about the rules of the debug counters. `None` where it has none, or describes them.
fn listed_rules(text: &str) -> Option<Vec<String>> {
    let header: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
    let header = header.join(" ");
    let (_, sentence) = header.split_once(" of the debug counters: ")?;
    let names: Vec<String> = sentence.split('.').next()?.split('`').skip(1).step_by(2).map(str::to_string).collect();
    (!names.is_empty()).then_some(names)
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
    fn imports_of_passes() {
        let files = |tiny: &str, analysis: &str, rewrites: &str| {
            imports(&Repo::of(&[
                ("passes/src/tiny/drop_it.rs", tiny),
                ("passes/src/tiny/drop_it/parts.rs", "use crate::tiny::drop_it::X;\n"),
                ("passes/src/tiny/other.rs", "//! As crate::tiny::drop_it does.\n"),
                ("passes/src/analysis/ranges.rs", analysis),
                ("passes/src/rewrites/rings.rs", rewrites),
            ]))
        };
        let good = ["use crate::{analysis::ranges};\n", "use crate::plan::X;\n", "use crate::analysis::ranges::Y;\n"];
        assert_eq!(files(good[0], good[1], good[2]), [] as [&str; 0]);
        let bad = ["use crate::tiny::other::X;\n", "use crate::rewrites::rings;\n", "use crate::tiny::other::run;\n"];
        assert_eq!(files(bad[0], bad[1], bad[2]).len(), 3);
    }

    #[test]
    fn rules_of_headers() {
        let complaints = |header: &str, code: &str| {
            let text = format!("//! Drops. {header}\n\n{code}\n");
            rules(&Repo::of(&[("passes/src/tiny/drop_it.rs", &text)]))
        };
        let code = "if cx.allows_rule(\"drop\") {}";
        assert_eq!(complaints("Rule of the\n//! debug counters: `drop`.", code), [] as [&str; 0]);
        assert_eq!(complaints("Rules of the debug counters: the names of the ops.", code), [] as [&str; 0]);
        // Another name: it is not there, and the one that is there is not listed.
        assert_eq!(complaints("Rule of the debug counters: `other`.", code).len(), 2);
        assert_eq!(complaints("Rule of the debug counters: `drop`.", "").len(), 1);
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
