//! The kernels that are edited: each a module of its own.

use std::fs;
use std::path::Path;

use dlc_ir::diag::Diagnostics;
use dlc_ir::pass::pipeline::{Item, Pipeline};
use dlc_ir::text::{ParseOptions, PrintOptions, parse_module, print_op};
use dlc_ir::{Context, OpRef};
use dlc_kernel::ops::Func;
use dlc_opt::Setup;

/// The hand-written kernels, by name.
///
/// Errors: a file cannot be read.
pub fn kernels(root: &Path) -> Result<Vec<(String, String)>, String> {
    let mut found = Vec::new();
    for folder in ["test/kernels", "test/passes/kernel/check-async"] {
        let entries = fs::read_dir(root.join(folder)).map_err(|error| format!("{folder}: {error}"))?;
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            if path.extension().is_some_and(|extension| extension == "mlir") {
                let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                // A file of several parts is no one module.
                if text.contains("kernel.func") && !text.contains("// -----") {
                    found.push((path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), text));
                }
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The kernels that passes make of the programs of `test/gpu/Inputs`, for both targets. Those for which the passes fail
/// are left out.
///
/// Errors: a file cannot be read.
pub fn generated(setup: &Setup, root: &Path) -> Result<Vec<(String, String)>, String> {
    let folder = root.join("test/gpu/Inputs");
    let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        let text = fs::read_to_string(&path).map_err(wrong)?;
        for target in ["sm80", "sm90"] {
            let name = format!("{}_{target}", path.file_stem().unwrap_or_default().to_string_lossy());
            let passes =
                format!("tiny-to-region,choose-plan{{target={target}}},add-fallback,tensorize,kernel-schedule");
            found.extend(make(setup, &name, &text, &passes).unwrap_or_default());
        }
    }
    found.sort();
    // Programs differ in what goes around their kernels: the same kernel is edited once.
    found.dedup_by(|a, b| a.1 == b.1);
    Ok(found)
}

/// The kernels that passes make of a program, without the check at their end.
fn make(setup: &Setup, name: &str, text: &str, passes: &str) -> Option<Vec<(String, String)>> {
    let ctx = Context::new(setup.dialects.iter().copied());
    let diags = Diagnostics::new();
    let file = ctx.sources.add(name, text.to_string())?;
    let mut body = parse_module(&ctx, &file, 0..file.text.len(), ParseOptions::default(), &diags).ok()?;
    let mut pipeline = Pipeline::parse(&setup.registry, passes).ok()?;
    pipeline.items.retain(|item| !matches!(item, Item::Pass(pass) if pass.def.name == "check-async"));
    if crate::run(setup, &ctx, &pipeline, &mut body, &diags).is_some() {
        return None;
    }
    let ops: Vec<_> = body.entry_block().into_iter().flat_map(|block| body.ops(block)).collect();
    let kernels = ops.into_iter().filter_map(|id| {
        let root = OpRef::new(&ctx, &body, id).resolve();
        Func::of(root)?;
        let symbol = root.symbol_name()?.to_string();
        let text = print_op(&ctx, &body, id, PrintOptions::default());
        text.contains("grid (").then(|| (format!("{name}_{symbol}"), text + "\n"))
    });
    Some(kernels.collect())
}
