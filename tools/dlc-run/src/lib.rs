//! `dlc-run` runs a tensor program on arrays: it reads the program and its inputs, evaluates it, and shows, writes or
//! checks what it gives.
//!
//! It knows the dialects and passes that are linked into the program, as `dlc-opt` does, and ends with the same
//! [`Status`].
//!
//! - [`args`]: the command line; [`program`]: from the text of a program to a function that can be run.
//! - [`files`]: arrays in files; [`inputs`]: what the function is called with.
//! - [`cuda`]: programs and launch manifests on a GPU.
//! - [`mod@run`]: all of it, once; [`check`]: comparing outputs; [`show`]: tables; [`log`]: a line for each run;
//!   [`batch`]: many programs in one process.

pub mod args;
pub mod batch;
pub mod check;
pub mod cuda;
pub mod files;
pub mod inputs;
pub mod log;
pub mod program;
pub mod run;
pub mod show;

use std::ffi::OsString;
use std::process::ExitCode;

use dlc_opt::{Io, Setup, Status};

use cuda::gpu::Gpu;

/// The tool, with everything that is linked into the program.
pub fn main() -> ExitCode {
    dlc_opt::start(Setup::linked, run)
}

/// Does what a command line says. `args` starts with the name of the program.
pub fn run(setup: &Setup, args: &[OsString], io: &mut Io<'_>) -> Status {
    run_on(&mut Gpu::default(), setup, args, io)
}

/// The same on another device, which tests have.
pub fn run_on(gpu: &mut Gpu, setup: &Setup, args: &[OsString], io: &mut Io<'_>) -> Status {
    let options = match args::parse(args, io) {
        Ok(options) => options,
        Err(status) => return status,
    };
    match &options.what {
        args::What::Program(file) => run::one(setup, &options, file, gpu, io),
        args::What::Batch(folder) => batch::run(setup, &options, folder, gpu, io),
    }
}
