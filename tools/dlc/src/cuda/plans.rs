//! Files of plans that were measured: what tuning keeps. They are text that people read, edit and commit.

use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::pass::registry::Registry;
use dlc_ir::text::{ParseOptions, PrintOptions, print_op};
use dlc_ir::verify::verify;
use dlc_ir::{Builder, Context, Loc};
use dlc_opt::input::{self, CANNOT_WRITE, UNKNOWN_FORM};
use dlc_opt::output::write_file;
use dlc_plan::Measured;

use super::driver::Device;

/// What stands first in a file.
const HEAD: &str =
    "// Plans that were measured, with cold caches. Tuning replaces those for the same kernel, sizes and device.\n";

/// The plans of a file, in its order; none where there is no file yet and that is no error. What is wrong is reported.
pub fn read(
    ctx: &Context,
    registry: &Registry,
    file: &str,
    may_be_absent: bool,
    diags: &Diagnostics,
) -> Option<Vec<Measured>> {
    if may_be_absent && std::fs::symlink_metadata(file).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    {
        return Some(Vec::new());
    }
    let source = input::read(ctx, file, &mut std::io::empty(), diags)?;
    let module = input::module(ctx, registry, &source, 0..source.text.len(), ParseOptions::default(), diags)?;
    let ops = module.entry_block().into_iter().flat_map(|block| module.ops(block));
    if let Some(other) = ops.map(|op| OpRef::new(ctx, &module, op)).find(|op| !op.is(Measured::DEF)) {
        let message = format!("'{file}' is given as a file of measured plans, and '{}' is none", other.name());
        let error = Diagnostic::error(&UNKNOWN_FORM, other.loc(), message);
        diags.emit(error.suggest("plans that nobody has measured are given by --plan"));
        return None;
    }
    if !verify(ctx, &module, diags) || diags.errors() > 0 {
        return None;
    }
    Some(Measured::all(ctx, &module).into_iter().map(|(_, plan)| plan).collect())
}

/// Those of a device; where there is none, those of all.
pub fn of_device(plans: &[Measured], device: Option<&Device>) -> Vec<Measured> {
    let is_of = |plan: &&Measured| {
        device.is_none_or(|device| plan.device == device.name && plan.driver == i64::from(device.driver))
    };
    plans.iter().filter(is_of).cloned().collect()
}

/// Puts plans in place of those that were measured before for the same kernels, sizes and device.
pub fn replace(known: &mut Vec<Measured>, new: &[Measured]) {
    known.retain(|old| !new.iter().any(|new| new.is_for_same(old)));
    known.extend(new.iter().cloned());
    known.sort_by_cached_key(|plan| {
        let sizes = plan.sizes.0.clone();
        (plan.name.clone(), plan.kernel.clone(), sizes, plan.target().to_string(), plan.device.clone(), plan.driver)
    });
}

/// Writes plans to a file, which is whole or as it was. What goes wrong is reported.
pub fn write(ctx: &Context, registry: &Registry, file: &str, plans: &[Measured], diags: &Diagnostics) -> Option<()> {
    let text = text(ctx, registry, plans, diags)?;
    write_file(file, |to| to.write_all(text.as_bytes()))
        .map_err(|error| {
            let message = format!("the measured plans cannot be written to '{file}': {error}");
            diags.emit(Diagnostic::error(&CANNOT_WRITE, Loc::UNKNOWN, message));
        })
        .ok()
}

/// The text of a file.
pub fn text(ctx: &Context, registry: &Registry, plans: &[Measured], diags: &Diagnostics) -> Option<String> {
    let source = input::add(ctx, "<measured plans>", String::new(), diags)?;
    let mut module: Body = input::module(ctx, registry, &source, 0..0, ParseOptions::default(), diags)?;
    let end = InsertPoint::EndOf(module.entry_block()?);
    let mut text = HEAD.to_string();
    for plan in plans {
        let op = plan.build(&mut Builder::new(ctx, &mut module, end), Loc::UNKNOWN);
        text += &format!("\n{}\n", print_op(ctx, &module, op, PrintOptions::default()));
    }
    Some(text)
}
