//! Changes of kernels that several passes make alike. What they only want to know is in [`analysis`](crate::analysis).
//!
//! - [`axes`]: other axes for the values of a kernel.
//! - [`blocks`]: the blocks of a grid as numbers of its tiles.
//! - [`branch`]: an `if` of which one side is taken.
//! - [`brought`]: values of a region that are needed elsewhere.
//! - [`carried`]: what loops of a kernel carry.
//! - [`launches`]: the launches of kernels, and copies of kernels for them.
//! - [`region_ops`]: ops of a region with their axes in the order of the kernel.
//! - [`rings`]: tiles and mbarriers of a kernel that become rings.
//! - [`rows`]: the rows of fragments shared among groups of threads.
//! - [`unused`]: ops that nothing uses any more.

pub mod axes;
pub mod blocks;
pub mod branch;
pub mod brought;
pub mod carried;
pub mod launches;
pub mod region_ops;
pub mod rings;
pub mod rows;
pub mod unused;
