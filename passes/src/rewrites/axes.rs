//! Gives the values of a kernel other axes.

use dlc_core::guard::Guard;
use dlc_core::sizes::{Exprs, Sizes};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::define::{IntArray, Kind, TextArray};
use dlc_ir::{Context, OpId};
use dlc_region::ops::{BroadcastInDim, Index, Read, Reduce, Select, Transpose};
use dlc_region::verify::KernelAxes;

use crate::analysis::axes::{axes, places, set_axes, values};

/// What becomes of the axes of a kernel.
pub struct NewAxes<'a> {
    /// The position along an axis, in terms of the new ones; `None` where it stays.
    pub at: &'a dyn Fn(&str) -> Option<SizeExpr>,
    /// The axes that a value or a reduction has in place of these.
    pub list: &'a dyn Fn(Vec<String>) -> Vec<String>,
}

impl NewAxes<'_> {
    /// An expression of the axes before; one that goes beyond 64 bits stays as it is.
    fn put(&self, expr: &SizeExpr) -> SizeExpr {
        expr.substitute(self.at).unwrap_or_else(|_| expr.clone())
    }

    /// Gives a kernel its new axes, wherever they occur. What its reductions have as sizes stays.
    pub fn replace(&self, ctx: &Context, kernel: &mut Body) {
        let owned = |axes: Vec<&str>| axes.into_iter().map(String::from).collect::<Vec<String>>();
        for value in values(ctx, kernel) {
            let own = (self.list)(owned(axes(ctx, kernel, value)));
            set_axes(ctx, kernel, value, own.iter().map(String::as_str).collect());
        }
        for op in kernel.walk() {
            let view = OpRef::new(ctx, kernel, op);
            let list = Read::of(view).map(|read| ("at", read.at()));
            let list = list.or_else(|| Index::of(view).map(|index| ("value", index.value())));
            let guard = Read::of(view).and_then(|read| read.guard()).or_else(|| Select::of(view)?.guard());
            let reduced = Reduce::of(view).map(|reduce| owned(reduce.axes()));
            if let Some((key, list)) = list {
                let list = list.iter().map(|expr| self.put(expr)).collect();
                kernel.set_prop(ctx, op, ctx.intern_str(key), Some(Exprs::make(ctx, list)));
            }
            if let Some(guard) = guard.and_then(|guard| guard.map(&|expr| Some(self.put(expr)))) {
                kernel.set_prop(ctx, op, ctx.intern_str("guard"), Some(Guard::make(ctx, guard)));
            }
            if let Some(own) = reduced.map(self.list) {
                let own = own.iter().map(String::as_str).collect();
                kernel.set_prop(ctx, op, ctx.intern_str("axes"), Some(TextArray::make(ctx, own)));
            }
        }
    }
}

/// Says in a broadcast or a transpose which axes it has now: types name them.
pub fn set_places(ctx: &Context, kernel: &mut Body, op: OpId, kernel_axes: &KernelAxes) {
    let view = OpRef::new(ctx, kernel, op);
    let broadcast = BroadcastInDim::of(view).map(|op| (op.input(), op.out()));
    let Some((input, out)) = broadcast.or_else(|| Transpose::of(view).map(|op| (op.input(), op.out()))) else { return };
    let (of_input, of_out) = (axes(ctx, kernel, input), axes(ctx, kernel, out));
    if broadcast.is_none() {
        let by = IntArray::make(ctx, places(&of_out, &of_input));
        kernel.set_prop(ctx, op, ctx.intern_str("by"), Some(by));
        return;
    }
    let shape = of_out.iter().filter_map(|axis| kernel_axes.size(axis).cloned()).collect();
    let dims = IntArray::make(ctx, places(&of_input, &of_out));
    kernel.set_prop(ctx, op, ctx.intern_str("dims"), Some(dims));
    kernel.set_prop(ctx, op, ctx.intern_str("shape"), Some(Sizes::make(ctx, shape)));
}

/// The same for all broadcasts and transposes of a kernel with fewer axes: those that change nothing any more are gone.
pub fn set_all_places(ctx: &Context, kernel: &mut Body) {
    let kernel_axes = KernelAxes::of(ctx, kernel);
    for op in kernel.walk() {
        set_places(ctx, kernel, op, &kernel_axes);
        let view = OpRef::new(ctx, kernel, op);
        let broadcast = BroadcastInDim::of(view).map(|op| (op.input(), op.out()));
        let moved = broadcast.or_else(|| Transpose::of(view).map(|op| (op.input(), op.out())));
        let same = moved.filter(|&(input, out)| kernel.value_type(input) == kernel.value_type(out));
        if let Some((input, out)) = same {
            kernel.replace_all_uses(out, input);
            kernel.erase_op(op);
        }
    }
}
