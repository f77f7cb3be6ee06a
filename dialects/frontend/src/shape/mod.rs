//! The rules of shapes: from operands and attributes to the types of the results. The verifier holds each op to them.

mod elementwise;

pub use elementwise::{cast, lerp};
