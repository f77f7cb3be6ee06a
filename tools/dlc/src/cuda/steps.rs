//! What a program does in a stream, made ready: a call with the memory of the call before launches and computes nothing,
//! and one with other memory gives the launches other addresses.

use std::collections::BTreeMap;

use dlc_ir::Loc;
use dlc_ir::diag::Diagnostic;
use dlc_translate::manifest::numbers::{Param, Tensor, Use};
use dlc_translate::manifest::plan::{Place, Plan, Run};

use super::DRIVER_FAILS;
use super::driver::{Address, Driver, Entry, Failure, Prepared, TensorMap, Value};
use super::exec::{fails, make_map, params};
use crate::bind::BAD_INPUT;

/// How many tensor maps are kept of one of a kernel, for as many addresses.
const MAPS: usize = 16;

/// The memory of the caller in a call.
#[derive(Clone, Copy)]
pub struct StepInputs<'a> {
    /// Where the inputs are.
    pub inputs: &'a [Address],
    /// Where the outputs are.
    pub outputs: &'a [Address],
}

impl StepInputs<'_> {
    fn at(&self, place: Where) -> Address {
        match place {
            Where::Input(number, offset) => self.inputs[number] + offset,
            Where::Output(number, offset) => self.outputs[number] + offset,
            Where::Own(at) => at,
        }
    }

    /// Whether all tensors can be where they are.
    pub fn check(&self, plan: &Plan) -> Result<(), Box<Diagnostic>> {
        let outputs = plan.outputs.iter().map(|(tensor, _)| tensor).zip(self.outputs);
        plan.inputs.iter().zip(self.inputs).chain(outputs).try_for_each(|(tensor, &at)| fits(tensor, at))
    }
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

/// Where a buffer is: at a byte of memory of the caller, or in memory of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Where {
    Input(usize, u64),
    Output(usize, u64),
    Own(Address),
}

/// What a program does in a stream, with its memory there.
pub struct InStream {
    /// The memory of the program, which is to be given back.
    pub taken: Vec<Address>,
    steps: Vec<Step>,
    /// What is given back and lies elsewhere (an input, a constant, one result twice): from where, for which output, and
    /// how many bytes.
    copies: Vec<(Where, usize, u64)>,
    /// The inputs and outputs that must be at a multiple of something, and of what.
    aligned: Vec<(Where, u64)>,
    /// The values of a launch that change.
    changed: Vec<(usize, Value)>,
}

/// Something in the sequence of work.
enum Step {
    /// This memory becomes zero.
    Zero(Where, u64),
    /// A launch.
    Launch(Launch),
}

/// A launch that is ready.
struct Launch {
    prepared: Prepared,
    /// The place of its kernel, and its own place there.
    run: usize,
    start: usize,
    /// Its parameters that follow the memory of the caller.
    params: Vec<Moving>,
}

/// A parameter that follows the memory of the caller.
struct Moving {
    number: usize,
    of: Where,
    /// The address that it was made for.
    at: Address,
    /// For a tensor map: which one of the kernel, and those that were made.
    map: Option<(usize, Vec<(Address, TensorMap)>)>,
}

impl InStream {
    /// Takes the memory of a plan but for its inputs and outputs, writes its constants, and makes its launches ready.
    pub fn new(
        driver: &mut dyn Driver,
        plan: &Plan,
        entries: &BTreeMap<String, Entry>,
        given: StepInputs<'_>,
    ) -> Result<InStream, Box<Diagnostic>> {
        let mut made = InStream {
            taken: Vec::new(),
            steps: Vec::new(),
            copies: Vec::new(),
            aligned: Vec::new(),
            changed: Vec::new(),
        };
        let filled = made.fill(driver, plan, entries, given);
        if filled.is_err() {
            made.taken.drain(..).for_each(|at| driver.release(at));
        }
        filled.map(|()| made)
    }

    fn fill(
        &mut self,
        driver: &mut dyn Driver,
        plan: &Plan,
        entries: &BTreeMap<String, Entry>,
        given: StepInputs<'_>,
    ) -> Result<(), Box<Diagnostic>> {
        // The output that a result is; an output that is only a part of one is copied from it.
        let output = |number: usize| {
            let is = |(tensor, place): &(Tensor, Place)| {
                *place == Place::Owned(number, 0) && tensor.bytes() == plan.owned[number]
            };
            plan.outputs.iter().position(is)
        };
        let mut owned = Vec::new();
        for (number, &bytes) in plan.owned.iter().enumerate() {
            let is_output = output(number).is_some();
            owned.push(self.part(driver, if is_output { 0 } else { bytes })?);
        }
        let [arena, pool, scratch] = [plan.arena, plan.pool, plan.scratch].map(|bytes| self.part(driver, bytes));
        let (arena, pool, scratch) = (arena?, pool?, scratch?);
        for (offset, bytes) in &plan.constants {
            driver.upload(pool + offset, bytes).map_err(fails)?;
        }
        let find = |place: Place| match place {
            Place::Input(number, offset) => Where::Input(number, offset),
            Place::Owned(number, offset) => match output(number) {
                Some(output) => Where::Output(output, offset),
                None => Where::Own(owned[number] + offset),
            },
            Place::Arena(offset) => Where::Own(arena + offset),
            Place::Pool(offset) => Where::Own(pool + offset),
            Place::Scratch(offset) => Where::Own(scratch + offset),
        };
        for (number, run) in plan.runs.iter().enumerate() {
            let places: Vec<Where> = run.places.iter().map(|&place| find(place)).collect();
            self.add(driver, number, run, &places, entries, given)?;
        }
        for (number, (tensor, place)) in plan.outputs.iter().enumerate() {
            if find(*place) != Where::Output(number, 0) {
                self.copies.push((find(*place), number, tensor.bytes()));
            }
        }
        let inputs = plan.inputs.iter().enumerate().map(|(number, tensor)| (Where::Input(number, 0), tensor));
        let outputs = plan.outputs.iter().enumerate().map(|(number, (tensor, _))| (Where::Output(number, 0), tensor));
        let tensors = inputs.chain(outputs).filter(|(_, tensor)| tensor.bytes() > 0 && tensor.align > 1);
        self.aligned = tensors.map(|(place, tensor)| (place, tensor.align)).collect();
        Ok(())
    }

    fn part(&mut self, driver: &mut dyn Driver, bytes: u64) -> Result<Address, Box<Diagnostic>> {
        if bytes == 0 {
            return Ok(0);
        }
        let at = driver.allocate(bytes).map_err(fails)?;
        self.taken.push(at);
        Ok(at)
    }

    /// Makes what one kernel does ready.
    fn add(
        &mut self,
        driver: &mut dyn Driver,
        number: usize,
        run: &Run,
        places: &[Where],
        entries: &BTreeMap<String, Entry>,
        given: StepInputs<'_>,
    ) -> Result<(), Box<Diagnostic>> {
        for ((tensor, is), &place) in run.numbers.buffers.iter().zip(places) {
            if *is == Use::Scratch && tensor.bytes() > 0 && !run.numbers.starts.is_empty() {
                self.steps.push(Step::Zero(place, tensor.bytes()));
            }
        }
        let addresses: Vec<Address> = places.iter().map(|&place| given.at(place)).collect();
        let mut maps = vec![None; run.numbers.maps.len()];
        for (place, start) in run.numbers.starts.iter().enumerate() {
            let values: Vec<Value> = params(driver, run, start, &addresses, &mut maps)?;
            let prepared = driver.prepare(entries[&start.entry], start, &values);
            let prepared = prepared.map_err(|failure| not_launched(run, place, &failure))?;
            let moving = start.params.iter().zip(&values).enumerate().filter_map(|(number, (param, value))| {
                let (buffer, map) = match (param, value) {
                    (Param::Buffer(buffer), _) => (*buffer, None),
                    (Param::Map(map), Value::Map(made)) => {
                        let buffer = run.numbers.maps[*map].buffer;
                        (buffer, Some((*map, vec![(addresses[buffer], *made)])))
                    }
                    _ => return None,
                };
                let follows = !matches!(places[buffer], Where::Own(_));
                follows.then_some(Moving { number, of: places[buffer], at: addresses[buffer], map })
            });
            self.steps.push(Step::Launch(Launch { prepared, run: number, start: place, params: moving.collect() }));
        }
        Ok(())
    }

    /// Puts everything into the stream, and does not wait.
    pub fn launch(
        &mut self,
        driver: &mut dyn Driver,
        plan: &Plan,
        given: StepInputs<'_>,
    ) -> Result<(), Box<Diagnostic>> {
        if !self.aligned.iter().all(|&(place, align)| given.at(place).is_multiple_of(align)) {
            return given.check(plan);
        }
        for step in &mut self.steps {
            match step {
                Step::Zero(place, bytes) => driver.fill(given.at(*place), 0, *bytes).map_err(fails)?,
                Step::Launch(launch) => {
                    let run = &plan.runs[launch.run];
                    launch.follow(driver, run, given, &mut self.changed)?;
                    let launched = match self.changed.is_empty() {
                        true => driver.launch(launch.prepared),
                        false => driver.launch_with(launch.prepared, &self.changed),
                    };
                    launched.map_err(|failure| not_launched(run, launch.start, &failure))?;
                }
            }
        }
        for &(from, number, bytes) in &self.copies {
            let (from, to) = (given.at(from), given.outputs[number]);
            if from != to {
                driver.copy(from, to, bytes).map_err(fails)?;
            }
        }
        Ok(())
    }
}

impl Launch {
    /// The values of its parameters that are others than in the call before.
    fn follow(
        &mut self,
        driver: &mut dyn Driver,
        run: &Run,
        given: StepInputs<'_>,
        changed: &mut Vec<(usize, Value)>,
    ) -> Result<(), Box<Diagnostic>> {
        changed.clear();
        for param in &mut self.params {
            let at = given.at(param.of);
            if at == param.at {
                continue;
            }
            let value = match &mut param.map {
                None => Value::Address(at),
                Some((map, made)) => Value::Map(match made.iter().find(|(own, _)| *own == at) {
                    Some((_, known)) => *known,
                    None => {
                        let new = make_map(driver, run, *map, at)?;
                        if made.len() >= MAPS {
                            made.clear();
                        }
                        made.push((at, new));
                        new
                    }
                }),
            };
            changed.push((param.number, value));
        }
        // Only now: where a tensor map is not made, nothing has changed.
        self.params.iter_mut().for_each(|param| param.at = given.at(param.of));
        Ok(())
    }
}

fn not_launched(run: &Run, start: usize, failure: &Failure) -> Box<Diagnostic> {
    let entry = &run.numbers.starts[start].entry;
    let message = format!("'{entry}' of the kernel '{}' is not launched: {}", run.kernel, failure.message);
    Box::new(Diagnostic::error(&DRIVER_FAILS, Loc::UNKNOWN, message))
}
