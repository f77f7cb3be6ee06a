//! Puts a kernel for all sizes beside one whose plan is for some, and lets launches choose: the plan may assume what makes
//! the kernel fast, and the program still takes any sizes.
//!
//! **Requires**: region.
//! **Ensures**: region. A kernel that is launched, and whose plan asks something of sizes, has a copy without a plan; each
//! launch of it says when it runs, and has the copy as its last choice, except where the sizes decide at once.
//!
//! **Before**
//! ```mlir before
//! host.func @program<M, K>(%x: memref<[M, K], f16, row_major, align 16>) -> memref<[M], f16, row_major, align 16> {
//!   %y = launch @sums<M, K> (%x) : memref<[M], f16, row_major, align 16>
//!   return %y
//! }
//! region.func private @sums<M, K> iters (m: M) ins (%X: memref<[M, K], f16, row_major, align 16>) outs (Y: memref<[M], f16, row_major, align 16> materialize gmem) {
//!   %s = reduce sum (k: K) acc f32 init 0.0 {
//!     %x = read %X[m, k] : f16 over (m, k)
//!     yield %x
//!   } : f32 over (m)
//!   yield %s to Y as f16
//! }
//! plan.schedule of @sums for sm90 { tile (m: 4, k: 256) assume (K: 8) }
//! ```
//! **After**
//! ```mlir after
//! host.func @program<M, K>(%x: memref<[M, K], f16, row_major, align 16>) -> memref<[M], f16, row_major, align 16> {
//!   %y = launch @sums<M, K> where (K mod 8 == 0) else @sums_any<M, K> (%x) : memref<[M], f16, row_major, align 16>
//!   return %y
//! }
//! region.func private @sums<M, K> iters (m: M)
//!   ins (%X: memref<[M, K], f16, row_major, align 16>)
//!   outs (Y: memref<[M], f16, row_major, align 16> materialize gmem) {
//!   %s = reduce sum (k: K) acc f32 init 0.0 {
//!     %x = read %X[m, k] : f16 over (m, k)
//!     yield %x
//!   } : f32 over (m)
//!   yield %s to Y as f16
//! }
//! region.func private @sums_any<M, K> iters (m: M)
//!   ins (%X: memref<[M, K], f16, row_major, align 16>)
//!   outs (Y: memref<[M], f16, row_major, align 16> materialize gmem) {
//!   %s = reduce sum (k: K) acc f32 init 0.0 {
//!     %x = read %X[m, k] : f16 over (m, k)
//!     yield %x
//!   } : f32 over (m)
//!   yield %s to Y as f16
//! }
//! plan.schedule of @sums for sm90 {
//!   tile (m: 4, k: 256)
//!   assume (K: 8)
//! }
//! ```
//!
//! **Does not** copy a kernel that nothing launches: whoever calls it is told by `require`, which `tensorize` writes. What
//! alignment a tensor has is known, and no question of sizes.
//!
//! What a plan asks for is what it assumes and fixes, and what the copy engine needs of the tensors that the plan gives it
//! (`analysis::conditions`). Rule of the debug counters: `fallback`.

use dlc_core::guard::{Condition, Guard};
use dlc_host::choice::{Choice, Choices};
use dlc_host::ops::Launch;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, CloneMap, InsertPoint, OpRef};
use dlc_ir::define::{Kind, Text, TextArray};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Context, OpId, Str};
use dlc_plan::Schedule;

use crate::analysis::axes::is_kernel;
use crate::analysis::conditions::conditions;

static DEF: PassDef = PassDef {
    on: On::Module,
    statistics: &[
        StatDef { name: "fallbacks", doc: "Kernels that have a copy for all sizes." },
        StatDef { name: "launches", doc: "Launches that choose between both." },
    ],
    requires: &["region"],
    consults: &["plan", "host"],
    ..PassDef::base("add-fallback", "Puts a kernel for all sizes beside one whose plan is for some.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(AddFallback))
}

struct AddFallback;

impl Pass for AddFallback {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let ctx = cx.ctx;
        let Some(block) = body.entry_block() else { return Ok(()) };
        for op in body.ops(block).collect::<Vec<_>>() {
            let Some(kernel) = body.nested(op).filter(|kernel| is_kernel(ctx, kernel)) else { continue };
            let Some(name) = OpRef::new(ctx, body, op).symbol_name().map(String::from) else { continue };
            let Some((at, plan)) = Schedule::all_of(ctx, body, &name).into_iter().next() else { continue };
            let asked = conditions(ctx, kernel, &plan);
            if asked.is_empty() || kernel.entry_block().is_none() || !cx.allows_rule("fallback") {
                continue;
            }
            let launches = add_fallback(ctx, body, op, &asked);
            if launches == 0 {
                continue;
            }
            // The copy has no plan, not even one that names nobody.
            Schedule { of: Some(name.clone()), ..plan }.replace(ctx, body, at);
            cx.count("fallbacks", 1);
            cx.count("launches", launches);
            let message = format!("@{name} runs where {}, and a copy of it for all sizes otherwise", Guard::all(asked));
            cx.remark(RemarkKind::Passed, body.loc(op), message);
        }
        Ok(())
    }
}

/// Puts a copy of a kernel beside it that launches choose where these conditions do not hold. How many launches choose;
/// without any there is no copy.
pub fn add_fallback(ctx: &Context, module: &mut Body, kernel: OpId, asked: &[Condition]) -> u64 {
    let Some(name) = OpRef::new(ctx, module, kernel).symbol_name().map(String::from) else { return 0 };
    let symbols = module.nested(kernel).and_then(|body| {
        let symbols = OpRef::new(ctx, body, body.root()).prop(Str::SYMBOLS);
        symbols.map(|attr| TextArray::get(ctx, attr).unwrap_or_default())
    });
    let symbols: Vec<String> = symbols.unwrap_or_default().iter().map(|name| name.to_string()).collect();
    let other = free_name(ctx, module, &format!("{name}_any"));
    let mut launches = 0;
    for function in module.nested_ops() {
        let Some(body) = module.nested_mut(function) else { continue };
        for op in body.walk() {
            let Some(launch) = Launch::of(OpRef::new(ctx, body, op)) else { continue };
            let choices = launch.choices();
            let mut next = Vec::new();
            for choice in choices.iter().cloned() {
                match is_of(ctx, &choice, &name) {
                    true => next.extend(both(ctx, choice, &other, &symbols, asked)),
                    false => next.push(choice),
                }
            }
            if next != choices {
                launches += 1;
                body.set_prop(ctx, op, ctx.intern_str("choices"), Some(Choices::make(ctx, next)));
            }
        }
    }
    if launches > 0 {
        let copy = module.clone_op(kernel, &mut CloneMap::new());
        module.insert(copy, InsertPoint::After(kernel));
        if let Some(body) = module.nested_mut(copy) {
            let root = body.root();
            body.set_prop(ctx, root, Str::SYM_NAME, Some(Text::make(ctx, &other)));
            body.set_prop(ctx, root, Str::SYM_VISIBILITY, Some(Text::make(ctx, "private")));
        }
    }
    launches
}

/// A name that no symbol has: this one, or with a number behind it.
fn free_name(ctx: &Context, module: &Body, name: &str) -> String {
    let ops: Vec<OpId> = module.entry_block().into_iter().flat_map(|block| module.ops(block)).collect();
    let is_taken = |name: &str| ops.iter().any(|&op| OpRef::new(ctx, module, op).symbol_name() == Some(name));
    let numbered = (0..).map(|number| format!("{name}_{number}"));
    std::iter::once(name.to_string()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}

/// Whether a choice is that of a kernel.
fn is_of(ctx: &Context, choice: &Choice, name: &str) -> bool {
    matches!(choice.callee.as_symbol(ctx), Some(&[own]) if ctx.str(own) == name)
}

/// A kernel where it can run, then the other one; one of them alone where the sizes decide.
fn both(ctx: &Context, choice: Choice, other: &str, symbols: &[String], asked: &[Condition]) -> Vec<Choice> {
    let size = |symbol: &str| {
        let number = symbols.iter().position(|known| known == symbol)?;
        choice.sizes.get(number).cloned()
    };
    let put = |expr: &SizeExpr| expr.substitute(&size).ok();
    let otherwise = Choice { callee: ctx.symbol_attr(other), ..choice.clone() };
    let Some(asked) = asked.iter().map(|condition| condition.map(&put)).collect::<Option<Vec<_>>>() else {
        return vec![otherwise];
    };
    let known = |condition: &Condition| condition.holds(&|_| None).ok();
    if asked.iter().any(|condition| known(condition) == Some(false)) {
        return vec![otherwise];
    }
    let open: Vec<Condition> = asked.into_iter().filter(|condition| known(condition).is_none()).collect();
    if open.is_empty() {
        return vec![choice];
    }
    let pieces = choice.condition.clone().map_or_else(|| vec![Vec::new()], |guard| guard.pieces);
    let pieces = pieces.into_iter().map(|piece| piece.into_iter().chain(open.iter().cloned()).collect());
    let condition = Some(Guard { pieces: pieces.collect() });
    vec![Choice { condition, ..choice }, otherwise]
}
