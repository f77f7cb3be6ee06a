//! The first elements in order along an axis, of many: most are left out without being sorted.
//!
//! Elements with their positions are integers of which no two are equal (`sorting`), and the least come first. They are in groups.
//! Each of the first `count` elements is in one of the `count` groups whose least elements come first: any other group has
//! `count` elements before its own. So only the least elements of groups are sorted, and then those of `count` groups, in smaller
//! groups first if they are many.
//!
//! Groups are of adjacent positions. Along an axis whose size is a symbol they are of positions with the same remainder, so that
//! the number of groups is known.

use dlc_frontend::ops as frontend;
use dlc_ir::affine::SizeExpr;
use dlc_ir::{Type, ValueId};
use dlc_tiny::ops::{self as tiny, Combiner, Predicate};

use super::emit::{Emit, Lower, Values};

/// The rule of `topk`.
pub const RULES: &[Lower] = &[Lower { op: frontend::Topk::DEF, emit: topk }];

/// The most groups: a block sorts as many elements.
const MOST_GROUPS: i64 = 8192;
/// The groups of an axis whose size is a symbol.
const GROUPS: i64 = 2048;
/// The most elements that are sorted as they are, and that are left to be sorted in the end.
const FEW: i64 = 4096;

fn topk(e: &mut Emit<'_>) -> Values {
    let op = frontend::Topk::from(e.source());
    let (axis, count, descending) = (op.axis() as usize, op.count(), op.smallest().is_none());
    let size = e.dims(e.operands[0])[axis].as_constant();
    let is_long = count > 1 && count <= FEW / 4 && size.is_none_or(|size| size > FEW && size / 8 >= count);
    let few = if is_long { First { axis, count, descending }.candidates(e) } else { None };
    let keys = few.unwrap_or_else(|| e.keys(axis, descending));
    let first = e.first_in_order(keys, axis, count);
    e.elements_and_positions(first, descending)
}

/// What is looked for.
struct First {
    axis: usize,
    count: i64,
    descending: bool,
}

/// Which positions are a group.
enum Groups {
    /// So many adjacent positions.
    Adjacent(i64),
    /// Positions with the same remainder by `GROUPS`: so many.
    Apart(SizeExpr),
}

impl Groups {
    fn members(&self) -> SizeExpr {
        match self {
            Groups::Adjacent(members) => (*members).into(),
            Groups::Apart(members) => members.clone(),
        }
    }

    /// The axis of the members, where that of the groups is an axis and one next to it.
    fn axis_of_members(&self, axis: usize) -> usize {
        match self {
            Groups::Adjacent(_) => axis + 1,
            Groups::Apart(_) => axis,
        }
    }

    /// The least element of each group. `None` where sizes go beyond 64 bits.
    fn least(&self, e: &mut Emit<'_>, keys: ValueId, axis: usize) -> Option<ValueId> {
        let size = e.dims(keys)[axis].clone();
        let sizes = match self {
            Groups::Adjacent(members) => [size.ceildiv(&(*members).into()).ok()?, (*members).into()],
            Groups::Apart(members) => [members.clone(), GROUPS.into()],
        };
        let keys = filled(e, keys, axis, &sizes[0].mul(&sizes[1]).ok()?)?;
        let mut grouped = e.dims(keys);
        grouped.splice(axis..=axis, sizes);
        let grouped = e.reshape(keys, grouped);
        Some(e.reduce(Combiner::Min, grouped, &[self.axis_of_members(axis)], Type::I64))
    }

    /// The groups that positions are in.
    fn of(&self, e: &mut Emit<'_>, place: ValueId) -> ValueId {
        match self {
            Groups::Adjacent(members) => {
                let bits = e.whole_number(members.ilog2().into(), Type::I64);
                e.shr(place, bits)
            }
            Groups::Apart(_) => {
                let most = e.whole_number(GROUPS - 1, Type::I64);
                e.and(place, most)
            }
        }
    }

    /// The position of a member of a group.
    fn place(&self, e: &mut Emit<'_>, group: ValueId, member: ValueId) -> ValueId {
        let (outer, inner, by) = match self {
            Groups::Adjacent(members) => (group, member, *members),
            Groups::Apart(_) => (member, group, GROUPS),
        };
        let by = e.whole_number(by, Type::I64);
        let first = e.mul(outer, by);
        e.add(first, inner)
    }
}

impl First {
    /// Few elements, as integers, among which the first ones are. `None` where sizes go beyond 64 bits.
    fn candidates(&self, e: &mut Emit<'_>) -> Option<ValueId> {
        let (axis, count) = (self.axis, self.count);
        let size = e.dims(e.operands[0])[axis].clone();
        let mut groups = match size.as_constant() {
            Some(size) => Groups::Adjacent(self.members_of_group(size)),
            None => Groups::Apart(size.ceildiv(&GROUPS.into()).ok()?),
        };
        let mut keys = e.keys(axis, self.descending);
        loop {
            let least = groups.least(e, keys, axis)?;
            let first = e.first_in_order(least, axis, count);
            let place = e.places(first);
            let group = groups.of(e, place);
            keys = self.members(e, group, &groups)?;
            match groups {
                Groups::Adjacent(members) if members > FEW / count => {
                    groups = Groups::Adjacent(members >> (FEW / count).ilog2());
                }
                _ => return Some(keys),
            }
        }
    }

    /// How many members groups have: a power of two, so that in the end about as many elements are left as there are groups.
    fn members_of_group(&self, size: i64) -> i64 {
        let balanced = (size / self.count).isqrt().max(1) as u64;
        let least = (size as u64).div_ceil(MOST_GROUPS as u64);
        balanced.max(least).next_power_of_two() as i64
    }

    /// The elements of some groups, which are along the axis, as integers.
    fn members(&self, e: &mut Emit<'_>, group: ValueId, groups: &Groups) -> Option<ValueId> {
        let (axis, input, members) = (self.axis, e.operands[0], groups.members());
        let size = e.dims(input)[axis].clone();
        let mut all = e.dims(group);
        let (mut apart, along) = (all.clone(), groups.axis_of_members(axis));
        apart.insert(along, SizeExpr::from(1));
        let group = e.reshape(group, apart.clone());
        apart[along] = members.clone();
        all[axis] = all[axis].mul(&members).ok()?;
        let member = e.range(along, apart, Type::I64);
        let place = groups.place(e, group, member);
        let place = e.reshape(place, all.clone());
        // Groups at the end have fewer members.
        let size = e.count(&[size], Type::I64);
        let is_there = e.cmp(Predicate::Lt, place, size);
        let zero = e.whole_number(0, Type::I64);
        let place = e.where_(is_there, place, zero);
        let at = (0..all.len()).map(|at| if at == axis { place } else { e.range(at, all.clone(), Type::I64) });
        let at: Vec<ValueId> = at.collect();
        let elements = e.index(input, &at);
        let keys = e.keys_of(elements, place, self.descending);
        let last = e.whole_number(i64::MAX, Type::I64);
        Some(e.where_(is_there, keys, last))
    }
}

/// The elements of an axis, and last ones up to a size. `None` where sizes go beyond 64 bits.
fn filled(e: &mut Emit<'_>, keys: ValueId, axis: usize, size: &SizeExpr) -> Option<ValueId> {
    let dims = e.dims(keys);
    let (zero, mut high) = (vec![SizeExpr::from(0); dims.len()], vec![SizeExpr::from(0); dims.len()]);
    high[axis] = size.sub(&dims[axis]).ok()?;
    let last = e.ctx().int_attr(i64::MAX.into(), Type::I64);
    let op = tiny::Pad::build(&mut e.builder, e.loc, keys, zero, high, Some(last));
    Some(e.builder.result(op))
}

impl Emit<'_> {
    /// The first elements in order along an axis.
    fn first_in_order(&mut self, keys: ValueId, axis: usize, count: i64) -> ValueId {
        if count == 1 {
            let mut dims = self.dims(keys);
            dims[axis] = SizeExpr::from(1);
            let least = self.reduce(Combiner::Min, keys, &[axis], Type::I64);
            return self.reshape(least, dims);
        }
        let sorted = self.sorted(keys, axis);
        let mut stop = self.dims(sorted);
        let start = vec![SizeExpr::from(0); stop.len()];
        stop[axis] = SizeExpr::from(count);
        let op = tiny::Shrink::build(&mut self.builder, self.loc, sorted, start, stop, None);
        self.builder.result(op)
    }
}
