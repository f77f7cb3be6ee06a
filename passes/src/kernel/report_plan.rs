//! Says what the plan of a kernel asks for and no pass of the schedule does, so that nobody takes it for done.
//!
//! **Requires**: kernel.
//! **Ensures**: the same kernel. For each clause of its plan that nothing follows there is a remark.
//!
//! **Before**
//! ```mlir before
//! kernel.func @f(%x: memref<[32], f32>) -> memref<[32], f32> {
//!   %y = output : memref<[32], f32>
//!   grid (1) threads 32 {
//!     %v = load %x[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
//!     store %v to %y[i0]
//!   }
//!   return %y
//! }
//! plan.schedule of @f for sm90 { policy (x: evict_first) }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @f(%x: memref<[32], f32>) -> memref<[32], f32> {
//!   %y = output : memref<[32], f32>
//!   grid (1) threads 32 {
//!     %v = load %x[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
//!     store %v to %y[i0]
//!   }
//!   return %y
//! }
//! plan.schedule of @f for sm90 {
//!   policy (x: evict_first)
//! }
//! ```
//!
//! **Does not** look at the kernel, but for a few ops that show whether a clause was followed: what a pass tried and could
//! not do that pass says itself.
//!
//! A clause that nothing reads is named here, with what is done in its place. Whoever lets a pass follow it takes it out of
//! the list. Rule of the debug counters: none.

use dlc_ir::Context;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{On, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_kernel::ops as kernel;
use dlc_plan::Schedule;
use dlc_plan::clause::{Buffer, Kind, Place, Policy};
use dlc_plan::value::Choice;

use crate::analysis::conditions::STAGGER;
use crate::analysis::plans::plan_of;

/// The ways to load that passes know.
const KNOWN: [&str; 2] = ["padded", "im2col"];

static DEF: PassDef = PassDef {
    on: On::Op("kernel.func"),
    requires: &["kernel"],
    consults: &["plan"],
    reads_symbols: true,
    statistics: &[StatDef { name: "clauses", doc: "Clauses of plans that nothing follows." }],
    ..PassDef::base("report-plan", "Says what a plan asks for and no pass of the schedule does.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(_: &OptionValues) -> Result<Box<dyn Pass>, String> {
    Ok(Box::new(ReportPlan))
}

struct ReportPlan;

impl Pass for ReportPlan {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let Some(plan) = plan_of(cx, body) else { return Ok(()) };
        let has = |def| body.walk().into_iter().any(|op| OpRef::new(cx.ctx, body, op).is(def));
        let mut left = left_out(&plan);
        if plan.launch_overlap && !has(kernel::GridWait::DEF) {
            left.push(("launch_overlap", "the kernel begins when the one in front of it has ended".into()));
        }
        if !is_kept(cx.ctx, body, &plan) {
            left.push(("policy", "tensors stay in the second-level cache as the hardware likes".into()));
        }
        cx.count("clauses", left.len() as u64);
        for (clause, instead) in left {
            let message = format!("nothing follows '{clause}' of the plan: {instead}");
            cx.remark(RemarkKind::Missed, body.loc(body.root()), message);
        }
        Ok(())
    }
}

/// Whether the cache is told of each tensor with a policy how long to keep it: by the loads of the copy engine.
fn is_kept(ctx: &Context, body: &Body, plan: &Schedule) -> bool {
    let tensors = plan.policy.iter().flat_map(|table| &table.0).filter(|(_, policy)| *policy != Policy::Normal);
    let told = |name: &String| {
        body.walk().into_iter().any(|op| {
            let load = kernel::TmaLoad::of(OpRef::new(ctx, body, op)).filter(|load| load.hint().is_some());
            let map = load.and_then(|load| body.defining_op(load.map()));
            let map = map.and_then(|map| kernel::TensorMapOf::of(OpRef::new(ctx, body, map)));
            map.is_some_and(|map| ctx.str(body.value_name(map.memory())) == name)
        })
    };
    tensors.into_iter().all(|(name, _)| told(name))
}

/// The clauses of a plan that no pass follows, and what is done in their place.
pub fn left_out(plan: &Schedule) -> Vec<(&'static str, String)> {
    let mut left: Vec<(&'static str, String)> = Vec::new();
    let mut say = |is_said: bool, clause: &'static str, instead: &str| {
        if is_said {
            left.push((clause, instead.to_string()));
        }
    };
    let wgmma = plan.instruction.as_ref().is_some_and(|it| it.kind == Kind::Wgmma);
    let multiplies = plan.contracts() && plan.instruction.as_ref().is_some_and(|it| it.kind == Kind::Fma);
    say(plan.unroll.is_some() && !multiplies, "unroll", "loops stay, but for those of one step");
    say(plan.stride.is_some(), "stride", "results lie as the kernel declares them");
    say(plan.vectorize.is_some(), "vectorize", "accesses are as wide as alignment and sizes allow");
    say(plan.vectors.is_some(), "vectors", "accesses are as wide as alignment and sizes allow");
    let bound = plan.bind.iter().flat_map(|table| &table.0).any(|(_, place)| place.starts_with("block"));
    say(bound, "bind", "tiles are counted along one axis of blocks");
    let in_flight = plan.in_flight.is_some_and(|groups| groups != 1);
    say(
        wgmma && in_flight,
        "in_flight",
        "one group of multiplications is in flight where nothing reads its sums, else none",
    );
    let roles = plan.roles.as_ref();
    say(roles.is_some_and(|it| it.start.is_some()), "roles .. start", "consumers begin one tile apart");
    let chained = plan.overlap.as_ref().and_then(|it| it.chain_overlap).is_some_and(|ahead| ahead > 0);
    say(chained, "async .. overlap_chain", "a product is waited for before the next one of its chain begins");
    let ring = plan.edges.iter().any(|edge| edge.buffer == Buffer::SmemRing);
    say(ring, "edge .. in smem_ring", "values go on in registers, or through one tile");
    let held = |cache: &dlc_plan::clause::Cache| cache.place == Place::Reg && cache.axes.is_some();
    say(
        plan.caches.iter().any(held),
        "cache .. in reg",
        "rows are held in registers where their length is known and fits",
    );
    say(
        plan.caches.iter().any(|it| it.at.is_some()),
        "cache .. at",
        "tiles are exchanged at the loop around their product",
    );
    say(plan.caches.iter().any(|it| it.keep.is_some()), "cache .. as", "registers keep the type that memory has");
    let store = plan.store.as_ref();
    say(store.is_some_and(|it| it.per_warp), "store .. per_warp", "four warps store together");
    let words = plan.algo.iter().flat_map(|table| &table.0);
    let unknown: Vec<String> = words
        .filter(|(_, word)| !KNOWN.iter().any(|known| *word == Choice::Word((*known).into())))
        .filter(|(name, word)| !(name.starts_with(STAGGER) && matches!(word, Choice::Number(_))))
        .map(|(name, word)| match word {
            Choice::Word(word) => format!("{name}: {word}"),
            Choice::Number(number) => format!("{name}: {number}"),
        })
        .collect();
    if !unknown.is_empty() {
        left.push(("algo", format!("no pass knows ({})", unknown.join(", "))));
    }
    left
}
