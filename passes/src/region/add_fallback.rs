//! Puts a kernel for all sizes next to one whose plan is for some, and lets launches choose: the plan may assume what makes
//! the kernel fast, and the program still takes any sizes.
//!
//! **Requires**: region.
//! **Ensures**: region. A kernel that is launched, and whose plan asks something of sizes, has a copy for all sizes; each
//! launch of it says when it runs, and has the copy as its last choice, except where the sizes decide at once. With
//! `each`, where the plan asks about several sizes, there are copies between, for when one of them alone is not as it wants
//! it: less is padded then, and compiling takes longer.
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
//! Where the plan asks nothing of sizes but that TMA can move rows, a copy has the same plan, by which what
//! TMA cannot bring is padded first (`algo (load_X: padded)`) and threads store the rows of results that it cannot
//! take away (`store rows`). Where threads read memory as it is, copies have its threads: for unaligned rows each
//! takes single elements side by side, for rows that are longer than what the plan keeps in registers they take steps of as
//! much, and a third copy is for rows that are both. Else a copy has no plan.
//!
//! **Does not** copy a kernel that nothing launches: a call at other sizes is refused by `require`, which
//! `tensorize` writes. What alignment a tensor has is known, and no question of sizes.
//!
//! What a plan requires is what it assumes and fixes, and what TMA needs of the tensors that the plan gives it
//! (`analysis::conditions`). Rule of the debug counters: `fallback`.

use dlc_core::guard::{Condition, Guard};
use dlc_host::choice::Choice;
use dlc_host::ops::Launch;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{On, OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Builder, Context, OpId};
use dlc_plan::places::fallback;
use dlc_plan::{Schedule, Schedules};

use crate::analysis::axes::is_kernel;
use crate::analysis::conditions::{conditions, for_other_sizes};
use crate::rewrites::launches::{Launches, copy_kernel, is_of, narrowed, symbols, where_known};

const OPTIONS: &[OptionDef] = &[OptionDef {
    name: "each",
    kind: OptionKind::Bool,
    default: "false",
    doc: "Whether each size that alone does not fit has a copy as well: less is padded, and more is compiled.",
}];

static DEF: PassDef = PassDef {
    on: On::Module,
    options: OPTIONS,
    statistics: &[
        StatDef { name: "fallbacks", doc: "Kernels that have a copy for all sizes." },
        StatDef { name: "launches", doc: "Launches that choose between both." },
    ],
    requires: &["region"],
    consults: &["plan", "host"],
    ..PassDef::base("add-fallback", "Adds a kernel for all sizes to one whose plan assumes something of them.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(AddFallback { each: options.flag("each") }))
}

struct AddFallback {
    each: bool,
}

impl Pass for AddFallback {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let ctx = cx.ctx;
        let Some(block) = body.entry_block() else { return Ok(()) };
        let (mut launches_of, plans) = (Launches::of_module(ctx, body), Schedules::of(ctx, body));
        for op in body.ops(block).collect::<Vec<_>>() {
            let Some(kernel) = body.nested(op).filter(|kernel| is_kernel(ctx, kernel)) else { continue };
            let Some(name) = OpRef::new(ctx, body, op).symbol_name().map(String::from) else { continue };
            let Some((at, plan)) = plans.plans_of(ctx, body, &name).into_iter().next() else { continue };
            let asked = conditions(ctx, kernel, &plan);
            if asked.is_empty() || kernel.entry_block().is_none() || !cx.allows_rule("fallback") {
                continue;
            }
            let mut plans = for_other_sizes(ctx, kernel, &plan, self.each).into_iter();
            let mut copies = Vec::new();
            let (mut last, mut open) = (op, asked.clone());
            let mut launches = 0;
            loop {
                let (count, copy) = add_fallback(ctx, body, &mut launches_of, last, &open, &name);
                launches = launches.max(count);
                let Some((copy, other)) = copy else { break };
                let Some(plan) = plans.next() else {
                    copies.push(vec![copy]);
                    break;
                };
                let plan = Schedule { of: Some(other), ..plan };
                open = body.nested(copy).map(|kernel| conditions(ctx, kernel, &plan)).unwrap_or_default();
                let loc = fallback(ctx, body.loc(copy));
                let planned = plan.build(&mut Builder::new(ctx, body, InsertPoint::After(copy)), loc);
                copies.push(vec![copy, planned]);
                if open.is_empty() {
                    break;
                }
                last = copy;
            }
            if launches == 0 {
                continue;
            }
            // Sizes that are known may decide for a later one at once.
            copies.retain(|copy| {
                let name = OpRef::new(ctx, body, copy[0]).symbol_name();
                let is_launched = name.is_some_and(|name| launches_of.is_launched(name));
                if !is_launched {
                    copy.iter().rev().for_each(|&op| body.erase_op(op));
                }
                is_launched
            });
            // The copy has another plan or none, not even one that names nobody.
            Schedule { of: Some(name.clone()), ..plan }.replace(ctx, body, at);
            cx.count("fallbacks", 1);
            cx.count("launches", launches);
            let others = match copies.len() {
                0 | 1 => "a copy of it for all sizes".to_string(),
                some => format!("{} copies of it for others", some),
            };
            let message = format!("@{name} runs where {}, and {others} otherwise", Guard::all(asked));
            cx.remark(RemarkKind::Passed, body.loc(op), message);
        }
        Ok(())
    }
}

/// Puts a copy of a kernel next to it, named after `base`, that launches choose where these conditions do not hold, and no
/// later choice of theirs is for that. How many launches choose, and the copy with its name; where no launch needs it there
/// is none.
fn add_fallback(
    ctx: &Context,
    module: &mut Body,
    launches: &mut Launches,
    kernel: OpId,
    asked: &[Condition],
    base: &str,
) -> (u64, Option<(OpId, String)>) {
    let Some(name) = OpRef::new(ctx, module, kernel).symbol_name().map(String::from) else { return (0, None) };
    let symbols = module.nested(kernel).map(|body| symbols(ctx, body)).unwrap_or_default();
    let other = launches.take_name(&format!("{base}_any"));
    let mut count = 0;
    for at in launches.of(&name) {
        let Some(body) = module.nested(at.0) else { continue };
        let choices = Launch::from(OpRef::new(ctx, body, at.1)).choices();
        let mut next = Vec::new();
        for (number, choice) in choices.iter().cloned().enumerate() {
            match is_of(ctx, &choice, &name) {
                true if number + 1 == choices.len() => next.extend(both(ctx, choice, &other, &symbols, asked)),
                true => next.extend(within(choice, &symbols, asked)),
                false => next.push(choice),
            }
        }
        if next != choices {
            count += 1;
            launches.set_choices(ctx, module, at, next);
        }
    }
    if !launches.is_launched(&other) {
        launches.free_name(&other);
        return (count, None);
    }
    (count, Some((copy_kernel(ctx, module, kernel, &other), other)))
}

/// A kernel where it can run; nothing where the sizes say that it cannot.
fn within(choice: Choice, symbols: &[String], asked: &[Condition]) -> Option<Choice> {
    let open = where_known(&choice, symbols, asked)??;
    Some(narrowed(choice, &open))
}

/// A kernel where it can run, then the other one; one of them alone where the sizes decide.
fn both(ctx: &Context, choice: Choice, other: &str, symbols: &[String], asked: &[Condition]) -> Vec<Choice> {
    // What the other one costs nobody has estimated.
    let otherwise = Choice { callee: ctx.symbol_attr(other), cost: None, ..choice.clone() };
    match where_known(&choice, symbols, asked).flatten() {
        None => vec![otherwise],
        Some(open) if open.is_empty() => vec![choice],
        Some(open) => vec![narrowed(choice, &open), otherwise],
    }
}
