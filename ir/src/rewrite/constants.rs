//! The constants of a body: made where a fold asks for one, one op for each, at the start of the body.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::attrs::Attr;
use crate::body::{Body, InsertPoint};
use crate::builder::Builder;
use crate::context::{Context, Str};
use crate::entity::{OpId, RegionId, ValueId};
use crate::op::Traits;
use crate::types::Type;

/// A constant: the region at whose start it stands, the name of the op (or, of the dialect that asked for it), value and
/// type.
type Key = (RegionId, &'static str, Attr, Type);

/// What is known of the constants of a body.
#[derive(Clone, Default)]
pub struct Constants {
    known: FxHashMap<Key, OpId>,
    keys: FxHashMap<OpId, SmallVec<[Key; 1]>>,
    /// The last of the constants at the start of a region.
    last: FxHashMap<RegionId, OpId>,
}

/// What is to be done about a constant that stands in the body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Adopted {
    /// It is the one for its value, and stands right.
    Fine,
    /// It is the one for its value; it has to move.
    Move(InsertPoint),
    /// There is another already.
    Same(OpId),
}

impl Constants {
    /// Nothing known yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes up the constants at the start of a body.
    pub fn take_up(&mut self, ctx: &Context, body: &Body) {
        for &region in body.regions(body.root()) {
            let mut cursor = body.first_block(region).and_then(|block| body.first_op(block));
            while let Some(op) = cursor.filter(|&op| self.key(ctx, body, op, region).is_some()) {
                self.settle(ctx, body, op);
                cursor = body.next_op(op);
            }
        }
    }

    /// The value that is a constant, to be seen from `user`: one that exists, or a new one, made by a dialect with the
    /// location of `user`. `None` when the dialect makes no constants of this type.
    pub fn get(
        &mut self,
        ctx: &Context,
        body: &mut Body,
        user: OpId,
        dialect: &'static str,
        value: Attr,
        ty: Type,
    ) -> Option<ValueId> {
        let home = home(ctx, body, user)?;
        let key = (home, dialect, value, ty);
        if let Some(&op) = self.known.get(&key) {
            return Some(body.result(op, 0));
        }
        let materialize = ctx.dialect(dialect)?.materialize?;
        let place = self.place(body, home)?;
        let loc = body.loc(user);
        let op = materialize(&mut Builder::new(ctx, body, place), loc, value, ty)?;
        let own = self.key(ctx, body, op, home);
        if body.num_results(op) != 1 || body.value_type(body.result(op, 0)) != ty {
            debug_assert!(false, "'{dialect}' materializes a constant of another type than it was asked for");
            body.erase_op(op);
            return None;
        }
        // The dialect may use the ops of another, which may have made this constant already.
        let op = match own.and_then(|own| self.known.get(&own).copied()) {
            Some(known) => {
                body.erase_op(op);
                known
            }
            None => {
                self.last.insert(home, op);
                own.into_iter().for_each(|own| self.enter(own, op));
                op
            }
        };
        if own != Some(key) {
            self.enter(key, op);
        }
        Some(body.result(op, 0))
    }

    /// Takes up a constant that stands in the body.
    pub(super) fn adopt(&mut self, ctx: &Context, body: &Body, op: OpId) -> Adopted {
        let Some(home) = home(ctx, body, op) else { return Adopted::Fine };
        let Some(key) = self.key(ctx, body, op, home) else { return Adopted::Fine };
        match self.known.get(&key) {
            Some(&known) if known == op => return Adopted::Fine,
            Some(&known) => return Adopted::Same(known),
            None => {}
        }
        let Some(place) = self.place(body, home) else { return Adopted::Fine };
        let prev = body.prev_op(op);
        let stands = match place {
            InsertPoint::After(last) => prev == Some(last),
            _ => prev.is_none() && body.block_of(op) == body.first_block(home),
        };
        if stands { Adopted::Fine } else { Adopted::Move(place) }
    }

    /// Enters a constant that stands, or was moved, to the start of its region.
    pub(super) fn settle(&mut self, ctx: &Context, body: &Body, op: OpId) {
        let Some(home) = home(ctx, body, op) else { return };
        let Some(key) = self.key(ctx, body, op, home) else { return };
        if self.known.contains_key(&key) {
            return;
        }
        self.last.insert(home, op);
        self.enter(key, op);
    }

    /// Forgets an op that is about to be erased, moved or changed.
    pub(super) fn forget(&mut self, body: &Body, op: OpId) {
        if self.keys.is_empty() {
            return;
        }
        let Some(keys) = self.keys.remove(&op) else { return };
        for key in keys {
            if self.known.get(&key) == Some(&op) {
                self.known.remove(&key);
            }
            if self.last.get(&key.0) == Some(&op) {
                match body.prev_op(op).filter(|prev| self.keys.contains_key(prev)) {
                    Some(prev) => self.last.insert(key.0, prev),
                    None => self.last.remove(&key.0),
                };
            }
        }
    }

    fn enter(&mut self, key: Key, op: OpId) {
        self.known.insert(key, op);
        self.keys.entry(op).or_default().push(key);
    }

    /// Where the next constant of a region goes.
    fn place(&self, body: &Body, home: RegionId) -> Option<InsertPoint> {
        match self.last.get(&home) {
            Some(&last) => Some(InsertPoint::After(last)),
            None => body.first_block(home).map(InsertPoint::StartOf),
        }
    }

    /// The key of a constant op that may be merged with others like it.
    fn key(&self, ctx: &Context, body: &Body, op: OpId, home: RegionId) -> Option<Key> {
        let def = ctx.op_def(body.op_name(op));
        // What has more to say than its value is not another constant's equal.
        if !def.traits.has(Traits::CONSTANT_LIKE.with(Traits::PURE)) || body.attrs(op) != Attr::EMPTY_DICT {
            return None;
        }
        let entries = body.props(op).as_dict(ctx)?;
        if entries.len() != 1 || body.num_results(op) != 1 {
            return None;
        }
        let value = body.prop(ctx, op, Str::VALUE)?;
        Some((home, def.name, value, body.value_type(body.result(op, 0))))
    }
}

/// The region around an op from whose start values can be seen, and no further: that of the root, or of an op that nobody
/// knows, which may be isolated.
fn home(ctx: &Context, body: &Body, op: OpId) -> Option<RegionId> {
    let mut at = op;
    loop {
        let region = body.region_of(body.block_of(at)?)?;
        let parent = body.region_parent(region)?;
        if parent == body.root() || !ctx.is_registered(body.op_name(parent)) {
            return Some(region);
        }
        at = parent;
    }
}
