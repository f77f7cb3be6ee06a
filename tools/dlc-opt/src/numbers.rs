//! What a program takes and gives, as plain numbers.

use dlc_core::memref::shaped;
use dlc_core::tensor::{TensorValue, count};
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

    /// The number at a place, with all the digits that it takes to read the same number.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn text(&self, place: usize) -> String {
        match self {
            Numbers::Int(values) => values[place].to_string(),
            // The shortest digits for an `f32` are fewer than those for the same number as an `f64`.
            Numbers::Float(values) => match values[place] {
                value if f64::from(value as f32) == value => format!("{:?}", value as f32),
                value => format!("{value:?}"),
            },
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
    /// What a value of a program is.
    ///
    /// Errors, as the end of a sentence, if it is something else than numbers, or more of them than fit: a view may
    /// repeat one without end.
    pub fn of(ctx: &Context, ty: Type, datum: &Datum) -> Result<Values, String> {
        if let Some(tensor) = datum.as_opaque::<TensorValue>() {
            count(tensor.shape()).map_err(|reason| format!("cannot be written out in full: {reason}"))?;
            let (shape, elem) = (tensor.shape().to_vec(), tensor.elem());
            let numbers = match tensor.kind().is_float() {
                true => Numbers::Float(tensor.to_f64s()),
                false => Numbers::Int(tensor.to_i64s()),
            };
            return Ok(Values { shape, elem, numbers });
        }
        let numbers = match datum {
            Datum::Float(value) => Numbers::Float(vec![*value]),
            // The interpreter extends the only bit of a truth value, as that of any signless integer.
            Datum::Int(value) if ty.bits(ctx) == Some(1) => Numbers::Int(vec![(value & 1) as i64]),
            Datum::Int(value) => Numbers::Int(vec![*value as i64]),
            Datum::Opaque(_) => return Err("is neither a tensor nor a number".into()),
        };
        Ok(Values { shape: Vec::new(), elem: ty, numbers })
    }

    /// The value of a program of this type. Numbers are rounded, or wrapped, to the type of the elements.
    ///
    /// Errors when there are too few numbers or too many, and for types that cannot be run.
    pub fn to_datum(&self, ctx: &Context, ty: Type) -> Result<Datum, String> {
        let elem = self.elem;
        if shaped(ctx, ty).is_some() {
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

#[cfg(test)]
mod tests {
    use dlc_core::types::Tensor;
    use dlc_ir::affine::SizeExpr;

    use super::*;

    #[test]
    fn numbers_go_into_a_program_and_come_back() {
        let ctx = Context::new([&dlc_core::DIALECT]);
        let cases = [
            (Type::F16, Numbers::Float(vec![0.5, f64::INFINITY, -2.0])),
            (Type::F64, Numbers::Float(vec![0.1, 1e300, -0.0])),
            (Type::I1, Numbers::Int(vec![1, 0, 1])),
            (Type::I8, Numbers::Int(vec![-128, 127, 0])),
        ];
        for (elem, numbers) in cases {
            let ty = Tensor::get(&ctx, vec![SizeExpr::from(3)], elem);
            let values = Values { shape: vec![3], elem, numbers };
            let datum = values.to_datum(&ctx, ty).expect("a tensor");
            assert_eq!(Values::of(&ctx, ty, &datum).as_ref(), Ok(&values));
            let one = |place| match &values.numbers {
                Numbers::Int(values) => Numbers::Int(vec![values[place]]),
                Numbers::Float(values) => Numbers::Float(vec![values[place]]),
            };
            let single = Values { shape: vec![], elem, numbers: one(0) };
            let datum = single.to_datum(&ctx, elem).expect("a number");
            assert_eq!(Values::of(&ctx, elem, &datum), Ok(single));
        }
    }

    #[test]
    fn wrong_counts_are_errors() {
        let ctx = Context::new([&dlc_core::DIALECT]);
        let ty = Tensor::get(&ctx, vec![SizeExpr::from(3)], Type::F32);
        let values = Values { shape: vec![3], elem: Type::F32, numbers: Numbers::Float(vec![1.0]) };
        assert!(values.to_datum(&ctx, ty).is_err());
        let none = Values { shape: vec![], elem: Type::F32, numbers: Numbers::Float(vec![]) };
        assert!(none.to_datum(&ctx, Type::F32).is_err() && none.numbers.is_empty());
        assert!(Values::of(&ctx, Type::F32, &Datum::opaque(1u8)).is_err());
    }

    #[test]
    fn texts_are_as_short_as_they_can_be() {
        let numbers = Numbers::Float(vec![0.1f32.into(), 0.1, f64::NAN, 1e-7]);
        assert_eq!([0, 1, 2, 3].map(|place| numbers.text(place)), ["0.1", "0.1", "NaN", "1e-7"]);
        assert_eq!(Numbers::Int(vec![-3]).text(0), "-3");
    }
}
