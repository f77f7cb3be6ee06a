//! What the function is called with: arrays from files, and for the inputs that are not given, numbers from the seed.

use std::collections::BTreeMap;

use dlc_core::tensor::count;
use dlc_ir::affine::SizeExpr;
use dlc_ir::diag::{Diagnostic, Diagnostics, did_you_mean};
use dlc_ir::interp::Datum;
use dlc_ir::{Body, Context, Loc, Type};
use dlc_opt::compare::Tolerance;
use dlc_opt::function::{Function, Port, sizes};
use dlc_opt::generate::{Spread, numbers, part};
use dlc_opt::input::CANNOT_READ;
use dlc_opt::numbers::Values;

use crate::args::{Given, Options};
use crate::files::{Array, Elem, Source, byte_len, usual_limit};

dlc_ir::codes! {
    /// An array does not fit the input or output that it is for: its name, its type, its sizes.
    BAD_INPUT = "E0532" "BadInput";
    /// A symbol of sizes has no value, or two of them.
    BAD_SYMBOL = "E0533" "BadSymbol";
}

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

/// How many elements are made at once where only their bytes are wanted.
const PIECE: usize = 1 << 16;

/// What went wrong has been reported.
struct Reported;

/// Which symbols of a function must be known before it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needed {
    /// Those of the sizes of inputs: what else there is, is computed.
    OfInputs,
    /// All of them.
    All,
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
    let mut bound = Bound::of(ctx, function, Needed::OfInputs, options, diags)?;
    let mut data = Vec::new();
    for (place, port) in function.inputs.iter().enumerate() {
        let datum = bound.values(place).and_then(|values| values.to_datum(ctx, port.ty));
        data.push(datum.map_err(|reason| bound.fail(place, &reason)).ok()?);
    }
    let tolerance = Tolerance::of(ctx, module, &function.name);
    Some(Inputs { data, shapes: bound.shapes, origins: bound.origins, symbols: bound.symbols, tolerance })
}

/// The inputs of a function, of which everything is known but the numbers.
pub struct Bound<'a> {
    binder: Binder<'a>,
    /// The arrays that are given.
    given: Vec<Option<Array>>,
    seed: u64,
    /// The sizes of each.
    pub shapes: Vec<Vec<usize>>,
    /// Where each is from, for people.
    pub origins: Vec<String>,
    /// What the symbols of the function are, by name.
    pub symbols: Vec<(String, i64)>,
}

impl<'a> Bound<'a> {
    /// Reads the arrays that are given, and finds out what symbols are. Everything that is wrong with them is reported.
    pub fn of(
        ctx: &'a Context,
        function: &'a Function,
        needed: Needed,
        options: &Options,
        diags: &'a Diagnostics,
    ) -> Option<Bound<'a>> {
        let binder = Binder { ctx, function, needed, diags };
        let dims = binder.dims()?;
        let given = binder.read(&dims, options)?;
        let symbols = binder.symbols(&dims, &given, &options.shape)?;
        let mut shapes = Vec::new();
        for ((port, (dims, _)), given) in function.inputs.iter().zip(&dims).zip(&given) {
            shapes.push(binder.shape(port, dims, given.as_ref(), &symbols)?);
        }
        let origin = |given: &Option<FromFile>| match given {
            Some((_, file)) => file.clone(),
            None => format!("seed {}", options.seed),
        };
        let origins = given.iter().map(origin).collect();
        let given = given.into_iter().map(|given| given.map(|(array, _)| array)).collect();
        let symbols = in_order(&function.symbols, &symbols);
        Some(Bound { binder, given, seed: options.seed, shapes, origins, symbols })
    }

    /// The numbers of an input. Errors, as the end of a sentence.
    pub fn values(&mut self, place: usize) -> Result<Values, String> {
        let ctx = self.binder.ctx;
        let port = &self.binder.function.inputs[place];
        let (shape, none) = (self.shapes[place].clone(), || "there are no numbers of its type".to_string());
        let (_, elem) = sizes(ctx, port.ty).ok_or_else(none)?;
        let numbers = match self.given[place].take() {
            Some(array) => Elem::of(ctx, elem).map(|elem| array.numbers(elem)),
            None => numbers(ctx, elem, count(&shape)?, Spread::Small, self.seed, &port.name),
        };
        numbers.map(|numbers| Values { shape, elem, numbers }).ok_or_else(none)
    }

    /// The bytes of the elements of an input, as files have them. Errors, as the end of a sentence.
    pub fn bytes(&mut self, place: usize) -> Result<Vec<u8>, String> {
        if let Some(array) = self.given[place].take() {
            return Ok(array.bytes);
        }
        let ctx = self.binder.ctx;
        let port = &self.binder.function.inputs[place];
        let none = || "there are no numbers of its type".to_string();
        let (_, elem) = sizes(ctx, port.ty).ok_or_else(none)?;
        let size = Elem::of(ctx, elem).ok_or_else(none)?.size();
        let shape = &self.shapes[place];
        let len = byte_len(shape, size)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| format!("there is no memory for its {len} bytes"))?;
        // Piece by piece: numbers take more memory than elements.
        let count = len / size;
        for start in (0..count).step_by(PIECE) {
            let places = start..count.min(start + PIECE);
            let shape = vec![places.len()];
            let numbers = part(ctx, elem, places, Spread::Small, self.seed, &port.name).ok_or_else(none)?;
            let array = Array::of(ctx, &Values { shape, elem, numbers }).ok_or_else(none)?;
            bytes.extend(array.bytes);
        }
        Ok(bytes)
    }

    /// Reports what is wrong with an input.
    pub fn fail(&self, place: usize, reason: &str) {
        self.binder.fail(format!("the input {}: {reason}", self.binder.function.inputs[place].name));
    }
}

/// The symbols with their values: those that the function declares, in that order.
fn in_order(declared: &[String], symbols: &Symbols) -> Vec<(String, i64)> {
    declared.iter().filter_map(|name| Some((name.clone(), symbols.get(name)?.0))).collect()
}

/// An array, and the file that it is from.
type FromFile = (Array, String);

/// What symbols are, and who said so.
type Symbols = BTreeMap<String, (i64, String)>;

/// Gives arrays to the inputs of a function.
struct Binder<'a> {
    ctx: &'a Context,
    function: &'a Function,
    needed: Needed,
    diags: &'a Diagnostics,
}

impl Binder<'_> {
    fn fail(&self, message: String) -> Reported {
        self.diags.emit(Diagnostic::error(&BAD_INPUT, Loc::UNKNOWN, message));
        Reported
    }

    /// The sizes and types of the elements of all inputs.
    fn dims(&self) -> Option<Vec<(Vec<SizeExpr>, Type)>> {
        let dims = self.function.inputs.iter().map(|port| {
            sizes(self.ctx, port.ty).ok_or_else(|| {
                let ty = port.ty.display(self.ctx);
                self.fail(format!("the input {} of the type {ty} is neither a tensor nor a number", port.name))
            })
        });
        dims.collect::<Result<_, _>>().ok()
    }

    /// The arrays that are given, by the places of their inputs.
    fn read(&self, dims: &[(Vec<SizeExpr>, Type)], options: &Options) -> Option<Vec<Option<FromFile>>> {
        let limit = |(dims, _): &(Vec<SizeExpr>, Type)| {
            options.max_bytes.unwrap_or(usual_limit(elements(dims, &options.shape)))
        };
        let limits: Vec<u64> = dims.iter().map(limit).collect();
        let mut found: Vec<Option<FromFile>> = vec![None; self.function.inputs.len()];
        let mut failed = false;
        for given in &options.given {
            failed |= self.read_one(given, &limits, &mut found).is_err();
        }
        (!failed).then_some(found)
    }

    fn read_one(&self, given: &Given, limits: &[u64], found: &mut [Option<FromFile>]) -> Result<(), Reported> {
        let file = &given.file;
        let cannot = |message: String| {
            self.diags.emit(Diagnostic::error(&CANNOT_READ, Loc::UNKNOWN, message));
            Reported
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
                    return Err(Reported);
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
                return Err(Reported);
            }
        };
        let mut failed = Ok(());
        for (name, entry) in entries {
            let Some(place) = self.function.inputs.iter().position(|port| port.name == name) else {
                failed = Err(self.no_input(&name));
                continue;
            };
            if let Some((_, other)) = &found[place] {
                failed = Err(self.fail(format!("the input {name} is given twice, by '{other}' and '{file}'")));
                continue;
            }
            let array = source.get(entry.as_deref().unwrap_or_default(), limits[place]);
            let array = array.map_err(|reason| cannot(format!("'{file}' cannot be read: {name}: {reason}")));
            match array.and_then(|array| self.admits(place, &array, file).map(|()| array)) {
                Ok(array) => found[place] = Some((array, file.clone())),
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
        Reported
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

    /// What the symbols are, by `--shape` and by the sizes of the arrays.
    fn symbols(
        &self,
        dims: &[(Vec<SizeExpr>, Type)],
        given: &[Option<FromFile>],
        shape: &[(String, i64)],
    ) -> Option<Symbols> {
        let known = &self.function.symbols;
        let mut symbols = Symbols::new();
        let mut failed = false;
        let mut fail = |message: String, suggestion: Option<String>| {
            self.diags.emit(Diagnostic::error(&BAD_SYMBOL, Loc::UNKNOWN, message).suggest_if(suggestion));
            failed = true;
        };
        let mut bind = |symbol: &str, value: i64, origin: String| match symbols.get(symbol) {
            Some((other, by)) if *other != value => {
                Some(format!("{symbol} is {other} by {by}, but {value} by {origin}"))
            }
            Some(_) => None,
            None => {
                symbols.insert(symbol.to_string(), (value, origin));
                None
            }
        };
        for (symbol, value) in shape {
            if !known.contains(symbol) {
                let has = if known.is_empty() { "none".to_string() } else { known.join(", ") };
                let near = did_you_mean(symbol, known.iter().map(String::as_str));
                fail(format!("@{} has no symbol {symbol}; it has {has}", self.function.name), near);
            } else if let Some(message) = bind(symbol, *value, "--shape".into()) {
                fail(message, None);
            }
        }
        for ((port, (dims, _)), given) in self.function.inputs.iter().zip(dims).zip(given) {
            let Some((array, file)) = given else { continue };
            for (axis, (dim, &size)) in dims.iter().zip(&array.shape).enumerate() {
                let Some(symbol) = dim.as_symbol() else { continue };
                let origin = format!("axis {axis} of {} in '{file}'", port.name);
                if let Some(message) = bind(symbol, size as i64, origin) {
                    fail(message, None);
                }
            }
        }
        let used = dims.iter().flat_map(|(dims, _)| dims).flat_map(SizeExpr::symbols);
        let mut unbound: Vec<String> = used.map(|symbol| symbol.to_string()).collect();
        if self.needed == Needed::All {
            unbound.extend(known.iter().cloned());
        }
        unbound.retain(|symbol| !symbols.contains_key(symbol));
        unbound.sort();
        unbound.dedup();
        if !unbound.is_empty() {
            let example: Vec<String> = unbound.iter().map(|symbol| format!("{symbol}=16")).collect();
            let verb = if unbound.len() == 1 { "is" } else { "are" };
            let message = format!("it is not said what {} {verb}", unbound.join(", "));
            let example = format!("add --shape={}, or inputs with these sizes", example.join(","));
            fail(message, Some(example));
        }
        (!failed).then_some(symbols)
    }

    /// The sizes of an input, as numbers; those of an array must be the same.
    fn shape(&self, port: &Port, dims: &[SizeExpr], given: Option<&FromFile>, symbols: &Symbols) -> Option<Vec<usize>> {
        let mut shape = Vec::new();
        for dim in dims {
            let value = dim.eval(&|name| symbols.get(name).map(|(value, _)| *value));
            let value = value.map_err(|error| error.message.into_owned());
            match value.and_then(|value| usize::try_from(value).map_err(|_| format!("it is {value}"))) {
                Ok(size) => shape.push(size),
                Err(reason) => {
                    self.fail(format!("the size {dim} of the input {} cannot be: {reason}", port.name));
                    return None;
                }
            }
        }
        match given {
            Some((array, file)) if array.shape != shape => {
                let (ty, is) = (port.ty.display(self.ctx), &array.shape);
                let message =
                    format!("the input {} is {ty}, of the sizes {shape:?}, but '{file}' has {is:?}", port.name);
                self.fail(message);
                None
            }
            _ => Some(shape),
        }
    }
}

/// How many elements an array of these sizes has, where `--shape` and the sizes themselves say it.
fn elements(dims: &[SizeExpr], shape: &[(String, i64)]) -> Option<u64> {
    let known = |name: &str| shape.iter().find(|(symbol, _)| symbol == name).map(|(_, size)| *size);
    dims.iter().try_fold(1u64, |count, dim| count.checked_mul(u64::try_from(dim.eval(&known).ok()?).ok()?))
}

/// What keeps an array from being an input or output, apart from its sizes: the rest of a sentence that begins with the
/// array.
pub fn admits(ctx: &Context, port: &Port, array: &Array) -> Result<(), String> {
    let Some((dims, ty)) = sizes(ctx, port.ty) else { return Err("is of numbers".into()) };
    let Some(elem) = Elem::of(ctx, ty) else { return Err(format!("cannot hold {}", ty.display(ctx))) };
    if !array.elem.is_read_as(elem) {
        return Err(format!("is of {}, not {}", array.elem.name(), elem.names_in_files()));
    }
    let (is, wanted) = (array.shape.len(), dims.len());
    if is != wanted {
        return Err(format!("has {is} axes, not {wanted}"));
    }
    Ok(())
}
