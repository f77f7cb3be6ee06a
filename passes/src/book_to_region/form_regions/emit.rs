//! One kernel: the value that it stores, and what that is computed from, over the axes of the kernel.
//!
//! The axes of the result become those of the kernel. From there each value is computed at the positions at which it is
//! wanted, which are expressions of these axes: those of its reader put into how it is read. A value that is wanted at the
//! same positions twice is one value. The axes that a reduction reduces get names of their own, but where what it reads
//! is there already over an axis of the kernel it takes that one: so the maximum of a row and what is subtracted from it
//! read the same row.

use std::collections::BTreeSet;

use dlc_book::ops::Function;
use dlc_core::access::Access;
use dlc_core::guard::{Condition, Guard};
use dlc_core::scalar::{self, Combiner};
use dlc_core::space::Space;
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{Kind as _, TextArray};
use dlc_ir::{Attr, BlockId, Body, Builder, Context, Loc, Type, ValueId};
use dlc_region::ops as region;
use dlc_region::types::Value;
use rustc_hash::FxHashMap;

use super::graph::{Graph, Kind, Node, Operand};

/// The most pieces that guards are multiplied out to. Beyond, a value is chosen by one guard after the other.
const MAX_PIECES: usize = 64;

/// The most ways in which the axes of a reduction are compared with those that there are.
const MAX_WAYS: usize = 64;

/// Where a value is wanted, and the guard within which it is looked at.
type Place = (Node, Vec<SizeExpr>, Option<Guard>);

/// A region and the memory that it reads.
pub struct Kernel {
    /// The region, isolated.
    pub body: Body,
    /// What it reads, in the order of its arguments.
    pub reads: Vec<Node>,
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
    /// The symbols of the program.
    pub symbols: &'p [String],
}

/// An expression goes beyond 64 bits.
#[derive(Debug)]
pub struct TooLarge;

type Result<T> = std::result::Result<T, TooLarge>;

/// The kernel that stores a value, as a region of some name.
pub fn kernel(program: &Program<'_>, root: Node, name: &str) -> Result<Kernel> {
    let ctx = program.ctx;
    let loc = program.graph.values[root].loc;
    let mut body = Body::new(ctx.op_name(region::Func::DEF.name), loc, 1);
    let region = body.root_region();
    let block = body.append_block(region);
    let reads = read_by(program, root);
    let mut arguments = FxHashMap::default();
    for &node in &reads {
        let ty = program.types[node].ok_or(TooLarge)?;
        let arg = body.add_arg(block, ty, program.graph.values[node].loc);
        body.set_value_name(arg, ctx.intern_str(&program.names[node]));
        arguments.insert(node, arg);
    }
    let mut emitter = Emitter {
        program,
        body: &mut body,
        block,
        root,
        arguments,
        axes: Vec::new(),
        space: None,
        values: FxHashMap::default(),
        reads: FxHashMap::default(),
        symbols: BTreeSet::new(),
        loc,
    };
    let sizes = &program.graph.values[root].axes;
    let iters: Vec<String> = sizes.iter().map(|size| emitter.fresh_axis(size)).collect();
    let at = iters.iter().map(|axis| symbol(axis)).collect();
    let mut value = emitter.value(root, at, None)?;
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
    let sizes_of = |node: &Node| program.graph.values[*node].axes.iter();
    for size in axes.iter().map(|(_, size)| size).chain(reads.iter().flat_map(sizes_of)) {
        symbols.extend(size.symbols().iter().map(|name| name.to_string()));
    }
    let symbols: Vec<&str> =
        program.symbols.iter().map(String::as_str).filter(|name| symbols.contains(*name)).collect();
    let result = program.types[root].ok_or(TooLarge)?;
    let inputs: Vec<Type> = reads.iter().filter_map(|&node| program.types[node]).collect();
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
    let (mut reads, mut seen, mut work) = (Vec::new(), vec![false; root + 1], vec![root]);
    while let Some(at) = work.pop() {
        for operand in &program.graph.values[at].operands {
            if std::mem::replace(&mut seen[operand.node], true) {
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
    SizeExpr::symbol(name).unwrap_or_else(|_| SizeExpr::from(0))
}

/// What stands for the axes `i0, i1, ..` of a value.
fn put(at: &[SizeExpr]) -> impl Fn(&str) -> Option<SizeExpr> + '_ {
    |name| name.strip_prefix('i').and_then(|axis| axis.parse::<usize>().ok()).and_then(|axis| at.get(axis).cloned())
}

struct Emitter<'e, 'p> {
    program: &'e Program<'p>,
    body: &'e mut Body,
    block: BlockId,
    root: Node,
    arguments: FxHashMap<Node, ValueId>,
    /// Names and sizes, in the order in which they are listed in types.
    axes: Vec<(String, SizeExpr)>,
    /// The axes as dimensions, made when it is needed.
    space: Option<Option<Space>>,
    values: FxHashMap<Place, ValueId>,
    reads: FxHashMap<(Place, Option<Attr>), ValueId>,
    /// The symbols of the program that were met.
    symbols: BTreeSet<String>,
    loc: Loc,
}

impl Emitter<'_, '_> {
    fn builder(&mut self) -> Builder<'_> {
        Builder::at_end(self.program.ctx, self.body, self.block)
    }

    /// A new axis of a size, named after the size where that is a symbol.
    fn fresh_axis(&mut self, size: &SizeExpr) -> String {
        let symbol = size.as_symbol().map(str::to_lowercase);
        let taken = |name: &str| {
            self.axes.iter().any(|(known, _)| known == name) || self.program.symbols.iter().any(|known| known == name)
        };
        let name = match symbol.filter(|name| !name.starts_with('_')) {
            Some(name) if !taken(&name) => name,
            Some(name) => (1..).map(|number| format!("{name}{number}")).find(|name| !taken(name)).unwrap_or(name),
            None => {
                (self.axes.len()..).map(|number| format!("i{number}")).find(|name| !taken(name)).unwrap_or_default()
            }
        };
        self.axes.push((name.clone(), size.clone()));
        self.space = None;
        name
    }

    fn axes_of(&self, value: ValueId) -> Vec<String> {
        let axes = dlc_region::verify::axes_of(self.program.ctx, self.body.value_type(value));
        axes.into_iter().map(String::from).collect()
    }

    fn elem_of(&self, value: ValueId) -> Type {
        let ctx = self.program.ctx;
        Value::of(ctx, self.body.value_type(value)).map_or(Type::F32, |ty| ty.elem(ctx))
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

    /// An expression without the quotients that the sizes of the axes decide.
    fn simplified(&mut self, expr: SizeExpr) -> Result<SizeExpr> {
        if expr.as_linear().is_some() {
            return Ok(expr);
        }
        let names: Vec<String> = self.axes.iter().map(|(name, _)| name.clone()).collect();
        let axis = |name: &str| names.iter().position(|known| known == name).map(|at| at as u32);
        let Some(space) = self.space() else { return Ok(expr) };
        let Some(read) = space.read(&expr, &axis) else { return Ok(expr) };
        let simple = space.simplify(&read);
        let back = |dim: u32| names.get(dim as usize).map(|name| symbol(name));
        Ok(space.to_size(&simple, &back).unwrap_or(expr))
    }

    fn space(&mut self) -> Option<&mut Space> {
        let axes = &self.axes;
        let make = || Space::of(&axes.iter().map(|(_, size)| size.clone()).collect::<Vec<_>>());
        self.space.get_or_insert_with(make).as_mut()
    }

    /// A guard without what the sizes of the axes say; `None` where it always holds.
    fn needed(&mut self, guard: &Guard) -> Option<Guard> {
        let names: Vec<String> = self.axes.iter().map(|(name, _)| name.clone()).collect();
        let axis = |name: &str| names.iter().position(|known| known == name).map(|at| at as u32);
        let Some(space) = self.space() else { return Some(guard.clone()) };
        let mut always = |condition: Condition| {
            let claims = space.read_condition(&condition, &axis);
            claims.is_some_and(|claims| claims.iter().all(|claim| space.proves(&[], claim)))
        };
        let mut pieces = Vec::with_capacity(guard.pieces.len());
        for piece in &guard.pieces {
            let mut kept: Vec<Condition> = Vec::new();
            for condition in piece {
                let lower = Condition { upper: None, ..condition.clone() };
                let upper = Condition { lower: None, ..condition.clone() };
                let needed = Condition {
                    lower: condition.lower.clone().filter(|_| !always(lower.clone())),
                    upper: condition.upper.clone().filter(|_| !always(upper.clone())),
                    expr: condition.expr.clone(),
                };
                if (needed.lower.is_some() || needed.upper.is_some()) && !kept.contains(&needed) {
                    kept.push(needed);
                }
            }
            if kept.is_empty() {
                return None;
            }
            if !pieces.contains(&kept) {
                pieces.push(kept);
            }
        }
        Some(Guard { pieces })
    }

    /// How an operand is read, in the axes of the kernel.
    fn placed(&mut self, access: &Access, at: &[SizeExpr]) -> Result<Access> {
        let replace = |expr: &SizeExpr| match expr.as_symbol() {
            Some(name) => put(at)(name).or_else(|| Some(expr.clone())),
            None => expr.substitute(&put(at)).ok(),
        };
        let placed = access.map(&replace).ok_or(TooLarge)?;
        let at = placed.at.into_iter().map(|expr| self.simplified(expr)).collect::<Result<_>>()?;
        let guard = placed.guard.and_then(|guard| self.needed(&guard));
        let fill = placed.fill.filter(|_| guard.is_some());
        Ok(Access { at, guard, fill })
    }

    /// An operand of a value that is computed at `at`, looked at within a guard.
    fn operand(&mut self, operand: &Operand, at: &[SizeExpr], within: Option<&Guard>) -> Result<ValueId> {
        let access = self.placed(&operand.access, at)?;
        let both = match (within, &access.guard) {
            (Some(within), Some(own)) => both(within, own),
            (within, own) => Some(within.or(own.as_ref()).cloned()),
        };
        // Where both guards together are too long, the outer one is left to whoever looks.
        let (inner, own) = (both.unwrap_or_else(|| access.guard.clone()), access.guard);
        if self.is_memory(operand.node) {
            return self.read(operand.node, access.at, inner, access.fill);
        }
        let value = self.value(operand.node, access.at, inner)?;
        let Some(own) = own else { return Ok(value) };
        let (elem, loc) = (self.elem_of(value), self.loc);
        let fill = access.fill.unwrap_or_else(|| zero(self.program.ctx, elem));
        let fill = self.constant(fill, elem);
        let axes = self.join(own.exprs(), &[value]);
        let ty = self.ty(elem, &axes);
        let op = region::Select::build(&mut self.builder(), loc, &[value, fill], Some(own), ty);
        Ok(self.body.result(op, 0))
    }

    fn is_memory(&self, node: Node) -> bool {
        self.program.memory[node] && node != self.root
    }

    fn constant(&mut self, value: Attr, elem: Type) -> ValueId {
        let (ty, loc) = (self.ty(elem, &[]), self.loc);
        let op = region::Const::build(&mut self.builder(), loc, value, ty);
        self.body.result(op, 0)
    }

    fn read(&mut self, node: Node, at: Vec<SizeExpr>, guard: Option<Guard>, fill: Option<Attr>) -> Result<ValueId> {
        let key = ((node, at, guard), fill);
        if let Some(&known) = self.reads.get(&key) {
            return Ok(known);
        }
        let ((_, at, guard), _) = key.clone();
        let axes = self.join(at.iter().chain(guard.iter().flat_map(Guard::exprs)), &[]);
        let ty = self.ty(self.program.graph.values[node].elem, &axes);
        let source = *self.arguments.get(&node).ok_or(TooLarge)?;
        let loc = self.loc;
        let op = region::Read::build(&mut self.builder(), loc, source, &[], at, guard, fill, ty);
        let value = self.body.result(op, 0);
        self.reads.insert(key, value);
        Ok(value)
    }

    /// A value at positions of the kernel's axes. Outside of the guard it may be anything.
    fn value(&mut self, node: Node, at: Vec<SizeExpr>, within: Option<Guard>) -> Result<ValueId> {
        let place = (node, at, within);
        if let Some(&known) = self.values.get(&place) {
            return Ok(known);
        }
        let (at, within) = (place.1.clone(), place.2.clone());
        let graph = self.program.graph;
        let value = &graph.values[node];
        let outer = std::mem::replace(&mut self.loc, value.loc);
        let made = match &value.kind {
            Kind::Number(number) => self.constant(*number, value.elem),
            Kind::Iota(expr) => {
                let access = self.placed(&Access::everywhere(vec![expr.clone()]), &at)?;
                let axes = self.join(access.at.iter(), &[]);
                let (ty, loc) = (self.ty(value.elem, &axes), self.loc);
                let op = region::Index::build(&mut self.builder(), loc, access.at, ty);
                self.body.result(op, 0)
            }
            Kind::Map { function, widen } => {
                let operands = self.operands(node, &at, within.as_ref())?;
                self.map(*function, *widen, &operands, value.elem)
            }
            // Of no elements it is a number, and what it reads is not there.
            Kind::Reduce { combiner } if value.over.iter().any(|size| size.as_constant() == Some(0)) => {
                let ctx = self.program.ctx;
                self.constant(dlc_region::verify::neutral(ctx, *combiner, value.elem), value.elem)
            }
            Kind::Reduce { combiner } => self.reduce(node, *combiner, &at, within.as_ref())?,
            Kind::Gather => self.gather(node, &at, within.as_ref())?,
            Kind::Argument | Kind::Table(_) | Kind::Reshape => return self.read(node, at, within, None),
        };
        let ctx = self.program.ctx;
        if ctx.str(self.body.value_name(made)).is_empty() {
            self.body.set_value_name(made, ctx.intern_str(&self.program.names[node]));
        }
        self.loc = outer;
        self.values.insert(place, made);
        Ok(made)
    }

    /// The operands of a value, those with fewer reductions in them first: so what a reduction reads is there when its
    /// axes are named.
    fn operands(&mut self, node: Node, at: &[SizeExpr], within: Option<&Guard>) -> Result<Vec<ValueId>> {
        let operands = &self.program.graph.values[node].operands;
        let mut order: Vec<usize> = (0..operands.len()).collect();
        dlc_ir::sort::sort_by_key(&mut order, |&index| self.program.depths[operands[index].node]);
        let mut values = vec![None; operands.len()];
        for index in order {
            values[index] = Some(self.operand(&operands[index], at, within)?);
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
            (function, &[x]) => match function.unary() {
                Some(function) => region::Unary::build(builder, loc, x, function),
                None => return x,
            },
            (function, &[a, b]) => {
                let function = function.binary().unwrap_or(scalar::Binary::Add);
                region::Binary::build(builder, loc, a, b, function, widen.then_some(()), ty)
            }
            (_, operands) => return operands[0],
        };
        self.body.result(op, 0)
    }

    fn reduce(&mut self, node: Node, combiner: Combiner, at: &[SizeExpr], within: Option<&Guard>) -> Result<ValueId> {
        let value = &self.program.graph.values[node];
        let operand = &value.operands[0];
        let names = self.reduced_axes(node, at, within)?;
        let inner: Vec<SizeExpr> = at.iter().cloned().chain(names.iter().map(|name| symbol(name))).collect();
        let input = self.operand(operand, &inner, within)?;
        let kept: Vec<String> = self.axes_of(input).into_iter().filter(|axis| !names.contains(axis)).collect();
        let (ty, loc, ctx) = (self.ty(value.elem, &kept), self.loc, self.program.ctx);
        let init = [dlc_region::verify::neutral(ctx, combiner, value.elem)];
        let axes = names.iter().map(String::as_str).collect();
        let acc = vec![value.elem];
        let builder = &mut self.builder();
        let op = region::Reduce::build(builder, loc, Some(combiner), axes, value.over.clone(), &init, acc, &[ty]);
        let body = self.body.regions(op)[0];
        let block = self.body.append_block(body);
        region::Yield::build(&mut Builder::at_end(ctx, self.body, block), loc, &[input], None, None);
        Ok(self.body.result(op, 0))
    }

    /// The names of the axes that a reduction reduces: of axes that are there, if what it reads is there over these,
    /// else new ones.
    fn reduced_axes(&mut self, node: Node, at: &[SizeExpr], within: Option<&Guard>) -> Result<Vec<String>> {
        let value = &self.program.graph.values[node];
        let exprs = at.iter().chain(within.into_iter().flat_map(Guard::exprs));
        let taken = self.join(exprs, &[]);
        let mut ways: Vec<Vec<String>> = vec![Vec::new()];
        for size in &value.over {
            let fits = |(name, known): &&(String, SizeExpr)| known == size && !taken.contains(name);
            let candidates: Vec<String> = self.axes.iter().filter(fits).map(|(name, _)| name.clone()).collect();
            let longer = ways.iter().flat_map(|way| {
                let free = candidates.iter().filter(|name| !way.contains(name));
                free.map(|name| way.iter().chain([name]).cloned().collect()).collect::<Vec<_>>()
            });
            ways = longer.take(MAX_WAYS).collect();
        }
        for way in ways {
            let inner: Vec<SizeExpr> = at.iter().cloned().chain(way.iter().map(|name| symbol(name))).collect();
            if self.is_there(&value.operands[0], &inner, within, 0)? {
                return Ok(way);
            }
        }
        Ok(value.over.iter().map(|size| self.fresh_axis(size)).collect())
    }

    /// Whether an operand, or something that it is computed from, has been computed at the same place.
    fn is_there(&mut self, operand: &Operand, at: &[SizeExpr], within: Option<&Guard>, depth: usize) -> Result<bool> {
        let access = self.placed(&operand.access, at)?;
        let guard = match (within, &access.guard) {
            (Some(within), Some(own)) => both(within, own).flatten(),
            (within, own) => within.or(own.as_ref()).cloned(),
        };
        let place = (operand.node, access.at, guard);
        if self.is_memory(operand.node) {
            return Ok(self.reads.contains_key(&(place, access.fill)));
        }
        let value = &self.program.graph.values[operand.node];
        // A number is everywhere, and says nothing.
        if !matches!(value.kind, Kind::Number(_)) && self.values.contains_key(&place) {
            return Ok(true);
        }
        if depth >= 16 || !matches!(value.kind, Kind::Map { .. }) {
            return Ok(false);
        }
        for operand in &value.operands {
            if self.is_there(operand, &place.1, place.2.as_ref(), depth + 1)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn gather(&mut self, node: Node, at: &[SizeExpr], within: Option<&Guard>) -> Result<ValueId> {
        let value = &self.program.graph.values[node];
        let [table, indices @ ..] = &value.operands[..] else { return Err(TooLarge) };
        let mut elements = Vec::with_capacity(indices.len());
        for index in indices {
            elements.push(self.operand(index, at, within)?);
        }
        let access = self.placed(&table.access, at)?;
        let axes = self.join(access.at.iter().chain(within.into_iter().flat_map(Guard::exprs)), &elements);
        let (ty, loc) = (self.ty(value.elem, &axes), self.loc);
        let source = *self.arguments.get(&table.node).ok_or(TooLarge)?;
        let guard = within.cloned();
        let op = region::Read::build(&mut self.builder(), loc, source, &elements, access.at, guard, None, ty);
        Ok(self.body.result(op, 0))
    }
}

/// The points of both guards. The outer `None` where that has too many pieces, the inner one where it is everything.
#[allow(clippy::option_option)]
fn both(a: &Guard, b: &Guard) -> Option<Option<Guard>> {
    if a == b {
        return Some(Some(a.clone()));
    }
    if a.pieces.len() * b.pieces.len() > MAX_PIECES {
        return None;
    }
    let mut pieces = Vec::with_capacity(a.pieces.len() * b.pieces.len());
    for one in &a.pieces {
        for other in &b.pieces {
            let mut piece = one.clone();
            piece.extend(other.iter().filter(|condition| !one.contains(condition)).cloned());
            pieces.push(piece);
        }
    }
    Some(Some(Guard { pieces }))
}

fn zero(ctx: &Context, elem: Type) -> Attr {
    dlc_region::verify::neutral(ctx, Combiner::Sum, elem)
}
