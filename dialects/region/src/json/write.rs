//! From a kernel to a text.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use dlc_core::broadcast::promote;
use dlc_core::guard::Guard;
use dlc_core::json::attr::from_attr;
use dlc_core::json::names::{distinct, dtype_name, shortest, size_item, sizes_item};
use dlc_core::json::{Item, NO_JSON, Scalar};
use dlc_core::memref::MemRef;
use dlc_core::scalar::{Binary, Combiner};
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::AttrData;
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::{Attr, BlockId, Context, OpId, OpRef, Type, ValueId};

use super::expr::{join_axes, place_axes, word_of};
use super::memref;
use super::position::{expr_item, guard_item};
use super::read::{names_in, sizes_of};
use crate::ops::{self, Cast, Const, Func, Index, Read, Reduce, Scan, Select, Transpose, Unary, Yield};
use crate::syntax::element_of;
use crate::types::Value;
use crate::verify::KernelAxes;

/// Why there is no JSON, and of which op.
type NoJson<'a> = (OpRef<'a>, String);
type Written<'a> = Result<Item, NoJson<'a>>;

/// How high expressions grow before a value gets a name.
const MAX_HEIGHT: usize = 12;

/// Writes a kernel.
pub(super) fn write(ctx: &Context, op: OpRef<'_>, diags: &Diagnostics) -> Option<String> {
    let no_json = |(op, why): NoJson<'_>| {
        diags.emit(Diagnostic::error(&NO_JSON, op.loc(), why).at(op.name()));
        None
    };
    let Some(func) = Func::of(op) else {
        return no_json((op, format!("'{}' is no kernel: JSON is written of 'region.func'", op.name())));
    };
    let root = func.resolve();
    let Some(block) = root.body.entry_block() else {
        return no_json((op, "a kernel without a body has no JSON".into()));
    };
    let mut kernel = Kernel {
        ctx,
        root,
        axes: KernelAxes::of(ctx, root.body),
        order: RefCell::default(),
        names: HashMap::new(),
        heights: HashMap::new(),
    };
    kernel.name_values();
    match kernel.text(func, block) {
        Ok(entries) => Some(document(&entries)),
        Err(why) => no_json(why),
    }
}

struct Kernel<'a> {
    ctx: &'a Context,
    root: OpRef<'a>,
    axes: KernelAxes,
    /// The axes in the order in which a reader meets them.
    order: RefCell<Vec<String>>,
    names: HashMap<ValueId, String>,
    /// How high the expressions are that stand where they are used.
    heights: HashMap<OpId, usize>,
}

impl<'a> Kernel<'a> {
    fn at(&self, id: OpId) -> OpRef<'a> {
        OpRef { id, ..self.root }
    }

    fn all_ops(&self) -> Vec<OpRef<'a>> {
        self.root.body.walk().into_iter().map(|id| self.at(id)).collect()
    }

    /// Gives every value a name: its own unless another has it, or it is that of an axis or symbol.
    fn name_values(&mut self) {
        let body = self.root.body;
        let mut taken: HashSet<String> = self.axes.names.iter().cloned().collect();
        taken.extend(Func::from(self.root).symbols().unwrap_or_default().into_iter().map(String::from));
        let mut values: Vec<ValueId> = Vec::new();
        for op in self.all_ops() {
            values.extend(op.results());
            for &region in op.regions() {
                for block in body.blocks(region) {
                    values.extend(body.args(block));
                }
            }
            let nested = op.operands().filter_map(|value| self.heights.get(&body.defining_op(value)?));
            let height = 1 + nested.max().copied().unwrap_or(0);
            if self.may_nest(op) && height <= MAX_HEIGHT {
                self.heights.insert(op.id, height);
            }
        }
        let args = body.entry_block().map_or(&[][..], |block| body.args(block));
        self.names =
            distinct(&args.iter().map(|&arg| (arg, self.ctx.str(body.value_name(arg)))).collect::<Vec<_>>(), 'x');
        let own = |value: ValueId| self.ctx.str(body.value_name(value));
        let mut rest = Vec::new();
        for value in values {
            if own(value).is_empty() || !taken.insert(own(value).to_string()) {
                rest.push(value);
            } else {
                self.names.insert(value, own(value).to_string());
            }
        }
        let mut fresh = (0..).map(|number| format!("v{number}")).filter(|name| !taken.contains(name));
        for value in rest {
            self.names.insert(value, fresh.next().unwrap_or_default());
        }
    }

    /// Whether an op may stand where its result is used: it has no name, only moves elements, or is in a reduction.
    fn may_nest(&self, op: OpRef<'a>) -> bool {
        let body = self.root.body;
        if op.results().len() != 1
            || !body.has_one_use(op.result(0))
            || op.is(Reduce::DEF)
            || body.attrs(op.id) != Attr::EMPTY_DICT
        {
            return false;
        }
        let unnamed = self.ctx.str(body.value_name(op.result(0))).is_empty();
        let user = body.uses(op.result(0)).next().map(|used| used.op);
        let inside = body.parent_op(op.id).is_some_and(|id| Reduce::of(self.at(id)).is_some());
        let moves = op.is(Read::DEF) || op.is(Const::DEF) || op.is(Index::DEF) || op.is(Cast::DEF);
        let moves = moves || op.is(ops::BroadcastInDim::DEF) || op.is(Transpose::DEF);
        user.is_some_and(|user| body.block_of(user) == body.block_of(op.id)) && (inside || moves || unnamed)
    }

    fn name(&self, value: ValueId) -> &str {
        self.names.get(&value).map_or("", String::as_str)
    }

    fn ty(&self, value: ValueId) -> (Type, Vec<String>) {
        match Value::of(self.ctx, self.root.body.value_type(value)) {
            Some(ty) => (ty.elem(self.ctx), ty.axes(self.ctx).into_iter().map(String::from).collect()),
            None => (Type::NONE, Vec::new()),
        }
    }

    fn dtype(&self, elem: Type, op: OpRef<'a>) -> Written<'a> {
        let name = dtype_name(self.ctx, elem);
        name.map(Item::from).ok_or_else(|| (op, format!("JSON has no name for the type {}", elem.display(self.ctx))))
    }

    fn number(&self, attr: Attr, op: OpRef<'a>) -> Written<'a> {
        let scalar = match *self.ctx.attr_data(attr) {
            AttrData::Integer { ty: Type::I1, value } => Some(Scalar::Bool(value != 0)),
            AttrData::Integer { value, .. } => Some(Scalar::Int(value)),
            AttrData::Float { ty, bits } => ty.float_kind(self.ctx).map(|kind| Scalar::Float(shortest(bits, kind))),
            _ => None,
        };
        Ok(match scalar.ok_or_else(|| (op, "JSON cannot say this number".to_string()))? {
            Scalar::Float(value) if value.is_infinite() => if value > 0.0 { "INF" } else { "-INF" }.into(),
            scalar => scalar.item(),
        })
    }

    fn text(&self, func: Func<'a>, block: BlockId) -> Result<Vec<(&'static str, Item)>, NoJson<'a>> {
        let (ctx, body) = (self.ctx, self.root.body);
        let ops: Vec<OpRef<'a>> = body.ops(block).map(|id| self.at(id)).collect();
        let Some((end, lets)) = ops.split_last().and_then(|(end, lets)| Some((Yield::of(*end)?, lets))) else {
            return Err((*func, "the kernel does not end with 'yield'".into()));
        };
        *self.order.borrow_mut() = self.axes.names[..self.axes.iters].to_vec();
        for &op in lets.iter().filter(|op| !self.heights.contains_key(&op.id)) {
            self.meet(op);
        }
        end.values().for_each(|value| self.meet_value(value));

        let mut entries = vec![("name", func.sym_name().into())];
        entries.extend(func.sym_visibility().map(|word| ("visibility", word.into())));
        let symbols = func.symbols().unwrap_or_default();
        if symbols != self.met_symbols(func) {
            entries.push(("symbols", Item::list(symbols)));
        }
        let iters = func.iters().into_iter().zip(func.iter_sizes());
        let iter = |(name, size): (&str, SizeExpr)| Item::object([("name", name.into()), ("size", size_item(&size))]);
        entries.push(("iters", Item::List(iters.map(iter).collect())));
        let mut inputs = Vec::new();
        for (index, &arg) in body.args(block).iter().enumerate() {
            let memref = self.memref(body.value_type(arg), Type::F16, *func)?;
            let mut input = vec![("name", self.name(arg).into()), ("memref", memref)];
            let attrs = func.arg_attrs().and_then(|attrs| attrs.get(index).copied());
            if let Some(attrs) = attrs.filter(|&attrs| attrs != Attr::EMPTY_DICT) {
                input.push(("attrs", self.kept(attrs, *func)?));
            }
            inputs.push(Item::object(input));
        }
        entries.push(("inputs", Item::List(inputs)));
        let casts = end.casts().unwrap_or_default();
        let cast = |at: usize| casts.get(at).copied().filter(|&ty| ty != Type::NONE);
        let (mut outputs, mut yields) = (Vec::new(), Vec::new());
        let results = match ctx.type_data(func.function_type()) {
            dlc_ir::TypeData::Function { results, .. } => *results,
            _ => &[],
        };
        let values: Vec<ValueId> = end.values().collect();
        for (at, ((name, how), &ty)) in func.outputs().into_iter().zip(func.materialize()).zip(results).enumerate() {
            let value = *values.get(at).ok_or_else(|| (*end, "a result is not yielded".to_string()))?;
            let usual = cast(at).unwrap_or_else(|| self.ty(value).0);
            let memref = self.memref(ty, usual, *func)?;
            outputs.push(Item::object([("name", name.into()), ("memref", memref), ("materialize", how.into())]));
            let mut entry = vec![("from", self.operand(value)?), ("to", name.into())];
            if let Some(ty) = cast(at) {
                entry.push(("cast", self.dtype(ty, *end)?));
            }
            yields.push(Item::object(entry));
        }
        entries.push(("outputs", Item::List(outputs)));
        entries.push(("lets", self.lets(lets)?));
        entries.push(("yield", Item::List(yields)));
        let attrs = body.attrs(self.root.id);
        if attrs != Attr::EMPTY_DICT {
            entries.push(("attrs", self.kept(attrs, *func)?));
        }
        Ok(entries)
    }

    fn kept(&self, attrs: Attr, op: OpRef<'a>) -> Written<'a> {
        from_attr(self.ctx, attrs).ok_or_else(|| (op, "JSON cannot say an attribute".to_string()))
    }

    fn memref(&self, ty: Type, usual: Type, op: OpRef<'a>) -> Written<'a> {
        let item = MemRef::of(self.ctx, ty).and_then(|ty| memref::item(self.ctx, ty, usual));
        item.ok_or_else(|| (op, format!("JSON has no name for the type {}", ty.display(self.ctx))))
    }

    /// The symbols in the order in which a reader meets them.
    fn met_symbols(&self, func: Func<'a>) -> Vec<String> {
        let (ctx, order) = (self.ctx, self.order.borrow());
        let sizes = order.iter().filter_map(|axis| self.axes.size(axis).cloned());
        let (inputs, results) = match ctx.type_data(func.function_type()) {
            dlc_ir::TypeData::Function { inputs, results } => (*inputs, *results),
            _ => (&[][..], &[][..]),
        };
        let memrefs = inputs.iter().chain(results).filter_map(|&ty| MemRef::of(ctx, ty));
        let mut met: Vec<String> = Vec::new();
        for name in sizes.chain(memrefs.flat_map(|ty| sizes_of(ctx, ty))).flat_map(|size| names_in(&size)) {
            if !met.contains(&name) {
                met.push(name);
            }
        }
        met
    }

    /// Notes the axes of the reductions in an expression as they are met.
    fn meet(&self, op: OpRef<'a>) {
        if let Some(reduce) = Reduce::of(op) {
            for axis in reduce.axes() {
                let mut order = self.order.borrow_mut();
                if !order.iter().any(|known| known == axis) {
                    order.push(axis.to_string());
                }
            }
            for &region in op.regions() {
                for inner in op.body.first_block(region).into_iter().flat_map(|block| op.body.ops(block)) {
                    if !self.heights.contains_key(&inner) {
                        self.meet(self.at(inner));
                    }
                }
            }
        }
        op.operands().for_each(|value| self.meet_value(value));
    }

    fn meet_value(&self, value: ValueId) {
        if let Some(op) = self.nested(value) {
            self.meet(op);
        }
    }

    /// The op of a value that stands where it is used.
    fn nested(&self, value: ValueId) -> Option<OpRef<'a>> {
        let op = self.root.body.defining_op(value)?;
        self.heights.contains_key(&op).then(|| self.at(op))
    }

    fn in_order(&self, named: &[String]) -> Vec<String> {
        self.order.borrow().iter().filter(|axis| named.contains(axis)).cloned().collect()
    }

    fn lets(&self, ops: &[OpRef<'a>]) -> Written<'a> {
        let mut lets = Vec::new();
        for &op in ops.iter().filter(|op| !self.heights.contains_key(&op.id)) {
            let results: Vec<ValueId> = op.results().collect();
            let name = match results[..] {
                [one] => self.name(one).into(),
                _ => Item::list(results.iter().map(|&value| self.name(value))),
            };
            let mut entries = vec![("let", name), ("expr", self.expr(op)?)];
            let attrs = self.root.body.attrs(op.id);
            if attrs != Attr::EMPTY_DICT {
                entries.push(("attrs", self.kept(attrs, op)?));
            }
            lets.push(Item::object(entries));
        }
        Ok(Item::List(lets))
    }

    fn operand(&self, value: ValueId) -> Written<'a> {
        match self.nested(value) {
            Some(op) => self.expr(op),
            None => Ok(self.name(value).into()),
        }
    }

    fn expr(&self, op: OpRef<'a>) -> Written<'a> {
        let call = |word: &str, args: Item| Ok(Item::object([(word, args)]));
        if let Some(op) = Const::of(op) {
            let dtype = self.dtype(self.ty(op.out()).0, *op)?;
            call("const", Item::object([("value", self.number(op.value(), *op)?), ("dtype", dtype)]))
        } else if let Some(op) = Index::of(op) {
            let value = op.value().into_iter().next().unwrap_or_else(|| SizeExpr::from(0));
            let (elem, axes) = self.ty(op.out());
            let mut entries = vec![("value", expr_item(&value)), ("dtype", self.dtype(elem, *op)?)];
            self.say_axes(&mut entries, &axes, &self.in_order(&self.named([&value].into_iter())));
            call("index", Item::object(entries))
        } else if let Some(op) = Read::of(op) {
            self.read(op)
        } else if let Some(op) = Unary::of(op) {
            call(op.function().word(), Item::List(vec![self.operand(op.input())?]))
        } else if let Some(op) = ops::Binary::of(op) {
            self.binary(op)
        } else if let Some(op) = Select::of(op) {
            self.select(op)
        } else if let Some(op) = Cast::of(op) {
            let word = if op.bits().is_some() { "bitcast" } else { "cast" };
            let dtype = self.dtype(self.ty(op.out()).0, *op)?;
            call(word, Item::object([("operand", self.operand(op.input())?), ("dtype", dtype)]))
        } else if let Some(op) = Reduce::of(op) {
            self.reduce(op)
        } else if let Some(op) = Scan::of(op) {
            let elem = self.ty(op.out()).0;
            let mut inputs = op.inputs().map(|input| self.operand(input)).collect::<Result<Vec<_>, _>>()?;
            let mut entries = vec![("op", op.combiner().word().into())];
            entries.push(match inputs.len() {
                1 => ("operand", inputs.remove(0)),
                _ => ("operands", Item::List(inputs)),
            });
            entries.push(("along", op.along().into()));
            // Of operands of several types the result has the common one, unless it says another.
            let common = op.inputs().map(|input| self.ty(input).0).reduce(|a, b| promote(self.ctx, a, b).unwrap_or(a));
            if common != Some(elem) {
                entries.push(("dtype", self.dtype(elem, *op)?));
            }
            entries.extend(op.every().map(|every| ("every", every.into())));
            entries.extend(op.exclusive().map(|()| ("exclusive", Item::Bool(true))));
            entries.extend(op.reverse().map(|()| ("reverse", Item::Bool(true))));
            call("scan", Item::object(entries))
        } else if let Some(op) = ops::Sort::of(op) {
            let mut entries = vec![("operand", self.operand(op.input())?), ("along", op.along().into())];
            entries.extend(op.every().map(|every| ("every", every.into())));
            call("sort", Item::object(entries))
        } else if let Some(op) = ops::BroadcastInDim::of(op) {
            let (shape, dims, axes) = (op.shape(), op.dims(), self.ty(op.out()).1);
            let mut entries = vec![
                ("operand", self.operand(op.input())?),
                ("result_shape", sizes_item(&shape)),
                ("broadcast_dimensions", Item::list(dims.iter().copied())),
            ];
            let size = |axis: &String| (axis.clone(), self.axes.size(axis).cloned());
            let known: Vec<_> = self.order.borrow().iter().map(size).collect();
            let follow = place_axes(&known, &self.ty(op.input()).1, &shape, &dims).unwrap_or_default();
            self.say_axes(&mut entries, &axes, &follow);
            call("BroadcastInDim", Item::object(entries))
        } else if let Some(op) = Transpose::of(op) {
            let entries = [("operand", self.operand(op.input())?), ("permutation", Item::list(op.by()))];
            call("transpose", Item::object(entries))
        } else {
            Err((op, format!("'{}' has no JSON", op.name())))
        }
    }

    /// The axes of an expression, where they are not those that follow.
    fn say_axes(&self, entries: &mut Vec<(&'static str, Item)>, axes: &[String], follow: &[String]) {
        if axes != follow {
            entries.push(("axes", Item::list(axes.iter().map(String::as_str))));
        }
    }

    /// The axes that expressions name.
    fn named<'e>(&self, exprs: impl Iterator<Item = &'e SizeExpr>) -> Vec<String> {
        let names = exprs.flat_map(|expr| expr.symbols());
        names.map(|name| name.to_string()).filter(|name| self.axes.position(name).is_some()).collect()
    }

    fn read(&self, op: Read<'a>) -> Written<'a> {
        let (positions, indices) = (op.at(), op.indices().collect::<Vec<_>>());
        let mut map = Vec::new();
        for at in &positions {
            let value = element_of(at).and_then(|index| indices.get(index));
            map.push(match value {
                Some(&value) => Item::object([("value", self.operand(value)?)]),
                None => expr_item(at),
            });
        }
        let guard = op.guard();
        let mut named = self.named(positions.iter().chain(guard.iter().flat_map(Guard::exprs)));
        indices.iter().for_each(|&index| named.extend(self.ty(index).1));
        let mut entries = vec![("tensor", self.name(op.source()).into()), ("map", Item::List(map))];
        let fill = op.fill().map(|fill| self.number(fill, *op)).transpose()?;
        if let Some(fill) = fill.clone().filter(|_| guard.is_none()) {
            entries.push(("else", fill));
        }
        self.say_axes(&mut entries, &self.ty(op.out()).1, &self.in_order(&named));
        let read = Item::object([("read", Item::object(entries))]);
        let Some(guard) = guard else { return Ok(read) };
        let mut entries = vec![("pred", guard_item(&guard)), ("then", read)];
        entries.extend(fill.map(|fill| ("else", fill)));
        Ok(Item::object([("select", Item::object(entries))]))
    }

    fn binary(&self, op: ops::Binary<'a>) -> Written<'a> {
        let (elem, axes) = self.ty(op.out());
        let operands = [op.lhs(), op.rhs()];
        let types = operands.map(|value| self.ty(value));
        // A number is of the type of what it meets.
        let constant = |at: usize| {
            let constant = self.nested(operands[at]).and_then(Const::of)?;
            let alongside = self.nested(operands[1 - at]).and_then(Const::of).is_none() && types[0].0 == types[1].0;
            alongside.then_some(constant)
        };
        let mut args = Vec::new();
        for (at, &operand) in operands.iter().enumerate() {
            args.push(match constant(at).map(|constant| self.number(constant.value(), *op)).transpose()? {
                Some(number) if !matches!(number, Item::Text(_)) => number,
                _ => self.operand(operand)?,
            });
        }
        let mut entries = vec![(word_of(op.function()), Item::List(args))];
        let sum = self.root.body.uses(op.out()).next().and_then(|used| {
            let reduce = Reduce::of(self.at(self.root.body.parent_op(used.op)?))?;
            let acc = reduce.acc();
            let follows = self.nested(op.out()).is_some() && reduce.combiner() == Some(Combiner::Sum);
            let ends = Yield::of(self.at(used.op)).is_some();
            acc.get(used.index).copied().filter(|_| follows && ends)
        });
        let product = op.function() == Binary::Mul;
        let wider = sum.filter(|&acc| {
            let own = op.function().elem(self.ctx, types[0].0, types[1].0);
            let own = own.ok().and_then(|own| promote(self.ctx, own, acc).ok());
            product && own == Some(acc)
        });
        match (op.widen().is_some(), wider) {
            (true, Some(acc)) if acc == elem => {}
            (true, _) => entries.push(("widen", self.dtype(elem, *op)?)),
            (false, Some(_)) => entries.push(("widen", Item::Bool(false))),
            (false, None) => {}
        }
        let [(_, a), (_, b)] = types;
        self.say_axes(&mut entries, &axes, &join_axes(&|all| self.in_order(all), &[a, b], Vec::new()));
        Ok(Item::object(entries))
    }

    fn select(&self, op: Select<'a>) -> Written<'a> {
        let operands: Vec<ValueId> = (*op).operands().collect();
        let guard = op.guard();
        let mut entries = Vec::new();
        let values = match (&guard, &operands[..]) {
            (Some(guard), [_, _]) => {
                entries.push(("pred", guard_item(guard)));
                &operands[..]
            }
            (None, [condition, rest @ ..]) if rest.len() == 2 => {
                entries.push(("pred", self.operand(*condition)?));
                rest
            }
            _ => return Err((*op, "the choice has no two values".into())),
        };
        entries.push(("then", self.operand(values[0])?));
        entries.push(("else", self.operand(values[1])?));
        let axes: Vec<Vec<String>> = operands.iter().map(|&operand| self.ty(operand).1).collect();
        let more = guard.as_ref().map_or_else(Vec::new, |guard| self.named(guard.exprs()));
        let follow = join_axes(&|all| self.in_order(all), &axes, more);
        self.say_axes(&mut entries, &self.ty(op.out()).1, &follow);
        Ok(Item::object([("select", Item::object(entries))]))
    }

    fn reduce(&self, op: Reduce<'a>) -> Written<'a> {
        let (axes, regions) = (op.axes(), op.regions());
        let mut entries = Vec::new();
        entries.extend(op.combiner().map(|combiner| ("op", combiner.word().into())));
        let sizes = op.sizes();
        let axis = |(name, size): (&&str, &SizeExpr)| match self.follows(name, size) {
            true => Item::from(*name),
            false => Item::object([("name", (*name).into()), ("size", size_item(size))]),
        };
        entries.push(("axes", Item::List(axes.iter().zip(&sizes).map(axis).collect())));
        let init = op.init().iter().map(|&init| self.number(init, *op)).collect::<Result<Vec<_>, _>>()?;
        let acc = op.acc().into_iter().map(|ty| self.dtype(ty, *op)).collect::<Result<Vec<_>, _>>()?;
        entries.push(("init", one_or_all(init)));
        entries.push(("dtype", one_or_all(acc)));
        let (lets, yields) = self.inside(op, 0)?;
        let values: Vec<ValueId> = yields.operands().collect();
        let mut list = values.iter().map(|&value| self.operand(value)).collect::<Result<Vec<_>, _>>()?;
        let body = match (&lets, list.len()) {
            (Item::List(lets), 1) if lets.is_empty() => list.remove(0),
            (Item::List(lets), _) if lets.is_empty() => Item::List(list),
            _ => Item::object([("lets", lets), ("yield", Item::List(list))]),
        };
        entries.push(("body", body));
        let kept = |value: &ValueId| -> Vec<String> {
            self.ty(*value).1.into_iter().filter(|axis| !axes.contains(&axis.as_str())).collect()
        };
        let over: Vec<Vec<String>> = op.results().map(|value| self.ty(value).1).collect();
        if over != values.iter().map(kept).collect::<Vec<_>>() {
            let over = over.iter().map(|axes| Item::list(axes.iter().map(String::as_str)));
            entries.push(("over", Item::List(over.collect())));
        }
        if let Some(block) = regions.get(1).and_then(|&region| op.body.first_block(region)) {
            let (lets, yields) = self.inside(op, 1)?;
            let values = yields.operands().map(|value| self.operand(value)).collect::<Result<Vec<_>, _>>()?;
            let args = Item::list(op.body.args(block).iter().map(|&arg| self.name(arg)));
            let combine = [("args", args), ("lets", lets), ("yield", Item::List(values))];
            entries.push(("combine", Item::object(combine)));
        }
        Ok(Item::object([("reduce", Item::object(entries))]))
    }

    /// What is in a region, and its end.
    fn inside(&self, op: Reduce<'a>, region: usize) -> Result<(Item, OpRef<'a>), NoJson<'a>> {
        let block = op.regions().get(region).and_then(|&region| op.body.first_block(region));
        let ops: Vec<OpRef<'a>> =
            block.into_iter().flat_map(|block| op.body.ops(block)).map(|id| self.at(id)).collect();
        let (end, lets) = ops.split_last().ok_or_else(|| (*op, "a region of a reduction is empty".to_string()))?;
        Ok((self.lets(lets)?, *end))
    }

    /// Whether a reader finds the size of an axis: that of a result with as many axes as the kernel, else of the first
    /// axis of a memref that is read at it alone.
    fn follows(&self, axis: &str, size: &SizeExpr) -> bool {
        if self.axes.position(axis).is_some_and(|at| at < self.axes.iters) {
            return true;
        }
        let reads = self.all_ops().into_iter().filter_map(Read::of);
        let sizes = reads.flat_map(|read| {
            let dims =
                MemRef::of(self.ctx, read.type_of(read.source())).map(|ty| ty.dims(self.ctx)).unwrap_or_default();
            read.at()
                .into_iter()
                .zip(dims)
                .filter(|(at, _)| at.as_symbol() == Some(axis))
                .map(|(_, dim)| dim)
                .collect::<Vec<_>>()
        });
        let mut sizes = sizes.peekable();
        sizes.peek().is_some() && sizes.all(|dim| dim == *size)
    }
}

/// The text of a kernel: an input, a result or a value on a line.
fn document(entries: &[(&'static str, Item)]) -> String {
    let rows = |item: &Item| match item {
        Item::List(items) if items.iter().any(|item| matches!(item, Item::Object(_))) => {
            let items: Vec<String> = items.iter().map(|item| format!("\n      {item}")).collect();
            format!("[{}\n    ]", items.join(","))
        }
        item => item.to_string(),
    };
    let entry = |(key, item): &(&str, Item)| format!("\n    {}: {}", Item::from(*key), rows(item));
    format!("{{\n  \"region\": {{{}\n  }}\n}}\n", entries.iter().map(entry).collect::<Vec<_>>().join(","))
}

fn one_or_all(mut items: Vec<Item>) -> Item {
    if items.len() == 1 { items.remove(0) } else { Item::List(items) }
}
