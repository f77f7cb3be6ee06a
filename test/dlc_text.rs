//! `dlc_text`, the reader of generic text for passes in Python: everything under `test/` that dlc-opt accepts, it reads and
//! prints back byte for byte, and dlc-opt reads what it prints without locations.
//!
//! Runs where Python is installed, and says so where it is not.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use dlc_test::child::{self, Ending};
use dlc_test::discover;
use dlc_test::features::Features;

use crate::tool::tool;

// What is linked in registers itself.
use {
    dlc_book as _, dlc_core as _, dlc_frontend as _, dlc_host as _, dlc_kernel as _, dlc_passes as _, dlc_plan as _,
    dlc_poly as _, dlc_ptx as _, dlc_region as _, dlc_sample as _, dlc_tiny as _,
};

/// Fewer modules than this mean that the walk, not the tree, has gone wrong.
const AT_LEAST: usize = 1000;

/// Reads pairs of a name and a text, and prints those that are not printed back the same.
const PROGRAM: &str = r#"
import json, sys
import dlc_text

for name, text in json.load(sys.stdin):
    try:
        if str(dlc_text.parse(text)) != text:
            print(f"{name}: it is printed otherwise")
    except Exception as error:
        print(f"{name}: {error!r}")
"#;

#[test]
fn every_file_goes_through_python_and_back() {
    let features = Features::on_path(&std::env::var_os("PATH").unwrap_or_default());
    let Some(python) = features.program("python3") else {
        let _ = writeln!(std::io::stderr(), "\ndlc_text: not run: python3 is not installed");
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let parts = discover::parts(root).expect("the tree of tests can be read");
    let args = ["dlc-opt", "-", "--allow-unregistered-dialect", "--print-generic", "--print-locations", "--threads=1"];
    // What dlc-opt refuses is there to be refused.
    let modules = parts.iter().filter_map(|(name, text)| Some((name, tool(dlc_opt::run, &args, text).ok()?)));
    let modules: Vec<(&String, String)> = modules.collect();
    assert!(modules.len() >= AT_LEAST, "only {} modules were found", modules.len());
    let mut command = Command::new(python);
    command.args(["-c", PROGRAM]).env("PYTHONPATH", root.join("../tools/python"));
    let input = serde_json::to_string(&modules).expect("strings are JSON");
    let output = child::run(&mut command, input.as_bytes(), true, Duration::from_secs(300)).expect("python runs");
    assert_eq!((output.ending, String::from_utf8_lossy(&output.stdout).as_ref()), (Ending::Code(0), ""));
}
