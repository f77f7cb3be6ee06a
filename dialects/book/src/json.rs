//! The JSON of book: `{"index_book": {"C0": {"axes": [..], "inputs": [..], "reduce_axes": [..]}}}`, as the documents
//! print it; `docs/json.md` describes it.
//!
//! What the documents leave open (the function of an entry, types, what stands outside of a guard) has keys of its own,
//! which are always written, and may be left out where they follow. Names and ids of axes are not part of a program's
//! meaning; they stay with it as the discardable attributes `axis_names` and `axis_ids`.
//!
//! `expr` reads and writes positions and conditions; `read` goes through a text and `build` makes the ops; `write`
//! goes the other way.

mod build;
mod expr;
mod read;
mod write;

use dlc_core::json::outline::Outline;
use dlc_ir::pass::registry::Translation;

dlc_ir::codes! {
    /// Nothing says what sizes an input of a program in JSON has.
    LEAF_UNKNOWN = "E0631" "LeafUnknown";
    /// A type or size that is written is not the one that follows from what is read.
    VALUE_DIFFERS = "E0632" "ValueDiffers";
}

/// The discardable attributes of an op or argument: what its axes are called, and their ids.
const AXES: (&str, &str) = ("axis_names", "axis_ids");

/// What stands for the rest of the points among the pieces of a domain.
const ELSE_PIECE: &str = "else_pad_piece";

/// Programs of book as JSON.
pub static TRANSLATION: Translation = Translation {
    name: "book-json",
    summary: "a program of book, {\"index_book\": {..}}",
    extension: ".book.json",
    detects: Some(|text| Outline::of(text).has("index_book")),
    layer: "book",
    read: Some(read::read),
    write: Some(write::write),
};

dlc_ir::inventory::submit! { &TRANSLATION }
