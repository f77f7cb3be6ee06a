//! Programs on memory that the caller has: their modules stay loaded, and their launches go into the caller's stream.
//!
//! Nothing is waited for: what a kernel does wrong is reported by a later call. What lies between kernels is memory of the
//! program, one piece for each stream, in which calls follow each other; launches are made ready for each stream once.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Weak};

use dlc_ir::diag::Diagnostic;
use dlc_translate::manifest::Manifest;
use dlc_translate::manifest::plan::Plan;

use super::cache::{self, Cache};
use super::device;
use super::driver::{self, Driver};
use super::exec::find_entries;
use super::module::not_taken;
use super::steps::{InStream, StepInputs};

/// With more programs than this, all are forgotten, and loaded again as they are called.
const MOST: usize = 256;

/// A stream of the driver, as a number. 0 is the default stream.
pub type Stream = u64;

/// What runs, compiled for sizes and a target.
#[derive(Clone, Copy)]
pub struct Runnable<'a> {
    /// The launch manifest.
    pub manifest: &'a Manifest,
    /// The PTX.
    pub ptx: &'a str,
    /// The launches for the sizes.
    pub plan: &'a Plan,
    /// What is shared by all who may launch it again.
    pub users: &'a Arc<()>,
}

/// The programs whose modules are loaded, by a number of their own.
#[derive(Default)]
pub struct Resident(HashMap<usize, Kept>);

/// A program whose module is loaded.
struct Kept {
    entries: BTreeMap<String, driver::Entry>,
    streams: HashMap<Stream, InStream>,
    /// Gone when nobody can launch it any more.
    users: Weak<()>,
}

impl Kept {
    fn release(self, driver: &mut dyn Driver) {
        self.streams.into_values().flat_map(|in_stream| in_stream.taken).for_each(|at| driver.release(at));
    }
}

impl Resident {
    /// Waits for all work, unloads the modules of all programs, and gives their memory back.
    pub fn clear(&mut self, driver: &mut dyn Driver) {
        if self.0.is_empty() {
            return;
        }
        driver.unload();
        self.0.drain().for_each(|(_, kept)| kept.release(driver));
    }

    /// Gives the memory of programs back that nobody can launch any more. The driver waits for what still uses it.
    fn release_unused(&mut self, driver: &mut dyn Driver) {
        let unused = self.0.extract_if(|_, kept| kept.users.strong_count() == 0);
        unused.for_each(|(_, kept)| kept.release(driver));
    }

    /// Puts the launches of a program into a stream. Inputs and outputs lie row by row without gaps at these addresses.
    ///
    /// # Errors
    /// What does not fit what the program was compiled for, that its module is not taken, no memory, and what the driver
    /// reports, of work that is under way too.
    pub fn launch(
        &mut self,
        driver: &mut dyn Driver,
        number: usize,
        what: Runnable<'_>,
        cache: Option<&Cache>,
        given: StepInputs<'_>,
        stream: Stream,
    ) -> Result<(), Box<Diagnostic>> {
        driver.use_stream(Some(stream));
        let done = self.launch_here(driver, number, what, cache, given, stream);
        driver.use_stream(None);
        done
    }

    fn launch_here(
        &mut self,
        driver: &mut dyn Driver,
        number: usize,
        what: Runnable<'_>,
        cache: Option<&Cache>,
        given: StepInputs<'_>,
        stream: Stream,
    ) -> Result<(), Box<Diagnostic>> {
        if !self.0.contains_key(&number) {
            match self.0.len() >= MOST {
                true => self.clear(driver),
                false => self.release_unused(driver),
            }
        }
        let kept = match self.0.entry(number) {
            Entry::Occupied(kept) => kept.into_mut(),
            Entry::Vacant(place) => {
                device::fits(what.manifest, driver.device())?;
                let loaded = cache::load_alongside(driver, what.ptx, cache);
                loaded.map_err(|failure| not_taken(driver, what.manifest, failure))?;
                let entries = find_entries(driver, what.plan)?;
                place.insert(Kept { entries, streams: HashMap::new(), users: Arc::downgrade(what.users) })
            }
        };
        let in_stream = match kept.streams.entry(stream) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                given.check(what.plan)?;
                place.insert(InStream::new(driver, what.plan, &kept.entries, given)?)
            }
        };
        in_stream.launch(driver, what.plan, given)
    }
}
