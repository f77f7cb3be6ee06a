//! The page of passes and named pipelines.

use std::collections::BTreeMap;

use super::row;
use crate::repo::Repo;
use crate::tidy::passes::files;
use dlc_ir::pass::registry::Registry;
use dlc_ir::pass::{On, OptionKind, PassDef};

/// The page.
pub fn page(registry: &Registry, repo: &Repo) -> String {
    let paths: BTreeMap<String, &str> = files(repo).map(|file| (file.pass(), file.path)).collect();
    let mut text = "# Passes\n\nEach is a flag of `dlc-opt` and a word of pipelines: `dlc-opt --cse`, \
        `--pass-pipeline='sample.func(cse)'`.\nThe file of a pass begins with what it does, shown on the smallest \
        example.\n\n| pass | what it does |\n| --- | --- |\n"
        .to_owned();
    for def in registry.passes() {
        text += &row(&[format!("[`{0}`](#{0})", def.name), def.summary.to_owned()]);
    }
    for def in registry.passes() {
        text += &pass(def, paths.get(def.name).copied());
    }
    let pipelines: Vec<String> = registry
        .pipelines()
        .map(|def| row(&[format!("`{}`", def.name), def.summary.to_owned(), format!("`{}`", def.text)]))
        .collect();
    if !pipelines.is_empty() {
        text += "\n## Named pipelines\n\n| pipeline | what it does | passes |\n| --- | --- | --- |\n";
        text += &pipelines.concat();
    }
    text
}

fn pass(def: &PassDef, path: Option<&str>) -> String {
    let mut text = format!("\n## `{}`\n\n{}\n\nRuns on {}.\n", def.name, def.summary, on(def.on));
    for (one, several, names) in [
        ("Needs the layer", "Needs the layers", def.requires),
        ("Gives the layer", "Gives the layers", def.adds),
        ("Takes away the layer", "Takes away the layers", def.removes),
        ("Keeps the analysis", "Keeps the analyses", def.preserves),
    ] {
        if !names.is_empty() {
            let what = if names.len() == 1 { one } else { several };
            text += &format!("{what} {}.\n", names.join(", "));
        }
    }
    if let Some(path) = path {
        text += &format!("Its file is [`{path}`](../../{path}).\n");
    }
    if !def.options.is_empty() {
        text += "\n| option | takes | default | what it does |\n| --- | --- | --- | --- |\n";
    }
    for option in def.options {
        let default = if option.default.is_empty() { String::new() } else { format!("`{}`", option.default) };
        text += &row(&[format!("`{}`", option.name), takes(option.kind), default, option.doc.to_owned()]);
    }
    if !def.statistics.is_empty() {
        text += "\n| statistic | counts |\n| --- | --- |\n";
    }
    for statistic in def.statistics {
        text += &row(&[format!("`{}`", statistic.name), statistic.doc.to_owned()]);
    }
    text
}

fn on(on: On) -> String {
    match on {
        On::Module => "the outermost module, with everything in it".into(),
        On::EachBody => "every body separately: the module and each isolated op in it".into(),
        On::Op(name) => format!("every `{name}`"),
    }
}

fn takes(kind: OptionKind) -> String {
    match kind {
        OptionKind::Bool => "`true` or `false`".into(),
        OptionKind::Int => "an integer".into(),
        OptionKind::Text => "a text".into(),
        OptionKind::Choice(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        OptionKind::List => "a list `[a,b]`".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dlc_ir::pass::{OptionDef, StatDef};

    static DEF: PassDef = PassDef {
        on: On::Op("tiny.func"),
        requires: &["tiny"],
        options: &[OptionDef { name: "deep", kind: OptionKind::Choice(&["a", "b"]), default: "a", doc: "How." }],
        statistics: &[StatDef { name: "dropped", doc: "Ops dropped." }],
        ..PassDef::base("drop-it", "Drops it.", |_| Err(String::new()))
    };

    #[test]
    fn page_of_a_pass() {
        let expected = "
## `drop-it`

Drops it.

Runs on every `tiny.func`.
Needs the layer tiny.
Its file is [`passes/src/tiny/drop_it.rs`](../../passes/src/tiny/drop_it.rs).

| option | takes | default | what it does |
| --- | --- | --- | --- |
| `deep` | `a`, `b` | `a` | How. |

| statistic | counts |
| --- | --- |
| `dropped` | Ops dropped. |
";
        assert_eq!(pass(&DEF, Some("passes/src/tiny/drop_it.rs")), expected);
        assert!(!page(&Registry::default(), &Repo::default()).contains("Named pipelines"));
    }
}
