//! Running on a GPU from the command line: what is run, measured, compared and written. What runs it is in
//! [`dlc::cuda`].
//!
//! - [`run`](mod@run): a program or a manifest with its inputs, from files to files.
//! - [`bench`](mod@bench): how long it takes; [`against`]: a library compared with it.
//! - [`tune`]: plans that were measured, from a file and into it.

pub mod against;
pub mod bench;
pub mod run;
pub mod tune;

#[cfg(test)]
mod tests;

dlc_ir::codes! {
    /// The library that is to be measured against is not installed, or does not do what is asked of it.
    NO_LIBRARY = "E0564" "NoLibrary";
    /// A program is no product of matrices that a library has.
    NOT_A_PRODUCT = "E0565" "NotAProduct";
    /// A program and a library give different numbers.
    DISAGREES = "E0566" "Disagrees";
    /// What was to be written is, and nothing was run.
    NOT_RUN = "E0567" "NotRun";
}
