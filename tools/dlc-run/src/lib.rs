//! `dlc-run` runs a tensor program on arrays: it reads the program and its inputs, evaluates it, and shows, writes or
//! checks what it gives.
//!
//! It knows the dialects and passes that are linked into the program, as `dlc-opt` does, and ends with the same
//! [`Status`].
//!
//! It is the command line of the library [`dlc`], which compiles programs, evaluates them and launches them.
//!
//! - [`args`]: the command line; [`inputs`]: what the function is called with, from files.
//! - [`cuda`]: programs and launch manifests on a GPU.
//! - [`mod@run`]: all of it, once; [`check`]: comparing outputs; [`show`]: tables; [`log`]: a line for each run;
//!   [`batch`]: many programs in one process.

pub mod args;
pub mod batch;
pub mod check;
pub mod cuda;
pub mod inputs;
pub mod log;
pub mod run;
pub mod show;

use std::ffi::OsString;
use std::process::ExitCode;

use dlc::cuda::cache::{Cache, USUAL_BYTES};
use dlc::cuda::gpu::Gpu;
use dlc_opt::{Io, Setup, Status};

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
    let options = match args::parse(setup, args, io) {
        Ok(options) => options,
        Err(status) => return status,
    };
    match &options.what {
        args::What::Program(file) if options.explain || options.explore.is_some() => run::explain(&options, file, io),
        args::What::Program(file) => run::one(setup, &options, file, gpu, io),
        args::What::CacheInfo | args::What::CacheClear => kept(&options, io),
        args::What::Batch(folder) => batch::run(setup, &options, folder, gpu, io),
    }
}

/// Says what modules are kept, or removes them.
fn kept(options: &args::Options, io: &mut Io<'_>) -> Status {
    let bytes = options.cache.unwrap_or(USUAL_BYTES);
    let Some(cache) = Cache::of_user(bytes) else {
        let _ = writeln!(io.stderr, "error: there is no cache: neither XDG_CACHE_HOME nor HOME is an absolute path");
        return Status::Failure;
    };
    let folder = cache.folder.display();
    // What goes wrong with a stream is reported at the end.
    let result = match options.what {
        args::What::CacheClear => cache.clear().map(|(count, held)| format!("removed {count} modules of {held} bytes")),
        _ => {
            let (count, held) = cache.holds();
            Ok(format!("{count} modules of {held} bytes, of at most {bytes}"))
        }
    };
    match result {
        Ok(message) => {
            let _ = writeln!(io.stdout, "{folder}: {message}");
            Status::Success
        }
        Err(error) => {
            let _ = writeln!(io.stderr, "error: '{folder}' cannot be cleared: {error}");
            Status::Failure
        }
    }
}
