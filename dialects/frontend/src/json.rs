//! The JSON of graphs: a signature, a table of tensors, and nodes.
//!
//! ```text
//! {
//!   "signature": {"inputs": [{"tensor": "A", "role": "data"}], "outputs": [{"tensor": "C"}]},
//!   "tensors": {"A": {"dtype": "fp16", "shape": ["M", "K"]}, "C": {"dtype": "fp16", "shape": ["M", "K"]}},
//!   "graph": [{"op": "Elementwise", "name": "act", "fn": "relu", "inputs": ["A"], "outputs": ["C"]}]
//! }
//! ```
//!
//! The table has the types of inputs and outputs, and of whatever else one likes to have checked; the others are
//! inferred. An output may have another element type than the node gives: it is rounded to it. Every op is a node:
//! functions of each element and reductions under their names as `fn`, the others under their own name in CamelCase.
//! `attrs` holds the attributes of the op under its own keys (`acc` is `acc_dtype`). An operand that is left out before
//! one that is there is `null`. Axes count from the start, or negative from the end.
//!
//! `aliases` are names that other programs use; `nodes` is the table of names and kinds of attributes; `read` and [`write`] go each way.

mod aliases;
mod nodes;
mod read;
mod write;

use dlc_core::json::outline::Outline;
use dlc_ir::pass::registry::Translation;

dlc_ir::codes! {
    /// No node of a graph has this name.
    UNKNOWN_NODE = "E0621" "UnknownNode";
    /// The table of tensors says another type than follows from the node.
    TENSOR_DIFFERS = "E0622" "TensorDiffers";
}

/// The name of a graph that says none.
const MAIN: &str = "main";
/// The discardable attribute of an op with the places of those results that stand in the table of tensors though they
/// need not.
const DECLARED: &str = "declared";
/// The key of the signature under which an argument has the name that the text cannot show.
const NAME: &str = "json.name";

/// Graphs as JSON.
pub static TRANSLATION: Translation = Translation {
    name: "frontend-json",
    summary: "a graph, {\"signature\": {..}, \"tensors\": {..}, \"graph\": [..]}",
    extension: ".frontend.json",
    detects: Some(|text| {
        let outline = Outline::of(text);
        outline.has("signature") && outline.has("graph")
    }),
    layer: "frontend",
    read: Some(read::read),
    write: Some(write::write),
};

dlc_ir::inventory::submit! { &TRANSLATION }
