//! What IR is translated to.

use dlc_ir::diag::Diagnostics;
use dlc_ir::pass::registry::Registry;
use dlc_ir::text::{PrintOptions, print_body};
use dlc_ir::{Body, Context};

/// What IR is translated to. Each has an option of its name, `--to-ir`; a new one is a variant with its line in
/// [`Target::ALL`] and in [`Target::write`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The text of IR: for files that are read as JSON.
    Ir,
    /// The JSON of the layer.
    Json,
}

impl Target {
    /// All of them, each with its option and what that does.
    pub const ALL: &[(Target, &str, &str)] = &[
        (Target::Ir, "to-ir", "Write IR: for programs that are given as JSON"),
        (Target::Json, "to-json", "Write the JSON of the layers of the program"),
    ];

    /// The translation of a module that is verified. What goes wrong is reported.
    pub fn write(self, ctx: &Context, registry: &Registry, module: &Body, diags: &Diagnostics) -> Option<String> {
        match self {
            Target::Ir => {
                let mut text = String::new();
                print_body(ctx, module, PrintOptions::default(), &mut |piece| text.push_str(piece));
                Some(text)
            }
            Target::Json => dlc_opt::json::write(ctx, registry, module, diags),
        }
    }
}
