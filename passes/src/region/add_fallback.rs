//! Puts a kernel for all sizes beside one whose plan is for some, and lets launches choose: the plan may assume what makes
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
//! Where the plan asks nothing of sizes but that the copy engine can move rows, a copy has the same plan, by which what
//! the engine cannot bring is padded first (`algo (load_X: padded)`) and threads store the rows of results that it cannot
//! take away (`store rows`). Where threads read memory as it is, copies have its threads: for rows that begin anywhere each
//! takes single elements side by side, for rows that are longer than what the plan keeps in registers they take steps of as
//! much, and a third copy is for rows that are both. Else a copy has no plan.
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
use dlc_ir::pass::{On, OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::{Builder, Context, OpId, Str};
use dlc_plan::Schedule;

use crate::analysis::axes::is_kernel;
use crate::analysis::conditions::{conditions, for_other_sizes};

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
    ..PassDef::base("add-fallback", "Puts a kernel for all sizes beside one whose plan is for some.", create)
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
        for op in body.ops(block).collect::<Vec<_>>() {
            let Some(kernel) = body.nested(op).filter(|kernel| is_kernel(ctx, kernel)) else { continue };
            let Some(name) = OpRef::new(ctx, body, op).symbol_name().map(String::from) else { continue };
            let Some((at, plan)) = Schedule::all_of(ctx, body, &name).into_iter().next() else { continue };
            let asked = conditions(ctx, kernel, &plan);
            if asked.is_empty() || kernel.entry_block().is_none() || !cx.allows_rule("fallback") {
                continue;
            }
            let mut plans = for_other_sizes(ctx, kernel, &plan, self.each).into_iter();
            let mut copies = Vec::new();
            let (mut last, mut open) = (op, asked.clone());
            let mut launches = 0;
            loop {
                let (count, copy) = add_fallback(ctx, body, last, &open, &name);
                launches = launches.max(count);
                let Some((copy, other)) = copy else { break };
                let Some(plan) = plans.next() else {
                    copies.push(vec![copy]);
                    break;
                };
                let plan = Schedule { of: Some(other), ..plan };
                open = body.nested(copy).map(|kernel| conditions(ctx, kernel, &plan)).unwrap_or_default();
                let loc = body.loc(copy);
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
                let name = OpRef::new(ctx, body, copy[0]).symbol_name().map(String::from);
                let is_launched = name.is_some_and(|name| is_launched(ctx, body, &name));
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

/// Puts a copy of a kernel beside it, named after `base`, that launches choose where these conditions do not hold, and no
/// later choice of theirs is for that. How many launches choose, and the copy with its name; where no launch needs it there
/// is none.
fn add_fallback(
    ctx: &Context,
    module: &mut Body,
    kernel: OpId,
    asked: &[Condition],
    base: &str,
) -> (u64, Option<(OpId, String)>) {
    let Some(name) = OpRef::new(ctx, module, kernel).symbol_name().map(String::from) else { return (0, None) };
    let symbols = module.nested(kernel).map(|body| symbols(ctx, body)).unwrap_or_default();
    let other = free_name(ctx, module, &format!("{base}_any"));
    let mut launches = 0;
    for function in module.nested_ops() {
        let Some(body) = module.nested_mut(function) else { continue };
        for op in body.walk() {
            let Some(launch) = Launch::of(OpRef::new(ctx, body, op)) else { continue };
            let choices = launch.choices();
            let mut next = Vec::new();
            for (number, choice) in choices.iter().cloned().enumerate() {
                match is_of(ctx, &choice, &name) {
                    true if number + 1 == choices.len() => next.extend(both(ctx, choice, &other, &symbols, asked)),
                    true => next.extend(within(choice, &symbols, asked)),
                    false => next.push(choice),
                }
            }
            if next != choices {
                launches += 1;
                body.set_prop(ctx, op, ctx.intern_str("choices"), Some(Choices::make(ctx, next)));
            }
        }
    }
    let copy = is_launched(ctx, module, &other).then(|| copy_kernel(ctx, module, kernel, &other));
    (launches, copy.map(|copy| (copy, other)))
}

/// Whether something in a module launches a kernel of a name.
pub fn is_launched(ctx: &Context, module: &Body, name: &str) -> bool {
    module.nested_ops().into_iter().any(|op| module.nested(op).is_some_and(|body| launches_kernel(ctx, body, name)))
}

/// Whether something in a function launches a kernel of a name.
fn launches_kernel(ctx: &Context, body: &Body, name: &str) -> bool {
    let launches = |op: OpId| Launch::of(OpRef::new(ctx, body, op));
    let mut launches = body.walk().into_iter().filter_map(launches);
    launches.any(|launch| launch.choices().iter().any(|choice| is_of(ctx, choice, name)))
}

/// The symbols of a kernel in the order in which it declares them.
pub fn symbols(ctx: &Context, kernel: &Body) -> Vec<String> {
    let declared = OpRef::new(ctx, kernel, kernel.root()).prop(Str::SYMBOLS);
    let names = declared.and_then(|attr| TextArray::get(ctx, attr)).unwrap_or_default();
    names.into_iter().map(|name| name.to_string()).collect()
}

/// Puts a copy of a kernel behind it, under another name, for launches of the module alone.
pub fn copy_kernel(ctx: &Context, module: &mut Body, kernel: OpId, name: &str) -> OpId {
    let copy = module.clone_op(kernel, &mut CloneMap::new());
    module.insert(copy, InsertPoint::After(kernel));
    if let Some(body) = module.nested_mut(copy) {
        let root = body.root();
        body.set_prop(ctx, root, Str::SYM_NAME, Some(Text::make(ctx, name)));
        body.set_prop(ctx, root, Str::SYM_VISIBILITY, Some(Text::make(ctx, "private")));
    }
    copy
}

/// A name that no symbol has: this one, or with a number behind it.
pub fn free_name(ctx: &Context, module: &Body, name: &str) -> String {
    let ops: Vec<OpId> = module.entry_block().into_iter().flat_map(|block| module.ops(block)).collect();
    let is_taken = |name: &str| ops.iter().any(|&op| OpRef::new(ctx, module, op).symbol_name() == Some(name));
    let numbered = (0..).map(|number| format!("{name}_{number}"));
    std::iter::once(name.to_string()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}

/// Whether a choice is that of a kernel.
pub fn is_of(ctx: &Context, choice: &Choice, name: &str) -> bool {
    matches!(choice.callee.as_symbol(ctx), Some(&[own]) if ctx.str(own) == name)
}

/// What is left to ask of conditions on a kernel's symbols where a launch says what these are: `Some(None)` where one is
/// known not to hold, `None` where their integers go beyond 64 bits.
pub fn where_known(choice: &Choice, symbols: &[String], asked: &[Condition]) -> Option<Option<Vec<Condition>>> {
    let size = |symbol: &str| {
        let number = symbols.iter().position(|known| known == symbol)?;
        choice.sizes.get(number).cloned()
    };
    let put = |expr: &SizeExpr| expr.substitute(&size).ok();
    let asked = asked.iter().map(|condition| condition.map(&put)).collect::<Option<Vec<_>>>()?;
    let known = |condition: &Condition| condition.holds(&|_| None).ok();
    if asked.iter().any(|condition| known(condition) == Some(false)) {
        return Some(None);
    }
    Some(Some(asked.into_iter().filter(|condition| known(condition).is_none()).collect()))
}

/// A choice, if conditions hold as well.
pub fn narrowed(choice: Choice, open: &[Condition]) -> Choice {
    if open.is_empty() {
        return choice;
    }
    let pieces = choice.condition.clone().map_or_else(|| vec![Vec::new()], |guard| guard.pieces);
    // What is asked already is not asked again.
    let more = |mut piece: Vec<Condition>| {
        let new: Vec<Condition> = open.iter().filter(|condition| !piece.contains(condition)).cloned().collect();
        piece.extend(new);
        piece
    };
    let condition = Some(Guard { pieces: pieces.into_iter().map(more).collect() });
    Choice { condition, ..choice }
}

/// A kernel where it can run; nothing where the sizes say that it cannot.
fn within(choice: Choice, symbols: &[String], asked: &[Condition]) -> Option<Choice> {
    let open = where_known(&choice, symbols, asked)??;
    Some(narrowed(choice, &open))
}

/// A kernel where it can run, then the other one; one of them alone where the sizes decide.
fn both(ctx: &Context, choice: Choice, other: &str, symbols: &[String], asked: &[Condition]) -> Vec<Choice> {
    let otherwise = Choice { callee: ctx.symbol_attr(other), ..choice.clone() };
    match where_known(&choice, symbols, asked).flatten() {
        None => vec![otherwise],
        Some(open) if open.is_empty() => vec![choice],
        Some(open) => vec![narrowed(choice, &open), otherwise],
    }
}
