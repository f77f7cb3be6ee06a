//! The tests that are neither text tests nor counts of memory, in one program: linking each of them alone takes longer than
//! most of them run, and their threads share the machine.

mod affine;
mod cuda;
mod dlc_text;
mod frontend;
mod golden;
mod kernels;
mod mlir;
mod poly;
mod programs;
mod programs_ptx;
mod ptx;
mod tool;
