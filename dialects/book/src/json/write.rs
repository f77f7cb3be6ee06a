//! From a function to a text.

use std::collections::HashMap;

use dlc_core::access::Access;
use dlc_core::json::names::{distinct, dtype_name, shortest, size_item};
use dlc_core::json::{Item, NO_JSON, Scalar};
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::{AttrData, DenseData, wrap_integer};
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::{Attr, Context, OpId, OpRef, Type, ValueId};

use super::AXES;
use super::expr::{axis, pieces_item, position_item};
use crate::ops::{Const, Entry, Func, Gather, Iota, Reduce, Reshape, Return, Scan, Sort};
use crate::syntax::element_of;

/// Writes a function.
pub(super) fn write(ctx: &Context, op: OpRef<'_>, diags: &Diagnostics) -> Option<String> {
    let no_json = |op: OpRef<'_>, why: String| {
        diags.emit(Diagnostic::error(&NO_JSON, op.loc(), why).at(op.name()));
        None
    };
    let Some(func) = Func::of(op) else {
        return no_json(op, format!("'{}' is no program: JSON is written of 'book.func'", op.name()));
    };
    let root = func.resolve();
    let Some(block) = root.regions().first().and_then(|&region| root.body.first_block(region)) else {
        return no_json(op, "a program without a body has no JSON".into());
    };
    let ops: Vec<OpId> = root.body.ops(block).collect();
    let Some((&end, ops)) = ops.split_last().filter(|(end, _)| Return::of(OpRef { id: **end, ..root }).is_some())
    else {
        return no_json(op, "the program does not end with 'return'".into());
    };
    let mut program = Program { ctx, root, names: HashMap::new(), ids: HashMap::new(), next: 0 };
    let args = root.body.args(block);
    let arg_attrs = func.arg_attrs().unwrap_or(&[]);
    let ops: Vec<OpRef<'_>> = ops.iter().map(|&id| OpRef { id, ..root }).collect();
    program.name_values(args, arg_attrs, &ops);
    let mut book = Vec::new();
    for (place, &arg) in args.iter().enumerate() {
        let get = |key: &str| arg_attrs.get(place).and_then(|attrs| ctx.dict_get(*attrs, ctx.intern_str(key)));
        let Some(item) = program.leaf(arg, &get) else {
            return no_json(root, format!("the input '{}' has elements that JSON has no name for", program.name(arg)));
        };
        book.push((program.name(arg).to_string(), item));
    }
    for op in ops {
        match program.value(op) {
            Some(item) => book.push((program.name(op.result(0)).to_string(), item)),
            None => return no_json(op, "the op has a type or constant that JSON has no name for".into()),
        }
    }
    let outputs = Item::list(root.body.operands(end).map(|value| program.name(value)));
    let name = root.symbol_name().unwrap_or("main");
    let entries = [("name", name.into()), ("index_book", Item::Object(book)), ("outputs", outputs)];
    Some(Item::object(entries).document())
}

/// A program that can be written.
struct Program<'a> {
    ctx: &'a Context,
    root: OpRef<'a>,
    names: HashMap<ValueId, String>,
    /// The ids of the axes of values.
    ids: HashMap<ValueId, Vec<i64>>,
    next: i64,
}

/// The axes of a value: those of the result, then those that are reduced.
struct Axes {
    names: Vec<String>,
    ids: Vec<i64>,
    sizes: Vec<SizeExpr>,
    kept: usize,
}

impl Program<'_> {
    fn name_values(&mut self, args: &[ValueId], arg_attrs: &[Attr], ops: &[OpRef<'_>]) {
        let own = |value: ValueId| self.ctx.str(self.root.body.value_name(value));
        let arg = |(place, &value): (usize, &ValueId)| {
            let given = arg_attrs.get(place).and_then(|attrs| self.ctx.dict_get(*attrs, self.ctx.intern_str("name")));
            (value, given.and_then(|name| name.as_str(self.ctx)).unwrap_or_else(|| own(value)))
        };
        let results = ops.iter().filter_map(|op| op.results().next()).map(|value| (value, own(value)));
        let given: Vec<_> = args.iter().enumerate().map(arg).chain(results).collect();
        self.names = distinct(&given, 'v');
    }

    fn name(&self, value: ValueId) -> &str {
        self.names.get(&value).map_or("", String::as_str)
    }

    fn elem(&self, value: ValueId) -> Option<Type> {
        Tensor::of(self.ctx, self.root.body.value_type(value)).map(|ty| ty.elem(self.ctx))
    }

    fn dtype(&self, value: ValueId) -> Option<Item> {
        dtype_name(self.ctx, self.elem(value)?).map(Item::from)
    }

    /// The axes with the names and ids that they had, if these still fit. `listed` of them are written.
    fn axes(
        &mut self,
        value: ValueId,
        sizes: Vec<SizeExpr>,
        (kept, listed): (usize, usize),
        get: &dyn Fn(&str) -> Option<Attr>,
    ) -> Axes {
        let ctx = self.ctx;
        let texts = |attr: Attr| attr.as_array(ctx)?.iter().map(|name| name.as_str(ctx).map(str::to_string)).collect();
        let symbols: Vec<_> = sizes.iter().flat_map(SizeExpr::symbols).collect();
        let fresh = |names: &Vec<String>| {
            let distinct = names.iter().enumerate().all(|(place, name)| !names[..place].contains(name));
            let free = names.iter().all(|name| symbols.iter().all(|symbol| **symbol != **name));
            distinct && free && names.iter().all(|name| SizeExpr::symbol(name).is_ok())
        };
        let given: Option<Vec<String>> = get(AXES.0).and_then(texts);
        let mut names: Vec<String> =
            given.filter(|names| [listed, sizes.len()].contains(&names.len()) && fresh(names)).unwrap_or_default();
        for place in names.len()..sizes.len() {
            let mut name = format!("i{place}");
            while names.contains(&name) {
                name.insert(0, 'r');
            }
            names.push(name);
        }
        let given: Option<Vec<i64>> =
            get(AXES.1).and_then(|ids| ids.as_array(ctx)?.iter().map(|id| id.as_int(ctx)).collect());
        let given = given.filter(|ids| ids.len() == listed && (1..listed).all(|at| !ids[..at].contains(&ids[at])));
        let ids = given.unwrap_or_else(|| (self.next..).take(listed).collect());
        self.next = ids.iter().map(|id| id.saturating_add(1)).fold(self.next, i64::max);
        self.ids.insert(value, ids.iter().take(kept).copied().collect());
        Axes { names, ids, sizes, kept }
    }

    /// `axes`, `domain` and `inputs` of a value that reads each operand at one place. The guard of the only one is the domain.
    fn inputs(&self, op: OpRef<'_>, axes: &Axes, accesses: &[Access]) -> Option<Vec<(&'static str, Item)>> {
        let alone = accesses.first().filter(|_| accesses.len() == 1);
        let mut entries = self.head(axes, alone);
        let pairs = op.operands().zip(accesses);
        let inputs = pairs.map(|(value, access)| self.input(value, access, &axes.names, alone.is_none()));
        entries.push(("inputs", Item::List(inputs.collect::<Option<_>>()?)));
        Some(entries)
    }

    /// `axes` and `domain`; the pieces of a guard in place of the bounds of axes.
    fn head(&self, axes: &Axes, access: Option<&Access>) -> Vec<(&'static str, Item)> {
        let one = |(place, id): (usize, &i64)| {
            let size = &axes.sizes[place];
            let kind = match size.as_constant() {
                _ if place >= axes.kept => "reduce",
                Some(1) => "broadcast",
                _ => "iter",
            };
            let entries = [("id", (*id).into()), ("name", axes.names[place].as_str().into())];
            Item::object(entries.into_iter().chain([("size", size_item(size)), ("kind", kind.into())]))
        };
        let listed = Item::List(axes.ids.iter().enumerate().map(one).collect());
        let domain = match access.and_then(|access| access.guard.as_ref()) {
            Some(guard) => pieces_item(guard, &axes.names),
            None => {
                let bound = |(place, name): (usize, &String)| {
                    let size = position_item(&axes.sizes[place], &[]);
                    let size = size.to_string();
                    Item::list([format!("0<={name}").as_str(), &format!("{name}<{}", size.trim_matches('"'))])
                };
                let listed = axes.names.iter().take(axes.ids.len()).enumerate();
                Item::object([("constraints", Item::List(listed.map(bound).collect()))])
            }
        };
        vec![("axes", listed), ("domain", domain)]
    }

    /// An input of the program.
    fn leaf(&mut self, value: ValueId, get: &dyn Fn(&str) -> Option<Attr>) -> Option<Item> {
        let sizes = Tensor::of(self.ctx, self.root.body.value_type(value))?.dims(self.ctx);
        let rank = sizes.len();
        let axes = self.axes(value, sizes, (rank, rank), get);
        let mut entries = self.head(&axes, None);
        entries.extend([("inputs", Item::List(Vec::new())), ("dtype", self.dtype(value)?)]);
        Some(Item::object(entries))
    }

    /// The map of an access, and with `guarded` what else there is of it.
    fn input(&self, value: ValueId, access: &Access, names: &[String], guarded: bool) -> Option<Item> {
        let map = access.at.iter().map(|at| position_item(at, names)).collect();
        let mut entries = vec![("value_id", self.name(value).into()), ("map", Item::List(map))];
        if let Some(guard) = access.guard.as_ref().filter(|_| guarded) {
            entries.push(("domain", pieces_item(guard, names)));
        }
        if let Some(fill) = access.fill {
            entries.push(("fill", number(self.ctx, fill)?));
        }
        Some(Item::object(entries))
    }

    fn value(&mut self, op: OpRef<'_>) -> Option<Item> {
        let (ctx, value) = (self.ctx, op.result(0));
        let get = |key: &str| op.attr(ctx.intern_str(key));
        let dims = Tensor::of(ctx, op.type_of(value))?.dims(ctx);
        let rank = dims.len();
        if let Some(reduce) = Reduce::of(op) {
            return self.reduce(reduce, &get);
        }
        let axes = self.axes(value, dims, (rank, rank), &get);
        let dtype = ("dtype", self.dtype(value)?);
        if let Some(entry) = Entry::of(op) {
            let mut entries = self.inputs(op, &axes, &entry.accesses())?;
            entries.extend([("function", entry.function().word().into()), dtype]);
            entries.extend(entry.widen().is_some().then_some(("widen", Item::Bool(true))));
            return Some(Item::object(entries));
        }
        if let Some(scan) = Scan::of(op) {
            let mut entries = self.inputs(op, &axes, &scan.accesses())?;
            let mut how = vec![("along", scan.along().into())];
            how.extend(scan.every().map(|every| ("every", every.into())));
            how.extend(scan.exclusive().map(|()| ("exclusive", Item::Bool(true))));
            how.extend(scan.reverse().map(|()| ("reverse", Item::Bool(true))));
            entries.extend([("scan", Item::object(how)), ("function", scan.combiner().word().into()), dtype]);
            return Some(Item::object(entries));
        }
        if let Some(sort) = Sort::of(op) {
            let mut entries = self.inputs(op, &axes, &sort.accesses())?;
            let mut how = vec![("along", sort.along().into())];
            how.extend(sort.every().map(|every| ("every", every.into())));
            entries.extend([("sort", Item::object(how)), dtype]);
            return Some(Item::object(entries));
        }
        let mut entries = self.head(&axes, None);
        let mut flags = None;
        if let Some(iota) = Iota::of(op) {
            let at = position_item(iota.value().first()?, &axes.names);
            entries.extend([("inputs", Item::List(Vec::new())), ("function", "iota".into()), ("value", at)]);
        } else if let Some(constant) = Const::of(op) {
            let at = match ctx.attr_data(constant.value()) {
                AttrData::Dense(dense) => elements(ctx, dense)?,
                _ => number(ctx, constant.value())?,
            };
            entries.extend([("inputs", Item::List(Vec::new())), ("function", "const".into()), ("value", at)]);
        } else if let Some(gather) = Gather::of(op) {
            let accesses = gather.accesses();
            let indices: Vec<ValueId> = gather.indices().collect();
            let position = |at: &SizeExpr| match element_of(at) {
                Some(index) => self.input(*indices.get(index)?, accesses.get(index)?, &axes.names, true),
                None => Some(position_item(at, &axes.names)),
            };
            let map = Item::List(gather.at().iter().map(position).collect::<Option<_>>()?);
            let input = Item::object([("value_id", self.name(gather.table()).into()), ("map", map)]);
            entries.extend([("inputs", Item::List(vec![input])), ("function", "gather".into())]);
            flags = Some(("flags", Item::list(["non_scop"])));
        } else if let Some(reshape) = Reshape::of(op) {
            let input = Item::object([("value_id", self.name(reshape.input()).into())]);
            entries.extend([("inputs", Item::List(vec![input])), ("function", "reshape".into())]);
            flags = Some(("flags", Item::list(["non_scop"])));
        } else {
            return None;
        }
        entries.push(dtype);
        entries.extend(flags);
        Some(Item::object(entries))
    }

    fn reduce(&mut self, reduce: Reduce<'_>, get: &dyn Fn(&str) -> Option<Attr>) -> Option<Item> {
        let (kept, over) = (reduce.axes(), reduce.over());
        let access = reduce.accesses().into_iter().next()?;
        let ids = self.ids.get(&reduce.input()).cloned().unwrap_or_default();
        // Each reduced axis is one of the operand, in the same order: then they are named by the ids of those.
        let place = |number: usize| access.at.iter().position(|at| *at == axis(kept.len() + number));
        let places: Option<Vec<usize>> = (0..over.len()).map(place).collect();
        let occurs = |number: usize| {
            let name = axis(kept.len() + number);
            let symbol = name.as_symbol().unwrap_or_default();
            access.exprs().filter(|expr| expr.symbols().iter().any(|known| **known == *symbol)).count()
        };
        let dims = Tensor::of(self.ctx, self.root.body.value_type(reduce.input()))?.dims(self.ctx);
        let plain = places.filter(|places| {
            let ordered = places.windows(2).all(|pair| pair[0] < pair[1]);
            let same =
                places.iter().zip(&over).all(|(&place, size)| dims.get(place) == Some(size) && place < ids.len());
            !over.is_empty() && ordered && same && (0..over.len()).all(|number| occurs(number) == 1)
        });
        let listed = kept.len() + if plain.is_some() { 0 } else { over.len() };
        let count = kept.len();
        let axes = self.axes(reduce.out(), [kept, over].concat(), (count, listed), get);
        let mut entries = self.head(&axes, Some(&access));
        entries.push(("inputs", Item::List(vec![self.input(reduce.input(), &access, &axes.names, false)?])));
        let reduced = match &plain {
            Some(places) => places.iter().map(|&place| ids[place]).collect(),
            None => axes.ids[count..].to_vec(),
        };
        entries.push(("reduce_axes", Item::list(reduced)));
        entries.extend([("function", reduce.combiner().word().into()), ("dtype", self.dtype(reduce.out())?)]);
        Some(Item::object(entries))
    }
}

/// A number as it is written.
fn number(ctx: &Context, attr: Attr) -> Option<Item> {
    Some(match *ctx.attr_data(attr) {
        AttrData::Integer { ty: Type::I1, value } => Item::Bool(value != 0),
        AttrData::Integer { value, .. } => Item::Int(value),
        AttrData::Float { ty, bits } => Scalar::Float(shortest(bits, ty.float_kind(ctx)?)).item(),
        _ => return None,
    })
}

/// The elements of a dense constant, one after another.
fn elements(ctx: &Context, dense: &DenseData<'_>) -> Option<Item> {
    let each = dense.elem_bytes(ctx).max(1);
    let one = |bytes: &[u8]| {
        let mut bits = [0; 8];
        bits.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let bits = u64::from_le_bytes(bits);
        let attr = match dense.elem.float_kind(ctx) {
            Some(_) => ctx.attr(AttrData::Float { ty: dense.elem, bits }),
            None => ctx.int_attr(wrap_integer(bits.into(), ctx.type_data(dense.elem)), dense.elem),
        };
        number(ctx, attr)
    };
    if dense.is_splat(ctx) && dense.shape.iter().product::<u64>() > 1 {
        return one(dense.payload.get(..each)?);
    }
    Some(Item::List(dense.payload.chunks_exact(each).map(one).collect::<Option<_>>()?))
}
