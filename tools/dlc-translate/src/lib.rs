//! `dlc-translate` writes IR as something else: what devices run, what other programs read.
//!
//! It knows the dialects that are linked into the program, as `dlc-opt` does, and ends with the same [`Status`].
//!
//! - [`ptx`]: PTX and how it is launched; [`cuda`]: the same kernels as CUDA C++ for people.
//! - [`dot`]: a picture of the ops of any layer.
//! - [`args`]: the command line; [`target`]: what IR is translated to, one variant for each.
//! - [`manifest`]: the launch manifest, which is next to every file of PTX; `dlc-run` reads it.

pub mod args;
pub mod cuda;
pub mod dot;
pub mod manifest;
pub mod ptx;
pub mod target;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::text::ParseOptions;
use dlc_ir::verify::verify;
use dlc_ir::{Context, Loc};
use dlc_opt::input::{self, CANNOT_WRITE};
use dlc_opt::output::write_file;
use dlc_opt::report::diagnostics;
use dlc_opt::{Io, Setup, Status};

/// The tool, with everything that is linked into the program.
pub fn main() -> ExitCode {
    dlc_opt::start(Setup::linked, run)
}

/// Does what a command line says. `args` starts with the name of the program.
pub fn run(setup: &Setup, args: &[OsString], io: &mut Io<'_>) -> Status {
    let options = match args::parse(setup, args, io) {
        Ok(options) => options,
        Err(status) => return status,
    };
    let ctx = Context::new(setup.dialects.iter().copied());
    let diags = Diagnostics::new();
    if let Some(written) = translated(setup, &ctx, &options, io, &diags) {
        let file = |name: &str, text: &str| {
            if let Err(error) = write_file(name, |file| file.write_all(text.as_bytes())) {
                let message = format!("'{name}' cannot be written: {error}");
                diags.emit(Diagnostic::error(&CANNOT_WRITE, Loc::UNKNOWN, message));
            }
        };
        match options.output.as_str() {
            // What goes wrong with a stream is reported at the end, for all that is written there.
            "-" => drop(io.stdout.write_all(written.text.as_bytes()).and_then(|()| io.stdout.flush())),
            name => {
                file(name, &written.text);
                if let Some((ending, text)) = written.alongside {
                    file(&Path::new(name).with_extension(ending).to_string_lossy(), &text);
                }
            }
        }
    }
    let status = if diags.errors() == 0 { Status::Success } else { Status::Failure };
    let _ = io.stderr.write_all(diagnostics(&ctx, diags.take(), options.shown).as_bytes());
    status
}

/// The text that the file becomes. What goes wrong is reported.
fn translated(
    setup: &Setup,
    ctx: &Context,
    options: &args::Options,
    io: &mut Io<'_>,
    diags: &Diagnostics,
) -> Option<target::Written> {
    let file = input::read(ctx, &options.file, io.stdin, diags)?;
    let module = input::module(ctx, &setup.registry, &file, 0..file.text.len(), ParseOptions::default(), diags)?;
    if !verify(ctx, &module, diags) || diags.errors() > 0 {
        return None;
    }
    let read = |name: &str, stdin: &mut dyn std::io::Read| {
        let file = input::read(ctx, name, stdin, diags)?;
        let program = input::module(ctx, &setup.registry, &file, 0..file.text.len(), ParseOptions::default(), diags)?;
        (verify(ctx, &program, diags) && diags.errors() == 0).then_some(program)
    };
    let program = match &options.against {
        Some(name) => Some(read(name, io.stdin)?),
        None => None,
    };
    let against = program.as_ref().map(|program| cuda::Against { program, shape: &options.shape });
    options.target.write(ctx, &setup.registry, &module, &options.output, against, diags)
}
