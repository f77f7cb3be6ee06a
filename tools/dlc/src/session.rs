//! A session: the device that programs run on, and what is kept between them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use dlc_ir::pass::panics::catch;
use dlc_opt::{STACK, Setup};

use crate::cuda::cache::{Cache, USUAL_BYTES};
use crate::cuda::gpu::Gpu;
use crate::error::Error;
use crate::options::{Device, F32, Passes, Planning, ShapeSet};
use crate::program::{Compiled, Program};

/// How a session works.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// What programs run on.
    pub device: Device,
    /// How many threads run passes and evaluate.
    pub threads: usize,
    /// How many bytes of machine code are kept in the user's cache folder; `None` if none is kept or used.
    pub cache: Option<u64>,
    /// How long a kernel may run.
    pub time_limit: Duration,
}

impl Default for SessionOptions {
    /// The GPU if there is one, as many threads as the machine runs at once, a cache of 1 GiB, 30 seconds.
    fn default() -> SessionOptions {
        SessionOptions {
            device: Device::Auto,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            cache: Some(USUAL_BYTES),
            time_limit: Duration::from_secs(30),
        }
    }
}

/// A program, or a text next to one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source<'a> {
    /// The text of a dialect that programs enter by, or JSON of a form that a layer reads.
    Text(&'a str),
    /// The same in a file.
    Path(&'a Path),
}

/// How a program is compiled.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// The function that is meant, without `@`, where there are several.
    pub function: Option<String>,
    /// What symbols of sizes are. Arrays say it too; those that no array says must be given here or in the call.
    pub sizes: Vec<(String, i64)>,
    /// Sizes that plans are chosen for, a plan for each. With some, a program is compiled for a device once and runs at all
    /// sizes: each launch takes the plan with the least cost, and kernels are formed for the first of them. Without, it is
    /// compiled for the sizes of each call.
    pub shape_sets: Vec<ShapeSet>,
    /// What is run first.
    pub passes: Passes,
    /// How kernels without a plan are made.
    pub planning: Planning,
    /// Plans, as text or JSON: those that name a kernel belong to it, others to the only one. A program above the layer
    /// `region` is lowered to that, so that it has kernels.
    pub plans: Vec<String>,
    /// A file of plans that were measured, which replace the estimate: those for the device that runs the program,
    /// and where none does, those for any. Tuning writes what it finds there; before that there may be no file.
    pub plan_cache: Option<PathBuf>,
    /// The target, `sm80` or `sm90`, where it is not that of the device.
    pub target: Option<String>,
    /// Whether kernels that `check-async` does not verify are compiled too.
    pub unchecked: bool,
}

impl CompileOptions {
    /// What symbols are where kernels are formed: by the first shape set, else as they are given.
    pub(crate) fn formed_for(&self) -> &[(String, i64)] {
        self.shape_sets.first().unwrap_or(&self.sizes)
    }
}

impl Default for CompileOptions {
    /// The only function, its sizes by arrays, the plans that an estimate chooses, verified kernels.
    fn default() -> CompileOptions {
        CompileOptions {
            function: None,
            sizes: Vec::new(),
            shape_sets: Vec::new(),
            passes: Passes::Standard,
            planning: Planning::Choose(F32::default()),
            plans: Vec::new(),
            plan_cache: None,
            target: None,
            unchecked: false,
        }
    }
}

/// The device that programs run on, and what is kept between them. Clones are the same session; threads may share it.
#[derive(Clone)]
pub struct Session(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) setup: Setup,
    pub(crate) options: SessionOptions,
    pub(crate) cache: Option<Cache>,
    gpu: Mutex<Gpu>,
    /// The programs that are in use, by everything that they were compiled from.
    programs: Mutex<HashMap<String, Weak<Compiled>>>,
}

impl Shared {
    /// The device. Who has it uses it alone.
    pub(crate) fn gpu(&self) -> MutexGuard<'_, Gpu> {
        self.gpu.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Session {
    fn default() -> Session {
        Session::new(SessionOptions::default())
    }
}

impl Session {
    /// A session. The device is opened when a program wants it.
    pub fn new(options: SessionOptions) -> Session {
        Session::on(Gpu::default(), options)
    }

    /// A session that compiles and evaluates on the CPU.
    pub fn cpu() -> Session {
        Session::new(SessionOptions { device: Device::Cpu, ..SessionOptions::default() })
    }

    /// A session on another device, which tests have.
    pub fn on(gpu: Gpu, options: SessionOptions) -> Session {
        let cache = options.cache.and_then(Cache::of_user);
        let (gpu, programs) = (Mutex::new(gpu), Mutex::default());
        Session(Arc::new(Shared { setup: Setup::linked(), options, cache, gpu, programs }))
    }

    /// Reads and verifies a program, and chooses its function. A program that is in use already is not read again: it is
    /// the same if its text and options are.
    ///
    /// # Errors
    /// What is wrong with the text, that there is no such function, that plans do not fit.
    pub fn compile(&self, source: Source<'_>, options: &CompileOptions) -> Result<Program, Error> {
        let (name, text) = crate::program::read(source)?;
        let key = format!("{name}\0{options:?}\0{text}");
        if let Some(known) = self.programs().get(&key).and_then(Weak::upgrade) {
            return Ok(Program { session: self.clone(), compiled: known });
        }
        let compiled = Arc::new(on_big_stack(|| Compiled::new(self, &name, text, options))??);
        let mut programs = self.programs();
        programs.retain(|_, program| program.strong_count() > 0);
        programs.insert(key, Arc::downgrade(&compiled));
        Ok(Program { session: self.clone(), compiled })
    }

    fn programs(&self) -> MutexGuard<'_, HashMap<String, Weak<Compiled>>> {
        self.0.programs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs work on a thread with a stack of known size, as the tools do: regions may be nested several hundred deep. A panic is
/// an error.
pub(crate) fn on_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || catch(work));
        let thread = thread.map_err(|error| Error::panicked(&format!("no thread starts: {error}")))?;
        match thread.join() {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(panic)) => {
                let place = panic.place.map_or(String::new(), |place| format!(" at {place}"));
                Err(Error::panicked(&format!("it has panicked{place}: {}", panic.message)))
            }
            Err(_) => Err(Error::panicked("a thread has panicked")),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::LIBRARY_PANICKED;

    #[test]
    fn panics_are_errors() {
        let error = on_big_stack(|| panic!("for a test")).expect_err("it panics");
        assert_eq!(error.code(), LIBRARY_PANICKED.code);
        assert!(error.first().message.contains("for a test"), "{error}");
    }
}
