//! Unrolls loops that run a known, small number of times, so that positions become numbers and nothing is counted.
//!
//! **Requires**: kernel.
//! **Ensures**: kernel. No loop with numbers as bounds is marked `unroll`, or has at most `max` ops over all its trips,
//! except those that say why not. In the copies the counter is a number, and conditions that it decides are gone.
//!
//! **Before**
//! ```mlir before
//! kernel.func @sums(%x: memref<[8], f32>) -> memref<[4], f32> {
//!   %y = output : memref<[4], f32>
//!   grid (1) threads 32 {
//!     %zero = const 0.0 : frag<[4], f32, blocked [1] lanes [32] warps [1]>
//!     %sum = for %t = 0 to 8 step 4 carry (%acc = %zero) : frag<[4], f32, blocked [1] lanes [32] warps [1]> {
//!       %v = load %x[%t + i0] where (%t + i0 < 8) : frag<[4], f32, blocked [1] lanes [32] warps [1]>
//!       %next = binary add %acc, %v : frag<[4], f32, blocked [1] lanes [32] warps [1]>
//!       yield %next
//!     }
//!     store %sum to %y[i0]
//!   }
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @sums(%x: memref<[8], f32>) -> memref<[4], f32> {
//!   %y = output : memref<[4], f32>
//!   grid (1) threads 32 {
//!     %zero = const 0.0 : frag<[4], f32, blocked [1] lanes [32] warps [1]>
//!     %v = load %x[i0] where (i0 < 8) : frag<[4], f32, blocked [1] lanes [32] warps [1]>
//!     %next = binary add %zero, %v : frag<[4], f32, blocked [1] lanes [32] warps [1]>
//!     %v_0 = load %x[i0 + 4] where (i0 + 4 < 8) : frag<[4], f32, blocked [1] lanes [32] warps [1]>
//!     %next_0 = binary add %next, %v_0 : frag<[4], f32, blocked [1] lanes [32] warps [1]>
//!     store %next_0 to %y[i0]
//!   }
//!   return %y
//! }
//! ```
//!
//! **Does not** write out a loop whose bounds are known only when the kernel is launched, one with shared memory or
//! barriers of its own (each copy would take room), or more than 65536 ops, marked or not. Conditions that need ranges of
//! positions are for `predicate-tails`.
//!
//! With `planned`, loops of a plan with ping-pong stay that multiply by `wgmma`: their named barriers order them.
//!
//! Loops are taken from the inside out; one whose bounds depend on the counter of another is looked at again in its
//! copies. Each copy takes what the one before it yields. Rule of the debug counters: `loop`.

use dlc_ir::body::{Body, CloneMap, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Builder, Diagnostics, OpId, RegionId, Type, ValueId};
use dlc_kernel::ops::{For, If, Index, MBarriers, Select, Shared, Wgmma, Yield};
use dlc_plan::clause::Sharing;
use rustc_hash::FxHashSet;

use crate::analysis::expressions::{OpExprs, decide, number};
use crate::analysis::plans::{PLANNED, plan_of};
use crate::rewrites::branch::{replace, take_branch};

static DEF: PassDef = PassDef {
    requires: &["kernel"],
    consults: &["plan"],
    reads_symbols: true,
    options: &[
        OptionDef {
            name: "max",
            kind: OptionKind::Int,
            default: "64",
            doc: "A loop that is not marked is unrolled if it runs at most this many ops in all.",
        },
        OptionDef {
            name: "steps",
            kind: OptionKind::Int,
            default: "65536",
            doc: "A loop that is not marked is unrolled if it has at most this many steps.",
        },
        PLANNED,
    ],
    statistics: &[
        StatDef { name: "unrolled", doc: "Loops that were unrolled." },
        StatDef { name: "copies", doc: "Copies of their regions." },
    ],
    ..PassDef::base("unroll-loops", "Unrolls loops that run a known, small number of times.", create)
};
dlc_ir::inventory::submit! { &DEF }

/// The most ops that a loop is unrolled to.
const MOST: u64 = 1 << 16;

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let number = |name: &str| {
        let value = options.int(name);
        u64::try_from(value).map_err(|_| format!("'{name}' must not be negative, but is {value}"))
    };
    let limits = Limits {
        ops: number("max")?.min(MOST),
        steps: number("steps")?.min(MOST),
        tells: !options.flag("planned"),
        keeps_turns: false,
    };
    Ok(Box::new(UnrollLoops { limits, planned: options.flag("planned") }))
}

struct UnrollLoops {
    limits: Limits,
    planned: bool,
}

/// How large a loop may be that is not marked.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most ops, over all steps.
    pub ops: u64,
    /// The most steps.
    pub steps: u64,
    /// Whether remarks say which loops stay.
    pub tells: bool,
    /// Whether loops with products of groups of warps stay, which named barriers order.
    pub keeps_turns: bool,
}

impl Pass for UnrollLoops {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let plan = plan_of(cx, body);
        if !self.planned || plan.is_some() {
            let roles = plan.as_ref().and_then(|plan| plan.roles.as_ref());
            let keeps_turns = self.planned && roles.is_some_and(|roles| roles.kind == Sharing::PingPong);
            unroll_loops(body, Limits { keeps_turns, ..self.limits }, cx);
        }
        Ok(())
    }
}

/// Writes out the loops of a kernel within limits, and those that are marked.
pub fn unroll_loops(body: &mut Body, limits: Limits, cx: &PassCx<'_>) {
    let takes_turns = |body: &Body, op: OpId| {
        let blocks = body.regions(op).iter().filter_map(|&region| body.first_block(region));
        let mut ops = blocks.flat_map(|block| body.ops(block));
        limits.keeps_turns && ops.any(|op| OpRef::new(cx.ctx, body, op).is(Wgmma::DEF))
    };
    let is_loop = |body: &Body, op: OpId| For::of(OpRef::new(cx.ctx, body, op)).is_some() && !takes_turns(body, op);
    // An op comes before those in its regions: backwards is from the inside out.
    let mut open: Vec<OpId> = body.walk().into_iter().filter(|&op| is_loop(body, op)).collect();
    while let Some(op) = open.pop() {
        match plan(For::from(OpRef::new(cx.ctx, body, op)), limits) {
            Ok(counts) if cx.allows_rule("loop") => {
                let steps = if counts.len() == 1 { "step" } else { "steps" };
                let message = format!("unrolled a loop of {} {steps}", counts.len());
                cx.remark(RemarkKind::Passed, body.loc(op), message);
                cx.count("unrolled", 1);
                cx.count("copies", counts.len() as u64);
                let copies = write_out(body, op, &counts, cx);
                // Those of loops in it may have other bounds than these.
                open.extend(copies.into_iter().filter(|&op| is_loop(body, op)));
            }
            Ok(_) => {}
            Err(reason) if limits.tells => {
                cx.remark(RemarkKind::Missed, body.loc(op), format!("the loop stays: {reason}"));
            }
            Err(_) => {}
        }
    }
}

/// What the counter is in each trip, or why the loop stays.
fn plan(op: For<'_>, limits: Limits) -> Result<Vec<i64>, String> {
    let bounds = op.bounds();
    let numbers: Vec<i64> = bounds.iter().filter_map(|bound| bound.as_constant()).collect();
    let &[first, last, step] = numbers.as_slice() else {
        return Err("its bounds are known only when the kernel is launched".into());
    };
    if step <= 0 {
        return Err(format!("its step is {step}"));
    }
    let mut inside = Vec::new();
    op.body.walk_regions(op.id, &mut inside);
    let is = |id: OpId, def| OpRef::new(op.ctx, op.body, id).is(def);
    if inside.iter().any(|&id| is(id, Shared::DEF) || is(id, MBarriers::DEF)) {
        return Err("it has shared memory of its own, which each copy would have again".into());
    }
    let ops = inside.iter().filter(|&&id| !is(id, Yield::DEF)).count() as u128;
    let span = (i128::from(last) - i128::from(first)).max(0) as u128;
    let trips = span.div_ceil(step as u128);
    let (total, marked) = (ops * trips, op.unroll().is_some());
    let limits = if marked { Limits { ops: MOST, steps: MOST, ..limits } } else { limits };
    if trips > u128::from(limits.steps) {
        return Err(format!("its steps, {trips}, are more than {}", limits.steps));
    }
    if total > u128::from(limits.ops) {
        return Err(format!("its steps, {trips}, times its ops, {ops}, are more than {}", limits.ops));
    }
    // Below the last one, so none of them overflows.
    Ok((0..trips as i64).map(|trip| first + trip * step).collect())
}

/// Puts a copy for each number of the counter in place of a loop. Gives the ops of the copies, those around others first.
fn write_out(body: &mut Body, op: OpId, counts: &[i64], cx: &PassCx<'_>) -> Vec<OpId> {
    let mut written = Vec::new();
    let view = For::from(OpRef::new(cx.ctx, body, op));
    let mut carried: Vec<ValueId> = view.inits().collect();
    let region: RegionId = For::body(view);
    let Some(block) = body.first_block(region) else { return written };
    let args: Vec<ValueId> = body.args(block).to_vec();
    let ops: Vec<OpId> = body.ops(block).collect();
    for &count in counts {
        let mut map = CloneMap::new();
        let loc = body.loc(op);
        let counter = Index::build(
            &mut Builder::new(cx.ctx, body, InsertPoint::Before(op)),
            loc,
            &[],
            vec![count.into()],
            Type::INDEX,
        );
        let counter_value = body.result(counter, 0);
        if let Some(&arg) = args.first() {
            body.set_value_name(counter_value, body.value_name(arg));
            map.map_value(arg, counter_value);
        }
        for (&arg, &value) in args.iter().skip(1).zip(&carried) {
            map.map_value(arg, value);
        }
        let mut next = carried.clone();
        for &inner in &ops {
            if let Some(end) = Yield::of(OpRef::new(cx.ctx, body, inner)) {
                next = end.values().map(|value| map.value(value).unwrap_or(value)).collect();
                continue;
            }
            let copy = body.clone_op(inner, &mut map);
            body.insert(copy, InsertPoint::Before(op));
        }
        let copies = map.ops().to_vec();
        let erased = specialize(body, &copies, &mut next, cx);
        let left = copies.into_iter().filter(|copy| !erased.contains(copy));
        let (mut numbers, others): (Vec<OpId>, Vec<OpId>) = left.partition(|&copy| is_number(body, copy, cx));
        numbers.push(counter);
        written.extend(others);
        for number in numbers {
            // What is yielded is not used yet.
            if body.is_unused(number) && !next.contains(&body.result(number, 0)) {
                body.erase_op(number);
            }
        }
        carried = next;
    }
    let results: Vec<ValueId> = body.results(op).collect();
    for (result, value) in results.into_iter().zip(carried) {
        body.replace_all_uses(result, value);
    }
    body.erase_op(op);
    written
}

fn is_number(body: &Body, op: OpId, cx: &PassCx<'_>) -> bool {
    OpRef::new(cx.ctx, body, op).is(Index::DEF) && number(cx.ctx, body, body.result(op, 0)).is_some()
}

/// Puts numbers in place of values that are known, and takes what they decide away. `next` is what the copy yields,
/// which no op uses yet. Gives the ops that are gone.
fn specialize(body: &mut Body, ops: &[OpId], next: &mut [ValueId], cx: &PassCx<'_>) -> FxHashSet<OpId> {
    let mut erased = FxHashSet::default();
    for &op in ops {
        // A branch that is not taken goes with all that is in it.
        if erased.contains(&op) {
            continue;
        }
        let view = OpRef::new(cx.ctx, body, op);
        let Some(places) = OpExprs::of(view) else { continue };
        let known = |value| number(cx.ctx, body, value);
        let Some(mut put) = places.with_numbers(&known) else { continue };
        let decided = put.guard.as_ref().map(|guard| decide(guard, &|expr| expr.as_constant().map(|value| value >= 0)));
        let nowhere =
            decided.as_ref().is_some_and(|decided| decided.guard.as_ref().is_some_and(|guard| guard.pieces.is_empty()));
        let everywhere = decided.as_ref().is_some_and(|decided| decided.guard.is_none());
        if (everywhere || nowhere) && view.is(If::DEF) {
            erased.extend(take_branch(body, op, usize::from(nowhere), next, cx.ctx));
            continue;
        }
        if let Some(select) = Select::of(view).filter(|_| everywhere || nowhere) {
            let value = if everywhere { select.yes() } else { select.no() };
            let result = body.result(op, 0);
            // A number that goes with every element is no fragment.
            if body.value_type(value) != body.value_type(result) {
                continue;
            }
            replace(body, result, value, next);
            body.erase_op(op);
            erased.insert(op);
            continue;
        }
        if let Some(decided) = decided {
            put.guard = decided.guard;
        }
        if put != places {
            let fill = cx.ctx.intern_str("fill");
            let filled = view.prop(fill);
            put.write(cx.ctx, body, op);
            if everywhere {
                for key in ["guard", "fill"] {
                    body.set_prop(cx.ctx, op, cx.ctx.intern_str(key), None);
                }
            }
            // A number that the op or one that uses it does not take, as a part beyond the end, stays the value that it was.
            let users = body.results(op).flat_map(|value| body.uses(value)).map(|used| used.op);
            if !users.chain([op]).all(|op| follows_its_rules(OpRef::new(cx.ctx, body, op))) {
                places.write(cx.ctx, body, op);
                if filled.is_some() {
                    body.set_prop(cx.ctx, op, fill, filled);
                }
            }
        }
    }
    erased
}

/// Whether the op's own rules hold.
fn follows_its_rules(op: OpRef<'_>) -> bool {
    let diags = Diagnostics::new();
    if let Some(verify) = op.def().verify {
        verify(op, &diags);
    }
    diags.errors() == 0
}
