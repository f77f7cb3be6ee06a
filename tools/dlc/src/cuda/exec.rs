//! A plan on a device: its memory, its launches, and the graph of them.

use std::collections::BTreeMap;
use std::time::Duration;

use dlc_ir::Loc;
use dlc_ir::diag::Diagnostic;
use dlc_translate::manifest::numbers::{Param, Start, Use};
use dlc_translate::manifest::plan::{Place, Plan, Run};

use super::driver::{Address, Driver, Entry, Failure, Graph, Kind, Occupancy, Prepared, Ready, TensorMap, Value};
use super::{BAD_MODULE, DRIVER_FAILS, KERNEL_FAULT, KERNEL_HANGS, OUT_OF_MEMORY, WRONG_ARCHITECTURE};

/// What memory holds before something is written to it: no number, for floats.
const UNWRITTEN: u8 = 0xff;

/// Something in the sequence of work.
enum Step {
    /// This memory becomes zero.
    Zero(Address, u64),
    /// A launch: the place of its run, and its place in that.
    Launch(usize, usize, Prepared),
}

/// A plan whose memory is taken and whose entries are found.
pub struct Loaded<'a> {
    driver: &'a mut dyn Driver,
    plan: &'a Plan,
    inputs: Vec<Address>,
    owned: Vec<Address>,
    arena: Address,
    pool: Address,
    scratch: Address,
    /// Everything that is to be given back.
    taken: Vec<Address>,
    steps: Vec<Step>,
    /// The entries of the launches, in order.
    found: Vec<Entry>,
    /// All steps as one call, once it has been made.
    ready: Option<Ready>,
    limit: Duration,
}

impl<'a> Loaded<'a> {
    /// Takes memory for a plan, makes its tensor maps and finds its entries in the module that is loaded.
    pub fn new(driver: &'a mut dyn Driver, plan: &'a Plan, limit: Duration) -> Result<Loaded<'a>, Box<Diagnostic>> {
        let mut loaded = Loaded {
            driver,
            plan,
            inputs: Vec::new(),
            owned: Vec::new(),
            arena: 0,
            pool: 0,
            scratch: 0,
            taken: Vec::new(),
            steps: Vec::new(),
            found: Vec::new(),
            ready: None,
            limit,
        };
        loaded.take()?;
        Ok(loaded)
    }

    fn take(&mut self) -> Result<(), Box<Diagnostic>> {
        let plan = self.plan;
        for tensor in &plan.inputs {
            let at = self.memory(&format!("the input '{}'", tensor.name), tensor.bytes())?;
            self.inputs.push(at);
        }
        for (number, &bytes) in plan.owned.iter().enumerate() {
            let output = plan.outputs.iter().find(|(_, place)| *place == Place::Owned(number, 0));
            let what = output.map_or("a result".to_string(), |(tensor, _)| format!("the output '{}'", tensor.name));
            let at = self.memory(&what, bytes)?;
            self.owned.push(at);
        }
        self.arena = self.part("what lies between kernels", plan.arena)?;
        self.pool = self.part("constants", plan.pool)?;
        self.scratch = self.part("the scratch of a kernel", plan.scratch)?;
        // What was set before is set in the sequence of work, which copies do not wait for.
        self.driver.wait(self.limit).map_err(fails)?;
        for (offset, bytes) in &plan.constants {
            self.driver.upload(self.pool + offset, bytes).map_err(fails)?;
        }
        let entries = find_entries(self.driver, plan)?;
        for (number, run) in plan.runs.iter().enumerate() {
            let places: Vec<Address> = run.places.iter().map(|&place| self.at(place)).collect();
            self.add(number, run, &places, &entries)?;
        }
        Ok(())
    }

    /// The address of a place.
    pub fn at(&self, place: Place) -> Address {
        match place {
            Place::Input(number, offset) => self.inputs[number] + offset,
            Place::Owned(number, offset) => self.owned[number] + offset,
            Place::Arena(offset) => self.arena + offset,
            Place::Pool(offset) => self.pool + offset,
            Place::Scratch(offset) => self.scratch + offset,
        }
    }

    fn part(&mut self, what: &str, bytes: u64) -> Result<Address, Box<Diagnostic>> {
        if bytes == 0 { Ok(0) } else { self.memory(what, bytes) }
    }

    /// Takes memory, and lets it hold what shows that it was not written.
    pub fn memory(&mut self, what: &str, bytes: u64) -> Result<Address, Box<Diagnostic>> {
        let at = match self.driver.allocate(bytes) {
            Ok(at) => at,
            Err(failure) if failure.kind == Kind::OutOfMemory => return Err(self.too_much(what, bytes)),
            Err(failure) => return Err(fails(failure)),
        };
        self.taken.push(at);
        self.driver.fill(at, UNWRITTEN, bytes).map_err(fails)?;
        Ok(at)
    }

    fn too_much(&mut self, what: &str, bytes: u64) -> Box<Diagnostic> {
        let plan = self.plan;
        let inputs: u64 = plan.inputs.iter().map(|tensor| tensor.bytes()).sum();
        let all = inputs + plan.owned.iter().sum::<u64>() + plan.arena + plan.pool + plan.scratch;
        let has = self.driver.memory().map_or(String::new(), |(free, total)| {
            format!("; {free} of the {total} bytes of {} are free", self.driver.device().name)
        });
        let message = format!("{bytes} bytes for {what}, of {all} in all, are more than the device has left{has}");
        Box::new(Diagnostic::error(&OUT_OF_MEMORY, Loc::UNKNOWN, message).suggest("run with smaller sizes"))
    }

    /// Adds what a kernel does to the steps.
    fn add(
        &mut self,
        number: usize,
        run: &Run,
        places: &[Address],
        entries: &BTreeMap<String, Entry>,
    ) -> Result<(), Box<Diagnostic>> {
        for ((tensor, is), &at) in run.numbers.buffers.iter().zip(places) {
            if *is == Use::Scratch && tensor.bytes() > 0 && !run.numbers.starts.is_empty() {
                self.steps.push(Step::Zero(at, tensor.bytes()));
            }
        }
        let mut maps = vec![None; run.numbers.maps.len()];
        for (place, start) in run.numbers.starts.iter().enumerate() {
            let entry = entries[&start.entry];
            let values = params(self.driver, run, start, places, &mut maps)?;
            let prepared = self.driver.prepare(entry, start, &values).map_err(fails)?;
            self.found.push(entry);
            self.steps.push(Step::Launch(number, place, prepared));
        }
        Ok(())
    }

    /// What a step launches.
    fn start(&self, run: usize, place: usize) -> (&'a Run, &'a Start) {
        let run = &self.plan.runs[run];
        (run, &run.numbers.starts[place])
    }

    /// Copies the inputs to the device, each given row by row without gaps.
    pub fn upload(&mut self, inputs: &[Vec<u8>]) -> Result<(), Box<Diagnostic>> {
        for ((&at, tensor), bytes) in self.inputs.iter().zip(&self.plan.inputs).zip(inputs) {
            let uploaded = match tensor.placement.is_dense() {
                true => self.driver.upload(at, bytes),
                false => {
                    let memory = tensor.placement.spread(bytes, tensor.elem.size() as usize, UNWRITTEN);
                    self.driver.upload(at, &memory)
                }
            };
            uploaded.map_err(fails)?;
        }
        Ok(())
    }

    /// Runs everything once, and waits after each launch, so that it is known which one goes wrong: one that may start
    /// before the launch before it has ended is awaited with that.
    pub fn run(&mut self) -> Result<(), Box<Diagnostic>> {
        self.driver.wait(self.limit).map_err(fails)?;
        let mut since: Vec<(usize, usize)> = Vec::new();
        for place in 0..self.steps.len() {
            match &self.steps[place] {
                Step::Zero(at, bytes) => self.driver.fill(*at, 0, *bytes).map_err(fails)?,
                Step::Launch(run, number, prepared) => {
                    since.push((*run, *number));
                    let launched = self.driver.launch(*prepared);
                    launched.map_err(|failure| self.fault(&since, failure))?;
                    let next = self.steps.get(place + 1);
                    let goes_on =
                        matches!(next, Some(Step::Launch(run, number, _)) if self.start(*run, *number).1.early);
                    if !goes_on {
                        self.driver.wait(self.limit).map_err(|failure| self.fault(&since, failure))?;
                        since.clear();
                    }
                }
            }
        }
        Ok(())
    }

    /// Puts everything into the sequence of work by one call of the driver, and does not wait.
    pub fn enqueue(&mut self) -> Result<(), Box<Diagnostic>> {
        let called = match self.ready()? {
            Some(Ready::Launch(prepared)) => self.driver.launch(prepared),
            Some(Ready::Graph(graph)) => self.driver.replay(graph),
            None => Ok(()),
        };
        called.map_err(|failure| match self.steps[..] {
            [Step::Launch(run, number, _)] => self.fault(&[(run, number)], failure),
            _ => fails(failure),
        })
    }

    /// All steps as one call: of several a graph is made, once. `None` where there is nothing to do.
    pub fn ready(&mut self) -> Result<Option<Ready>, Box<Diagnostic>> {
        if self.ready.is_none() {
            self.ready = match self.steps[..] {
                [] => return Ok(None),
                [Step::Launch(_, _, prepared)] => Some(Ready::Launch(prepared)),
                _ => Some(Ready::Graph(self.record()?)),
            };
        }
        Ok(self.ready)
    }

    fn record(&mut self) -> Result<Graph, Box<Diagnostic>> {
        self.driver.record().map_err(fails)?;
        let steps = self.enqueue_steps();
        // The recording ends in any case; what went wrong first is reported.
        let recorded = self.driver.recorded().map_err(fails);
        steps?;
        recorded
    }

    fn enqueue_steps(&mut self) -> Result<(), Box<Diagnostic>> {
        for step in &self.steps {
            match *step {
                Step::Zero(at, bytes) => self.driver.fill(at, 0, bytes).map_err(fails)?,
                Step::Launch(run, number, prepared) => {
                    let launched = self.driver.launch(prepared);
                    launched.map_err(|failure| self.fault(&[(run, number)], failure))?;
                }
            }
        }
        Ok(())
    }

    /// What of an SM each launch fills, in order.
    pub fn occupancy(&mut self) -> Result<Vec<Occupancy>, Box<Diagnostic>> {
        let starts = self.plan.runs.iter().flat_map(|run| &run.numbers.starts);
        let driver = &mut *self.driver;
        self.found.iter().zip(starts).map(|(&entry, start)| driver.occupancy(entry, start).map_err(fails)).collect()
    }

    /// Waits for everything that was put into the sequence of work.
    pub fn wait(&mut self) -> Result<(), Box<Diagnostic>> {
        let all = (0..self.plan.runs.len())
            .flat_map(|run| (0..self.plan.runs[run].numbers.starts.len()).map(move |number| (run, number)));
        let all: Vec<(usize, usize)> = all.collect();
        self.driver.wait(self.limit).map_err(|failure| self.fault(&all, failure))
    }

    /// The plan.
    pub fn plan(&self) -> &'a Plan {
        self.plan
    }

    /// What a kernel may take.
    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// The driver, for what is between runs.
    pub fn driver(&mut self) -> &mut dyn Driver {
        self.driver
    }

    /// The bytes of the outputs, row by row without gaps.
    pub fn download(&mut self) -> Result<Vec<Vec<u8>>, Box<Diagnostic>> {
        let mut outputs = Vec::new();
        for (tensor, place) in &self.plan.outputs {
            let mut bytes = vec![0; tensor.bytes() as usize];
            self.driver.download(self.at(*place), &mut bytes).map_err(fails)?;
            outputs.push(match tensor.placement.is_dense() {
                true => bytes,
                false => tensor.placement.gather(&bytes, tensor.elem.size() as usize),
            });
        }
        Ok(outputs)
    }

    /// What is reported of a failure after launches, some of which may have gone wrong.
    fn fault(&self, launches: &[(usize, usize)], failure: Failure) -> Box<Diagnostic> {
        let names: Vec<String> = launches.iter().map(|&(run, place)| launched(self.start(run, place))).collect();
        let what = names.join(", or ");
        let code = match failure.kind {
            Kind::Fault => &KERNEL_FAULT,
            Kind::TimedOut => &KERNEL_HANGS,
            _ => &DRIVER_FAILS,
        };
        let message = match failure.kind {
            Kind::Fault => format!("{what} has gone wrong: {}", failure.message),
            Kind::TimedOut => format!("{what} hangs: {}", failure.message),
            _ => format!("{what} cannot be launched: {}", failure.message),
        };
        let mut error = Diagnostic::error(code, Loc::UNKNOWN, message);
        if let [(run, place)] = *launches {
            error = error.note(Loc::UNKNOWN, format!("its parameters are {}", self.params(run, place)));
        }
        let way_out = (failure.kind == Kind::TimedOut).then_some("--time-limit gives it more seconds");
        Box::new(error.suggest_if(way_out))
    }

    /// The parameters of a launch, for people.
    fn params(&self, run: usize, place: usize) -> String {
        let (run, start) = self.start(run, place);
        let param = |param: &Param| match *param {
            Param::I32(number) => number.to_string(),
            Param::I64(number) => number.to_string(),
            Param::Map(map) => format!("the tensor map '{}'", run.numbers.maps[map].name),
            Param::Buffer(buffer) => {
                let (tensor, _) = &run.numbers.buffers[buffer];
                format!("'{}' ({:?} of {})", tensor.name, tensor.shape, tensor.elem.name())
            }
        };
        start.params.iter().map(param).collect::<Vec<_>>().join(", ")
    }
}

/// Finds each entry of a plan once in the module that was loaded last, and lets it have what the largest of its launches
/// needs.
pub(super) fn find_entries(driver: &mut dyn Driver, plan: &Plan) -> Result<BTreeMap<String, Entry>, Box<Diagnostic>> {
    let mut needs: BTreeMap<&str, (&Run, &Start, u32)> = BTreeMap::new();
    for run in &plan.runs {
        for start in &run.numbers.starts {
            let blocks = start.cluster.iter().product();
            let (first, largest, most) = needs.entry(&start.entry).or_insert((run, start, blocks));
            *most = blocks.max(*most);
            if start.shared > largest.shared {
                (*first, *largest) = (run, start);
            }
        }
    }
    let mut found = BTreeMap::new();
    for (name, (run, start, blocks)) in needs {
        let entry = driver.entry(name, start.shared, blocks);
        found.insert(name.to_string(), entry.map_err(|failure| no_entry(driver, run, start, failure))?);
    }
    Ok(found)
}

/// The parameters of a launch whose buffers lie at these places. Tensor maps are made once for all launches of a run.
pub(super) fn params(
    driver: &mut dyn Driver,
    run: &Run,
    start: &Start,
    places: &[Address],
    maps: &mut [Option<Value>],
) -> Result<Vec<Value>, Box<Diagnostic>> {
    let mut values = Vec::new();
    for param in &start.params {
        values.push(match *param {
            Param::Buffer(buffer) => Value::Address(places[buffer]),
            Param::I32(number) => Value::I32(number),
            Param::I64(number) => Value::I64(number),
            Param::Map(map) => match maps[map] {
                Some(made) => made,
                None => {
                    let at = places[run.numbers.maps[map].buffer];
                    *maps[map].insert(Value::Map(make_map(driver, run, map, at)?))
                }
            },
        });
    }
    Ok(values)
}

/// A tensor map of a kernel, whose buffer lies at an address.
pub(super) fn make_map(
    driver: &mut dyn Driver,
    run: &Run,
    map: usize,
    at: Address,
) -> Result<TensorMap, Box<Diagnostic>> {
    let numbers = &run.numbers.maps[map];
    driver.tensor_map(numbers, at + numbers.offset).map_err(|failure| {
        let (name, kernel) = (&numbers.name, &run.kernel);
        let message = format!("the tensor map '{name}' of the kernel '{kernel}' cannot be made: {}", failure.message);
        let error = Diagnostic::error(&DRIVER_FAILS, Loc::UNKNOWN, message);
        Box::new(error.note(Loc::UNKNOWN, format!("its numbers are {numbers:?}")))
    })
}

impl Drop for Loaded<'_> {
    fn drop(&mut self) {
        for at in self.taken.drain(..) {
            self.driver.release(at);
        }
    }
}

/// A launch, for people.
fn launched((run, start): (&Run, &Start)) -> String {
    let Start { entry, grid, cluster, threads, shared, .. } = start;
    format!(
        "'{entry}' of the kernel '{}' (grid {grid:?}, clusters {cluster:?}, {threads} threads, {shared} bytes of shared \
         memory)",
        run.kernel
    )
}

fn no_entry(driver: &dyn Driver, run: &Run, start: &Start, failure: Failure) -> Box<Diagnostic> {
    let (entry, kernel, why) = (&start.entry, &run.kernel, &failure.message);
    let most = driver.device().shared;
    if start.shared > most {
        let message = format!(
            "'{entry}' of the kernel '{kernel}' needs {} bytes of shared memory, and a block of {} has {most}",
            start.shared,
            driver.device().name
        );
        return Box::new(Diagnostic::error(&WRONG_ARCHITECTURE, Loc::UNKNOWN, message));
    }
    let message = match failure.kind {
        Kind::NoEntry => format!("the module has no entry '{entry}', which the kernel '{kernel}' launches"),
        _ => format!("'{entry}' of the kernel '{kernel}' cannot be prepared: {why}"),
    };
    Box::new(Diagnostic::error(&BAD_MODULE, Loc::UNKNOWN, message))
}

/// A failure that nothing more is known about.
pub(super) fn fails(failure: Failure) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(&DRIVER_FAILS, Loc::UNKNOWN, format!("the CUDA driver fails: {}", failure.message)))
}
