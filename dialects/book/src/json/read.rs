//! From a text to a module.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use dlc_core::access::{Access, Accesses};
use dlc_core::broadcast::promote;
use dlc_core::guard::{Condition, Guard};
use dlc_core::json::{Document, Kind as Json, MISSING_KEY, Node, Read, Record, Reported, WRONG_VALUE};
use dlc_core::scalar::{Combiner, ScanCombiner};
use dlc_core::sizes::{Exprs, Sizes};
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{Kind, TypeAttr};
use dlc_ir::diag::{Diagnostics, did_you_mean};
use dlc_ir::location::SourceFile;
use dlc_ir::text::REDEFINED;
use dlc_ir::{Attr, Body, Context, Loc, Type, ValueId};

use super::build::{Attrs, Build, dense, number};
use super::expr::{axis, is_else, read_conditions, read_position};
use super::{AXES, LEAF_UNKNOWN, VALUE_DIFFERS};
use crate::ops::{self, Function};
use crate::syntax::element;

/// Reads a program.
pub(super) fn read(ctx: &Context, file: &SourceFile, part: Range<usize>, diags: &Diagnostics) -> Option<Body> {
    let before = diags.errors();
    let document = Document::new(file, part, diags);
    let root = document.root().ok()?;
    program(ctx, &root).ok().filter(|_| diags.errors() == before)
}

fn program(ctx: &Context, root: &Node<'_>) -> Read<Body> {
    let program = Record::new(root, "a program", &["name", "index_book", "outputs"])?;
    let name = program.get("name").map(|name| name.name().map(|name| name.to_string())).transpose()?;
    let book = program.need("index_book")?.entries("an object with an entry for each value")?;
    let places = book.iter().map(|(name, key, _)| (name.to_string(), key.loc())).collect();
    let mut reader =
        Reader { build: Build::new(ctx, root.loc()), ctx, entries: Vec::new(), places, is_dump: false, next: 0 };
    let mut keys = Vec::new();
    for (name, key, value) in &book {
        keys.push((name.to_string(), key));
        // What else is wrong is reported too.
        reader.entries.push(Entry::read(name, value).ok().map(Rc::new));
    }
    let inputs = reader.entries.iter().flatten().flat_map(|entry| &entry.inputs);
    let mut read = inputs.filter_map(|input| input.get("value_id")).filter(|value| value.kind() == Json::String);
    reader.is_dump = read.any(|value| value.string("a name").is_ok_and(|name| !reader.places.contains_key(&*name)));
    for (place, (name, key)) in keys.iter().enumerate() {
        let made = reader.value(place, name);
        let (id, ids) = made.map_or((None, Vec::new()), |(id, ids)| (Some(id), ids));
        reader.build.define(name, id, ids, key)?;
    }
    let results = match program.get("outputs") {
        Some(outputs) => outputs.list_of("a list of names", |node| {
            let name = node.name()?;
            match reader.build.find(&name) {
                Some(value) => value.id.ok_or(Reported),
                None => Err(reader.build.undefined(&name, node, None)),
            }
        })?,
        None => reader.build.unused(),
    };
    Ok(reader.build.finish(name.as_deref().unwrap_or("main"), &results, &[], root.loc()))
}

/// The axis of a value.
struct Axis {
    id: i64,
    name: String,
    size: SizeExpr,
    reduced: bool,
}

/// A value, as it is written.
struct Entry<'a> {
    record: Record<'a>,
    axes: Vec<Axis>,
    inputs: Vec<Record<'a>>,
    /// The ids of axes that are reduced.
    reduce: Vec<i64>,
    function: Option<String>,
    dtype: Option<Node<'a>>,
}

const KEYS: [&str; 11] =
    ["axes", "domain", "inputs", "reduce_axes", "function", "dtype", "widen", "value", "flags", "scan", "sort"];

impl<'a> Entry<'a> {
    fn read(name: &str, node: &Node<'a>) -> Read<Entry<'a>> {
        let record = Record::new(node, format!("the value '{name}'"), &KEYS)?;
        let axes = record.need("axes")?.list_of("a list of axes", Axis::read)?;
        for (place, axis) in axes.iter().enumerate() {
            let before = &axes[..place];
            if before.iter().any(|other| other.name == axis.name || other.id == axis.id) {
                let message = format!("the axis '{}' of '{name}' has the name or id of another one", axis.name);
                return Err(node.report(node.error(&REDEFINED, message)));
            }
            if before.iter().any(|other| other.reduced) && !axis.reduced {
                return Err(record.need("axes")?.not("a list of axes of which those that are reduced come last"));
            }
        }
        let inputs = match record.get("inputs") {
            Some(inputs) => inputs.list_of("a list of inputs", |node| {
                Record::new(node, "an input", &["value_id", "map", "domain", "fill"])
            })?,
            None => Vec::new(),
        };
        let reduce = match record.get("reduce_axes") {
            Some(ids) => ids.list_of("a list of ids of axes", Node::int)?,
            None => Vec::new(),
        };
        let function = record.get("function").map(|word| word.string("the word of a function, such as \"mul\""));
        let function = function.transpose()?.map(|word| word.to_string());
        let dtype = record.get("dtype").cloned();
        Ok(Entry { record, axes, inputs, reduce, function, dtype })
    }

    fn reads(&self, name: &str) -> impl Iterator<Item = &Record<'a>> {
        let is = move |input: &&Record<'a>| {
            let value = input.get("value_id").filter(|value| value.kind() == Json::String);
            value.and_then(|value| value.string("a name").ok()).is_some_and(|value| value == name)
        };
        self.inputs.iter().filter(is)
    }

    fn is_scan(&self) -> bool {
        self.record.get("scan").is_some()
    }

    fn is_reduced(&self) -> bool {
        self.record.get("reduce_axes").is_some() || self.axes.iter().any(|axis| axis.reduced)
    }

    fn names(&self) -> Vec<String> {
        self.axes.iter().map(|axis| axis.name.clone()).collect()
    }

    fn sizes(&self, reduced: bool) -> Vec<SizeExpr> {
        self.axes.iter().filter(|axis| axis.reduced == reduced).map(|axis| axis.size.clone()).collect()
    }

    fn flag(&self, key: &str) -> Read<bool> {
        flag(&self.record, key)
    }
}

/// What a key says, which is false where it is not there.
fn flag(record: &Record<'_>, key: &str) -> Read<bool> {
    match record.get(key) {
        Some(node) if matches!(node.text(), "true" | "false") => Ok(node.text() == "true"),
        Some(node) => Err(node.not("true or false")),
        None => Ok(false),
    }
}

impl Axis {
    fn read(node: &Node<'_>) -> Read<Axis> {
        let record = Record::new(node, "an axis", &["id", "name", "size", "kind"])?;
        let (id, place) = (record.need("id")?.int()?, record.need("name")?);
        let name = place.name()?.to_string();
        if SizeExpr::symbol(&name).is_err() {
            return Err(place.not("a name of letters, digits and '_'"));
        }
        let size = record.need("size")?.size()?;
        let kind = record.need("kind")?;
        let reduced = match &*kind.string("\"iter\", \"reduce\" or \"broadcast\"")? {
            "iter" => false,
            "reduce" => true,
            "broadcast" if size.as_constant() == Some(1) => false,
            "broadcast" => return Err(kind.not("\"iter\": what is broadcast has the size 1")),
            _ => return Err(kind.not("\"iter\", \"reduce\" or \"broadcast\"")),
        };
        Ok(Axis { id, name, size, reduced })
    }
}

struct Reader<'a, 'c> {
    build: Build<'c>,
    ctx: &'c Context,
    entries: Vec<Option<Rc<Entry<'a>>>>,
    places: HashMap<String, Loc>,
    /// Whether inputs have no entries, as in the documents: then the ids of axes are all told.
    is_dump: bool,
    /// The id of the next axis, where ids are as they are written without being told.
    next: i64,
}

impl<'a> Reader<'a, '_> {
    /// The value of an entry, and the ids of its axes.
    fn value(&mut self, place: usize, name: &str) -> Read<(ValueId, Vec<i64>)> {
        let Some(entry) = self.entries[place].clone() else { return Err(Reported) };
        let entry = &*entry;
        let attrs = self.axis_attrs(&entry.axes);
        let ids: Vec<i64> = entry.axes.iter().filter(|axis| !axis.reduced).map(|axis| axis.id).collect();
        let node = entry.record.node();
        let word = self.function(entry, name)?;
        self.check_flags(entry, &word)?;
        let dtype = entry.dtype.as_ref().map(|dtype| dtype.dtype(self.ctx)).transpose()?;
        if matches!(&*word, "const" | "iota") && !entry.inputs.is_empty() {
            return Err(entry.record.need("inputs")?.not("an empty list"));
        }
        let given = |elem| Tensor::get(self.ctx, entry.sizes(false), elem);
        let value = match &*word {
            "" => {
                let ty = given(dtype.unwrap_or(Type::F16));
                self.check_domain(entry, &entry.names(), &entry.sizes(false))?;
                Ok(self.build.input(name, ty, attrs, node))
            }
            "const" => {
                let elem = entry.record.need("dtype")?.dtype(self.ctx)?;
                let (value, ty) = (entry.record.need("value")?, given(elem));
                let attr = match value.kind() {
                    Json::List => dense(self.ctx, value, &entry.sizes(false), elem)?,
                    _ => number(self.ctx, value, elem)?,
                };
                self.build.op(ops::Const::DEF, &[], (&vec![("value", attr)], &attrs), Some(ty), node)
            }
            "iota" => {
                let elem = entry.record.need("dtype")?.dtype(self.ctx)?;
                let value = read_position(entry.record.need("value")?, &entry.names())?;
                let props = vec![
                    ("value", Exprs::make(self.ctx, vec![value])),
                    ("axes", Sizes::make(self.ctx, entry.sizes(false))),
                ];
                self.build.op(ops::Iota::DEF, &[], (&props, &attrs), Some(given(elem)), node)
            }
            "reshape" => {
                let operand = self.operand(entry, self.only_input(entry)?, Type::F16)?;
                let ty = given(dtype.unwrap_or(self.build.shape(operand).1));
                self.build.op(ops::Reshape::DEF, &[operand], (&Vec::new(), &attrs), Some(ty), node)
            }
            "gather" => self.gather(entry, &attrs),
            _ if entry.record.get("sort").is_some() => self.sort(entry, &attrs),
            _ if entry.is_scan() => self.scan(entry, &word, dtype, &attrs),
            _ if entry.is_reduced() => self.reduce(entry, &word, dtype, &attrs),
            _ => self.entry(entry, &word, dtype, &attrs),
        }?;
        if let (Some(dtype), Some(node)) = (dtype, &entry.dtype)
            && self.build.shape(value).1 != dtype
        {
            let (is, written) = (self.build.shape(value).1.display(self.ctx), dtype.display(self.ctx));
            let message = format!("'{}' is {written}, but the value is {is}", node.path());
            return Err(node.report(node.error(&VALUE_DIFFERS, message)));
        }
        Ok((value, ids))
    }

    /// The names and ids of axes, where they are not `i0, i1, ..` and those that come next.
    fn axis_attrs(&mut self, axes: &[Axis]) -> Attrs {
        let mut attrs = Attrs::new();
        let names: Vec<String> = axes.iter().map(|axis| axis.name.clone()).collect();
        attrs.extend(self.axis_names(&names));
        let in_order = |(axis, place): (&Axis, i64)| self.next.checked_add(place) == Some(axis.id);
        if self.is_dump || !axes.iter().zip(0..).all(in_order) {
            let ids: Vec<Attr> = axes.iter().map(|axis| self.ctx.i64_attr(axis.id)).collect();
            attrs.push((AXES.1, self.ctx.array_attr(&ids)));
        }
        self.next = axes.iter().map(|axis| axis.id.saturating_add(1)).fold(self.next, i64::max);
        attrs
    }

    fn axis_names(&self, names: &[String]) -> Option<(&'static str, Attr)> {
        let other = names.iter().enumerate().any(|(place, name)| *name != format!("i{place}"));
        let names: Vec<Attr> = names.iter().map(|name| self.ctx.str_attr(name)).collect();
        other.then(|| (AXES.0, self.ctx.array_attr(&names)))
    }

    /// The word of the function, or what it must be; empty for an input.
    fn function(&self, entry: &Entry<'_>, name: &str) -> Read<String> {
        if let Some(word) = &entry.function {
            let known = match (entry.is_scan(), entry.is_reduced()) {
                (true, _) => ScanCombiner::WORDS.to_vec(),
                (_, true) => Combiner::WORDS.to_vec(),
                _ => [Function::WORDS, &["const", "iota", "gather", "reshape"]].concat(),
            };
            if known.contains(&word.as_str()) {
                return Ok(word.clone());
            }
            let node = entry.record.need("function")?;
            let near = did_you_mean(word, known.iter().copied());
            let error = node.wrong(if entry.is_reduced() || entry.is_scan() { "a combiner" } else { "a function" });
            return Err(
                node.report(error.suggest(near.unwrap_or_else(|| format!("it is one of {}", known.join(", ")))))
            );
        }
        let summed = |other: &Entry<'_>| other.is_reduced() && other.function.as_ref().is_none_or(|word| word == "sum");
        match entry.inputs.len() {
            2 if entry.is_scan() => Ok("linear".into()),
            _ if entry.is_reduced() || entry.is_scan() => Ok("sum".into()),
            0 => Ok(String::new()),
            1 => Ok("copy".into()),
            2 if self.readers(name).any(summed) && self.readers(name).all(summed) => Ok("mul".into()),
            count => {
                let node = entry.record.node();
                let message = format!("'{name}' reads {count} values, and nothing says what it computes of them");
                Err(node.report(node.error(&MISSING_KEY, message).suggest("add \"function\": \"add\", or another one")))
            }
        }
    }

    fn readers(&self, name: &str) -> impl Iterator<Item = &Entry<'a>> {
        self.entries.iter().flatten().map(|entry| &**entry).filter(move |entry| entry.reads(name).next().is_some())
    }

    fn check_flags(&self, entry: &Entry<'_>, word: &str) -> Read<()> {
        let Some(flags) = entry.record.get("flags") else { return Ok(()) };
        for flag in flags.list("a list of flags, such as [\"non_scop\"]")? {
            match &*flag.string("the word of a flag")? {
                "non_scop" if matches!(word, "gather" | "reshape") => {}
                "non_scop" => return Err(flag.not("left out: only \"gather\" and \"reshape\" are not affine")),
                _ => return Err(flag.not("\"non_scop\"")),
            }
        }
        Ok(())
    }

    fn only_input<'e>(&self, entry: &'e Entry<'a>) -> Read<&'e Record<'a>> {
        match &entry.inputs[..] {
            [input] => Ok(input),
            _ => Err(entry.record.get("inputs").unwrap_or(entry.record.node()).not("a list of one input")),
        }
    }

    /// The value that an input names: an input of the program with these elements, if nothing defines it.
    fn operand(&mut self, entry: &Entry<'a>, input: &Record<'a>, elem: Type) -> Read<ValueId> {
        let node = input.need("value_id")?;
        let name = node.name()?;
        if let Some(value) = self.build.find(&name) {
            return value.id.ok_or(Reported);
        }
        if let Some(later) = self.places.get(&*name) {
            return Err(self.build.undefined(&name, node, Some(*later)));
        }
        let Some(sizes) = self.guess(&name, entry, input) else {
            self.build.define(&name, None, Vec::new(), node)?;
            let message = format!("nothing says what sizes the input '{name}' has");
            let fix = "give it an entry with its axes and without inputs, before those that read it";
            return Err(node.report(node.error(&LEAF_UNKNOWN, message).suggest(fix)));
        };
        let ids = (0..sizes.len() as i64).collect();
        let value = self.build.input(&name, Tensor::get(self.ctx, sizes, elem), Attrs::new(), node);
        self.build.define(&name, Some(value), ids, node)?;
        Ok(value)
    }

    /// The sizes of an input that has no entry: those of the axes at which it is read, 1 where it is always read at 0.
    fn guess(&self, name: &str, entry: &Entry<'a>, input: &Record<'a>) -> Option<Vec<SizeExpr>> {
        let rank = input.get("map")?.list("a list").ok()?.len();
        let mut sizes: Vec<Option<SizeExpr>> = vec![None; rank];
        let mut zeros = vec![true; rank];
        let own = std::iter::once((entry, input));
        let all = self.entries.iter().flatten().flat_map(|entry| entry.reads(name).map(move |input| (&**entry, input)));
        for (entry, input) in own.chain(all) {
            let map = input.get("map").and_then(|map| map.list("a list").ok()).unwrap_or_default();
            for (place, node) in map.iter().enumerate().take(rank) {
                zeros[place] &= node.text() == "0";
                let text = node.text().trim_matches('"');
                let known = entry.axes.iter().find(|axis| axis.name == text).map(|axis| axis.size.clone());
                sizes[place] = sizes[place].take().or(known);
            }
        }
        let one = |(size, zero): (Option<SizeExpr>, bool)| size.or_else(|| zero.then(|| SizeExpr::from(1)));
        sizes.into_iter().zip(zeros).map(one).collect()
    }

    /// How an input is read over axes of some names.
    fn access(&self, entry: &Entry<'_>, input: &Record<'_>, names: &[String], elem: Type) -> Read<Access> {
        let at = input.need("map")?.list_of("a list of positions", |node| read_position(node, names))?;
        let own = input.get("domain");
        let alone = || entry.record.get("domain").filter(|_| entry.inputs.len() == 1);
        let guard = own.or_else(alone).map(|domain| pieces(domain, names)).transpose()?.flatten();
        let fill = input.get("fill").map(|fill| number(self.ctx, fill, elem)).transpose()?;
        Ok(Access { at, guard, fill })
    }

    /// The domain of a value with other than one input is that of its axes.
    fn check_domain(&self, entry: &Entry<'_>, names: &[String], sizes: &[SizeExpr]) -> Read<()> {
        let Some(domain) = entry.record.get("domain") else { return Ok(()) };
        let record = Record::new(domain, "a domain", &["constraints", "pieces"])?;
        if let Some(constraints) = record.get("constraints") {
            let conditions = read_conditions(constraints, names)?;
            let follows = |condition: &Condition| {
                let place = (0..sizes.len()).find(|&place| condition.expr == axis(place));
                let (zero, size) = (SizeExpr::from(0), place.map(|place| &sizes[place]));
                let lower = condition.lower.as_ref().is_none_or(|lower| *lower == zero);
                size.is_some_and(|size| lower && condition.upper.as_ref().is_none_or(|upper| upper == size))
            };
            if let Some(other) = conditions.iter().find(|condition| !follows(condition)) {
                let message = format!("'{}': {other} is no bound of an axis", constraints.path());
                let fix = "the domain of a value is that of its axes; a guard is a list of pieces";
                return Err(constraints.report(constraints.error(&WRONG_VALUE, message).suggest(fix)));
            }
        }
        match record.get("pieces") {
            Some(pieces) if entry.inputs.len() != 1 => {
                let error = pieces.wrong("left out of a value that has not one input");
                Err(pieces.report(error.suggest("give each input a domain of its own")))
            }
            _ => Ok(()),
        }
    }

    /// The values that the inputs name, and how each is read; one that nothing defines has the type of its place.
    fn operands(
        &mut self,
        entry: &Entry<'a>,
        names: &[String],
        elem: impl Fn(usize) -> Type,
    ) -> Read<(Vec<ValueId>, Vec<Access>)> {
        let (mut operands, mut accesses) = (Vec::new(), Vec::new());
        for (place, input) in entry.inputs.iter().enumerate() {
            let operand = self.operand(entry, input, elem(place))?;
            accesses.push(self.access(entry, input, names, self.build.shape(operand).1)?);
            operands.push(operand);
        }
        Ok((operands, accesses))
    }

    fn entry(&mut self, entry: &Entry<'a>, word: &str, dtype: Option<Type>, attrs: &Attrs) -> Read<ValueId> {
        let (names, sizes) = (entry.names(), entry.sizes(false));
        self.check_domain(entry, &names, &sizes)?;
        let elem = |place| if word == "where" && place == 0 { Type::I1 } else { Type::F16 };
        let (operands, accesses) = self.operands(entry, &names, elem)?;
        let ctx = self.ctx;
        let mut props = vec![
            ("function", ctx.str_attr(word)),
            ("axes", Sizes::make(ctx, sizes)),
            ("accesses", Accesses::make(ctx, accesses)),
        ];
        // Without a word for it the product of a contraction is exact.
        let implied = entry.function.is_none() && word == "mul";
        let widen = implied || entry.flag("widen")?;
        let short = operands.iter().all(|&operand| short_float(ctx, self.build.shape(operand).1));
        let elem = dtype.or((implied && short).then_some(Type::F32));
        if let Some(elem) = elem.filter(|_| widen || matches!(word, "cast" | "bitcast")) {
            props.push(("elem", TypeAttr::make(ctx, elem)));
        }
        if widen {
            props.push(("widen", Attr::UNIT));
        }
        self.build.op(ops::Entry::DEF, &operands, (&props, attrs), None, entry.record.node())
    }

    fn reduce(&mut self, entry: &Entry<'a>, word: &str, dtype: Option<Type>, attrs: &Attrs) -> Read<ValueId> {
        let input = self.only_input(entry)?;
        let operand = self.operand(entry, input, Type::F16)?;
        let (dims, elem) = self.build.shape(operand);
        let (mut names, mut over) = (entry.names(), entry.sizes(true));
        if over.is_empty() {
            let value = input.need("value_id")?.name()?;
            let ids = self.build.find(&value).map(|value| value.ids.clone()).unwrap_or_default();
            if let Some(unknown) = entry.reduce.iter().find(|id| !ids.contains(id)) {
                return Err(entry
                    .record
                    .need("reduce_axes")?
                    .not(&format!("ids of axes of '{value}', as {unknown} is none")));
            }
            let map = input.need("map")?.list("a list of positions")?;
            for ((node, size), _) in map.iter().zip(dims).zip(&ids).filter(|(_, id)| entry.reduce.contains(id)) {
                let name = node.string("the name of an axis that is reduced")?;
                if SizeExpr::symbol(&name).is_err() || names.contains(&name.to_string()) {
                    return Err(node.not("the name of an axis that is reduced, and of no other one"));
                }
                names.push(name.to_string());
                over.push(size);
            }
        } else if !entry.reduce.is_empty() {
            let own: Vec<i64> = entry.axes.iter().filter(|axis| axis.reduced).map(|axis| axis.id).collect();
            if own != entry.reduce {
                return Err(entry.record.need("reduce_axes")?.not("the ids of the axes of kind \"reduce\""));
            }
        }
        let mut attrs: Attrs = attrs.iter().filter(|(key, _)| *key != AXES.0).copied().collect();
        attrs.extend(self.axis_names(&names));
        let sizes = entry.sizes(false);
        self.check_domain(entry, &names, &[sizes.clone(), over.clone()].concat())?;
        let access = self.access(entry, input, &names, elem)?;
        let ctx = self.ctx;
        let short = word == "sum" && short_float(ctx, elem);
        let acc = dtype.unwrap_or(if short { Type::F32 } else { elem });
        let props = vec![
            ("combiner", ctx.str_attr(word)),
            ("axes", Sizes::make(ctx, sizes)),
            ("over", Sizes::make(ctx, over)),
            ("accesses", Accesses::make(ctx, vec![access])),
            ("acc", TypeAttr::make(ctx, acc)),
        ];
        self.build.op(ops::Reduce::DEF, &[operand], (&props, &attrs), None, entry.record.node())
    }

    /// `"scan": {"along": 1, "every": 64, "exclusive": true, "reverse": true}`
    fn scan(&mut self, entry: &Entry<'a>, word: &str, dtype: Option<Type>, attrs: &Attrs) -> Read<ValueId> {
        let record = Record::new(entry.record.need("scan")?, "a scan", &["along", "every", "exclusive", "reverse"])?;
        let (names, sizes) = (entry.names(), entry.sizes(false));
        self.check_domain(entry, &names, &sizes)?;
        let (operands, accesses) = self.operands(entry, &names, |_| Type::F16)?;
        let ctx = self.ctx;
        let elems = operands.iter().map(|&operand| self.build.shape(operand).1);
        // What has no common type the verifier refuses.
        let common = elems.reduce(|a, b| promote(ctx, a, b).unwrap_or(a)).unwrap_or(Type::F16);
        let short = matches!(word, "sum" | "linear") && short_float(ctx, common);
        let acc = dtype.unwrap_or(if short { Type::F32 } else { common });
        let mut props = vec![
            ("combiner", ctx.str_attr(word)),
            ("axes", Sizes::make(ctx, sizes)),
            ("along", ctx.i64_attr(record.need("along")?.int()?)),
            ("accesses", Accesses::make(ctx, accesses)),
            ("acc", TypeAttr::make(ctx, acc)),
        ];
        if let Some(every) = record.get("every") {
            props.push(("every", ctx.i64_attr(every.int()?)));
        }
        for key in ["exclusive", "reverse"] {
            if flag(&record, key)? {
                props.push((key, Attr::UNIT));
            }
        }
        self.build.op(ops::Scan::DEF, &operands, (&props, attrs), None, entry.record.node())
    }

    /// `"sort": {"along": 1, "every": 64}`
    fn sort(&mut self, entry: &Entry<'a>, attrs: &Attrs) -> Read<ValueId> {
        let record = Record::new(entry.record.need("sort")?, "a sort", &["along", "every"])?;
        let (names, sizes) = (entry.names(), entry.sizes(false));
        self.check_domain(entry, &names, &sizes)?;
        let (operands, accesses) = self.operands(entry, &names, |_| Type::F16)?;
        let ctx = self.ctx;
        let mut props = vec![
            ("axes", Sizes::make(ctx, sizes)),
            ("along", ctx.i64_attr(record.need("along")?.int()?)),
            ("accesses", Accesses::make(ctx, accesses)),
        ];
        if let Some(every) = record.get("every") {
            props.push(("every", ctx.i64_attr(every.int()?)));
        }
        self.build.op(ops::Sort::DEF, &operands, (&props, attrs), None, entry.record.node())
    }

    fn gather(&mut self, entry: &Entry<'a>, attrs: &Attrs) -> Read<ValueId> {
        let input = self.only_input(entry)?;
        let names = entry.names();
        self.check_domain(entry, &names, &entry.sizes(false))?;
        let mut operands = vec![self.operand(entry, input, Type::F16)?];
        let (mut at, mut accesses) = (Vec::new(), Vec::new());
        for node in input.need("map")?.list("a list of positions")? {
            if node.kind() != Json::Object {
                at.push(read_position(&node, &names)?);
                continue;
            }
            let index = Record::new(&node, "an index", &["value_id", "map", "domain", "fill"])?;
            let operand = self.operand(entry, &index, Type::I32)?;
            at.push(element(accesses.len()));
            let positions = index.need("map")?.list_of("a list of positions", |node| read_position(node, &names))?;
            let guard = index.get("domain").map(|domain| pieces(domain, &names)).transpose()?.flatten();
            let elem = self.build.shape(operand).1;
            let fill = index.get("fill").map(|fill| number(self.ctx, fill, elem)).transpose()?;
            accesses.push(Access { at: positions, guard, fill });
            operands.push(operand);
        }
        let props = vec![
            ("axes", Sizes::make(self.ctx, entry.sizes(false))),
            ("at", Exprs::make(self.ctx, at)),
            ("accesses", Accesses::make(self.ctx, accesses)),
        ];
        self.build.op(ops::Gather::DEF, &operands, (&props, attrs), None, entry.record.node())
    }
}

/// The guard that the pieces of a domain are; nothing for a domain without pieces.
fn pieces(domain: &Node<'_>, names: &[String]) -> Read<Option<Guard>> {
    let record = Record::new(domain, "a domain", &["constraints", "pieces"])?;
    let Some(pieces) = record.get("pieces") else { return Ok(None) };
    let mut inside = Vec::new();
    for piece in pieces.list("a list of pieces")? {
        let piece = Record::new(&piece, "a piece", &["constraints"])?;
        let constraints = piece.need("constraints")?;
        if !is_else(constraints) {
            inside.push(read_conditions(constraints, names)?);
        }
    }
    // A pad around nothing leaves everything inside.
    Ok(Some(Guard { pieces: inside }).filter(|guard| !guard.pieces.is_empty()))
}

/// Whether elements are floats of fewer than 32 bits.
fn short_float(ctx: &Context, elem: Type) -> bool {
    elem.float_kind(ctx).is_some_and(|kind| kind.bits() < 32)
}
