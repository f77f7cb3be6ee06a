//! Marks what one contraction of a kernel forwards to the next as `deferred`: a tile of it is kept on chip and never goes
//! to memory, so that a chain of products costs no more traffic than its ends.
//!
//! **Requires**: region.
//! **Ensures**: where the result of a contraction goes into another one through elementwise work alone, and each of its
//! axes is either one of the results or reduced there, the last value over these axes stands directly in the kernel and
//! has the mark `deferred`.
//!
//! **Before**
//! ```mlir before
//! region.func @mlp<M, K, H, N> iters (m: M, n: N)
//!     ins (%X: memref<[M, K], f16, row_major, align 2>, %A: memref<[K, H], f16, row_major, align 2>,
//!          %B: memref<[H, N], f16, row_major, align 2>)
//!     outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
//!   %first = reduce sum (k: K) acc f32 init 0.0 {
//!     %x = read %X[m, k] : f16 over (m, k)
//!     %a = read %A[k, h] : f16 over (h, k)
//!     %xa = binary mul %x, %a widen : f32 over (m, h, k)
//!     yield %xa
//!   } : f32 over (m, h)
//!   %second = reduce sum (h: H) acc f32 init 0.0 {
//!     %relu = unary relu %first : f32 over (m, h)
//!     %t = cast %relu : f16 over (m, h)
//!     %b = read %B[h, n] : f16 over (n, h)
//!     %tb = binary mul %t, %b widen : f32 over (m, n, h)
//!     yield %tb
//!   } : f32 over (m, n)
//!   yield %second to Y
//! }
//! ```
//! **After**
//! ```mlir after
//! region.func @mlp<M, K, H, N> iters (m: M, n: N)
//!     ins (%X: memref<[M, K], f16, row_major, align 2>, %A: memref<[K, H], f16, row_major, align 2>,
//!          %B: memref<[H, N], f16, row_major, align 2>)
//!     outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
//!   %first = reduce sum (k: K) acc f32 init 0.0 {
//!     %x = read %X[m, k] : f16 over (m, k)
//!     %a = read %A[k, h] : f16 over (h, k)
//!     %xa = binary mul %x, %a widen : f32 over (m, h, k)
//!     yield %xa
//!   } : f32 over (m, h)
//!   %relu = unary relu %first : f32 over (m, h)
//!   %t = cast %relu {deferred} : f16 over (m, h)
//!   %second = reduce sum (h: H) acc f32 init 0.0 {
//!     %b = read %B[h, n] : f16 over (n, h)
//!     %tb = binary mul %t, %b widen : f32 over (m, n, h)
//!     yield %tb
//!   } : f32 over (m, n)
//!   yield %second to Y
//! }
//! ```
//!
//! **Does not** change a number: the value is rounded where the program rounds it. It chooses no tile and no buffer (a
//! plan does), and leaves alone what is a result as well, what has an axis that only a third contraction reduces, and
//! sums of one factor (a mean of a product's row). Which contractions share a kernel is decided before (`form-regions`).
//! Of three in a row each is handed on to the next, as long as all but the axes of the results are reduced by the next.
//!
//! *Representation.* The mark is a discardable attribute without value on the op of the value; the verifier of the layer
//! holds it to what it says (docs/decisions/0012). Results of a kernel say the same with `materialize deferred`, towards
//! the next kernel.
//!
//! *Algorithm.* (1) In order, a value carries a contraction if it is its result, or elementwise in a value that carries
//! it and over the same axes: so nothing is computed more often than once for each element of the first result. (2) From
//! the contributions of each later contraction up through elementwise work to the first value that carries one: what is
//! handed on. (3) What of it stands in the body is moved out. A contraction is a sum of products of two values along a
//! reduced axis, or a reduction of several accumulators with two such values, as `stream-softmax` makes them. Linear in
//! the region for each contraction. Rule of the debug counters: `defer`.

use dlc_core::scalar::{self, Combiner};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::entity::SideTable;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Attr, BlockId, Context, OpId, Type, ValueId};
use dlc_region::ops::{Binary, BroadcastInDim, Cast, Func, Reduce, Select, Transpose, Unary};
use dlc_region::verify::{DEFERRED, KernelAxes, axes_of};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::analysis::axes::combined;

static DEF: PassDef = PassDef {
    requires: &["region"],
    statistics: &[StatDef { name: "deferred", doc: "Values that are handed on from one contraction to another." }],
    ..PassDef::base(
        "chain-contractions",
        "Keeps what one contraction forwards to the next on chip (back-to-back GEMMs).",
        create,
    )
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(ChainContractions))
}

struct ChainContractions;

impl Pass for ChainContractions {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        cx.count("deferred", chain_contractions(body, cx));
        Ok(())
    }
}

/// Marks what contractions forward to others. How many values.
pub fn chain_contractions(body: &mut Body, cx: &PassCx<'_>) -> u64 {
    let (ctx, mut deferred) = (cx.ctx, 0);
    let Some(block) = body.entry_block().filter(|_| OpRef::new(ctx, body, body.root()).is(Func::DEF)) else {
        return 0;
    };
    let axes = KernelAxes::of(ctx, body);
    let products = products(ctx, body);
    let carried = carried(ctx, body, &products);
    let seconds: Vec<OpId> = body.ops(block).filter(|&op| is_contraction(ctx, body, op, &products)).collect();
    for second in seconds {
        for value in handed_on(ctx, body, second, &carried) {
            let Some(op) = body.defining_op(value).filter(|&op| !is_deferred(ctx, body, op)) else { continue };
            if let Err(why) = check(ctx, body, second, value, &axes) {
                let message = format!("what goes from one contraction to the next is not kept on chip: {why}");
                cx.remark(RemarkKind::Missed, body.loc(op), message);
                continue;
            }
            if !cx.allows_rule("defer") {
                continue;
            }
            if cx.wants_remarks() {
                cx.remark(RemarkKind::Passed, body.loc(op), describe(ctx, body, second, value, &axes));
            }
            move_out(body, block, second, op);
            body.set_attr(ctx, op, ctx.intern_str(DEFERRED), Some(Attr::UNIT));
            deferred += 1;
        }
    }
    deferred
}

fn is_deferred(ctx: &Context, body: &Body, op: OpId) -> bool {
    OpRef::new(ctx, body, op).attr(ctx.intern_str(DEFERRED)).is_some()
}

fn axes<'a>(ctx: &'a Context, body: &Body, value: ValueId) -> Vec<&'a str> {
    axes_of(ctx, body.value_type(value))
}

/// Whether a value depends on one of some axes.
fn is_over(ctx: &Context, body: &Body, value: ValueId, some: &[&str]) -> bool {
    axes(ctx, body, value).iter().any(|axis| some.contains(axis))
}

/// Whether an op computes a number from others at the same point.
fn is_elementwise(op: OpRef<'_>) -> bool {
    let known = [Unary::DEF, Binary::DEF, Select::DEF, Cast::DEF, BroadcastInDim::DEF, Transpose::DEF];
    known.iter().any(|def| op.is(def))
}

/// For each value, the types of the two factors of each product that it is elementwise in, each pair once: types have few
/// sets of axes, however long a chain is.
type Products = SideTable<ValueId, SmallVec<[(Type, Type); 1]>>;

fn products(ctx: &Context, body: &Body) -> Products {
    let mut products = Products::new(SmallVec::new());
    for op in body.walk() {
        let view = OpRef::new(ctx, body, op);
        if !is_elementwise(view) {
            continue;
        }
        let mut found = SmallVec::new();
        if let Some(op) = Binary::of(view).filter(|op| op.function() == scalar::Binary::Mul && op.lhs() != op.rhs()) {
            found.push((body.value_type(op.lhs()), body.value_type(op.rhs())));
        }
        for value in body.operands(op) {
            let new: SmallVec<[_; 1]> = products.get(value).iter().copied().filter(|it| !found.contains(it)).collect();
            found.extend(new);
        }
        *products.get_mut(body.result(op, 0)) = found;
    }
    products
}

/// Whether a reduction multiplies two values along an axis that it reduces, or combines them in another way.
fn is_contraction(ctx: &Context, body: &Body, op: OpId, products: &Products) -> bool {
    let Some(reduce) = Reduce::of(OpRef::new(ctx, body, op)) else { return false };
    let (reduced, contributions) = (reduce.axes(), combined(reduce));
    let is_reduced = |ty: Type| axes_of(ctx, ty).iter().any(|axis| reduced.contains(axis));
    match reduce.combiner() {
        None => contributions.iter().filter(|&&value| is_over(ctx, body, value, &reduced)).count() > 1,
        Some(Combiner::Sum) => {
            let mut factors = contributions.iter().flat_map(|&value| products.get(value));
            factors.any(|&(lhs, rhs)| is_reduced(lhs) && is_reduced(rhs))
        }
        Some(_) => false,
    }
}

/// The values that are results of contractions, or elementwise in one and over the same axes.
fn carried(ctx: &Context, body: &Body, products: &Products) -> SideTable<ValueId, bool> {
    let mut carried = SideTable::new(false);
    for op in body.walk() {
        if is_contraction(ctx, body, op, products) {
            body.results(op).for_each(|value| *carried.get_mut(value) = true);
        } else if is_elementwise(OpRef::new(ctx, body, op)) {
            let result = body.result(op, 0);
            let count = axes(ctx, body, result).len();
            // An operand has no axes that the result has not.
            let same = |value: &ValueId| *carried.get(*value) && axes(ctx, body, *value).len() == count;
            *carried.get_mut(result) = body.operands(op).any(|value| same(&value));
        }
    }
    carried
}

/// What contractions forward to a later one, along an axis that this one reduces.
fn handed_on(ctx: &Context, body: &Body, second: OpId, carried: &SideTable<ValueId, bool>) -> Vec<ValueId> {
    let Some(reduce) = Reduce::of(OpRef::new(ctx, body, second)) else { return Vec::new() };
    let (reduced, mut values) = (reduce.axes(), Vec::new());
    let (mut work, mut seen) = (combined(reduce), FxHashSet::default());
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        if *carried.get(value) {
            values.extend(is_over(ctx, body, value, &reduced).then_some(value));
        } else if let Some(op) = body.defining_op(value).filter(|&op| is_elementwise(OpRef::new(ctx, body, op))) {
            work.extend(body.operands(op));
        }
    }
    values
}

/// Whether a value may be kept on chip for a contraction, or why not.
fn check(ctx: &Context, body: &Body, second: OpId, value: ValueId, kernel: &KernelAxes) -> Result<(), String> {
    let reduced = Reduce::of(OpRef::new(ctx, body, second)).map(|op| op.axes()).unwrap_or_default();
    let iters = &kernel.names[..kernel.iters];
    let own = axes(ctx, body, value);
    let is_iter = |axis: &&str| iters.iter().any(|iter| iter == axis);
    if let Some(axis) = own.iter().find(|axis| !reduced.contains(axis) && !is_iter(axis)) {
        return Err(format!("its axis '{axis}' is neither one of the results nor reduced by the next"));
    }
    if own.iter().all(is_iter) {
        return Err("all its axes are those of the results: another value of its row is in another tile".into());
    }
    if body.defining_op(value).is_some_and(|op| body.num_results(op) != 1) {
        return Err("it is one of several results of a reduction".into());
    }
    Ok(())
}

/// What is handed on, and how much of it.
fn describe(ctx: &Context, body: &Body, second: OpId, value: ValueId, kernel: &KernelAxes) -> String {
    let reduced = Reduce::of(OpRef::new(ctx, body, second)).map(|op| op.axes()).unwrap_or_default();
    let own = axes(ctx, body, value);
    let row: Vec<&str> = own.iter().copied().filter(|axis| reduced.contains(axis)).collect();
    let sizes: Vec<SizeExpr> = row.iter().filter_map(|axis| kernel.size(axis).cloned()).collect();
    let product = sizes.iter().try_fold(SizeExpr::from(1), |product, size| product.mul(size).ok());
    let elements = match product {
        Some(product) => product.to_string(),
        None => sizes.iter().map(|size| format!("({size})")).collect::<Vec<_>>().join("*"),
    };
    let shared: Vec<&str> =
        kernel.names[..kernel.iters].iter().map(String::as_str).filter(|axis| !own.contains(axis)).collect();
    let mut text = format!(
        "this value over ({}) is forwarded on chip to the reduction over ({}): {elements} elements in a row over ({})",
        own.join(", "),
        reduced.join(", "),
        row.join(", ")
    );
    if !shared.is_empty() {
        text += &format!(", computed once for all results along ({})", shared.join(", "));
    }
    text
}

/// Moves an op and what it needs out of a reduction, if they stand in it.
fn move_out(body: &mut Body, block: BlockId, reduce: OpId, op: OpId) {
    let mut inside = Vec::new();
    body.walk_regions(reduce, &mut inside);
    let own: FxHashSet<OpId> = inside.iter().copied().collect();
    let mut needed: FxHashSet<OpId> = FxHashSet::default();
    let mut work = vec![op];
    while let Some(op) = work.pop() {
        if !own.contains(&op) || !needed.insert(op) {
            continue;
        }
        let mut all = vec![op];
        body.walk_regions(op, &mut all);
        let held: FxHashSet<OpId> = all.iter().copied().collect();
        let operands = all.iter().flat_map(|&op| body.operands(op)).filter_map(|value| body.defining_op(value));
        work.extend(operands.filter(|op| !held.contains(op)));
    }
    for op in inside.into_iter().filter(|op| needed.contains(op)) {
        body.move_op(op, InsertPoint::Before(reduce));
        debug_assert_eq!(body.block_of(op), Some(block));
    }
}
