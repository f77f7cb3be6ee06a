//! Writes every plan with the decisions that it leaves open, as clauses, and refuses those that cannot be resolved.
//!
//! **Requires**: region.
//! **Ensures**: the same kernels. The plan of each that has one says how its tile is shared among warps and threads, what
//! multiplies in which shape, and how many tiles of an operand there are. Resolving it again changes nothing, and its kernel
//! is the one that it had.
//!
//! **Before**
//! ```mlir before
//! region.func @rows<M, N> iters (m: M) ins (%X: memref<[M, N], f32, row_major, align 16>) outs (Y: memref<[M], f32, row_major, align 16> materialize gmem) {
//!   %s = reduce sum (n: N) acc f32 init 0.0 {
//!     %x = read %X[m, n] : f32 over (m, n)
//!     yield %x
//!   } : f32 over (m)
//!   yield %s to Y
//! }
//! plan.schedule of @rows for sm90 { tile (m: 4, n: 256) }
//! ```
//! **After**
//! ```mlir after
//! region.func @rows<M, N> iters (m: M) ins (%X: memref<[M, N], f32, row_major, align 16>) outs (Y: memref<[M], f32, row_major, align 16> materialize gmem) {
//!   %s = reduce sum (n: N) acc f32 init 0.0 {
//!     %x = read %X[m, n] : f32 over (m, n)
//!     yield %x
//!   } : f32 over (m)
//!   yield %s to Y
//! }
//! plan.schedule of @rows for sm90 {
//!   tile (m: 4, n: 256)
//!   reduced [n]
//!   thread_tile (n: 4)
//!   threads (m: 4, n: 32)
//! }
//! ```
//!
//! **Does not** choose anything: what a plan leaves open has one default, that of `tensorize`. A kernel without a plan gets
//! none, and a plan without a tile keeps the default tile. Where no kernel has a plan, it warns.
//!
//! The rules are those of `plan::resolved`; linear in the ops of each kernel. Rule of the debug counters: none.

use dlc_ir::OpRef;
use dlc_ir::body::Body;
use dlc_ir::diag::Diagnostic;
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassFailed, PassResult, StatDef};
use dlc_plan::check::check;
use dlc_plan::places::first_place;
use dlc_plan::{Schedule, Schedules};

use crate::analysis::axes::is_kernel;
use crate::analysis::plans::machines;
use crate::plan::resolved::{Refused, refusal, resolve};

dlc_ir::codes! {
    /// Plans are to be resolved, and no kernel has one.
    NO_PLAN = "E1617" "NoPlan";
}

static DEF: PassDef = PassDef {
    on: On::Module,
    statistics: &[StatDef { name: "plans", doc: "Plans that were resolved." }],
    requires: &["region"],
    consults: &["plan"],
    ..PassDef::base("resolve-plan", "Resolves plans: makes the decisions that they leave open.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(ResolvePlan))
}

struct ResolvePlan;

impl Pass for ResolvePlan {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let ctx = cx.ctx;
        let Some(block) = body.entry_block() else { return Ok(()) };
        let plans = Schedules::of(ctx, body);
        let (mut failed, mut planned, mut without) = (false, false, Vec::new());
        for op in body.ops(block).collect::<Vec<_>>() {
            let Some(kernel) = body.nested(op).filter(|kernel| is_kernel(ctx, kernel)) else { continue };
            let Some(name) = OpRef::new(ctx, body, op).symbol_name() else { continue };
            let Some((at, plan)) = plans.plans_of(ctx, body, name).into_iter().next() else {
                without.push(kernel.loc(kernel.root()));
                continue;
            };
            planned = true;
            let targets = machines(cx, &plan);
            let explicit: Schedule = match resolve(ctx, kernel, Some(&plan), &targets, true) {
                Ok(resolved) => resolved.explicit(&plan),
                // Positions beyond 64 bits are an error of the kernel, whatever its plan: 'tensorize' says it.
                Err(Refused::TooLarge) => continue,
                Err(Refused::Plan(broken, near)) => {
                    let place = first_place(ctx, body.loc(at), &broken.clauses);
                    cx.diags.emit(refusal(place, broken, near).at(Schedule::OP));
                    failed = true;
                    continue;
                }
            };
            // What the plan leaves open may be more than the target has.
            if let Some(broken) = targets.iter().find_map(|target| check(ctx, &explicit, target).into_iter().next()) {
                let place = first_place(ctx, body.loc(at), &broken.clauses);
                cx.diags.emit(refusal(place, broken, None).at(Schedule::OP));
                failed = true;
                continue;
            }
            cx.count("plans", 1);
            explicit.replace(ctx, body, at);
        }
        if let (false, Some(&first)) = (planned, without.first()) {
            let warning = Diagnostic::warning(&NO_PLAN, first, "no kernel has a plan to resolve");
            cx.diags
                .emit(warning.suggest("'--choose-plan --resolve-plan' chooses a plan for each kernel and resolves it"));
        }
        if failed { Err(PassFailed) } else { Ok(()) }
    }
}
