//! The test bench of dlc: text tests in the manner of LLVM's lit.
//!
//! The crate knows nothing of the compiler: it starts programs and compares text.

pub mod child;
pub mod filecheck;
