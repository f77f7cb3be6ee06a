//! The test bench of dlc: text tests in the manner of LLVM's lit, run by `cargo test --test lit`.
//!
//! `docs/testing.md` tells how to write and run tests. The way of a test through this crate:
//!
//! 1. [`session`] finds the programs of the workspace and [`features`] the outside tools;
//! 2. [`discover`] finds the files;
//! 3. [`run_line`] reads the `RUN:` lines of a file, [`markdown`] the blocks of a page, [`shell`] their commands;
//! 4. [`test_file`] runs them through [`exec`], with [`builtins`] inside this program and [`child`] outside;
//! 5. [`filecheck`] and [`snapshot`] judge the output.
//!
//! [`project`] does the same for a plugin outside of this repository.
//!
//! All of that knows nothing of the compiler: it starts programs and compares text. Apart from it, [`fuzz`] makes
//! random input for the compiler as a library, and [`growth`] programs of any size.

pub mod builtins;
pub mod child;
pub mod discover;
pub mod exec;
pub mod features;
pub mod filecheck;
pub mod fuzz;
pub mod growth;
pub mod markdown;
pub mod project;
pub mod run_line;
pub mod session;
pub mod shell;
pub mod snapshot;
pub mod test_file;
