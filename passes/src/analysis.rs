//! Facts about programs that several passes want. They change nothing.
//!
//! - [`access`]: where the elements of a tensor are found, seen through views.

pub mod access;
