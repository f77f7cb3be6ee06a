//! Rules about single source files.

use super::Complaints;
use crate::repo::Repo;

/// Files that may have more than [`MOST_LINES`], and why.
pub const LONG: &[(&str, &str)] = &[];

/// The most lines of a Rust file.
pub const MOST_LINES: usize = 700;

/// Folders whose crates must not reach outside of the program.
const PURE: [&str; 3] = ["ir/", "dialects/", "passes/"];

/// What would reach outside. Written in halves, so that this file does not contain it.
const OUTSIDE: [&str; 4] =
    [concat!("std::", "fs"), concat!("std::", "process"), concat!("std::", "env"), concat!("std::", "net")];

/// Words for things left to do, in halves likewise.
const NOTES: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];

/// Every Rust file begins with its module documentation.
pub fn module_docs(repo: &Repo) -> Complaints {
    let lacks = |text: &str| {
        let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with("#!["));
        // An empty file has nothing to tell.
        first.is_some_and(|line| !line.starts_with("//! "))
    };
    let files = repo.with_extension("rs").filter(|(_, text)| lacks(text));
    files.map(|(path, _)| format!("{path}: it does not begin with `//!` and what the file is")).collect()
}

/// Every Rust file is part of some crate.
pub fn orphans(repo: &Repo) -> Complaints {
    let files = repo.with_extension("rs").filter(|(path, _)| !is_root(repo, path) && !has_parent(repo, path));
    files.map(|(path, _)| format!("{path}: no `mod` line names it, so nothing compiles it")).collect()
}

/// Whether cargo finds the file by its place, or its manifest names it.
fn is_root(repo: &Repo, path: &str) -> bool {
    let manifest_names = repo.with_extension("toml").any(|(manifest, text)| {
        let folder = manifest.strip_suffix("Cargo.toml").unwrap_or(manifest);
        let script = text.lines().find_map(|line| line.strip_prefix("build = \"")?.strip_suffix('"'));
        script.is_some_and(|script| place(folder, script) == path)
            || path.strip_prefix(folder).is_some_and(|below| text.contains(&format!("path = \"{below}\"")))
    });
    let by_place = ["src/lib.rs", "src/main.rs"].iter().any(|root| path.ends_with(root));
    let in_target_folder = path.rsplit_once('/').is_some_and(|(folder, _)| {
        let crate_folder =
            ["/tests", "/examples", "/benches", "/src/bin"].iter().find_map(|kind| folder.strip_suffix(kind));
        crate_folder.is_some_and(|folder| repo.text(&format!("{folder}/Cargo.toml")).is_some())
    });
    manifest_names || by_place || in_target_folder
}

/// Where a file is that a manifest in a folder names, which may be in a folder above.
fn place(folder: &str, file: &str) -> String {
    let (mut folder, mut file) = (folder.trim_end_matches('/'), file);
    while let Some(rest) = file.strip_prefix("../") {
        folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        file = rest;
    }
    if folder.is_empty() { file.to_string() } else { format!("{folder}/{file}") }
}

fn has_parent(repo: &Repo, path: &str) -> bool {
    let Some((folder, file)) = path.rsplit_once('/') else { return false };
    let (folder, name) = match file {
        "mod.rs" => folder.rsplit_once('/').unwrap_or(("", folder)),
        file => (folder, file.trim_end_matches(".rs")),
    };
    let line = format!("mod {name};");
    let names_it = |text: &str| {
        text.lines().any(|found| {
            found.trim().split_once(&line).is_some_and(|(before, _)| before.is_empty() || before.starts_with("pub"))
        })
    };
    let parents =
        [format!("{folder}.rs"), format!("{folder}/mod.rs"), format!("{folder}/lib.rs"), format!("{folder}/main.rs")];
    let is_next_to = |other: &str| other.rsplit_once('/').is_some_and(|(own, _)| own == folder);
    parents.iter().filter_map(|parent| repo.text(parent)).any(names_it)
        // The root of a test program has its modules in its folder, whatever it is called.
        || repo.with_extension("rs").any(|(other, text)| is_next_to(other) && names_it(text) && is_root(repo, other))
        // A file may hold modules within modules, as `mod tests;` inside of `mod mutants { .. }` would.
        || repo.with_extension("rs").any(|(_, text)| text.contains(&format!("#[path = \"{file}\"]")))
}

/// No Rust file is too long to be read.
pub fn length(repo: &Repo) -> Complaints {
    let excused = |path: &str| LONG.iter().any(|(long, _)| *long == path);
    let long = repo.with_extension("rs").map(|(path, text)| (path, text.lines().count()));
    let long = long.filter(|(path, lines)| *lines > MOST_LINES && !excused(path));
    let mut complaints: Complaints =
        long.map(|(path, lines)| format!("{path}: {lines} lines; above {MOST_LINES} is two files")).collect();
    let short = |path: &str| repo.text(path).is_none_or(|text| text.lines().count() <= MOST_LINES);
    let stale = LONG.iter().filter(|(path, _)| short(path));
    complaints.extend(stale.map(|(path, _)| format!("{path}: is not long; take it off the list")));
    complaints
}

/// No tabs, no blanks at the ends of lines, and a line end at the end of every Rust file, page and manifest.
pub fn white_space(repo: &Repo) -> Complaints {
    let mut complaints = Vec::new();
    for (path, text) in ["rs", "md", "toml"].iter().flat_map(|extension| repo.with_extension(extension)) {
        let mut in_block = false;
        for (number, line) in text.lines().enumerate() {
            // What a program prints is shown on pages as it is.
            in_block ^= path.ends_with(".md") && line.trim_start().starts_with("```");
            if !in_block && (line.ends_with([' ', '\t']) || line.contains('\t')) {
                complaints.push(format!("{path}:{}: a tab, or a blank at the end of the line", number + 1));
            }
        }
        if !text.ends_with('\n') || text.ends_with("\n\n") {
            complaints.push(format!("{path}: it does not end with one line end"));
        }
    }
    complaints
}

/// Every note about something left to do says what and why: at least four words after a colon.
pub fn notes(repo: &Repo) -> Complaints {
    let mut complaints = Vec::new();
    for (path, text) in ["rs", "md"].iter().flat_map(|extension| repo.with_extension(extension)) {
        for (number, line) in text.lines().enumerate() {
            for note in NOTES {
                let Some((before, rest)) = line.split_once(note).filter(|(before, _)| opens_note(path, before)) else {
                    continue;
                };
                let reason = rest.strip_prefix(':').map_or(0, |reason| reason.split_whitespace().count());
                // In backquotes it is the word itself that is spoken of.
                if reason < 4 && !before.ends_with('`') {
                    complaints.push(format!("{path}:{}: `{note}` without a reason after a colon", number + 1));
                }
            }
        }
    }
    complaints
}

/// Whether a note can begin after this text: in a page anywhere, in a source where a comment begins.
fn opens_note(path: &str, before: &str) -> bool {
    let before = before.trim_end_matches([' ', '!', '(', '*']);
    path.ends_with(".md") || (before.ends_with("//") && before.matches('"').count().is_multiple_of(2))
}

/// The IR, the dialects and the passes reach nothing outside of the program: that is for tools. Their tests may.
pub fn reach(repo: &Repo) -> Complaints {
    let mut complaints = Vec::new();
    for (path, text) in repo.with_extension("rs") {
        let is_test = path.contains("/tests/") || path.ends_with("/tests.rs") || path.contains("/examples/");
        // Macros run in the compiler.
        let is_macro = path.starts_with("ir/macros/");
        if is_test || is_macro || !PURE.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            if let Some(found) = OUTSIDE.iter().find(|outside| line.contains(**outside)) {
                complaints.push(format!("{path}:{}: {found} is for tools", number + 1));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_at_the_head() {
        let repo =
            Repo::of(&[("a.rs", "//! It is.\n"), ("b.rs", "use x;\n//! It is.\n"), ("c.rs", "#![x]\n//! It is.\n")]);
        assert_eq!(module_docs(&repo), ["b.rs: it does not begin with `//!` and what the file is"]);
    }

    #[test]
    fn files_that_nothing_compiles() {
        let repo = Repo::of(&[
            ("ir/Cargo.toml", "[[bin]]\npath = \"src/odd.rs\"\n"),
            ("ir/src/lib.rs", "mod a;\n// mod lost;\npub(crate) mod d;\n"),
            ("ir/src/a.rs", "pub mod b;\n#[cfg(test)]\nmod tests;\n"),
            ("ir/src/a/b.rs", ""),
            ("ir/src/a/tests.rs", ""),
            ("ir/src/a/lost.rs", ""),
            ("ir/src/d/mod.rs", "mod e;\n"),
            ("ir/src/d/e.rs", ""),
            ("ir/src/lost.rs", ""),
            ("ir/src/odd.rs", ""),
            ("ir/tests/t.rs", ""),
            ("ir/src/bin/b.rs", ""),
            ("tools/a/Cargo.toml", "[package]\nbuild = \"../link.rs\"\n"),
            ("tools/link.rs", ""),
            ("tools/lost.rs", ""),
        ]);
        let lost: Vec<String> =
            orphans(&repo).iter().map(|complaint| complaint.split(':').next().into_iter().collect()).collect();
        assert_eq!(lost, ["ir/src/a/lost.rs", "ir/src/lost.rs", "tools/lost.rs"]);
    }

    #[test]
    fn long_files() {
        let lines = "//! It is.\n".repeat(MOST_LINES);
        assert_eq!(length(&Repo::of(&[("a.rs", &lines)])), [] as [&str; 0]);
        assert_eq!(length(&Repo::of(&[("a.rs", &(lines + "x\n"))])), ["a.rs: 701 lines; above 700 is two files"]);
    }

    #[test]
    fn blanks() {
        let repo =
            Repo::of(&[("a.rs", "a \nb\n"), ("b.md", "a"), ("c.toml", "a\n\n"), ("d.rs", "\ta\n"), ("e.rs", "a\n")]);
        assert_eq!(white_space(&repo).len(), 4);
    }

    #[test]
    fn notes_want_reasons() {
        let [todo, fixme, _] = NOTES;
        let text = format!(
            "// {todo}\n// {todo}: later\n// {fixme} the size is wrong here\n// {fixme}: the size is wrong for tuples\n// `{todo}` and AUTODOC\nf(\"// {todo}\");\n"
        );
        let complaints = notes(&Repo::of(&[("a.rs", &text)]));
        assert_eq!(complaints.len(), 3, "{complaints:?}");
        assert!(complaints[2].starts_with("a.rs:3:"));
    }

    #[test]
    fn only_tools_reach_outside() {
        let text = format!("use {};\n", OUTSIDE[0]);
        let repo = Repo::of(&[("ir/src/a.rs", &text), ("ir/src/tests.rs", &text), ("tools/a/src/main.rs", &text)]);
        assert_eq!(reach(&repo).len(), 1);
    }
}
