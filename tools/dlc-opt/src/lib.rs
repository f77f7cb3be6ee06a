//! `dlc-opt` reads IR, verifies it, runs passes on it and writes it: dlc's `mlir-opt`.
//!
//! It knows the dialects and passes that are linked into the program. To have it with others, make a binary that
//! depends on this crate and on those that declare them, and call [`main`]:
//!
//! ```no_run
//! // use my_passes as _;
//! fn main() -> std::process::ExitCode {
//!     dlc_opt::main()
//! }
//! ```
//!
//! - [`args`]: the command line, [`help`] on it; [`input`]: reading files; [`json`]: JSON instead of IR; [`output`]: writing them whole or not at all; [`outputs`]:
//!   what passes emit next to the IR.
//! - [`drive`]: from text to text; [`expect`]: `--verify-diagnostics`; [`report`]: diagnostics, timing, statistics.
//! - [`plugin`]: passes from shared libraries and other programs.
//! - [`observe`]: printing the IR between passes; [`evaluate`]: running it between passes; [`list`]: what is linked in.
//! - [`explore`]: a page that shows a program at each layer; [`explain`]: its kernels as a table; [`planned`]: kernels
//!   with their plans; [`table`]: tables as text.
//! - [`reduce`]: `dlc-reduce`, which makes a program smaller that fails.
//! - [`function`], [`generate`], [`numbers`], [`compare`]: running a program, which `dlc-run` does as well.
//!
//! The process ends with 0 when all went well, 1 when something is wrong with the input, 2 when it was called wrongly,
//! and 3 when dlc itself or a plugin has made a mistake.

pub mod args;
pub mod compare;
pub mod drive;
pub mod dump;
pub mod evaluate;
pub mod expect;
pub mod explain;
pub mod explore;
pub mod formats;
pub mod function;
pub mod generate;
pub mod help;
pub mod input;
pub mod json;
pub mod layers;
pub mod list;
pub mod numbers;
pub mod observe;
pub mod output;
pub mod outputs;
pub mod planned;
pub mod plugin;
pub mod progress;
pub mod reduce;
pub mod report;
pub mod shell;
pub mod table;

use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::ExitCode;
use std::sync::Arc;

use dlc_ir::Loc;
use dlc_ir::diag::Diagnostic;
use dlc_ir::op::Dialect;
use dlc_ir::pass::registry::Registry;

use output::Watched;

/// The version that the tools say: that of the crates, and the commit that it was built from.
pub const VERSION: &str = env!("DLC_VERSION");

/// What the tool works with: dialects, passes, pipelines, translations.
pub struct Setup {
    /// The dialects; `builtin` is always there.
    pub dialects: Vec<&'static Dialect>,
    /// Everything else.
    pub registry: Registry,
    /// The plugins that some of it comes from.
    pub plugins: Arc<plugin::Plugins>,
}

impl Setup {
    /// Everything linked into the program.
    pub fn linked() -> Setup {
        let dialects = dlc_ir::inventory::iter::<&'static Dialect>().copied().collect();
        Setup { dialects, registry: Registry::linked(), plugins: Arc::default() }
    }
}

/// How the process ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Status {
    /// All went well.
    Success = 0,
    /// Something is wrong with the input.
    Failure = 1,
    /// The tool was called wrongly.
    Usage = 2,
    /// dlc itself, or a plugin, has made a mistake.
    Internal = 3,
}

/// Where text comes from and goes to.
pub struct Io<'a> {
    /// Read when the input is `-`.
    pub stdin: &'a mut (dyn Read + Send),
    /// The result.
    pub stdout: &'a mut (dyn Write + Send),
    /// Diagnostics and everything that is asked for besides the result.
    pub stderr: &'a mut (dyn Write + Send),
    /// Whether `stderr` is a terminal: then there is colour, and a line of progress.
    pub terminal: bool,
}

/// The stack of the thread that does the work: regions, types and attributes may be nested several hundred deep, and each
/// level takes some of it, in builds without optimization too.
pub const STACK: usize = 256 << 20;

/// The tool, with everything that is linked into the program.
pub fn main() -> ExitCode {
    main_with(Setup::linked)
}

/// The tool, with what `setup` gives.
pub fn main_with(setup: fn() -> Setup) -> ExitCode {
    start(setup, run)
}

/// Runs a tool on the command line and the streams of the process.
pub fn start(setup: fn() -> Setup, run: RunFn) -> ExitCode {
    ExitCode::from(start_with(setup, run, std::env::args_os()) as u8)
}

/// Runs a tool on another command line and the streams of the process. `args` starts with the name of the program.
pub fn start_with(setup: fn() -> Setup, run: RunFn, args: impl Iterator<Item = OsString>) -> Status {
    use std::io::IsTerminal;
    dlc_ir::pass::panics::install_hook();
    let (mut stdin, mut stdout, mut stderr) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    let terminal = stderr.is_terminal();
    let mut io = Io { stdin: &mut stdin, stdout: &mut stdout, stderr: &mut stderr, terminal };
    on_big_stack(run, &setup(), args, &mut io)
}

/// What a tool does with a command line.
pub type RunFn = fn(&Setup, &[OsString], &mut Io<'_>) -> Status;

/// [`run`] on a thread with a stack of known size.
pub fn run_on_big_stack(setup: &Setup, args: impl Iterator<Item = OsString>, io: &mut Io<'_>) -> Status {
    on_big_stack(run, setup, args, io)
}

/// A tool on a thread with a stack of known size.
pub fn on_big_stack(run: RunFn, setup: &Setup, args: impl Iterator<Item = OsString>, io: &mut Io<'_>) -> Status {
    let args: Vec<OsString> = args.collect();
    let (mut stdout, mut stderr) = (Watched::new(&mut *io.stdout), Watched::new(&mut *io.stderr));
    let status = std::thread::scope(|scope| {
        let work = || {
            let mut io = Io { stdin: &mut *io.stdin, stdout: &mut stdout, stderr: &mut stderr, terminal: io.terminal };
            run(setup, &args, &mut io)
        };
        match std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
            // What panics inside a pass is caught there; this is for the rest.
            Ok(thread) => thread.join().unwrap_or(Status::Internal),
            Err(_) => Status::Internal,
        }
    });
    let lost = [("standard output", stdout.finish()), ("standard error", stderr.finish())];
    lost.into_iter().fold(status, |status, (name, error)| {
        let Some(error) = error else { return status };
        let message = format!("{name} cannot be written: {error}");
        report::report_one(Diagnostic::error(&input::CANNOT_WRITE, Loc::UNKNOWN, message), &args, io);
        status.max(Status::Failure)
    })
}

/// Does what a command line says. `args` starts with the name of the program.
///
/// With plugins in it, the running executable is started again as a child: it must be a program that calls [`main`] or
/// [`main_with`].
pub fn run(setup: &Setup, args: &[OsString], io: &mut Io<'_>) -> Status {
    if args.get(1).is_some_and(|arg| arg == plugin::child::FLAG) {
        return plugin::child::main(setup, io);
    }
    let wanted = plugin::Wanted::of(args);
    let with_plugins;
    let setup = if wanted.libraries.is_empty() {
        setup
    } else {
        match plugin::load(setup, &wanted) {
            Ok(loaded) => {
                with_plugins = loaded;
                &with_plugins
            }
            Err(unusable) => {
                let (diagnostic, status) = *unusable;
                report::report_one(diagnostic, args, io);
                return status;
            }
        }
    };
    let options = match args::parse(setup, args, io) {
        Ok(options) => options,
        Err(status) => return status,
    };
    match &options.action {
        args::Action::ListPasses => list::passes(&setup.registry, io),
        args::Action::ShowDialects(name) => list::dialects(&setup.dialects, name, io),
        args::Action::NewPlugin(dir, source) => match plugin::project::create(setup, dir, source.as_deref()) {
            Ok(told) => {
                let _ = io.stdout.write_all(told.as_bytes());
                Status::Success
            }
            Err(unwritten) => {
                let (diagnostic, status) = *unwritten;
                report::report_one(diagnostic, args, io);
                status
            }
        },
        args::Action::Opt => drive::opt(setup, &options, io),
    }
}
