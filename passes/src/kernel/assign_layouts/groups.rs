//! Fragments that have one layout, which nothing else binds; and the layouts by which threads copy.

use std::sync::Arc;

use dlc_ir::body::{Body, OpRef};
use dlc_ir::define::Kind;
use dlc_ir::pass::PassCx;
use dlc_ir::{Context, OpId, Type, ValueId};
use dlc_kernel::global::GlobalAccess;
use dlc_kernel::layout::{Distributed, Fragment};
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Frag, Tile, sizes};
use dlc_kernel::verify::warps_of;
use rustc_hash::FxHashMap;

use super::cost::{blocked_layouts, global, shared};
use super::{changed, weight};
use crate::analysis::vectors::widest;

/// The fragment of a type in another layout, for the threads that run an op.
pub fn placed(op: OpRef<'_>, ty: Type, layout: &Distributed) -> Option<Arc<Fragment>> {
    let frag = Frag::of(op.ctx, ty)?;
    let shape = sizes(&frag.shape(op.ctx))?;
    layout.place_once(op.ctx, &shape, frag.elem(op.ctx).bits(op.ctx)?, warps_of(op)?).ok()
}

/// Sets of values that have one layout.
#[derive(Default)]
struct Sets {
    parents: FxHashMap<ValueId, ValueId>,
    /// Values whose layout an op binds.
    bound: Vec<ValueId>,
}

impl Sets {
    fn root(&self, mut value: ValueId) -> ValueId {
        while let Some(&parent) = self.parents.get(&value).filter(|&&parent| parent != value) {
            value = parent;
        }
        value
    }

    fn join(&mut self, a: ValueId, b: ValueId) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents.insert(b, b);
        self.parents.insert(a, b);
    }

    fn of(ctx: &Context, body: &Body) -> Sets {
        let mut sets = Sets::default();
        for op in body.walk() {
            sets.add(OpRef::new(ctx, body, op));
        }
        sets
    }

    fn add(&mut self, op: OpRef<'_>) {
        let is_frag = |value: &ValueId| Frag::of(op.ctx, op.type_of(*value)).is_some();
        let values: Vec<ValueId> = op.operands().chain(op.results()).filter(is_frag).collect();
        let free = [
            kernel::Load::DEF,
            kernel::Store::DEF,
            kernel::LoadShared::DEF,
            kernel::StoreShared::DEF,
            kernel::Const::DEF,
            kernel::Index::DEF,
            kernel::Unary::DEF,
            kernel::Binary::DEF,
            kernel::MulAcc::DEF,
            kernel::Select::DEF,
            kernel::Cast::DEF,
        ];
        if free.iter().any(|&def| op.is(def)) {
            values.iter().for_each(|&value| self.join(value, values[0]));
            return;
        }
        let block = |number: usize| op.regions().get(number).and_then(|&region| op.body.first_block(region));
        if let Some(view) = kernel::For::of(op) {
            let args = block(0).map_or(&[][..], |block| op.body.args(block)).iter().skip(1).copied();
            for ((init, arg), out) in view.inits().zip(args).zip(op.results()) {
                self.join(init, arg);
                self.join(arg, out);
            }
        } else if kernel::Yield::of(op).is_none() && op.regions().is_empty() {
            self.bound.extend(values);
            return;
        } else if kernel::WarpIf::of(op).is_some() {
            // Which warps run a branch depends on who has what.
            self.bound.extend(values);
        }
        // What the end of a region gives is the result.
        for number in 0..op.regions().len() {
            let end = block(number).and_then(|block| op.body.last_op(block));
            let end = end.and_then(|end| kernel::Yield::of(OpRef { id: end, ..op }));
            for (value, out) in end.into_iter().flat_map(|end| end.values().collect::<Vec<_>>()).zip(op.results()) {
                self.join(value, out);
            }
        }
    }
}

/// Fragments that have one layout, with the accesses that they are in.
struct Group {
    values: Vec<ValueId>,
    accesses: Vec<OpId>,
}

fn groups(ctx: &Context, body: &Body) -> Vec<Group> {
    let sets = Sets::of(ctx, body);
    let bound: Vec<ValueId> = sets.bound.iter().map(|&value| sets.root(value)).collect();
    let mut groups: Vec<(ValueId, Group)> = Vec::new();
    let mut add = |value: ValueId, access: Option<OpId>| {
        let root = sets.root(value);
        if Frag::of(ctx, body.value_type(value)).is_none() || bound.contains(&root) {
            return;
        }
        let at = groups.iter().position(|(known, _)| *known == root).unwrap_or_else(|| {
            groups.push((root, Group { values: Vec::new(), accesses: Vec::new() }));
            groups.len() - 1
        });
        let group = &mut groups[at].1;
        if !group.values.contains(&value) {
            group.values.push(value);
        }
        group.accesses.extend(access);
    };
    for id in body.walk() {
        let op = OpRef::new(ctx, body, id);
        let own = kernel::Load::of(op).map(|op| op.out());
        let own = own.or_else(|| kernel::Store::of(op).map(|op| op.value()));
        let own = own.or_else(|| kernel::LoadShared::of(op).map(|op| op.out()));
        let own = own.or_else(|| kernel::StoreShared::of(op).map(|op| op.value()));
        if let Some(own) = own {
            add(own, Some(id));
        }
        op.operands().chain(op.results()).for_each(|value| add(value, None));
        for &region in op.regions() {
            let args = body.first_block(region).map_or(&[][..], |block| body.args(block));
            args.iter().for_each(|&arg| add(arg, None));
        }
    }
    groups.into_iter().map(|(_, group)| group).filter(|group| !group.accesses.is_empty()).collect()
}

/// What the accesses of a group cost in a layout. `None` where it does not fit.
fn cost(ctx: &Context, body: &Body, group: &Group, layout: &Distributed) -> Option<u64> {
    let mut sum = 0u64;
    for &id in &group.accesses {
        let op = OpRef::new(ctx, body, id);
        let one = if let Some(mut access) = GlobalAccess::of(op) {
            let frag = Frag::of(ctx, access.frag)?;
            access.frag = Frag::get(ctx, frag.shape(ctx), frag.elem(ctx), layout.clone());
            // What was promised stays possible.
            let vector = access.vector.unwrap_or(1);
            if vector > 1 && i64::from(access.row(op)?.elements) < vector {
                return None;
            }
            global(op, &access)?
        } else {
            let (tile, value, transposed, loads) = match (kernel::LoadShared::of(op), kernel::StoreShared::of(op)) {
                (Some(op), _) => (op.tile(), op.out(), op.transposed(), true),
                (_, Some(op)) => (op.tile(), op.value(), op.transposed(), false),
                _ => continue,
            };
            let place = Tile::of(ctx, op.type_of(tile))?.place(ctx).ok()?;
            let place = if transposed.is_some() { place.transposed()? } else { place };
            shared(&*placed(op, op.type_of(value), layout)?, &place, loads)?
        };
        sum += one * weight(ctx, body, id);
    }
    Some(sum)
}

/// Chooses the layouts of fragments that nothing binds. How many sets have another one.
pub fn assign(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let mut count = 0;
    for group in groups(ctx, body) {
        let Some((old, new, costs)) = choose(ctx, body, &group) else { continue };
        if !cx.allows_rule("fragment") {
            continue;
        }
        for &value in &group.values {
            let Some(frag) = Frag::of(ctx, body.value_type(value)) else { continue };
            let ty = Frag::get(ctx, frag.shape(ctx), frag.elem(ctx), new.clone());
            body.set_value_type(value, ty);
        }
        changed(cx, body.loc(group.accesses[0]), "fragments", [old.to_string(), new.to_string()], costs);
        count += 1;
    }
    count
}

/// The layout that a group has, a better one, and what both cost.
fn choose(ctx: &Context, body: &Body, group: &Group) -> Option<(Distributed, Distributed, [u64; 2])> {
    let frag = Frag::of(ctx, body.value_type(*group.values.first()?))?;
    let (shape, old) = (frag.shape(ctx), frag.layout(ctx));
    let alike = |&value: &ValueId| {
        let other = Frag::of(ctx, body.value_type(value));
        other.is_some_and(|other| other.shape(ctx) == shape && other.layout(ctx) == old)
    };
    let op = |id: OpId| OpRef::new(ctx, body, id);
    let warps = warps_of(op(group.accesses[0]))?;
    let same = group.accesses.iter().all(|&id| warps_of(op(id)) == Some(warps));
    if !group.values.iter().all(alike) || !same {
        return None;
    }
    let before = cost(ctx, body, group, &old)?;
    let first = op(group.accesses[0]);
    let registers = placed(first, body.value_type(group.values[0]), &old)?.registers();
    let tried = blocked_layouts(&sizes(&shape)?, warps).into_iter().filter_map(|layout| {
        // More registers than before may be too many.
        let fits = placed(first, body.value_type(group.values[0]), &layout)?.registers() <= registers;
        Some((cost(ctx, body, group, &layout).filter(|_| fits)?, layout))
    });
    let (after, new) = tried.min_by_key(|&(cost, _)| cost)?;
    (after < before).then_some((old, new, [before, after]))
}

/// Chooses the layouts by which threads copy. How many copies have another one.
pub fn assign_copies(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    let ctx = cx.ctx;
    let mut count = 0;
    for id in body.walk() {
        let op = OpRef::new(ctx, body, id);
        let Some(access) = GlobalAccess::of(op).filter(|access| access.tile.is_some()) else { continue };
        let Some((old, new, costs)) = choose_copy(op, &access) else { continue };
        if cx.allows_rule("copy") {
            changed(cx, body.loc(id), "copy", [old.to_string(), new.to_string()], costs);
            let by = Distributed::make(ctx, new);
            body.set_prop(ctx, id, ctx.intern_str("by"), Some(by));
            count += 1;
        }
    }
    count
}

fn choose_copy(op: OpRef<'_>, access: &GlobalAccess) -> Option<(Distributed, Distributed, [u64; 2])> {
    let ctx = op.ctx;
    let frag = Frag::of(ctx, access.frag)?;
    let tile = Tile::of(ctx, op.type_of(access.tile?))?.place(ctx).ok()?;
    // What threads do not wait for moves 4 bytes at least, and stays as wide as it is; what is not known to do that is
    // left alone, as whoever wrote it knew more.
    let own = widest(op).map_or(1, |width| width.vector);
    if op.is(kernel::CopyAsync::DEF) && own * tile.elem_bytes() < 4 {
        return None;
    }
    let cost = |layout: &Distributed| {
        let ty = Frag::get(ctx, frag.shape(ctx), frag.elem(ctx), layout.clone());
        let access = GlobalAccess { frag: ty, ..access.clone() };
        let fragment = access.fragment(op).ok()?;
        let row = access.row(op).map_or(1, |row| row.elements);
        let narrow = op.is(kernel::CopyAsync::DEF)
            && crate::analysis::vectors::widest_of(op, &access).map_or(1, |width| width.vector) < own;
        if i64::from(row) < access.vector.unwrap_or(1) || narrow {
            return None;
        }
        Some(global(op, &access)? + shared(&fragment, &tile, false)?)
    };
    let old = frag.layout(ctx);
    let before = cost(&old)?;
    let tried = blocked_layouts(&sizes(&frag.shape(ctx))?, warps_of(op)?);
    let tried = tried.into_iter().filter_map(|layout| Some((cost(&layout)?, layout)));
    let (after, new) = tried.min_by_key(|&(cost, _)| cost)?;
    let weight = weight(ctx, op.body, op.id);
    (after < before).then_some((old, new, [before * weight, after * weight]))
}
