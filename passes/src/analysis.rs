//! Facts about programs that several passes want, as those of axes and expressions with how to write them down. What several
//! passes change alike is in [`rewrites`](crate::rewrites).
//!
//! - [`access`]: where the elements of a tensor are found, seen through views.
//! - [`axes`]: which axes the values of a kernel depend on.
//! - [`boxes`]: what TMA can move.
//! - [`conditions`]: what a kernel made by a plan requires of sizes.
//! - [`expressions`]: the expressions of ops of kernel, and what divides them.
//! - [`facts`]: what is known of the integers in a kernel, to decide guards and conditions.
//! - [`index_ranges`]: between which numbers the integers of a kernel lie.
//! - [`liveness`]: which values are needed where, and the registers that they take.
//! - [`loads`]: what a loop of a kernel loads by itself.
//! - [`locality`]: how near to where it is used a value can be kept.
//! - [`loops`]: the loops that branches make.
//! - [`masks`]: values that are one number except where positions say otherwise.
//! - [`names`]: what values are called.
//! - [`nesting`]: the loops and the grid around ops of a kernel.
//! - [`numbers`]: numbers of attributes.
//! - [`plans`]: the plan that is next to a kernel.
//! - [`poly_core`]: what the polyhedral view answers, block by block.
//! - [`polyhedral`]: which points compute a value, what they read, and which of them come before others.
//! - [`ranges`]: between which numbers the floats of a kernel lie.
//! - [`sizes`]: the sizes that a program is going to run with.
//! - [`taps`]: which positions of a reduced axis multiply anything but zeros.
//! - [`tiles`]: which ops of a kernel touch which tiles in shared memory.
//! - [`value_numbers`]: which values of a region are computed alike.
//! - [`vectors`]: how many elements of a row of global memory one access may take.

pub mod access;
pub mod axes;
pub mod boxes;
pub mod conditions;
pub mod expressions;
pub mod facts;
pub mod index_ranges;
pub mod kernel_parts;
pub mod liveness;
pub mod loads;
pub mod locality;
pub mod loops;
pub mod masks;
pub mod names;
pub mod nesting;
pub mod numbers;
pub mod plans;
pub mod poly_core;
pub mod polyhedral;
pub mod ranges;
pub mod sizes;
pub mod taps;
pub mod tiles;
pub mod value_numbers;
pub mod vectors;
