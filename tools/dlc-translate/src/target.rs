//! What IR is translated to.

use std::path::Path;

use dlc_ir::diag::Diagnostics;
use dlc_ir::pass::registry::Registry;
use dlc_ir::text::{PrintOptions, print_body};
use dlc_ir::{Body, Context};

use crate::cuda::Against;

/// What IR is translated to. Each has an option of its name, `--to-ir`; a new one is a variant with its line in
/// [`Target::ALL`] and in [`Target::write`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The text of IR: for files that are read as JSON.
    Ir,
    /// The JSON of the layer.
    Json,
    /// PTX, and next to it the launch manifest.
    Ptx,
    /// CUDA C++ for people.
    Cuda,
    /// A picture of the ops.
    Dot,
}

/// What a module became.
pub struct Written {
    /// The text.
    pub text: String,
    /// What is written next to a file of it: the ending of its name, and the text.
    pub alongside: Option<(&'static str, String)>,
}

impl Target {
    /// All of them, each with its option and what that does.
    pub const ALL: &[(Target, &str, &str)] = &[
        (Target::Ir, "to-ir", "Write IR: for programs that are given as JSON"),
        (Target::Json, "to-json", "Write the JSON of the layers of the program"),
        (
            Target::Ptx,
            "to-ptx",
            "Write PTX of kernels in instructions and, next to the file, the launch manifest; warn of unverified ones",
        ),
        (Target::Cuda, "to-cuda", "Write CUDA C++ of kernels in instructions, for people"),
        (Target::Dot, "to-dot", "Write a graph of the ops of any layer, which Graphviz draws"),
    ];

    /// The translation of a module that is verified. What goes wrong is reported.
    pub fn write(
        self,
        ctx: &Context,
        registry: &Registry,
        module: &Body,
        file: &str,
        against: Option<Against<'_>>,
        diags: &Diagnostics,
    ) -> Option<Written> {
        let alone = |text: String| Some(Written { text, alongside: None });
        match self {
            Target::Ir => {
                let mut text = String::new();
                print_body(ctx, module, PrintOptions::default(), &mut |piece| text.push_str(piece));
                alone(text)
            }
            Target::Json => alone(dlc_opt::json::write(ctx, registry, module, diags)?),
            Target::Ptx => {
                let name = Path::new(file).file_name().map_or("module.ptx".into(), |name| name.to_string_lossy());
                let made = crate::ptx::translate(ctx, module, &name, file != "-", diags)?;
                Some(Written { text: made.ptx, alongside: Some(("json", crate::manifest::write(&made.manifest))) })
            }
            Target::Dot => alone(crate::dot::write(ctx, module)),
            Target::Cuda => {
                let made = crate::ptx::translate(ctx, module, "", false, diags)?;
                alone(crate::cuda::translate(ctx, module, &made.manifest, against, diags)?.text)
            }
        }
    }
}
