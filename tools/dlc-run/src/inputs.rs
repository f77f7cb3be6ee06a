//! What the function is called with: arrays from files, and for the inputs that are not given, numbers from the seed.

use dlc::bind::{self, BAD_INPUT, Bound, Caller, Needed, Origin, Reported, admits, dims};
use dlc::files::{Array, Source, usual_limit};
use dlc_ir::affine::SizeExpr;
use dlc_ir::diag::{Diagnostic, Diagnostics, did_you_mean};
use dlc_ir::interp::Datum;
use dlc_ir::{Body, Context, Loc, Type};
use dlc_opt::compare::Tolerance;
use dlc_opt::function::Function;
use dlc_opt::input::CANNOT_READ;

use crate::args::{InputFile, Options};

/// What a function is called with.
#[derive(Debug)]
pub struct Inputs {
    /// The arguments in order, for the interpreter.
    pub data: Vec<Datum>,
    /// The sizes of each.
    pub shapes: Vec<Vec<usize>>,
    /// Where each is from, for people.
    pub origins: Vec<String>,
    /// What the symbols of the function are, by name.
    pub symbols: Vec<(String, i64)>,
    /// How outputs are compared if the user does not say.
    pub tolerance: Tolerance,
}

/// Reads and makes the inputs of a function of a module, for the interpreter. Everything that is wrong with them is
/// reported.
pub fn inputs(
    ctx: &Context,
    module: &Body,
    function: &Function,
    options: &Options,
    diags: &Diagnostics,
) -> Option<Inputs> {
    let mut bound = bound(ctx, function, Needed::OfInputs, options, diags)?;
    let mut data = Vec::new();
    for (place, port) in function.inputs.iter().enumerate() {
        let datum = bound.values(place).and_then(|values| values.to_datum(ctx, port.ty));
        data.push(datum.map_err(|reason| bound.fail(place, &reason)).ok()?);
    }
    let tolerance = Tolerance::of(ctx, module, &function.name);
    Some(Inputs { data, shapes: bound.shapes, origins: bound.origins, symbols: bound.symbols, tolerance })
}

/// Reads the arrays that are given, and determines what symbols are. Everything that is wrong with them is reported.
pub fn bound<'a>(
    ctx: &'a Context,
    function: &'a Function,
    needed: Needed,
    options: &Options,
    diags: &'a Diagnostics,
) -> Option<Bound<'a>> {
    let dims = dims(ctx, function, diags).ok()?;
    let arrays = Reader { ctx, function, diags }.read(&dims, options)?;
    let (sizes, seed) = (options.shape.clone(), options.seed);
    let given = bind::BoundInput { arrays, sizes, seed, caller: Caller::CommandLine };
    Bound::of(ctx, function, needed, given, diags).ok()
}

/// Reads arrays for the inputs of a function.
struct Reader<'a> {
    ctx: &'a Context,
    function: &'a Function,
    diags: &'a Diagnostics,
}

impl Reader<'_> {
    fn fail(&self, message: String) -> Reported {
        self.diags.emit(Diagnostic::error(&BAD_INPUT, Loc::UNKNOWN, message));
        Reported::default()
    }

    /// The arrays that are given, by the places of their inputs.
    fn read(&self, dims: &[(Vec<SizeExpr>, Type)], options: &Options) -> Option<Vec<Option<(Array, Origin)>>> {
        let limit = |(dims, _): &(Vec<SizeExpr>, Type)| {
            options.max_bytes.unwrap_or(usual_limit(elements(dims, &options.shape)))
        };
        let limits: Vec<u64> = dims.iter().map(limit).collect();
        let mut found: Vec<Option<(Array, Origin)>> = vec![None; self.function.inputs.len()];
        let mut failed = false;
        for given in &options.given {
            failed |= self.read_one(given, &limits, &mut found).is_err();
        }
        (!failed).then_some(found)
    }

    fn read_one(
        &self,
        given: &InputFile,
        limits: &[u64],
        found: &mut [Option<(Array, Origin)>],
    ) -> Result<(), Reported> {
        let file = &given.file;
        let cannot = |message: String| {
            self.diags.emit(Diagnostic::error(&CANNOT_READ, Loc::UNKNOWN, message));
            Reported::default()
        };
        let mut source = Source::open(file).map_err(cannot)?;
        let entries: Vec<(String, Option<String>)> = match (&given.name, source.names()) {
            (Some(name), None) if given.entry.is_none() => vec![(name.clone(), None)],
            (Some(name), Some(names)) => {
                let entry = given.entry.as_ref().unwrap_or(name);
                if names.is_empty() {
                    return Err(self.fail(format!("'{file}' holds no arrays")));
                }
                if !names.contains(entry) {
                    let near = did_you_mean(entry, names.iter().map(String::as_str));
                    let near = near.unwrap_or_else(|| format!("name one of its arrays: {name}={file}:NAME"));
                    let message = format!("'{file}' has no array '{entry}'; it has {}", names.join(", "));
                    self.diags.emit(Diagnostic::error(&BAD_INPUT, Loc::UNKNOWN, message).suggest(near));
                    return Err(Reported::default());
                }
                vec![(name.clone(), Some(entry.clone()))]
            }
            (Some(_), None) => return Err(self.fail(format!("'{file}' holds one array, which has no name"))),
            (None, Some(names)) => names.into_iter().map(|name| (name.clone(), Some(name))).collect(),
            (None, None) => {
                let name = self.function.inputs.first().map_or("x", |port| &port.name);
                let message = format!("'{file}' does not say which input it is");
                let error = Diagnostic::error(&BAD_INPUT, Loc::UNKNOWN, message);
                self.diags.emit(error.suggest(format!("write its name before it: {name}={file}")));
                return Err(Reported::default());
            }
        };
        let mut failed = Ok(());
        for (name, entry) in entries {
            let Some(place) = self.function.inputs.iter().position(|port| port.name == name) else {
                failed = Err(self.no_input(&name));
                continue;
            };
            if let Some((_, Origin::File(other))) = &found[place] {
                failed = Err(self.fail(format!("the input {name} is given twice, by '{other}' and '{file}'")));
                continue;
            }
            let array = source.get(entry.as_deref().unwrap_or_default(), limits[place]);
            let array = array.map_err(|reason| cannot(format!("'{file}' cannot be read: {name}: {reason}")));
            match array.and_then(|array| self.admits(place, &array, file).map(|()| array)) {
                Ok(array) => found[place] = Some((array, Origin::File(file.clone()))),
                Err(reported) => failed = Err(reported),
            }
        }
        failed
    }

    fn no_input(&self, name: &str) -> Reported {
        let names: Vec<&str> = self.function.inputs.iter().map(|port| port.name.as_str()).collect();
        let near = did_you_mean(name, names.iter().copied());
        let has = if names.is_empty() { "it has none".to_string() } else { format!("it has {}", names.join(", ")) };
        let message = format!("@{} has no input '{name}'; {has}", self.function.name);
        self.diags.emit(Diagnostic::error(&BAD_INPUT, Loc::UNKNOWN, message).suggest_if(near));
        Reported::default()
    }

    /// Whether an array has elements and as many axes as an input.
    fn admits(&self, place: usize, array: &Array, file: &str) -> Result<(), Reported> {
        let port = &self.function.inputs[place];
        admits(self.ctx, port, array).map_err(|why| {
            self.fail(format!(
                "the input {} is {}, but the array in '{file}' {why}",
                port.name,
                port.ty.display(self.ctx)
            ))
        })
    }
}

/// How many elements an array of these sizes has, where `--shape` and the sizes themselves say it.
fn elements(dims: &[SizeExpr], shape: &[(String, i64)]) -> Option<u64> {
    let known = |name: &str| shape.iter().find(|(symbol, _)| symbol == name).map(|(_, size)| *size);
    dims.iter().try_fold(1u64, |count, dim| count.checked_mul(u64::try_from(dim.eval(&known).ok()?).ok()?))
}
