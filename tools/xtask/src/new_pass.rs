//! The files of a new pass: a skeleton that builds, registers itself and passes its own test and the rules of
//! [`crate::tidy`], so that what is left is the pass.

use crate::repo::Repo;

/// The files of a pass, with their paths: its own, its test, and the group that names it.
pub fn files(repo: &Repo, group: &str, name: &str) -> Result<Vec<(String, String)>, String> {
    let name = name.replace('-', "_");
    for word in [group, &name] {
        let letters = word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if !letters || !word.starts_with(|c: char| c.is_ascii_lowercase()) {
            return Err(format!("'{word}' is no name: small letters, digits and underscores, as in merge_ranges"));
        }
    }
    let path = format!("passes/src/{group}/{name}.rs");
    if repo.text(&path).is_some() {
        return Err(format!("{path} exists"));
    }
    let pass = name.replace('_', "-");
    let type_name: String = name.split('_').map(capitalized).collect();
    let (layer, example) = layer(group);
    let quoted: String = example.lines().map(|line| format!("//! {line}\n")).collect();
    let requires = layer.unwrap_or("any layer");
    let base = format!("PassDef::base(\"{pass}\", \"Does nothing yet.\", create)");
    let def = layer.map_or(base.clone(), |layer| format!("PassDef {{ requires: &[\"{layer}\"], ..{base} }}"));
    // As rustfmt breaks a line that is too long.
    let start = if "static DEF: PassDef = ;".len() + def.len() > LINE { "\n    " } else { " " };
    let def = format!("static DEF: PassDef ={start}{def};");
    let last = example.lines().rev().nth(1).unwrap_or_default().trim();
    let fill = |text: &str| {
        let text = text.replace("{requires}", requires).replace("{def}", &def).replace("{last}", last);
        let text = text.replace("{quoted}", &quoted).replace("{example}", example);
        text.replace("{pass}", &pass).replace("{Type}", &type_name).replace("{name}", &name)
    };
    let mut files = vec![(path, fill(SOURCE)), (format!("test/passes/{group}/{pass}/basic.mlir"), fill(TEST))];
    let line = format!("pub mod {name};");
    let group_path = format!("passes/src/{group}.rs");
    match repo.text(&group_path) {
        Some(text) => files.push((group_path, with_mod(text, &line))),
        None => {
            files.push((group_path, format!("//! Passes of the group `{group}`.\n\n{line}\n")));
            let lib = repo.text("passes/src/lib.rs").ok_or("there is no passes/src/lib.rs")?;
            files.push(("passes/src/lib.rs".to_owned(), with_mod(lib, &format!("pub mod {group};"))));
        }
    }
    Ok(files)
}

/// The layer that the passes of a group run on, if it is one of these, and a function to start from. A lowering from one
/// layer to another, `tiny_to_book`, runs on the first.
fn layer(group: &str) -> (Option<&str>, &'static str) {
    let layer = group.split_once("_to_").map_or(group, |(from, _)| from);
    match EXAMPLES.iter().find(|(own, _)| *own == layer) {
        Some((_, example)) => (Some(layer), example),
        None => (None, ANY),
    }
}

/// The text with a `mod` line among the others, in order.
fn with_mod(text: &str, line: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let after = lines.iter().rposition(|found| found.starts_with("pub mod ") && *found < line);
    let first = lines.iter().position(|found| found.starts_with("pub mod "));
    let at = after.map(|at| at + 1).or(first).unwrap_or(lines.len());
    let (before, following) = lines.split_at(at);
    [before, &[line], following].concat().iter().map(|line| format!("{line}\n")).collect()
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// The longest line, as in rustfmt.toml.
const LINE: usize = 120;

/// A function of any layer.
const ANY: &str = "\
sample.func @f(%x: i64) -> i64 {
  sample.return %x
}
";

/// A function of each layer that passes are written for.
const EXAMPLES: [(&str, &str); 4] = [
    (
        "frontend",
        "\
frontend.graph @f<N>(%x: tensor<[N], f32>) -> tensor<[N], f32> {
  output %x
}
",
    ),
    (
        "tiny",
        "\
tiny.func @f<N>(%x: tensor<[N], f32>) -> tensor<[N], f32> {
  return %x
}
",
    ),
    (
        "book",
        "\
book.func @f<N>(%x: tensor<[N], f32>) -> tensor<[N], f32> {
  return %x
}
",
    ),
    (
        "region",
        "\
region.func @f<N> iters (n: N) ins (%X: memref<[N], f32, row_major>) outs (Y: memref<[N], f32, row_major> materialize gmem) {
  %x = read %X[n] : f32 over (n)
  yield %x to Y
}
",
    ),
];

const SOURCE: &str = "\
//! Does nothing yet.
//!
//! **Requires**: {requires}.
//! **Ensures**: nothing.
//!
//! **Before**
//! ```mlir before
{quoted}//! ```
//! **After**
//! ```mlir after
{quoted}//! ```
//!
//! **Does not** do anything.

use dlc_ir::Body;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult};

{def}
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new({Type}))
}

struct {Type};

impl Pass for {Type} {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        {name}(body, cx);
        Ok(())
    }
}

/// Does nothing yet.
pub fn {name}(_body: &mut Body, _cx: &PassCx<'_>) {}
";

const TEST: &str = "\
// {pass}: what it does to the example of its header, and what is next to it.

// RUN: dlc-opt %s --{pass} | FileCheck %s

// CHECK-LABEL: @f
// CHECK: {last}
{example}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{header, tidy};

    fn repo() -> Repo {
        let generic = "//! Generic.\n\npub mod cse;\npub mod licm;\n";
        Repo::of(&[
            ("passes/src/lib.rs", "//! Passes.\n\npub mod generic;\n"),
            ("passes/src/generic.rs", generic),
            ("passes/src/generic/cse.rs", ""),
        ])
    }

    #[test]
    fn in_a_group_that_exists() {
        let files = files(&repo(), "generic", "drop-it").expect("files");
        let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        let expected =
            ["passes/src/generic/drop_it.rs", "test/passes/generic/drop-it/basic.mlir", "passes/src/generic.rs"];
        assert_eq!(paths, expected);
        assert!(files[2].1.ends_with("pub mod cse;\npub mod drop_it;\npub mod licm;\n"));
        assert!(files[0].1.contains("struct DropIt;") && files[0].1.contains("\"drop-it\""));
        assert!(header::read(&files[0].1).is_ok());
        let made: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let repo = Repo::of(&made);
        assert_eq!(tidy::passes::tested(&repo), [] as [&str; 0]);
        assert_eq!(tidy::sources::module_docs(&repo), [] as [&str; 0]);
    }

    #[test]
    fn in_a_new_group() {
        let files = files(&repo(), "tiny", "merge_ranges").expect("files");
        // The layer is that of the group.
        assert!(files[0].1.contains("**Requires**: tiny.") && files[0].1.contains("//! tiny.func @f"));
        assert!(files[0].1.contains("PassDef { requires: &[\"tiny\"], ..PassDef::base(\"merge-ranges\""));
        assert!(files[1].1.contains("\n// CHECK: return %x\ntiny.func @f"));
        assert!(header::read(&files[0].1).is_ok());
        assert_eq!(files[2].0, "passes/src/tiny.rs");
        assert_eq!(files[3].1, "//! Passes.\n\npub mod generic;\npub mod tiny;\n");
    }

    #[test]
    fn names_that_are_none() {
        assert!(files(&repo(), "generic", "cse").is_err());
        assert!(files(&repo(), "generic", "Drop").is_err());
        assert!(files(&repo(), "..", "drop").is_err());
        assert!(files(&repo(), "generic", "").is_err());
    }
}
