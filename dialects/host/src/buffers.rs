//! The buffers of a program: when they live, how large they are, where they lie.

use std::collections::HashMap;

use dlc_core::memref::MemRef;
use dlc_ir::affine::{AffineError, SizeExpr};
use dlc_ir::body::ValueDef;
use dlc_ir::{Context, OpId, OpRef, Type, ValueId};

use crate::ops::{Launch, Return, View};

/// A result of a launch.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// The launch.
    pub op: OpId,
    /// Which of its results.
    pub result: usize,
    /// The result.
    pub value: ValueId,
    /// The type.
    pub ty: MemRef,
    /// The place of the launch among the ops.
    pub first: usize,
    /// The place of the last op that reads it, or a view of it.
    pub last: usize,
    /// Whether it is returned to the caller, itself or by a view.
    pub is_returned: bool,
    /// Where it begins in the arena, in bytes.
    pub offset: Option<SizeExpr>,
}

impl Buffer {
    /// Whether there is an op at which both are needed.
    pub fn lives_with(&self, other: &Buffer) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

/// The buffers of a function, in the order of their launches.
#[derive(Clone, Debug, Default)]
pub struct Buffers {
    /// The buffers.
    pub list: Vec<Buffer>,
}

impl Buffers {
    /// The buffers of the function whose first block is that of the body of `root`.
    pub fn of(root: OpRef<'_>) -> Buffers {
        let (ctx, body) = (root.ctx, root.body);
        let mut list: Vec<Buffer> = Vec::new();
        // The buffer that a value is, or is a view of.
        let mut buffer_of: HashMap<ValueId, usize> = HashMap::new();
        let ops = body.entry_block().into_iter().flat_map(|block| body.ops(block));
        for (place, id) in ops.enumerate() {
            let op = OpRef { id, ..root };
            for value in op.operands() {
                if let Some(&buffer) = buffer_of.get(&value) {
                    list[buffer].last = place;
                    list[buffer].is_returned |= op.is(Return::DEF);
                }
            }
            if op.is(View::DEF) {
                let buffer = op.operands().next().and_then(|input| buffer_of.get(&input).copied());
                if let (Some(buffer), Some(out)) = (buffer, op.results().next()) {
                    buffer_of.insert(out, buffer);
                }
            } else if let Some(launch) = Launch::of(op) {
                let offsets = launch.offsets().unwrap_or_default();
                for (result, value) in op.results().enumerate() {
                    let Some(ty) = MemRef::of(ctx, op.type_of(value)) else { continue };
                    buffer_of.insert(value, list.len());
                    let offset = offsets.get(result).cloned().flatten();
                    let (first, last, is_returned) = (place, place, false);
                    list.push(Buffer { op: id, result, value, ty, first, last, is_returned, offset });
                }
            }
        }
        Buffers { list }
    }
}

/// The value that a value is a view of, through any number of views: a buffer, a constant or an argument.
pub fn origin(op: OpRef<'_>, value: ValueId) -> ValueId {
    let mut value = value;
    // Verified IR has no cycles; what is not verified yet may have.
    for _ in 0..op.body.num_ops() {
        let ValueDef::Result(id, _) = op.body.value_def(value) else { break };
        let view = OpRef { id, ..op };
        let Some(input) = view.operands().next().filter(|_| view.is(View::DEF)) else { break };
        value = input;
    }
    value
}

/// The bytes of an element: whole ones.
pub fn element_bytes(ctx: &Context, elem: Type) -> i64 {
    elem.bits(ctx).map_or(1, |bits| i64::from(bits.div_ceil(8)).max(1))
}

/// The number of elements. An error beyond the limits of symbolic sizes.
pub fn elements(dims: &[SizeExpr]) -> Result<SizeExpr, AffineError> {
    dims.iter().try_fold(SizeExpr::from(1), |count, dim| count.mul(dim))
}

/// The bytes from the first to the end of the last element. An error beyond the limits of symbolic sizes.
pub fn bytes(ctx: &Context, ty: MemRef) -> Result<SizeExpr, AffineError> {
    let width = element_bytes(ctx, ty.elem(ctx));
    ty.layout(ctx).extent(&ty.dims(ctx), width)?.mul(&SizeExpr::from(width))
}

/// The least multiple of a number that is no smaller.
///
/// # Panics
/// If the number is not positive.
pub fn round_up(size: &SizeExpr, to: i64) -> Result<SizeExpr, AffineError> {
    assert!(to > 0, "sizes are rounded to a positive number");
    if size.divisible_by(to) {
        return Ok(size.clone());
    }
    size.ceildiv(&SizeExpr::from(to))?.mul(&SizeExpr::from(to))
}
