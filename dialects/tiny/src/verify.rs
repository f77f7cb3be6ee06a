//! The rules of single ops beyond those of shapes.

use std::collections::{BTreeSet, HashSet};

use dlc_core::types::{Tensor, undeclared_symbol};
use dlc_ir::op::op_error;
use dlc_ir::{Diagnostics, TypeData};

use crate::ops::{Const, Func};

/// A program is one block, and every symbol in a type is one that it takes.
pub fn func(op: Func<'_>, diags: &Diagnostics) {
    let ctx = op.ctx;
    let TypeData::Function { inputs, results } = ctx.type_data(op.function_type()) else { return };
    if op.arg_attrs().is_some_and(|attrs| attrs.len() != inputs.len()) {
        let message = format!("'arg_attrs' must have a dictionary for each of the {} arguments", inputs.len());
        diags.emit(op_error(*op, message));
    }
    let symbols = op.symbols().unwrap_or_default();
    let distinct: BTreeSet<&str> = symbols.iter().copied().collect();
    if distinct.len() != symbols.len() {
        diags.emit(op_error(*op, "a symbol is declared twice"));
    }
    for &ty in inputs.iter().chain(results.iter()) {
        if let Some(symbol) = undeclared_symbol(ctx, ty, &symbols) {
            let error = op_error(*op, format!("the symbol '{symbol}' is not declared"));
            return diags.emit(error.suggest(format!("declare it behind the name: @{}<{symbol}>", op.sym_name())));
        }
    }
    let root = op.resolve();
    if root.body.blocks(op.body()).nth(1).is_some() {
        diags.emit(op_error(*op, "a tensor program has no branches: one block"));
    }
    let mut known = HashSet::new();
    for inner in root.body.walk() {
        for result in root.body.results(inner) {
            let ty = root.body.value_type(result);
            // Types repeat, and each is looked at once.
            if !known.insert(ty) {
                continue;
            }
            if let Some(symbol) = undeclared_symbol(ctx, ty, &symbols) {
                let message = format!("the symbol '{symbol}' is not declared by the function");
                diags.emit(
                    op_error(dlc_ir::OpRef { id: inner, ..root }, message).note(op.loc(), "the function is here"),
                );
            }
        }
    }
}

/// The number is one of the tensor's elements.
pub fn const_(op: Const<'_>, diags: &Diagnostics) {
    let elem = Tensor::of(op.ctx, op.type_of(op.out())).map(|ty| ty.elem(op.ctx));
    if elem != op.value().value_type(op.ctx) {
        diags.emit(op_error(*op, "the number must be of the type of the tensor's elements"));
    }
}
