//! The rules of shapes: from operands and attributes to the types of the results. The verifier holds each op to them.

pub(crate) use dlc_core::infer::{as_float, attr, axes, operand, optional, tensor};
