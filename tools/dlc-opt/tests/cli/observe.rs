//! Printing the IR between passes, timing, statistics.

use dlc_opt::Status;

use super::setup::{functions, opt, opt_args};

fn heads(args: &str) -> Vec<String> {
    let said = opt(args, &functions(&["f"])).err;
    let head = |line: &str| Some(line.strip_prefix("// -----// IR ")?.split(" (").next()?.to_string());
    said.lines().filter_map(head).collect()
}

#[test]
fn the_ir_is_printed_around_passes() {
    assert_eq!(heads("--mark --keep --print-ir-before=keep"), ["before keep"]);
    assert_eq!(heads("--mark --keep --print-ir-after=mark"), ["after mark"]);
    assert_eq!(heads("--mark --keep --print-ir-before-all"), ["before mark", "before keep"]);
    assert_eq!(heads("--mark --keep --print-ir-after-all"), ["after mark", "after keep"]);
    assert_eq!(heads("--keep --mark --keep --print-ir-after-change"), ["after mark"]);
    assert_eq!(heads("--keep --print-ir-after-failure"), [""; 0]);
    assert_eq!(heads("--keep --fail --print-ir-after-failure"), ["after failed fail"]);
    assert_eq!(heads("--panic --print-ir-after-failure"), [""; 0]);
}

#[test]
fn changes_are_shown_as_a_diff() {
    let said = opt("--keep --mark --print-ir-as-diff", &functions(&["f"])).err;
    assert_eq!(said.matches("--- before").count(), 1, "{said}");
    let added = said.lines().find(|line| line.starts_with('+') && line.contains("mark"));
    assert!(added.is_some(), "{said}");
}

#[test]
fn a_tree_has_a_file_for_each_function_and_change() {
    let dir = tempfile::tempdir().expect("a directory");
    let tree = dir.path().join("tree");
    let input = functions(&["f", "../g"]) + &functions(&["h"]).replace("high", "low");
    let args = ["--mark", "--keep", "--print-ir-tree-dir", tree.to_str().expect("UTF-8")];
    assert!(opt_args(&args, input.as_bytes()).good().contains("mark"));
    let mut files: Vec<String> = Vec::new();
    for folder in std::fs::read_dir(&tree).expect("it was made") {
        for file in std::fs::read_dir(folder.expect("readable").path()).expect("a folder") {
            let path = file.expect("readable").path();
            files.push(path.strip_prefix(&tree).expect("inside").display().to_string());
        }
    }
    files.sort();
    assert_eq!(files, [".._g/000_mark.mlir", "f/000_mark.mlir"]);
    let text = std::fs::read_to_string(tree.join("f/000_mark.mlir")).expect("readable");
    assert!(text.contains("\"f\"") && text.contains("mark"), "{text}");
}

#[test]
fn statistics_and_timing_have_two_forms() {
    let input = functions(&["f", "g"]);
    let said = opt("--mark --statistics", &input).err;
    assert!(said.contains("       2 marked: Functions marked."), "{said}");
    let said = opt("--mark --statistics=json --no-output", &input).err;
    let json: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(json["statistics"][0]["statistics"]["marked"], 2);
    let said = opt_args(&["--pass-pipeline=keep,high.func(mark)", "--timing"], input.as_bytes()).err;
    assert!(said.contains("high.func\n") && said.contains("    mark\n"), "{said}");
    let said = opt("--mark --timing=json", &input).err;
    let json: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(json["timing"]["passes"][0]["bodies"], 2);
    assert!(opt("--timing=xml", "").bad(Status::Usage).contains("text, json"));
}
