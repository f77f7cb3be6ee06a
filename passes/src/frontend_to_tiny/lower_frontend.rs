//! Lowers graphs to the ops of `tiny`: below, there are only views, arithmetic, reductions and sums of
//! products, whatever a model consists of.
//!
//! **Requires**: frontend.
//! **Ensures**: tiny. No op of frontend is left; a graph is a function of the same name, symbols and argument attributes.
//! What its results are called is in its attribute `outputs` where the values that it returns are not called so.
//!
//! **Before**
//! ```mlir before
//! frontend.graph @ffn<M, N, K>(%A: tensor<[M, K], f16> {role = "data"}, %B: tensor<[K, N], f16> {role = "param"}, %bias: tensor<[N], f16> {role = "param"}) -> tensor<[M, N], f16> {
//!   %c0 = gemm %A, %B acc f32 : tensor<[M, N], f32>
//!   %c1 = add %c0, %bias : tensor<[M, N], f32>
//!   %c2 = relu %c1 : tensor<[M, N], f32>
//!   output %c2 as f16
//! }
//! ```
//! **After**
//! ```mlir after
//! tiny.func @ffn<M, N, K>(%A: tensor<[M, K], f16> {role = "data"}, %B: tensor<[K, N], f16> {role = "param"}, %bias: tensor<[N], f16> {role = "param"}) -> tensor<[M, N], f16> attributes {outputs = ["c2"]} {
//!   %c0 = contract %A [m, k], %B [k, n] to [m, n] acc f32 : tensor<[M, N], f32>
//!   %c1 = add %c0, %bias : tensor<[M, N], f32>
//!   %c2 = relu %c1 : tensor<[M, N], f32>
//!   %0 = cast %c2 to f16 : tensor<[M, N], f16>
//!   return %0
//! }
//! ```
//!
//! **Does not** simplify what it writes (`canonicalize`), nor write contractions as products and sums
//! (`decompose-contraction`).
//!
//! Each op is one rule. Functions that tiny lacks become polynomials, powers of two and logarithms, computed in `f32`
//! when the elements are narrower, and rounded to the type of the result at the end. Rules of the debug counters: the
//! names of the ops.

mod contraction;
mod elementwise;
mod emit;
mod graph;
mod math;
mod nn;
mod parts;
mod positions;
mod reductions;
mod sorting;
mod topk;
mod views;
mod windows;

use dlc_frontend::ops::Output;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::define::{Kind, TextArray};
use dlc_ir::op::OpDef;
use dlc_ir::pass::{OptionValues, Pass, PassCx, PassDef, PassFailed, PassResult, StatDef};
use dlc_ir::rewrite::{ConversionMode, ConversionPattern, ConversionTarget, Legality, TypeConverter, convert};
use dlc_tiny::ops::Return;

use crate::analysis::names::own_names;
use emit::Lower;

static DEF: PassDef = PassDef {
    statistics: &[StatDef { name: "lowered", doc: "Ops that were lowered." }],
    requires: &["frontend"],
    adds: &["tiny"],
    removes: &["frontend"],
    ..PassDef::base("lower-frontend", "Lowers graphs to the ops of tiny.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(LowerFrontend))
}

struct LowerFrontend;

impl Pass for LowerFrontend {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let lowered = lower_frontend(body, cx)?;
        cx.count("lowered", lowered);
        Ok(())
    }
}

/// The rules, by group of ops.
const RULES: &[&[Lower]] = &[
    graph::RULES,
    elementwise::RULES,
    contraction::RULES,
    reductions::RULES,
    views::RULES,
    positions::RULES,
    sorting::RULES,
    topk::RULES,
    windows::RULES,
    nn::RULES,
];

/// Lowers a graph. How many ops.
pub fn lower_frontend(body: &mut Body, cx: &PassCx<'_>) -> Result<u64, PassFailed> {
    let types = TypeConverter::new();
    let target = ConversionTarget::new().dialect("frontend", Legality::Illegal).dialect("tiny", Legality::Legal);
    let mut patterns: Vec<&dyn ConversionPattern> = vec![&graph::GraphToFunction];
    patterns.extend(RULES.iter().copied().flatten().map(|rule| rule as &dyn ConversionPattern));
    let names = results(body, cx, Output::DEF);
    let lowered = convert(body, &target, &patterns, &types, ConversionMode::Partial, cx)?;
    // What is rounded to the type of a result is another value, of no name.
    let key = cx.ctx.intern_str("outputs");
    let is_noted = OpRef::new(cx.ctx, body, body.root()).attr(key).is_some();
    if let Some(names) = names.filter(|names| !is_noted && Some(names) != results(body, cx, Return::DEF).as_ref()) {
        body.set_attr(cx.ctx, body.root(), key, Some(TextArray::make(cx.ctx, names)));
    }
    Ok(lowered)
}

/// The names of what an op gives at the end of a body, where there is one of that kind and each value has its own.
fn results<'c>(body: &Body, cx: &PassCx<'c>, def: &'static OpDef) -> Option<Vec<&'c str>> {
    let last = body.last_op(body.entry_block()?)?;
    let end = OpRef::new(cx.ctx, body, last);
    own_names(cx.ctx, body, end.operands()).filter(|names| end.is(def) && !names.is_empty())
}
