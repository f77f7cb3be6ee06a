//! What threads load, store and copy of global memory: which element each of them touches, and which lie one after the
//! other.

use std::sync::Arc;

use dlc_core::guard::Guard;
use dlc_core::memref::MemRef;
use dlc_core::scalar::Combiner;
use dlc_ir::affine::SizeExpr;
use dlc_ir::{Context, OpRef, Type, ValueId};

use crate::interp::axis_number;
use crate::layout::{Fragment, MAX_VECTOR_BYTES};
use crate::ops::{Copied, Load, Store, TensorMapOf};
use crate::types::{Frag, Tile};
use crate::verify::warps_of;

/// An access of the elements of a fragment, or of a tile that threads copy, to global memory.
#[derive(Clone, Debug)]
pub struct GlobalAccess {
    /// The memref.
    pub memory: MemRef,
    /// The operand that it is.
    pub operand: ValueId,
    /// The values `_0`, `_1`, .. of expressions.
    pub values: Vec<ValueId>,
    /// For each axis of the memref an expression of the position in the fragment.
    pub at: Vec<SizeExpr>,
    /// Where memory is touched.
    pub guard: Option<Guard>,
    /// The type of the fragment; of a copy, that of the tile's elements in the layout by which threads share them.
    pub frag: Type,
    /// The tile of a copy.
    pub tile: Option<ValueId>,
    /// How many elements of a row one access takes.
    pub vector: Option<i64>,
    /// How elements are combined with what is there; `None` where they replace it.
    pub combines: Option<Combiner>,
}

/// Whether one access combines several elements of a row with memory: machines add vectors of `f32`.
pub fn combines_vectors(how: Combiner, elem: Type) -> bool {
    (how, elem) == (Combiner::Sum, Type::F32)
}

/// Elements of a fragment that lie one after another in memory.
#[derive(Clone, Debug)]
pub struct Row {
    /// The axis of the fragment.
    pub axis: usize,
    /// How many of them each thread has in a row in its registers, of a copy in the tile too: the most that one access can
    /// take.
    pub elements: u32,
    /// The number of an element in memory by its position in the fragment, counted in elements.
    pub number: SizeExpr,
}

/// The sizes where some axes count as one: of how many, `groups` says for each. `None` where those are not all of them.
pub fn merged<T: Clone>(sizes: &[T], groups: &[i64], product: impl Fn(&T, &T) -> Option<T>) -> Option<Vec<T>> {
    let mut rest = sizes;
    let mut made = Vec::new();
    for &count in groups {
        let (group, following) = rest.split_at_checked(usize::try_from(count).ok()?)?;
        let (first, others) = group.split_first()?;
        made.push(others.iter().try_fold(first.clone(), |all, size| product(&all, size))?);
        rest = following;
    }
    rest.is_empty().then_some(made)
}

/// The sizes of a memref where some of its axes count as one. `None` where those are not all of its axes, or do not lie one
/// after the other.
pub fn merged_dims(ctx: &Context, memory: MemRef, groups: &[i64]) -> Option<Vec<SizeExpr>> {
    let dims = memory.dims(ctx);
    let (strides, _) = strides(ctx, memory)?;
    let made = merged(&dims, groups, |a, b| a.mul(b).ok())?;
    let mut axis = 0;
    for &count in groups {
        let end = axis + usize::try_from(count).ok()?;
        let dense = |at: usize| strides[at + 1].mul(&dims[at + 1]).is_ok_and(|step| step == strides[at]);
        if !(axis..end - 1).all(dense) {
            return None;
        }
        axis = end;
    }
    Some(made)
}

/// The axis of a memref along which its elements lie one after another, the last where there are several.
pub fn contiguous_axis(ctx: &Context, memory: MemRef) -> Option<usize> {
    strides(ctx, memory)?.0.iter().rposition(|stride| stride.as_constant() == Some(1))
}

/// A list with an entry for each axis in another order of the axes. `None` where that is none.
pub fn ordered<T: Clone>(list: &[T], order: &[i64]) -> Option<Vec<T>> {
    let mut axes = order.to_vec();
    axes.sort_unstable();
    let is_order = axes.iter().copied().eq(0..list.len() as i64);
    is_order.then(|| order.iter().map(|&axis| list[axis as usize].clone()).collect())
}

/// The elements from one position to the next along each axis of a tensor map but the last. `None` where its memref has no
/// strides.
pub fn map_strides(ctx: &Context, map: TensorMapOf<'_>) -> Option<Vec<SizeExpr>> {
    let memory = MemRef::of(ctx, map.type_of(map.memory()))?;
    let groups = map.merged();
    let (mut strides, _) = strides(ctx, memory)?;
    if let Some(order) = map.order() {
        strides = ordered(&strides, &order)?;
    }
    let ones = vec![1; strides.len()];
    let mut end = 0;
    let mut last = groups.as_ref().unwrap_or(&ones).iter().map(|&count| {
        end += usize::try_from(count).ok()?;
        strides.get(end.checked_sub(1)?).cloned()
    });
    let mut all: Vec<SizeExpr> = last.by_ref().collect::<Option<_>>()?;
    all.pop();
    Some(all)
}

impl GlobalAccess {
    /// That of a load to a fragment, a store or a copy by threads; `None` for another op.
    pub fn of(op: OpRef<'_>) -> Option<GlobalAccess> {
        let ctx = op.ctx;
        let memory = |operand: ValueId| Some((MemRef::of(ctx, op.type_of(operand))?, operand));
        if let Some(load) = Load::of(op) {
            let ((memory, operand), frag) = (memory(load.source())?, op.type_of(load.out()));
            let (at, guard, values) = (load.at(), load.guard(), load.args().collect());
            let (tile, vector) = (None, load.vector());
            Frag::of(ctx, frag)?;
            return Some(GlobalAccess { memory, operand, values, at, guard, frag, tile, vector, combines: None });
        }
        if let Some(store) = Store::of(op) {
            let ((memory, operand), frag) = (memory(store.target())?, op.type_of(store.value()));
            let (at, guard, values) = (store.at(), store.guard(), store.args().collect());
            let (tile, vector, combines) = (None, store.vector(), store.combine());
            return Some(GlobalAccess { memory, operand, values, at, guard, frag, tile, vector, combines });
        }
        let copied = Copied::of(op)?;
        let (memory, operand) = memory(copied.source)?;
        let tile = Tile::of(ctx, op.type_of(copied.tile.0))?;
        let frag = Frag::get(ctx, tile.shape(ctx), tile.elem(ctx), copied.by);
        let values = op.operands().skip(1).take(copied.values).collect();
        let (at, guard, tile, vector) = (copied.at, copied.guard, Some(copied.tile.0), copied.vector);
        Some(GlobalAccess { memory, operand, values, at, guard, frag, tile, vector, combines: None })
    }

    /// The number of an element in memory by its position in the fragment, counted in elements. `None` where it cannot be
    /// said, and beyond 64 bits.
    pub fn number(&self, ctx: &Context) -> Option<SizeExpr> {
        let (strides, mut number) = strides(ctx, self.memory)?;
        if strides.len() != self.at.len() {
            return None;
        }
        for (at, stride) in self.at.iter().zip(&strides) {
            number = number.add(&at.mul(stride).ok()?).ok()?;
        }
        Some(number)
    }

    /// The row: the axis of the fragment along which elements lie one after another in memory, and of several that along
    /// which a thread has the most of them in a row. `None` where there is none, and where the layout does not fit.
    pub fn row(&self, op: OpRef<'_>) -> Option<Row> {
        let shape = Frag::of(op.ctx, self.frag)?.shape(op.ctx);
        let number = self.number(op.ctx)?;
        let is_row = |&axis: &usize| {
            let rest = position(axis).and_then(|axis| number.sub(&axis).ok());
            shape[axis] > 1 && rest.is_some_and(|rest| !names_axis(&rest, axis))
        };
        let rows = (0..shape.len()).filter(is_row);
        let (elements, axis) = rows.filter_map(|axis| Some((self.elements(op, axis).ok()?, axis))).max()?;
        Some(Row { axis, elements, number })
    }

    /// Which registers of which threads have which elements, for the threads that run the op. An error where the layout
    /// does not fit them.
    pub fn fragment(&self, op: OpRef<'_>) -> Result<Arc<Fragment>, String> {
        let frag = Frag::of(op.ctx, self.frag).ok_or("it is no fragment")?;
        frag.place(op.ctx, warps_of(op).ok_or("no block runs it")?)
    }

    /// How many elements along an axis one access can take, by the layout; 1 where elements are no whole bytes.
    fn elements(&self, op: OpRef<'_>, axis: usize) -> Result<u32, String> {
        let fragment = self.fragment(op)?;
        let most = fragment.global_access(axis, MAX_VECTOR_BYTES).map_or(1, |access| access.vector);
        let Some(tile) = self.tile.and_then(|tile| Tile::of(op.ctx, op.type_of(tile))) else { return Ok(most) };
        let tile = tile.place(op.ctx)?;
        let along = tile.contiguous_axis() == Some(axis);
        let shared = fragment.shared_access(&tile, MAX_VECTOR_BYTES)?.vector;
        Ok(if along { most.min(shared) } else { 1 })
    }
}

/// The symbol of the position along an axis of a fragment.
pub fn position(axis: usize) -> Option<SizeExpr> {
    SizeExpr::symbol(&format!("i{axis}")).ok()
}

/// Whether an expression names the position along an axis.
pub fn names_axis(expr: &SizeExpr, axis: usize) -> bool {
    expr.symbols().iter().any(|name| axis_number(name) == Some(axis))
}

/// What an expression rises by from each position along an axis to the next; `None` where that depends on the position.
pub fn slope(expr: &SizeExpr, axis: usize) -> Option<SizeExpr> {
    let next = position(axis)?.add(&SizeExpr::from(1)).ok()?;
    let moved = expr.substitute(&|name| (axis_number(name) == Some(axis)).then(|| next.clone())).ok()?;
    moved.sub(expr).ok().filter(|slope| !names_axis(slope, axis))
}

/// How many elements lie from one index to the next along each axis of a memref, where that can be said; and the number of
/// the first element.
pub fn strides(ctx: &Context, memory: MemRef) -> Option<(Vec<SizeExpr>, SizeExpr)> {
    memory.layout(ctx).strides(&memory.dims(ctx))
}
