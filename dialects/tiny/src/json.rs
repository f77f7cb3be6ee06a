//! The JSON of tiny, in two spellings; `docs/json.md` describes both.
//!
//! - `dlc-tiny-uops/1` has the types of everything, and is what an exporter writes.
//! - A *dump*, `{"uops": [..]}`, is what the documents print: inputs are the names that nothing defines, types are
//!   inferred, axes may be named and operands written where they stand.
//!
//! A function remembers which of the two it was read from, and is written in the same one.
//!
//! `uops` is the table of what exists; `args` reads and writes what is special to an op; `read` goes through a
//! text, `build` makes the ops; `dump` has what only dumps have, with `infer` for the sizes of their inputs;
//! [`write`] goes the other way.

mod args;
mod axes;
mod build;
mod contraction;
mod dump;
mod infer;
mod number;
mod read;
mod uops;
mod write;

use dlc_core::json::outline::Outline;
use dlc_ir::pass::registry::Translation;

dlc_ir::codes! {
    /// No uop has this name.
    UNKNOWN_UOP = "E0611" "UnknownUop";
    /// A type or size that is written is not the one that follows from the operands.
    TYPE_DIFFERS = "E0612" "TypeDiffers";
    /// Nothing says what sizes an input has.
    SIZES_UNKNOWN = "E0613" "SizesUnknown";
}

/// The `format` of the spelling with types.
pub const FORMAT: &str = "dlc-tiny-uops/1";

/// The discardable attribute of a function that was read from a dump, and its value.
const SPELLING: (&str, &str) = ("json", "dump");
/// The discardable attribute of a function with the names of its results.
const OUTPUTS: &str = "outputs";
/// What a program says about itself, and is kept.
const KEPT: [&str; 3] = ["source", "note", "hints"];
/// The discardable attribute of what a dump gives a type.
const DECLARED: &str = "declared";

/// Programs of tiny as JSON.
pub static TRANSLATION: Translation = Translation {
    name: "tiny-json",
    summary: "a program of tiny, {\"format\": \"dlc-tiny-uops/1\", ..} or {\"uops\": [..]}",
    extension: ".tiny.json",
    detects: Some(|text| {
        let outline = Outline::of(text);
        outline.format.is_some_and(|format| format.starts_with("dlc-tiny-uops")) || outline.has("uops")
    }),
    layer: "tiny",
    read: Some(read::read),
    write: Some(write::write),
};

dlc_ir::inventory::submit! { &TRANSLATION }

/// How a program is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spelling {
    /// `dlc-tiny-uops/1`
    Typed,
    /// As in the documents.
    Dump,
}
