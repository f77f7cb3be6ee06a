//! Programs on memory that the caller has: their modules stay loaded, and their launches go into the caller's stream.
//!
//! Nothing is waited for: what a kernel does wrong is reported by a later call. What lies between kernels is memory of the
//! program, one piece for each stream, in which calls follow each other.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use dlc_ir::Loc;
use dlc_ir::diag::Diagnostic;
use dlc_translate::manifest::Manifest;
use dlc_translate::manifest::numbers::{Tensor, Use};
use dlc_translate::manifest::plan::{Place, Plan, Run};

use super::cache::{self, Cache};
use super::driver::{self, Address, Driver, Value};
use super::exec::{fails, find_entries, params};
use super::module::not_taken;
use super::{DRIVER_FAILS, device};
use crate::bind::BAD_INPUT;

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
}

/// The programs whose modules are loaded, by a number of their own.
#[derive(Default)]
pub struct Resident(HashMap<usize, Kept>);

/// A program whose module is loaded.
struct Kept {
    entries: BTreeMap<String, driver::Entry>,
    memory: HashMap<Stream, Memory>,
}

/// The memory of a program for the calls in one stream.
struct Memory {
    owned: Vec<Address>,
    arena: Address,
    pool: Address,
    scratch: Address,
}

impl Resident {
    /// Waits for all work, unloads the modules of all programs, and gives their memory back.
    pub fn clear(&mut self, driver: &mut dyn Driver) {
        if self.0.is_empty() {
            return;
        }
        driver.unload();
        for memory in self.0.drain().flat_map(|(_, kept)| kept.memory.into_values()) {
            let parts = [memory.arena, memory.pool, memory.scratch];
            memory.owned.into_iter().chain(parts).filter(|&at| at != 0).for_each(|at| driver.release(at));
        }
    }

    /// Puts the launches of a program into a stream. Inputs and outputs lie row by row without gaps at these addresses.
    ///
    /// # Errors
    /// What does not fit what the program was compiled for, that its module is not taken, no memory, and what the driver
    /// reports, of work that is under way too.
    #[allow(clippy::too_many_arguments)]
    pub fn launch(
        &mut self,
        driver: &mut dyn Driver,
        number: usize,
        what: Runnable<'_>,
        cache: Option<&Cache>,
        inputs: &[Address],
        outputs: &[Address],
        stream: Stream,
    ) -> Result<(), Box<Diagnostic>> {
        driver.use_stream(Some(stream));
        let done = self.launch_here(driver, number, what, cache, (inputs, outputs), stream);
        driver.use_stream(None);
        done
    }

    fn launch_here(
        &mut self,
        driver: &mut dyn Driver,
        number: usize,
        what: Runnable<'_>,
        cache: Option<&Cache>,
        (inputs, outputs): (&[Address], &[Address]),
        stream: Stream,
    ) -> Result<(), Box<Diagnostic>> {
        let plan = what.plan;
        let tensors = plan.inputs.iter().zip(inputs).chain(plan.outputs.iter().map(|(tensor, _)| tensor).zip(outputs));
        tensors.into_iter().try_for_each(|(tensor, &at)| fits(tensor, at))?;
        if self.0.len() >= MOST && !self.0.contains_key(&number) {
            self.clear(driver);
        }
        let kept = match self.0.entry(number) {
            Entry::Occupied(kept) => kept.into_mut(),
            Entry::Vacant(place) => {
                device::fits(what.manifest, driver.device())?;
                let loaded = cache::load_beside(driver, what.ptx, cache);
                loaded.map_err(|failure| not_taken(driver, what.manifest, failure))?;
                let entries = find_entries(driver, plan)?;
                place.insert(Kept { entries, memory: HashMap::new() })
            }
        };
        let memory = match kept.memory.entry(stream) {
            Entry::Occupied(memory) => memory.into_mut(),
            Entry::Vacant(place) => place.insert(Memory::take(driver, plan)?),
        };
        let output = |place: Place| plan.outputs.iter().position(|(_, own)| *own == place);
        let at = |place: Place| match place {
            Place::Input(number) => inputs[number],
            Place::Owned(number) => output(place).map_or(memory.owned[number], |number| outputs[number]),
            Place::Arena(offset) => memory.arena + offset,
            Place::Pool(offset) => memory.pool + offset,
            Place::Scratch(offset) => memory.scratch + offset,
        };
        for run in &plan.runs {
            enqueue(driver, run, &run.places.iter().map(|&place| at(place)).collect::<Vec<_>>(), &kept.entries)?;
        }
        // What is given back and lies elsewhere: an input, a constant, one result twice.
        for ((tensor, place), &to) in plan.outputs.iter().zip(outputs) {
            if at(*place) != to {
                driver.copy(at(*place), to, tensor.bytes()).map_err(fails)?;
            }
        }
        Ok(())
    }
}

impl Memory {
    /// Takes the memory of a plan but for its inputs and outputs, and writes its constants.
    fn take(driver: &mut dyn Driver, plan: &Plan) -> Result<Memory, Box<Diagnostic>> {
        let mut part = |bytes: u64| if bytes == 0 { Ok(0) } else { driver.allocate(bytes).map_err(fails) };
        let is_output = |number| plan.outputs.iter().any(|(_, place)| *place == Place::Owned(number));
        let owned = plan.owned.iter().enumerate();
        let owned = owned.map(|(number, &bytes)| part(if is_output(number) { 0 } else { bytes }));
        let owned = owned.collect::<Result<Vec<_>, _>>()?;
        let (arena, pool, scratch) = (part(plan.arena)?, part(plan.pool)?, part(plan.scratch)?);
        for (offset, bytes) in &plan.constants {
            driver.upload(pool + offset, bytes).map_err(fails)?;
        }
        Ok(Memory { owned, arena, pool, scratch })
    }
}

/// Puts what one kernel does into the stream.
fn enqueue(
    driver: &mut dyn Driver,
    run: &Run,
    places: &[Address],
    entries: &BTreeMap<String, driver::Entry>,
) -> Result<(), Box<Diagnostic>> {
    for ((tensor, is), &at) in run.numbers.buffers.iter().zip(places) {
        if *is == Use::Scratch && tensor.bytes() > 0 && !run.numbers.starts.is_empty() {
            driver.fill(at, 0, tensor.bytes()).map_err(fails)?;
        }
    }
    let mut maps = vec![None; run.numbers.maps.len()];
    for start in &run.numbers.starts {
        let values: Vec<Value> = params(driver, run, start, places, &mut maps)?;
        driver.start(entries[&start.entry], start, &values).map_err(|failure| {
            let message =
                format!("'{}' of the kernel '{}' is not launched: {}", start.entry, run.kernel, failure.message);
            Box::new(Diagnostic::error(&DRIVER_FAILS, Loc::UNKNOWN, message))
        })?;
    }
    Ok(())
}

/// Whether a tensor of the caller can be where it is.
fn fits(tensor: &Tensor, at: Address) -> Result<(), Box<Diagnostic>> {
    let name = &tensor.name;
    let refused = |message: String| Err(Box::new(Diagnostic::error(&BAD_INPUT, Loc::UNKNOWN, message)));
    if !tensor.placement.is_dense() {
        return refused(format!("'{name}' does not lie row by row without gaps, and tensors of the device do"));
    }
    if tensor.bytes() > 0 && !at.is_multiple_of(tensor.align.max(1)) {
        return refused(format!("'{name}' is at the address {at:#x}, which is no multiple of {}", tensor.align));
    }
    Ok(())
}
