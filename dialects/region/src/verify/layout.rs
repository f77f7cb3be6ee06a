//! Which layouts a kernel can read and write.

use dlc_core::memref::MemRef;
use dlc_ir::{Context, Type};

/// What is known to be wrong with the layouts: two elements of a result in one place, an element before the first one,
/// units of a swizzle that are smaller than an element.
///
/// Strides that are symbols are taken at their word.
pub(super) fn wrong(ctx: &Context, inputs: &[Type], results: &[Type], outputs: &[&str]) -> Option<String> {
    for &shown in inputs.iter().chain(results) {
        if let Some(why) = MemRef::of(ctx, shown)?.misplaced(ctx) {
            return Some(format!("the layout of {} {why}", shown.display(ctx)));
        }
    }
    let twice = |ty: &Type| MemRef::of(ctx, *ty).is_some_and(|ty| ty.collides(ctx));
    let at = results.iter().position(twice)?;
    Some(format!("two elements of the result '{}' lie in one place", outputs[at]))
}
