//! What the rules of several ops consist of.

use dlc_core::broadcast::promote;
use dlc_core::precision::TF32;
use dlc_core::types::Tensor;
use dlc_ir::affine::{AffineError, SizeExpr};
use dlc_ir::{Attr, Context, Type, ValueId};
use dlc_tiny::ops::{self as tiny, Combiner};

use super::emit::Emit;

/// An index, or a symbol, of a name.
pub fn name(name: &str) -> SizeExpr {
    SizeExpr::symbol(name).expect("the rules name indices by letters and numbers")
}

/// `size * factor`
pub fn times(size: &SizeExpr, factor: i64) -> SizeExpr {
    within(size.mul(&factor.into()))
}

/// `lhs + rhs`
pub fn plus(lhs: &SizeExpr, rhs: &SizeExpr) -> SizeExpr {
    within(lhs.add(rhs))
}

/// Sizes of this order have been computed by the rules of shapes, which refuse those that 64 bits do not hold.
fn within(size: Result<SizeExpr, AffineError>) -> SizeExpr {
    size.unwrap_or_else(|error| unreachable!("the verifier has computed these sizes: {}", error.message))
}

/// The type in which elements are summed: `f32` instead of narrower floats.
pub fn accumulator(ctx: &Context, elem: Type) -> Type {
    let narrow = elem.float_kind(ctx).is_some_and(|kind| kind.bits() < 32);
    if narrow { Type::F32 } else { elem }
}

impl Emit<'_> {
    /// The sum of products, in the type `acc`.
    pub fn sum_of_products(
        &mut self,
        (lhs, lhs_idx): (ValueId, Vec<SizeExpr>),
        (rhs, rhs_idx): (ValueId, Vec<SizeExpr>),
        out_idx: Vec<SizeExpr>,
        acc: Type,
    ) -> ValueId {
        let products = promote(self.ctx(), self.elem(lhs), self.elem(rhs)).ok();
        let acc = Some(acc).filter(|&acc| Some(acc) != products);
        self.contract(tiny::NewContract { lhs, rhs, lhs_idx, rhs_idx, out_idx, acc, product: None })
    }

    /// A contraction, whose factors may be rounded where those of the op that is lowered may.
    pub fn contract(&mut self, contract: tiny::NewContract<'_>) -> ValueId {
        let op = contract.build(&mut self.builder, self.loc);
        let ctx = self.builder.ctx;
        if self.source().attr(ctx.intern_str(TF32)).is_some() {
            self.builder.body.set_attr(ctx, op, ctx.intern_str(TF32), Some(Attr::UNIT));
        }
        self.builder.result(op)
    }

    /// The elements at indices, of which there are as many as the sizes say.
    pub fn load(&mut self, value: ValueId, at: Vec<SizeExpr>, dims: Vec<SizeExpr>) -> ValueId {
        let ty = Tensor::get(self.builder.ctx, dims, self.elem(value));
        let op = tiny::Load::build(&mut self.builder, self.loc, value, Some(at), ty);
        self.builder.result(op)
    }

    /// A value whose axes are some axes of a rank, ascending, under sizes that broadcast so: 1 for each axis that it has
    /// not, up to the last.
    pub fn aligned(&mut self, value: ValueId, axes: &[usize], rank: usize) -> ValueId {
        let own = self.dims(value);
        let first = axes.first().copied().unwrap_or(rank);
        let mut dims = vec![SizeExpr::from(1); rank - first];
        axes.iter().zip(own).for_each(|(&axis, size)| dims[axis - first] = size);
        self.reshape(value, dims)
    }

    /// Axes combined in the type `acc`; they stay, with size 1.
    pub fn along(&mut self, combiner: Combiner, value: ValueId, axes: &[usize], acc: Type) -> ValueId {
        let combined = self.reduce(combiner, value, axes, acc);
        self.put_back(combined, value, axes)
    }

    /// A value without some axes of another, with size 1 for each of them.
    pub fn put_back(&mut self, value: ValueId, of: ValueId, axes: &[usize]) -> ValueId {
        let mut dims = self.dims(of);
        axes.iter().for_each(|&axis| dims[axis] = 1.into());
        self.reshape(value, dims)
    }

    /// How many elements there are along axes, in the type of the elements.
    pub fn count_along(&mut self, value: ValueId, axes: &[usize]) -> ValueId {
        let dims = self.dims(value);
        let sizes: Vec<SizeExpr> = axes.iter().map(|&axis| dims[axis].clone()).collect();
        self.count(&sizes, self.elem(value))
    }
}
