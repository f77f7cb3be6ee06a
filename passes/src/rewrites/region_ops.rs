//! Makes ops of a region whose values have their axes in the order of the kernel.

use dlc_core::guard::Guard;
use dlc_core::scalar;
use dlc_ir::body::{Body, InsertPoint};
use dlc_ir::builder::Builder;
use dlc_ir::interp::Datum;
use dlc_ir::{Attr, Context, Loc, Type, ValueId};
use dlc_region::ops::{BroadcastInDim, Cast, Const, NewBinary, Select, Transpose, Unary};
use dlc_region::types::Value;
use dlc_region::verify::{KernelAxes, axes_of};

use crate::analysis::axes::places;

/// Makes ops at a place. What it is given must have come from [`ordered`](Self::ordered) or from itself.
pub struct Emit<'b> {
    /// Builds at the place.
    pub builder: Builder<'b>,
    /// The location of what is made.
    pub loc: Loc,
    order: &'b KernelAxes,
}

impl<'b> Emit<'b> {
    /// At a place of a body with these axes.
    pub fn new(ctx: &'b Context, body: &'b mut Body, at: InsertPoint, loc: Loc, order: &'b KernelAxes) -> Emit<'b> {
        Emit { builder: Builder::new(ctx, body, at), loc, order }
    }

    fn axes(&self, value: ValueId) -> Vec<&'b str> {
        axes_of(self.builder.ctx, self.builder.body.value_type(value))
    }

    /// The type of the numbers of a value.
    pub fn elem(&self, value: ValueId) -> Type {
        let ty = self.builder.body.value_type(value);
        Value::expect(self.builder.ctx, ty).elem(self.builder.ctx)
    }

    fn place(&self, axis: &str) -> usize {
        self.order.position(axis).unwrap_or(usize::MAX)
    }

    /// Numbers of a type over the axes of some values.
    fn over(&self, elem: Type, values: &[ValueId]) -> Type {
        let mut axes: Vec<&str> = values.iter().flat_map(|&value| self.axes(value)).collect();
        axes.sort_by_key(|axis| self.place(axis));
        axes.dedup();
        Value::get(self.builder.ctx, elem, axes)
    }

    /// Gives a value a name.
    pub fn named(&mut self, value: ValueId, name: &str) -> ValueId {
        let name = self.builder.ctx.intern_str(name);
        self.builder.body.set_value_name(value, name);
        value
    }

    /// A value with its axes in the order of the kernel.
    pub fn ordered(&mut self, value: ValueId) -> ValueId {
        let mut axes = self.axes(value);
        axes.sort_by_key(|axis| self.place(axis));
        self.with_axes(value, &axes)
    }

    /// A value with these axes: its own in this order, and others, on which it does not depend.
    pub fn with_axes(&mut self, value: ValueId, axes: &[&str]) -> ValueId {
        let (ctx, elem, from) = (self.builder.ctx, self.elem(value), self.axes(value));
        let own: Vec<&str> = axes.iter().copied().filter(|axis| from.contains(axis)).collect();
        let mut value = value;
        if own != from {
            let ty = Value::get(ctx, elem, own.clone());
            let op = Transpose::build(&mut self.builder, self.loc, value, places(&own, &from), ty);
            value = self.builder.result(op);
        }
        if own != axes {
            let shape = axes.iter().filter_map(|axis| self.order.size(axis).cloned()).collect();
            let ty = Value::get(ctx, elem, axes.to_vec());
            let op = BroadcastInDim::build(&mut self.builder, self.loc, value, shape, places(&own, axes), ty);
            value = self.builder.result(op);
        }
        value
    }

    /// A value with the type and the axes of the one that it replaces.
    pub fn as_before(&mut self, value: ValueId, was: ValueId) -> ValueId {
        let (ctx, ty) = (self.builder.ctx, self.builder.body.value_type(was));
        let elem = self.elem(was);
        let value = self.cast(value, elem);
        self.with_axes(value, &axes_of(ctx, ty))
    }

    /// A number that the type has, rounded to it.
    pub fn number(&mut self, number: f64, elem: Type) -> ValueId {
        let value = Datum::Float(number).to_attr(self.builder.ctx, elem).unwrap_or(Attr::UNIT);
        self.constant(value, elem)
    }

    /// A number as an attribute of the type.
    pub fn constant(&mut self, value: Attr, elem: Type) -> ValueId {
        let ctx = self.builder.ctx;
        let op = Const::build(&mut self.builder, self.loc, value, Value::get(ctx, elem, Vec::new()));
        self.builder.result(op)
    }

    /// The number as another type; itself where it has that.
    pub fn cast(&mut self, value: ValueId, elem: Type) -> ValueId {
        if self.elem(value) == elem {
            return value;
        }
        let ty = self.over(elem, &[value]);
        let op = Cast::build(&mut self.builder, self.loc, value, None, ty);
        self.builder.result(op)
    }

    /// A function of a value.
    pub fn unary(&mut self, function: scalar::Unary, input: ValueId) -> ValueId {
        let op = Unary::build(&mut self.builder, self.loc, input, function);
        self.builder.result(op)
    }

    /// In the common type of both.
    pub fn binary(&mut self, function: scalar::Binary, lhs: ValueId, rhs: ValueId) -> ValueId {
        let (left, right) = (self.elem(lhs), self.elem(rhs));
        let elem = function.elem(self.builder.ctx, left, right).unwrap_or(left);
        let ty = self.over(elem, &[lhs, rhs]);
        let op = NewBinary { lhs, rhs, function, widen: None, out_type: ty }.build(&mut self.builder, self.loc);
        self.builder.result(op)
    }

    /// Of two values of one type, by another, or by a guard that says nothing of axes.
    pub fn select(&mut self, condition: Result<ValueId, Guard>, then: ValueId, otherwise: ValueId) -> ValueId {
        let mut operands = vec![then, otherwise];
        let guard = match condition {
            Ok(condition) => {
                operands.insert(0, condition);
                None
            }
            Err(guard) => Some(guard),
        };
        let ty = self.over(self.elem(then), &operands);
        let op = Select::build(&mut self.builder, self.loc, &operands, guard, ty);
        self.builder.result(op)
    }
}
