//! Elementwise functions, with broadcasting aligned at the right.
//!
//! The functions named `float` read every operand as `f64` and the ones named `int` integers as `i64` (`ui64` as its
//! bits). The result is rounded or wrapped to the type asked for: floats to integers as [`TensorValue::cast`] does,
//! except that truth values keep the lowest bit.

use dlc_ir::{Context, Type};

use super::read::{Lane, Load, Reader, build};
use super::{Data, ElemKind, TensorValue, broadcast_shapes, count};

/// Operands of the same sizes. Axes along which each of them repeats one element are left out (size 1): the result
/// repeats them too.
pub(super) struct Aligned<const N: usize> {
    shape: Vec<usize>,
    narrow: Vec<usize>,
    pub(super) operands: [TensorValue; N],
    pub(super) len: usize,
}

impl<const N: usize> Aligned<N> {
    pub(super) fn new(operands: [&TensorValue; N]) -> Result<Aligned<N>, String> {
        let shape = broadcast_shapes(&operands.map(TensorValue::shape))?;
        let mut wide = operands.map(TensorValue::clone);
        for operand in &mut wide {
            // To turn a large tensor is cheaper than to jump through it.
            if operand.transposed_axis().is_some() {
                *operand = operand.contiguous()?;
            }
            *operand = operand.broadcast_to(&shape)?;
        }
        let repeats: Vec<bool> =
            (0..shape.len()).map(|axis| wide.iter().all(|operand| operand.strides[axis] == 0)).collect();
        let operands = wide.map(|operand| operand.only_first(|axis| repeats[axis]));
        let narrow: Vec<usize> =
            shape.iter().zip(&repeats).map(|(&size, &repeats)| if repeats { size.min(1) } else { size }).collect();
        let len = count(&narrow)?;
        Ok(Aligned { shape, narrow, operands, len })
    }

    pub(super) fn finish(self, elem: Type, kind: ElemKind, data: Data) -> Result<TensorValue, String> {
        TensorValue::dense(self.narrow, elem, kind, data).broadcast_to(&self.shape)
    }
}

/// The result of a function of blocks: `block` gets the elements of every operand, one block of the length of the
/// result each, and fills that. Only those loops are compiled for each function.
fn elementwise<T: Load, R: Lane, const N: usize>(
    ctx: &Context,
    operands: [&TensorValue; N],
    elem: Type,
    block: &(dyn Fn([&[T]; N], &mut [R]) + Sync),
) -> Result<TensorValue, String> {
    let (kind, aligned) = (ElemKind::known(ctx, elem)?, Aligned::new(operands)?);
    let operands = &aligned.operands;
    let data = build(kind, aligned.len, &|start| {
        let mut readers = operands.each_ref().map(|operand| Reader::new(operand, start));
        let mut inputs = [const { vec![] }; N];
        Box::new(move |out| {
            for (reader, input) in readers.iter_mut().zip(&mut inputs) {
                input.resize(out.len(), T::default());
                reader.read(input);
            }
            block(inputs.each_ref().map(Vec::as_slice), out);
        })
    });
    aligned.finish(elem, kind, data)
}

fn map<T: Lane>(
    ctx: &Context,
    operand: &TensorValue,
    elem: Type,
    f: impl Fn(T) -> T + Sync,
) -> Result<TensorValue, String> {
    elementwise(ctx, [operand], elem, &|[a]: [&[T]; 1], out: &mut [T]| {
        out.iter_mut().zip(a).for_each(|(out, &a)| *out = f(a));
    })
}

fn zip<T: Load, R: Lane>(
    ctx: &Context,
    operands: [&TensorValue; 2],
    elem: Type,
    f: impl Fn(T, T) -> R + Sync,
) -> Result<TensorValue, String> {
    elementwise(ctx, operands, elem, &|[a, b]: [&[T]; 2], out: &mut [R]| {
        out.iter_mut().zip(a).zip(b).for_each(|((out, &a), &b)| *out = f(a, b));
    })
}

fn zip3<T: Lane>(
    ctx: &Context,
    operands: [&TensorValue; 3],
    elem: Type,
    f: impl Fn(T, T, T) -> T + Sync,
) -> Result<TensorValue, String> {
    elementwise(ctx, operands, elem, &|[a, b, c]: [&[T]; 3], out: &mut [T]| {
        out.iter_mut().zip(a).zip(b).zip(c).for_each(|(((out, &a), &b), &c)| *out = f(a, b, c));
    })
}

fn expect_integers(ctx: &Context, operands: &[&TensorValue]) -> Result<(), String> {
    match operands.iter().find(|operand| operand.kind.is_float()) {
        None => Ok(()),
        Some(float) => Err(format!("integers are needed, not {}", float.elem.display(ctx))),
    }
}

impl TensorValue {
    /// A function of each element, as a tensor of `elem`.
    pub fn map_float(&self, ctx: &Context, elem: Type, f: impl Fn(f64) -> f64 + Sync) -> Result<TensorValue, String> {
        map(ctx, self, elem, f)
    }

    /// A function of each element, an integer, as a tensor of `elem`.
    ///
    /// Errors for floats.
    pub fn map_int(&self, ctx: &Context, elem: Type, f: impl Fn(i64) -> i64 + Sync) -> Result<TensorValue, String> {
        expect_integers(ctx, &[self])?;
        map(ctx, self, elem, f)
    }

    /// A function of each two elements, as a tensor of `elem`.
    ///
    /// Errors when the sizes do not go together.
    pub fn zip_float(
        &self,
        ctx: &Context,
        other: &TensorValue,
        elem: Type,
        f: impl Fn(f64, f64) -> f64 + Sync,
    ) -> Result<TensorValue, String> {
        zip(ctx, [self, other], elem, f)
    }

    /// A function of each two elements, integers, as a tensor of `elem`.
    ///
    /// Errors when the sizes do not go together, and for floats.
    pub fn zip_int(
        &self,
        ctx: &Context,
        other: &TensorValue,
        elem: Type,
        f: impl Fn(i64, i64) -> i64 + Sync,
    ) -> Result<TensorValue, String> {
        expect_integers(ctx, &[self, other])?;
        zip(ctx, [self, other], elem, f)
    }

    /// A function of each three elements, as a tensor of `elem`.
    ///
    /// Errors when the sizes do not go together.
    pub fn zip3_float(
        &self,
        ctx: &Context,
        second: &TensorValue,
        third: &TensorValue,
        elem: Type,
        f: impl Fn(f64, f64, f64) -> f64 + Sync,
    ) -> Result<TensorValue, String> {
        zip3(ctx, [self, second, third], elem, f)
    }

    /// A function of each three elements, integers, as a tensor of `elem`.
    ///
    /// Errors when the sizes do not go together, and for floats.
    pub fn zip3_int(
        &self,
        ctx: &Context,
        second: &TensorValue,
        third: &TensorValue,
        elem: Type,
        f: impl Fn(i64, i64, i64) -> i64 + Sync,
    ) -> Result<TensorValue, String> {
        expect_integers(ctx, &[self, second, third])?;
        zip3(ctx, [self, second, third], elem, f)
    }

    /// What a predicate says of each two elements, as a tensor of `i1`.
    ///
    /// Errors when the sizes do not go together.
    pub fn compare_float(
        &self,
        ctx: &Context,
        other: &TensorValue,
        f: impl Fn(f64, f64) -> bool + Sync,
    ) -> Result<TensorValue, String> {
        zip(ctx, [self, other], Type::I1, |a: f64, b: f64| -> i64 { f(a, b).into() })
    }

    /// What a predicate says of each two elements, integers, as a tensor of `i1`. `ui64` are given as their bits.
    ///
    /// Errors when the sizes do not go together, and for floats.
    pub fn compare_int(
        &self,
        ctx: &Context,
        other: &TensorValue,
        f: impl Fn(i64, i64) -> bool + Sync,
    ) -> Result<TensorValue, String> {
        expect_integers(ctx, &[self, other])?;
        zip(ctx, [self, other], Type::I1, |a: i64, b: i64| -> i64 { f(a, b).into() })
    }

    /// The elements of `yes` where those of `condition` are not zero, elsewhere those of `no`.
    ///
    /// Errors when the sizes do not go together, when the condition is a float, and when the types of the others differ.
    pub fn select(
        ctx: &Context,
        condition: &TensorValue,
        yes: &TensorValue,
        no: &TensorValue,
    ) -> Result<TensorValue, String> {
        expect_integers(ctx, &[condition])?;
        if yes.elem != no.elem {
            return Err(format!("{} and {} are of different types", yes.elem.display(ctx), no.elem.display(ctx)));
        }
        // Integers are chosen as integers: not all of them are an f64.
        match yes.kind.is_float() {
            true => zip3(ctx, [condition, yes, no], yes.elem, |c: f64, yes, no| if c != 0.0 { yes } else { no }),
            false => zip3(ctx, [condition, yes, no], yes.elem, |c: i64, yes, no| if c != 0 { yes } else { no }),
        }
    }
}
