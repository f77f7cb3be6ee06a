//! Rules about the manifests: which crate may depend on which, and where versions stand.

use super::Complaints;
use crate::repo::Repo;

/// A line of a dependency table.
#[derive(Debug, PartialEq, Eq)]
struct Dependency<'a> {
    /// The table, `dependencies` or one like it.
    table: &'a str,
    name: &'a str,
    /// What is after the name.
    rest: &'a str,
}

/// Crates depend downwards only: tools on passes, passes on dialects, dialects on the IR and `core`.
pub fn edges(repo: &Repo) -> Complaints {
    let mut complaints = Vec::new();
    for (path, text) in manifests(repo) {
        let Some(admits) = admitted(path) else { continue };
        for dependency in dependencies(text).filter(|found| found.name == "dlc" || found.name.starts_with("dlc-")) {
            // Tests may use more: neutral ops, for one.
            if dependency.table == "dependencies" && !admits(dependency.name) {
                complaints.push(format!("{path}: this layer must not depend on {}", dependency.name));
            }
        }
    }
    complaints
}

/// What crates of the project a crate may depend on, by its place. Tools and tests may use everything.
fn admitted(path: &str) -> Option<fn(&str) -> bool> {
    const ABOVE: [&str; 6] = ["dlc-passes", "dlc", "dlc-opt", "dlc-run", "dlc-translate", "dlc-test"];
    match path {
        "ir/Cargo.toml" => Some(|name| name == "dlc-ir-macros"),
        "ir/macros/Cargo.toml" => Some(|_| false),
        "dialects/core/Cargo.toml" => Some(|name| name == "dlc-ir"),
        "passes/Cargo.toml" => Some(|name| !ABOVE.contains(&name)),
        path if path.starts_with("dialects/") => Some(|name| matches!(name, "dlc-ir" | "dlc-core")),
        _ => None,
    }
}

/// Versions, and paths between crates, stand in the workspace table and nowhere else.
pub fn versions(repo: &Repo) -> Complaints {
    let mut complaints = Vec::new();
    for (path, text) in manifests(repo) {
        for dependency in dependencies(text).filter(|found| found.table != "workspace.dependencies") {
            let by_workspace =
                dependency.rest.starts_with(".workspace = true") || dependency.rest.contains("workspace = true");
            if !by_workspace || dependency.rest.contains("version") {
                complaints.push(format!("{path}: {} does not take its version from the workspace", dependency.name));
            }
        }
    }
    complaints
}

/// Every dialect is linked into the programs that are to know all of them: by their manifests, and by a `use`.
pub fn linked(repo: &Repo) -> Complaints {
    let dialects = repo.files().filter_map(|(path, _)| path.strip_prefix("dialects/")?.strip_suffix("/Cargo.toml"));
    let dialects: Vec<&str> = dialects.collect();
    let mut complaints = Vec::new();
    let tools = [
        ("tools/dlc-opt", "src/main.rs"),
        ("tools/dlc", "src/lib.rs"),
        ("tools/dlc-translate", "src/main.rs"),
        ("tools/xtask", "src/lib.rs"),
    ];
    for (tool, source) in tools {
        for dialect in &dialects {
            let text = |file: &str| repo.text(&format!("{tool}/{file}")).unwrap_or_default();
            let depends = dependencies(text("Cargo.toml")).any(|found| found.name == format!("dlc-{dialect}"));
            if !depends || !text(source).contains(&format!("dlc_{dialect} as _")) {
                complaints.push(format!("{tool}: it does not link the dialect {dialect}"));
            }
        }
    }
    complaints
}

fn manifests(repo: &Repo) -> impl Iterator<Item = (&str, &str)> {
    repo.with_extension("toml").filter(|(path, _)| path.ends_with("Cargo.toml"))
}

/// The dependencies of a manifest, each on a line of its own.
fn dependencies(manifest: &str) -> impl Iterator<Item = Dependency<'_>> {
    let mut table = "";
    manifest.lines().filter_map(move |line| {
        if let Some(opened) = line.strip_prefix('[') {
            table = opened.trim_end_matches(']');
            return None;
        }
        let end = line.find(['.', ' ', '=']).filter(|_| !line.starts_with('#'))?;
        let found = Dependency { table, name: &line[..end], rest: &line[end..] };
        (table.ends_with("dependencies") && !line.starts_with([' ', '}'])).then_some(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn downwards_only() {
        let uses = |name: &str| format!("[package]\nname = \"x\"\n\n[dependencies]\n{name}.workspace = true\n");
        let wrong = |path: &str, name: &str| edges(&Repo::of(&[(path, &uses(name))])).len();
        assert_eq!(wrong("dialects/tiny/Cargo.toml", "dlc-core"), 0);
        assert_eq!(wrong("dialects/tiny/Cargo.toml", "dlc-book"), 1);
        assert_eq!(wrong("dialects/core/Cargo.toml", "dlc-core"), 1);
        assert_eq!(wrong("ir/Cargo.toml", "dlc-core"), 1);
        assert_eq!(wrong("passes/Cargo.toml", "dlc-tiny"), 0);
        assert_eq!(wrong("passes/Cargo.toml", "dlc-opt"), 1);
        assert_eq!(wrong("ir/macros/Cargo.toml", "dlc-ir"), 1);
        assert_eq!(wrong("tools/dlc-opt/Cargo.toml", "dlc-passes"), 0);
        let for_tests = uses("dlc-sample").replace("[dependencies]", "[dev-dependencies]");
        assert_eq!(edges(&Repo::of(&[("passes/Cargo.toml", &for_tests)])), [] as [&str; 0]);
    }

    #[test]
    fn forgotten_dialects() {
        let manifest = "[dependencies]\ndlc-tiny.workspace = true\n";
        let files = [
            ("dialects/tiny/Cargo.toml", ""),
            ("tools/dlc-opt/Cargo.toml", manifest),
            ("tools/dlc-opt/src/main.rs", "use dlc_tiny as _;"),
            ("tools/dlc/Cargo.toml", manifest),
            ("tools/dlc/src/lib.rs", "use dlc_tiny as _;"),
            ("tools/dlc-translate/Cargo.toml", manifest),
            ("tools/dlc-translate/src/main.rs", "use dlc_tiny as _;"),
            ("tools/xtask/Cargo.toml", manifest),
            ("tools/xtask/src/lib.rs", "use {dlc_passes as _, dlc_tiny as _};"),
        ];
        assert_eq!(linked(&Repo::of(&files)), [] as [&str; 0]);
        assert_eq!(linked(&Repo::of(&files[..8])), ["tools/xtask: it does not link the dialect tiny"]);
    }

    #[test]
    fn one_place_for_versions() {
        let good = "[workspace.dependencies]\nlogos = \"1\"\n[dependencies]\nlogos.workspace = true\nserde = { workspace = true, features = [\"rc\"] }\n";
        assert_eq!(versions(&Repo::of(&[("Cargo.toml", good)])), [] as [&str; 0]);
        let bad = "[dependencies]\nlogos = \"1\"\ndlc-ir = { path = \"../ir\" }\n[dev-dependencies]\npest = { version = \"2\" }\n";
        assert_eq!(versions(&Repo::of(&[("ir/Cargo.toml", bad)])).len(), 3);
    }
}
