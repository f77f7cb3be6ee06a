//! The rules of the specification's sections 4.3 and 4.4, op by op, and the types of results.

use std::collections::HashSet;
use std::sync::Arc;

use dlc_core::access::{Access, Accesses};
use dlc_core::bounds::{AXIS_ALIGNMENT_MISMATCH, Axes, verify_access};
use dlc_core::broadcast::show;
use dlc_core::constant;
use dlc_core::infer::{accumulator, attr, operand, optional, tensor};
use dlc_core::scalar::{Combiner, ScanCombiner};
use dlc_core::sizes::Sizes;
use dlc_core::types::{Tensor, verify_function, verify_signature};
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::{Kind, TextArray, TypeAttr};
use dlc_ir::op::{BrokenRule, InferCx, Inferred, op_error};
use dlc_ir::verify::{OP_RULE, keeps_declaration};
use dlc_ir::{Diagnostics, OpRef, Str, Type, ValueId};

use crate::ops::{Const, Entry, Func, Function, Gather, Iota, Reduce, Reshape, Scan, Sort};
use crate::syntax::element_of;

/// A program is one block, and every symbol in a type is one that it takes.
pub fn func(op: Func<'_>, diags: &Diagnostics) {
    verify_signature(*op, op.arg_attrs(), op.res_attrs(), diags);
    for symbol in op.symbols().unwrap_or_default() {
        let numbered = |prefix| symbol.strip_prefix(prefix).is_some_and(|rest: &str| rest.parse::<u32>().is_ok());
        if numbered("i") || numbered("_") {
            let message = format!("the symbol '{symbol}' has the name of an axis or of an element of an index operand");
            diags.emit(op_error(*op, message).suggest("give the size another name"));
        }
    }
    verify_function(*op, "function", diags);
}

/// The elements are those of the type.
pub fn const_(op: Const<'_>, diags: &Diagnostics) {
    constant::verify(*op, op.value(), diags);
}

// Types.

fn elem(cx: &InferCx<'_>, index: usize) -> Result<Type, BrokenRule> {
    operand(cx, index).map(|(_, elem)| elem)
}

/// The sizes of the axes, with the elements that the function gives.
pub fn infer_entry(cx: &InferCx<'_>) -> Inferred {
    let (axes, function) = (attr::<Sizes>(cx, "axes")?, attr::<Function>(cx, "function")?);
    if cx.operands.len() != function.arity() {
        let (word, wanted) = (function.word(), function.arity());
        return Err(format!("'{word}' is a function of {wanted} operands, and {} are given", cx.operands.len()).into());
    }
    let given = optional::<TypeAttr>(cx, "elem")?;
    let wide = cx.prop("widen").is_some();
    let own = match (function, function.unary(), function.binary()) {
        (_, Some(unary), _) => unary.elem(cx.ctx, elem(cx, 0)?),
        (_, _, Some(binary)) => binary.elem(cx.ctx, elem(cx, 0)?, elem(cx, 1)?)?,
        (Function::Where, ..) => dlc_core::broadcast::promote(cx.ctx, elem(cx, 1)?, elem(cx, 2)?)?,
        (Function::Cast | Function::Bitcast, ..) => {
            given.ok_or_else(|| format!("'{}' must say to which type: 'to f32'", function.word()))?
        }
        _ => elem(cx, 0)?,
    };
    let named = matches!(function, Function::Cast | Function::Bitcast) || wide;
    match given {
        Some(_) if !named => {
            Err(format!("'{}' has the type of its operands: there is no 'to'", function.word()).into())
        }
        Some(ty) if wide && !dlc_core::broadcast::promote(cx.ctx, own, ty).is_ok_and(|wide| wide == ty) => {
            let (own, ty) = (own.display(cx.ctx), ty.display(cx.ctx));
            let broken = BrokenRule::from(format!(
                "a product of {own} may stay without rounding in a type that is no narrower, not {ty}"
            ));
            Err(broken.suggest("leave 'widen' out"))
        }
        Some(ty) => tensor(cx.ctx, axes, ty),
        None => tensor(cx.ctx, axes, own),
    }
}

/// The sizes of the axes that are left, with elements of the accumulator's type.
pub fn infer_reduce(cx: &InferCx<'_>) -> Inferred {
    let axes = attr::<Sizes>(cx, "axes")?;
    let acc = accumulator(cx, elem(cx, 0)?)?;
    tensor(cx.ctx, axes, acc)
}

/// The sizes of the axes, with elements of the accumulator's type, for as many operands as the combiner has.
pub fn infer_scan(cx: &InferCx<'_>) -> Inferred {
    let axes = attr::<Sizes>(cx, "axes")?;
    let elems: Vec<Type> = (0..cx.operands.len()).map(|index| elem(cx, index)).collect::<Result<_, _>>()?;
    attr::<ScanCombiner>(cx, "combiner")?.check(&elems)?;
    let mut common = elem(cx, 0)?;
    for &other in &elems {
        common = dlc_core::broadcast::promote(cx.ctx, common, other)?;
    }
    tensor(cx.ctx, axes, accumulator(cx, common)?)
}

/// The sizes of the axes, with the elements of the operand.
pub fn infer_sort(cx: &InferCx<'_>) -> Inferred {
    tensor(cx.ctx, attr::<Sizes>(cx, "axes")?, elem(cx, 0)?)
}

/// The sizes of the axes, with the elements of the table.
pub fn infer_gather(cx: &InferCx<'_>) -> Inferred {
    tensor(cx.ctx, attr::<Sizes>(cx, "axes")?, elem(cx, 0)?)
}

// Rules.

/// The names of the first axes.
pub fn axis_names(count: usize) -> Vec<String> {
    (0..count).map(|axis| format!("i{axis}")).collect()
}

/// The symbols of the function around an op, which are read once for all of its ops.
fn symbols(op: OpRef<'_>) -> Arc<HashSet<String>> {
    let func = OpRef { id: op.body.root(), ..op };
    let Some(attr) = func.prop(Str::SYMBOLS) else { return Arc::default() };
    let names = || TextArray::get(op.ctx, attr).unwrap_or_default();
    op.ctx.derived(attr, || names().into_iter().map(String::from).collect())
}

fn emit(op: OpRef<'_>, broken: BrokenRule, diags: &Diagnostics) {
    diags.emit(broken.diagnostic(&OP_RULE, op.loc()).at(op.name()));
}

fn dims(op: OpRef<'_>, value: ValueId) -> Vec<SizeExpr> {
    Tensor::of(op.ctx, op.type_of(value)).map(|ty| ty.dims(op.ctx)).unwrap_or_default()
}

/// Whether the axes are those of the result. Where the type of the result follows from the axes, that it does not was
/// said when the types were compared.
fn has_axes(op: OpRef<'_>, axes: &[SizeExpr]) -> bool {
    dims(op, op.result(0)) == axes
}

/// One access for each of some operands, each within its operand.
fn accesses(op: OpRef<'_>, sizes: &[SizeExpr], accesses: &[Access], first: usize, diags: &Diagnostics) {
    let ctx = op.ctx;
    let operands: Vec<ValueId> = op.operands().skip(first).collect();
    if operands.len() != accesses.len() {
        let message = format!("{} operands are read, and {} accesses are given", operands.len(), accesses.len());
        diags.emit(op_error(op, message));
        return;
    }
    let (names, symbols) = (axis_names(sizes.len()), symbols(op));
    let mut axes = Axes::new(names.iter().map(String::as_str).collect(), sizes);
    for (at, (&operand, access)) in operands.iter().zip(accesses).enumerate() {
        let at = first + at;
        let elem = Tensor::of(ctx, op.type_of(operand)).map(|ty| ty.elem(ctx));
        if access.fill.is_some_and(|fill| fill.value_type(ctx) != elem) {
            let message = format!("the number outside of the guard of operand {at} is not of the type of its elements");
            diags.emit(op_error(op, message));
        }
        if access.fill.is_some() && access.guard.is_none() {
            let message = format!("operand {at} is read everywhere, so there is nothing outside");
            diags.emit(op_error(op, message).suggest("write 'where (..)' before 'else', or leave 'else' out"));
        }
        let declared = |name: &str| symbols.contains(name);
        verify_access(op, &mut axes, &format!("operand {at}"), access, &dims(op, operand), &declared, diags);
    }
}

/// One affine expression of the axes.
pub fn iota(op: Iota<'_>, diags: &Diagnostics) {
    let axes = op.axes();
    if !has_axes(*op, &axes) {
        let out = dims(*op, op.out());
        let message = format!("the axes have the sizes {}, but the result has {}", show(&axes), show(&out));
        return emit(*op, BrokenRule::new(&AXIS_ALIGNMENT_MISMATCH, message), diags);
    }
    let value = op.value();
    let [value] = &value[..] else {
        return diags.emit(op_error(*op, format!("one expression is the value, and {} are given", value.len())));
    };
    let (names, symbols) = (axis_names(axes.len()), symbols(*op));
    let axes = Axes::new(names.iter().map(String::as_str).collect(), &axes);
    if let Err(broken) = axes.check(value, &|name| symbols.contains(name)) {
        emit(*op, broken, diags);
    }
}

/// Every operand is read at affine positions within it; only a product that is summed is not rounded.
pub fn entry(op: Entry<'_>, diags: &Diagnostics) {
    let (axes, function) = (op.axes(), op.function());
    if !has_axes(*op, &axes) {
        return;
    }
    accesses(*op, &axes, &op.accesses(), 0, diags);
    let ctx = op.ctx;
    let elem = |value: ValueId| Tensor::of(ctx, op.type_of(value)).map(|ty| ty.elem(ctx));
    match function {
        Function::Where if elem(op.operand(0)) != Some(Type::I1) => {
            diags.emit(op_error(*op, "the first operand of 'where' must be of type i1"));
        }
        Function::Bitcast => {
            let bits = |value: ValueId| elem(value).and_then(|elem| elem.bits(ctx)).map(|bits| bits.max(8));
            if bits(op.operand(0)) != bits(op.out()) {
                diags.emit(op_error(*op, "the bits of an element are read as a type of as many bits"));
            }
        }
        _ => {}
    }
    if op.widen().is_some() {
        let user = |user| OpRef { id: user, ..*op };
        let added = |op| Entry::of(op).is_some_and(|entry| entry.function() == Function::Add);
        let summed = |op| Reduce::of(op).is_some_and(|reduce| reduce.combiner() == Combiner::Sum) || added(op);
        // What stands outside of a guard is a number of the type, and so must be what stands inside.
        let everywhere = |op, index: usize| {
            reads(op).is_none_or(|(accesses, _)| accesses.get(index).is_none_or(|access| access.guard.is_none()))
        };
        let fine = |op, index| !keeps_declaration(op) || summed(op) && everywhere(op, index);
        if function != Function::Mul || !op.body.uses(op.out()).all(|used| fine(user(used.op), used.index)) {
            let error = op_error(*op, "only a product that is only summed, everywhere, may stay without rounding");
            diags.emit(error.suggest("leave 'widen' out"));
        }
    }
}

/// The operand is read at affine positions within it.
pub fn reduce(op: Reduce<'_>, diags: &Diagnostics) {
    let axes = op.axes();
    let declared = symbols(*op);
    let undeclared = |size: &SizeExpr| size.symbols().into_iter().find(|name| !declared.contains(&**name));
    if let Some(symbol) = op.over().iter().find_map(undeclared) {
        return diags.emit(op_error(*op, format!("the symbol '{symbol}' is not declared by the function")));
    }
    if has_axes(*op, &axes) {
        accesses(*op, &[axes, op.over()].concat(), &op.accesses(), 0, diags);
    }
}

/// The operands are read at affine positions within them, and the axis is one of the result.
pub fn scan(op: Scan<'_>, diags: &Diagnostics) {
    along(*op, (op.axes(), op.along(), op.every()), &op.accesses(), diags);
}

/// The axis exists, and the access is right.
pub fn sort(op: Sort<'_>, diags: &Diagnostics) {
    along(*op, (op.axes(), op.along(), op.every()), &op.accesses(), diags);
}

/// What goes along an axis of the result, in groups of `every` positions.
fn along(
    op: OpRef<'_>,
    (axes, along, every): (Vec<SizeExpr>, i64, Option<i64>),
    reads: &[Access],
    diags: &Diagnostics,
) {
    if usize::try_from(along).map_or(true, |along| along >= axes.len()) {
        let message = format!("axis {along} is none of the {} axes of the result", axes.len());
        return diags.emit(op_error(op, message));
    }
    if let Some(every @ ..1) = every {
        return diags.emit(op_error(op, format!("at least 1 position goes together, not {every}")));
    }
    if has_axes(op, &axes) {
        accesses(op, &axes, reads, 0, diags);
    }
}

/// A position for each axis of the table: affine and within it, or an element of an index operand, each used once.
pub fn gather(op: Gather<'_>, diags: &Diagnostics) {
    let ctx = op.ctx;
    let axes = op.axes();
    if !has_axes(*op, &axes) {
        return;
    }
    accesses(*op, &axes, &op.accesses(), 1, diags);
    for index in op.indices() {
        let elem = Tensor::of(ctx, op.type_of(index)).map(|ty| ty.elem(ctx));
        if !elem.is_some_and(|elem| elem == Type::INDEX || elem.is_integer(ctx)) {
            diags.emit(op_error(*op, "an index is an integer"));
        }
    }
    let (at, table) = (op.at(), dims(*op, op.table()));
    let mut used: Vec<usize> = at.iter().filter_map(element_of).collect();
    used.sort_unstable();
    if used.is_empty() || used != (0..op.indices().count()).collect::<Vec<_>>() {
        return diags.emit(op_error(*op, "each index operand is one position of the table, and there is at least one"));
    }
    // Where an element is the position, anything within the axis does.
    let rest: Vec<(SizeExpr, SizeExpr)> =
        at.iter().cloned().zip(table.iter().cloned()).filter(|(at, _)| element_of(at).is_none()).collect();
    if at.len() != table.len() {
        let message = format!("the table has {} axes, and is read at {} positions", table.len(), at.len());
        return emit(*op, BrokenRule::new(&AXIS_ALIGNMENT_MISMATCH, message), diags);
    }
    let (positions, sizes): (Vec<SizeExpr>, Vec<SizeExpr>) = rest.into_iter().unzip();
    let (names, symbols) = (axis_names(axes.len()), symbols(*op));
    let mut axes = Axes::new(names.iter().map(String::as_str).collect(), &axes);
    let declared = |name: &str| symbols.contains(name);
    verify_access(*op, &mut axes, "the table", &Access::everywhere(positions), &sizes, &declared, diags);
}

/// The elements keep their type and, as far as it is known, their number.
pub fn reshape(op: Reshape<'_>, diags: &Diagnostics) {
    let ctx = op.ctx;
    let (from, to) = (Tensor::of(ctx, op.type_of(op.input())), Tensor::of(ctx, op.type_of(op.out())));
    let (Some(from), Some(to)) = (from, to) else { return };
    if from.elem(ctx) != to.elem(ctx) {
        diags.emit(op_error(*op, "the elements keep their type"));
    }
    let count = |ty: Tensor| {
        let sizes = ty.dims(ctx);
        sizes.iter().try_fold(1i64, |count, size| count.checked_mul(size.as_constant()?))
    };
    if let (Some(from), Some(to)) = (count(from), count(to))
        && from != to
    {
        diags.emit(op_error(*op, format!("{from} elements cannot become {to}")));
    }
}

/// The accesses of an entry, a reduce, a scan or a gather, and the sizes of the axes that they are written in.
pub fn reads(op: OpRef<'_>) -> Option<(Vec<Access>, Vec<SizeExpr>)> {
    let get = |key: &str| op.prop_named(key);
    let sizes = |key: &str| get(key).and_then(|attr| Sizes::get(op.ctx, attr)).unwrap_or_default();
    let accesses = Accesses::get(op.ctx, get("accesses")?)?;
    Some((accesses, [sizes("axes"), sizes("over")].concat()))
}
