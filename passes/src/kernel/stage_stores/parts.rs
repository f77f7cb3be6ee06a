//! Parts of a fragment, computed from the same parts of its operands: an epilogue that is done panel by panel holds no
//! more than a panel of each value on the way.

use dlc_core::guard::Guard;
use dlc_core::sizes::Exprs;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, CloneMap, InsertPoint, OpRef};
use dlc_ir::define::Kind;
use dlc_ir::{BlockId, Builder, Context, OpId, Type, ValueId};
use dlc_kernel::global::position;
use dlc_kernel::interp::axis_number;
use dlc_kernel::layout::Distributed;
use dlc_kernel::ops as kernel;
use dlc_kernel::types::{Frag, elem_of};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where parts are taken.
pub struct Parts<'a> {
    pub ctx: &'a Context,
    /// Ops are made before this one.
    pub place: OpId,
    /// The block of the values that are computed again for each part.
    block: Option<BlockId>,
    /// Row and column of the first element.
    at: [i64; 2],
    shape: Vec<i64>,
    /// Whether what is there once for all rows or columns is computed again for each part, too.
    edges: bool,
    known: FxHashMap<ValueId, ValueId>,
}

impl<'a> Parts<'a> {
    /// The part of this shape from a row and a column on, of values that are computed next to an op.
    pub fn new(ctx: &'a Context, body: &Body, place: OpId, at: [i64; 2], shape: Vec<i64>) -> Parts<'a> {
        Parts { ctx, place, block: body.block_of(place), at, shape, edges: false, known: FxHashMap::default() }
    }

    /// Reads what is there once for all rows or columns, such as a bias, for each part again if parts of a value are read too:
    /// besides those there is no room for all of it, and so it takes the registers of a part, while that is computed.
    #[must_use]
    pub fn with_edges(self, body: &Body, value: ValueId) -> Parts<'a> {
        Parts { edges: self.reads(body, value), ..self }
    }

    /// Whether parts of a fragment are read from memory.
    fn reads(&self, body: &Body, value: ValueId) -> bool {
        let (mut open, mut seen) = (vec![value], FxHashSet::default());
        while let Some(value) = open.pop() {
            let Some(op) = self.source(body, value).filter(|&op| seen.insert(op)) else { continue };
            if OpRef::new(self.ctx, body, op).is(kernel::Load::DEF) {
                return true;
            }
            open.extend(body.operands(op));
        }
        false
    }

    /// The part of a fragment. `None` where positions go beyond 64 bits.
    pub fn of(&mut self, body: &mut Body, value: ValueId) -> Option<ValueId> {
        if let Some(&part) = self.known.get(&value) {
            return Some(part);
        }
        let part = match self.source(body, value) {
            Some(op) => self.again(body, op)?,
            None => match self.broadcast(body, value)? {
                Some(part) => part,
                None => self.extract(body, value),
            },
        };
        self.known.insert(value, part);
        Some(part)
    }

    /// The op that computes each element of a fragment from those at the same place, if it may be done in parts.
    fn source(&self, body: &Body, value: ValueId) -> Option<OpId> {
        self.pointwise(body, value, &Distributed::Wgmma)
    }

    /// The same of a fragment with some layout.
    fn pointwise(&self, body: &Body, value: ValueId, layout: &Distributed) -> Option<OpId> {
        let op = body.defining_op(value).filter(|&op| body.block_of(op) == self.block)?;
        let view = OpRef::new(self.ctx, body, op);
        let plain =
            [kernel::Unary::DEF, kernel::Binary::DEF, kernel::Cast::DEF, kernel::MulAcc::DEF, kernel::Select::DEF];
        // What is read is not written here, so that it may be read later.
        let reads = kernel::Load::of(view).is_some_and(|load| body.defining_op(load.source()).is_none());
        let alike = |value: ValueId| {
            let frag = Frag::of(self.ctx, body.value_type(value));
            frag.is_none_or(|frag| frag.layout(self.ctx) == *layout)
        };
        let fits = reads || plain.iter().any(|&def| view.is(def));
        (fits && view.operands().chain(view.results()).all(alike)).then_some(op)
    }

    /// The part of a fragment that is the same for all rows or columns, from what is there once for them; nothing where that
    /// is not computed here, after the last loop.
    fn broadcast(&mut self, body: &mut Body, value: ValueId) -> Option<Option<ValueId>> {
        let made = body.defining_op(value).filter(|&op| self.edges && body.block_of(op) == self.block);
        let Some(view) = made.and_then(|op| kernel::Broadcast::of(OpRef::new(self.ctx, body, op))) else {
            return Some(None);
        };
        let (input, axis, loc) = (view.input(), view.axis(), view.loc());
        let Some(kept) = usize::try_from(axis).ok().and_then(|axis| 1usize.checked_sub(axis)) else {
            return Some(None);
        };
        let mut ops = Vec::new();
        if !self.edge(body, input, &mut ops) {
            return Some(None);
        }
        let mut map = CloneMap::new();
        for op in ops {
            let result = body.results(op).next()?;
            let frag = Frag::of(self.ctx, body.value_type(result))?;
            let ty = Frag::get(self.ctx, vec![self.shape[kept]], frag.elem(self.ctx), frag.layout(self.ctx));
            let made = body.clone_op(op, &mut map);
            body.insert(made, InsertPoint::Before(self.place));
            self.shift(body, made, &self.at[kept..=kept])?;
            body.set_value_type(body.result(made, 0), ty);
        }
        let part = map.value(input)?;
        let ty = self.ty(body, value);
        let mut builder = Builder::new(self.ctx, body, InsertPoint::Before(self.place));
        let op = kernel::Broadcast::build(&mut builder, loc, part, axis, ty);
        Some(Some(builder.result(op)))
    }

    /// The ops that compute a fragment with one axis, each after those that it needs; whether all of them may be done again.
    fn edge(&self, body: &Body, value: ValueId, ops: &mut Vec<OpId>) -> bool {
        let Some(frag) = Frag::of(self.ctx, body.value_type(value)) else { return true };
        let layout = frag.layout(self.ctx);
        let Some(op) = self.pointwise(body, value, &layout) else { return false };
        if ops.contains(&op) {
            return true;
        }
        // What is asked for before the sums is there when they are.
        let mut between =
            std::iter::successors(body.prev_op(self.place), |&at| body.prev_op(at)).take_while(|&at| at != op);
        let is_loop = |at: OpId| kernel::For::of(OpRef::new(self.ctx, body, at)).is_some();
        if frag.shape(self.ctx).len() != 1
            || between.any(is_loop)
            || !body.operands(op).all(|of| self.edge(body, of, ops))
        {
            return false;
        }
        ops.push(op);
        true
    }

    /// The type of the part of a fragment.
    fn ty(&self, body: &Body, value: ValueId) -> Type {
        let elem = elem_of(self.ctx, body.value_type(value));
        Frag::get(self.ctx, self.shape.clone(), elem, Distributed::Wgmma)
    }

    fn again(&mut self, body: &mut Body, op: OpId) -> Option<ValueId> {
        let mut map = CloneMap::new();
        let operands: Vec<ValueId> = body.operands(op).collect();
        for operand in operands {
            if Frag::of(self.ctx, body.value_type(operand)).is_some() {
                let part = self.of(body, operand)?;
                map.map_value(operand, part);
            }
        }
        let result = body.results(op).next()?;
        let ty = self.ty(body, result);
        let made = body.clone_op(op, &mut map);
        body.insert(made, InsertPoint::Before(self.place));
        self.shift(body, made, &self.at)?;
        let part = body.result(made, 0);
        body.set_value_type(part, ty);
        Some(part)
    }

    /// Lets the positions of an op count from the first element of the part.
    fn shift(&self, body: &mut Body, op: OpId, first: &[i64]) -> Option<()> {
        let moved = |name: &str| {
            let axis = axis_number(name)?;
            position(axis)?.add(&SizeExpr::from(*first.get(axis)?)).ok()
        };
        let put = |expr: &SizeExpr| expr.substitute(&moved).ok();
        let view = OpRef::new(self.ctx, body, op);
        let at = view.prop_named("at").and_then(|attr| Exprs::get(self.ctx, attr));
        let guard = view.prop_named("guard").and_then(|attr| Guard::get(self.ctx, attr));
        if let Some(at) = at {
            let at = at.iter().map(put).collect::<Option<Vec<_>>>()?;
            body.set_prop(self.ctx, op, self.ctx.intern_str("at"), Some(Exprs::make(self.ctx, at)));
        }
        if let Some(guard) = guard {
            let guard = guard.map(&put)?;
            body.set_prop(self.ctx, op, self.ctx.intern_str("guard"), Some(Guard::make(self.ctx, guard)));
        }
        Some(())
    }

    fn extract(&self, body: &mut Body, value: ValueId) -> ValueId {
        let (ty, loc) = (self.ty(body, value), body.loc(self.place));
        let at = self.at.map(SizeExpr::from).to_vec();
        let mut builder = Builder::new(self.ctx, body, InsertPoint::Before(self.place));
        let op = kernel::Extract::build(&mut builder, loc, value, &[], at, ty);
        builder.result(op)
    }
}
