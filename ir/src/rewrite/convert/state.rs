//! A body in the middle of a conversion: what patterns change it through, and how its loose ends are tied up.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::TypeConverter;
use crate::body::{Body, InsertPoint, OpParts, OpRef, ValueDef};
use crate::builder::Builder;
use crate::context::{Context, OpName, Str};
use crate::diag::Diagnostic;
use crate::entity::{BlockId, OpId, RegionId, ValueId};
use crate::pass::PassCx;
use crate::rewrite::{NO_MATERIALIZATION, PATTERN_MISREPORTS};
use crate::types::Type;

/// What conversion patterns change a body through.
pub struct Conversion<'b> {
    /// The context.
    pub ctx: &'b Context,
    body: &'b mut Body,
    types: &'b TypeConverter<'b>,
    state: State,
}

#[derive(Clone, Default)]
struct State {
    /// What became of values, and the same in order.
    mapped: FxHashMap<ValueId, ValueId>,
    old_values: Vec<ValueId>,
    /// Ops that others stand for now, erased at the end.
    replaced: FxHashSet<OpId>,
    /// The same in order.
    old_ops: Vec<OpId>,
    casts: FxHashMap<(ValueId, Type), ValueId>,
    cast_ops: Vec<OpId>,
    created: Vec<OpId>,
    /// Counts the changes that the body does not show.
    changes: u64,
}

/// All of a conversion at one point.
pub(super) struct Saved {
    body: Body,
    state: State,
}

/// The op of casts; none of them is left in the end.
const CAST: &str = "builtin.unrealized_conversion_cast";

impl<'b> Conversion<'b> {
    pub(super) fn new(ctx: &'b Context, body: &'b mut Body, types: &'b TypeConverter<'b>) -> Self {
        Conversion { ctx, body, types, state: State::default() }
    }

    /// The body, to be read. Ops that were replaced are still in it.
    pub fn body(&self) -> &Body {
        self.body
    }

    /// An op, to be read.
    pub fn op(&self, op: OpId) -> OpRef<'_> {
        OpRef::new(self.ctx, self.body, op)
    }

    /// What becomes of types.
    pub fn types(&self) -> &TypeConverter<'b> {
        self.types
    }

    /// What becomes of a type.
    pub fn convert_type(&self, ty: Type) -> Type {
        self.types.convert(self.ctx, ty)
    }

    /// The value that a value of before the conversion became, in its converted type.
    pub fn value(&mut self, old: ValueId) -> ValueId {
        let current = self.current(old);
        let ty = self.convert_type(self.body.value_type(old));
        self.in_type(current, ty)
    }

    /// The converted operands of an op.
    pub fn operands(&mut self, op: OpId) -> SmallVec<[ValueId; 4]> {
        let old: SmallVec<[ValueId; 4]> = self.body.operands(op).collect();
        old.into_iter().map(|value| self.value(value)).collect()
    }

    /// Makes ops at a place.
    pub fn builder(&mut self, at: InsertPoint) -> Builder<'_> {
        Builder::logged(self.ctx, self.body, at, Some(&mut self.state.created))
    }

    /// Makes ops before an op.
    pub fn before(&mut self, op: OpId) -> Builder<'_> {
        self.builder(InsertPoint::Before(op))
    }

    /// Makes an empty region, to be given to a new op.
    pub fn create_region(&mut self) -> RegionId {
        self.body.create_region()
    }

    /// Lets values stand for the results of an op. They may be of other types.
    ///
    /// # Panics
    /// If there are not as many values as results, or the op is the root.
    pub fn replace(&mut self, op: OpId, values: &[ValueId]) {
        assert!(op != self.body.root(), "the root of a body is converted in place");
        assert_eq!(values.len(), self.body.num_results(op), "each result is replaced with one value");
        for (index, &new) in values.iter().enumerate() {
            let old = self.body.result(op, index);
            self.map(old, new);
        }
        self.erase(op);
    }

    /// Takes an op out whose results nothing legal uses.
    pub fn erase(&mut self, op: OpId) {
        if self.state.replaced.insert(op) {
            self.state.old_ops.push(op);
            self.state.changes += 1;
        }
    }

    /// Changes an op in place.
    pub fn modify<R>(&mut self, op: OpId, change: impl FnOnce(&mut Body, OpId) -> R) -> R {
        change(self.body, op)
    }

    /// Moves all blocks of a region to the end of another.
    pub fn take_blocks(&mut self, from: RegionId, to: RegionId) {
        self.body.take_blocks(from, to);
    }

    /// Gives the arguments of a block their converted types.
    pub fn convert_signature(&mut self, block: BlockId) {
        let args: SmallVec<[ValueId; 4]> = self.body.args(block).into();
        for (index, &arg) in args.iter().enumerate() {
            let old = self.body.value_type(arg);
            let new = self.convert_type(old);
            if new == old {
                continue;
            }
            // The argument changes in place; those who have not been converted see it through a cast.
            let loc = self.body.arg_loc(block, index);
            let parts = OpParts { operands: &[arg], results: &[old], ..OpParts::new(self.ctx.op_name(CAST), loc) };
            let cast = self.body.create_op(parts);
            self.body.insert(cast, InsertPoint::StartOf(block));
            let seen = self.body.result(cast, 0);
            self.body.replace_all_uses(arg, seen);
            self.body.set_operand(cast, 0, arg);
            self.body.set_value_type(arg, new);
            self.state.casts.insert((arg, old), seen);
            self.state.cast_ops.push(cast);
            self.map(seen, arg);
        }
    }

    /// Gives all arguments in the regions of an op their converted types.
    pub fn convert_signatures(&mut self, op: OpId) {
        let regions = self.body.regions(op).iter();
        let blocks: Vec<BlockId> = regions.flat_map(|&region| self.body.blocks(region)).collect();
        blocks.into_iter().for_each(|block| self.convert_signature(block));
    }

    /// Turns a function, in place, into one of another name (or keeps its name), with the converted types.
    pub fn convert_function(&mut self, op: OpId, name: Option<OpName>) {
        if let Some(name) = name {
            self.body.set_op_name(op, name);
        }
        if let Some(ty) = self.body.prop(self.ctx, op, Str::FUNCTION_TYPE).and_then(|attr| attr.as_type(self.ctx)) {
            let ty = self.ctx.type_attr(self.convert_type(ty));
            self.body.set_prop(self.ctx, op, Str::FUNCTION_TYPE, Some(ty));
        }
        self.convert_signatures(op);
    }

    /// Gives the operands, the results and the arguments in the regions of an op their converted types. The op that
    /// has them: a new one where results change.
    pub fn convert_types(&mut self, op: OpId) -> OpId {
        let operands = self.operands(op);
        self.convert_signatures(op);
        let old: SmallVec<[Type; 2]> = self.body.results(op).map(|value| self.body.value_type(value)).collect();
        let types: SmallVec<[Type; 2]> = old.iter().map(|&ty| self.convert_type(ty)).collect();
        if old == types {
            self.body.set_operands(op, &operands);
            return op;
        }
        let regions: SmallVec<[RegionId; 2]> = SmallVec::from_slice(self.body.regions(op));
        let new_regions: SmallVec<[RegionId; 2]> = regions.iter().map(|_| self.body.create_region()).collect();
        for (&from, &to) in regions.iter().zip(&new_regions) {
            self.body.take_blocks(from, to);
        }
        let (props, attrs) = (self.body.props(op), self.body.attrs(op));
        let successors: SmallVec<[BlockId; 2]> = SmallVec::from_slice(self.body.successors(op));
        let nested = self.body.take_nested(op);
        let parts = OpParts {
            operands: &operands,
            results: &types,
            props,
            attrs,
            regions: &new_regions,
            successors: &successors,
            nested,
            ..OpParts::new(self.body.op_name(op), self.body.loc(op))
        };
        let new = self.before(op).create(parts);
        let results: SmallVec<[ValueId; 2]> = self.body.results(new).collect();
        self.replace(op, &results);
        new
    }

    fn map(&mut self, old: ValueId, new: ValueId) {
        if self.state.mapped.insert(old, new).is_none() {
            self.state.old_values.push(old);
        }
        let name = self.body.value_name(old);
        if name != Str::EMPTY && self.body.value_name(new) == Str::EMPTY {
            self.body.set_value_name(new, name);
        }
        self.state.changes += 1;
    }

    /// What stands for a value now, whatever its type.
    fn current(&self, value: ValueId) -> ValueId {
        let mut current = value;
        while let Some(&next) = self.state.mapped.get(&current) {
            current = next;
        }
        current
    }

    /// A value in another type: a cast, unless it has that type.
    fn in_type(&mut self, value: ValueId, ty: Type) -> ValueId {
        if self.body.value_type(value) == ty {
            return value;
        }
        if let Some(&cast) = self.state.casts.get(&(value, ty)) {
            return cast;
        }
        let (at, loc) = match self.body.value_def(value) {
            ValueDef::Result(op, _) => (InsertPoint::After(op), self.body.loc(op)),
            ValueDef::Arg(block, index) => (InsertPoint::StartOf(block), self.body.arg_loc(block, index)),
            ValueDef::Placeholder => unreachable!("a body that is converted has no placeholders"),
        };
        let name = self.ctx.op_name(CAST);
        let parts = OpParts { operands: &[value], results: &[ty], ..OpParts::new(name, loc) };
        let op = self.body.create_op(parts);
        self.body.insert(op, at);
        let result = self.body.result(op, 0);
        self.state.casts.insert((value, ty), result);
        self.state.cast_ops.push(op);
        result
    }

    // What the driver asks.

    /// A number that is another after every change.
    pub(super) fn stamp(&self) -> (u64, u64) {
        (self.body.edits(), self.state.changes)
    }

    pub(super) fn save(&self) -> Saved {
        Saved { body: self.body.clone(), state: self.state.clone() }
    }

    pub(super) fn restore(&mut self, saved: Saved) {
        *self.body = saved.body;
        self.state = saved.state;
    }

    pub(super) fn take_created(&mut self) -> Vec<OpId> {
        std::mem::take(&mut self.state.created)
    }

    /// Whether an op was replaced, or stands in one that was.
    pub(super) fn is_gone(&self, op: OpId) -> bool {
        std::iter::successors(Some(op), |&op| self.body.parent_op(op)).any(|op| self.state.replaced.contains(&op))
            || (op != self.body.root() && self.body.block_of(op).is_none())
    }

    // The end.

    /// Erases what was replaced, and resolves casts. What cannot be is reported.
    pub(super) fn finish(mut self, cx: &PassCx<'_>) {
        self.shorten_casts();
        self.redirect_uses();
        self.shorten_casts();
        if self.erase_replaced(cx) {
            self.realize_casts(cx);
        }
    }

    /// Casts take what stands for their operand now; those that then change nothing are bypassed.
    fn shorten_casts(&mut self) {
        for cast in self.state.cast_ops.clone() {
            let mut from = self.current(self.body.operand(cast, 0));
            let result = self.body.result(cast, 0);
            let ty = self.body.value_type(result);
            // A cast back to where another came from.
            while let Some(inner) = self.body.defining_op(from).filter(|op| self.state.cast_ops.contains(op)) {
                let origin = self.current(self.body.operand(inner, 0));
                if self.body.value_type(origin) != ty || origin == result {
                    break;
                }
                from = origin;
            }
            if from == result {
                continue;
            }
            if self.body.value_type(from) == ty {
                self.body.replace_all_uses(result, from);
            }
            self.body.set_operand(cast, 0, from);
        }
    }

    /// Ops that were legal as they are get what stands for their operands, in the type that they had.
    fn redirect_uses(&mut self) {
        for old in self.state.old_values.clone() {
            let uses: SmallVec<[_; 4]> = self.body.uses(old).filter(|u| !self.is_gone(u.op)).collect();
            if uses.is_empty() {
                continue;
            }
            let (current, ty) = (self.current(old), self.body.value_type(old));
            let new = self.in_type(current, ty);
            for u in uses {
                // A cast that was just made from what stands for the value now must not use itself.
                if self.body.defining_op(new) != Some(u.op) {
                    self.body.set_operand(u.op, u.index, new);
                }
            }
        }
    }

    fn erase_replaced(&mut self, cx: &PassCx<'_>) -> bool {
        let inside = |op: OpId| {
            std::iter::successors(self.body.parent_op(op), |&op| self.body.parent_op(op))
                .any(|op| self.state.replaced.contains(&op))
        };
        let outermost: Vec<OpId> = self.state.old_ops.iter().copied().filter(|&op| !inside(op)).collect();
        let mut all = Vec::new();
        for &op in &outermost {
            all.push(op);
            self.body.walk_regions(op, &mut all);
        }
        // They may use each other whatever the order.
        for &op in &all {
            self.body.set_operands(op, &[]);
        }
        for op in outermost {
            if !self.body.is_unused(op) {
                let name = self.op(op).name().to_string();
                let message = "a pattern took the op out, but its result is used and nothing stands for it";
                cx.diags.emit(Diagnostic::error(&PATTERN_MISREPORTS, self.body.loc(op), message).at(name));
                return false;
            }
            self.body.erase_op(op);
        }
        true
    }

    fn realize_casts(&mut self, cx: &PassCx<'_>) {
        for cast in std::mem::take(&mut self.state.cast_ops).into_iter().rev() {
            if self.body.is_unused(cast) {
                self.body.erase_op(cast);
                continue;
            }
            let (from, result, loc) = (self.body.operand(cast, 0), self.body.result(cast, 0), self.body.loc(cast));
            let (old, new) = (self.body.value_type(from), self.body.value_type(result));
            let mut b = Builder::new(self.ctx, self.body, InsertPoint::Before(cast));
            match self.types.make_cast(&mut b, loc, from, new) {
                Some(value) => {
                    self.body.replace_all_uses(result, value);
                    self.body.erase_op(cast);
                }
                None => {
                    let user = self.body.uses(result).last().map(|u| u.op);
                    let user = user.unwrap_or(cast);
                    let (old, new) = (old.display(self.ctx), new.display(self.ctx));
                    let message = format!(
                        "the op needs a {new}, but the value is a {old} now, and nothing goes from one to the other"
                    );
                    let error = Diagnostic::error(&NO_MATERIALIZATION, self.body.loc(user), message);
                    cx.diags.emit(error.at(self.op(user).name()).note(loc, "the value is defined here"));
                }
            }
        }
    }
}
