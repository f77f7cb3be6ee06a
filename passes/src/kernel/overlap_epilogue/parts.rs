//! Parts of a fragment, computed from the same parts of what it is made of: an epilogue that is done panel by panel holds no
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
use rustc_hash::FxHashMap;

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
    known: FxHashMap<ValueId, ValueId>,
}

impl<'a> Parts<'a> {
    /// The part of this shape from a row and a column on, of values that are computed beside an op.
    pub fn new(ctx: &'a Context, body: &Body, place: OpId, at: [i64; 2], shape: Vec<i64>) -> Parts<'a> {
        Parts { ctx, place, block: body.block_of(place), at, shape, known: FxHashMap::default() }
    }

    /// The part of a fragment. `None` where positions go beyond 64 bits.
    pub fn of(&mut self, body: &mut Body, value: ValueId) -> Option<ValueId> {
        if let Some(&part) = self.known.get(&value) {
            return Some(part);
        }
        let part = match self.source(body, value) {
            Some(op) => self.again(body, op)?,
            None => self.extract(body, value),
        };
        self.known.insert(value, part);
        Some(part)
    }

    /// The op that computes each element of a fragment from those at the same place, if it may be done in parts.
    fn source(&self, body: &Body, value: ValueId) -> Option<OpId> {
        let op = body.defining_op(value).filter(|&op| body.block_of(op) == self.block)?;
        let view = OpRef::new(self.ctx, body, op);
        let plain =
            [kernel::Unary::DEF, kernel::Binary::DEF, kernel::Cast::DEF, kernel::MulAcc::DEF, kernel::Select::DEF];
        // What is read is not written here, so that it may be read later.
        let reads = kernel::Load::of(view).is_some_and(|load| body.defining_op(load.source()).is_none());
        let alike = |value: ValueId| {
            let frag = Frag::of(self.ctx, body.value_type(value));
            frag.is_none_or(|frag| frag.layout(self.ctx) == Distributed::Wgmma)
        };
        let fits = reads || plain.iter().any(|&def| view.is(def));
        (fits && view.operands().chain(view.results()).all(alike)).then_some(op)
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
        self.shift(body, made)?;
        let part = body.result(made, 0);
        body.set_value_type(part, ty);
        Some(part)
    }

    /// Lets the positions of an op count from the first element of the part.
    fn shift(&self, body: &mut Body, op: OpId) -> Option<()> {
        let moved = |name: &str| {
            let axis = axis_number(name)?;
            position(axis)?.add(&SizeExpr::from(*self.at.get(axis)?)).ok()
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
