//! The axes of a value, in numbers and symbols that are the same for all values of a function.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use dlc_core::types::Tensor;
use dlc_ir::affine::{AffineExpr, Ranges, SizeExpr};
use dlc_ir::define::{Kind, TextArray};
use dlc_ir::{Attr, Body, Context, OpRef, Type, ValueId};

use rustc_hash::FxHashMap;

use crate::analysis::access::{Access, Shapes, Step};

/// The symbols of a function, and the sizes of its types.
#[derive(Default)]
pub(super) struct Symbols {
    names: Vec<Arc<str>>,
    shapes: Shapes,
    spaces: RefCell<FxHashMap<Type, Option<Rc<Space>>>>,
}

/// The axes of a value and the type of its elements.
#[derive(Clone)]
pub(super) struct Space {
    pub sizes: Vec<SizeExpr>,
    /// The same sizes over the symbols `s0`, `s1`, ..
    pub dims: Vec<AffineExpr>,
    pub ranges: Ranges,
    pub elem: Type,
    pub axes: dlc_core::space::Space,
}

/// One view: where its elements are in the operand, and what is around.
pub(super) struct ViewOf {
    pub source: ValueId,
    pub at: Vec<AffineExpr>,
    /// Expressions that are at least zero where the element is one of the source.
    pub bounds: Vec<AffineExpr>,
    /// The number elsewhere; `None` for zero.
    pub outside: Option<Attr>,
}

impl Symbols {
    /// The symbols that the root of a body declares.
    pub(super) fn of(ctx: &Context, body: &Body) -> Symbols {
        let declared = OpRef::new(ctx, body, body.root()).prop_named("symbols");
        let names = declared.and_then(|attr| TextArray::get(ctx, attr)).unwrap_or_default();
        Symbols { names: names.into_iter().map(Arc::from).collect(), ..Symbols::default() }
    }

    /// The axes of a value of a type. `None` where a size goes beyond the limits of affine expressions.
    pub(super) fn space(&self, ctx: &Context, ty: Type) -> Option<Rc<Space>> {
        if let Some(known) = self.spaces.borrow().get(&ty) {
            return known.clone();
        }
        let space = self.new_space(ctx, ty).map(Rc::new);
        self.spaces.borrow_mut().insert(ty, space.clone());
        space
    }

    fn new_space(&self, ctx: &Context, ty: Type) -> Option<Space> {
        let elem = Tensor::of(ctx, ty)?.elem(ctx);
        let sizes = self.shapes.of(ctx, ty).to_vec();
        let axes = dlc_core::space::Space::over(&self.names, &sizes)?;
        let dims = axes.ranges().limits.iter().cloned().collect::<Option<_>>()?;
        Some(Space { sizes, dims, ranges: axes.ranges().clone(), elem, axes })
    }

    /// The view that an op is.
    pub(super) fn view(&self, op: OpRef<'_>, space: &Space) -> Option<ViewOf> {
        let mut axes = space.axes.clone();
        let Step::To(access) =
            Access::of(op.result(0), space.dims.len()).step(op.ctx, op.body, &mut axes, &self.shapes)
        else {
            return None;
        };
        let mut bounds = Vec::with_capacity(2 * access.guard.len());
        for bound in &access.guard {
            bounds.push(bound.expr.clone());
            bounds.push(bound.size.sub(&bound.expr).ok()?.sub(&1.into()).ok()?.simplify_under(&space.ranges));
        }
        Some(ViewOf { source: access.source, at: access.index, bounds, outside: access.fill })
    }
}
