//! A kernel or a program for given sizes: which kernels run in what order, and what lies where.

use std::collections::BTreeMap;

use dlc_core::sizes::Bindings;
use dlc_host::choice::chosen;
use dlc_ir::Loc;
use dlc_ir::diag::Diagnostic;

use super::numbers::{Numbers, Tensor, Use, tensor};
use super::schema::{Call, Choice, Kernel, Manifest, Port, Program, Step, View};
use super::{BAD_PLACE, NOT_FOR_SIZES};

/// What the addresses of buffers that have memory of their own are multiples of.
pub const ALIGN: u64 = 256;

/// Where something lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In the memory of the input of this number, at this byte.
    Input(usize, u64),
    /// In the memory of this number among [`Plan::owned`], at this byte.
    Owned(usize, u64),
    /// In the arena, at this byte.
    Arena(u64),
    /// Among the constants, at this byte.
    Pool(u64),
    /// In the memory for scratch, at this byte.
    Scratch(u64),
}

impl Place {
    /// The place some bytes after it; `None` beyond 64 bits.
    fn after(self, bytes: u64) -> Option<Place> {
        Some(match self {
            Place::Input(number, at) => Place::Input(number, at.checked_add(bytes)?),
            Place::Owned(number, at) => Place::Owned(number, at.checked_add(bytes)?),
            Place::Arena(at) => Place::Arena(at.checked_add(bytes)?),
            Place::Pool(at) => Place::Pool(at.checked_add(bytes)?),
            Place::Scratch(at) => Place::Scratch(at.checked_add(bytes)?),
        })
    }

    /// The byte of the memory.
    fn byte(self) -> u64 {
        match self {
            Place::Input(_, at) | Place::Owned(_, at) => at,
            Place::Arena(at) | Place::Pool(at) | Place::Scratch(at) => at,
        }
    }
}

/// What symbols are.
type Sizes = BTreeMap<String, i64>;

/// A kernel that runs.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// Its name.
    pub kernel: String,
    /// What its symbols are.
    pub symbols: Sizes,
    /// Its numbers.
    pub numbers: Numbers,
    /// Where its buffers lie, in the order of [`Numbers::buffers`].
    pub places: Vec<Place>,
}

/// A kernel or a program for given sizes.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// What it reads.
    pub inputs: Vec<Tensor>,
    /// The bytes of memory of their own.
    pub owned: Vec<u64>,
    /// The bytes of the arena.
    pub arena: u64,
    /// The constants, by their places in the pool.
    pub constants: Vec<(u64, Vec<u8>)>,
    /// The bytes of the pool.
    pub pool: u64,
    /// The bytes of scratch that the kernel with the most of it needs.
    pub scratch: u64,
    /// The kernels, in order.
    pub runs: Vec<Run>,
    /// What it gives, and where that lies.
    pub outputs: Vec<(Tensor, Place)>,
}

impl Plan {
    /// How many launches there are.
    pub fn launches(&self) -> usize {
        self.runs.iter().map(|run| run.numbers.starts.len()).sum()
    }
}

/// Something to run.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// A kernel by itself.
    Kernel(&'a Kernel),
    /// A program.
    Program(&'a Program),
}

impl<'a> Target<'a> {
    /// Everything that a manifest has: if there are programs, kernels are parts of them.
    pub fn all(manifest: &'a Manifest) -> Vec<Target<'a>> {
        let programs = manifest.programs.iter().map(Target::Program);
        programs.chain(manifest.kernels.iter().map(Target::Kernel)).collect()
    }

    /// Its name.
    pub fn name(self) -> &'a str {
        match self {
            Target::Kernel(kernel) => &kernel.name,
            Target::Program(program) => &program.name,
        }
    }

    /// The symbols of its sizes.
    pub fn symbols(self) -> &'a [String] {
        match self {
            Target::Kernel(kernel) => &kernel.symbols,
            Target::Program(program) => &program.symbols,
        }
    }

    /// What it reads.
    pub fn inputs(self) -> &'a [Port] {
        match self {
            Target::Kernel(kernel) => &kernel.inputs,
            Target::Program(program) => &program.inputs,
        }
    }

    /// What it gives, with sizes in its symbols and, for a kernel, in its values.
    pub fn outputs(self) -> Vec<Port> {
        match self {
            Target::Program(program) => program.outputs.clone(),
            Target::Kernel(kernel) => {
                let buffer = |name: &String| kernel.buffers.iter().find(|buffer| buffer.name == *name);
                let port = |buffer: &super::schema::Buffer| Port {
                    name: buffer.name.clone(),
                    elem: buffer.elem,
                    shape: buffer.shape.clone(),
                    layout: buffer.layout.clone(),
                    align: buffer.align,
                };
                kernel.outputs.iter().filter_map(buffer).map(port).collect()
            }
        }
    }

    /// All numbers for what the symbols are.
    pub fn plan(self, manifest: &Manifest, symbols: &BTreeMap<String, i64>) -> Result<Plan, Box<Diagnostic>> {
        match self {
            Target::Kernel(kernel) => by_itself(kernel, symbols),
            Target::Program(program) => Planner::new(manifest, program, symbols).plan(),
        }
    }
}

fn not_for(message: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(&NOT_FOR_SIZES, Loc::UNKNOWN, message))
}

/// A kernel as a program of its own.
fn by_itself(kernel: &Kernel, symbols: &BTreeMap<String, i64>) -> Result<Plan, Box<Diagnostic>> {
    let numbers = kernel.numbers(symbols).map_err(not_for)?;
    let mut owned = vec![0; kernel.outputs.len()];
    let mut outputs: Vec<Option<(Tensor, Place)>> = vec![None; kernel.outputs.len()];
    let (mut scratch, mut places, mut inputs) = (0, Vec::new(), Vec::new());
    for (tensor, is) in &numbers.buffers {
        places.push(match *is {
            Use::Input(input) => {
                inputs.push(tensor.clone());
                Place::Input(input, 0)
            }
            Use::Output(output) => {
                owned[output] = tensor.bytes();
                outputs[output] = Some((tensor.clone(), Place::Owned(output, 0)));
                Place::Owned(output, 0)
            }
            Use::Scratch | Use::Workspace => take(&mut scratch, tensor.bytes()),
        });
    }
    Ok(Plan {
        inputs,
        owned,
        arena: 0,
        constants: Vec::new(),
        pool: 0,
        scratch,
        runs: vec![Run { kernel: kernel.name.clone(), symbols: symbols.clone(), numbers, places }],
        outputs: outputs.into_iter().flatten().collect(),
    })
}

/// A piece of the memory for scratch.
fn take(scratch: &mut u64, bytes: u64) -> Place {
    let place = Place::Scratch(*scratch);
    // A kernel has few buffers, each below 2 to the 34th bytes.
    *scratch += bytes.next_multiple_of(ALIGN);
    place
}

/// What a value of a program is.
#[derive(Clone, Debug)]
struct Known {
    tensor: Tensor,
    place: Place,
    /// The value whose memory it is: itself, unless it is a view.
    root: String,
}

/// Goes through the steps of a program.
struct Planner<'a> {
    manifest: &'a Manifest,
    program: &'a Program,
    symbols: Bindings,
    plan: Plan,
    known: BTreeMap<&'a str, Known>,
    /// The last step that reads each value or a view of it.
    last: BTreeMap<String, usize>,
}

impl<'a> Planner<'a> {
    fn new(manifest: &'a Manifest, program: &'a Program, symbols: &BTreeMap<String, i64>) -> Self {
        let plan = Plan {
            inputs: Vec::new(),
            owned: Vec::new(),
            arena: 0,
            constants: Vec::new(),
            pool: program.pool,
            scratch: 0,
            runs: Vec::new(),
            outputs: Vec::new(),
        };
        let symbols = Bindings::from(symbols.clone());
        Planner { manifest, program, symbols, plan, known: BTreeMap::new(), last: last_uses(program) }
    }

    fn plan(mut self) -> Result<Plan, Box<Diagnostic>> {
        let program = self.program;
        self.plan.arena = program.arena.size(&self.symbols).map_err(not_for)?;
        for (number, port) in program.inputs.iter().enumerate() {
            let tensor = tensor(&port.name, port.elem, (&port.shape, port.layout.as_ref()), port.align, &self.symbols)
                .map_err(not_for)?;
            self.plan.inputs.push(tensor.clone());
            self.add(&port.name, tensor, Place::Input(number, 0));
        }
        for (number, step) in program.steps.iter().enumerate() {
            match step {
                Step::Const(constant) => {
                    let tensor = tensor(&constant.name, constant.elem, (&constant.shape, None), 1, &self.symbols);
                    let tensor = tensor.map_err(not_for)?;
                    let (wanted, is) = (tensor.bytes(), constant.bytes.len() as u64);
                    if wanted != is {
                        return Err(bad(format!("the constant '{}' has {is} bytes, not {wanted}", constant.name)));
                    }
                    within(&constant.name, constant.offset, is, program.pool, "pool")?;
                    self.plan.constants.push((constant.offset, constant.bytes.clone()));
                    self.add(&constant.name, tensor, Place::Pool(constant.offset));
                }
                Step::View(view) => {
                    // Reading admits no other name.
                    let Some(of) = self.known.get(view.of.as_str()).cloned() else { continue };
                    let seen = self.view(view, of)?;
                    self.known.insert(&view.name, seen);
                }
                Step::Launch(call) => self.call(number, call)?,
            }
        }
        for (port, name) in program.outputs.iter().zip(&program.results) {
            let tensor = tensor(&port.name, port.elem, (&port.shape, port.layout.as_ref()), port.align, &self.symbols)
                .map_err(not_for)?;
            let Some(known) = self.known.get(name.as_str()) else { continue };
            if !known.tensor.is_like(&tensor) {
                let (is, wanted) = (spelled(&known.tensor), spelled(&tensor));
                return Err(not_for(format!("the output '{}' is {wanted}, but '{name}' is {is}", port.name)));
            }
            self.plan.outputs.push((tensor, known.place));
        }
        Ok(self.plan)
    }

    fn add(&mut self, name: &'a str, tensor: Tensor, place: Place) {
        self.known.insert(name, Known { tensor, place, root: name.to_string() });
    }

    /// What a view is of what a value is.
    fn view(&self, view: &View, of: Known) -> Result<Known, Box<Diagnostic>> {
        let layout = view.part.as_ref().and_then(|part| part.layout.as_ref());
        let shape = (&view.shape[..], layout);
        let tensor = tensor(&view.name, of.tensor.elem, shape, 1, &self.symbols).map_err(not_for)?;
        let begin = match &view.part {
            Some(part) => Some(part.from.size(&self.symbols).map_err(not_for)?),
            None => None,
        };
        let bytes = begin.unwrap_or(0).checked_mul(of.tensor.elem.size());
        let place = bytes.and_then(|bytes| of.place.after(bytes));
        let end = bytes.and_then(|bytes| bytes.checked_add(tensor.bytes()));
        let is_within = match begin {
            Some(_) => end.is_some_and(|end| end <= of.tensor.bytes() || tensor.bytes() == 0),
            None => tensor.bytes() == of.tensor.bytes(),
        };
        match place.filter(|_| is_within && of.tensor.placement.is_dense()) {
            Some(place) => Ok(Known { tensor, place, root: of.root }),
            None => {
                let (name, is) = (&view.name, &of.tensor.shape);
                let from = begin.map_or(String::new(), |begin| format!(" from element {begin} on"));
                Err(not_for(format!("'{name}' of {:?} is no view of {is:?}{from}", tensor.shape)))
            }
        }
    }

    /// The kernel of a call for the sizes, with what its symbols are.
    fn choose(&self, call: &Call) -> Result<(&'a Kernel, Sizes, Numbers), Box<Diagnostic>> {
        let mut reasons = Vec::new();
        let known = |choice: &Choice| self.manifest.kernels.iter().find(|kernel| kernel.name == choice.kernel);
        let sizes = |choice: &Choice| {
            let sizes = choice.sizes.iter().map(|(symbol, expr)| Ok((symbol.clone(), expr.eval(&self.symbols)?)));
            sizes.collect::<Result<Sizes, String>>()
        };
        let mut fits = |(kernel, choice): &(&Kernel, &Choice)| {
            let mut failing = None;
            for guard in &choice.guards {
                if !guard.holds(&self.symbols)? {
                    failing = Some(format!("the kernel '{}' is taken with {guard}", kernel.name));
                    break;
                }
            }
            let bindings = Bindings::from(sizes(choice)?);
            let failing = failing.or_else(|| kernel.admits(&bindings).err());
            let fits = failing.is_none();
            reasons.extend(failing);
            Ok::<bool, String>(fits)
        };
        let cost = |(_, choice): &(&Kernel, &Choice)| {
            let cost = choice.cost.as_ref()?;
            Some(cost.rates()?.nanoseconds_of(cost.exprs().map(|expr| expr.eval(&self.symbols).ok())))
        };
        let choices = call.choices.iter().filter_map(|choice| Some((known(choice)?, choice)));
        if let Some((kernel, choice)) = chosen(choices, &mut fits, cost).map_err(not_for)? {
            let sizes = sizes(choice).map_err(not_for)?;
            let numbers = kernel.numbers(&sizes).map_err(not_for)?;
            return Ok((kernel, sizes, numbers));
        }
        let mut error = not_for("a launch has no kernel that is for these sizes".to_string());
        for reason in reasons {
            error = Box::new(error.note(Loc::UNKNOWN, reason));
        }
        Err(error)
    }

    fn call(&mut self, number: usize, call: &'a Call) -> Result<(), Box<Diagnostic>> {
        let (kernel, symbols, numbers) = self.choose(call)?;
        let name = &kernel.name;
        let mut outputs = Vec::new();
        for out in &call.outputs {
            let shape = (&out.shape[..], out.layout.as_ref());
            let tensor = tensor(&out.name, out.elem, shape, 1, &self.symbols).map_err(not_for)?;
            let place = match &out.offset {
                Some(offset) => {
                    let offset = offset.size(&self.symbols).map_err(not_for)?;
                    within(&out.name, offset, tensor.bytes(), self.plan.arena, "arena")?;
                    self.apart(number, &tensor, offset)?;
                    Place::Arena(offset)
                }
                None => {
                    self.plan.owned.push(tensor.bytes());
                    Place::Owned(self.plan.owned.len() - 1, 0)
                }
            };
            // The next output of this launch must not lie here either.
            self.add(&out.name, tensor.clone(), place);
            outputs.push((tensor, place));
        }
        let (mut scratch, mut places) = (0, Vec::new());
        for (wanted, is) in &numbers.buffers {
            let (given, place) = match *is {
                Use::Scratch | Use::Workspace => {
                    places.push(take(&mut scratch, wanted.bytes()));
                    continue;
                }
                Use::Output(output) => (&outputs[output].0, outputs[output].1),
                // Reading admits no other number of inputs, and no name that is not there.
                Use::Input(input) => match call.inputs.get(input).and_then(|name| self.known.get(name.as_str())) {
                    Some(known) => (&known.tensor, known.place),
                    None => continue,
                },
            };
            if !given.is_like(wanted) {
                let (is, as_what, takes) = (spelled(given), &wanted.name, spelled(wanted));
                let message = format!("'{}' is {is}, but the kernel '{name}' has {takes} as '{as_what}'", given.name);
                return Err(not_for(message));
            }
            // Memory of the caller and of results begins at a multiple of any alignment that is asked for.
            let offset = place.byte();
            if !offset.is_multiple_of(wanted.align) {
                let (value, align) = (&given.name, wanted.align);
                let message =
                    format!("'{value}' lies at byte {offset}, and the kernel '{name}' needs a multiple of {align}");
                return Err(bad(message));
            }
            places.push(place);
        }
        self.plan.scratch = self.plan.scratch.max(scratch);
        self.plan.runs.push(Run { kernel: kernel.name.clone(), symbols, numbers, places });
        Ok(())
    }

    /// Whether a new buffer of the arena lies apart from all that are needed by this step or later ones.
    fn apart(&self, step: usize, tensor: &Tensor, offset: u64) -> Result<(), Box<Diagnostic>> {
        let end = offset + tensor.bytes();
        for (name, known) in &self.known {
            let Place::Arena(other) = known.place else { continue };
            // What this very launch gives is needed, whether it is read later or not.
            let last = self.last.get(&known.root).copied().unwrap_or(0);
            let until = other + known.tensor.bytes();
            if last >= step && offset < until && other < end {
                let new = &tensor.name;
                let message = format!(
                    "for these sizes '{new}' has the bytes {offset} to {end} of the arena, and '{name}', \
                     from {other} to {until}, is still needed"
                );
                return Err(bad(message));
            }
        }
        Ok(())
    }
}

fn bad(message: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(&BAD_PLACE, Loc::UNKNOWN, message))
}

fn spelled(tensor: &Tensor) -> String {
    let layout = match tensor.placement.strides() {
        _ if tensor.placement.is_dense() => String::new(),
        Some((strides, offset)) => format!(", strides {strides:?} from {offset}"),
        None => ", in a layout without strides".to_string(),
    };
    format!("tensor<{:?}, {}{layout}>", tensor.shape, tensor.elem.name())
}

fn within(name: &str, offset: u64, bytes: u64, all: u64, memory: &str) -> Result<(), Box<Diagnostic>> {
    match offset.checked_add(bytes) {
        Some(end) if end <= all => Ok(()),
        _ => Err(bad(format!("'{name}' has {bytes} bytes from {offset} on, and the {memory} has {all}"))),
    }
}

/// The last step that reads each value or a view of it; results are needed after all of them, and what a launch gives at
/// that launch.
fn last_uses(program: &Program) -> BTreeMap<String, usize> {
    let mut roots: BTreeMap<&str, &str> = BTreeMap::new();
    let mut last = BTreeMap::new();
    for (number, step) in program.steps.iter().enumerate() {
        match step {
            Step::Const(_) => {}
            Step::View(view) => {
                let root = *roots.get(view.of.as_str()).unwrap_or(&view.of.as_str());
                roots.insert(&view.name, root);
            }
            Step::Launch(call) => {
                for name in call.inputs.iter().chain(call.outputs.iter().map(|out| &out.name)) {
                    let root = *roots.get(name.as_str()).unwrap_or(&name.as_str());
                    last.insert(root.to_string(), number);
                }
            }
        }
    }
    for name in &program.results {
        let root = *roots.get(name.as_str()).unwrap_or(&name.as_str());
        last.insert(root.to_string(), program.steps.len());
    }
    last
}
