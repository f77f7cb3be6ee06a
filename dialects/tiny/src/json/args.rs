//! The `arg` of a uop, and the type it is given where none follows from its operands.

use dlc_core::broadcast::show;
use dlc_core::json::names::{size_item, sizes_item};
use dlc_core::json::{Item, Kind as Json, Node, Read, Record, Scalar, WRONG_VALUE};
use dlc_core::sizes::{Exprs, Sizes};
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::attrs::{AttrData, Container, DenseData, wrap_integer};
use dlc_ir::define::{Int, IntArray, Kind, TypeAttr};
use dlc_ir::diag::did_you_mean;
use dlc_ir::{Attr, Context, OpRef, Type};

use super::axes::AxisNames;
use super::build::{Operand, Props};
use super::contraction::{self, Indices};
use super::number::{self, EXACT, element};
use super::uops::{Arg, Uop};
use super::{Spelling, TYPE_DIFFERS};
use crate::ops::{self, Combiner, Predicate, ScanCombiner};

/// What a reader knows about a uop.
pub(super) struct JsonArgs<'a, 'c> {
    /// The context.
    pub ctx: &'c Context,
    /// How the program is written.
    pub spelling: Spelling,
    /// The uop.
    pub uop: &'static Uop,
    /// All of it.
    pub record: &'a Record<'a>,
    /// Its operands.
    pub operands: &'a [Operand],
    /// The names of their axes.
    pub axes: &'a AxisNames,
    /// The type of elements that is written.
    pub dtype: Option<Type>,
    /// The sizes that are written.
    pub shape: Option<Vec<SizeExpr>>,
}

/// What an op consists of besides its operands.
#[derive(Default)]
pub(super) struct Parts {
    /// Inherent attributes.
    pub props: Props,
    /// Discardable attributes.
    pub attrs: Props,
    /// The type of the result, where none follows.
    pub ty: Option<Type>,
}

const COMBINERS: [(&str, Combiner); 4] =
    [("SUM", Combiner::Sum), ("MAX", Combiner::Max), ("MIN", Combiner::Min), ("PROD", Combiner::Prod)];

/// The same of scans, which have recurrences besides.
fn scan_combiners() -> impl Iterator<Item = (&'static str, ScanCombiner)> {
    let of_one = COMBINERS.into_iter().map(|(name, combiner)| (name, ScanCombiner::from(combiner)));
    of_one.chain([("LINEAR", ScanCombiner::Linear)])
}

impl<'a> JsonArgs<'a, '_> {
    /// Reads the `arg`.
    pub fn read(&self) -> Read<Parts> {
        let ctx = self.ctx;
        let mut parts = Parts::default();
        let props = &mut parts.props;
        match self.uop.arg {
            Arg::Elementwise | Arg::Nothing => drop(self.arg(&[])?),
            Arg::Compare(predicate) => {
                self.arg(&[])?;
                props.push(("predicate", Predicate::make(ctx, predicate)));
            }
            Arg::Const => return self.constant(),
            Arg::Reshape => {
                let shape = self.arg(&["result_shape"])?.need("result_shape")?.sizes()?;
                props.push(("shape", Sizes::make(ctx, shape)));
            }
            Arg::Permute => {
                let order = self.arg(&["dims"])?.need("dims")?.list_of("a list of axes", |node| self.axis(node))?;
                props.push(("order", IntArray::make(ctx, order)));
            }
            Arg::Expand => {
                let arg = self.arg(&["result_shape", "broadcast_dimensions"])?;
                let shape = arg.need("result_shape")?.sizes()?;
                if let Some(dims) = arg.get("broadcast_dimensions") {
                    let dims = dims.list_of("a list of axes", Node::int)?;
                    if !dims.iter().copied().eq(0..shape.len() as i64) {
                        props.push(("dims", IntArray::make(ctx, dims)));
                    }
                }
                props.push(("shape", Sizes::make(ctx, shape)));
            }
            Arg::Pad => self.pad(&mut parts)?,
            Arg::Shrink => {
                let arg = self.arg(&["bounds", "steps"])?;
                let (start, stop) = self.pairs(arg.need("bounds")?, "bounds")?;
                props.push(("start", Sizes::make(ctx, start)));
                props.push(("stop", Sizes::make(ctx, stop)));
                if let Some(steps) = arg.get("steps") {
                    props.push(("step", IntArray::make(ctx, steps.list_of("a list of steps", Node::int)?)));
                }
            }
            Arg::Flip => {
                let axes = self.axis_list(self.arg(&["axes"])?.need("axes")?)?;
                props.push(("axes", IntArray::make(ctx, axes)));
            }
            Arg::View => {
                let arg = self.arg(&["result_shape", "strides", "offset"])?;
                if arg.entries().next().is_some() {
                    props.push(("shape", Sizes::make(ctx, arg.need("result_shape")?.sizes()?)));
                    let strides = arg.need("strides")?.list_of("a list of strides", Node::expr)?;
                    props.push(("strides", Exprs::make(ctx, strides)));
                    props.push(("start", Exprs::make(ctx, vec![arg.need("offset")?.expr()?])));
                }
            }
            Arg::Valid => {
                let shape = self.needed_shape()?;
                let (start, stop) = self.pairs_for(self.arg(&["bounds"])?.need("bounds")?, shape.len())?;
                props.push(("start", Sizes::make(ctx, start)));
                props.push(("stop", Sizes::make(ctx, stop)));
                parts.ty = Some(Tensor::get(ctx, shape, Type::I1));
            }
            Arg::Load => {
                let arg = self.arg(&["map"])?;
                let operand = self.operands.first();
                let mut shape = operand.map_or_else(Vec::new, |operand| operand.dims.clone());
                if let Some(map) = arg.get("map") {
                    props.push(("at", Exprs::make(ctx, map.list_of("a list of indices", Node::expr)?)));
                    shape = self.needed_shape()?;
                }
                parts.ty = Some(Tensor::get(ctx, shape, self.elem(0)));
            }
            Arg::Store => {
                if let Some(start) = self.arg(&["start"])?.get("start") {
                    props.push(("start", Sizes::make(ctx, start.sizes()?)));
                }
            }
            Arg::Range => {
                let axis = self.arg(&["axis"])?.need("axis")?.int()?;
                props.push(("axis", Int::make(ctx, axis)));
                parts.ty = Some(Tensor::get(ctx, self.needed_shape()?, self.dtype.unwrap_or(Type::I32)));
            }
            Arg::Cast => {
                let to = self.arg(&["to"])?.need("to")?.dtype(ctx)?;
                props.push(("elem", TypeAttr::make(ctx, to)));
            }
            Arg::Reduce => self.reduce(props)?,
            Arg::Scan => self.scan(props)?,
            Arg::Sort => {
                let arg = self.arg(&["axis"])?;
                props.push(("axis", Int::make(ctx, arg.need("axis")?.int()?)));
            }
            Arg::Contract => {
                let arg = self.arg(&contraction::KEYS)?;
                let (props, attrs) = contraction::props(ctx, &arg, self.operands, self.dtype, self.spelling)?;
                (parts.props, parts.attrs) = (props, attrs);
            }
        }
        Ok(parts)
    }

    fn pad(&self, parts: &mut Parts) -> Read<()> {
        let (ctx, props) = (self.ctx, &mut parts.props);
        let arg = self.arg(&["pad", "value"])?;
        let (low, high) = self.pairs(arg.need("pad")?, "pad")?;
        props.push(("low", Sizes::make(ctx, low)));
        props.push(("high", Sizes::make(ctx, high)));
        if let Some(value) = arg.get("value") {
            let number = element(ctx, value, value.scalar()?, self.elem(0))?;
            // Without a value it is zero.
            let zero = match ctx.attr_data(number.attr) {
                AttrData::Integer { value, .. } => *value == 0,
                AttrData::Float { bits, .. } => *bits == 0,
                _ => false,
            };
            if !zero {
                props.push(("value", number.attr));
                parts.attrs.extend(number.exact.map(|exact| (EXACT, exact)));
            }
        }
        Ok(())
    }

    fn reduce(&self, props: &mut Props) -> Read<()> {
        let arg = self.arg(&["op", "axes", "acc_dtype"])?;
        props.push(("combiner", Combiner::make(self.ctx, self.combiner(&arg, &COMBINERS)?)));
        props.push(("axes", IntArray::make(self.ctx, self.axis_list(arg.need("axes")?)?)));
        self.accumulator(&arg, props)
    }

    fn scan(&self, props: &mut Props) -> Read<()> {
        let arg = self.arg(&["op", "axis", "exclusive", "reverse", "acc_dtype"])?;
        let combiners: Vec<_> = scan_combiners().collect();
        props.push(("combiner", ScanCombiner::make(self.ctx, self.combiner(&arg, &combiners)?)));
        props.push(("axis", Int::make(self.ctx, arg.need("axis")?.int()?)));
        for key in ["exclusive", "reverse"] {
            if let Some(flag) = arg.get(key) {
                match flag.scalar()? {
                    Scalar::Bool(true) => props.push((key, Attr::UNIT)),
                    Scalar::Bool(false) => {}
                    _ => return Err(flag.not("true or false")),
                }
            }
        }
        self.accumulator(&arg, props)
    }

    /// How elements are combined.
    fn combiner<T: Copy>(&self, arg: &Record<'a>, known: &[(&'static str, T)]) -> Read<T> {
        let word = arg.need("op")?;
        let name = word.string("the name of a reduction, such as \"SUM\"")?;
        let combiner = known.iter().find(|(own, _)| *own == name).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|&(name, _)| name).collect();
            let near = did_you_mean(&name.to_uppercase(), names.iter().copied());
            let error = word.error(&WRONG_VALUE, format!("'{}': there is no reduction '{name}'", word.path()));
            word.report(error.suggest(near.unwrap_or_else(|| format!("there are {}", names.join(", ")))))
        })?;
        Ok(combiner.1)
    }

    /// The type in which elements are combined, where it is not theirs.
    fn accumulator(&self, arg: &Record<'a>, props: &mut Props) -> Read<()> {
        let ctx = self.ctx;
        let acc = match arg.get("acc_dtype") {
            Some(acc) => Some(acc.dtype(ctx)?),
            None => self.dtype.filter(|dtype| *dtype != self.elem(0)),
        };
        props.extend(acc.map(|acc| ("acc", TypeAttr::make(ctx, acc))));
        Ok(())
    }

    fn elem(&self, operand: usize) -> Type {
        self.operands.get(operand).map_or(Type::NONE, |operand| operand.elem)
    }

    /// The `arg`, with the keys that it may have. Where none is needed it may be left out.
    fn arg(&self, keys: &[&str]) -> Read<Record<'a>> {
        let what = format!("the arg of {}", self.uop.name);
        match self.record.get("arg") {
            Some(arg) => Record::new(arg, what, keys),
            None => Ok(Record::empty(self.record.node(), what)),
        }
    }

    fn needed_shape(&self) -> Read<Vec<SizeExpr>> {
        match &self.shape {
            Some(shape) => Ok(shape.clone()),
            None => self.record.need("shape")?.sizes(),
        }
    }

    /// One number everywhere, or one for each element.
    fn constant(&self) -> Read<Parts> {
        let ctx = self.ctx;
        let arg = self.arg(&["value", "values"])?;
        let mut parts = Parts::default();
        let shape = self.shape.clone().unwrap_or_default();
        let Some(values) = arg.get("values") else {
            let node = arg.need("value")?;
            let scalar = node.scalar()?;
            let elem = self.dtype.unwrap_or_else(|| number::usual_type(scalar));
            let number = element(ctx, node, scalar, elem)?;
            parts.props.push(("value", number.attr));
            parts.attrs.extend(number.exact.map(|exact| (EXACT, exact)));
            parts.ty = Some(Tensor::get(ctx, shape, elem));
            return Ok(parts);
        };
        let elem = match self.dtype {
            Some(dtype) => dtype,
            None => self.record.need("dtype")?.dtype(ctx)?,
        };
        let sizes = shape.iter().map(|size| size.as_constant().and_then(|size| u64::try_from(size).ok()));
        let sizes: Option<Vec<u64>> = sizes.collect();
        let Some(sizes) = sizes else {
            let message = "a constant with a number for each element has sizes that are numbers";
            return Err(self.record.node().report(self.record.node().error(&WRONG_VALUE, message)));
        };
        let each = elem.bits(ctx).map_or(0, |bits| bits.div_ceil(8) as usize);
        let numbers = values.list_of("a list of numbers", |node| element(ctx, node, node.scalar()?, elem))?;
        let wanted = sizes.iter().try_fold(1u64, |count, &size| count.checked_mul(size));
        if wanted != Some(numbers.len() as u64) {
            let message = format!("'{}' has {} numbers for the sizes {}", values.path(), numbers.len(), show(&shape));
            return Err(values.report(values.error(&WRONG_VALUE, message)));
        }
        let bits = |attr: Attr| match *ctx.attr_data(attr) {
            AttrData::Integer { value, .. } => value as u64,
            AttrData::Float { bits, .. } => bits,
            _ => 0,
        };
        let payload: Vec<u8> = numbers.iter().flat_map(|n| bits(n.attr).to_le_bytes().into_iter().take(each)).collect();
        let dense =
            DenseData { shape: &sizes, elem, payload: payload.into(), container: Container::Tensor, resource: None };
        parts.props.push(("value", ctx.attr(AttrData::Dense(dense))));
        parts.ty = Some(Tensor::get(ctx, shape, elem));
        Ok(parts)
    }

    /// An axis of the first operand, by number (from the end if negative) or by name.
    fn axis(&self, node: &Node<'_>) -> Read<i64> {
        let Some(operand) = self.operands.first() else { return node.int() };
        let rank = operand.dims.len() as i64;
        if node.kind() == Json::String {
            let name = node.name()?;
            let names = self.axes.of(operand.id);
            let place = names.as_ref().and_then(|names| names.iter().position(|own| *own == name));
            return place.map(|place| place as i64).ok_or_else(|| {
                let message = format!("'{}': the operand has no axis of the name '{name}'", node.path());
                let fix = match &names {
                    Some(names) => format!("its axes are {}", names.join(", ")),
                    None => format!("its axes have no names; give numbers from 0 to {}", rank - 1),
                };
                node.report(node.error(&WRONG_VALUE, message).suggest(fix))
            });
        }
        match node.int()? {
            axis if (-rank..0).contains(&axis) => Ok(axis + rank),
            axis if (0..rank).contains(&axis) => Ok(axis),
            _ => Err(node.not(&format!("one of the {rank} axes of {}", show(&operand.dims)))),
        }
    }

    /// Axes of the first operand, ascending.
    fn axis_list(&self, list: &Node<'_>) -> Read<Vec<i64>> {
        let nodes = list.list("a list of axes")?;
        let mut axes = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let axis = self.axis(node)?;
            if axes.contains(&axis) {
                let message = format!("'{}' names axis {axis} a second time", node.path());
                return Err(node.report(node.error(&WRONG_VALUE, message)));
            }
            axes.push(axis);
        }
        axes.sort_unstable();
        Ok(axes)
    }

    /// Two sizes for each axis of the first operand.
    fn pairs(&self, list: &Node<'_>, what: &str) -> Read<(Vec<SizeExpr>, Vec<SizeExpr>)> {
        let operand = self.operands.first();
        let rank = operand.map_or(0, |operand| operand.dims.len());
        let nodes = list.list("a list")?;
        // A dump writes all numbers in one list.
        if self.spelling == Spelling::Dump && nodes.first().is_none_or(|node| node.kind() != Json::List) {
            let numbers = list.sizes()?;
            if numbers.len() != 2 * rank {
                let shown = operand.map_or_else(String::new, |operand| show(&operand.dims));
                let message = format!("'{}' has {} numbers for the {rank} axes of {shown}", list.path(), numbers.len());
                let fix =
                    format!("give two numbers for each axis, {} in all: how much before it and after it", 2 * rank);
                return Err(list.report(list.error(&WRONG_VALUE, message).suggest(fix)));
            }
            return Ok(numbers.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).unzip());
        }
        match nodes.len() == rank {
            true => self.pairs_for(list, rank),
            false => {
                let shown = operand.map_or_else(String::new, |operand| show(&operand.dims));
                let message = format!("'{}' has {} pairs for the {rank} axes of {shown}", list.path(), nodes.len());
                let error = list.error(&WRONG_VALUE, message);
                Err(list.report(error.suggest(format!("'{what}' has a pair of numbers for each axis"))))
            }
        }
    }

    fn pairs_for(&self, list: &Node<'_>, rank: usize) -> Read<(Vec<SizeExpr>, Vec<SizeExpr>)> {
        let pairs = list.list_of("a list of pairs", |node| match &node.sizes()?[..] {
            [a, b] => Ok((a.clone(), b.clone())),
            _ => Err(node.not("a pair of sizes")),
        })?;
        match pairs.len() == rank {
            true => Ok(pairs.into_iter().unzip()),
            false => Err(list.not(&format!("a list of {rank} pairs"))),
        }
    }

    /// Compares the type that is written with the one of the result.
    pub fn check(&self, elem: Type, dims: &[SizeExpr]) {
        let differs = |key: &str, written: String, follows: String| {
            if let Some(node) = self.record.get(key).filter(|_| written != follows) {
                let message =
                    format!("'{}' is {written}, but the result of {} is {follows}", node.path(), self.uop.name);
                node.report(node.error(&TYPE_DIFFERS, message));
            }
        };
        if let Some(dtype) = self.dtype {
            differs("dtype", number::name(self.ctx, dtype), number::name(self.ctx, elem));
        }
        if let Some(shape) = &self.shape {
            differs("shape", show(shape), show(dims));
        }
    }
}

/// The `arg` of an op; nothing for one that has none. `None` when JSON cannot say it.
pub(super) fn write(op: OpRef<'_>, uop: &Uop, spelling: Spelling, axes: &AxisNames) -> Option<Option<Item>> {
    let ctx = op.ctx;
    let exact = op.attr(ctx.intern_str(EXACT));
    let type_of = |value| Tensor::of(ctx, op.type_of(value));
    let ints = |list: Vec<i64>| Item::list(list);
    Some(Some(Item::object(match uop.arg {
        Arg::Elementwise | Arg::Compare(_) | Arg::Nothing => return Some(None),
        Arg::Const => vec![match ctx.attr_data(ops::Const::from(op).value()) {
            // One number stands for all: there may be very many.
            AttrData::Dense(dense) if dense.is_splat(ctx) => ("value", number(ctx, dense, &dense.payload)?),
            AttrData::Dense(dense) => ("values", values(ctx, dense)?),
            _ => ("value", number::scalar(ctx, ops::Const::from(op).value(), exact)?.item()),
        }],
        Arg::Reshape => vec![("result_shape", sizes_item(&ops::Reshape::from(op).shape()))],
        Arg::Permute => vec![("dims", ints(ops::Permute::from(op).order()))],
        Arg::Expand => {
            let op = ops::Expand::from(op);
            let dims = op.dims().unwrap_or_else(|| (0..op.shape().len() as i64).collect());
            vec![("result_shape", sizes_item(&op.shape())), ("broadcast_dimensions", ints(dims))]
        }
        Arg::Pad => written_pad(ops::Pad::from(op), spelling, exact)?,
        Arg::Shrink => {
            let op = ops::Shrink::from(op);
            let bounds = pairs(&op.start(), &op.stop());
            std::iter::once(("bounds", bounds)).chain(op.step().map(|step| ("steps", ints(step)))).collect()
        }
        Arg::Flip => vec![("axes", axis_items(op, ops::Flip::from(op).axes(), spelling, axes))],
        Arg::View => {
            let op = ops::View::from(op);
            match (op.shape(), op.strides(), op.start().and_then(|start| start.first().cloned())) {
                (Some(shape), Some(strides), Some(start)) => vec![
                    ("result_shape", sizes_item(&shape)),
                    ("strides", exprs(&strides)),
                    ("offset", size_item(&start)),
                ],
                _ => return Some(None),
            }
        }
        Arg::Valid => {
            let op = ops::Valid::from(op);
            vec![("bounds", pairs(&op.start(), &op.stop()))]
        }
        Arg::Load => match ops::Load::from(op).at() {
            Some(at) => vec![("map", exprs(&at))],
            None => return Some(None),
        },
        Arg::Store => match ops::Store::from(op).start() {
            Some(start) => vec![("start", sizes_item(&start))],
            None => return Some(None),
        },
        Arg::Range => vec![("axis", ops::Range::from(op).axis().into())],
        Arg::Cast => {
            let elem = type_of(op.results().next()?)?.elem(ctx);
            vec![("to", number::written(ctx, elem)?)]
        }
        Arg::Reduce => {
            let reduce = ops::Reduce::from(op);
            let name = COMBINERS.iter().find(|(_, own)| *own == reduce.combiner())?.0;
            let items = axis_items(op, reduce.axes(), spelling, axes);
            let mut entries = vec![("op", name.into()), ("axes", items)];
            if let Some(acc) = reduce.acc().filter(|_| spelling == Spelling::Dump) {
                entries.push(("acc_dtype", number::written(ctx, acc)?));
            }
            entries
        }
        Arg::Scan => {
            let scan = ops::Scan::from(op);
            let name = scan_combiners().find(|(_, own)| *own == scan.combiner())?.0;
            let mut entries = vec![("op", name.into()), ("axis", scan.axis().into())];
            entries.extend(scan.exclusive().map(|()| ("exclusive", Item::Bool(true))));
            entries.extend(scan.reverse().map(|()| ("reverse", Item::Bool(true))));
            if let Some(acc) = scan.acc().filter(|_| spelling == Spelling::Dump) {
                entries.push(("acc_dtype", number::written(ctx, acc)?));
            }
            entries
        }
        Arg::Sort => vec![("axis", ops::Sort::from(op).axis().into())],
        Arg::Contract => written_contract(ops::Contract::from(op), spelling)?,
    })))
}

fn exprs(list: &[SizeExpr]) -> Item {
    Item::List(list.iter().map(size_item).collect())
}

fn pairs(a: &[SizeExpr], b: &[SizeExpr]) -> Item {
    let pairs = a.iter().zip(b).map(|(a, b)| Item::List(vec![size_item(a), size_item(b)]));
    Item::List(pairs.collect())
}

fn written_pad(op: ops::Pad<'_>, spelling: Spelling, exact: Option<Attr>) -> Option<Vec<(&'static str, Item)>> {
    let (low, high) = (op.low(), op.high());
    let pad = match spelling {
        Spelling::Typed => pairs(&low, &high),
        Spelling::Dump => {
            Item::List(low.iter().zip(&high).flat_map(|(low, high)| [size_item(low), size_item(high)]).collect())
        }
    };
    let value = match (op.value(), spelling) {
        (Some(value), _) => Some(number::scalar(op.ctx, value, exact)?.item()),
        (None, Spelling::Typed) => Some(Item::Int(0)),
        (None, Spelling::Dump) => None,
    };
    Some(std::iter::once(("pad", pad)).chain(value.map(|value| ("value", value))).collect())
}

fn written_contract(op: ops::Contract<'_>, spelling: Spelling) -> Option<Vec<(&'static str, Item)>> {
    let ctx = op.ctx;
    let mut indices = Indices { lhs: op.lhs_idx(), rhs: op.rhs_idx(), out: op.out_idx() };
    let reduced = indices.reduced();
    let mut strides = None;
    if let Some((lhs, rhs, factors)) = indices.close_windows().filter(|_| spelling == Spelling::Dump) {
        (indices.lhs, indices.rhs, strides) = (lhs, rhs, Some(factors));
    }
    let mut entries = Vec::new();
    if let Some(pattern) = op.attr(ctx.intern_str("pattern")).and_then(|attr| attr.as_str(ctx)) {
        entries.push(("pattern", pattern.into()));
    }
    entries.extend([
        ("lhs_idx", exprs(&indices.lhs)),
        ("rhs_idx", exprs(&indices.rhs)),
        ("out_idx", exprs(&indices.out)),
        ("reduce_idx", exprs(&reduced)),
    ]);
    entries.extend(strides.map(|strides| ("strides", Item::list(strides))));
    if let Some(product) = op.product() {
        entries.push(("product_dtype", number::written(ctx, product)?));
    }
    let elem = |value| Tensor::of(ctx, op.type_of(value)).map(|ty| ty.elem(ctx));
    if spelling == Spelling::Dump {
        let (lhs, rhs, result) = (elem(op.lhs())?, elem(op.rhs())?, elem(op.out())?);
        let shown = contraction::shown_accumulator(ctx, lhs, rhs, result);
        entries.extend(shown.map(|shown| ("acc_dtype", shown.as_str().into())));
    }
    Some(entries)
}

/// Axes of the first operand. A dump writes names where there are some, and else the last axis as -1.
fn axis_items(op: OpRef<'_>, list: Vec<i64>, spelling: Spelling, axes: &AxisNames) -> Item {
    if spelling == Spelling::Typed {
        return Item::list(list);
    }
    let Some(operand) = op.operands().next() else { return Item::list(list) };
    let rank = Tensor::of(op.ctx, op.type_of(operand)).map_or(0, |ty| ty.rank(op.ctx)) as i64;
    let names = axes.of(operand);
    let item = |axis: i64| match names.as_ref().and_then(|names| names.get(usize::try_from(axis).ok()?)) {
        Some(name) => name.as_str().into(),
        None if axis + 1 == rank => (-1).into(),
        None => axis.into(),
    };
    Item::List(list.into_iter().map(item).collect())
}

/// The elements of a dense constant, one after another.
fn values(ctx: &Context, dense: &DenseData<'_>) -> Option<Item> {
    let each = dense.elem_bytes(ctx).max(1);
    let items: Option<Vec<Item>> = dense.payload.chunks_exact(each).map(|bytes| number(ctx, dense, bytes)).collect();
    Some(Item::List(items?))
}

/// An element of a dense constant.
fn number(ctx: &Context, dense: &DenseData<'_>, bytes: &[u8]) -> Option<Item> {
    let mut bits = [0; 8];
    bits.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let bits = u64::from_le_bytes(bits);
    let attr = match dense.elem.float_kind(ctx) {
        Some(_) => ctx.attr(AttrData::Float { ty: dense.elem, bits }),
        None => ctx.int_attr(wrap_integer(bits.into(), ctx.type_data(dense.elem)), dense.elem),
    };
    number::scalar(ctx, attr, None).map(Scalar::item)
}
