//! What a rule changes IR through: every change is noticed, so that the driver looks again at what it touches.

use smallvec::SmallVec;

use super::constants::Constants;
use super::worklist::Worklist;
use crate::attrs::Attr;
use crate::body::{Body, CloneMap, InsertPoint, OpParts, OpRef, ValueDef};
use crate::builder::Builder;
use crate::context::{Context, OpName, Str};
use crate::entity::{BlockId, OpId, RegionId, ValueId};
use crate::location::Loc;
use crate::types::Type;

/// Changes a body. Reading goes through [`body`](Self::body).
pub struct Rewriter<'a> {
    /// The context.
    pub ctx: &'a Context,
    body: &'a mut Body,
    tracker: Option<&'a mut Tracker>,
}

/// What a driver keeps of the changes.
#[derive(Clone, Default)]
pub(super) struct Tracker {
    pub worklist: Worklist,
    pub constants: Constants,
    /// Ops that builders made and that the worklist has not seen yet.
    pub created: Vec<OpId>,
}

impl Tracker {
    /// Takes what builders have made into the worklist.
    pub(super) fn flush(&mut self) {
        for op in self.created.drain(..) {
            self.worklist.push(op);
        }
    }
}

impl<'a> Rewriter<'a> {
    /// A rewriter that no driver listens to.
    pub fn new(ctx: &'a Context, body: &'a mut Body) -> Self {
        Rewriter { ctx, body, tracker: None }
    }

    pub(super) fn tracked(ctx: &'a Context, body: &'a mut Body, tracker: &'a mut Tracker) -> Self {
        Rewriter { ctx, body, tracker: Some(tracker) }
    }

    /// The body, to be read.
    #[inline]
    pub fn body(&self) -> &Body {
        self.body
    }

    /// An op, to be read.
    #[inline]
    pub fn op(&self, op: OpId) -> OpRef<'_> {
        OpRef::new(self.ctx, self.body, op)
    }

    /// The constant that a value is.
    pub fn constant(&self, value: ValueId) -> Option<Attr> {
        super::constant_value(self.ctx, self.body, value)
    }

    /// Has an op looked at again.
    #[inline]
    pub fn revisit(&mut self, op: OpId) {
        if let Some(tracker) = &mut self.tracker {
            tracker.flush();
            tracker.worklist.push(op);
        }
    }

    fn revisit_users(&mut self, value: ValueId) {
        if let Some(tracker) = &mut self.tracker {
            for user in self.body.uses(value) {
                tracker.worklist.push(user.op);
            }
        }
    }

    /// An op was changed: it, and what uses it, may match other rules now. As a constant it may be another.
    fn changed(&mut self, op: OpId) {
        if let Some(tracker) = &mut self.tracker {
            tracker.constants.forget(self.body, op);
        }
        self.revisit(op);
        if self.tracker.is_some() {
            let results: SmallVec<[ValueId; 2]> = self.body.results(op).collect();
            results.into_iter().for_each(|result| self.revisit_users(result));
        }
    }

    // Making ops.

    /// Makes ops at a place.
    pub fn builder(&mut self, at: InsertPoint) -> Builder<'_> {
        let log = self.tracker.as_mut().map(|tracker| &mut tracker.created);
        Builder::logged(self.ctx, self.body, at, log)
    }

    /// Makes ops before an op.
    pub fn before(&mut self, op: OpId) -> Builder<'_> {
        self.builder(InsertPoint::Before(op))
    }

    /// Makes an op at a place.
    pub fn create(&mut self, at: InsertPoint, parts: OpParts<'_>) -> OpId {
        self.builder(at).create(parts)
    }

    /// Makes an empty region, to be given to a new op.
    pub fn create_region(&mut self) -> RegionId {
        self.body.create_region()
    }

    /// Makes a block in a region, before another or at the end, with arguments of these types.
    pub fn create_block(&mut self, region: RegionId, before: Option<BlockId>, args: &[(Type, Loc)]) -> BlockId {
        let block = self.body.create_block();
        self.body.insert_block(block, region, before);
        for &(ty, loc) in args {
            self.body.add_arg(block, ty, loc);
        }
        block
    }

    /// A copy of an op at a place; see [`Body::clone_op`].
    pub fn clone_op(&mut self, op: OpId, map: &mut CloneMap, at: InsertPoint) -> OpId {
        let known = map.ops().len();
        let new = self.body.clone_op(op, map);
        self.body.insert(new, at);
        for &op in &map.ops()[known..] {
            self.revisit(op);
        }
        new
    }

    // Replacing and erasing ops.

    /// Erases an op whose results become other values.
    ///
    /// # Panics
    /// If there are not as many values as results, or one is the op's own result and is used.
    pub fn replace_op(&mut self, op: OpId, values: &[ValueId]) {
        assert_eq!(values.len(), self.body.num_results(op), "each result is replaced with one value");
        for (index, &new) in values.iter().enumerate() {
            let old = self.body.result(op, index);
            self.replace_all_uses(old, new);
        }
        self.erase_op(op);
    }

    /// Puts a new op in place of one with as many results.
    pub fn replace_op_with(&mut self, op: OpId, parts: OpParts<'_>) -> OpId {
        let new = self.create(InsertPoint::Before(op), parts);
        let values: SmallVec<[ValueId; 2]> = self.body.results(new).collect();
        self.replace_op(op, &values);
        new
    }

    /// Makes every use of `old` a use of `new`. The name that `old` has in the source goes over to an unnamed `new`.
    pub fn replace_all_uses(&mut self, old: ValueId, new: ValueId) {
        if old == new {
            return;
        }
        self.revisit_users(old);
        self.body.replace_all_uses(old, new);
        let name = self.body.value_name(old);
        if name != Str::EMPTY && self.body.value_name(new) == Str::EMPTY {
            self.body.set_value_name(new, name);
        }
    }

    /// Makes those uses of `old` that `wanted` admits uses of `new`.
    pub fn replace_uses_if(&mut self, old: ValueId, new: ValueId, wanted: impl Fn(&Body, crate::body::Use) -> bool) {
        let uses: Vec<_> = self.body.uses(old).filter(|&u| wanted(self.body, u)).collect();
        for u in uses {
            self.set_operand(u.op, u.index, new);
        }
    }

    /// Erases an op with everything in its regions.
    ///
    /// # Panics
    /// If a result is still used, or the op is the root.
    pub fn erase_op(&mut self, op: OpId) {
        let Some(tracker) = &mut self.tracker else { return self.body.erase_op(op) };
        tracker.flush();
        let mut gone: SmallVec<[OpId; 1]> = SmallVec::from_slice(&[op]);
        if !self.body.regions(op).is_empty() {
            let mut inner = Vec::new();
            self.body.walk_regions(op, &mut inner);
            gone.extend(inner);
        }
        let mut suppliers: SmallVec<[OpId; 4]> = SmallVec::new();
        for &op in &gone {
            suppliers.extend(self.body.operands(op).filter_map(|value| self.body.defining_op(value)));
            tracker.constants.forget(self.body, op);
            tracker.worklist.forget(op);
        }
        self.body.erase_op(op);
        gone.sort_unstable();
        for supplier in suppliers {
            // What lost a use may be dead now, or have the single user that a rule waits for.
            if gone.binary_search(&supplier).is_err() && self.body.results(supplier).all(|value| self.few_uses(value)) {
                self.revisit(supplier);
            }
        }
    }

    fn few_uses(&self, value: ValueId) -> bool {
        !self.body.has_uses(value) || self.body.has_one_use(value)
    }

    /// Erases blocks with their ops; they may use each other's values.
    ///
    /// # Panics
    /// If a value defined in one of them is still used outside of them.
    pub fn erase_blocks(&mut self, blocks: &[BlockId]) {
        if let Some(tracker) = &mut self.tracker {
            tracker.flush();
            for &block in blocks {
                for op in self.body.ops(block) {
                    let mut gone = vec![op];
                    self.body.walk_regions(op, &mut gone);
                    for op in gone {
                        tracker.constants.forget(self.body, op);
                        tracker.worklist.forget(op);
                    }
                }
            }
        }
        self.body.erase_blocks(blocks);
    }

    // Changing ops in place.

    /// Changes an op in ways that have no method of their own.
    pub fn modify<R>(&mut self, op: OpId, change: impl FnOnce(&mut Body) -> R) -> R {
        let result = change(self.body);
        self.changed(op);
        result
    }

    /// Changes the body that an isolated op inside this one is. `None` when the op is no such op.
    pub fn modify_nested<R>(&mut self, op: OpId, change: impl FnOnce(&mut Body) -> R) -> Option<R> {
        let nested = self.body.nested_mut(op)?;
        let before = nested.edits();
        let result = change(nested);
        if nested.edits() != before {
            self.body.touch();
        }
        Some(result)
    }

    /// Replaces one operand.
    pub fn set_operand(&mut self, op: OpId, index: usize, value: ValueId) {
        let supplier = self.body.defining_op(self.body.operand(op, index));
        self.modify(op, |body| body.set_operand(op, index, value));
        supplier.into_iter().for_each(|supplier| self.revisit(supplier));
    }

    /// Replaces all operands, whose number may change.
    pub fn set_operands(&mut self, op: OpId, operands: &[ValueId]) {
        let suppliers: SmallVec<[OpId; 4]> =
            self.body.operands(op).filter_map(|value| self.body.defining_op(value)).collect();
        self.modify(op, |body| body.set_operands(op, operands));
        suppliers.into_iter().for_each(|supplier| self.revisit(supplier));
    }

    /// Sets or takes out one inherent attribute.
    pub fn set_prop(&mut self, op: OpId, key: Str, attr: Option<Attr>) {
        let ctx = self.ctx;
        self.modify(op, |body| body.set_prop(ctx, op, key, attr));
    }

    /// Replaces the inherent attributes, a dictionary.
    pub fn set_props(&mut self, op: OpId, props: Attr) {
        self.modify(op, |body| body.set_props(op, props));
    }

    /// Sets or takes out one discardable attribute.
    pub fn set_attr(&mut self, op: OpId, key: Str, attr: Option<Attr>) {
        let ctx = self.ctx;
        self.modify(op, |body| body.set_attr(ctx, op, key, attr));
    }

    /// Replaces the discardable attributes, a dictionary.
    pub fn set_attrs(&mut self, op: OpId, attrs: Attr) {
        self.modify(op, |body| body.set_attrs(op, attrs));
    }

    /// Turns an op into another with the same operands, results and regions.
    pub fn set_op_name(&mut self, op: OpId, name: OpName) {
        self.modify(op, |body| body.set_op_name(op, name));
    }

    /// Changes where an op came from.
    pub fn set_loc(&mut self, op: OpId, loc: Loc) {
        self.body.set_loc(op, loc);
    }

    /// Replaces the successor at an index.
    pub fn set_successor(&mut self, op: OpId, index: usize, block: BlockId) {
        self.modify(op, |body| body.set_successor(op, index, block));
    }

    /// Changes the type of a value.
    pub fn set_type(&mut self, value: ValueId, ty: Type) {
        self.body.set_value_type(value, ty);
        self.revisit_users(value);
        if let ValueDef::Result(op, _) = self.body.value_def(value) {
            self.revisit(op);
        }
    }

    // Moving ops, changing blocks.

    /// Moves an op to another place.
    pub fn move_op(&mut self, op: OpId, to: InsertPoint) {
        self.modify(op, |body| body.move_op(op, to));
    }

    /// Moves the ops of a block to a place in another, with values for its arguments, and erases the block. A
    /// terminator comes along: erase it first if it must not.
    pub fn inline_block(&mut self, block: BlockId, at: InsertPoint, args: &[ValueId]) {
        let old: SmallVec<[ValueId; 4]> = SmallVec::from_slice(self.body.args(block));
        assert_eq!(old.len(), args.len(), "each argument is replaced with one value");
        for (&old, &new) in old.iter().zip(args) {
            self.replace_all_uses(old, new);
        }
        let ops: Vec<OpId> = self.body.ops(block).collect();
        self.body.splice(block, at);
        ops.into_iter().for_each(|op| self.revisit(op));
        self.body.erase_block(block);
    }

    /// Splits a block before an op: the op and those after it move to a new block that follows.
    pub fn split_block(&mut self, before: OpId) -> BlockId {
        let new = self.body.split_block(before);
        if self.tracker.is_some() {
            let ops: Vec<OpId> = self.body.ops(new).collect();
            ops.into_iter().for_each(|op| self.revisit(op));
        }
        new
    }

    /// Moves all blocks of a region to the end of another.
    pub fn take_blocks(&mut self, from: RegionId, to: RegionId) {
        self.body.take_blocks(from, to);
    }

    /// Adds an argument at the end of the arguments of a block.
    pub fn add_arg(&mut self, block: BlockId, ty: Type, loc: Loc) -> ValueId {
        self.body.add_arg(block, ty, loc)
    }

    /// Erases an argument of a block that is not used.
    ///
    /// # Panics
    /// If it is used.
    pub fn erase_arg(&mut self, block: BlockId, index: usize) {
        self.body.erase_arg(block, index);
    }

    /// Gives a value a name to be printed under.
    pub fn set_value_name(&mut self, value: ValueId, name: Str) {
        self.body.set_value_name(value, name);
    }
}
