//! Holds the notation of views against isl: it must read every set and map that `build-poly-view` writes for the programs
//! of `test/programs` and the examples of the pass.
//!
//! Runs where `python3` has `islpy`, and says so where it has not.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use dlc_test::child::{self, Ending};
use dlc_test::features::Features;

use crate::tool::tool;

// What is linked in registers itself.
use {
    dlc_book as _, dlc_core as _, dlc_frontend as _, dlc_host as _, dlc_passes as _, dlc_poly as _, dlc_region as _,
    dlc_sample as _, dlc_tiny as _,
};

/// Fewer sets and maps than this mean that the walk, not the notation, has gone wrong.
const AT_LEAST: usize = 100;

/// Each line is a set or a map; the answer is what isl makes of it, or what is wrong with it.
const SCRIPT: &str = r#"
import sys, islpy
for line in sys.stdin:
    kind, text = line.rstrip("\n").split(" ", 1)
    try:
        read = islpy.UnionSet(text) if kind == "domain" else islpy.UnionMap(text)
        print("read" if str(read) else "nothing")
    except islpy.Error as error:
        print("refused: " + str(error).replace("\n", " "))
"#;

#[test]
fn isl_reads_what_views_say() {
    let features = Features::on_path(&std::env::var_os("PATH").unwrap_or_default());
    let Some(python) = features.program("islpy") else {
        say("not run: python3 has no islpy");
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut lines = Vec::new();
    let entries = std::fs::read_dir(root.join("programs")).expect("the programs are there");
    let mut programs: Vec<_> = entries.map(|entry| entry.expect("a program can be read").path()).collect();
    programs.sort();
    for program in programs.iter().map(|program| program.join("graph.json")).filter(|program| program.exists()) {
        lines.extend(notation(&view(&program, &["--tiny-to-book", "--build-poly-view"])));
    }
    for name in ["basic", "negative"] {
        let file = root.join(format!("passes/book_to_poly/build-poly-view/{name}.mlir"));
        lines.extend(notation(&view(&file, &["--build-poly-view"])));
    }
    assert!(lines.len() >= AT_LEAST, "only {} sets and maps were found", lines.len());
    let mut command = Command::new(python);
    command.args(["-c", SCRIPT]);
    let text = lines.join("\n") + "\n";
    let output = child::run(&mut command, text.as_bytes(), false, Duration::from_secs(300)).expect("python3 runs");
    assert_eq!(output.ending, Ending::Code(0), "{}", String::from_utf8_lossy(&output.stderr));
    let answers = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), lines.len(), "an answer to each line");
    let refused: Vec<String> = (lines.iter().zip(answers))
        .filter(|(_, answer)| *answer != "read")
        .map(|(line, answer)| format!("{line}: {answer}"))
        .collect();
    assert!(refused.is_empty(), "{} of {}:\n{}", refused.len(), lines.len(), refused.join("\n"));
    say(&format!("isl read {} sets and maps", lines.len()));
}

fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "\npoly: {line}");
}

/// The program with its view after it.
fn view(file: &Path, passes: &[&str]) -> String {
    let file = file.display().to_string();
    let args: Vec<&str> = ["dlc-opt", &file].into_iter().chain(passes.iter().copied()).collect();
    tool(dlc_opt::run, &args, "").unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The sets and maps of views, each after its word.
fn notation(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let line = line.trim();
        let word = ["domain", "read", "write"].into_iter().find(|word| line.starts_with(&format!("{word} ")))?;
        let (_, quoted) = line.split_once('"')?;
        Some(format!("{word} {}", quoted.split_once('"')?.0))
    };
    text.lines().filter_map(line).collect()
}
