//! One kernel: the value that it stores, and what that is computed from, over the axes of the kernel.
//!
//! Each value is computed once at each of its [places](super::places). Axes get their names here, in the order in which
//! they are met.

use std::collections::BTreeSet;

use dlc_book::ops::Function;
use dlc_core::access::Access;
use dlc_core::guard::Guard;
use dlc_core::memref::{Layout, MemRef};
use dlc_core::precision::TF32;
use dlc_core::scalar::{ANY_ORDER, Combiner};
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{Kind as _, TextArray};
use dlc_ir::{Attr, BlockId, Body, Builder, Context, Loc, Type, ValueId};
use dlc_region::ops as region;
use dlc_region::types::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Graph, Kind, Node, Scan};
use super::parts::Parts;
use super::places::{Axis, Place, Read, RegionValues, TooLarge};

/// What is read of memory: where, within which guard, and what stands outside of it.
type ReadKey = (Node, Vec<SizeExpr>, Option<Guard>, Option<Attr>);

/// A region and the memory that it reads.
pub struct Kernel {
    /// The region, isolated.
    pub body: Body,
    /// What it reads, in the order of its arguments, and the type of each: that of the memory, or of a view of it.
    pub reads: Vec<(Node, Type)>,
    /// The symbols that it takes.
    pub symbols: Vec<String>,
}

/// What is the same for all kernels of a program.
pub struct Program<'p> {
    pub ctx: &'p Context,
    pub graph: &'p Graph,
    /// Whether each value is memory to those who read it.
    pub memory: &'p [bool],
    /// The type of each value that is memory.
    pub types: &'p [Option<Type>],
    /// How many reductions are nested in each value, up to memory.
    pub depths: &'p [usize],
    /// The names of the values, as words; empty for those without one.
    pub names: &'p [String],
    /// The symbols of the program, and the place of each among them.
    pub symbols: &'p FxHashMap<String, usize>,
}

type Result<T> = std::result::Result<T, TooLarge>;

/// The kernel that stores a value, as a region of some name. Its places are those of the kernel.
pub fn kernel(program: &Program<'_>, places: &RegionValues<'_>, root: Node, name: &str) -> Result<Kernel> {
    let ctx = program.ctx;
    let loc = program.graph.values[root].loc;
    let mut body = Body::new(ctx.op_name(region::Func::DEF.name), loc, 1);
    let region = body.root_region();
    let block = body.append_block(region);
    let reads = read_by(program, root);
    let mut arguments = FxHashMap::default();
    let parts = Parts::of(program, places, &reads, root);
    let reads: Vec<(Node, Type)> = reads.into_iter().map(|node| (node, parts.ty(program, node))).collect();
    for &(node, ty) in &reads {
        let arg = body.add_arg(block, ty, program.graph.values[node].loc);
        body.set_value_name(arg, ctx.intern_str(&program.names[node]));
        arguments.insert(node, arg);
    }
    let mut emitter = Emitter {
        program,
        places,
        parts: &parts,
        body: &mut body,
        block,
        arguments,
        axes: Vec::new(),
        names: Vec::new(),
        values: FxHashMap::default(),
        reads: FxHashMap::default(),
        symbols: BTreeSet::new(),
        loc,
    };
    let sizes = &program.graph.values[root].axes;
    let iters: Vec<String> = (0..sizes.len()).map(|axis| emitter.name(axis)).collect();
    let mut value = emitter.value(root, 0)?;
    // A result that is the same along some axis is still stored for each point.
    let axes = emitter.axes_of(value);
    if axes.len() != iters.len() {
        let dims = axes.iter().filter_map(|axis| iters.iter().position(|iter| iter == axis)).map(|at| at as i64);
        let (dims, ty) = (dims.collect(), emitter.ty(emitter.elem_of(value), &iters));
        let op = region::BroadcastInDim::build(&mut emitter.builder(), loc, value, sizes.clone(), dims, ty);
        value = emitter.body.result(op, 0);
    }
    let output = Some(program.names[root].clone()).filter(|name| !name.is_empty()).unwrap_or_else(|| "out".into());
    let to = Some(vec![output.as_str()]);
    region::Yield::build(&mut emitter.builder(), loc, &[value], to, None);

    let Emitter { axes, mut symbols, .. } = emitter;
    let sizes_of = |(node, _): &(Node, Type)| program.graph.values[*node].axes.iter();
    for size in axes.iter().map(|(_, size)| size).chain(reads.iter().flat_map(sizes_of)) {
        symbols.extend(size.symbols().iter().map(|name| name.to_string()));
    }
    let types =
        reads.iter().map(|&(node, _)| node).chain([root]).filter_map(|node| MemRef::of(ctx, program.types[node]?));
    for layout in types.map(|ty| ty.layout(ctx)) {
        if let Layout::Strided { strides, offset } = layout {
            symbols.extend(strides.iter().chain([&offset]).flat_map(SizeExpr::symbols).map(|name| name.to_string()));
        }
    }
    let mut symbols: Vec<&str> =
        symbols.iter().map(String::as_str).filter(|name| program.symbols.contains_key(*name)).collect();
    symbols.sort_by_key(|name| program.symbols[*name]);
    let result = program.types[root].expect("what is stored has its type");
    let inputs: Vec<Type> = reads.iter().map(|&(_, ty)| ty).collect();
    let text = |items: Vec<&str>| TextArray::make(ctx, items);
    let mut props = vec![
        ("sym_name", ctx.str_attr(name)),
        ("sym_visibility", ctx.str_attr("private")),
        ("function_type", ctx.type_attr(ctx.function_type(&inputs, &[result]))),
        ("iters", text(iters.iter().map(String::as_str).collect())),
        ("iter_sizes", dlc_core::sizes::Sizes::make(ctx, sizes.clone())),
        ("outputs", text(vec![output.as_str()])),
        ("materialize", text(vec!["gmem"])),
    ];
    if !symbols.is_empty() {
        props.push(("symbols", text(symbols.clone())));
    }
    let props: Vec<_> = props.into_iter().map(|(key, attr)| (ctx.intern_str(key), attr)).collect();
    body.set_props(body.root(), ctx.dict_attr(&props));
    Ok(Kernel { body, reads, symbols: symbols.into_iter().map(String::from).collect() })
}

/// The memory that a kernel reads, in the order of the program.
fn read_by(program: &Program<'_>, root: Node) -> Vec<Node> {
    let (mut reads, mut seen, mut work) = (Vec::new(), FxHashSet::default(), vec![root]);
    while let Some(at) = work.pop() {
        for operand in &program.graph.values[at].operands {
            if !seen.insert(operand.node) {
                continue;
            }
            match program.memory[operand.node] {
                true => reads.push(operand.node),
                false => work.push(operand.node),
            }
        }
    }
    reads.sort_unstable();
    reads
}

fn symbol(name: &str) -> SizeExpr {
    SizeExpr::symbol(name).expect("axes have names of symbols")
}

struct Emitter<'e, 'p> {
    program: &'e Program<'p>,
    places: &'e RegionValues<'p>,
    parts: &'e Parts,
    body: &'e mut Body,
    block: BlockId,
    arguments: FxHashMap<Node, ValueId>,
    /// Names and sizes, in the order in which they are listed in types.
    axes: Vec<(String, SizeExpr)>,
    /// The names of the axes of the places, of those that have one.
    names: Vec<Option<String>>,
    values: FxHashMap<(Node, usize), ValueId>,
    reads: FxHashMap<ReadKey, ValueId>,
    /// The symbols of the program that were met.
    symbols: BTreeSet<String>,
    loc: Loc,
}

impl Emitter<'_, '_> {
    fn builder(&mut self) -> Builder<'_> {
        Builder::at_end(self.program.ctx, self.body, self.block)
    }

    /// The name of an axis: after its size where that is a symbol.
    fn name(&mut self, axis: Axis) -> String {
        if let Some(Some(name)) = self.names.get(axis) {
            return name.clone();
        }
        let size = self.places.size(axis);
        let symbol = size.as_symbol().map(str::to_lowercase);
        let taken =
            |name: &str| self.axes.iter().any(|(known, _)| known == name) || self.program.symbols.contains_key(name);
        let name = match symbol.filter(|name| !name.starts_with('_')) {
            Some(name) if !taken(&name) => name,
            Some(name) => (1..).map(|number| format!("{name}{number}")).find(|name| !taken(name)).unwrap_or(name),
            None => {
                (self.axes.len()..).map(|number| format!("i{number}")).find(|name| !taken(name)).unwrap_or_default()
            }
        };
        self.axes.push((name.clone(), size.clone()));
        if self.names.len() <= axis {
            self.names.resize(axis + 1, None);
        }
        self.names[axis] = Some(name.clone());
        name
    }

    /// An access of a place with the names of the axes, all of which have one.
    fn named(&self, access: &Access) -> Result<Access> {
        let axis = |name: &str| {
            let axis = self.places.axis(name)?;
            self.names.get(axis)?.as_deref().map(symbol)
        };
        let replace = |expr: &SizeExpr| match expr.as_symbol() {
            Some(name) => Some(axis(name).unwrap_or_else(|| expr.clone())),
            None => expr.substitute(&axis).ok(),
        };
        access.map(&replace).ok_or(TooLarge)
    }

    /// The guard within which a place is looked at, with the names of the axes.
    fn named_guard(&self, guard: Option<&Guard>) -> Result<Option<Guard>> {
        Ok(self.named(&Access { at: Vec::new(), guard: guard.cloned(), fill: None })?.guard)
    }

    fn axes_of(&self, value: ValueId) -> Vec<String> {
        let axes = dlc_region::verify::axes_of(self.program.ctx, self.body.value_type(value));
        axes.into_iter().map(String::from).collect()
    }

    fn elem_of(&self, value: ValueId) -> Type {
        let ctx = self.program.ctx;
        Value::expect(ctx, self.body.value_type(value)).elem(ctx)
    }

    fn ty(&self, elem: Type, axes: &[String]) -> Type {
        Value::get(self.program.ctx, elem, axes.iter().map(String::as_str).collect())
    }

    /// The axes that are named in expressions or belong to values, in the order of the kernel.
    fn join<'x>(&mut self, exprs: impl Iterator<Item = &'x SizeExpr>, values: &[ValueId]) -> Vec<String> {
        let mut named: Vec<String> = values.iter().flat_map(|&value| self.axes_of(value)).collect();
        for expr in exprs {
            match expr.as_symbol() {
                Some(name) => named.push(name.to_string()),
                None => named.extend(expr.symbols().iter().map(|name| name.to_string())),
            }
        }
        self.symbols.extend(named.iter().cloned());
        self.axes.iter().map(|(name, _)| name.clone()).filter(|name| named.contains(name)).collect()
    }

    /// An operand of a value, as it is read at a place of the value.
    fn operand(&mut self, node: Node, read: &Read) -> Result<ValueId> {
        let access = self.named(&read.access)?;
        if self.program.memory[node] {
            let guard = self.named_guard(read.guard.as_ref())?;
            return self.read(node, access.at, guard, access.fill);
        }
        let value = self.value(node, read.place)?;
        let Some(own) = access.guard else { return Ok(value) };
        let (elem, loc) = (self.elem_of(value), self.loc);
        let fill = access.fill.unwrap_or_else(|| zero(self.program.ctx, elem));
        let fill = self.constant(fill, elem);
        let axes = self.join(own.exprs(), &[value]);
        let ty = self.ty(elem, &axes);
        let op = region::Select::build(&mut self.builder(), loc, &[value, fill], Some(own), ty);
        Ok(self.body.result(op, 0))
    }

    fn constant(&mut self, value: Attr, elem: Type) -> ValueId {
        let (ty, loc) = (self.ty(elem, &[]), self.loc);
        let op = region::Const::build(&mut self.builder(), loc, value, ty);
        self.body.result(op, 0)
    }

    fn read(&mut self, node: Node, at: Vec<SizeExpr>, guard: Option<Guard>, fill: Option<Attr>) -> Result<ValueId> {
        let size = |name: &str| self.axes.iter().find(|(own, _)| own == name)?.1.as_constant();
        let at = self.parts.at(node, at, guard.as_ref(), &size);
        let key = (node, at, guard, fill);
        if let Some(&known) = self.reads.get(&key) {
            return Ok(known);
        }
        let (_, at, guard, _) = key.clone();
        let axes = self.join(at.iter().chain(guard.iter().flat_map(Guard::exprs)), &[]);
        let ty = self.ty(self.program.graph.values[node].elem, &axes);
        let source = *self.arguments.get(&node).expect("memory that is read is an argument");
        let loc = self.loc;
        let op =
            region::NewRead { source, indices: &[], at, guard, fill, out_type: ty }.build(&mut self.builder(), loc);
        let value = self.body.result(op, 0);
        self.reads.insert(key, value);
        Ok(value)
    }

    /// A value at one of its places.
    fn value(&mut self, node: Node, place: usize) -> Result<ValueId> {
        if let Some(&known) = self.values.get(&(node, place)) {
            return Ok(known);
        }
        let (graph, places) = (self.program.graph, self.places);
        let value = &graph.values[node];
        let at = &places.of(node)[place];
        let outer = std::mem::replace(&mut self.loc, value.loc);
        let made = match &value.kind {
            Kind::Number(number) => self.constant(*number, value.elem),
            Kind::Iota(_) => {
                let access = self.named(&at.reads[0].access)?;
                let axes = self.join(access.at.iter(), &[]);
                let (ty, loc) = (self.ty(value.elem, &axes), self.loc);
                let op = region::Index::build(&mut self.builder(), loc, access.at, ty);
                self.body.result(op, 0)
            }
            Kind::Map { function, widen, tf32 } => {
                let operands = self.operands(node, at)?;
                let made = self.map(*function, *widen, &operands, value.elem);
                if let Some(op) = self.body.defining_op(made).filter(|_| *tf32) {
                    let ctx = self.program.ctx;
                    self.body.set_attr(ctx, op, ctx.intern_str(TF32), Some(Attr::UNIT));
                }
                made
            }
            // Of no elements it is a number, and what it reads is not there.
            Kind::Reduce { combiner, .. } if value.over.iter().any(|size| size.as_constant() == Some(0)) => {
                let ctx = self.program.ctx;
                self.constant(dlc_region::verify::identity_of(ctx, *combiner, value.elem), value.elem)
            }
            Kind::Reduce { combiner, any_order } => self.reduce(node, (*combiner, *any_order), at)?,
            Kind::Scan(scan) => self.scan(node, *scan, at)?,
            &Kind::Sort { along, every } => self.sort(node, (along, every), at)?,
            Kind::Gather => self.gather(node, at)?,
            Kind::Argument | Kind::Table(_) | Kind::Reshape | Kind::InOrder => {
                let access = Access { at: at.at.clone(), guard: at.guard.clone(), fill: None };
                let access = self.named(&access)?;
                return self.read(node, access.at, access.guard, None);
            }
        };
        let ctx = self.program.ctx;
        if ctx.str(self.body.value_name(made)).is_empty() {
            self.body.set_value_name(made, ctx.intern_str(&self.program.names[node]));
        }
        self.loc = outer;
        self.values.insert((node, place), made);
        Ok(made)
    }

    /// The operands of a value, those with fewer reductions in them first: so what a reduction reads is there when its
    /// axes are named.
    fn operands(&mut self, node: Node, at: &Place) -> Result<Vec<ValueId>> {
        let operands = &self.program.graph.values[node].operands;
        let mut order: Vec<usize> = (0..operands.len()).collect();
        order.sort_by_key(|&index| self.program.depths[operands[index].node]);
        let mut values = vec![None; operands.len()];
        for index in order {
            values[index] = Some(self.operand(operands[index].node, &at.reads[index])?);
        }
        Ok(values.into_iter().flatten().collect())
    }

    fn map(&mut self, function: Function, widen: bool, operands: &[ValueId], elem: Type) -> ValueId {
        let axes = self.join([].iter(), operands);
        let (ty, loc) = (self.ty(elem, &axes), self.loc);
        let builder = &mut self.builder();
        let op = match (function, operands) {
            (Function::Copy, &[x]) => return x,
            (Function::Cast, &[x]) => region::Cast::build(builder, loc, x, None, ty),
            (Function::Bitcast, &[x]) => region::Cast::build(builder, loc, x, Some(()), ty),
            (Function::Where, operands) => region::Select::build(builder, loc, operands, None, ty),
            (function, &[x]) => {
                let function = function.unary().expect("as many operands as its arity");
                region::Unary::build(builder, loc, x, function)
            }
            (function, &[a, b]) => {
                let function = function.binary().expect("as many operands as its arity");
                region::NewBinary { lhs: a, rhs: b, function, widen: widen.then_some(()), out_type: ty }
                    .build(builder, loc)
            }
            _ => unreachable!("{} operands of '{}'", operands.len(), function.word()),
        };
        self.body.result(op, 0)
    }

    fn reduce(&mut self, node: Node, (combiner, any_order): (Combiner, bool), at: &Place) -> Result<ValueId> {
        let value = &self.program.graph.values[node];
        let names: Vec<String> = at.over.iter().map(|&axis| self.name(axis)).collect();
        let input = self.operand(value.operands[0].node, &at.reads[0])?;
        let kept: Vec<String> = self.axes_of(input).into_iter().filter(|axis| !names.contains(axis)).collect();
        let (ty, loc, ctx) = (self.ty(value.elem, &kept), self.loc, self.program.ctx);
        let init = [dlc_region::verify::identity_of(ctx, combiner, value.elem)];
        let axes = names.iter().map(String::as_str).collect();
        let acc = vec![value.elem];
        let builder = &mut self.builder();
        let op = region::NewReduce {
            combiner: Some(combiner),
            axes,
            sizes: value.over.clone(),
            init: &init,
            acc,
            outs_type: &[ty],
        }
        .build(builder, loc);
        if any_order {
            self.body.set_attr(ctx, op, ctx.intern_str(ANY_ORDER), Some(Attr::UNIT));
        }
        let body = self.body.regions(op)[0];
        let block = self.body.append_block(body);
        region::Yield::build(&mut Builder::at_end(ctx, self.body, block), loc, &[input], None, None);
        Ok(self.body.result(op, 0))
    }

    fn scan(&mut self, node: Node, scan: Scan, at: &Place) -> Result<ValueId> {
        let (inputs, ty, along) = self.along(node, scan.along, at)?;
        let (loc, flag) = (self.loc, |flag: bool| flag.then_some(()));
        let op = region::NewScan {
            inputs: &inputs,
            combiner: scan.combiner,
            along: &along,
            every: scan.every,
            exclusive: flag(scan.exclusive),
            reverse: flag(scan.reverse),
            out_type: ty,
        }
        .build(&mut self.builder(), loc);
        Ok(self.body.result(op, 0))
    }

    fn sort(&mut self, node: Node, (along, every): (usize, Option<i64>), at: &Place) -> Result<ValueId> {
        let (inputs, ty, along) = self.along(node, along, at)?;
        let (loc, input) = (self.loc, inputs[0]);
        let op = region::Sort::build(&mut self.builder(), loc, input, &along, every, ty);
        Ok(self.body.result(op, 0))
    }

    /// The operands of a value that goes along an axis, over all axes of it, with its type and the name of the axis.
    fn along(&mut self, node: Node, along: usize, at: &Place) -> Result<(Vec<ValueId>, Type, String)> {
        let value = &self.program.graph.values[node];
        let mut inputs = Vec::with_capacity(value.operands.len());
        for (operand, read) in value.operands.iter().zip(&at.reads) {
            inputs.push(self.operand(operand.node, read)?);
        }
        // Its places are points of the kernel: an axis at each position.
        let access = self.named(&Access::everywhere(at.at.clone()))?;
        let axes = self.join(access.at.iter(), &[]);
        let loc = self.loc;
        for input in &mut inputs {
            let from = self.axes_of(*input);
            if from == axes {
                continue;
            }
            let sizes = axes.iter().filter_map(|name| self.axes.iter().find(|(known, _)| known == name));
            let sizes = sizes.map(|(_, size)| size.clone()).collect();
            let dims = from.iter().filter_map(|axis| axes.iter().position(|other| other == axis)).map(|at| at as i64);
            let (dims, ty) = (dims.collect(), self.ty(self.elem_of(*input), &axes));
            let op = region::BroadcastInDim::build(&mut self.builder(), loc, *input, sizes, dims, ty);
            *input = self.body.result(op, 0);
        }
        let along = access.at[along].as_symbol().unwrap_or_default().to_string();
        Ok((inputs, self.ty(value.elem, &axes), along))
    }

    fn gather(&mut self, node: Node, at: &Place) -> Result<ValueId> {
        let value = &self.program.graph.values[node];
        let ((table, indices), (of_table, reads)) =
            value.operands.split_first().zip(at.reads.split_first()).expect("a gather has a table");
        let mut elements = Vec::with_capacity(indices.len());
        for (index, read) in indices.iter().zip(reads) {
            elements.push(self.operand(index.node, read)?);
        }
        let access = self.named(&of_table.access)?;
        let guard = self.named_guard(of_table.guard.as_ref())?;
        let axes = self.join(access.at.iter().chain(guard.iter().flat_map(Guard::exprs)), &elements);
        let (ty, loc) = (self.ty(value.elem, &axes), self.loc);
        let source = *self.arguments.get(&table.node).expect("a table is an argument");
        let op = region::NewRead { source, indices: &elements, at: access.at, guard, fill: None, out_type: ty }
            .build(&mut self.builder(), loc);
        Ok(self.body.result(op, 0))
    }
}

fn zero(ctx: &Context, elem: Type) -> Attr {
    dlc_region::verify::identity_of(ctx, Combiner::Sum, elem)
}
