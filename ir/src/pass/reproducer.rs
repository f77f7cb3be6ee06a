//! Reproducers: a file of IR whose first lines say what is run on it, and with what.

use serde::{Deserialize, Serialize};

use super::manager::AutoLower;
use crate::body::Body;
use crate::context::Context;
use crate::text::{PrintOptions, print_body};

/// What is run again.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Reproducer {
    /// The pipeline.
    pub pipeline: String,
    /// Whether the verifier runs after each pass.
    pub verify_each: bool,
    /// Which lowerings are put in.
    pub auto_lower: AutoLower,
    /// Whether ops that no dialect registers are taken.
    pub allow_unregistered: bool,
    /// The seed of `--order-seed`, where the program is run before and after each pass (`--evaluate-each`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluate_each: Option<u64>,
}

const MARK: &str = "// dlc-opt reproducer: ";

impl Reproducer {
    /// The file: what is run, why it failed, and the IR in generic form with locations left out.
    pub fn write(&self, ctx: &Context, before: &Body, why: &str) -> String {
        let json = serde_json::to_string(self).expect("strings and bools are JSON");
        let mut text = format!("{MARK}{json}\n// Rerun with: dlc-opt --run-reproducer FILE\n");
        for line in why.lines() {
            text += &format!("// {line}\n");
        }
        let options = PrintOptions { generic: true, ..PrintOptions::default() };
        print_body(ctx, before, options, &mut |piece| text.push_str(piece));
        text
    }

    /// What a file says is to be run, if it is a reproducer.
    pub fn read(text: &str) -> Option<Reproducer> {
        let line = text.lines().find_map(|line| line.strip_prefix(MARK))?;
        serde_json::from_str(line).ok()
    }
}
