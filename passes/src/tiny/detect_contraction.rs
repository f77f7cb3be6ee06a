//! Turns a sum of products into one contraction, because everything below asks first which indices are multiplied and
//! which are summed, and no chain of views says it.
//!
//! **Requires**: tiny.
//! **Ensures**: a `reduce sum` of a `mul` that reads both operands by single indices and windows is a `contract`.
//!
//! **Before**
//! ```mlir before
//! tiny.func @f<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
//!   %x1 = reshape %X to [M, 1, K] : tensor<[M, 1, K], f16>
//!   %w1 = reshape %W to [1, K, N] : tensor<[1, K, N], f16>
//!   %w2 = permute %w1 by [0, 2, 1] : tensor<[1, N, K], f16>
//!   %p = mul %x1, %w2 : tensor<[M, N, K], f16>
//!   %s = reduce sum %p over [2] acc f32 : tensor<[M, N], f32>
//!   return %s
//! }
//! ```
//! **After**
//! ```mlir after
//! tiny.func @f<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
//!   %s = contract %X [m, k], %W [k, n] to [m, n] acc f32 {widen} : tensor<[M, N], f32>
//!   return %s
//! }
//! ```
//!
//! **Does not** take sums in which an index stands on one side only (a scaled sum), or in which both sides are one and
//! the same (a sum of squares); products that are rounded to a narrower type, or padded, before they are summed; maxima;
//! nor does it merge views that stay (`canonicalize`).
//!
//! The sum of *exact* products is the program as it was written only where the type of the product holds them
//! ([`holds_products`]). Elsewhere the product is no longer rounded: the fast-math flag `widen`, which the contraction then
//! has as a mark. With `widen=false` it says instead what its products are rounded to: `product f16`.
//!
//! Phases, for each sum: (1) down from the sum through views and casts that lose nothing to a product; (2) from each
//! operand down through views, keeping every value on the way with its [`Access`]; (3) of these the one that is read
//! with the least repetition, then by single indices, then the deepest (`form`). An axis that is read as a quotient and
//! a remainder, as where few heads serve many, is split in two for both operands. (4) The indices get names: `k` is
//! summed, `b` on both sides and in the result, `m` and `n` on one. Linear in the views of each sum. Rule of the debug
//! counters: `contract`.

mod build;
mod form;

use dlc_core::numbers::{holds, holds_products};
use dlc_core::space::Space;
use dlc_core::types::Tensor;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Context, OpId, Type, ValueId};
use dlc_tiny::ops::{Cast, Combiner, Expand, Load, Mul, Reduce, View};

use crate::analysis::access::{Access, Shapes, Step, is_view};
use form::ProductForm;

static DEF: PassDef = PassDef {
    requires: &["tiny"],
    options: &[OptionDef {
        name: "widen",
        kind: OptionKind::Bool,
        default: "true",
        doc: "Whether the contraction sums exact products where the program rounds them to their type first.",
    }],
    statistics: &[
        StatDef { name: "contractions", doc: "Sums that became a contraction." },
        StatDef { name: "widened", doc: "Those of them whose products are no longer rounded." },
    ],
    ..PassDef::base("detect-contraction", "Turns sums of products into contractions.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(DetectContraction { widen: options.flag("widen") }))
}

struct DetectContraction {
    widen: bool,
}

impl Pass for DetectContraction {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let (contractions, widened) = detect_contraction(body, self.widen, cx);
        cx.count("contractions", contractions);
        cx.count("widened", widened);
        Ok(())
    }
}

/// Turns sums of products into contractions. How many, and in how many of them products are no longer rounded.
pub fn detect_contraction(body: &mut Body, widen: bool, cx: &PassCx<'_>) -> (u64, u64) {
    let (shapes, mut contractions, mut widened) = (Shapes::default(), 0, 0);
    let sums: Vec<OpId> = body.walk().into_iter().filter(|&op| is_reduction(cx.ctx, body, op)).collect();
    for op in sums {
        let reduce = Reduce::from(OpRef::new(cx.ctx, body, op));
        let loc = reduce.loc();
        let found = match find(reduce, &shapes, widen) {
            Ok(Some(found)) => found,
            Ok(None) => continue,
            Err(why) => {
                cx.remark(RemarkKind::Missed, loc, format!("this sum of products is no contraction: {why}"));
                continue;
            }
        };
        if !cx.allows_rule("contract") {
            continue;
        }
        if cx.wants_remarks() {
            cx.remark(RemarkKind::Passed, loc, found.describe(OpRef::new(cx.ctx, body, op)));
        }
        contractions += 1;
        widened += u64::from(found.widen);
        build::replace(cx.ctx, body, op, found);
    }
    (contractions, widened)
}

fn is_reduction(ctx: &Context, body: &Body, op: OpId) -> bool {
    body.nested(op).is_none() && OpRef::new(ctx, body, op).is(Reduce::DEF)
}

/// A product that is summed.
struct Product<'a> {
    mul: Mul<'a>,
    /// From the axes of what is summed to those of the product.
    access: Access,
    space: Space,
}

/// The contraction that a reduction is. `None` where nothing is multiplied, an error where it stays, and why.
fn find(reduce: Reduce<'_>, shapes: &Shapes, may_widen: bool) -> Result<Option<ProductForm>, String> {
    let Some(Product { mul, access, mut space }) = product(reduce, shapes)? else { return Ok(None) };
    let (ctx, body) = (reduce.ctx, reduce.body);
    match reduce.combiner() {
        Combiner::Sum => {}
        other => return Err(format!("products are combined by {}, not added", other.word())),
    }
    let elem = |value: ValueId| elem_of(ctx, body, value);
    let (product, acc) = (elem(mul.out()), elem(reduce.out()));
    if product == Type::I1 {
        return Err("of truth values it is whether one pair is true".into());
    }
    let sizes = shapes.of(ctx, body.value_type(mul.out()));
    let mut side = |operand: ValueId| {
        let own = shapes.of(ctx, body.value_type(operand));
        positions(mul.0, access.to_operand(operand, &own, &sizes), &mut space, shapes, product)
    };
    let (lhs, rhs) = (side(mul.lhs()), side(mul.rhs()));
    let axes: Vec<usize> = reduce.axes().iter().map(|&axis| axis as usize).collect();
    let mut found = form::form(ctx, body, shapes, &space, &axes, &lhs, &rhs)?;
    let (a, b) = (elem(found.lhs.source), elem(found.rhs.source));
    let exact = match ctx.type_data(product) {
        // Modulo two to the power of one width, products and their sum are what they are in any order.
        dlc_ir::TypeData::Integer { .. } | dlc_ir::TypeData::Index if product == acc => true,
        dlc_ir::TypeData::Integer { .. } | dlc_ir::TypeData::Index if !holds_products(ctx, product, a, b) => {
            return Err(format!(
                "products are taken modulo the width of {} before they are added",
                product.display(ctx)
            ));
        }
        // The evaluator multiplies in this type.
        _ => product == Type::F64 || holds_products(ctx, product, a, b),
    };
    found.widen = !exact && may_widen;
    found.product = (!exact && !may_widen).then_some(product);
    found.shared = !body.has_one_use(mul.out());
    found.acc = acc;
    Ok(Some(found))
}

/// The product below a reduction, seen through views and casts.
fn product<'a>(reduce: Reduce<'a>, shapes: &Shapes) -> Result<Option<Product<'a>>, String> {
    let (ctx, body) = (reduce.ctx, reduce.body);
    if !is_product_below(ctx, body, reduce.input()) {
        return Ok(None);
    }
    let sizes = shapes.of(ctx, body.value_type(reduce.input()));
    let Some(mut space) = Space::of(&sizes) else { return Ok(None) };
    let mut access = Access::of(reduce.input(), sizes.len());
    let mut lossy = None;
    loop {
        match access.step(ctx, body, &mut space, shapes) {
            Step::To(next) => access = next,
            Step::Unknown(why) if is_product_below(ctx, body, access.source) => return Err(why.into()),
            Step::Unknown(_) => return Ok(None),
            Step::Source => {
                let Some(op) = body.defining_op(access.source).map(|op| OpRef::new(ctx, body, op)) else {
                    return Ok(None);
                };
                if let Some(cast) = Cast::of(op) {
                    let (from, to) = (elem_of(ctx, body, cast.input()), elem_of(ctx, body, cast.out()));
                    if !holds(ctx, to, from) {
                        lossy = Some(format!("products are rounded to {} before they are added", to.display(ctx)));
                    }
                    access.source = cast.input();
                    continue;
                }
                let Some(mul) = Mul::of(op) else { return Ok(None) };
                return match lossy {
                    Some(why) => Err(why),
                    None if !access.guard.is_empty() => Err("products are padded before they are added".into()),
                    None => Ok(Some(Product { mul, access, space })),
                };
            }
        }
    }
}

/// Whether a value is a product, seen through views and casts.
fn is_product_below(ctx: &Context, body: &Body, value: ValueId) -> bool {
    let ops = std::iter::successors(body.defining_op(value), |&op| {
        let op = OpRef::new(ctx, body, op);
        let through = is_view(op) || op.is(Cast::DEF);
        through.then(|| body.defining_op(op.operand(0))).flatten()
    });
    ops.last().is_some_and(|op| OpRef::new(ctx, body, op).is(Mul::DEF))
}

/// A value from which an operand of the product can be read.
struct Position {
    access: Access,
    /// How many times elements are repeated above it: by this many views.
    repeats: usize,
}

/// The operand, and each value below it whose elements it has without a guard.
fn positions(op: OpRef<'_>, operand: Access, space: &mut Space, shapes: &Shapes, product: Type) -> Vec<Position> {
    let (ctx, body) = (op.ctx, op.body);
    let mut found = vec![Position { access: operand, repeats: 0 }];
    while let Some(Position { access, repeats }) = found.last() {
        let repeats = *repeats;
        let next = match access.step(ctx, body, space, shapes) {
            Step::To(next) if next.guard.is_empty() => next,
            Step::To(_) | Step::Unknown(_) => break,
            Step::Source => {
                let cast = body.defining_op(access.source).and_then(|op| Cast::of(OpRef::new(ctx, body, op)));
                let Some(cast) = cast else { break };
                let from = elem_of(ctx, body, cast.input());
                // Numbers of one kind, so that products of the narrower type are those of the wider.
                let same_kind = from.float_kind(ctx).is_some() == product.float_kind(ctx).is_some();
                if !same_kind || from == Type::I1 || !holds(ctx, elem_of(ctx, body, cast.out()), from) {
                    break;
                }
                Access { source: cast.input(), ..access.clone() }
            }
        };
        let repeats = repeats + usize::from(is_repetition(ctx, body, access.source, shapes));
        found.push(Position { access: next, repeats });
    }
    found
}

/// Whether a view has more axes with elements side by side than its operand.
fn is_repetition(ctx: &Context, body: &Body, view: ValueId, shapes: &Shapes) -> bool {
    let Some(op) = body.defining_op(view) else { return false };
    let wide = |value: ValueId| {
        let sizes = shapes.of(ctx, body.value_type(value));
        sizes.iter().filter(|size| size.as_constant() != Some(1)).count()
    };
    let may = [Expand::DEF, Load::DEF, View::DEF].into_iter().any(|def| OpRef::new(ctx, body, op).is(def));
    may && wide(view) > wide(body.operand(op, 0))
}

fn elem_of(ctx: &Context, body: &Body, value: ValueId) -> Type {
    Tensor::expect(ctx, body.value_type(value)).elem(ctx)
}
