//! Lets products that are summed stay without rounding, and reads their factors as they are stored: tensor cores multiply
//! in no other way. `detect-contraction` does the same before a program has entries.
//!
//! **Requires**: book.
//! **Ensures**: the factors of a sum of products of floats are multiplied with `widen`, and are of the shortest type that
//! holds them.
//!
//! **Before**
//! ```mlir before
//! book.func @gemm<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
//!   %p = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) : tensor<[M, N, K], f16>
//!   %c = entry cast axes (i0: M, i1: N, i2: K) of %p at (i0, i1, i2) to f32 : tensor<[M, N, K], f32>
//!   %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %c at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
//!   return %s
//! }
//! ```
//! **After**
//! ```mlir after
//! book.func @gemm<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
//!   %p = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) : tensor<[M, N, K], f16>
//!   %c = entry cast axes (i0: M, i1: N, i2: K) of %p at (i0, i1, i2) to f32 : tensor<[M, N, K], f32>
//!   %0 = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) to f32 widen : tensor<[M, N, K], f32>
//!   %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %0 at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
//!   return %s
//! }
//! ```
//!
//! **Does not** remove what nothing reads any more (`dce`); take sums in which an axis that is summed is an axis of one factor only (a scaled sum), or in which both
//! factors are one and the same (a sum of squares); products that are rounded to a shorter type, or read under a guard;
//! `f64`, and integers, which wrap.
//!
//! Each sum of rounded products changes by their rounding. Linear. Rule of the debug counters: `widen`.

use dlc_book::ops::{Entry, Function, NewEntry, Reduce};
use dlc_book::verify::axis_names;
use dlc_core::access::Access;
use dlc_core::numbers::holds;
use dlc_core::scalar::Combiner;
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::builder::Builder;
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Context, OpId, Type, ValueId};

static DEF: PassDef = PassDef {
    requires: &["book"],
    statistics: &[StatDef { name: "widened", doc: "Sums whose products are no longer rounded." }],
    ..PassDef::base("widen-products", "Removes the rounding of products that are summed.", |_| {
        Ok(Box::new(WidenProducts))
    })
};
dlc_ir::inventory::submit! { &DEF }

struct WidenProducts;

impl Pass for WidenProducts {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let mut widened = 0;
        for op in body.walk() {
            let Some(product) = Reduce::of(OpRef::new(cx.ctx, body, op)).and_then(product) else { continue };
            if !cx.allows_rule("widen") {
                continue;
            }
            if product.changes {
                let message = "the products that are summed here are not rounded before";
                cx.remark(RemarkKind::Passed, body.loc(op), message);
            }
            widen(cx.ctx, body, op, product);
            widened += 1;
        }
        cx.count("widened", widened);
        Ok(())
    }
}

/// A product of two factors, over axes of these sizes.
struct Product {
    op: OpId,
    factors: [(ValueId, Access); 2],
    axes: Vec<SizeExpr>,
    /// Whether it was rounded.
    changes: bool,
}

/// The product that a reduction sums, if it may stay without rounding and does not yet.
fn product(reduce: Reduce<'_>) -> Option<Product> {
    let (ctx, body) = (reduce.ctx, reduce.body);
    let accesses = reduce.accesses();
    let [access] = &accesses[..] else { return None };
    if reduce.combiner() != Combiner::Sum || access.guard.is_some() || !is_short(ctx, reduce.acc()) {
        return None;
    }
    let product = Entry::of(OpRef { id: before_casts(ctx, body, reduce.input())?, ..*reduce })?;
    let elem = elem(ctx, body, product.out());
    let fits = product.function() == Function::Mul && product.widen().is_none() && is_short(ctx, elem);
    if !fits || !holds(ctx, reduce.acc(), elem) {
        return None;
    }
    let reads = product.accesses();
    let names = axis_names(product.axes().len());
    // The axes of the product along which elements are summed.
    let over = axis_names(reduce.axes().len() + reduce.over().len()).split_off(reduce.axes().len());
    let is_summed = |at: &SizeExpr| at.symbols().iter().any(|name| over.iter().any(|over| **over == **name));
    let summed = names.iter().zip(&access.at).filter(|(_, at)| is_summed(at)).map(|(name, _)| name);
    let has = |read: &Access, name: &str| read.at.iter().any(|at| at.symbols().iter().any(|symbol| **symbol == *name));
    let both = summed.clone().all(|name| reads.iter().all(|read| has(read, name)));
    let factors = [0, 1].map(|index| (product.operand(index), reads[index].clone()));
    if !both || reads.iter().any(|read| read.guard.is_some()) || factors[0] == factors[1] {
        return None;
    }
    let factors = factors.map(|(value, access)| (stored(ctx, body, value, elem), access));
    let kinds = factors.each_ref().map(|(value, _)| self::elem(ctx, body, *value));
    let changes = !dlc_core::numbers::holds_products(ctx, elem, kinds[0], kinds[1]);
    Some(Product { op: product.id, factors, axes: product.axes(), changes })
}

/// The op of a value, below casts that lose nothing.
fn before_casts(ctx: &Context, body: &Body, mut value: ValueId) -> Option<OpId> {
    while let Some(input) = lossless(ctx, body, value) {
        value = input;
    }
    body.defining_op(value)
}

/// The value that a factor is a wider form of. Floats of another kind than the product are multiplied as they are given.
fn stored(ctx: &Context, body: &Body, mut value: ValueId, product: Type) -> ValueId {
    while let Some(input) = lossless(ctx, body, value).filter(|&input| elem(ctx, body, input).float_kind(ctx).is_some())
    {
        debug_assert!(product.float_kind(ctx).is_some(), "a product of floats");
        value = input;
    }
    value
}

/// What a cast, element by element, to a type that holds all numbers of its operand is a cast of.
fn lossless(ctx: &Context, body: &Body, value: ValueId) -> Option<ValueId> {
    let cast =
        Entry::of(OpRef::new(ctx, body, body.defining_op(value)?)).filter(|op| op.function() == Function::Cast)?;
    let (input, accesses) = (cast.operand(0), cast.accesses());
    let [access] = &accesses[..] else { return None };
    let axes = axis_names(cast.axes().len());
    let same = access.at.len() == axes.len()
        && access.at.iter().zip(&axes).all(|(at, axis)| SizeExpr::symbol(axis).is_ok_and(|axis| *at == axis))
        && access.guard.is_none();
    (same && holds(ctx, elem(ctx, body, value), elem(ctx, body, input))).then_some(input)
}

/// Whether numbers of a type are floats that products are rounded to.
fn is_short(ctx: &Context, ty: Type) -> bool {
    ty.float_kind(ctx).is_some() && ty != Type::F64
}

fn elem(ctx: &Context, body: &Body, value: ValueId) -> Type {
    Tensor::expect(ctx, body.value_type(value)).elem(ctx)
}

/// Lets a reduction sum a product that is not rounded.
fn widen(ctx: &Context, body: &mut Body, op: OpId, product: Product) {
    let acc = Reduce::from(OpRef::new(ctx, body, op)).acc();
    let loc = body.loc(product.op);
    let (values, accesses): (Vec<ValueId>, Vec<Access>) = product.factors.into_iter().unzip();
    let mut builder = Builder::new(ctx, body, InsertPoint::Before(op));
    let wide = NewEntry {
        inputs: &values,
        function: Function::Mul,
        axes: product.axes,
        accesses,
        elem: Some(acc),
        widen: Some(()),
    }
    .build(&mut builder, loc);
    let wide = body.result(wide, 0);
    body.set_operand(op, 0, wide);
}
