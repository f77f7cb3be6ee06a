//! What only dumps have: inputs that nobody declares, and operands that are written where they stand.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use dlc_core::broadcast::show;
use dlc_core::json::{DUPLICATE_KEY, Document, Kind, Node, Read, Record, Scalar, WRONG_VALUE};
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::Kind as _;
use dlc_ir::diag::{Diagnostics, did_you_mean};
use dlc_ir::location::SourceFile;
use dlc_ir::{Attr, Body, Context, Loc, Type, ValueId};

use super::build::{Build, Operand};
use super::contraction::{self, Indices};
use super::infer::{Guess, Guesses, size_of_index};
use super::number::{self, EXACT, element};
use super::read::{make, places, uop_of};
use super::uops::{Arg, Uop};
use super::{DECLARED, SIZES_UNKNOWN, SPELLING, Spelling, TYPE_DIFFERS, UNKNOWN_UOP};
use crate::ops;

/// How deep operands that are written where they stand may be nested.
pub(super) const MAX_DEPTH: usize = 32;

/// The name of the function that a dump is.
const NAME: &str = "main";

/// A dump that is being read.
struct Dump<'a, 'c> {
    build: Build<'c>,
    guesses: Guesses,
    /// The types that are declared.
    tensors: Vec<Declared<'a>>,
    /// Where names are defined.
    places: HashMap<String, Loc>,
    /// The symbols in the sizes of inputs.
    symbols: HashSet<String>,
}

/// An entry of the table of tensors.
struct Declared<'a> {
    name: String,
    elem: Type,
    dims: Vec<SizeExpr>,
    node: Node<'a>,
}

/// An operand as it is written.
enum Source<'a> {
    /// The name of a value.
    Name(Cow<'a, str>, Node<'a>),
    /// A number.
    Number(Scalar, Node<'a>),
    /// A uop of its own.
    Uop(&'static Uop, Vec<Source<'a>>, Node<'a>),
}

/// Reads `{"uops": [..]}`.
pub(super) fn read(ctx: &Context, root: &Node<'_>, (file, part): (&SourceFile, Range<usize>)) -> Read<Body> {
    let program = Record::new(root, "a dump", &["tensors", "uops", "outputs"])?;
    let nodes = program.need("uops")?.list("a list of uops")?;
    // The look that determines what inputs may be says nothing: what it stumbles over is reported when its turn comes.
    let quiet = Diagnostics::new();
    let again = Document::new(file, part, &quiet);
    let again = again.root().and_then(|root| Record::new(&root, "a dump", &["uops"])?.need("uops")?.list("a list"));
    let guesses = Guesses::of(&again.unwrap_or_default());

    let known = ["uop", "src", "arg", "out", "dtype", "shape"];
    let records: Vec<Record<'_>> = nodes.iter().filter_map(|node| Record::new(node, "a uop", &known).ok()).collect();
    let places = places(&records);
    let tensors = program.get("tensors").map(|tensors| declared(ctx, tensors)).transpose()?.unwrap_or_default();
    let build = Build::new(ctx, root.loc());
    let mut dump = Dump { build, guesses, tensors, places, symbols: HashSet::new() };
    for index in 0..dump.tensors.len() {
        let Declared { name, elem, dims, node } = &dump.tensors[index];
        if !dump.places.contains_key(name) {
            let (name, ty, node) = (name.clone(), Tensor::get(ctx, dims.clone(), *elem), node.clone());
            dump.input(&name, ty, &[(DECLARED, Attr::UNIT)], &node)?;
        }
    }
    for record in &records {
        // What else is wrong is reported too.
        let _ = dump.uop(record);
    }
    let results = match program.get("outputs") {
        Some(outputs) => outputs.list_of("a list of names", |node| dump.build.value(&node.name()?, node, None))?,
        None => dump.build.unused(),
    };
    Ok(dump.build.finish(NAME, &results, &[(SPELLING.0, ctx.str_attr(SPELLING.1))], root.loc()))
}

/// The table of tensors.
fn declared<'a>(ctx: &Context, table: &Node<'a>) -> Read<Vec<Declared<'a>>> {
    let mut tensors: Vec<Declared<'a>> = Vec::new();
    for (name, key, node) in table.entries("a table of tensors")? {
        if tensors.iter().any(|known| known.name == name) {
            return Err(key.report(key.error(&DUPLICATE_KEY, format!("the tensor '{name}' comes twice"))));
        }
        if name.is_empty() {
            return Err(key.not("a name"));
        }
        let record = Record::new(&node, "a tensor", &["dtype", "shape"])?;
        let (elem, dims) = (record.need("dtype")?.dtype(ctx)?, record.need("shape")?.sizes()?);
        tensors.push(Declared { name: name.to_string(), elem, dims, node });
    }
    Ok(tensors)
}

/// An operand as it is written.
fn source<'a>(node: &Node<'a>, depth: usize) -> Read<Source<'a>> {
    match node.kind() {
        Kind::String => Ok(Source::Name(node.name()?, node.clone())),
        Kind::Number | Kind::Bool => Ok(Source::Number(node.scalar()?, node.clone())),
        Kind::Object if depth >= MAX_DEPTH => Err(node.not(&format!("nested at most {MAX_DEPTH} deep"))),
        Kind::Object => {
            let entries = node.entries("an operand")?;
            let [(word, key, value)] = &entries[..] else {
                return Err(node.not("an object with one key, such as {\"mul\": [\"x\", 2.0]}"));
            };
            let uop = Uop::of_word(word).ok_or_else(|| {
                let words = Uop::words();
                let near = did_you_mean(word, words.iter().map(String::as_str));
                let all = || format!("there are {}", words.join(", "));
                let message = format!("'{word}' is nothing that can stand in place of an operand");
                key.report(key.error(&UNKNOWN_UOP, message).suggest(near.unwrap_or_else(all)))
            })?;
            let operands = match value.kind() {
                Kind::String => listed(value)?,
                _ => value.list_of("operands: a list, or a string such as \"x,0\"", |node| source(node, depth + 1))?,
            };
            uop.takes(operands.len()).map_err(|message| value.report(value.error(&WRONG_VALUE, message)))?;
            Ok(Source::Uop(uop, operands, node.clone()))
        }
        _ => Err(node.not("an operand: a name, a number, or an object such as {\"mul\": [\"x\", 2.0]}")),
    }
}

/// The operands in a string: names and numbers with commas between them.
fn listed<'a>(node: &Node<'a>) -> Read<Vec<Source<'a>>> {
    let text = node.string("operands")?;
    let operand = |piece: &str| {
        let looks_like_number = piece.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
        Ok(match (piece.parse::<i128>(), piece.parse::<f64>()) {
            _ if piece.is_empty() => return Err(node.not("names and numbers with commas between them")),
            (Ok(value), _) => Source::Number(Scalar::Int(value), node.clone()),
            (_, Ok(value)) if looks_like_number && value.is_finite() => {
                Source::Number(Scalar::Float(value), node.clone())
            }
            _ => Source::Name(Cow::Owned(piece.to_string()), node.clone()),
        })
    };
    text.split(',').map(|piece| operand(piece.trim())).collect()
}

impl Dump<'_, '_> {
    fn input(&mut self, name: &str, ty: Type, attrs: &[(&str, Attr)], node: &Node<'_>) -> Read<ValueId> {
        let dims = Tensor::of(self.build.ctx, ty).map_or_else(Vec::new, |ty| ty.dims(self.build.ctx));
        self.symbols.extend(dims.iter().flat_map(SizeExpr::symbols).map(|symbol| symbol.to_string()));
        self.build.input(name, ty, attrs, node)
    }

    fn uop(&mut self, record: &Record<'_>) -> Read<()> {
        let uop = uop_of(record.need("uop")?);
        let is_view = matches!(uop, Ok(uop) if uop.arg == Arg::View);
        let out = match record.get("out") {
            // A view without a name only says that its operand is seen as it is.
            None if is_view => None,
            _ => Some(record.need("out")?),
        };
        let name = out.map(Node::name).transpose()?;
        let value = uop.and_then(|uop| self.value(uop, record));
        let (Some(out), Some(name)) = (out, name) else { return value.map(drop) };
        self.build.define(&name, value.ok(), out)?;
        if let (Ok(value), Some(at)) = (value, self.tensors.iter().position(|declared| declared.name == name)) {
            self.check(at, value);
            self.build.mark(value, DECLARED, Attr::UNIT);
        }
        Ok(())
    }

    /// Compares the type of a value with the one that the table gives it.
    fn check(&self, at: usize, value: ValueId) {
        let (Declared { name, elem, dims, node }, is) = (&self.tensors[at], self.build.operand(value));
        let shown = |elem: Type, dims: &[SizeExpr]| format!("{} {}", number::name(self.build.ctx, elem), show(dims));
        if *elem != is.elem || *dims != is.dims {
            let message = format!("'{name}' is given as {}, but is {}", shown(*elem, dims), shown(is.elem, &is.dims));
            let place = self.places.get(name).copied().unwrap_or(node.loc());
            node.report(node.error(&TYPE_DIFFERS, message).note(place, "it is defined here"));
        }
    }

    fn value(&mut self, uop: &'static Uop, record: &Record<'_>) -> Read<ValueId> {
        let ctx = self.build.ctx;
        let typed = matches!(uop.arg, Arg::Const | Arg::Valid | Arg::Load | Arg::Range);
        if let Some(key) = ["dtype", "shape"].into_iter().find(|key| !typed && record.get(key).is_some()) {
            let node = record.need(key)?;
            let error = node.error(&WRONG_VALUE, format!("the type of {} follows from its operands", uop.name));
            return Err(node.report(error.suggest("give types of values in \"tensors\"")));
        }
        let dtype = record.get("dtype").map(|node| node.dtype(ctx)).transpose()?;
        let shape = record.get("shape").map(Node::sizes).transpose()?;
        let place = record.need("src")?;
        let sources = place.list_of("a list of operands", |node| source(node, 0))?;
        uop.takes(sources.len()).map_err(|message| place.report(place.error(&WRONG_VALUE, message)))?;
        let operands = self.resolve(uop, &sources, Some(record))?;
        make(&mut self.build, uop, record, &operands, Spelling::Dump, (dtype, shape))
    }

    /// The operands of a uop. Values first, then inputs that nothing defines, which may be known by what they meet, and
    /// then numbers, which have the type of what they meet.
    fn resolve(
        &mut self,
        uop: &'static Uop,
        sources: &[Source<'_>],
        record: Option<&Record<'_>>,
    ) -> Read<Vec<Operand>> {
        let mut operands: Vec<Option<Operand>> = vec![None; sources.len()];
        for (operand, source) in operands.iter_mut().zip(sources) {
            let value = match source {
                Source::Name(name, node) if self.build.find(name).is_some() || self.places.contains_key(&**name) => {
                    self.build.value(name, node, self.places.get(&**name).copied())?
                }
                Source::Uop(uop, sources, node) => {
                    let inner = self.resolve(uop, sources, None)?;
                    self.inline(uop, &inner, node)?
                }
                _ => continue,
            };
            *operand = Some(self.build.operand(value));
        }
        for (position, source) in sources.iter().enumerate() {
            if let (Source::Name(name, node), None) = (source, &operands[position]) {
                let value = match self.build.find(name) {
                    // Twice in one list of operands.
                    Some(_) => self.build.value(name, node, None)?,
                    None => self.undeclared(name, node, uop, position, &operands, record)?,
                };
                operands[position] = Some(self.build.operand(value));
            }
        }
        for (position, source) in sources.iter().enumerate() {
            if let Source::Number(scalar, node) = source {
                let others = if alongside_all(uop) { &operands[..] } else { &operands[1..] };
                let alongside = others.iter().flatten().next();
                let elem = match alongside.filter(|_| alongside_all(uop) || position > 0) {
                    Some(operand) => number::type_alongside(self.build.ctx, *scalar, operand.elem),
                    None => number::usual_type(*scalar),
                };
                let value = self.constant(*scalar, elem, node)?;
                operands[position] = Some(self.build.operand(value));
            }
        }
        Ok(operands.into_iter().flatten().collect())
    }

    fn inline(&mut self, uop: &'static Uop, operands: &[Operand], node: &Node<'_>) -> Read<ValueId> {
        let mut props = Vec::new();
        if let Arg::Compare(predicate) = uop.arg {
            props.push(("predicate", ops::Predicate::make(self.build.ctx, predicate)));
        }
        let ids: Vec<ValueId> = operands.iter().map(|operand| operand.id).collect();
        let value = self.build.op(uop.def, &ids, (&props, &Vec::new()), None, node)?;
        self.build.name_axes(value, uop);
        Ok(value)
    }

    fn constant(&mut self, scalar: Scalar, elem: Type, node: &Node<'_>) -> Read<ValueId> {
        let ctx = self.build.ctx;
        let number = element(ctx, node, scalar, elem)?;
        let attrs = number.exact.map(|exact| (EXACT, exact)).into_iter().collect();
        let ty = Tensor::get(ctx, Vec::new(), elem);
        self.build.op(ops::Const::DEF, &[], (&vec![("value", number.attr)], &attrs), Some(ty), node)
    }

    /// Makes an input of a name that nothing defines, when its sizes can be known.
    fn undeclared(
        &mut self,
        name: &str,
        node: &Node<'_>,
        uop: &'static Uop,
        position: usize,
        operands: &[Option<Operand>],
        record: Option<&Record<'_>>,
    ) -> Read<ValueId> {
        let guess = self.guess(name, uop, position, operands, record);
        let Some(guess) = guess else {
            self.build.define(name, None, node)?;
            if let (Arg::Contract, Some(record)) = (uop.arg, record) {
                // Its indices are wrong, and that is what has to be told.
                let arg = record.need("arg")?;
                Indices::read(&Record::new(arg, "the arg of CONTRACT", &contraction::KEYS)?)?;
            }
            let message = format!("nothing says what sizes the input '{name}' has");
            let fix =
                format!("give them: \"tensors\": {{\"{name}\": {{\"dtype\": \"fp16\", \"shape\": [\"M\", \"N\"]}}}}");
            return Err(node.report(node.error(&SIZES_UNKNOWN, message).suggest(fix)));
        };
        let dims: Vec<SizeExpr> =
            guess.into_iter().enumerate().map(|(axis, size)| self.size(name, axis, size)).collect();
        // 16-bit floats, unless the uop takes no floats.
        let ctx = self.build.ctx;
        let constraint = uop.def.operands.get(position.min(uop.def.operands.len().saturating_sub(1)));
        let admits = |elem: &Type| {
            constraint.is_none_or(|operand| (operand.ty.admits)(ctx, Tensor::get(ctx, dims.clone(), *elem)))
        };
        let elem = [Type::F16, Type::I32, Type::I1].into_iter().find(admits).unwrap_or(Type::F16);
        self.input(name, Tensor::get(ctx, dims.clone(), elem), &[], node)
    }

    /// A size that is known, or a symbol for the axis of this input.
    fn size(&self, name: &str, axis: usize, size: Option<SizeExpr>) -> SizeExpr {
        size.unwrap_or_else(|| {
            let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
            let mut symbol: String = name.chars().map(word).collect();
            if symbol.starts_with(|c: char| c.is_ascii_digit()) {
                symbol.insert(0, '_');
            }
            symbol += &format!("_{axis}");
            while self.symbols.contains(&symbol) {
                symbol.push('_');
            }
            SizeExpr::symbol(&symbol).unwrap_or_else(|_| SizeExpr::from(1))
        })
    }

    fn guess(
        &self,
        name: &str,
        uop: &'static Uop,
        position: usize,
        operands: &[Option<Operand>],
        record: Option<&Record<'_>>,
    ) -> Option<Guess> {
        let met = operands.iter().flatten().next();
        if let Some(indices) = record.and_then(|record| self.guesses.indices(record.node().loc())) {
            let (own, other) = match position {
                0 => (&indices.lhs, &indices.rhs),
                _ => (&indices.rhs, &indices.lhs),
            };
            return Some(self.by_indices(own, met.map(|met| (&other[..], &met.dims[..]))));
        }
        let firm = self.guesses.firm(name).or_else(|| self.guesses.weak(name));
        firm.cloned().or_else(|| {
            // Arithmetic with a known operand: its sizes, and where that has a 1 to be repeated one of its own.
            let met = met.filter(|_| matches!(uop.arg, Arg::Elementwise | Arg::Compare(_)))?;
            Some(met.dims.iter().map(|size| Some(size.clone()).filter(|size| size.as_constant() != Some(1))).collect())
        })
    }

    /// The sizes of an operand by its indices: those that the other operand gives them, and else the symbols of their
    /// names; unless the other operand calls its sizes otherwise, and the symbol stands for something else already.
    fn by_indices(&self, own: &[SizeExpr], other: Option<(&[SizeExpr], &[SizeExpr])>) -> Guess {
        let (names, dims) = other.unwrap_or_default();
        let given: Vec<(&SizeExpr, &SizeExpr)> = names.iter().zip(dims).collect();
        let renamed = given.iter().any(|(name, dim)| size_of_index(name).is_some_and(|size| size != **dim));
        let size = |index: &SizeExpr| {
            let known = given.iter().find(|(name, _)| *name == index).map(|(_, dim)| (*dim).clone());
            let symbol = || {
                let symbol = size_of_index(index)?;
                let taken = symbol.as_symbol().is_some_and(|symbol| self.symbols.contains(symbol));
                Some(symbol).filter(|_| !(renamed && taken))
            };
            known.filter(|_| index.as_symbol().is_some()).or_else(symbol)
        };
        own.iter().map(size).collect()
    }
}

/// Whether numbers have the type of any other operand: in a choice the condition does not count.
pub(super) fn alongside_all(uop: &Uop) -> bool {
    uop.def.name != ops::Where::NAME
}
