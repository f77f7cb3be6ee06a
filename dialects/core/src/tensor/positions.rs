//! Elements at positions that are affine in those of other axes: how the layers below tiny read a tensor.

use dlc_ir::affine::SizeExpr;
use dlc_ir::interp::Datum;
use dlc_ir::{Context, Type};

use super::{TensorValue, count};
use crate::guard::{Condition, Guard};
use crate::sizes::Bindings;

/// Named axes of known sizes, whose points are gone over in row-major order.
#[derive(Clone, Debug)]
pub struct Points<'a> {
    /// The names, such as `i0`.
    pub names: Vec<&'a str>,
    /// The size of each axis.
    pub shape: Vec<usize>,
    /// What the other symbols in expressions are.
    pub symbols: &'a Bindings,
}

/// The position on one axis of a tensor that is read.
#[derive(Clone, Debug)]
pub enum Position<'v> {
    /// An expression of the axes.
    At(&'v SizeExpr),
    /// An element of a tensor of integers, which is broadcast to the sizes of the points.
    Element(&'v TensorValue),
}

/// An expression that is ready to be evaluated at many points.
enum Value<'e> {
    /// A constant, and axes with a factor for each. No point is so far out that it goes beyond 64 bits.
    Linear(i64, Vec<(usize, i64)>),
    /// The same where some may go beyond.
    Wide(i64, Vec<(usize, i64)>),
    /// Any other.
    General(&'e SizeExpr),
}

impl Points<'_> {
    fn prepare<'e>(&self, expr: &'e SizeExpr) -> Result<Value<'e>, String> {
        let Some((terms, mut constant)) = expr.as_linear() else { return Ok(Value::General(expr)) };
        let mut factors: Vec<(usize, i64)> = Vec::with_capacity(terms.len());
        let beyond = || format!("{expr} goes beyond 64 bits");
        for (name, factor) in terms {
            match self.names.iter().position(|known| **known == *name) {
                Some(axis) => factors.push((axis, factor)),
                None => {
                    let value = self.symbols.integer(&SizeExpr::symbol(&name).map_err(|error| error.message)?)?;
                    let term = value.checked_mul(factor).ok_or_else(beyond)?;
                    constant = constant.checked_add(term).ok_or_else(beyond)?;
                }
            }
        }
        // Any order of adding stays within what the terms come to at most.
        let reach = |&(axis, factor): &(usize, i64)| i128::from(factor).abs() * self.shape[axis] as i128;
        let most = i128::from(constant).abs() + factors.iter().map(reach).sum::<i128>();
        Ok(match i64::try_from(most) {
            Ok(_) => Value::Linear(constant, factors),
            Err(_) => Value::Wide(constant, factors),
        })
    }

    fn value(&self, value: &Value<'_>, at: &[usize]) -> Result<i64, String> {
        match value {
            Value::Linear(constant, factors) => {
                Ok(factors.iter().fold(*constant, |sum, &(axis, factor)| sum + factor * at[axis] as i64))
            }
            Value::Wide(constant, factors) => {
                let sum = factors.iter().map(|&(axis, factor)| i128::from(factor) * at[axis] as i128).sum::<i128>();
                i64::try_from(sum + i128::from(*constant)).map_err(|_| "a position goes beyond 64 bits".to_string())
            }
            Value::General(expr) => {
                let number = |name: &str| match self.names.iter().position(|known| *known == name) {
                    Some(axis) => Some(at[axis] as i64),
                    None => self.symbols.integer(&SizeExpr::symbol(name).ok()?).ok(),
                };
                expr.eval(&number).map_err(|error| error.message.into_owned())
            }
        }
    }

    /// Calls a function at every point, in row-major order.
    fn each(&self, mut f: impl FnMut(&[usize]) -> Result<(), String>) -> Result<(), String> {
        let mut at = vec![0; self.shape.len()];
        for _ in 0..count(&self.shape)? {
            f(&at)?;
            for axis in (0..at.len()).rev() {
                at[axis] += 1;
                if at[axis] < self.shape[axis] {
                    break;
                }
                at[axis] = 0;
            }
        }
        Ok(())
    }

    /// The number that an expression is at each point, wrapped or rounded to a type.
    pub fn numbers(&self, ctx: &Context, expr: &SizeExpr, elem: Type) -> Result<TensorValue, String> {
        let value = self.prepare(expr)?;
        let mut numbers = Vec::with_capacity(count(&self.shape)?);
        self.each(|at| {
            numbers.push(self.value(&value, at)?);
            Ok(())
        })?;
        TensorValue::from_i64(ctx, self.shape.clone(), elem, numbers)
    }

    /// Whether each point is inside of a guard, as `i1`.
    pub fn inside(&self, ctx: &Context, guard: &Guard) -> Result<TensorValue, String> {
        let mut pieces = Vec::with_capacity(guard.pieces.len());
        for piece in &guard.pieces {
            let ready = piece.iter().map(|condition| self.ready(condition)).collect::<Result<Vec<_>, String>>()?;
            pieces.push(ready);
        }
        let mut inside = Vec::with_capacity(count(&self.shape)?);
        self.each(|at| {
            let mut any = false;
            for piece in &pieces {
                let mut all = true;
                for condition in piece {
                    all = all && self.holds(condition, at)?;
                }
                any = any || all;
            }
            inside.push(i64::from(any));
            Ok(())
        })?;
        TensorValue::from_i64(ctx, self.shape.clone(), Type::I1, inside)
    }

    fn ready<'e>(&self, condition: &'e Condition) -> Result<Ready<'e>, String> {
        let bound = |bound: &'e Option<SizeExpr>| bound.as_ref().map(|bound| self.prepare(bound)).transpose();
        Ok(Ready {
            expr: self.prepare(&condition.expr)?,
            lower: bound(&condition.lower)?,
            upper: bound(&condition.upper)?,
        })
    }

    fn holds(&self, condition: &Ready<'_>, at: &[usize]) -> Result<bool, String> {
        let value = self.value(&condition.expr, at)?;
        if let Some(lower) = &condition.lower
            && value < self.value(lower, at)?
        {
            return Ok(false);
        }
        match &condition.upper {
            Some(upper) => Ok(value < self.value(upper, at)?),
            None => Ok(true),
        }
    }

    /// The strides and the start of a view that has, at each point, the element at these positions. `None` where the
    /// positions are not linear in the axes, or leave the tensor.
    fn strides(&self, tensor: &TensorValue, at: &[Position<'_>]) -> Result<Option<(Vec<isize>, isize)>, String> {
        let (mut strides, mut offset) = (vec![0isize; self.shape.len()], tensor.offset);
        for ((position, &size), &stride) in at.iter().zip(&tensor.shape).zip(&tensor.strides) {
            let Position::At(expr) = position else { return Ok(None) };
            let (Value::Linear(constant, factors) | Value::Wide(constant, factors)) = self.prepare(expr)? else {
                return Ok(None);
            };
            let (mut first, mut last) = (i128::from(constant), i128::from(constant));
            for &(axis, factor) in &factors {
                let reach = i128::from(factor) * (self.shape[axis] as i128 - 1);
                first += reach.min(0);
                last += reach.max(0);
            }
            if first < 0 || last >= size as i128 {
                return Ok(None);
            }
            // Within the tensor nothing overflows, but for steps that are never taken.
            offset += stride * constant as isize;
            for (axis, factor) in factors {
                strides[axis] += if self.shape[axis] > 1 { stride * factor as isize } else { 0 };
            }
        }
        Ok(Some((strides, offset)))
    }
}

/// A condition that is ready to be evaluated at many points.
struct Ready<'e> {
    expr: Value<'e>,
    lower: Option<Value<'e>>,
    upper: Option<Value<'e>>,
}

impl TensorValue {
    /// The element at some position on each axis, for every point. `fill` is what stands outside of the guard, and
    /// where an element that is a position is none of the axis; zero unless it is given. A view where it can be one.
    ///
    /// Errors when there is not one position for each axis, and when an expression is outside of its axis at a point
    /// that no guard excludes.
    pub fn read_at(
        &self,
        ctx: &Context,
        points: &Points<'_>,
        at: &[Position<'_>],
        guard: Option<&Guard>,
        fill: Option<&Datum>,
    ) -> Result<TensorValue, String> {
        if at.len() != self.rank() {
            return Err(format!("{} positions are given for the sizes {:?}", at.len(), self.shape));
        }
        let shape = points.shape.clone();
        let len = count(&shape)?;
        if guard.is_none()
            && len > 0
            && let Some((strides, offset)) = points.strides(self, at)?
        {
            return Ok(self.view(shape, strides, offset));
        }
        let inside = guard.map(|guard| points.inside(ctx, guard)).transpose()?.map(|inside| inside.to_i64s());
        let elements = at.iter().map(|position| match position {
            Position::At(expr) => points.prepare(expr).map(Ok),
            Position::Element(tensor) => Ok(Err(tensor.broadcast_to(&shape)?.to_i64s())),
        });
        let elements = elements.collect::<Result<Vec<Result<Value<'_>, Vec<i64>>>, String>>()?;
        let (mut starts, mut point) = (Vec::with_capacity(len), 0);
        points.each(|index| {
            let excluded = inside.as_ref().is_some_and(|inside| inside[point] == 0);
            let mut start = (!excluded).then_some(0isize);
            for (axis, element) in elements.iter().enumerate() {
                let (size, stride) = (self.shape[axis], self.strides[axis]);
                let Some(before) = start else { break };
                let at = match element {
                    Ok(value) => points.value(value, index)?,
                    Err(elements) => elements[point],
                };
                start = match usize::try_from(at).ok().filter(|&at| at < size) {
                    Some(at) => Some(before.wrapping_add(stride.wrapping_mul(at as isize))),
                    None if element.is_err() => None,
                    None => return Err(format!("{at} is read on an axis of size {size}, at the point {index:?}")),
                };
            }
            starts.push(start);
            point += 1;
            Ok(())
        })?;
        let picked = self.pick(&shape, &starts);
        match fill {
            Some(fill) if starts.contains(&None) => {
                let there = starts.iter().map(|start| i64::from(start.is_some())).collect();
                let there = TensorValue::from_i64(ctx, shape.clone(), Type::I1, there)?;
                TensorValue::select(ctx, &there, &picked, &TensorValue::splat(ctx, shape, self.elem, fill)?)
            }
            _ => Ok(picked),
        }
    }
}
