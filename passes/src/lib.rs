//! The passes of dlc.
//!
//! - [`generic`]: passes on every dialect, which know ops only by what these declare of themselves.
//! - [`book_to_poly`]: from values with their axes to what analyses see of them.
//! - [`book_to_region`]: from values with their axes to kernels.
//! - [`frontend_to_tiny`]: the ops of models lowered to those of tinygrad.
//! - [`analysis`]: facts about programs that several passes want.
//! - [`host`]: passes inside the layer host.
//! - [`kernel`]: passes inside the layer kernel.
//! - [`tiny`]: passes inside the layer tiny.
//! - [`tiny_to_book`]: movements of elements turned into indices.
//! - [`book`]: passes inside the layer book.
//! - [`region`]: passes inside the layer region.
//! - [`plan`]: plans with every decision made.
//! - [`region_to_kernel`]: from functions of axes and schedules to programs of blocks.
//! - [`kernel_to_ptx`]: from programs of blocks to instructions.
//! - [`ptx`]: passes inside the layer ptx.
//! - [`pipelines`]: passes in order, under one name.

// The examples in headers of passes may say with which options they are run.
#![allow(rustdoc::invalid_codeblock_attributes)]

pub mod analysis;
pub mod book;
pub mod book_to_poly;
pub mod book_to_region;
pub mod frontend_to_tiny;
pub mod generic;
pub mod host;
pub mod kernel;
pub mod kernel_to_ptx;
pub mod pipelines;
pub mod plan;
pub mod ptx;
pub mod region;
pub mod region_to_kernel;
pub mod rewrites;
pub mod tiny;
pub mod tiny_to_book;
