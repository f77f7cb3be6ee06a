//! What a program takes and gives, as plain numbers.

use dlc_core::tensor::TensorValue;
use dlc_core::types::Tensor;
use dlc_ir::interp::{Datum, round_float, wrap_int};
use dlc_ir::{Context, Type};

/// Numbers in row-major order.
#[derive(Clone, PartialEq, Debug)]
pub enum Numbers {
    /// Integers and truth values (0 and 1), modulo two to the 64th; those of unsigned types are to be read so.
    Int(Vec<i64>),
    /// Floats of any width.
    Float(Vec<f64>),
}

impl Numbers {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Numbers::Int(values) => values.len(),
            Numbers::Float(values) => values.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A tensor, or a single number, which has no sizes.
#[derive(Clone, PartialEq, Debug)]
pub struct Values {
    /// The sizes.
    pub shape: Vec<usize>,
    /// The type of the elements.
    pub elem: Type,
    /// The elements, as many as the sizes say.
    pub numbers: Numbers,
}

impl Values {
    /// What a value of a program is; `None` if it is something else than numbers.
    pub fn of(ctx: &Context, ty: Type, datum: &Datum) -> Option<Values> {
        if let Some(tensor) = datum.as_opaque::<TensorValue>() {
            let (shape, elem) = (tensor.shape().to_vec(), tensor.elem());
            let numbers = match tensor.kind().is_float() {
                true => Numbers::Float(tensor.to_f64s()),
                false => Numbers::Int(tensor.to_i64s()),
            };
            return Some(Values { shape, elem, numbers });
        }
        let numbers = match datum {
            Datum::Float(value) => Numbers::Float(vec![*value]),
            // The interpreter extends the only bit of a truth value, as that of any signless integer.
            Datum::Int(value) if ty.bits(ctx) == Some(1) => Numbers::Int(vec![(value & 1) as i64]),
            Datum::Int(value) => Numbers::Int(vec![*value as i64]),
            Datum::Opaque(_) => return None,
        };
        Some(Values { shape: Vec::new(), elem: ty, numbers })
    }

    /// The value of a program of this type. Numbers are rounded, or wrapped, to the type of the elements.
    ///
    /// Errors when there are too few numbers or too many, and for types that cannot be run.
    pub fn to_datum(&self, ctx: &Context, ty: Type) -> Result<Datum, String> {
        let elem = self.elem;
        if Tensor::of(ctx, ty).is_some() {
            let shape = self.shape.clone();
            return Ok(Datum::opaque(match &self.numbers {
                Numbers::Int(values) => TensorValue::from_i64(ctx, shape, elem, values.clone())?,
                Numbers::Float(values) => TensorValue::from_f64(ctx, shape, elem, values.clone())?,
            }));
        }
        match &self.numbers {
            Numbers::Int(values) => values.first().map(|&value| wrap_int(ctx, value.into(), elem)),
            Numbers::Float(values) => values.first().map(|&value| round_float(ctx, value, elem)),
        }
        .ok_or_else(|| "there is no number".to_string())
    }
}
