//! The sizes of views.

use dlc_core::broadcast::show;
use dlc_core::infer::views::{one_each, provably_not};
use dlc_core::infer::{operand, optional, tensor};
use dlc_core::sizes::Sizes;
use dlc_ir::affine::SizeExpr;
use dlc_ir::op::{BrokenRule, InferCx, Inferred};

dlc_ir::codes! {
    /// An index of a view is not affine: it multiplies indices, or divides by what is no constant.
    NON_AFFINE_VIEW = "E1101" "NonAffineView";
}

/// The sizes that are given, or those of the operand.
pub fn view(cx: &InferCx<'_>) -> Inferred {
    let (dims, elem) = operand(cx, 0)?;
    tensor(cx.ctx, optional::<Sizes>(cx, "shape")?.unwrap_or(dims), elem)
}

/// The type of the target, which the value must fit into.
pub fn store(cx: &InferCx<'_>) -> Inferred {
    let ((value, value_elem), (target, elem)) = (operand(cx, 0)?, operand(cx, 1)?);
    if value_elem != elem {
        let (value, elem) = (value_elem.display(cx.ctx), elem.display(cx.ctx));
        return Err(BrokenRule::from(format!("{value} is stored where {elem} is")).suggest("cast the value"));
    }
    if value.len() != target.len() {
        return Err(format!("{} cannot stand in {}: the ranks differ", show(&value), show(&target)).into());
    }
    let from = optional::<Sizes>(cx, "start")?.unwrap_or_else(|| vec![SizeExpr::from(0); target.len()]);
    one_each("start", from.len(), &target)?;
    for (axis, (own, (from, dim))) in value.iter().zip(from.iter().zip(&target)).enumerate() {
        let end = from.add(own).map_err(|error| error.message.into_owned())?;
        if provably_not(&end, dim) {
            return Err(format!("axis {axis} has the size {dim}, and the value goes to {end}").into());
        }
    }
    tensor(cx.ctx, target, elem)
}

/// Why an expression of indices `i0`, `i1`, .. below `rank` is not affine in them; `None` when it is.
///
/// Symbols that are no indices are parameters; a parameter may not multiply an index.
pub fn non_affine(expr: &SizeExpr, rank: usize) -> Option<BrokenRule> {
    let is_index = |name: &str| index_of(name).is_some_and(|at| at < rank);
    match expr.is_affine_in(&is_index) {
        true => None,
        false => {
            let message = format!("the index {expr} is not affine");
            let fix = "an index is a sum of indices times constants, with floordiv and mod by constants; compute others as values and take elements with 'index'";
            Some(BrokenRule::new(&NON_AFFINE_VIEW, message).suggest(fix))
        }
    }
}

/// The axis that a name such as `i2` means.
pub fn index_of(name: &str) -> Option<usize> {
    let digits = name.strip_prefix('i')?;
    (digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0')))
        .then(|| digits.parse().ok())?
}
