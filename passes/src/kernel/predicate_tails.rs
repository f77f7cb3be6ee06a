//! Takes away conditions of accesses that are known to hold, and splits a loop with a last step that is not full into
//! its full steps, without conditions, and one guarded step.
//!
//! **Requires**: kernel.
//! **Ensures**: kernel. No load, copy, store or selection has a bound in its guard that follows from the sizes, from the
//! bounds of loops, grids, tiles and fragments, and from the divisors that are assumed.
//!
//! **Before**
//! ```mlir before
//! kernel.func @sums(%x: memref<[64, 70], f32>) -> memref<[64, 32], f32> {
//!   %y = output : memref<[64, 32], f32>
//!   grid (16) threads 128 {
//!     %t = block_id 0
//!     %zero = const 0.0 : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
//!     %sum = for %k = 0 to 70 step 32 carry (%acc = %zero) : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]> {
//!       %v = load %x[4*%t + i0, %k + i1] where (4*%t + i0 < 64, %k + i1 < 70) : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
//!       %next = binary add %acc, %v : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
//!       yield %next
//!     }
//!     store %sum to %y[4*%t + i0, i1] where (4*%t + i0 < 64)
//!   }
//!   return %y
//! }
//! ```
//! **After**
//! ```mlir after
//! kernel.func @sums(%x: memref<[64, 70], f32>) -> memref<[64, 32], f32> {
//!   %y = output : memref<[64, 32], f32>
//!   grid (16) threads 128 {
//!     %t = block_id 0
//!     %zero = const 0.0 : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
//!     %sum = for %k = 0 to 64 step 32 carry (%acc = %zero) : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]> {
//!       %v = load %x[4*%t + i0, %k + i1] : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
//!       %next = binary add %acc, %v : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
//!       yield %next
//!     }
//!     %sum_0 = for %k = 64 to 70 step 32 carry (%acc = %sum) : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]> {
//!       %v = load %x[4*%t + i0, %k + i1] where (%k + i1 < 70) : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
//!       %next = binary add %acc, %v : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
//!       yield %next
//!     }
//!     store %sum_0 to %y[4*%t + i0, i1]
//!   }
//!   return %y
//! }
//! ```
//!
//! **Does not** decide conditions of `if` (`fold-conditions`), or on numbers that are loaded; split a loop in which no bound would go, one that
//! has no full step, or one with shared memory of its own; write out the last step (`unroll-loops`).
//!
//! Every position is written in variables with a least and a greatest value, which may be symbolic: the counter of a loop
//! is `first + step*q` with `0 <= q < trips`. To prove `e >= 0`, each variable that `e` is linear in is put at the end
//! where `e` is least, the latest first, as bounds of inner loops may depend on outer counters; what remains is left to
//! the ranges of sizes, which are not negative. What is assumed of a divisor holds for every symbol of that name: the
//! caller must launch the kernel with such sizes only. What the kernel requires, `require (K mod 8 == 0)`, is known. Rules of the debug counters: `bound`, `peel`.

use dlc_ir::body::{Body, CloneMap, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::pass::{OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{OpId, ValueId};
use dlc_kernel::ops::{Copy, CopyAsync, For, Load, MBarriers, Select, Shared, Store};

use crate::analysis::expressions::{OpExprs, required_divisors};
use crate::analysis::facts::{Facts, FullSteps, decided};
use crate::analysis::plans::{PLANNED, plan_of};

static DEF: PassDef = PassDef {
    requires: &["kernel"],
    options: &[
        OptionDef {
            name: "assume",
            kind: OptionKind::Text,
            default: "",
            doc: "Numbers that symbols are multiples of, such as 'K=64,N=8', besides those that the kernel requires.",
        },
        OptionDef { name: "peel", kind: OptionKind::Bool, default: "true", doc: "Whether loops are split." },
        PLANNED,
    ],
    consults: &["plan"],
    reads_symbols: true,
    statistics: &[
        StatDef { name: "bounds", doc: "Bounds taken out of guards." },
        StatDef { name: "unguarded", doc: "Guards that are gone." },
        StatDef { name: "peeled", doc: "Loops split into full steps and the last." },
    ],
    ..PassDef::base("predicate-tails", "Removes conditions that hold, and peels loops so that they do.", create)
};
dlc_ir::inventory::submit! { &DEF }

/// The most ops of a loop that is split: they are there twice then.
const MOST_OPS: usize = 512;

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let mut divisors = Vec::new();
    for fact in options.text("assume").split(',').map(str::trim).filter(|fact| !fact.is_empty()) {
        let parts = fact.split_once('=').map(|(name, number)| (name.trim(), number.trim().parse::<i64>()));
        match parts {
            Some((name, Ok(number))) if number > 0 && dlc_ir::affine::SizeExpr::symbol(name).is_ok() => {
                divisors.push((name.to_string(), number));
            }
            _ => return Err(format!("'assume' says what sizes are multiples of, as in 'K=64,N=8', not '{fact}'")),
        }
    }
    Ok(Box::new(PredicateTails { divisors, peel: options.flag("peel"), planned: options.flag("planned") }))
}

struct PredicateTails {
    divisors: Vec<(String, i64)>,
    peel: bool,
    planned: bool,
}

impl Pass for PredicateTails {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        if self.planned && plan_of(cx, body).is_none_or(|plan| plan.predicate_tail.is_none()) {
            return Ok(());
        }
        // What is given by hand comes first.
        let divisors: Vec<_> = self.divisors.iter().cloned().chain(required_divisors(cx.ctx, body)).collect();
        if self.peel {
            peel_loops(body, &divisors, cx);
        }
        let (bounds, unguarded) = remove_bounds(body, &divisors, cx);
        cx.count("bounds", bounds);
        cx.count("unguarded", unguarded);
        Ok(())
    }
}

/// Whether the guard of an op is one of an access or a selection.
fn is_guarded(op: OpRef<'_>) -> bool {
    let kinds = [Load::DEF, Store::DEF, Copy::DEF, CopyAsync::DEF, Select::DEF];
    kinds.into_iter().any(|def| op.is(def)) && op.prop_named("guard").is_some()
}

/// Takes the bounds away that are known to hold. How many, and how many guards.
pub fn remove_bounds(body: &mut Body, divisors: &[(String, i64)], cx: &PassCx<'_>) -> (u64, u64) {
    let (mut bounds, mut unguarded) = (0, 0);
    let mut found = Vec::new();
    let mut facts = Facts::new(cx.ctx, body, divisors);
    for id in body.walk() {
        let op = OpRef::new(cx.ctx, body, id);
        if !is_guarded(op) {
            continue;
        }
        match decided(&mut facts, op) {
            Some((places, decided)) if decided.bounds > 0 => found.push((id, places, decided)),
            _ => cx.remark(RemarkKind::Missed, op.loc(), "none of its bounds is known to hold"),
        }
    }
    for (id, mut places, decided) in found {
        let everywhere = decided.guard.is_none();
        let select = Select::of(OpRef::new(cx.ctx, body, id));
        // A number that goes with every element is no fragment.
        let chosen = select.filter(|_| everywhere).map(|select| select.yes());
        let result = chosen.map(|value| (body.result(id, 0), value));
        if result.is_some_and(|(result, value)| body.value_type(result) != body.value_type(value))
            || !cx.allows_rule("bound")
        {
            continue;
        }
        let what = if everywhere { "its guard holds everywhere" } else { "some of its bounds hold everywhere" };
        cx.remark(RemarkKind::Passed, body.loc(id), what);
        bounds += decided.bounds;
        unguarded += u64::from(everywhere);
        if let Some((result, value)) = result {
            body.replace_all_uses(result, value);
            body.erase_op(id);
            continue;
        }
        places.guard = decided.guard;
        places.write(cx.ctx, body, id);
        if everywhere {
            body.set_prop(cx.ctx, id, cx.ctx.intern_str("fill"), None);
        }
    }
    (bounds, unguarded)
}

/// Splits the loops in which full steps need fewer bounds, from the inside out.
fn peel_loops(body: &mut Body, divisors: &[(String, i64)], cx: &PassCx<'_>) {
    let is_loop = |&op: &OpId| OpRef::new(cx.ctx, body, op).is(For::DEF);
    let loops: Vec<OpId> = body.walk().into_iter().filter(is_loop).collect();
    for op in loops.into_iter().rev() {
        let Some(split) = full_steps(body, op, divisors, cx) else { continue };
        if cx.allows_rule("peel") {
            cx.remark(RemarkKind::Passed, body.loc(op), "split into full steps and the last");
            cx.count("peeled", 1);
            peel(body, op, split, cx);
        }
    }
}

/// Where the full steps of a loop end, in its values, if some bound in it goes there.
fn full_steps(body: &Body, id: OpId, divisors: &[(String, i64)], cx: &PassCx<'_>) -> Option<dlc_ir::affine::SizeExpr> {
    let op = For::from(OpRef::new(cx.ctx, body, id));
    let bounds = op.bounds();
    let [first, last, step] = bounds.as_slice() else { return None };
    let step_size = step.as_constant().filter(|&step| step > 1)?;
    let mut inside = Vec::new();
    body.walk_regions(id, &mut inside);
    let is = |id: OpId, def| OpRef::new(cx.ctx, body, id).is(def);
    if inside.len() > MOST_OPS || inside.iter().any(|&id| is(id, Shared::DEF) || is(id, MBarriers::DEF)) {
        return None;
    }
    let span = last.sub(first).ok()?;
    if span.as_constant().is_some_and(|span| span < step_size) {
        return None;
    }
    let mut facts = Facts::new(cx.ctx, body, divisors);
    let places = OpExprs::of(*op)?;
    // Where the last may be below the first, there is no step at all.
    let in_facts = facts.names(*op, &places).put(&span)?;
    if facts.is_not_negative(&in_facts) != Some(true) {
        return None;
    }
    let count = |facts: &mut Facts<'_>| -> u64 {
        let ops = inside.iter().map(|&id| OpRef::new(cx.ctx, body, id)).filter(|op| is_guarded(*op));
        ops.filter_map(|op| Some(decided(facts, op)?.1.bounds)).sum()
    };
    let known = count(&mut facts);
    let mut full = Facts::new(cx.ctx, body, divisors);
    full.only_full_steps = Some(FullSteps { of: id });
    if count(&mut full) <= known {
        cx.remark(RemarkKind::Missed, op.loc(), "no bound in it would go if it were split");
        return None;
    }
    first.add(&span.floordiv(step).ok()?.mul(step).ok()?).ok()
}

/// Splits a loop: the copy after it does the steps from `split` on.
fn peel(body: &mut Body, op: OpId, split: dlc_ir::affine::SizeExpr, cx: &PassCx<'_>) {
    let tail = body.clone_op(op, &mut CloneMap::new());
    body.insert(tail, InsertPoint::After(op));
    let results: Vec<(ValueId, ValueId)> = body.results(op).zip(body.results(tail)).collect();
    for &(main, last) in &results {
        body.replace_all_uses(main, last);
    }
    let inits = body.num_operands(tail) - results.len();
    for (index, &(main, _)) in results.iter().enumerate() {
        body.set_operand(tail, inits + index, main);
    }
    for (id, bound) in [(op, 1), (tail, 0)] {
        let Some(mut places) = OpExprs::of(OpRef::new(cx.ctx, body, id)) else { continue };
        if let Some(place) = places.lists.first_mut().and_then(|(_, bounds)| bounds.get_mut(bound)) {
            *place = split.clone();
        }
        places.write(cx.ctx, body, id);
    }
}
