//! Code lenses: a program lowered to the next layer, by the pipelines of `dlc-opt`.

use dlc_opt::layers::{LAYERS, depth};
use dlc_opt::{Io, Setup};
use serde_json::{Value, json};

use crate::document::Document;

/// The command that a lens names, with the address of a document and a layer as its arguments.
pub const LOWER: &str = "dlc.lower";

/// A lens for each function of a text that parses, to the next layer that a named pipeline goes to.
pub fn lenses(setup: &Setup, document: &Document, uri: &str) -> Vec<Value> {
    let mut at: Vec<(usize, &str)> =
        document.ops.iter().filter_map(|(at, op)| Some((*at, function(op.def)?))).collect();
    at.sort_unstable();
    let one = |(at, dialect): (usize, &str)| {
        let layer = next_layer(setup, dialect)?;
        let command = json!({ "title": format!("Run to {layer}"), "command": LOWER, "arguments": [uri, layer] });
        Some(json!({ "range": document.text.range(at..at), "command": command }))
    };
    at.into_iter().filter_map(one).collect()
}

/// The dialect of a function's declaration.
fn function(def: &'static dlc_ir::op::OpDef) -> Option<&'static str> {
    (def.mnemonic() == "func").then(|| def.dialect())
}

fn next_layer(setup: &Setup, dialect: &str) -> Option<&'static str> {
    let below = LAYERS.get(depth(dialect)? + 1..)?.iter().copied();
    below.into_iter().find(|layer| setup.registry.pipelines().any(|def| def.to_layer == *layer))
}

/// The text at a layer, or what `dlc-opt` says against it.
pub fn lower(setup: &Setup, text: &str, layer: &str) -> Value {
    if !LAYERS.contains(&layer) {
        return json!({ "error": format!("there is no layer '{layer}'") });
    }
    let (mut stdin, mut stdout, mut stderr) = (text.as_bytes(), Vec::new(), Vec::new());
    let mut io = Io { stdin: &mut stdin, stdout: &mut stdout, stderr: &mut stderr, terminal: false };
    let args = ["dlc-opt", "-", "--split-input-file", &format!("--emit={layer}")].map(Into::into);
    let status = dlc_opt::run_on_big_stack(setup, args.into_iter(), &mut io);
    match status {
        dlc_opt::Status::Success => json!({ "text": String::from_utf8_lossy(&stdout) }),
        _ => json!({ "error": String::from_utf8_lossy(&stderr) }),
    }
}
