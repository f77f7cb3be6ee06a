//! A program that was read: run on arrays, shown at any layer, with its plans.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use dlc_core::tensor::with_threads;
use dlc_ir::diag::{Diagnostic, Diagnostics, did_you_mean};
use dlc_ir::pass::pipeline::Pipeline;
use dlc_ir::verify::verify;
use dlc_ir::{Body, Context, Loc};
use dlc_opt::function::{Function, sizes};
use dlc_opt::input;
use dlc_opt::numbers::Values;
use dlc_plan::Measured;
use dlc_translate::manifest::plan::Plan;
use dlc_translate::manifest::{Manifest, NOT_FOR_SIZES};
use dlc_translate::ptx::Translated;

use crate::bind::{BAD_INPUT, Bound, BoundInput, Caller, Needed, Origin, Reported, admits};
use crate::cuda::compile::{Compiler, PlannedSizes, not_compiled, others, plan_of, planned_pipeline_to, target};
use crate::cuda::exec::Loaded;
use crate::cuda::tune::{Tuned, Tuner};
use crate::cuda::{self, WRONG_DEVICE, module as device_module, plans};
use crate::error::{Error, Message};
use crate::evaluate;
use crate::files::{Array, Elem};
use crate::inspect::has_layer;
use crate::module;
use crate::options::{Device, Passes, Planning, ShapeSet};
use crate::session::{CompileOptions, Session, Source, on_big_stack};

/// What a text is called in places of diagnostics.
const TEXT: &str = "<text>";
/// What a plan is called there.
const PLAN: &str = "<plan>";

/// Numbers for what is compiled.
static NUMBERS: AtomicUsize = AtomicUsize::new(0);

/// The name and the text of a source.
pub(crate) fn read(source: Source<'_>) -> Result<(String, String), Error> {
    let path = match source {
        Source::Text(text) => return Ok((TEXT.to_string(), text.to_string())),
        Source::Path(path) => path.to_string_lossy(),
    };
    let (ctx, diags) = (Context::new([]), Diagnostics::new());
    let file = input::read(&ctx, &path, &mut std::io::empty(), &diags);
    let file = file.ok_or_else(|| Error::of(&ctx, &diags.take()))?;
    Ok((path.into_owned(), file.text.clone()))
}

/// What an input or output of a program is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// Its name, without `%`.
    pub name: String,
    /// Its type in the text of the IR: `tensor<[M, 64], f16>`.
    pub ty: String,
    /// Its sizes: numbers, symbols, and expressions of them. None for a single number.
    pub shape: Vec<String>,
    /// How its elements lie in an array; `None` for a type that arrays have no way for.
    pub elem: Option<Elem>,
}

/// What a program is called with.
#[derive(Clone, Default, Debug)]
pub struct Arguments {
    positional: Vec<Array>,
    named: Vec<(String, Array)>,
    sizes: Vec<(String, i64)>,
}

impl Arguments {
    /// Nothing.
    pub fn new() -> Arguments {
        Arguments::default()
    }

    /// With an array for the next input in order.
    #[must_use]
    pub fn and(mut self, array: Array) -> Arguments {
        self.positional.push(array);
        self
    }

    /// With an array for the input of a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>, array: Array) -> Arguments {
        self.named.push((name.into(), array));
        self
    }

    /// With the size that a symbol is.
    #[must_use]
    pub fn size(mut self, symbol: impl Into<String>, size: i64) -> Arguments {
        self.sizes.push((symbol.into(), size));
        self
    }
}

/// What a call gave.
#[derive(Clone, Debug)]
pub struct Returned {
    /// The outputs in order, row by row without gaps.
    pub outputs: Vec<Array>,
    /// What it ran on: `the CPU`, or the name of a GPU.
    pub device: String,
    /// What is to be known of it.
    pub warnings: Vec<Message>,
}

/// A program that was read and verified. Clones are the same program; threads may share it.
#[derive(Clone)]
pub struct Program {
    pub(crate) session: Session,
    pub(crate) compiled: Arc<Compiled>,
}

/// What is known of a program.
pub(crate) struct Compiled {
    pub(crate) ctx: Context,
    pub(crate) module: Body,
    pub(crate) function: Function,
    pub(crate) options: CompileOptions,
    /// What runs before evaluation, or before the way to PTX where the user names it.
    pub(crate) pipeline: Pipeline,
    warnings: Vec<Message>,
    /// Plans that were measured, on any device.
    measured: Mutex<Vec<Measured>>,
    /// The device of the session, once it was asked for.
    device: OnceLock<cuda::driver::Device>,
    /// The module that is evaluated.
    evaluated: OnceLock<Result<Body, Error>>,
    /// What runs on a device, by sizes and target.
    on_device: Mutex<HashMap<(Vec<(String, i64)>, String), Arc<OnDevice>>>,
    /// What was compiled for all sizes, by target.
    for_all: Mutex<HashMap<String, Made>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A launch manifest and its PTX.
#[derive(Clone)]
struct Made {
    manifest: Arc<Manifest>,
    ptx: Arc<str>,
}

impl Made {
    fn of(translated: Translated) -> Made {
        Made { manifest: Arc::new(translated.manifest), ptx: translated.ptx.into() }
    }
}

/// A program compiled for sizes and a target.
pub(crate) struct OnDevice {
    pub(crate) manifest: Arc<Manifest>,
    pub(crate) ptx: Arc<str>,
    pub(crate) plan: Plan,
    /// A number that no other one has.
    pub(crate) number: usize,
    /// Gone when this is.
    pub(crate) users: Arc<()>,
}

impl Compiled {
    /// Reads a program.
    pub(crate) fn new(
        session: &Session,
        name: &str,
        text: String,
        options: &CompileOptions,
    ) -> Result<Compiled, Error> {
        let registry = &session.0.setup.registry;
        let ctx = Context::new(session.0.setup.dialects.iter().copied());
        let diags = Diagnostics::new();
        let read = || {
            let pipeline = module::pipeline(registry, &ctx, &options.passes, &diags)?;
            let file = input::add(&ctx, name, text, &diags)?;
            let mut module = module::read(&ctx, registry, &file, &[], &diags)?;
            let function = module::choose(&ctx, &module, options.function.as_deref(), &diags)?;
            check_shape_sets(&function, &options.shape_sets, &diags)?;
            if !options.plans.is_empty() {
                put_plans(session, &ctx, &mut module, options, &diags)?;
            }
            let cache = options.plan_cache.as_deref().map(Path::to_string_lossy);
            let measured = cache.map(|file| plans::read(&ctx, registry, &file, true, &diags));
            Some((pipeline, module, function, measured.unwrap_or(Some(Vec::new()))?))
        };
        let found = read();
        let all = diags.take();
        let Some((pipeline, module, function, measured)) = found else { return Err(Error::of(&ctx, &all)) };
        let (options, warnings) = (options.clone(), Message::warnings(&ctx, &all));
        let (measured, device, evaluated) = (Mutex::new(measured), OnceLock::new(), OnceLock::new());
        let (on_device, for_all) = (Mutex::default(), Mutex::default());
        Ok(Compiled {
            ctx,
            module,
            function,
            options,
            pipeline,
            warnings,
            measured,
            device,
            evaluated,
            on_device,
            for_all,
        })
    }

    /// The plans that were measured on the device of the session; on any where it has none.
    pub(crate) fn measured(&self) -> Vec<Measured> {
        plans::of_device(&lock(&self.measured), self.device.get())
    }
}

/// Whether each shape set says what each symbol of a function is. What is wrong is reported.
pub fn check_shape_sets(function: &Function, sets: &[ShapeSet], diags: &Diagnostics) -> Option<()> {
    let fail = |message: String, near: Option<String>| {
        diags.emit(Diagnostic::error(&BAD_INPUT, function.loc, message).suggest_if(near));
        None
    };
    for set in sets {
        for (at, (name, size)) in set.iter().enumerate() {
            if !function.symbols.contains(name) {
                let near = did_you_mean(name, function.symbols.iter().map(String::as_str));
                return fail(format!("a shape set names '{name}', and @{} has no such symbol", function.name), near);
            }
            if *size < 1 {
                return fail(
                    format!("a shape set says that {name} is {size}, and plans are for sizes from 1 on"),
                    None,
                );
            }
            if set[..at].iter().any(|(other, _)| other == name) {
                return fail(format!("a shape set says twice what {name} is"), None);
            }
        }
        if let Some(name) = function.symbols.iter().find(|name| !set.iter().any(|(own, _)| own == *name)) {
            let message = format!("a shape set does not say what {name} is");
            return fail(message, Some(format!("give a number for each symbol of @{}", function.name)));
        }
    }
    Some(())
}

/// Puts plans next to the kernels of a module, which is lowered to kernels where it has none. What goes wrong is reported.
fn put_plans(
    session: &Session,
    ctx: &Context,
    module: &mut Body,
    options: &CompileOptions,
    diags: &Diagnostics,
) -> Option<()> {
    let registry = &session.0.setup.registry;
    if !has_layer(ctx, module, "region") {
        let pipeline = planned_pipeline_to("region", options.planning, "", PlannedSizes::of(options.formed_for()))?;
        let pipeline = Pipeline::parse_reporting(registry, ctx, ("<pipeline to kernels>", &pipeline), false, diags)?;
        let threads = session.0.options.threads;
        module::transform(ctx, registry, &pipeline, module, threads, module::Verified::AtEnd, &[], diags).ok()?;
    }
    for plan in &options.plans {
        let file = input::add(ctx, PLAN, plan.clone(), diags)?;
        input::add_plans(ctx, registry, module, &file, diags)?;
    }
    verify(ctx, module, diags).then_some(())
}

impl Program {
    /// The name of the function, without `@`.
    pub fn name(&self) -> &str {
        &self.compiled.function.name
    }

    /// The symbols of its sizes.
    pub fn symbols(&self) -> &[String] {
        &self.compiled.function.symbols
    }

    /// What it takes.
    pub fn inputs(&self) -> Vec<Port> {
        self.ports(&self.compiled.function.inputs)
    }

    /// What it gives.
    pub fn outputs(&self) -> Vec<Port> {
        self.ports(&self.compiled.function.outputs)
    }

    /// What is to be known of its text.
    pub fn warnings(&self) -> &[Message] {
        &self.compiled.warnings
    }

    fn ports(&self, ports: &[dlc_opt::function::Port]) -> Vec<Port> {
        let ctx = &self.compiled.ctx;
        let port = |port: &dlc_opt::function::Port| {
            let (shape, elem) = sizes(ctx, port.ty).unwrap_or((Vec::new(), port.ty));
            Port {
                name: port.name.clone(),
                ty: port.ty.display(ctx),
                shape: shape.iter().map(|size| size.to_string()).collect(),
                elem: Elem::of(ctx, elem),
            }
        };
        ports.iter().map(port).collect()
    }

    /// Runs it on arrays in the order of its inputs, on the device of the session.
    ///
    /// # Errors
    /// See [`Program::call`].
    pub fn run(&self, inputs: impl IntoIterator<Item = Array>) -> Result<Vec<Array>, Error> {
        let arguments = inputs.into_iter().fold(Arguments::new(), Arguments::and);
        self.call(arguments).map(|returned| returned.outputs)
    }

    /// Runs it on the device of the session: on a GPU compiled for the sizes of the arrays, which is done once for each
    /// of them, else by the evaluators.
    ///
    /// # Errors
    /// An array that does not fit its input ([`Error::argument`] names it), sizes that are unknown or contradict each
    /// other, what evaluators and compilation report, what the device reports, and that a session without a device runs
    /// nothing.
    pub fn call(&self, arguments: Arguments) -> Result<Returned, Error> {
        on_big_stack(|| self.call_here(arguments))?
    }

    fn call_here(&self, arguments: Arguments) -> Result<Returned, Error> {
        let Compiled { ctx, function, .. } = &*self.compiled;
        let shared = &self.session.0;
        let device = shared.options.device;
        if device == Device::None {
            let error = Diagnostic::error(&WRONG_DEVICE, Loc::UNKNOWN, "a session without a device runs nothing");
            return Err(Error::one(&error.suggest("make a session with the device cpu, cuda or auto")));
        }
        let diags = Diagnostics::new();
        let failed = |Reported { input }: Reported| Error::of(ctx, &diags.take()).about(input);
        let given = self.given(arguments, &diags).map_err(failed)?;
        // As it is written a program is evaluated, and not compiled.
        let is_on_gpu = self.compiled.options.passes != Passes::None
            && shared.gpu().is_chosen(device, &diags).map_err(|_| Error::of(ctx, &diags.take()))?;
        if is_on_gpu {
            let bound = Bound::of(ctx, function, Needed::All, given.clone(), &diags).map_err(failed)?;
            if let Some(returned) = self.on_gpu(bound, &diags)? {
                return Ok(returned);
            }
            if device != Device::Auto {
                return Err(Error::one(&not_compiled(function)));
            }
        }
        let bound = Bound::of(ctx, function, Needed::OfInputs, given, &diags).map_err(failed)?;
        let outputs = self.evaluate(bound, &diags)?;
        Ok(Returned { outputs, device: "the CPU".to_string(), warnings: Message::warnings(ctx, &diags.take()) })
    }

    /// Gives arrays to inputs.
    pub(crate) fn given(&self, arguments: Arguments, diags: &Diagnostics) -> Result<BoundInput, Reported> {
        let Compiled { ctx, function, options, .. } = &*self.compiled;
        let fail = |input: Option<&str>, message: String, suggestion: Option<String>| {
            diags.emit(Diagnostic::error(&BAD_INPUT, Loc::UNKNOWN, message).suggest_if(suggestion));
            Reported { input: input.map(str::to_string) }
        };
        let names: Vec<&str> = function.inputs.iter().map(|port| port.name.as_str()).collect();
        let takes = || match &names[..] {
            [] => format!("@{} takes no input", function.name),
            names => format!("@{} takes {}", function.name, names.join(", ")),
        };
        let count = arguments.positional.len();
        if count > names.len() {
            return Err(fail(None, format!("{count} arrays are given, and {}", takes()), None));
        }
        let mut arrays: Vec<Option<Array>> = arguments.positional.into_iter().map(Some).collect();
        arrays.resize(names.len(), None);
        for (name, array) in arguments.named {
            let Some(place) = names.iter().position(|own| *own == name) else {
                let near = did_you_mean(&name, names.iter().copied());
                return Err(fail(Some(&name), format!("there is no input '{name}'; {}", takes()), near));
            };
            if arrays[place].replace(array).is_some() {
                return Err(fail(Some(&name), format!("the input {name} is given twice"), None));
            }
        }
        let mut given = Vec::new();
        for (port, array) in function.inputs.iter().zip(arrays) {
            let Some(array) = array else {
                let message = format!("the input {} is not given; {}", port.name, takes());
                return Err(fail(Some(&port.name), message, None));
            };
            if let Err(why) = admits(ctx, port, &array) {
                let message = format!("the input {} is {}, but the array {why}", port.name, port.ty.display(ctx));
                return Err(fail(Some(&port.name), message, None));
            }
            given.push(Some((array, Origin::Call)));
        }
        let sizes = [options.sizes.clone(), arguments.sizes].concat();
        Ok(BoundInput { arrays: given, sizes, seed: 0, caller: Caller::Program })
    }

    /// What the evaluators make of it.
    fn evaluate(&self, mut bound: Bound<'_>, diags: &Diagnostics) -> Result<Vec<Array>, Error> {
        let Compiled { ctx, function, .. } = &*self.compiled;
        let failed = |()| Error::of(ctx, &diags.take());
        let mut data = Vec::new();
        for (place, port) in function.inputs.iter().enumerate() {
            let datum = bound.values(place).and_then(|values| values.to_datum(ctx, port.ty));
            let datum = datum.map_err(|reason| bound.fail(place, &reason));
            data.push(datum.map_err(|Reported { input }| failed(()).about(input))?);
        }
        let module = self.compiled.evaluated.get_or_init(|| self.prepared()).as_ref().map_err(Clone::clone)?;
        let threads = self.session.0.options.threads;
        let outputs = with_threads(threads, || {
            evaluate::call(ctx, module, function, &data, &bound.symbols, evaluate::How::default(), diags)
        });
        let outputs = outputs.map_err(|_| failed(()))?;
        outputs.iter().zip(&function.outputs).map(|(values, port)| self.array(values, &port.name)).collect()
    }

    fn array(&self, values: &Values, name: &str) -> Result<Array, Error> {
        let ctx = &self.compiled.ctx;
        Array::of(ctx, values).ok_or_else(|| {
            let elem = values.elem.display(ctx);
            let message = format!("the output {name} has elements of the type {elem}, which arrays have no way for");
            Error::one(&Diagnostic::error(&BAD_INPUT, Loc::UNKNOWN, message))
        })
    }

    /// The module as it is evaluated.
    fn prepared(&self) -> Result<Body, Error> {
        let Compiled { ctx, options, pipeline, .. } = &*self.compiled;
        let mut module = self.compiled.module.clone();
        let (registry, threads) = (&self.session.0.setup.registry, self.session.0.options.threads);
        let (verified, diags) = (module::verified(&options.passes), Diagnostics::new());
        module::transform(ctx, registry, pipeline, &mut module, threads, verified, &[], &diags)
            .map_err(|_| Error::of(ctx, &diags.take()))?;
        Ok(module)
    }

    /// The target that it is compiled for on a device.
    pub(crate) fn machine(&self, number: u32) -> Result<String, Error> {
        let mut gpu = self.session.0.gpu();
        let driver = gpu.driver(number).map_err(|error| Error::one(&error))?;
        let device = self.compiled.device.get_or_init(|| driver.device().clone());
        Ok(target(self.compiled.options.target.as_deref(), device).to_string())
    }

    /// What the device makes of it. `None` where no passes lead from its layer to instructions.
    fn on_gpu(&self, mut bound: Bound<'_>, diags: &Diagnostics) -> Result<Option<Returned>, Error> {
        let Compiled { ctx, function, .. } = &*self.compiled;
        let shared = &self.session.0;
        let number = shared.options.device.number();
        let fail = |error: Box<Diagnostic>| Error::one(&error);
        let machine = self.machine(number)?;
        let Some(compiled) = self.for_sizes(&bound.symbols, &machine, diags)? else { return Ok(None) };
        let OnDevice { manifest, ptx, plan, .. } = &*compiled;
        let mut bytes = Vec::new();
        for place in 0..function.inputs.len() {
            let given = bound.bytes(place).map_err(|reason| bound.fail(place, &reason));
            bytes.push(given.map_err(|Reported { input }| Error::of(ctx, &diags.take()).about(input))?);
        }
        let mut gpu = shared.gpu();
        let (driver, resident) = gpu.attached(number).map_err(fail)?;
        // Loading forgets all other modules.
        resident.clear(driver);
        device_module::load(driver, manifest, ptx, shared.cache.as_ref()).map_err(fail)?;
        let device = driver.device().name.clone();
        let mut loaded = Loaded::new(driver, plan, shared.options.time_limit).map_err(fail)?;
        loaded.upload(&bytes).map_err(fail)?;
        loaded.run().map_err(fail)?;
        let outputs = loaded.download().map_err(fail)?.into_iter().zip(&plan.outputs).map(|(bytes, (tensor, _))| {
            let shape = tensor.shape.iter().map(|&size| size as usize).collect();
            Elem::of(ctx, tensor.elem.ty()).map(|elem| Array { shape, elem, bytes })
        });
        let outputs: Option<Vec<Array>> = outputs.collect();
        let outputs = outputs.ok_or_else(|| Error::panicked("an output has elements that arrays have no way for"))?;
        Ok(Some(Returned { outputs, device, warnings: Message::warnings(ctx, &diags.take()) }))
    }

    /// What runs on a device for these sizes, if it is compiled.
    pub(crate) fn known(&self, symbols: &[(String, i64)], machine: &str) -> Option<Arc<OnDevice>> {
        let known = lock(&self.compiled.on_device);
        known.get(&(symbols.to_vec(), machine.to_string())).cloned()
    }

    /// What runs on a device for these sizes, compiled once.
    pub(crate) fn for_sizes(
        &self,
        symbols: &[(String, i64)],
        machine: &str,
        diags: &Diagnostics,
    ) -> Result<Option<Arc<OnDevice>>, Error> {
        let Compiled { ctx, module, function, .. } = &*self.compiled;
        if let Some(found) = self.known(symbols, machine) {
            return Ok(Some(found));
        }
        let (made, plan) = match self.for_all(symbols, machine, diags)? {
            Some(found) => found,
            None => {
                let measured = self.compiled.measured();
                let compiler = Compiler { shape_sets: &[], measured: &measured, ..self.compiler(diags) };
                let compiled = compiler.compile_for(module, function, symbols, machine);
                let compiled = compiled.map_err(|_| Error::of(ctx, &diags.take()))?;
                let Some((compiled, plan)) = compiled else { return Ok(None) };
                (Made::of(compiled.translated), plan)
            }
        };
        let Made { manifest, ptx } = made;
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let made = Arc::new(OnDevice { manifest, ptx, plan, number, users: Arc::default() });
        let mut known = lock(&self.compiled.on_device);
        known.insert((symbols.to_vec(), machine.to_string()), made.clone());
        Ok(Some(made))
    }

    /// What was compiled for all sizes, and its launches at these. `None` without shape sets, and for sizes that it is not for,
    /// such as those of tensors of more than 2^31 elements.
    fn for_all(
        &self,
        symbols: &[(String, i64)],
        machine: &str,
        diags: &Diagnostics,
    ) -> Result<Option<(Made, Plan)>, Error> {
        let Compiled { ctx, module, function, options, for_all, .. } = &*self.compiled;
        if options.shape_sets.is_empty() {
            return Ok(None);
        }
        let mut known = lock(for_all);
        if !known.contains_key(machine) {
            let compiler = Compiler { measured: &self.compiled.measured(), ..self.compiler(diags) };
            let compiled = compiler.compile_for_sets(module, function, machine);
            let compiled = compiled.map_err(|_| Error::of(ctx, &diags.take()))?;
            let Some(compiled) = compiled else { return Ok(None) };
            known.insert(machine.to_string(), Made::of(compiled.translated));
        }
        match plan_of(&known[machine].manifest, function, symbols) {
            Ok(plan) => Ok(Some((known[machine].clone(), plan))),
            Err(error) if error.code == &NOT_FOR_SIZES => Ok(None),
            Err(error) => Err(Error::one(&error)),
        }
    }

    /// Measures plans of the kernels that it launches at some sizes, or with shape sets at theirs, for about so long; of those
    /// that give the same numbers the fastest is taken from then on, and written to the file of measured plans, if there is
    /// one.
    ///
    /// # Errors
    /// A session without a device, a symbol without a size, plans that are not chosen, and what compilation and the device
    /// report.
    pub fn tune(&self, sizes: &[(String, i64)], time: Duration) -> Result<Tuned, Error> {
        on_big_stack(|| self.tune_here(sizes, time))?
    }

    fn tune_here(&self, sizes: &[(String, i64)], time: Duration) -> Result<Tuned, Error> {
        let (compiled, shared, diags) = (&*self.compiled, &self.session.0, Diagnostics::new());
        let Compiled { ctx, module, function, options, .. } = compiled;
        let failed = || Error::of(ctx, &diags.take());
        let refused = |message: &str, fix: &str| {
            Error::one(&Diagnostic::error(&WRONG_DEVICE, Loc::UNKNOWN, message.to_string()).suggest(fix))
        };
        if options.planning == Planning::Off {
            return Err(refused("plans are measured only where they are chosen", "compile it with chosen plans"));
        }
        let device = shared.options.device;
        // Tensors of a device run on it in a session of the CPU, too.
        let wanted = if device == Device::None { device } else { Device::Cuda(device.number()) };
        if !shared.gpu().is_chosen(wanted, &diags).map_err(|_| failed())? {
            return Err(refused("plans are measured on a GPU", "make a session with the device cuda"));
        }
        let sizes = match options.shape_sets.first() {
            Some(_) if !sizes.is_empty() => {
                return Err(refused("plans are measured at the sizes of the shape sets", "leave other sizes out"));
            }
            Some(first) => first.clone(),
            None => {
                let given = |name: &String| sizes.iter().any(|(own, _)| own == name);
                let kept = options.sizes.iter().filter(|(name, _)| !given(name));
                kept.chain(sizes).cloned().collect()
            }
        };
        check_shape_sets(function, std::slice::from_ref(&sizes), &diags).ok_or_else(failed)?;
        let others = others(function, &options.shape_sets);
        let number = shared.options.device.number();
        let target = self.machine(number)?;
        let known = compiled.measured();
        let tuned = {
            let mut gpu = shared.gpu();
            let (driver, resident) = gpu.attached(number).map_err(|error| Error::one(&error))?;
            // Loading forgets all other modules.
            resident.clear(driver);
            let compiler = Compiler { measured: &known, ..self.compiler(&diags) };
            let (time_limit, cache) = (shared.options.time_limit, shared.cache.as_ref());
            let tuner = Tuner { compiler, target: &target, time, time_limit, cache, progress: &|_| () };
            tuner.tune(module, function, PlannedSizes { symbols: &sizes, others: &others }, driver)
        };
        let tuned = tuned.map_err(|_| failed())?;
        let mut measured = lock(&compiled.measured);
        plans::replace(&mut measured, &tuned.plans);
        // What was compiled has other plans.
        lock(&compiled.on_device).clear();
        lock(&compiled.for_all).clear();
        if let Some(file) = &options.plan_cache {
            let registry = &shared.setup.registry;
            plans::write(ctx, registry, &file.to_string_lossy(), &measured, &diags).ok_or_else(failed)?;
        }
        Ok(tuned)
    }

    /// What compiles it.
    pub(crate) fn compiler<'a>(&'a self, diags: &'a Diagnostics) -> Compiler<'a> {
        let Compiled { ctx, options, pipeline, .. } = &*self.compiled;
        Compiler {
            ctx,
            registry: &self.session.0.setup.registry,
            passes: matches!(options.passes, Passes::Text(_)).then_some(pipeline),
            planning: options.planning,
            shape_sets: &options.shape_sets,
            measured: &[],
            unchecked: options.unchecked,
            threads: self.session.0.options.threads,
            keeps_planned: false,
            ptx_file: None,
            diags,
        }
    }
}
