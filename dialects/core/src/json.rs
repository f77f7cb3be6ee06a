//! JSON that people write and read: the forms of the layers.
//!
//! A text is held as it is, and looked at where a reader wants something: every value knows its place in the file, so
//! what is wrong with it is given there, with its path (`uops[3].arg.dims`). Comments from `//` to the end of a line are
//! allowed. A [`Record`] is an object whose keys are known; others are errors.
//!
//! - [`node`]: a text and the values in it; [`record`]: objects with known keys; [`outline`]: what a text may be.
//! - [`names`]: types, sizes and numbers as JSON spells them; [`attr`]: any JSON as an attribute.
//! - [`function`]: a function that was read, as a module; [`mod@write`]: JSON with a record on a line.

pub mod attr;
pub mod function;
pub mod names;
pub mod node;
pub mod outline;
pub mod record;
pub mod write;

pub use names::Scalar;
pub use node::{Document, Kind, Node, Read, Reported, without_comments};
pub use record::Record;
pub use write::Item;

dlc_ir::codes! {
    /// The text is not JSON.
    JSON_SYNTAX = "E0601" "JsonSyntax";
    /// A record has a key that it does not take.
    UNKNOWN_KEY = "E0602" "UnknownKey";
    /// A record lacks a key that it needs.
    MISSING_KEY = "E0603" "MissingKey";
    /// A record has a key twice.
    DUPLICATE_KEY = "E0604" "DuplicateKey";
    /// A value in JSON is not what its key takes.
    WRONG_VALUE = "E0605" "WrongValue";
    /// The IR has something that the JSON of its layer cannot say.
    NO_JSON = "E0606" "NoJson";
}

#[cfg(test)]
mod tests;
