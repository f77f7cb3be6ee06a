//! The JSON of section 6.8 of the specification: `{"region": {..}}`, or `{"region": [..]}` for several kernels. See
//! `docs/json.md`.
//!
//! A value that is used once may stand where it is used; what is used more often has a name, `{"let": .., "expr": ..}`.
//! Written out, reads, constants, what only moves axes and what has no name stand where they are used; within a reduction
//! nothing has a name that need not. A reduction always has one, and what has marks, which stand next to it as `attrs`.
//!
//! Axes follow from what an expression uses, in the order of the kernel; where they are in another order the expression
//! says so under `axes`. Sizes of axes that nothing gives are those of the memrefs that they read and write.
//!
//! `sizes` finds the sizes of axes before anything is read; `position` has affine expressions and conditions; `read` and
//! [`write`] go each way, `expr` and `reduce` with the expressions of [`read`].

mod expr;
mod memref;
mod position;
mod read;
mod reduce;
mod sizes;
mod write;

use dlc_core::json::outline::Outline;
use dlc_ir::pass::registry::Translation;

dlc_ir::codes! {
    /// No expression of a region has this name.
    UNKNOWN_EXPR = "E0641" "UnknownExpr";
    /// Nothing says what size an axis has, or which axis is meant.
    AXIS_UNKNOWN = "E0642" "AxisUnknown";
}

/// How deep expressions may be nested.
const MAX_DEPTH: usize = 32;

/// Kernels as JSON.
pub static TRANSLATION: Translation = Translation {
    name: "region-json",
    summary: "kernels, {\"region\": {\"name\": .., \"iters\": [..], \"lets\": [..], ..}}",
    extension: ".region.json",
    detects: Some(|text| Outline::of(text).has("region")),
    layer: "region",
    read: Some(read::read),
    write: Some(write::write),
};

dlc_ir::inventory::submit! { &TRANSLATION }
