//! Facts about programs that several passes want. They change nothing.
//!
//! - [`access`]: where the elements of a tensor are found, seen through views.
//! - [`axes`]: which axes the values of a kernel depend on.
//! - [`locality`]: how near to where it is used a value can be kept.
//! - [`plans`]: the plan that is beside a kernel.
//! - [`poly_core`]: what the polyhedral view answers, block by block.
//! - [`polyhedral`]: which points compute a value, what they read, and which of them come before others.

pub mod access;
pub mod axes;
pub mod locality;
pub mod plans;
pub mod poly_core;
pub mod polyhedral;
