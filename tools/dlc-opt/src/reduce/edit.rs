//! Edits that make a program smaller. None of them keeps what the program computes: a command decides whether the
//! result still fails.

use std::ops::Range;

use dlc_ir::body::InsertPoint;
use dlc_ir::entity::{BlockId, OpId, ValueId};
use dlc_ir::op::Traits;
use dlc_ir::types::TypeData;
use dlc_ir::{Attr, AttrData, Body, Context, Loc, Type};

/// A kind of edit. Each applies to the items of a program in their order, which [`Edit::count`] counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edit {
    /// Erases ops at the top level, such as functions and plans.
    TopLevel,
    /// Erases ops whose results are not used.
    Unused,
    /// Erases ops and uses an operand of the same type instead of each result.
    ForwardOperand,
    /// Erases ops and adds an argument to the function instead of each result.
    PromoteToArgument,
    /// Replaces an op that has regions by the ops of its first block.
    Unwrap,
    /// Drops operands of the terminators of functions, with the result types of the function.
    DropResult,
    /// Drops arguments of functions that are not used.
    DropArgument,
    /// Drops entries of attributes, such as the clauses of plans.
    DropAttribute,
}

impl Edit {
    /// All kinds, those that erase most first.
    pub const ALL: [Edit; 8] = [
        Edit::TopLevel,
        Edit::PromoteToArgument,
        Edit::ForwardOperand,
        Edit::Unused,
        Edit::DropResult,
        Edit::Unwrap,
        Edit::DropArgument,
        Edit::DropAttribute,
    ];

    /// The number of items of this kind.
    pub fn count(self, ctx: &Context, body: &Body) -> usize {
        let mut seen = 0;
        self.apply(ctx, &mut body.clone(), &(0..0), &mut seen);
        seen
    }

    /// Applies the edit to the items of a range, where it can be. Whether anything has changed.
    pub fn apply(self, ctx: &Context, body: &mut Body, range: &Range<usize>, seen: &mut usize) -> bool {
        let mut changed = false;
        match self {
            Edit::TopLevel => {
                let block = body.entry_block();
                let ops: Vec<OpId> = block.into_iter().flat_map(|block| body.ops(block)).collect();
                for op in chosen(ops, range, seen).into_iter().rev() {
                    changed |= erase(ctx, body, op, self);
                }
            }
            Edit::DropAttribute => {
                changed |= strip_op(ctx, body, body.root(), range, seen);
                for op in body.walk() {
                    changed |= match body.nested_mut(op) {
                        Some(nested) => self.apply(ctx, nested, range, seen),
                        None => strip_op(ctx, body, op, range, seen),
                    };
                }
            }
            Edit::DropResult | Edit::DropArgument => {
                changed |= shorten_signature(ctx, body, self, range, seen);
                for op in body.nested_ops() {
                    changed |= body.nested_mut(op).is_some_and(|nested| self.apply(ctx, nested, range, seen));
                }
            }
            Edit::Unused | Edit::ForwardOperand | Edit::PromoteToArgument | Edit::Unwrap => {
                let ops = chosen(body.walk(), range, seen);
                for op in body.nested_ops() {
                    changed |= body.nested_mut(op).is_some_and(|nested| self.apply(ctx, nested, range, seen));
                }
                // An op comes before what is in its regions: backwards, each is still there when its turn comes.
                for op in ops.into_iter().rev() {
                    changed |= if self == Edit::Unwrap { unwrap(ctx, body, op) } else { erase(ctx, body, op, self) };
                }
            }
        }
        changed
    }
}

/// The number of ops, those of nested bodies included, the module not.
pub fn num_ops(body: &Body) -> usize {
    let ops = body.walk();
    ops.len() + ops.iter().filter_map(|op| body.nested(*op)).map(num_ops).sum::<usize>()
}

/// The items of a range, where `seen` were counted before.
fn chosen<T>(items: Vec<T>, range: &Range<usize>, seen: &mut usize) -> Vec<T> {
    let first = *seen;
    *seen += items.len();
    items.into_iter().enumerate().filter(|(at, _)| range.contains(&(first + at))).map(|(_, item)| item).collect()
}

fn has(ctx: &Context, body: &Body, op: OpId, traits: Traits) -> bool {
    ctx.op_def(body.op_name(op)).traits.has(traits)
}

fn erase(ctx: &Context, body: &mut Body, op: OpId, how: Edit) -> bool {
    if has(ctx, body, op, Traits::TERMINATOR) {
        return false;
    }
    let used: Vec<ValueId> = body.results(op).filter(|result| body.has_uses(*result)).collect();
    match how {
        Edit::ForwardOperand => {
            let of_type = |result: &ValueId| {
                body.operands(op).find(|operand| body.value_type(*operand) == body.value_type(*result))
            };
            let Some(others) = used.iter().map(of_type).collect::<Option<Vec<ValueId>>>() else { return false };
            for (result, other) in used.into_iter().zip(others) {
                body.replace_all_uses(result, other);
            }
        }
        Edit::PromoteToArgument if !used.is_empty() => {
            let Some(entry) = entry_of_function(ctx, body) else { return false };
            let mut types = Vec::new();
            for result in used {
                let (ty, name) = (body.value_type(result), body.value_name(result));
                let arg = body.add_arg(entry, ty, Loc::UNKNOWN);
                body.replace_all_uses(result, arg);
                body.set_value_name(arg, name);
                types.push(ty);
            }
            change_type(ctx, body, |inputs, _| inputs.extend(types));
        }
        _ if !used.is_empty() => return false,
        _ => {}
    }
    body.erase_op(op);
    true
}

/// Moves the ops of the first block before the op, uses what they yield instead of its results, and erases it.
fn unwrap(ctx: &Context, body: &mut Body, op: OpId) -> bool {
    let Some(block) = body.regions(op).first().and_then(|region| body.first_block(*region)) else { return false };
    let in_use = body.args(block).iter().any(|arg| body.has_uses(*arg));
    let last = body.last_op(block).filter(|last| has(ctx, body, *last, Traits::TERMINATOR));
    let yielded: Vec<ValueId> = last.into_iter().flat_map(|last| body.operands(last)).collect();
    let results: Vec<ValueId> = body.results(op).collect();
    let fits = |(at, result): (usize, &ValueId)| {
        !body.has_uses(*result)
            || yielded.get(at).is_some_and(|value| body.value_type(*value) == body.value_type(*result))
    };
    if in_use || has(ctx, body, op, Traits::TERMINATOR) || !results.iter().enumerate().all(fits) {
        return false;
    }
    for (result, value) in results.into_iter().zip(yielded) {
        if body.value_type(result) == body.value_type(value) {
            body.replace_all_uses(result, value);
        }
    }
    if let Some(last) = last {
        body.erase_op(last);
    }
    body.splice(block, InsertPoint::Before(op));
    body.erase_op(op);
    true
}

/// The block with the arguments, where the root is a function.
fn entry_of_function(ctx: &Context, body: &Body) -> Option<BlockId> {
    function_type(ctx, body)?;
    body.entry_block()
}

fn function_type(ctx: &Context, body: &Body) -> Option<(Vec<Type>, Vec<Type>)> {
    let ty = body.prop(ctx, body.root(), ctx.intern_str("function_type"))?.as_type(ctx)?;
    match ctx.type_data(ty) {
        TypeData::Function { inputs, results } => Some((inputs.to_vec(), results.to_vec())),
        _ => None,
    }
}

fn change_type(ctx: &Context, body: &mut Body, change: impl FnOnce(&mut Vec<Type>, &mut Vec<Type>)) {
    let Some((mut inputs, mut results)) = function_type(ctx, body) else { return };
    change(&mut inputs, &mut results);
    let ty = ctx.type_attr(ctx.function_type(&inputs, &results));
    body.set_prop(ctx, body.root(), ctx.intern_str("function_type"), Some(ty));
}

fn shorten_signature(ctx: &Context, body: &mut Body, edit: Edit, range: &Range<usize>, seen: &mut usize) -> bool {
    let Some(entry) = entry_of_function(ctx, body) else { return false };
    if edit == Edit::DropArgument {
        let all = body.args(entry).len();
        let unused: Vec<usize> = (0..all).filter(|at| !body.has_uses(body.args(entry)[*at])).collect();
        let dropped = chosen(unused, range, seen);
        for &at in dropped.iter().rev() {
            body.erase_arg(entry, at);
            change_type(ctx, body, |inputs, _| without(inputs, at));
        }
        shorten_arrays(ctx, body, body.root(), all, &dropped);
        return !dropped.is_empty();
    }
    let Some(last) = body.last_op(entry).filter(|last| has(ctx, body, *last, Traits::TERMINATOR)) else { return false };
    let mut operands: Vec<ValueId> = body.operands(last).collect();
    let all = operands.len();
    let dropped = chosen((0..all).collect(), range, seen);
    for &at in dropped.iter().rev() {
        without(&mut operands, at);
        change_type(ctx, body, |_, results| without(results, at));
    }
    body.set_operands(last, &operands);
    // What is said of each operand or result, by position, as in `outputs = ["y"]`.
    for op in [last, body.root()] {
        shorten_arrays(ctx, body, op, all, &dropped);
    }
    !dropped.is_empty()
}

fn without<T>(items: &mut Vec<T>, at: usize) {
    if at < items.len() {
        items.remove(at);
    }
}

/// Drops these elements of every attribute that is an array with so many.
fn shorten_arrays(ctx: &Context, body: &mut Body, op: OpId, len: usize, dropped: &[usize]) {
    let shorter = |attr: Attr| match attr.as_array(ctx) {
        Some(items) if items.len() == len => {
            let kept = items.iter().enumerate().filter(|(at, _)| !dropped.contains(at));
            ctx.array_attr(&kept.map(|(_, item)| *item).collect::<Vec<Attr>>())
        }
        _ => attr,
    };
    let of_dict = |dict: Attr| {
        let entries = dict.as_dict(ctx).unwrap_or_default();
        ctx.dict_attr(&entries.iter().map(|(key, attr)| (*key, shorter(*attr))).collect::<Vec<_>>())
    };
    let (props, attrs) = (of_dict(body.props(op)), of_dict(body.attrs(op)));
    body.set_props(op, props);
    body.set_attrs(op, attrs);
}

fn strip_op(ctx: &Context, body: &mut Body, op: OpId, range: &Range<usize>, seen: &mut usize) -> bool {
    let (attrs, props) = (body.attrs(op), body.props(op));
    let (less_attrs, less_props) = (strip(ctx, attrs, range, seen), strip(ctx, props, range, seen));
    if (less_attrs, less_props) == (attrs, props) {
        return false;
    }
    body.set_attrs(op, less_attrs);
    body.set_props(op, less_props);
    true
}

/// An attribute without the entries and elements of a range. What every function has stays.
fn strip(ctx: &Context, attr: Attr, range: &Range<usize>, seen: &mut usize) -> Attr {
    let mut is_chosen = || {
        *seen += 1;
        range.contains(&(*seen - 1))
    };
    match ctx.attr_data(attr) {
        AttrData::Dict(entries) => {
            let mut kept = Vec::with_capacity(entries.len());
            for (key, value) in *entries {
                let stays = matches!(ctx.str(*key), "function_type" | "sym_name");
                if stays || !is_chosen() {
                    kept.push((*key, *value));
                }
            }
            // Entries first, then what is inside those that are left: a range seldom cuts through both.
            for (key, value) in &mut kept {
                if !matches!(ctx.str(*key), "function_type" | "sym_name") {
                    *value = strip(ctx, *value, range, seen);
                }
            }
            ctx.dict_attr(&kept)
        }
        AttrData::Array(items) => {
            let kept: Vec<Attr> = items.iter().filter(|_| !is_chosen()).copied().collect();
            ctx.array_attr(&kept.into_iter().map(|item| strip(ctx, item, range, seen)).collect::<Vec<Attr>>())
        }
        _ => attr,
    }
}

/// Returns another value from a function. Ops that nothing needs then are erased.
pub fn return_instead(ctx: &Context, body: &mut Body, operand: usize, by: ValueId) {
    let Some(last) = body.entry_block().and_then(|block| body.last_op(block)) else { return };
    let (old, new) = (body.value_type(body.operand(last, operand)), body.value_type(by));
    body.set_operand(last, operand, by);
    if old != new {
        change_type(ctx, body, |_, results| {
            if let Some(result) = results.get_mut(operand) {
                *result = new;
            }
        });
    }
    for op in body.walk().into_iter().rev() {
        if body.num_results(op) > 0 && body.is_unused(op) && !has(ctx, body, op, Traits::TERMINATOR) {
            body.erase_op(op);
        }
    }
}

/// The values that a function could return instead of an operand of its terminator, in their order: those of its type,
/// or all.
pub fn returnable(ctx: &Context, body: &Body, operand: usize, any_type: bool) -> Vec<ValueId> {
    let Some(entry) = entry_of_function(ctx, body) else { return Vec::new() };
    let Some(last) = body.last_op(entry).filter(|last| operand < body.num_operands(*last)) else { return Vec::new() };
    let now = body.operand(last, operand);
    let values = body.ops(entry).flat_map(|op| body.results(op).collect::<Vec<_>>());
    let values = body.args(entry).iter().copied().chain(values).take_while(|value| *value != now);
    values.filter(|value| any_type || body.value_type(*value) == body.value_type(now)).collect()
}

/// The integers above one in types and attributes, the largest first.
pub fn integers(ctx: &Context, body: &Body) -> Vec<i128> {
    let mut found = std::collections::BTreeSet::new();
    replace_integers(ctx, &mut body.clone(), &mut |value| {
        if value > 1 {
            found.insert(value);
        }
        value
    });
    found.into_iter().rev().collect()
}

/// Replaces integers in all types and attributes, so that sizes that are equal stay equal.
pub fn replace_integers(ctx: &Context, body: &mut Body, by: &mut dyn FnMut(i128) -> i128) {
    let mut ops = body.walk();
    ops.push(body.root());
    for op in ops {
        if let Some(nested) = body.nested_mut(op) {
            replace_integers(ctx, nested, by);
            continue;
        }
        let blocks: Vec<BlockId> = body.regions(op).iter().flat_map(|region| body.blocks(*region)).collect();
        let args = blocks.into_iter().flat_map(|block| body.args(block).to_vec());
        let values: Vec<ValueId> = body.results(op).chain(args).collect();
        for value in values {
            let ty = in_type(ctx, body.value_type(value), by);
            body.set_value_type(value, ty);
        }
        let (props, attrs) = (in_attr(ctx, body.props(op), by), in_attr(ctx, body.attrs(op), by));
        body.set_props(op, props);
        body.set_attrs(op, attrs);
    }
}

fn in_type(ctx: &Context, ty: Type, by: &mut dyn FnMut(i128) -> i128) -> Type {
    let types = |types: &[Type], by: &mut dyn FnMut(i128) -> i128| -> Vec<Type> {
        types.iter().map(|ty| in_type(ctx, *ty, by)).collect()
    };
    match ctx.type_data(ty) {
        TypeData::Function { inputs, results } => {
            let inputs = types(inputs, by);
            ctx.function_type(&inputs, &types(results, by))
        }
        TypeData::Tuple(items) => ctx.ty(TypeData::Tuple(&types(items, by))),
        TypeData::Dialect { def, params } => {
            let params: Vec<Attr> = params.iter().map(|attr| in_attr(ctx, *attr, by)).collect();
            ctx.ty(TypeData::Dialect { def: *def, params: &params })
        }
        _ => ty,
    }
}

fn in_attr(ctx: &Context, attr: Attr, by: &mut dyn FnMut(i128) -> i128) -> Attr {
    match ctx.attr_data(attr) {
        AttrData::Integer { ty, value } if *ty != Type::I1 => ctx.int_attr(by(*value), *ty),
        AttrData::Array(items) => {
            ctx.array_attr(&items.iter().map(|item| in_attr(ctx, *item, by)).collect::<Vec<Attr>>())
        }
        AttrData::Dict(entries) => {
            ctx.dict_attr(&entries.iter().map(|(key, item)| (*key, in_attr(ctx, *item, by))).collect::<Vec<_>>())
        }
        AttrData::Type(ty) => ctx.type_attr(in_type(ctx, *ty, by)),
        AttrData::DenseArray { elem, items } => {
            let items: Vec<Attr> = items.iter().map(|item| in_attr(ctx, *item, by)).collect();
            ctx.attr(AttrData::DenseArray { elem: *elem, items: &items })
        }
        AttrData::Dialect { def, params } => {
            let params: Vec<Attr> = params.iter().map(|param| in_attr(ctx, *param, by)).collect();
            ctx.attr(AttrData::Dialect { def: *def, params: &params })
        }
        _ => attr,
    }
}
