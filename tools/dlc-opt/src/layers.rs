//! Words for layers on the command line, and the pipelines that lead to them.

use dlc_ir::Context;
use dlc_ir::diag::did_you_mean;
use dlc_ir::pass::pipeline::quote;
use dlc_ir::pass::registry::Registry;

/// The layers in their order, by the names of their dialects, whether they are linked in or not.
pub const LAYERS: [&str; 9] = ["frontend", "tiny", "book", "poly", "region", "plan", "kernel", "ptx", "host"];
/// What the specification calls some of them.
const WORDS: [&str; 5] = ["indexbook", "poly_view", "gpu", "gpu_ir", CUDA];
/// CUDA C++ of kernels in instructions.
pub const CUDA: &str = "cu";

/// What is wrong with the words for layers: that there is no such layer, and no such dialect.
pub fn unknown_layer(ctx: &Context, registry: &Registry, words: &[String]) -> Option<String> {
    // A pass may lead to a layer that has no dialect of its own.
    let reached = || registry.passes().flat_map(|def| def.adds.iter().copied());
    let dialects = || ctx.dialects().iter().map(|dialect| dialect.name);
    let known = || LAYERS.into_iter().chain(WORDS).chain(dialects()).chain(reached());
    let wrong = words.iter().find(|word| !known().any(|name| name == *word))?;
    let near = did_you_mean(wrong, known()).map_or(String::new(), |near| format!("; {near}"));
    Some(format!("there is no layer of the name '{wrong}' ({}){near}", LAYERS.join(", ")))
}

/// The name of a layer, from the word that the specification uses.
pub fn layer_name(word: &str) -> &str {
    match word {
        "indexbook" => "book",
        "poly_view" => "poly",
        "gpu" | "gpu_ir" => "kernel",
        CUDA => "ptx",
        other => other,
    }
}

/// How far down a layer is.
pub fn depth(layer: &str) -> Option<usize> {
    LAYERS.iter().position(|&own| own == layer)
}

/// The pipeline to instructions, with plans for kernels that have none.
pub fn to_instructions(registry: &Registry) -> String {
    let planned = registry.pipelines().any(|def| def.name == PLANNED).then_some(PLANNED);
    planned.map_or_else(|| pipeline_to(registry, "ptx"), |name| format!("{name},lower-to{{layer=ptx}}"))
}

/// The pipeline from tensors to instructions that chooses plans, for the latest target.
const PLANNED: &str = "tiny-to-ptx-sm90";

/// The pipeline to a layer: the standard one if there is one, and whatever lowerings are missing after it. It fails
/// where nothing arrives.
pub fn pipeline_to(registry: &Registry, layer: &str) -> String {
    let lower = format!("lower-to{{layer={}}}", quote(layer));
    let standard = registry.pipelines().find(|def| def.to_layer == layer);
    standard.map_or(lower.clone(), |def| format!("{},{lower}", def.name))
}
