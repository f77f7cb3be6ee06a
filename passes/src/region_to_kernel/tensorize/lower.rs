//! Values of a region as fragments and numbers of a kernel. A value is computed where it is wanted, in the scope of the
//! loop that it stands in; what a scope around has computed already is taken from there.

use dlc_core::access::Access;
use dlc_core::guard::{Condition, Guard};
use dlc_core::memref::MemRef;
use dlc_core::scalar;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::interp::Datum;
use dlc_ir::{Attr, BlockId, Builder, Context, OpId, Type, ValueId};
use dlc_kernel::layout::{Distributed, Shared};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::Tile;
use dlc_region::ops::{
    Binary, BroadcastInDim, Cast, Const, Index, Read, Reduce, Scan, Select, Sort, Transpose, Unary, Yield,
};
use dlc_region::types::Value;
use dlc_region::verify::axes_of;
use rustc_hash::FxHashMap;

use super::axes::{Dim, LowerError, both, map_guard};
use super::emit::Emit;
use super::report::{Multiplied, Of};
use crate::plan::shape::Axis;
use crate::plan::tiling::Tiling;

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

/// Positions of an axis that are scanned together.
pub struct Group {
    /// The axis.
    pub axis: String,
    /// The number of the group.
    pub number: SizeExpr,
    /// How many positions each has.
    pub every: i64,
}

/// The part of a reduction that a block does.
pub struct Part {
    /// The reduction.
    pub reduce: OpId,
    /// The axis that has parts.
    pub axis: String,
    /// The number of the part.
    pub number: SizeExpr,
    /// How many parts there are.
    pub count: i64,
    /// Whether parts may be combined in any order.
    pub is_commutative: bool,
    /// Whether nothing is asked of its first accumulator, a maximum, but that the others are below it.
    pub is_scale: bool,
}

/// The making of a kernel from a region.
pub struct Lower<'a, 'c> {
    pub ctx: &'c Context,
    pub region: &'a Body,
    pub emit: Emit<'c>,
    pub tiling: Tiling,
    /// The memref of the kernel for each argument of the region.
    pub memory: FxHashMap<ValueId, ValueId>,
    pub scopes: Vec<Scope>,
    pub next_id: usize,
    pub grid: BlockId,
    /// The number of the tile, and how many steps later than in the one before the loop along each axis begins.
    pub stagger: Option<(SizeExpr, Vec<(String, i64)>)>,
    /// Sizes, and what they are at most.
    pub register_resident: Vec<(SizeExpr, i64)>,
    /// Values that outside of their tile are another number than what they are computed from is there.
    pub filled: Vec<ValueId>,
    /// What the plan says and is not done, and why.
    pub missed: Vec<(String, String)>,
    /// The axes along which a loop was staggered.
    pub staggered: Vec<String>,
    /// The products that were lowered, each once.
    pub multiplied: Vec<Multiplied>,
    /// The scans, with what the elements up to here combine to.
    pub running: Vec<(OpId, ValueId)>,
    /// The positions that a block has of the axis that scans go along, if it has not all.
    pub group: Option<Group>,
    /// The reduction of which a block does a part, if it does not all.
    pub part: Option<Part>,
    /// Whether there is a plan.
    pub is_planned: bool,
    /// How many conditions what is made stands in: not all threads come there.
    pub conditions: usize,
    /// The axes whose loops are marked to be unrolled.
    pub unrolled: Vec<String>,
    /// Whether floats are finite, so that zero times any is zero.
    pub finite: bool,
    /// The axes that neighbouring blocks are along.
    pub near: Vec<Axis>,
}

pub type Result<T> = std::result::Result<T, LowerError>;

/// The width of a type of elements.
pub fn bits_of(ctx: &Context, elem: Type) -> u32 {
    elem.bits(ctx).expect("elements are numbers")
}

/// The `yield` of a block of a region.
pub fn end_of<'r>(ctx: &'r Context, region: &'r Body, block: BlockId) -> Yield<'r> {
    let end = region.last_op(block).and_then(|end| Yield::of(OpRef::new(ctx, region, end)));
    end.expect("blocks of a region end with 'yield'")
}

impl<'c> Lower<'_, 'c> {
    fn op(&self, id: OpId) -> OpRef<'_> {
        OpRef::new(self.ctx, self.region, id)
    }

    /// Notes a product that is lowered, for the report.
    pub fn note_product(&mut self, of: Of, factors: [Option<String>; 2]) {
        let Some(by) = self.tiling.matrix.as_ref().map(|matrix| matrix.instruction) else { return };
        let op = match of {
            Of::Sum(op) => Some(op),
            Of::Contribution(value) => self.region.defining_op(value),
        };
        if !self.multiplied.iter().any(|known| known.of == of) {
            let loc = op.map_or(self.emit.loc, |op| self.region.loc(op));
            self.multiplied.push(Multiplied { of, loc, by, factors });
        }
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
        Ok(Dim { axes, total, base, tile, id: self.next_id, whole_rows: None })
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

    /// The size of an axis that neighbouring blocks are along: it has one position for all of a tile.
    pub fn near(&self, axis: &str) -> Option<SizeExpr> {
        self.near.iter().find(|(name, _)| name == axis).map(|(_, size)| size.clone())
    }

    /// The bindings that a value depends on, and the axes of fragments that it has.
    pub(super) fn depends(&self, value: ValueId) -> (Vec<usize>, [bool; 2]) {
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

    /// The number of the group of a block, if an expression is that.
    fn group_of(&self, expr: &SizeExpr) -> Option<SizeExpr> {
        let Group { axis, number, every } = self.group.as_ref()?;
        let own = SizeExpr::symbol(axis).ok()?.floordiv(&(*every).into()).ok()?;
        (*expr == own).then(|| number.clone())
    }

    /// An expression of the region's axes as one of the kernel.
    pub fn expr(&self, expr: &SizeExpr, over: [bool; 2]) -> Result<SizeExpr> {
        if let Some(group) = self.group_of(expr) {
            return Ok(group);
        }
        let mut positions: FxHashMap<String, SizeExpr> = FxHashMap::default();
        for name in expr.symbols() {
            if let Some(position) = self.position(&name, over)? {
                positions.insert(name.to_string(), position);
            }
        }
        expr.substitute(&|name| positions.get(name).cloned()).map_err(LowerError::Expr)
    }

    pub fn guard(&self, guard: &Guard, over: [bool; 2]) -> Result<Guard> {
        map_guard(guard, &|expr| self.expr(expr, over))
    }

    /// Where all positions of a fragment are ones.
    pub fn inside(&self, over: [bool; 2]) -> Result<Vec<Condition>> {
        self.inside_but(over, &[])
    }

    /// The same without what is said of some bindings.
    fn inside_but(&self, over: [bool; 2], but: &[usize]) -> Result<Vec<Condition>> {
        let mut conditions = Vec::new();
        let dims = &self.scopes.last().expect("code is made in a scope").dims;
        for (place, dim) in dims.iter().enumerate().filter(|(place, _)| over[*place]) {
            let number = if place == 1 && over[0] { 1 } else { 0 };
            if let Some(dim) = dim.as_ref().filter(|dim| !but.contains(&dim.id)) {
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

    /// The memory of the kernel for an argument of the region.
    pub fn memory_of(&self, source: ValueId) -> ValueId {
        *self.memory.get(&source).expect("a region reads its arguments")
    }

    /// Both axes of fragments, where there are both.
    pub fn both_dims(&mut self) -> [Dim; 2] {
        let [Some(rows), Some(columns)] = self.scope().dims.clone() else {
            unreachable!("products and tiles of scores are computed over rows and columns")
        };
        [rows, columns]
    }

    pub(super) fn elem(&self, value: ValueId) -> Type {
        Value::expect(self.ctx, self.region.value_type(value)).elem(self.ctx)
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

    /// Memory through which warps that share rows exchange what they have of them; `None` where none share one.
    pub fn exchange(&mut self, elem: Type) -> Option<ValueId> {
        let [warps, rows] = [self.tiling.warps_per_row(), self.tiling.tile[0]];
        if warps <= 1 {
            return None;
        }
        let shape = vec![i64::from(warps * rows)];
        let ty = Tile::get(self.ctx, 1, shape, elem, Shared::RowMajor { pitch: None });
        let (loc, place) = (self.emit.loc, InsertPoint::StartOf(self.grid));
        let op = kernel::Shared::build(&mut Builder::new(self.ctx, &mut self.emit.body, place), loc, None, ty);
        let tile = self.emit.body.result(op, 0);
        self.emit.set_name(tile, "shared");
        Some(tile)
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
        let op =
            kernel::NewSelect { args: &[], cond: None, yes: fill, no: lowered.value, guard: Some(guard), out_type: ty }
                .build(&mut self.emit.builder(), loc);
        Ok(Lowered { value: self.emit.body.result(op, 0), over })
    }

    /// The number zero of a type.
    pub fn zero(&self, elem: Type) -> Attr {
        let zero = if elem.float_kind(self.ctx).is_some() { Datum::Float(0.0) } else { Datum::Int(0) };
        zero.to_attr(self.ctx, elem).expect("elements are numbers")
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
        let id = self.region.defining_op(value).expect("arguments are memory, and those of a combiner are known");
        // What is built for the op around it after this has the location of that op again.
        let around = std::mem::replace(&mut self.emit.loc, self.region.loc(id));
        let lowered = if Reduce::of(self.op(id)).is_some() {
            let results = self.reduce(id)?;
            let all: Vec<ValueId> = self.region.results(id).collect();
            for (&result, &lowered) in all.iter().zip(&results) {
                let (ids, _) = self.depends(result);
                self.scope().known.insert(result, (lowered, ids));
            }
            let at = all.iter().position(|&result| result == value);
            results[at.expect("the op that defines a value has it as a result")]
        } else {
            self.simple(id)?
        };
        let name = self.ctx.str(self.region.value_name(value));
        if !name.is_empty() && self.ctx.str(self.emit.body.value_name(lowered.value)).is_empty() {
            self.emit.set_name(lowered.value, name);
        }
        self.scope().known.insert(value, (lowered, ids));
        self.emit.loc = around;
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
        if let Some(op) = Scan::of(op) {
            return self.scan(op, elem);
        }
        if let Some(op) = Sort::of(op) {
            return self.sort(op, elem);
        }
        let select = Select::of(op);
        self.select(select.unwrap_or_else(|| unreachable!("the verifier admits no '{}' here", op.name())), elem)
    }

    pub(super) fn made(&self, op: OpId, over: [bool; 2]) -> Lowered {
        Lowered { value: self.emit.body.result(op, 0), over }
    }

    /// The value as another type.
    pub fn cast(&mut self, input: Lowered, elem: Type, bits: bool) -> Lowered {
        let from = dlc_kernel::types::elem_of(self.ctx, self.emit.body.value_type(input.value));
        if from == elem {
            return input;
        }
        // A truth value takes a byte, whose bits are the number 0 or 1.
        if bits && (from == Type::I1 || elem == Type::I1) {
            let byte = self.cast(input, Type::I8, from != Type::I1);
            return self.cast(byte, elem, elem != Type::I1);
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
                dlc_core::broadcast::promote(self.ctx, lhs, rhs).expect("what is compared has a common type")
            }
            _ => elem,
        };
        let (lhs, mut rhs) = (self.cast(lhs, common, false), self.cast(rhs, common, false));
        let mut function = op.function();
        // One over what a whole row is divided by is computed once.
        if function == scalar::Binary::Fdiv && elem == Type::F32 && lhs.over[1] && rhs.over == [true, false] {
            let loc = self.emit.loc;
            let made = kernel::Unary::build(&mut self.emit.builder(), loc, rhs.value, scalar::Unary::Recip);
            (rhs, function) = (self.made(made, rhs.over), scalar::Binary::Mul);
        }
        let (lhs, rhs) = self.alike(lhs, rhs);
        let over = [lhs.over[0] || rhs.over[0], lhs.over[1] || rhs.over[1]];
        let (ty, loc) = (self.ty(elem, over), self.emit.loc);
        let made = kernel::Binary::build(&mut self.emit.builder(), loc, lhs.value, rhs.value, function, ty);
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
                let cond = cond.expect("without a guard it has a condition");
                let cond = self.spread(cond, over);
                let (yes, no) = (self.spread(yes, over), self.spread(no, over));
                let made = kernel::NewSelect {
                    args: &[],
                    cond: Some(cond.value),
                    yes: yes.value,
                    no: no.value,
                    guard: None,
                    out_type: ty,
                }
                .build(&mut self.emit.builder(), loc);
                Ok(self.made(made, over))
            }
            Some(guard) => {
                let guard = self.guard(&guard, over)?;
                let (values, _, guard) = self.emit.operands(&[], Some(&guard))?;
                let (yes, no) = (self.spread(yes, over), self.spread(no, over));
                let (yes, no) = (yes.value, no.value);
                let made = kernel::NewSelect { args: &values, cond: None, yes, no, guard, out_type: ty }
                    .build(&mut self.emit.builder(), loc);
                Ok(self.made(made, over))
            }
        }
    }

    fn positions(&mut self, index: Index<'_>, elem: Type) -> Result<Lowered> {
        let (_, over) = self.depends(index.result(0));
        let expr = self.expr(&index.value()[0], over)?;
        let integer = if elem.float_kind(self.ctx).is_some() { Type::I64 } else { elem };
        let (values, exprs, _) = self.emit.operands(&[expr], None)?;
        let (ty, loc) = (self.ty(integer, over), self.emit.loc);
        let made = kernel::Index::build(&mut self.emit.builder(), loc, &values, exprs, ty);
        let made = self.made(made, over);
        Ok(self.cast(made, elem, false))
    }

    /// How a read is read from the kernel's memory, over these axes: where, within which guard, and the values named. Nothing
    /// is asked of the positions of the bindings `but`.
    pub fn access(&mut self, read: Read<'_>, over: [bool; 2], but: &[usize]) -> Result<(Access, Vec<ValueId>)> {
        self.access_where(read, read.guard(), over, but)
    }

    /// The same within another guard than that of the read.
    pub fn access_where(
        &mut self,
        read: Read<'_>,
        guard: Option<Guard>,
        over: [bool; 2],
        but: &[usize],
    ) -> Result<(Access, Vec<ValueId>)> {
        let ctx = self.ctx;
        let sizes = MemRef::expect(ctx, read.type_of(read.source())).dims(ctx);
        let indices: Vec<ValueId> = read.indices().collect();
        let (mut at, mut conditions) = (Vec::new(), Vec::new());
        for (axis, expr) in read.at().iter().enumerate() {
            match dlc_region::syntax::element_of(expr).and_then(|index| indices.get(index)) {
                // A position that is a value is guarded by itself.
                Some(&index) => {
                    let value = self.value(index)?;
                    let value = self.as_fragment(value, over)?;
                    let name = self.emit.name(value.value);
                    let upper = Some(sizes[axis].clone());
                    conditions.push(Condition { expr: name.clone(), lower: Some(SizeExpr::from(0)), upper });
                    at.push(name);
                }
                None => at.push(self.expr(expr, over)?),
            }
        }
        let guard = guard.map(|guard| self.guard(&guard, over)).transpose()?;
        conditions.extend(self.inside_but(over, but)?);
        let guard = both(guard, conditions);
        let (values, at, guard) = self.emit.operands(&at, guard.as_ref())?;
        Ok((Access { at, guard, fill: read.fill() }, values))
    }

    fn read(&mut self, read: Read<'_>) -> Result<Lowered> {
        let (_, mut over) = self.depends(read.result(0));
        // A position that is reduced from a row is a fragment of it, also where the tile has one row.
        for index in read.indices().collect::<Vec<_>>() {
            let index = self.value(index)?;
            over = [0, 1].map(|axis| over[axis] || index.over[axis]);
        }
        // What is read once for the group of a block is the same along its axis.
        if let Some(Group { axis, .. }) = self.group.as_ref().filter(|_| over[1] && read.indices().len() == 0) {
            let moves =
                |expr: &SizeExpr| self.group_of(expr).is_none() && expr.symbols().iter().any(|name| **name == **axis);
            let guard = read.guard();
            over[1] = read.at().iter().chain(guard.iter().flat_map(Guard::exprs)).any(moves);
        }
        if let Some(staged) = super::contract::staged(self, read, over)? {
            return Ok(staged);
        }
        let (free, inside) = self.beyond_results(read);
        let (mut access, mut values) = self.access(read, over, &free)?;
        if !inside.is_empty() {
            let inside = self.guard(&Guard::all(inside), over)?;
            let own: Vec<Condition> =
                inside.pieces.into_iter().flatten().chain(self.inside_but(over, &free)?).collect();
            let at = read.at().iter().map(|at| self.expr(at, over)).collect::<Result<Vec<_>>>()?;
            (values, access.at, access.guard) = self.emit.operands(&at, Some(&Guard::all(own)))?;
        }
        let memory = self.memory_of(read.source());
        let (elem, loc) = (self.elem(read.result(0)), self.emit.loc);
        let ty = self.ty(elem, over);
        let across = self.lies_across(read, over);
        let shape = self.shape(over);
        let loaded =
            across.map_or(ty, |each| self.emit.frag(&shape, elem, &self.tiling.copying([shape[0], shape[1]], 0, each)));
        let Access { at, guard, fill } = access;
        let builder = &mut self.emit.builder();
        let made = kernel::NewLoad {
            source: memory,
            args: &values,
            at,
            guard,
            fill,
            hint: None,
            vector: None,
            out_type: loaded,
        }
        .build(builder, loc);
        let made = self.made(made, over);
        if across.is_none() {
            return Ok(made);
        }
        // Rows that are a word longer begin in other banks.
        let bytes = (bits_of(self.ctx, elem) / 8).max(1);
        let layout = Shared::RowMajor { pitch: Some(shape[1] + (4 / bytes).max(1)) };
        let tile = self.emit.tile(&shape, elem, layout)?;
        let place = InsertPoint::StartOf(self.grid);
        let tile = kernel::Shared::build(&mut Builder::new(self.ctx, &mut self.emit.body, place), loc, None, tile);
        let tile = self.emit.body.result(tile, 0);
        self.emit.set_name(tile, "through");
        let converted = kernel::Convert::build(&mut self.emit.builder(), loc, made.value, Some(tile), ty);
        Ok(self.made(converted, over))
    }

    /// The bindings of which nothing is asked where a thread reads for its own elements, as those beyond the results are not
    /// stored; and what keeps such a read in memory instead, where its own guard does not. So the same element of memory is
    /// read under the same guard by all windows that it is in.
    fn beyond_results(&self, read: Read<'_>) -> (Vec<usize>, Vec<Condition>) {
        let (mut free, mut inside) = (Vec::new(), Vec::new());
        if self.tiling.reduction_tile > 1 || self.tiling.matrix.is_some() || read.indices().len() > 0 {
            return (free, inside);
        }
        let sizes = MemRef::expect(self.ctx, read.type_of(read.source())).dims(self.ctx);
        for dim in self.scopes.last().into_iter().flat_map(|scope| scope.dims.iter().flatten()) {
            if super::contract::is_bounded(self, read, dim) {
                free.push(dim.id);
                continue;
            }
            let ([(axis, _)], None) = (dim.axes.as_slice(), read.guard()) else { continue };
            let at = read.at();
            let named = |at: &&SizeExpr| at.symbols().iter().any(|name| **name == **axis);
            let positions = || at.iter().zip(&sizes).filter(|(at, _)| named(at));
            // A position that is the axis alone is within its size anyway.
            if positions().next().is_some() && positions().all(|(at, _)| at.as_symbol().is_none()) {
                free.push(dim.id);
                inside.extend(positions().map(|(at, size)| Condition {
                    expr: at.clone(),
                    lower: Some(SizeExpr::from(0)),
                    upper: Some(size.clone()),
                }));
            }
        }
        (free, inside)
    }

    /// How many neighbours a thread takes at once of what a plan turns on its way, as they lie along the rows. Positions that
    /// are values are with the threads that have the results, and what is read there is not turned.
    fn lies_across(&self, read: Read<'_>, over: [bool; 2]) -> Option<u32> {
        if read.indices().len() > 0 {
            return None;
        }
        let name = self.ctx.str(self.region.value_name(read.source()));
        let (_, each) = self.tiling.across.iter().find(|(tensor, _)| tensor == name)?;
        (over == [true, true] && self.conditions == 0).then_some(*each)
    }
}
