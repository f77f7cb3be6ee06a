//! JSON instead of IR: `--emit-json`, `--dump-format=json`.

use dlc_core::json::NO_JSON;
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::pass::layers::dialect_of;
use dlc_ir::pass::registry::Registry;
use dlc_ir::{Body, Context, OpRef};

/// The JSON of what stands in a module. Where there are several functions, a line `// -----` divides them, at which
/// `--split-input-file` takes them apart again.
pub fn write(ctx: &Context, registry: &Registry, module: &Body, diags: &Diagnostics) -> Option<String> {
    let mut texts = Vec::new();
    write_all(ctx, registry, module, diags, &mut texts)?;
    if texts.is_empty() {
        let root = OpRef::new(ctx, module, module.root());
        diags.emit(Diagnostic::error(&NO_JSON, root.loc(), "there is nothing in the module to be written as JSON"));
        return None;
    }
    Some(texts.join("// -----\n"))
}

fn write_all(
    ctx: &Context,
    registry: &Registry,
    module: &Body,
    diags: &Diagnostics,
    texts: &mut Vec<String>,
) -> Option<()> {
    for op in module.blocks(module.root_region()).flat_map(|block| module.ops(block)) {
        let view = OpRef::new(ctx, module, op);
        match module.nested(op).filter(|_| view.is(&dlc_ir::builtin::MODULE)) {
            Some(nested) => write_all(ctx, registry, nested, diags, texts)?,
            None => texts.push(write_op(ctx, registry, view, diags)?),
        }
    }
    Some(())
}

/// The JSON of an op that stands in a module.
pub fn write_op(ctx: &Context, registry: &Registry, op: OpRef<'_>, diags: &Diagnostics) -> Option<String> {
    let layer = dialect_of(op.name());
    match registry.writer_of(layer).and_then(|writer| writer.write) {
        Some(write) => write(ctx, op, diags),
        None => {
            let layers: Vec<&str> = registry
                .translations()
                .filter(|t| t.write.is_some())
                .map(|t| t.layer)
                .filter(|l| !l.is_empty())
                .collect();
            let error = Diagnostic::error(&NO_JSON, op.loc(), format!("'{}' has no JSON", op.name())).at(op.name());
            let layers = (!layers.is_empty()).then(|| format!("these layers have: {}", layers.join(", ")));
            diags.emit(error.suggest_if(layers));
            None
        }
    }
}
