//! The parameters of normalizations: their sizes are those that they belong to.

use dlc_core::broadcast::show;
use dlc_core::types::Tensor;
use dlc_ir::affine::SizeExpr;
use dlc_ir::op::op_error;
use dlc_ir::{Diagnostic, Diagnostics, OpRef, ValueId};

use crate::ops::{BatchNorm, GroupNorm, LayerNorm, Layout, RmsNorm};
use crate::shape::normalized;

dlc_ir::codes! {
    /// A weight, bias, mean or variance has not the sizes of what it belongs to.
    PARAMETER_MISMATCH = "E1223" "ParameterMismatch";
}

/// Weight and bias have the sizes of the normalized axes.
pub fn layer_norm(op: LayerNorm<'_>, diags: &Diagnostics) {
    let dims = dims(*op, op.input());
    let own: Vec<SizeExpr> = normalized(op.axes(), dims.len()).into_iter().map(|axis| dims[axis].clone()).collect();
    parameters(*op, &[("weight", op.weight()), ("bias", op.bias())], &own, diags);
    eps(*op, op.eps(), diags);
}

/// The weight has the sizes of the normalized axes.
pub fn rms_norm(op: RmsNorm<'_>, diags: &Diagnostics) {
    let dims = dims(*op, op.input());
    let own: Vec<SizeExpr> = normalized(op.axes(), dims.len()).into_iter().map(|axis| dims[axis].clone()).collect();
    parameters(*op, &[("weight", op.weight())], &own, diags);
    eps(*op, op.eps(), diags);
}

/// The channels can be divided into the groups; weight and bias have a number for each channel.
pub fn group_norm(op: GroupNorm<'_>, diags: &Diagnostics) {
    let Some(channels) = channels(*op, op.input(), op.layout(), diags) else { return };
    let groups = op.groups();
    if groups < 1 || channels.try_div(&groups.into()).is_none() {
        let error = op_error(*op, format!("{channels} channels cannot be divided into {groups} groups"));
        diags.emit(error.suggest("'groups' divides the number of channels"));
    }
    parameters(*op, &[("weight", op.weight()), ("bias", op.bias())], &[channels], diags);
    eps(*op, op.eps(), diags);
}

/// Mean, variance, weight and bias have a number for each channel.
pub fn batch_norm(op: BatchNorm<'_>, diags: &Diagnostics) {
    let Some(channels) = channels(*op, op.input(), op.layout(), diags) else { return };
    let given =
        [("mean", Some(op.mean())), ("variance", Some(op.variance())), ("weight", op.weight()), ("bias", op.bias())];
    parameters(*op, &given, &[channels], diags);
    eps(*op, op.eps(), diags);
}

fn dims(op: OpRef<'_>, value: ValueId) -> Vec<SizeExpr> {
    Tensor::of(op.ctx, op.type_of(value)).map(|ty| ty.dims(op.ctx)).unwrap_or_default()
}

/// The number of channels of an input.
fn channels(op: OpRef<'_>, input: ValueId, layout: Option<Layout>, diags: &Diagnostics) -> Option<SizeExpr> {
    let mut dims = dims(op, input);
    if dims.len() < 2 {
        let error = op_error(op, format!("{} has no axis of channels", show(&dims)));
        diags.emit(error.suggest("the axes are a batch, channels, and any number of spatial ones"));
        return None;
    }
    let axis = layout.unwrap_or(Layout::ChannelsFirst).channels(dims.len());
    Some(dims.swap_remove(axis))
}

fn parameters(op: OpRef<'_>, given: &[(&str, Option<ValueId>)], own: &[SizeExpr], diags: &Diagnostics) {
    for &(name, value) in given {
        let Some(value) = value else { continue };
        let sizes = dims(op, value);
        if sizes != own {
            let message = format!("'{name}' is {}, but what it belongs to is {}", show(&sizes), show(own));
            let error = Diagnostic::error(&PARAMETER_MISMATCH, op.loc(), message).at(op.name());
            diags.emit(error.suggest(format!("give '{name}' the sizes {}", show(own))));
        }
    }
}

fn eps(op: OpRef<'_>, eps: Option<f64>, diags: &Diagnostics) {
    if let Some(eps) = eps.filter(|eps| !(*eps >= 0.0 && eps.is_finite())) {
        diags.emit(
            op_error(op, format!("'eps' is {eps}")).suggest("it is a small number, not negative, such as 1.0e-05"),
        );
    }
}
