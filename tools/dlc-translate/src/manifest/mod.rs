//! The launch manifest: a JSON next to a file of PTX that says what is launched, and with which numbers.
//!
//! - [`schema`]: what stands in the file; [`expr`]: numbers that depend on sizes.
//! - [`layout`]: where the elements of a tensor lie.
//! - [`mod@read`]: from the text to a manifest in which all names are known; [`write()`]: back.
//! - [`verified`]: which kernels were verified, and what that covered.
//! - [`numbers`]: a kernel for given sizes; [`plan`]: a kernel or program for given sizes, with what lies where.

pub mod expr;
pub mod layout;
pub mod numbers;
pub mod plan;
pub mod read;
pub mod schema;
pub mod verified;

#[cfg(test)]
mod tests;

pub use read::{is_manifest, read};
pub use schema::{Elem, Manifest, VERSION};

dlc_ir::codes! {
    /// A launch manifest is not of its schema, or names what is not there.
    BAD_MANIFEST = "E0541" "BadManifest";
    /// A launch manifest has a version that is not read.
    MANIFEST_VERSION = "E0542" "ManifestVersion";
    /// A kernel cannot run with these sizes.
    NOT_FOR_SIZES = "E0543" "NotForSizes";
    /// A program would write memory that is still needed, or that it does not have.
    BAD_PLACE = "E0544" "BadPlace";
    /// A kernel was not verified to be free of races and deadlocks.
    UNVERIFIED = "E0547" "Unverified";
}

/// The text of a manifest.
pub fn write(manifest: &Manifest) -> String {
    // Names are texts and numbers are finite: nothing in the schema is without JSON.
    serde_json::to_string_pretty(manifest).expect("a manifest has JSON") + "\n"
}
