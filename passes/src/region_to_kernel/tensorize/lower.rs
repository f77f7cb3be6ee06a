//! Values of a region as fragments and numbers of a kernel. A value is computed where it is wanted, in the scope of the
//! loop that it stands in; what a scope around has computed already is taken from there.

use dlc_core::access::Access;
use dlc_core::guard::{Condition, Guard};
use dlc_core::memref::MemRef;
use dlc_core::scalar::{self, Combiner};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::interp::Datum;
use dlc_ir::{Attr, BlockId, Context, OpId, Type, ValueId};
use dlc_kernel::layout::Distributed;
use dlc_kernel::ops as kernel;
use dlc_region::ops::{Binary, BroadcastInDim, Cast, Const, Index, Read, Reduce, Select, Transpose, Unary, Yield};
use dlc_region::types::Value;
use dlc_region::verify::{KernelAxes, axes_of};
use rustc_hash::FxHashMap;

use super::axes::{Dim, TooLarge, both};
use super::emit::Emit;
use super::tiling::Tiling;

/// A value of the kernel and the axes of fragments that it has: the first, the second, both, or none.
#[derive(Clone, Copy, Debug)]
pub struct Lowered {
    pub value: ValueId,
    pub over: [bool; 2],
}

/// What is known where code is made: which axes are where, how fragments lie, and what was computed.
pub struct Scope {
    /// The two axes of fragments; one that there is none of has a tile of one.
    pub dims: [Option<Dim>; 2],
    /// Axes that have one position.
    pub points: Vec<Dim>,
    /// The layout of fragments over both axes.
    pub layout: Distributed,
    /// Values, with what bound the axes that they depend on.
    pub known: FxHashMap<ValueId, (Lowered, Vec<usize>)>,
}

/// The making of a kernel from a region.
pub struct Lower<'a, 'c> {
    pub ctx: &'c Context,
    pub region: &'a Body,
    pub axes: &'a KernelAxes,
    pub emit: Emit<'c>,
    pub tiling: Tiling,
    /// The memref of the kernel for each argument of the region.
    pub memory: FxHashMap<ValueId, ValueId>,
    pub scopes: Vec<Scope>,
    pub next_id: usize,
    pub grid: BlockId,
}

pub type Result<T> = std::result::Result<T, TooLarge>;

impl<'c> Lower<'_, 'c> {
    fn op(&self, id: OpId) -> OpRef<'_> {
        OpRef::new(self.ctx, self.region, id)
    }

    /// The block of the grid, where tiles in shared memory are named.
    pub fn grid_block(&self) -> BlockId {
        self.grid
    }

    pub fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("code is made in a scope")
    }

    /// A binding of axes.
    pub fn dim(&mut self, axes: Vec<(String, SizeExpr)>, base: SizeExpr, tile: u32) -> Result<Dim> {
        let total = super::axes::product(axes.iter().map(|(_, size)| size))?;
        self.next_id += 1;
        Ok(Dim { axes, total, base, tile, id: self.next_id })
    }

    /// Which binding of an axis counts, from the innermost scope outward: its place among the axes of fragments, or none
    /// for a position alone, and itself.
    fn binding(&self, axis: &str) -> Option<(Option<usize>, &Dim)> {
        let scope = self.scopes.last()?;
        for (at, dim) in scope.dims.iter().enumerate() {
            if let Some(dim) = dim.as_ref().filter(|dim| dim.axes.iter().any(|(name, _)| name == axis)) {
                return Some((Some(at).filter(|_| dim.tile > 1), dim));
            }
        }
        scope.points.iter().rev().find(|dim| dim.axes.iter().any(|(name, _)| name == axis)).map(|dim| (None, dim))
    }

    /// Whether it is known where an axis is.
    pub fn is_bound(&self, axis: &str) -> bool {
        self.binding(axis).is_some()
    }

    /// The bindings that a value depends on, and the axes of fragments that it has.
    fn depends(&self, value: ValueId) -> (Vec<usize>, [bool; 2]) {
        let (mut ids, mut over) = (Vec::new(), [false; 2]);
        for axis in axes_of(self.ctx, self.region.value_type(value)) {
            if let Some((place, dim)) = self.binding(axis) {
                ids.push(dim.id);
                if let Some(place) = place {
                    over[place] = true;
                }
            }
        }
        ids.sort_unstable();
        ids.dedup();
        (ids, over)
    }

    /// The position of an axis, where the fragment has these axes.
    fn position(&self, axis: &str, over: [bool; 2]) -> Result<Option<SizeExpr>> {
        let Some((place, dim)) = self.binding(axis) else { return Ok(None) };
        let number = match place {
            Some(1) if over[0] => 1,
            _ => 0,
        };
        dim.value_of(axis, number)
    }

    /// An expression of the region's axes as one of the kernel.
    pub fn expr(&self, expr: &SizeExpr, over: [bool; 2]) -> Result<SizeExpr> {
        let mut positions: FxHashMap<String, SizeExpr> = FxHashMap::default();
        for name in expr.symbols() {
            if let Some(position) = self.position(&name, over)? {
                positions.insert(name.to_string(), position);
            }
        }
        expr.substitute(&|name| positions.get(name).cloned()).map_err(|_| TooLarge)
    }

    pub fn guard(&self, guard: &Guard, over: [bool; 2]) -> Result<Guard> {
        guard.map(&|expr| self.expr(expr, over).ok()).ok_or(TooLarge)
    }

    /// Where all positions of a fragment are ones.
    pub fn inside(&self, over: [bool; 2]) -> Result<Vec<Condition>> {
        let mut conditions = Vec::new();
        let dims = &self.scopes.last().expect("code is made in a scope").dims;
        for (place, dim) in dims.iter().enumerate().filter(|(place, _)| over[*place]) {
            let number = if place == 1 && over[0] { 1 } else { 0 };
            if let Some(dim) = dim {
                conditions.extend(dim.inside(number)?);
            }
        }
        Ok(conditions)
    }

    /// The sizes of a fragment with these axes.
    fn shape(&self, over: [bool; 2]) -> Vec<u32> {
        let dims = &self.scopes.last().expect("code is made in a scope").dims;
        let tile = |place: usize| dims[place].as_ref().map_or(1, |dim| dim.tile);
        (0..2).filter(|&place| over[place]).map(tile).collect()
    }

    /// The layout of a fragment with these axes.
    fn layout(&self, over: [bool; 2]) -> Distributed {
        let whole = self.scopes.last().expect("code is made in a scope").layout.clone();
        match over {
            [true, false] => whole.slice(1),
            [false, true] => whole.slice(0),
            _ => whole,
        }
    }

    /// The type of a value over these axes.
    pub fn ty(&self, elem: Type, over: [bool; 2]) -> Type {
        match over {
            [false, false] => elem,
            _ => self.emit.frag(&self.shape(over), elem, &self.layout(over)),
        }
    }

    fn elem(&self, value: ValueId) -> Type {
        Value::of(self.ctx, self.region.value_type(value)).map_or(Type::F32, |ty| ty.elem(self.ctx))
    }

    /// A value over more axes.
    pub fn spread(&mut self, lowered: Lowered, over: [bool; 2]) -> Lowered {
        // A number goes with every element.
        if lowered.over == over || lowered.over == [false, false] {
            return lowered;
        }
        let axis = if over[0] && !lowered.over[0] { 0 } else { 1 };
        let elem = dlc_kernel::types::elem_of(self.ctx, self.emit.body.value_type(lowered.value));
        let (ty, loc) = (self.ty(elem, over), self.emit.loc);
        let op = kernel::Broadcast::build(&mut self.emit.builder(), loc, lowered.value, axis, ty);
        Lowered { value: self.emit.body.result(op, 0), over }
    }

    /// A number as a fragment of which all elements are that.
    pub fn as_fragment(&mut self, lowered: Lowered, over: [bool; 2]) -> Result<Lowered> {
        if lowered.over != [false, false] || over == [false, false] {
            return Ok(self.spread(lowered, over));
        }
        let elem = dlc_kernel::types::elem_of(self.ctx, self.emit.body.value_type(lowered.value));
        let (ty, loc) = (self.ty(elem, over), self.emit.loc);
        let zero = self.zero(elem);
        let fill = self.emit.constant(zero, ty);
        // Where nothing is a number is: the number everywhere.
        let guard = Guard { pieces: Vec::new() };
        let op = kernel::Select::build(&mut self.emit.builder(), loc, &[], None, fill, lowered.value, Some(guard), ty);
        Ok(Lowered { value: self.emit.body.result(op, 0), over })
    }

    /// The number zero of a type.
    pub fn zero(&self, elem: Type) -> Attr {
        let zero = if elem.float_kind(self.ctx).is_some() { Datum::Float(0.0) } else { Datum::Int(0) };
        zero.to_attr(self.ctx, elem).unwrap_or(Attr::UNIT)
    }

    /// A value of the region.
    pub fn value(&mut self, value: ValueId) -> Result<Lowered> {
        let (ids, _) = self.depends(value);
        let layout = self.scope().layout.clone();
        for scope in self.scopes.iter().rev().filter(|scope| scope.layout == layout) {
            if let Some((lowered, known)) = scope.known.get(&value)
                && *known == ids
            {
                return Ok(*lowered);
            }
        }
        let Some(id) = self.region.defining_op(value) else { return Err(TooLarge) };
        self.emit.loc = self.region.loc(id);
        let lowered = if Reduce::of(self.op(id)).is_some() {
            let results = self.reduce(id)?;
            let all: Vec<ValueId> = self.region.results(id).collect();
            for (&result, &lowered) in all.iter().zip(&results) {
                let (ids, _) = self.depends(result);
                self.scope().known.insert(result, (lowered, ids));
            }
            let at = all.iter().position(|&result| result == value).unwrap_or(0);
            results[at]
        } else {
            self.simple(id)?
        };
        let name = self.ctx.str(self.region.value_name(value));
        if !name.is_empty() && self.ctx.str(self.emit.body.value_name(lowered.value)).is_empty() {
            self.emit.call(lowered.value, name);
        }
        self.scope().known.insert(value, (lowered, ids));
        Ok(lowered)
    }

    /// What is no reduction.
    fn simple(&mut self, id: OpId) -> Result<Lowered> {
        let op = OpRef::new(self.ctx, self.region, id);
        let out = op.result(0);
        let (elem, loc) = (self.elem(out), self.emit.loc);
        if let Some(constant) = Const::of(op) {
            let value = self.emit.constant(constant.value(), elem);
            return Ok(Lowered { value, over: [false; 2] });
        }
        if let Some(op) = BroadcastInDim::of(op) {
            return self.value(op.input());
        }
        if let Some(op) = Transpose::of(op) {
            return self.value(op.input());
        }
        if let Some(read) = Read::of(op) {
            return self.read(read);
        }
        if let Some(index) = Index::of(op) {
            return self.positions(index, elem);
        }
        if let Some(op) = Unary::of(op) {
            let input = self.value(op.input())?;
            let made = kernel::Unary::build(&mut self.emit.builder(), loc, input.value, op.function());
            return Ok(self.made(made, input.over));
        }
        if let Some(op) = Cast::of(op) {
            let input = self.value(op.input())?;
            return Ok(self.cast(input, elem, op.bits().is_some()));
        }
        if let Some(op) = Binary::of(op) {
            return self.binary(op, elem);
        }
        match Select::of(op) {
            Some(op) => self.select(op, elem),
            None => Err(TooLarge),
        }
    }

    fn made(&self, op: OpId, over: [bool; 2]) -> Lowered {
        Lowered { value: self.emit.body.result(op, 0), over }
    }

    /// The value as another type.
    pub fn cast(&mut self, input: Lowered, elem: Type, bits: bool) -> Lowered {
        let from = dlc_kernel::types::elem_of(self.ctx, self.emit.body.value_type(input.value));
        if from == elem {
            return input;
        }
        let (ty, loc) = (self.ty(elem, input.over), self.emit.loc);
        let made = kernel::Cast::build(&mut self.emit.builder(), loc, input.value, bits.then_some(()), ty);
        self.made(made, input.over)
    }

    /// Both over the axes of either.
    fn alike(&mut self, a: Lowered, b: Lowered) -> (Lowered, Lowered) {
        let over = [a.over[0] || b.over[0], a.over[1] || b.over[1]];
        (self.spread(a, over), self.spread(b, over))
    }

    fn binary(&mut self, op: Binary<'_>, elem: Type) -> Result<Lowered> {
        let (lhs, rhs) = (self.value(op.lhs())?, self.value(op.rhs())?);
        // A product that is not rounded is one of the wider type; a comparison is one in the common type.
        let common = match op.function() {
            scalar::Binary::Shl | scalar::Binary::Shr => elem,
            function if function.is_comparison() => {
                let (lhs, rhs) = (self.elem(op.lhs()), self.elem(op.rhs()));
                dlc_core::broadcast::promote(self.ctx, lhs, rhs).unwrap_or(lhs)
            }
            _ => elem,
        };
        let (lhs, rhs) = (self.cast(lhs, common, false), self.cast(rhs, common, false));
        let (lhs, rhs) = self.alike(lhs, rhs);
        let over = [lhs.over[0] || rhs.over[0], lhs.over[1] || rhs.over[1]];
        let (ty, loc) = (self.ty(elem, over), self.emit.loc);
        let made = kernel::Binary::build(&mut self.emit.builder(), loc, lhs.value, rhs.value, op.function(), ty);
        Ok(self.made(made, over))
    }

    fn select(&mut self, op: Select<'_>, elem: Type) -> Result<Lowered> {
        let operands: Vec<ValueId> = op.operands().collect();
        let (_, own) = self.depends(op.result(0));
        let count = operands.len();
        let (yes, no) = (self.value(operands[count - 2])?, self.value(operands[count - 1])?);
        let (yes, no) = (self.cast(yes, elem, false), self.cast(no, elem, false));
        let loc = self.emit.loc;
        let cond = if op.guard().is_none() { Some(self.value(operands[0])?) } else { None };
        let any =
            |place: usize| own[place] || yes.over[place] || no.over[place] || cond.is_some_and(|cond| cond.over[place]);
        let over = [any(0), any(1)];
        let ty = self.ty(elem, over);
        match op.guard() {
            None => {
                let cond = cond.ok_or(TooLarge)?;
                let cond = self.spread(cond, over);
                let (yes, no) = (self.spread(yes, over), self.spread(no, over));
                let made = kernel::Select::build(
                    &mut self.emit.builder(),
                    loc,
                    &[],
                    Some(cond.value),
                    yes.value,
                    no.value,
                    None,
                    ty,
                );
                Ok(self.made(made, over))
            }
            Some(guard) => {
                let guard = self.guard(&guard, over)?;
                let (values, _, guard) = self.emit.operands(&[], Some(&guard))?;
                let (yes, no) = (self.spread(yes, over), self.spread(no, over));
                let (yes, no) = (yes.value, no.value);
                let made = kernel::Select::build(&mut self.emit.builder(), loc, &values, None, yes, no, guard, ty);
                Ok(self.made(made, over))
            }
        }
    }

    fn positions(&mut self, index: Index<'_>, elem: Type) -> Result<Lowered> {
        let (_, over) = self.depends(index.result(0));
        let Some(expr) = index.value().first().cloned() else { return Err(TooLarge) };
        let expr = self.expr(&expr, over)?;
        let integer = if elem.float_kind(self.ctx).is_some() { Type::I64 } else { elem };
        let (values, exprs, _) = self.emit.operands(&[expr], None)?;
        let (ty, loc) = (self.ty(integer, over), self.emit.loc);
        let made = kernel::Index::build(&mut self.emit.builder(), loc, &values, exprs, ty);
        let made = self.made(made, over);
        Ok(self.cast(made, elem, false))
    }

    /// How a read is read from the kernel's memory, over these axes: where, within which guard, and the values named.
    pub fn access(&mut self, read: Read<'_>, over: [bool; 2], with_inside: bool) -> Result<(Access, Vec<ValueId>)> {
        let ctx = self.ctx;
        let memory = MemRef::of(ctx, read.type_of(read.source()));
        let sizes = memory.map(|ty| ty.dims(ctx)).unwrap_or_default();
        let indices: Vec<ValueId> = read.indices().collect();
        let (mut at, mut conditions) = (Vec::new(), Vec::new());
        for (axis, expr) in read.at().iter().enumerate() {
            match dlc_region::syntax::element_of(expr).and_then(|index| indices.get(index)) {
                // A position that is a value is guarded by itself.
                Some(&index) => {
                    let value = self.value(index)?;
                    let value = self.as_fragment(value, over)?;
                    let name = self.emit.name(value.value);
                    let upper = Some(sizes.get(axis).cloned().unwrap_or(SizeExpr::from(0)));
                    conditions.push(Condition { expr: name.clone(), lower: Some(SizeExpr::from(0)), upper });
                    at.push(name);
                }
                None => at.push(self.expr(expr, over)?),
            }
        }
        let guard = read.guard().map(|guard| self.guard(&guard, over)).transpose()?;
        if with_inside {
            conditions.extend(self.inside(over)?);
        }
        let guard = both(guard, conditions);
        let (values, at, guard) = self.emit.operands(&at, guard.as_ref())?;
        Ok((Access { at, guard, fill: read.fill() }, values))
    }

    fn read(&mut self, read: Read<'_>) -> Result<Lowered> {
        let (_, over) = self.depends(read.result(0));
        let (access, values) = self.access(read, over, true)?;
        let Some(&memory) = self.memory.get(&read.source()) else { return Err(TooLarge) };
        let (ty, loc) = (self.ty(self.elem(read.result(0)), over), self.emit.loc);
        let Access { at, guard, fill } = access;
        let made = kernel::Load::build(&mut self.emit.builder(), loc, memory, &values, at, guard, fill, None, ty);
        Ok(self.made(made, over))
    }

    /// A reduction: on tensor cores or by multiplications where it is a product of matrices and the plan says so, else by
    /// loops.
    fn reduce(&mut self, id: OpId) -> Result<Vec<Lowered>> {
        if let Some(product) = super::contract::product(self, id) {
            return Ok(vec![super::contract::lower(self, id, &product)?]);
        }
        if let Some(results) = super::stream::lower(self, id)? {
            let all: Vec<ValueId> = self.region.results(id).collect();
            let casts = results.into_iter().zip(all);
            return Ok(casts.map(|(value, result)| self.cast(value, self.elem(result), false)).collect());
        }
        self.loops(id)
    }

    /// A reduction by loops over its axes. The innermost takes a tile at once where fragments have an axis for it.
    fn loops(&mut self, id: OpId) -> Result<Vec<Lowered>> {
        let ctx = self.ctx;
        let reduce = Reduce::from(OpRef::new(ctx, self.region, id));
        let names: Vec<String> = reduce.axes().into_iter().map(String::from).collect();
        let sizes = reduce.sizes();
        let combiner = reduce.combiner();
        let mut outer: Vec<(String, SizeExpr)> = names.into_iter().zip(sizes).collect();
        let Some(last) = outer.pop() else { return self.once(id) };
        let results: Vec<ValueId> = self.region.results(id).collect();
        let overs: Vec<[bool; 2]> = results.iter().map(|&result| self.depends(result).1).collect();
        let held = self.scope().dims[1].as_ref().is_some_and(|dim| {
            dim.tile > 1 && dim.axes.len() == 1 && dim.axes[0].0 == last.0 && dim.base.as_constant() == Some(0)
        });
        let free = self.scope().dims[1].as_ref().is_none_or(|dim| dim.tile == 1);
        let along = combiner.filter(|_| self.tiling.along > 1 && (held || free) && overs.iter().all(|over| !over[1]));
        let accumulators: Vec<(Type, Attr)> = reduce.acc().into_iter().zip(reduce.init().iter().copied()).collect();
        // Where rows are reduced by lanes, whatever is reduced has rows.
        let rows = self.tiling.along > 1;
        let mut overs_inside: Vec<[bool; 2]> = overs.iter().map(|&[row, column]| [row || rows, column]).collect();
        if along.is_some() {
            overs_inside.iter_mut().for_each(|over| over[1] = true);
        }
        // A row that is held whole is reduced as it stands.
        if let (Some(combiner), true) = (along, held && outer.is_empty()) {
            let values = self.contributions(id, &overs_inside, true)?;
            return self.across(combiner, &values, &results, &overs);
        }
        let tile = match along {
            Some(_) if held => self.scope().dims[1].as_ref().map_or(1, |dim| dim.tile),
            Some(_) => super::axes::tile_of(&last.1, self.tiling.along, self.tiling.along),
            None => 1,
        };
        let inner = if along.is_some() { Some((last.clone(), tile)) } else { None };
        self.push_scope();
        if let Some(((name, size), tile)) = &inner {
            // The type of what is carried needs the tile; where it begins, the loop says.
            let dim = self.dim(vec![(name.clone(), size.clone())], SizeExpr::from(0), *tile)?;
            self.scope().dims[1] = Some(dim);
        }
        let mut inits = Vec::new();
        for ((ty, init), over) in accumulators.iter().zip(&overs_inside) {
            let ty = self.ty(*ty, *over);
            inits.push(self.emit.constant(*init, ty));
        }
        let points: Vec<(String, SizeExpr)> = match &inner {
            Some(_) => outer.clone(),
            None => outer.iter().cloned().chain([last.clone()]).collect(),
        };
        let step = Step { id, overs: overs_inside.clone(), combiner, inner };
        let carried = self.nest(&points, &step, &inits)?;
        let values: Vec<Lowered> =
            carried.iter().zip(&overs_inside).map(|(&value, &over)| Lowered { value, over }).collect();
        let done = match along {
            Some(combiner) => self.across(combiner, &values, &results, &overs)?,
            None => {
                let casts = values.iter().zip(&results).zip(&overs);
                casts.map(|((&value, &result), _)| self.cast(value, self.elem(result), false)).collect()
            }
        };
        self.scopes.pop();
        Ok(done)
    }

    /// A reduction over no axes: what it combines once.
    fn once(&mut self, id: OpId) -> Result<Vec<Lowered>> {
        let reduce = Reduce::from(OpRef::new(self.ctx, self.region, id));
        let results: Vec<ValueId> = self.region.results(id).collect();
        let rows = self.tiling.along > 1;
        let over = |result: &ValueId| {
            let (_, [row, column]) = self.depends(*result);
            [row || rows, column]
        };
        let overs: Vec<[bool; 2]> = results.iter().map(over).collect();
        let mut inits = Vec::new();
        for ((elem, init), &over) in reduce.acc().into_iter().zip(reduce.init().to_vec()).zip(&overs) {
            let ty = self.ty(elem, over);
            inits.push(self.emit.constant(init, ty));
        }
        let step = Step { id, overs: overs.clone(), combiner: reduce.combiner(), inner: None };
        let made = self.step(&step, &inits)?;
        let made = made.into_iter().zip(overs).zip(results);
        Ok(made.map(|((value, over), result)| self.cast(Lowered { value, over }, self.elem(result), false)).collect())
    }

    /// A scope inside of this one, with the same axes.
    pub fn push_scope(&mut self) {
        let scope = self.scope();
        let inner = Scope {
            dims: scope.dims.clone(),
            points: scope.points.clone(),
            layout: scope.layout.clone(),
            known: FxHashMap::default(),
        };
        self.scopes.push(inner);
    }

    /// The loops over single positions, one in the other, then that over tiles, around what is done at each.
    fn nest(&mut self, points: &[(String, SizeExpr)], step: &Step, inits: &[ValueId]) -> Result<Vec<ValueId>> {
        let (axis, rest, tile) = match (points.split_first(), &step.inner) {
            (Some((axis, rest)), _) => (axis.clone(), Some(rest), 1),
            (None, Some((axis, tile))) if !self.at_tile(&axis.0) => (axis.clone(), None, *tile),
            _ => return self.step(step, inits),
        };
        let open = self.emit.open_loop(&axis.1, tile, &axis.0, inits)?;
        let base = self.emit.name(open.counter);
        self.push_scope();
        let dim = self.dim(vec![axis.clone()], base, tile)?;
        let next = match rest {
            Some(rest) => {
                // An axis of fragments that is gone over one by one is none.
                for place in &mut self.scope().dims {
                    place.take_if(|dim| dim.axes.iter().any(|(name, _)| *name == axis.0));
                }
                self.scope().points.push(dim);
                self.nest(rest, step, &open.carried)?
            }
            None => {
                self.scope().dims[1] = Some(dim);
                self.step(step, &open.carried)?
            }
        };
        self.scopes.pop();
        Ok(self.emit.close_loop(open, &next))
    }

    /// Whether the second axis of fragments is a tile of an axis that a loop has begun.
    fn at_tile(&self, axis: &str) -> bool {
        let dim = self.scopes.last().and_then(|scope| scope.dims[1].as_ref());
        dim.is_some_and(|dim| dim.axes[0].0 == axis && dim.base.as_constant() != Some(0))
    }

    /// What is done at one position: contributions are combined with what there is.
    fn step(&mut self, step: &Step, carried: &[ValueId]) -> Result<Vec<ValueId>> {
        let values = self.contributions(step.id, &step.overs, step.inner.is_some())?;
        let reduce = Reduce::from(OpRef::new(self.ctx, self.region, step.id));
        let loc = self.emit.loc;
        if let Some(combiner) = step.combiner {
            let mut next = Vec::new();
            for (&old, value) in carried.iter().zip(&values) {
                let ty = self.emit.body.value_type(old);
                let made =
                    kernel::Binary::build(&mut self.emit.builder(), loc, old, value.value, function(combiner), ty);
                next.push(self.emit.body.result(made, 0));
            }
            return Ok(next);
        }
        self.combine_values(reduce, &step.overs, carried, &values)
    }

    /// The bindings that a value depends on.
    pub fn ids(&self, value: ValueId) -> Vec<usize> {
        self.depends(value).0
    }

    /// The region that combines, with these accumulators and contributions.
    pub fn combine_values(
        &mut self,
        reduce: Reduce<'_>,
        overs: &[[bool; 2]],
        carried: &[ValueId],
        values: &[Lowered],
    ) -> Result<Vec<ValueId>> {
        let region = reduce.regions().get(1).and_then(|&region| self.region.first_block(region));
        let Some(block) = region else { return Err(TooLarge) };
        let args = self.region.args(block).to_vec();
        self.push_scope();
        let given = carried.iter().zip(overs).map(|(&value, &over)| Lowered { value, over });
        for (&arg, lowered) in args.iter().zip(given.chain(values.iter().copied())) {
            let (ids, _) = self.depends(arg);
            self.scope().known.insert(arg, (lowered, ids));
        }
        let mut next = Vec::new();
        let end = self.region.last_op(block).and_then(|end| Yield::of(OpRef::new(self.ctx, self.region, end)));
        let Some(end) = end else { return Err(TooLarge) };
        for ((value, &over), &old) in end.values().zip(overs).zip(carried) {
            let value = self.value(value)?;
            let elem = dlc_kernel::types::elem_of(self.ctx, self.emit.body.value_type(old));
            let value = self.cast(value, elem, false);
            next.push(self.as_fragment(value, over)?.value);
        }
        self.scopes.pop();
        Ok(next)
    }

    /// What a reduction combines at this position, as its accumulators; where a tile reaches beyond the axis, the number
    /// that changes nothing.
    fn contributions(&mut self, id: OpId, overs: &[[bool; 2]], tiled: bool) -> Result<Vec<Lowered>> {
        let reduce = Reduce::from(OpRef::new(self.ctx, self.region, id));
        let region = reduce.regions().first().and_then(|&region| self.region.first_block(region));
        let end = region.and_then(|block| self.region.last_op(block));
        let Some(end) = end.and_then(|end| Yield::of(OpRef::new(self.ctx, self.region, end))) else {
            return Err(TooLarge);
        };
        let (acc, init) = (reduce.acc(), reduce.init().to_vec());
        let mut values = Vec::new();
        for (index, value) in end.values().enumerate() {
            let value = self.value(value)?;
            let value = self.cast(value, acc[index], false);
            let mut value = self.as_fragment(value, overs[index])?;
            if tiled {
                let conditions = self.inside([false, true])?;
                // The second axis has the number 1 where the first is there.
                let conditions: Vec<Condition> = conditions
                    .into_iter()
                    .filter_map(|condition| condition.map(&|expr| renumber(expr, overs[index])))
                    .collect();
                if !conditions.is_empty() {
                    let neutral = self.emit.constant(init[index], acc[index]);
                    let (args, _, guard) = self.emit.operands(&[], Some(&Guard::all(conditions)))?;
                    let (ty, loc) = (self.ty(acc[index], overs[index]), self.emit.loc);
                    let (yes, mut builder) = (value.value, self.emit.builder());
                    let made = kernel::Select::build(&mut builder, loc, &args, None, yes, neutral, guard, ty);
                    value = self.made(made, overs[index]);
                }
            }
            values.push(value);
        }
        Ok(values)
    }

    /// Fragments combined along their second axis.
    fn across(
        &mut self,
        combiner: Combiner,
        values: &[Lowered],
        results: &[ValueId],
        overs: &[[bool; 2]],
    ) -> Result<Vec<Lowered>> {
        let mut done = Vec::new();
        for ((value, &result), over) in values.iter().zip(results).zip(overs) {
            let loc = self.emit.loc;
            let made = kernel::Reduce::build(&mut self.emit.builder(), loc, value.value, None, combiner, 1);
            let made = self.made(made, [true, false]);
            debug_assert!(!over[1], "a value along the axis that is combined");
            done.push(self.cast(made, self.elem(result), false));
        }
        Ok(done)
    }
}

/// A reduction's innermost work.
struct Step {
    id: OpId,
    overs: Vec<[bool; 2]>,
    combiner: Option<Combiner>,
    /// The axis that is taken by tiles.
    inner: Option<((String, SizeExpr), u32)>,
}

/// The second axis of fragments with both, in an expression of a fragment with the second alone.
fn renumber(expr: &SizeExpr, over: [bool; 2]) -> Option<SizeExpr> {
    match over {
        [true, true] => expr.substitute(&|name| (name == "i0").then(|| super::axes::coordinate(1))).ok(),
        _ => Some(expr.clone()),
    }
}

/// What combines two numbers.
pub fn function(combiner: Combiner) -> scalar::Binary {
    match combiner {
        Combiner::Sum => scalar::Binary::Add,
        Combiner::Prod => scalar::Binary::Mul,
        Combiner::Max => scalar::Binary::Max,
        Combiner::Min => scalar::Binary::Min,
    }
}

/// The number that a constant op has, if it is one.
pub fn is_zero(ctx: &Context, attr: Option<Attr>) -> bool {
    attr.is_none_or(|attr| match Datum::of_attr(ctx, attr) {
        Some(Datum::Float(value)) => value == 0.0,
        Some(Datum::Int(value)) => value == 0,
        _ => false,
    })
}
