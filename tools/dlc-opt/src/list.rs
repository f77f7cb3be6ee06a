//! What is linked in: `--list-passes`, `--show-dialects`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use dlc_ir::diag::did_you_mean;
use dlc_ir::op::{Dialect, Traits};
use dlc_ir::pass::registry::Registry;

use crate::{Io, Status};

/// Shows the passes, those for any layer first, and the named pipelines.
pub fn passes(registry: &Registry, io: &mut Io<'_>) -> Status {
    let mut groups: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for def in registry.passes() {
        groups.entry(def.requires.first().copied().unwrap_or("")).or_default().push(def);
    }
    let mut text = String::new();
    for (layer, defs) in groups {
        let title = if layer.is_empty() { "on any layer".to_string() } else { format!("on the layer {layer}") };
        let _ = writeln!(text, "Passes {title}:");
        for def in defs {
            let _ = writeln!(text, "  {:<28} {}", def.name, def.summary);
            for option in def.options {
                let (name, default, doc) = (option.name, option.default, option.doc);
                let _ = writeln!(
                    text,
                    "  {:<28}   {name} ({}) {doc}",
                    "",
                    if default.is_empty() { "none" } else { default }
                );
            }
            for (word, layers) in [("adds", def.adds), ("removes", def.removes)] {
                if !layers.is_empty() {
                    let _ = writeln!(text, "  {:<28}   {word} {}", "", layers.join(", "));
                }
            }
        }
    }
    let mut pipelines = registry.pipelines().peekable();
    if pipelines.peek().is_some() {
        text += "Named pipelines:\n";
    }
    for def in pipelines {
        let _ = writeln!(text, "  {:<28} {}\n  {:<28}   {}", def.name, def.summary, "", def.text);
    }
    let _ = io.stdout.write_all(text.as_bytes());
    Status::Success
}

/// Shows the dialects, or what one has.
pub fn dialects(dialects: &[&'static Dialect], name: &str, io: &mut Io<'_>) -> Status {
    let mut known: BTreeMap<&str, &Dialect> = dialects.iter().map(|d| (d.name, *d)).collect();
    known.insert("builtin", &dlc_ir::builtin::DIALECT);
    let mut text = String::new();
    if name.is_empty() {
        for dialect in known.values() {
            let _ = writeln!(text, "{:<12} {} ({} ops)", dialect.name, dialect.summary, dialect.ops.len());
        }
    } else if let Some(dialect) = known.get(name) {
        one(dialect, &mut text);
    } else {
        let near = did_you_mean(name, known.keys().copied()).map_or(String::new(), |near| format!("; {near}"));
        let _ = writeln!(io.stderr, "error: no dialect '{name}' is linked in{near}");
        return Status::Usage;
    }
    let _ = io.stdout.write_all(text.as_bytes());
    Status::Success
}

fn one(dialect: &Dialect, text: &mut String) {
    let _ = writeln!(text, "{}: {}", dialect.name, dialect.summary);
    let title = |list_is_empty: bool, word: &str| if list_is_empty { String::new() } else { format!("{word}:\n") };
    *text += &title(dialect.ops.is_empty(), "Ops");
    for op in dialect.ops {
        let has = Traits::ALL.iter().filter(|(bit, ..)| op.traits.has(*bit)).map(|(_, word, _)| *word);
        let traits: Vec<&str> = has.collect();
        let traits = if traits.is_empty() { String::new() } else { format!(" [{}]", traits.join(", ")) };
        let _ = writeln!(text, "  {:<28} {}{traits}", op.name, op.summary().replace('\n', " "));
        if !op.example.is_empty() {
            let _ = writeln!(
                text,
                "  {:<28}   {}",
                "",
                op.example.trim().replace('\n', "\n                                 ")
            );
        }
    }
    for (word, list) in [("Types", dialect.types), ("Attributes", dialect.attrs)] {
        *text += &title(list.is_empty(), word);
        for def in list {
            let summary = def.doc.split("\n\n").next().unwrap_or("").trim().replace('\n', " ");
            let _ = writeln!(text, "  {:<28} {summary}", def.name);
        }
    }
}
