//! The rules of single ops beyond those of shapes.

use dlc_core::constant;
use dlc_core::sizes::{Exprs, Sizes};
use dlc_core::types::{Tensor, verify_function, verify_signature};
use dlc_ir::define::Kind;
use dlc_ir::op::{AttrKind, op_error};
use dlc_ir::verify::OP_RULE;
use dlc_ir::{Diagnostics, OpRef, Type};

use crate::ops::{Const, Contract, Func, If, Index, Load, Range, Valid, View, Yield};
use crate::shape::{index_of, non_affine};

/// A program is one block, and every symbol in a type is one that it takes.
pub fn func(op: Func<'_>, diags: &Diagnostics) {
    verify_signature(*op, op.arg_attrs(), op.res_attrs(), diags);
    if verify_function(*op, "function", diags) {
        view_symbols(op, diags);
    }
    let root = op.resolve();
    let end = root.body.entry_block().and_then(|block| root.body.last_op(block)).map(|id| OpRef { id, ..root });
    if let Some(end) = end.filter(|end| Yield::of(*end).is_some()) {
        diags.emit(op_error(end, "a function ends with 'return'; 'yield' ends the regions of an 'if'"));
    }
}

/// Every symbol in the sizes, starts and strides of a view is one that the function takes: not all of them are in a type.
/// The indices of a contraction are names of their own, and so are `i0`, `i1` in what is loaded.
fn view_symbols(func: Func<'_>, diags: &Diagnostics) {
    let (ctx, root) = (func.ctx, func.resolve());
    let declared = func.symbols().unwrap_or_default();
    let is_list = |kind: &AttrKind| [Exprs::KIND.name, Sizes::KIND.name].contains(&kind.name);
    for op in root.body.walk().into_iter().map(|id| OpRef { id, ..root }).filter(|op| !op.is(Contract::DEF)) {
        let rank = || Tensor::of(ctx, op.type_of(op.result(0))).map_or(0, |ty| ty.rank(ctx));
        let own = |name: &str| op.is(Load::DEF) && index_of(name).is_some_and(|axis| axis < rank());
        let lists = op.def().attrs.iter().filter(|spec| is_list(spec.kind));
        let exprs = lists.filter_map(|spec| Exprs::get(ctx, op.prop_named(spec.name)?)).flatten();
        let mut symbols = exprs.flat_map(|expr| expr.symbols());
        if let Some(symbol) = symbols.find(|symbol| !declared.contains(&&**symbol) && !own(symbol)) {
            let message = format!("the symbol '{symbol}' is not declared by the function");
            diags.emit(op_error(op, message).note(func.loc(), "the function is here"));
        }
    }
}

/// The elements are those of the type.
pub fn const_(op: Const<'_>, diags: &Diagnostics) {
    constant::verify(*op, op.value(), diags);
}

/// Sizes, strides and a start come together, and fit.
pub fn view(op: View<'_>, diags: &Diagnostics) {
    let (Some(shape), Some(strides), Some(start)) = (op.shape(), op.strides(), op.start()) else {
        if op.shape().is_some() || op.strides().is_some() || op.start().is_some() {
            diags.emit(op_error(*op, "'shape', 'strides' and 'start' are given together or not at all"));
        }
        return;
    };
    if strides.len() != shape.len() || start.len() != 1 {
        let message =
            format!("{} strides and {} starts are given for {} sizes", strides.len(), start.len(), shape.len());
        diags.emit(op_error(*op, message));
    }
}

/// A range of bounds for each axis.
pub fn valid(op: Valid<'_>, diags: &Diagnostics) {
    let rank = Tensor::of(op.ctx, op.type_of(op.out())).map_or(0, |ty| ty.rank(op.ctx));
    if op.start().len() != rank || op.stop().len() != rank {
        let message = format!("{} and {} bounds are given for {rank} axes", op.start().len(), op.stop().len());
        diags.emit(op_error(*op, message));
    }
}

/// An affine index for each axis of the operand, or the operand itself.
pub fn load(op: Load<'_>, diags: &Diagnostics) {
    let ctx = op.ctx;
    let (input, out) = (op.type_of(op.input()), op.type_of(op.out()));
    let (Some(from), Some(to)) = (Tensor::of(ctx, input), Tensor::of(ctx, out)) else { return };
    if from.elem(ctx) != to.elem(ctx) {
        diags.emit(op_error(
            *op,
            format!("it is of type {}, but its elements are those of {}", out.display(ctx), input.display(ctx)),
        ));
    }
    let Some(at) = op.at() else {
        if input != out {
            diags.emit(op_error(*op, format!("without indices it is of type {}", input.display(ctx))));
        }
        return;
    };
    if at.len() != from.rank(ctx) {
        let message =
            format!("{} indices are given for the {} axes of {}", at.len(), from.rank(ctx), input.display(ctx));
        diags.emit(op_error(*op, message));
    }
    if let Some(broken) = at.iter().find_map(|expr| non_affine(expr, to.rank(ctx))) {
        diags.emit(broken.diagnostic(&OP_RULE, op.loc()).at(op.name()));
    }
}

/// The axis exists.
pub fn range(op: Range<'_>, diags: &Diagnostics) {
    let rank = Tensor::of(op.ctx, op.type_of(op.out())).map_or(0, |ty| ty.rank(op.ctx));
    if usize::try_from(op.axis()).map_or(true, |axis| axis >= rank) {
        diags.emit(op_error(*op, format!("axis {} is none of the {rank} axes of the result", op.axis())));
    }
}

/// There is an index.
pub fn index(op: Index<'_>, diags: &Diagnostics) {
    if op.indices().next().is_none() {
        diags.emit(op_error(*op, "there must be at least one index"));
    }
}

/// Both regions take nothing and yield what the op gives.
pub fn if_(op: If<'_>, diags: &Diagnostics) {
    let ctx = op.ctx;
    if Tensor::of(ctx, op.type_of(op.condition())).is_some_and(|ty| ty.rank(ctx) != 0) {
        diags.emit(
            op_error(*op, "the condition is one truth value, of rank 0").suggest("use 'where' to choose each element"),
        );
    }
    let results: Vec<Type> = op.result_types().collect();
    for (number, &region) in op.regions().iter().enumerate() {
        let Some(block) = op.body.first_block(region) else { continue };
        if !op.body.args(block).is_empty() {
            diags.emit(op_error(*op, "its regions take no arguments"));
        }
        let end = op.body.last_op(block).map(|end| OpRef { id: end, ..*op }).filter(|end| end.is(Yield::DEF));
        let Some(end) = end else {
            diags.emit(op_error(*op, format!("region {number} must end with 'yield'")));
            continue;
        };
        let yielded: Vec<Type> = end.operands().map(|value| end.type_of(value)).collect();
        if yielded != results {
            let show = |types: &[Type]| types.iter().map(|ty| ty.display(ctx)).collect::<Vec<_>>().join(", ");
            let message = format!("yields ({}), but the op gives ({})", show(&yielded), show(&results));
            diags.emit(op_error(end, message).note(op.loc(), "the op is here"));
        }
    }
}
