//! Which array is which input of a function, and what the symbols of sizes are then.

use std::collections::BTreeMap;

use dlc_core::tensor::count;
use dlc_ir::affine::SizeExpr;
use dlc_ir::diag::{Diagnostic, Diagnostics, did_you_mean};
use dlc_ir::{Context, Loc, Type};
use dlc_opt::function::{Function, Port, sizes};
use dlc_opt::generate::{Spread, numbers, part};
use dlc_opt::numbers::Values;

use crate::files::{Array, Elem, byte_len};

dlc_ir::codes! {
    /// An array does not fit the input or output that it is for: its name, its type, its sizes.
    BAD_INPUT = "E0532" "BadInput";
    /// A symbol of sizes has no value, or two of them.
    BAD_SYMBOL = "E0533" "BadSymbol";
}

/// How many elements are made at once where only their bytes are wanted.
const PIECE: usize = 1 << 16;

/// What went wrong has been reported.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Reported {
    /// The input that it is about.
    pub input: Option<String>,
}

/// Which symbols of a function must be known before it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needed {
    /// Those of the sizes of inputs: what else there is, is computed.
    OfInputs,
    /// All of them.
    All,
}

/// Where an array is from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A file.
    File(String),
    /// A call of this library.
    Call,
}

impl Origin {
    fn place(&self) -> String {
        match self {
            Origin::File(file) => format!(" in '{file}'"),
            Origin::Call => String::new(),
        }
    }

    fn subject(&self) -> String {
        match self {
            Origin::File(file) => format!("'{file}'"),
            Origin::Call => "the array".to_string(),
        }
    }
}

/// Who gives sizes, in the words of diagnostics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Caller {
    /// A command line, which has `--shape`.
    CommandLine,
    /// A program, which has the argument `sizes`.
    Program,
}

impl Caller {
    fn sizes(self) -> &'static str {
        match self {
            Caller::CommandLine => "--shape",
            Caller::Program => "sizes",
        }
    }

    /// How to say what symbols are.
    fn example(self, symbols: &[String]) -> String {
        match self {
            Caller::CommandLine => {
                let example: Vec<String> = symbols.iter().map(|symbol| format!("{symbol}=16")).collect();
                format!("add --shape={}, or inputs with these sizes", example.join(","))
            }
            Caller::Program => {
                let example: Vec<String> = symbols.iter().map(|symbol| format!("\"{symbol}\": 16")).collect();
                format!("add sizes={{{}}}, or give inputs with these sizes", example.join(", "))
            }
        }
    }
}

/// What is given for the inputs of a function.
#[derive(Clone, Debug)]
pub struct BoundInput {
    /// An array for each input, in their order, or none.
    pub arrays: Vec<Option<(Array, Origin)>>,
    /// Symbols and what they are.
    pub sizes: Vec<(String, i64)>,
    /// The seed of inputs without an array.
    pub seed: u64,
    /// Who gives them.
    pub caller: Caller,
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
    /// Determines what symbols are, by the arrays and sizes that are given. Everything that is wrong with them is reported.
    pub fn of(
        ctx: &'a Context,
        function: &'a Function,
        needed: Needed,
        given: BoundInput,
        diags: &'a Diagnostics,
    ) -> Result<Bound<'a>, Reported> {
        let BoundInput { arrays, sizes, seed, caller } = given;
        let binder = Binder { ctx, function, needed, caller, diags };
        let dims = binder.dims()?;
        let symbols = binder.symbols(&dims, &arrays, &sizes)?;
        let mut shapes = Vec::new();
        for ((port, (dims, _)), given) in function.inputs.iter().zip(&dims).zip(&arrays) {
            shapes.push(binder.shape(port, dims, given.as_ref(), &symbols)?);
        }
        let origin = |given: &Option<(Array, Origin)>| match given {
            Some((_, Origin::File(file))) => file.clone(),
            Some((_, Origin::Call)) => "the call".to_string(),
            None => format!("seed {seed}"),
        };
        let origins = arrays.iter().map(origin).collect();
        let given = arrays.into_iter().map(|given| given.map(|(array, _)| array)).collect();
        let symbols = in_order(&function.symbols, &symbols);
        Ok(Bound { binder, given, seed, shapes, origins, symbols })
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
        bytes.resize(len, 0);
        // Piece by piece: numbers take more memory than elements.
        let fill = |start: usize, piece: &mut [u8]| {
            let places = start..start + piece.len() / size;
            let shape = vec![places.len()];
            let numbers = part(ctx, elem, places, Spread::Small, self.seed, &port.name)?;
            piece.copy_from_slice(&Array::of(ctx, &Values { shape, elem, numbers })?.bytes);
            Some(())
        };
        let fill = |(at, share): (usize, &mut [u8])| {
            let pieces = share.chunks_mut(PIECE * size).enumerate();
            pieces.map(|(number, piece)| fill(at + number * PIECE, piece)).collect::<Option<()>>()
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let share = (len / size).div_ceil(threads).next_multiple_of(PIECE).max(PIECE);
        let filled = std::thread::scope(|scope| {
            let shares = bytes.chunks_mut(share * size).enumerate();
            let threads: Vec<_> = shares.map(|(at, bytes)| scope.spawn(move || fill((at * share, bytes)))).collect();
            threads.into_iter().map(|thread| thread.join().ok().flatten()).collect::<Option<()>>()
        });
        filled.ok_or_else(none)?;
        Ok(bytes)
    }

    /// Reports what is wrong with an input.
    pub fn fail(&self, place: usize, reason: &str) -> Reported {
        let name = &self.binder.function.inputs[place].name;
        self.binder.fail(name, format!("the input {name}: {reason}"))
    }
}

/// The symbols with their values: those that the function declares, in that order.
fn in_order(declared: &[String], symbols: &Symbols) -> Vec<(String, i64)> {
    declared.iter().filter_map(|name| Some((name.clone(), symbols.get(name)?.0))).collect()
}

/// What symbols are, and who said so.
type Symbols = BTreeMap<String, (i64, String)>;

/// Gives arrays to the inputs of a function.
struct Binder<'a> {
    ctx: &'a Context,
    function: &'a Function,
    needed: Needed,
    caller: Caller,
    diags: &'a Diagnostics,
}

impl Binder<'_> {
    fn fail(&self, input: &str, message: String) -> Reported {
        self.diags.emit(Diagnostic::error(&BAD_INPUT, Loc::UNKNOWN, message));
        Reported { input: Some(input.to_string()) }
    }

    /// The sizes and types of the elements of all inputs.
    fn dims(&self) -> Result<Vec<(Vec<SizeExpr>, Type)>, Reported> {
        dims(self.ctx, self.function, self.diags)
    }

    /// What the symbols are, by the sizes that are given and by those of the arrays.
    fn symbols(
        &self,
        dims: &[(Vec<SizeExpr>, Type)],
        given: &[Option<(Array, Origin)>],
        sizes: &[(String, i64)],
    ) -> Result<Symbols, Reported> {
        let known = &self.function.symbols;
        let mut symbols = Symbols::new();
        let mut failed: Option<Reported> = None;
        let mut fail = |input: Option<&str>, message: String, suggestion: Option<String>| {
            self.diags.emit(Diagnostic::error(&BAD_SYMBOL, Loc::UNKNOWN, message).suggest_if(suggestion));
            failed.get_or_insert(Reported { input: input.map(str::to_string) });
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
        for (symbol, value) in sizes {
            if !known.contains(symbol) {
                let has = if known.is_empty() { "none".to_string() } else { known.join(", ") };
                let near = did_you_mean(symbol, known.iter().map(String::as_str));
                fail(None, format!("@{} has no symbol {symbol}; it has {has}", self.function.name), near);
            } else if let Some(message) = bind(symbol, *value, self.caller.sizes().into()) {
                fail(None, message, None);
            }
        }
        for ((port, (dims, _)), given) in self.function.inputs.iter().zip(dims).zip(given) {
            let Some((array, origin)) = given else { continue };
            for (axis, (dim, &size)) in dims.iter().zip(&array.shape).enumerate() {
                let Some(symbol) = dim.as_symbol() else { continue };
                let by = format!("axis {axis} of {}{}", port.name, origin.place());
                if let Some(message) = bind(symbol, size as i64, by) {
                    fail(Some(&port.name), message, None);
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
            let message = match unbound.as_slice() {
                [one] => format!("the size {one} has no value"),
                several => format!("the sizes {} have no value", several.join(", ")),
            };
            fail(None, message, Some(self.caller.example(&unbound)));
        }
        failed.map_or(Ok(symbols), Err)
    }

    /// The sizes of an input, as numbers; those of an array must be the same.
    fn shape(
        &self,
        port: &Port,
        dims: &[SizeExpr],
        given: Option<&(Array, Origin)>,
        symbols: &Symbols,
    ) -> Result<Vec<usize>, Reported> {
        let mut shape = Vec::new();
        for dim in dims {
            let value = dim.eval(&|name| symbols.get(name).map(|(value, _)| *value));
            let value = value.map_err(|error| error.message.into_owned());
            match value.and_then(|value| usize::try_from(value).map_err(|_| format!("it is {value}"))) {
                Ok(size) => shape.push(size),
                Err(reason) => {
                    let message = format!("the size {dim} of the input {} cannot be: {reason}", port.name);
                    return Err(self.fail(&port.name, message));
                }
            }
        }
        match given {
            Some((array, origin)) if array.shape != shape => {
                let (ty, is) = (port.ty.display(self.ctx), &array.shape);
                let subject = origin.subject();
                let message =
                    format!("the input {} is {ty}, of the sizes {shape:?}, but {subject} has {is:?}", port.name);
                Err(self.fail(&port.name, message))
            }
            _ => Ok(shape),
        }
    }
}

/// The sizes and types of the elements of all inputs of a function. That one is neither a tensor nor a number is reported.
pub fn dims(ctx: &Context, function: &Function, diags: &Diagnostics) -> Result<Vec<(Vec<SizeExpr>, Type)>, Reported> {
    let dims = function.inputs.iter().map(|port| {
        sizes(ctx, port.ty).ok_or_else(|| {
            let (name, ty) = (&port.name, port.ty.display(ctx));
            let message = format!("the input {name} of the type {ty} is neither a tensor nor a number");
            diags.emit(Diagnostic::error(&BAD_INPUT, Loc::UNKNOWN, message));
            Reported { input: Some(name.clone()) }
        })
    });
    dims.collect()
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
