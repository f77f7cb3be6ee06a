//! Layouts: which register of which lane of which warp holds an element of a tile, and at which byte it lies in shared
//! memory.
//!
//! A [`Distributed`] layout is spelled in a type (`wgmma`, `blocked [1, 8] lanes [4, 8] warps [4, 1]`); placed on a
//! shape it is a [`Fragment`]. A [`Shared`] layout (`swizzle 128`, `row_major pitch 72`) placed on a shape is a
//! [`SharedTile`]. Both are linear maps over bits ([`Linear`]), and what a lowering requires of them is computed from the
//! maps: vectors and bank conflicts, `ldmatrix`, conversions, descriptors of `wgmma`.

mod access;
mod convert;
mod descriptor;
mod distributed;
mod fragment;
mod ldmatrix;
mod linear;
mod matrix;
mod shared;
mod syntax;

pub use access::{Access, Conflicts, MAX_VECTOR_BYTES, bank_conflicts};
pub use convert::{Conversion, Shuffles, Step};
pub use descriptor::{Descriptor, Major};
pub use distributed::{Bits, Blocked, Distributed, LANES, MAX_RANK, MAX_REGISTERS, MAX_WARPS};
pub use fragment::{Coords, Fragment, Free, Holder, Table};
pub use ldmatrix::{MatrixAccess, MatrixGroup};
pub use linear::{Dim, Linear};
pub use shared::{MAX_BYTES, Shared, SharedTile, swizzle};
pub use syntax::{parse_distributed, parse_shared};

#[cfg(test)]
mod tests;
