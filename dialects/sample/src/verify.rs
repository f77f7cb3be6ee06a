//! The rules of single ops that their declarations do not say.

use dlc_ir::op::op_error;
use dlc_ir::{BlockId, Diagnostics, OpRef, RegionId, Type};

use crate::ops::{Dot, Func, Graph, If, Loop, Select, Store, Sum, Yield};
use crate::types::Buffer;

/// Both values have one type.
pub fn select(op: Select<'_>, diags: &Diagnostics) {
    if op.type_of(op.yes()) != op.type_of(op.no()) {
        diags.emit(op_error(*op, "the values that are selected from must have one type"));
    }
}

/// There is a sign for each term.
pub fn sum(op: Sum<'_>, diags: &Diagnostics) {
    let signs = op.signs();
    if signs.len() != op.terms().len() || signs.iter().any(|sign| !matches!(sign, 1 | -1)) {
        diags.emit(op_error(*op, "'signs' must have 1 or -1 for each term"));
    }
    if op.terms().len() == 0 {
        diags.emit(op_error(*op, "a sum must have a term"));
    }
}

/// The lists are of one length.
pub fn dot(op: Dot<'_>, diags: &Diagnostics) {
    let (lhs, rhs) = (op.lhs().len(), op.rhs().len());
    if lhs != rhs {
        diags.emit(op_error(*op, format!("the lists have {lhs} and {rhs} values, must have as many")));
    }
    if op.operands().len() == 0 {
        diags.emit(op_error(*op, "the lists must not be empty"));
    }
}

/// The value is one that the buffer holds.
pub fn store(op: Store<'_>, diags: &Diagnostics) {
    let elem = Buffer::of(op.ctx, op.type_of(op.buffer())).map(|ty| ty.elem(op.ctx));
    if elem != Some(op.type_of(op.value())) {
        diags.emit(op_error(*op, "the value must be of the type that the buffer holds"));
    }
}

/// There is a dictionary for each argument, if there are any.
pub fn func(op: Func<'_>, diags: &Diagnostics) {
    let inputs = match op.ctx.type_data(op.function_type()) {
        dlc_ir::TypeData::Function { inputs, .. } => inputs.len(),
        _ => return,
    };
    if op.arg_attrs().is_some_and(|attrs| attrs.len() != inputs) {
        diags.emit(op_error(*op, format!("'arg_attrs' must have a dictionary for each of the {inputs} arguments")));
    }
}

/// The region takes the integer and what is carried, and yields what is carried.
pub fn loop_(op: Loop<'_>, diags: &Diagnostics) {
    let ty = op.type_of(op.first());
    if op.type_of(op.last()) != ty || op.type_of(op.step()) != ty {
        return diags.emit(op_error(*op, "the bounds and the step must have one type"));
    }
    let carried: Vec<Type> = op.inits().map(|value| op.type_of(value)).collect();
    let Some(block) = op.body.first_block(Loop::body(op)) else { return };
    let args: Vec<Type> = op.body.args(block).iter().map(|&arg| op.type_of(arg)).collect();
    if args.first() != Some(&ty) || args[1..] != carried {
        diags.emit(op_error(*op, "the region must take the integer and the carried values"));
    }
    yields(*op, Loop::body(op), &carried, diags);
}

/// Both regions yield the results.
pub fn if_(op: If<'_>, diags: &Diagnostics) {
    let results: Vec<Type> = op.result_types().collect();
    if op.otherwise().len() > 1 {
        return diags.emit(op_error(*op, "there are two regions at most"));
    }
    if op.otherwise().is_empty() && !results.is_empty() {
        diags.emit(op_error(*op, "an op with results must have a second region"));
    }
    for &region in op.regions() {
        takes_nothing(*op, region, diags);
        yields(*op, region, &results, diags);
    }
}

/// The region yields the results.
pub fn graph(op: Graph<'_>, diags: &Diagnostics) {
    let results: Vec<Type> = op.result_types().collect();
    takes_nothing(*op, Graph::body(op), diags);
    yields(*op, Graph::body(op), &results, diags);
}

fn takes_nothing(op: OpRef<'_>, region: RegionId, diags: &Diagnostics) {
    let block: Option<BlockId> = op.body.first_block(region);
    if block.is_some_and(|block| !op.body.args(block).is_empty()) {
        diags.emit(op_error(op, "the region must take no arguments"));
    }
}

fn yields(op: OpRef<'_>, region: RegionId, wanted: &[Type], diags: &Diagnostics) {
    let last = op.body.first_block(region).and_then(|block| op.body.last_op(block));
    // Another terminator, such as a return, yields nothing here.
    let Some(end) = last.and_then(|last| Yield::of(OpRef { id: last, ..op })) else { return };
    if !end.values().map(|value| op.type_of(value)).eq(wanted.iter().copied()) {
        let show = |types: &[Type]| types.iter().map(|ty| ty.display(op.ctx)).collect::<Vec<_>>().join(", ");
        let given: Vec<Type> = end.values().map(|value| op.type_of(value)).collect();
        let message = format!("yields ({}), but '{}' takes ({})", show(&given), op.name(), show(wanted));
        diags.emit(op_error(*end, message));
    }
}
