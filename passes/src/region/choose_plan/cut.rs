//! Kernels with reductions that no plan of tiles fits, or whose threads compute a reduction again for other results, are cut into
//! two at a value, which is stored, if both together take less time. Such are sums of two products with other axes, two products whose result is transposed, and a matrix that
//! is divided by the sums of its rows and of its columns.
//!
//! What is tried: the values that a product takes as a factor and that are computed, and what follows a reduction until
//! another one is needed. A part without a plan is cut again when it is its turn; its price counts that.

use dlc_core::memref::{Layout, MemRef};
use dlc_core::sizes::Sizes;
use dlc_host::choice::Choice;
use dlc_host::ops::Launch;
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, InsertPoint, OpRef};
use dlc_ir::define::{Kind, Text, TextArray};
use dlc_ir::diag::RemarkKind;
use dlc_ir::{Builder, Context, OpId, Str, Type, ValueId};
use dlc_plan::{Schedule, Target};
use dlc_region::ops::{Func, NewRead, Read, Yield};
use dlc_region::verify::{DEFERRED, KernelAxes};

use super::cost::Cost;
use super::pack::{Case, Packer, Packing, multiplied};
use crate::analysis::axes::{axes, before_broadcasts, elem, is_elementwise, is_repeated, reductions};
use crate::rewrites::launches::{At, add_kernel, set_signature, symbols};
use crate::rewrites::unused::erase_unused;

/// How often a part is cut again, as far as its price goes.
const DEPTH: usize = 2;
/// The most values that are tried of a kernel.
const MOST_TRIED: usize = 12;
/// How the memory between the parts is aligned, in bytes.
const ALIGN: i64 = 128;
/// What the result of the first part is called, and the end of its name.
const RESULT: &str = "part";

/// A kernel in two parts: bodies, and the arguments of the whole that each has.
struct Cut {
    first: (Body, Vec<usize>),
    second: (Body, Vec<usize>),
    /// What is between them.
    stored: Type,
}

impl Packer<'_, '_> {
    /// Cuts a kernel that has no plan in two, if these take less time together: both kernels.
    pub fn cut(&self, module: &mut Body, kernel: OpId, packing: &mut Packing) -> Option<[OpId; 2]> {
        let ctx = self.cx.ctx;
        let body = module.nested(kernel)?;
        let root = OpRef::new(ctx, body, body.root());
        let name = root.symbol_name()?.to_string();
        let launches = packing.launches.always_of(ctx, module, &name);
        if launches.is_empty() || root.prop_named("arg_attrs").is_some() || !is_divisible(ctx, body) {
            return None;
        }
        let before = self.time(body, &[])?;
        // Of many reductions each way has as many ways again.
        let depth = if reductions(ctx, body).len() < MANY { DEPTH } else { 0 };
        let priced = cuts(ctx, body).into_iter().filter_map(|cut| Some((self.price_of(&cut, depth)?, cut)));
        let (after, cut) = priced.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|(after, _)| *after < before)?;
        // All that may fail is done before anything changes.
        let names = symbols(ctx, body);
        let stored = |at: &At| stored_by(ctx, module.nested(at.0)?, at.1, cut.stored, &names);
        let stored: Vec<Type> = launches.iter().map(stored).collect::<Option<_>>()?;
        if !self.cx.allows_rule("cut") {
            return None;
        }
        self.cx.count("cut", 1);
        if self.cx.wants_remarks() {
            let dims: Vec<String> = MemRef::expect(ctx, cut.stored).dims(ctx).iter().map(ToString::to_string).collect();
            let message = format!(
                "@{name} is slow as one kernel, which takes {before:.1} us, and is two, which take {after:.1}: [{}] is \
                 stored between them",
                dims.join(", ")
            );
            self.cx.remark(RemarkKind::Passed, module.loc(kernel), message);
        }
        let own = packing.launches.take_name(&format!("{name}_{RESULT}"));
        for ((function, op), stored) in launches.into_iter().zip(stored) {
            let Some(body) = module.nested_mut(function) else { continue };
            let launch = launch_both(ctx, body, op, (&cut, &own), stored);
            packing.launches.note(&own, (function, launch));
            // What is new in memory needs a place where everything has one.
            if OpRef::new(ctx, body, body.root()).prop_named("arena").is_some() {
                packing.arenas.insert(function);
            }
        }
        let Cut { first: (mut first, _), second: (second, _), .. } = cut;
        first.set_prop(ctx, first.root(), Str::SYM_NAME, Some(Text::make(ctx, &own)));
        first.set_prop(ctx, first.root(), Str::SYM_VISIBILITY, Some(Text::make(ctx, "private")));
        if let Some(body) = module.nested_mut(kernel) {
            body.replace_with(second);
        }
        Some([add_kernel(module, first, kernel), kernel])
    }

    /// Whether a kernel that may be cut has in some case no plan with a tile.
    fn is_without_plan(&self, body: &Body) -> bool {
        let is_without = |size: &Case<'_>| self.plans(body, size, &[]).is_none_or(|all| is_without_tile(&all));
        is_divisible(self.cx.ctx, body) && self.cases.iter().any(is_without)
    }

    /// What a kernel takes, or its parts if it has no plan.
    fn price(&self, body: &Body, depth: usize) -> Option<f64> {
        let before = self.time(body, &[])?;
        if depth == 0 || !self.is_without_plan(body) {
            return Some(before);
        }
        let cuts = cuts(self.cx.ctx, body);
        Some(cuts.iter().filter_map(|cut| self.price_of(cut, depth - 1)).fold(before, f64::min))
    }

    fn price_of(&self, cut: &Cut, depth: usize) -> Option<f64> {
        Some(self.price(&cut.first.0, depth)? + self.price(&cut.second.0, depth)?)
    }
}

/// Whether a kernel has a product and another reduction, or one that is computed again for several results.
fn is_divisible(ctx: &Context, body: &Body) -> bool {
    let all = reductions(ctx, body);
    let is_product = |&op: &OpId| multiplied(ctx, body, op).is_some();
    all.len() > 1 && all.iter().any(is_product) || all.iter().any(|&op| is_repeated(ctx, body, op))
}

/// Whether no plan with a tile is among these.
fn is_without_tile(ranked: &[(Schedule, Cost)]) -> bool {
    ranked.first().is_none_or(|(plan, _)| plan.tile.is_none())
}

/// How much longer than its memory a kernel takes that is slow.
const SLOW: f64 = 2.0;
/// The reductions of a kernel from which on what is slow is not tried, and the parts of others are not cut again to know their
/// price: each way is two more kernels with as many.
const MANY: usize = 8;

/// Whether a kernel with these plans is to be tried in two: it has none with a tile, or one of threads that takes much longer
/// than memory.
pub fn is_to_cut(ctx: &Context, body: &Body, ranked: &[(Schedule, Cost)], target: &Target) -> bool {
    let launch = target.launch_ns as f64 / 1e3;
    let is_slow =
        |plan: &Schedule, cost: &Cost| plan.instruction.is_none() && cost.time > SLOW * (cost.memory + launch);
    let is_any = ranked.first().is_some_and(|(plan, cost)| is_slow(plan, cost));
    is_without_tile(ranked) || is_any && reductions(ctx, body).len() < MANY
}

/// All that is tried of a kernel.
fn cuts(ctx: &Context, body: &Body) -> Vec<Cut> {
    let Some(block) = body.entry_block() else { return Vec::new() };
    let is_outside = |value: ValueId| body.defining_op(value).is_some_and(|op| body.block_of(op) == Some(block));
    let mut values: Vec<ValueId> = Vec::new();
    for op in reductions(ctx, body) {
        let factors = multiplied(ctx, body, op).into_iter().flat_map(|op| body.operands(op));
        values.extend(factors.map(|value| before_broadcasts(ctx, body, value)).filter(|&value| is_outside(value)));
        values.extend(body.results(op).next().map(|sum| followed(ctx, body, sum)).filter(|&value| is_outside(value)));
    }
    let mut tried = Vec::new();
    values.retain(|value| {
        let is_new = !tried.contains(value);
        tried.push(*value);
        let op = body.defining_op(*value).map(|op| OpRef::new(ctx, body, op));
        let is_read = op.is_some_and(|op| op.is(Read::DEF));
        let is_result = body.uses(*value).any(|place| OpRef::new(ctx, body, place.op).is(Yield::DEF));
        is_new && !is_read && !is_result && elem(ctx, body, *value) != Type::I1
    });
    values.truncate(MOST_TRIED);
    values.into_iter().filter_map(|value| cut_at(ctx, body, value)).collect()
}

/// What follows a value alone, and needs no other reduction.
fn followed(ctx: &Context, body: &Body, mut value: ValueId) -> ValueId {
    let is_plain = |mut other: ValueId| {
        while let Some(op) = body.defining_op(before_broadcasts(ctx, body, other)).map(|op| OpRef::new(ctx, body, op)) {
            if op.is(Read::DEF) || op.operands().len() == 0 {
                return op.regions().is_empty();
            }
            if !is_elementwise(op) || op.operands().len() > 1 {
                return false;
            }
            other = op.operand(0);
        }
        false
    };
    loop {
        let mut uses = body.uses(value);
        let (Some(place), None) = (uses.next(), uses.next()) else { return value };
        let op = OpRef::new(ctx, body, place.op);
        let same_block = body.defining_op(value).is_some_and(|made| body.block_of(made) == body.block_of(place.op));
        let others = (0..op.operands().len()).filter(|&at| at != place.index).map(|at| op.operand(at));
        let over = op.results().next().map(|out| axes(ctx, body, out));
        let same_axes = over.is_some_and(|over| over == axes(ctx, body, value));
        if !is_elementwise(op) || !same_block || !same_axes || !others.into_iter().all(is_plain) {
            return value;
        }
        value = op.result(0);
    }
}

/// A kernel in two parts, of which the first gives a value that the second reads.
fn cut_at(ctx: &Context, body: &Body, value: ValueId) -> Option<Cut> {
    let sizes = KernelAxes::of(ctx, body);
    let over = axes(ctx, body, value);
    let dims = over.iter().map(|axis| sizes.size(axis).cloned()).collect::<Option<Vec<SizeExpr>>>()?;
    let stored = MemRef::get(ctx, dims.clone(), elem(ctx, body, value), Layout::RowMajor, ALIGN, false);
    let text = |items: Vec<&str>| TextArray::make(ctx, items);
    // Plans know tensors by their names.
    let func = Func::of(OpRef::new(ctx, body, body.root()))?;
    let args = body.args(body.entry_block()?).iter().map(|&arg| ctx.str(body.value_name(arg)));
    let known: Vec<&str> = args.chain(func.outputs()).collect();
    let numbered = (0..).map(|number| format!("{RESULT}_{number}"));
    let mut names = std::iter::once(RESULT.to_string()).chain(numbered);
    let name = names.find(|name| !known.contains(&name.as_str()))?;

    let mut first = body.clone();
    let block = first.entry_block()?;
    let end = first.last_op(block)?;
    let loc = first.loc(end);
    first.erase_op(end);
    Yield::build(&mut Builder::at_end(ctx, &mut first, block), loc, &[value], Some(vec![&name]), None);
    let props = [
        ("iters", text(over.clone())),
        ("iter_sizes", Sizes::make(ctx, dims)),
        ("outputs", text(vec![&name])),
        ("materialize", text(vec!["gmem"])),
    ];
    for (key, attr) in props {
        first.set_prop(ctx, first.root(), ctx.intern_str(key), Some(attr));
    }
    // Nothing is kept on chip for what is in the other part.
    for op in first.walk() {
        first.set_attr(ctx, op, ctx.intern_str(DEFERRED), None);
    }
    let kept = keep_used(ctx, &mut first, Some(&[stored]))?;

    let mut second = body.clone();
    let block = second.entry_block()?;
    let loc = second.loc(second.defining_op(value)?);
    let arg = second.add_arg(block, stored, loc);
    second.set_value_name(arg, ctx.intern_str(&name));
    // What one reduction alone reads is in it.
    let mut uses = second.uses(value);
    let place = match (uses.next(), uses.next()) {
        (Some(place), None) => place.op,
        _ => second.defining_op(value)?,
    };
    drop(uses);
    let at = over.iter().map(|axis| SizeExpr::symbol(axis).ok()).collect::<Option<Vec<_>>>()?;
    let ty = second.value_type(value);
    let mut builder = Builder::new(ctx, &mut second, InsertPoint::Before(place));
    let read =
        NewRead { source: arg, indices: &[], at, guard: None, fill: None, out_type: ty }.build(&mut builder, loc);
    let read = second.result(read, 0);
    second.replace_all_uses(value, read);
    let mut of_second = keep_used(ctx, &mut second, None)?;
    // The last one is new.
    of_second.pop();
    Some(Cut { first: (first, kept), second: (second, of_second), stored })
}

/// Erases what nothing uses in a kernel, arguments too: the numbers of those that are left. Its results have these types, or
/// those that they had.
fn keep_used(ctx: &Context, body: &mut Body, results: Option<&[Type]>) -> Option<Vec<usize>> {
    let block = body.entry_block()?;
    let ops: Vec<OpId> = body.ops(block).collect();
    erase_unused(ctx, body, ops);
    let all: Vec<usize> = (0..body.args(block).len()).collect();
    let (kept, gone): (Vec<usize>, Vec<usize>) = all.into_iter().partition(|&at| body.has_uses(body.args(block)[at]));
    for &at in gone.iter().rev() {
        body.erase_arg(block, at);
    }
    set_signature(ctx, body, results);
    Some(kept)
}

/// The memory between the parts of a kernel where it is launched. `None` where a size goes beyond 64 bits.
fn stored_by(ctx: &Context, body: &Body, op: OpId, stored: Type, names: &[String]) -> Option<Type> {
    let given = &Launch::from(OpRef::new(ctx, body, op)).choices().into_iter().next()?.sizes;
    let size = |name: &str| given.get(names.iter().position(|known| known == name)?).cloned();
    let ty = MemRef::expect(ctx, stored);
    let dims = ty.dims(ctx).iter().map(|dim| dim.substitute(&size).ok()).collect::<Option<Vec<_>>>()?;
    Some(MemRef::get(ctx, dims, ty.elem(ctx), Layout::RowMajor, ALIGN, false))
}

/// Lets a launch of a kernel be one of its second part, after one of the first, which is given back.
fn launch_both(ctx: &Context, body: &mut Body, op: OpId, (cut, name): (&Cut, &str), stored: Type) -> OpId {
    let launch = Launch::from(OpRef::new(ctx, body, op));
    let (loc, inputs) = (launch.loc(), launch.inputs().collect::<Vec<ValueId>>());
    let given = launch.choices().into_iter().next().map(|choice| choice.sizes).unwrap_or_default();
    let of = |kept: &[usize]| kept.iter().map(|&at| inputs[at]).collect::<Vec<ValueId>>();
    let choices = vec![Choice::always(ctx, name, given)];
    let place = InsertPoint::Before(op);
    let made = Launch::build(&mut Builder::new(ctx, body, place), loc, &of(&cut.first.1), choices, None, &[stored]);
    let operands: Vec<ValueId> = of(&cut.second.1).into_iter().chain([body.result(made, 0)]).collect();
    body.set_operands(op, &operands);
    made
}
