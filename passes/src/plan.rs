//! Plans with every decision made: what the passes from the region down read.
//!
//! - [`shape`]: what a region computes, as far as its mapping depends on it.
//! - [`defaults`]: what holds where a plan says nothing.
//! - [`tiling`]: how the tile of a block is shared among its threads.
//! - [`clauses`]: for each clause what reads it, and when it does not apply.
//! - `compare`: what a plan says of its region is compared with it.
//! - `declare`: the axes, inputs and results of a region that is made from another one.
//! - [`explicit`]: a resolved plan as clauses again.
//! - [`mapping`]: where the axes of a region go.
//! - [`parts`]: a reduction that is divided among blocks.
//! - `repair`: plans near to one that does not fit.
//! - [`report`]: what a plan requires and its kernel does not do.
//! - [`resolved`]: every default filled in, and checked against the region and the target.
//! - `roles`: what roles of warps need.
//! - [`scattered`]: sums whose elements go to positions that are data.
//! - [`window`]: windows of a convolution that stay in shared memory.

pub mod clauses;
pub(crate) mod compare;
mod declare;
pub mod defaults;
pub mod explicit;
mod factors;
pub mod mapping;
pub mod parts;
mod registers;
mod repair;
pub mod report;
pub mod resolved;
mod roles;
pub mod scattered;
pub mod shape;
pub mod tiling;
pub mod window;
