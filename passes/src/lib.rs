//! The passes of dlc.
//!
//! - [`generic`]: passes on every dialect, which know ops only by what these declare of themselves.

pub mod generic;
