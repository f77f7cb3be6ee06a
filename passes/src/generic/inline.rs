//! Puts the body of a function in place of calls to it, so that what follows can see both sides of the call.
//!
//! **Requires**: any layer.
//! **Ensures**: of the calls of functions in the same table, only those remain that are recursive, that call a large
//! function or a declaration, or whose callee cannot stand at the place of the call.
//!
//! **Before**
//! ```mlir before
//! sample.func private @double(%x: i64) -> i64 {
//!   %sum = addi %x, %x : i64
//!   return %sum
//! }
//! sample.func @f(%y: i64) -> i64 {
//!   %twice = call @double(%y) : i64
//!   return %twice
//! }
//! ```
//! **After**
//! ```mlir after
//! sample.func private @double(%x: i64) -> i64 {
//!   %sum = addi %x, %x : i64
//!   return %sum
//! }
//! sample.func @f(%y: i64) -> i64 {
//!   %sum = addi %y, %y : i64
//!   return %sum
//! }
//! ```
//!
//! **Does not** erase functions that are no longer called (`symbol-dce`); inline a callee of several blocks where only
//! one may stand, or one that returns from several places (no op that joins them is known to all dialects).
//!
//! Functions are finished callees first, in the order of a depth-first walk of the call graph, and a call is inlined when
//! its callee is finished before its caller: so each function is copied in its final form, and a cycle of calls is cut
//! where the walk closes it. What is inlined has the location `callsite(callee at caller)`. Rule of the debug counters:
//! `call`.

use dlc_ir::body::{Body, CloneMap, InsertPoint, OpRef};
use dlc_ir::diag::RemarkKind;
use dlc_ir::location::LocData;
use dlc_ir::op::Traits;
use dlc_ir::pass::{On, OptionDef, OptionKind, OptionValues, Pass, PassCx, PassDef, PassResult, StatDef};
use dlc_ir::smallvec::SmallVec;
use dlc_ir::{BlockId, Context, Loc, OpId, Str, ValueId};
use rustc_hash::FxHashMap;

static DEF: PassDef = PassDef {
    on: On::Module,
    options: &[OptionDef {
        name: "max-ops",
        kind: OptionKind::Int,
        default: "10000",
        doc: "Functions with more ops than this are called as they were.",
    }],
    statistics: &[StatDef { name: "inlined", doc: "Calls replaced with the body of the callee." }],
    ..PassDef::base("inline", "Replaces calls by the bodies of their functions.", create)
};
dlc_ir::inventory::submit! { &DEF }

fn create(options: &OptionValues) -> Result<Box<dyn Pass>, String> {
    let max_ops = options.int("max-ops");
    let max_ops = usize::try_from(max_ops).map_err(|_| format!("'max-ops' must not be negative, but is {max_ops}"))?;
    Ok(Box::new(Inline { max_ops }))
}

struct Inline {
    max_ops: usize,
}

impl Pass for Inline {
    fn run(&self, body: &mut Body, cx: &PassCx<'_>) -> PassResult {
        let inlined = inline(body, self.max_ops, cx);
        cx.count("inlined", inlined);
        Ok(())
    }
}

/// Inlines calls in a module and the modules in it. How many.
pub fn inline(module: &mut Body, max_ops: usize, cx: &PassCx<'_>) -> u64 {
    let mut inlined = 0;
    if OpRef::new(cx.ctx, module, module.root()).has(Traits::SYMBOL_TABLE) {
        let functions = functions(cx.ctx, module);
        let mut finished: FxHashMap<OpId, usize> = FxHashMap::default();
        for function in callees_first(cx.ctx, module, &functions) {
            // The caller is taken out while it grows, so that its callees can be read.
            let Some(place) = module.nested_mut(function) else { continue };
            let empty = Body::new(place.op_name(place.root()), Loc::UNKNOWN, 0);
            let mut caller = std::mem::replace(place, empty);
            for call in calls(cx.ctx, &caller) {
                let callee = callee(OpRef::new(cx.ctx, &caller, call)).and_then(|name| functions.get(&name));
                let Some((&callee, body)) = callee.and_then(|op| Some((op, module.nested(*op)?))) else { continue };
                let is_finished = finished.contains_key(&callee);
                let reason =
                    if is_finished { obstacle(cx.ctx, body, &caller, call, max_ops) } else { Some("it is recursive") };
                if reason.is_none() && !cx.allows_rule("call") {
                    continue;
                }
                remark(cx, &caller, call, reason);
                if reason.is_none() {
                    put_in_place(cx.ctx, body, &mut caller, call);
                    inlined += 1;
                }
            }
            finished.insert(function, finished.len());
            if let Some(place) = module.nested_mut(function) {
                *place = caller;
            }
        }
    }
    for op in module.nested_ops() {
        inlined += module.nested_mut(op).map_or(0, |nested| inline(nested, max_ops, cx));
    }
    inlined
}

fn remark(cx: &PassCx<'_>, caller: &Body, call: OpId, obstacle: Option<&str>) {
    if !cx.wants_remarks() {
        return;
    }
    let view = OpRef::new(cx.ctx, caller, call);
    let name = view.prop(Str::CALLEE).map(|attr| attr.display(cx.ctx)).unwrap_or_default();
    match obstacle {
        None => cx.remark(RemarkKind::Passed, view.loc(), format!("inlined {name}")),
        Some(why) => cx.remark(RemarkKind::Missed, view.loc(), format!("did not inline {name}: {why}")),
    }
}

/// The functions with a body directly in a table, by name.
fn functions(ctx: &Context, table: &Body) -> FxHashMap<Str, OpId> {
    let mut functions = FxHashMap::default();
    for op in table.entry_block().into_iter().flat_map(|block| table.ops(block)) {
        let view = OpRef::new(ctx, table, op);
        let has_body = table.nested(op).is_some_and(|nested| nested.entry_block().is_some());
        if let Some(name) = view.symbol_name().filter(|_| has_body && view.has(Traits::CALLABLE)) {
            functions.entry(ctx.intern_str(name)).or_insert(op);
        }
    }
    functions
}

/// The calls in a body, in order.
fn calls(ctx: &Context, body: &Body) -> Vec<OpId> {
    body.walk().into_iter().filter(|&op| OpRef::new(ctx, body, op).has(Traits::CALL)).collect()
}

/// The name that a call calls in the nearest table.
fn callee(call: OpRef<'_>) -> Option<Str> {
    match call.prop(Str::CALLEE)?.as_symbol(call.ctx)? {
        [name] => Some(*name),
        _ => None,
    }
}

/// The ops of a table that are bodies, each after those that it calls, unless that goes in a circle.
fn callees_first(ctx: &Context, table: &Body, functions: &FxHashMap<Str, OpId>) -> Vec<OpId> {
    let called = |op: OpId| -> Vec<OpId> {
        let Some(body) = table.nested(op) else { return Vec::new() };
        let names = calls(ctx, body).into_iter().filter_map(|call| callee(OpRef::new(ctx, body, call)));
        names.filter_map(|name| functions.get(&name).copied()).collect()
    };
    let mut order = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for start in table.nested_ops() {
        if !seen.insert(start) {
            continue;
        }
        let mut stack = vec![(start, called(start).into_iter())];
        while let Some((op, rest)) = stack.last_mut() {
            match rest.next() {
                Some(next) if seen.insert(next) => stack.push((next, called(next).into_iter())),
                Some(_) => {}
                None => {
                    order.push(*op);
                    stack.pop();
                }
            }
        }
    }
    order
}

/// Why a callee cannot stand in place of a call; `None` when it can.
fn obstacle(ctx: &Context, callee: &Body, caller: &Body, call: OpId, max_ops: usize) -> Option<&'static str> {
    if callee.num_ops() > max_ops {
        return Some("it is too large");
    }
    let region = callee.root_region();
    let ops = callee.walk();
    let returns = |&&op: &&OpId| OpRef::new(ctx, callee, op).has(Traits::RETURN_LIKE);
    let mut returns = ops.iter().filter(returns);
    let (Some(&end), None) = (returns.next(), returns.next()) else {
        return Some("it does not return from exactly one place");
    };
    let end_region = callee.block_of(end).and_then(|block| callee.region_of(block));
    if end_region != Some(region) {
        return Some("it returns from within an op");
    }
    if ops.iter().any(|&op| OpRef::new(ctx, callee, op).has(Traits::SYMBOL)) {
        return Some("it defines symbols");
    }
    let symbols = |body: &Body| -> Vec<_> {
        let symbols = OpRef::new(ctx, body, body.root()).attr(Str::SYMBOLS).and_then(|attr| attr.as_array(ctx));
        symbols.unwrap_or_default().to_vec()
    };
    let known = symbols(caller);
    if symbols(callee).iter().any(|symbol| !known.contains(symbol)) {
        return Some("it has symbols of sizes that the caller does not have");
    }
    let holder = caller.parent_op(call).map(|op| OpRef::new(ctx, caller, op));
    let one_block = holder.is_none_or(|op| op.has(Traits::SINGLE_BLOCK) || !ctx.is_registered(op.op_name()));
    if one_block && !callee.has_single_block(region) {
        return Some("it has several blocks, where only one can stand");
    }
    None
}

fn put_in_place(ctx: &Context, callee: &Body, caller: &mut Body, call: OpId) {
    let from = callee.root_region();
    let head = caller.block_of(call).expect("a call stands in a block");
    let into = caller.region_of(head).expect("the block of a call stands in a region");
    let (Some(entry), single) = (callee.first_block(from), callee.has_single_block(from)) else { return };
    // With several blocks what follows the call becomes a block of its own, to be put after the return.
    let rest = (!single).then(|| caller.split_block(call));
    let mut map = CloneMap::new();
    let before = rest.or_else(|| caller.next_block(head));
    caller.import_blocks(callee, from, into, before, &mut map);
    set_locations(ctx, caller, map.ops(), call);

    let new_entry = map.block(entry).expect("the entry was cloned");
    let is_return = |&&op: &&OpId| OpRef::new(ctx, caller, op).has(Traits::RETURN_LIKE);
    let end = *map.ops().iter().find(is_return).expect("checked to return from one place");
    let end_block = caller.block_of(end).filter(|&block| block != new_entry).unwrap_or(head);
    let results: SmallVec<[ValueId; 4]> = caller.operands(end).collect();
    caller.erase_op(end);
    let inputs: SmallVec<[ValueId; 4]> = caller.operands(call).collect();
    let args: SmallVec<[ValueId; 4]> = caller.args(new_entry).into();
    // A function may return its arguments.
    let outputs = results.iter().map(|value| args.iter().position(|arg| arg == value).map_or(*value, |i| inputs[i]));
    let outputs: SmallVec<[ValueId; 4]> = outputs.collect();
    for (&arg, &input) in args.iter().zip(&inputs) {
        caller.replace_all_uses(arg, input);
    }
    let place = if single { InsertPoint::Before(call) } else { InsertPoint::EndOf(head) };
    caller.splice(new_entry, place);
    caller.erase_block(new_entry);
    for (index, &output) in outputs.iter().enumerate() {
        let result = caller.result(call, index);
        caller.replace_all_uses(result, output);
    }
    caller.erase_op(call);
    if let Some(rest) = rest {
        join(caller, rest, end_block);
    }
}

/// Puts the ops of a block that nobody branches to after those of another.
fn join(body: &mut Body, rest: BlockId, end: BlockId) {
    body.splice(rest, InsertPoint::EndOf(end));
    body.erase_block(rest);
}

fn set_locations(ctx: &Context, caller: &mut Body, ops: &[OpId], call: OpId) {
    let at = caller.loc(call);
    if at == Loc::UNKNOWN {
        return;
    }
    for &op in ops {
        let loc = ctx.loc(LocData::CallSite { callee: caller.loc(op), caller: at });
        caller.set_loc(op, loc);
    }
}
