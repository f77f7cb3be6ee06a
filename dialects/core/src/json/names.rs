//! Types, sizes and numbers as JSON spells them.

use std::collections::{HashMap, HashSet};

use dlc_ir::affine::SizeExpr;
use dlc_ir::diag::did_you_mean;
use dlc_ir::text::foreign::element_type;
use dlc_ir::types::{FloatKind, Signedness};
use dlc_ir::{Context, Type, TypeData, ValueId, float};

use super::WRONG_VALUE;
use super::node::{Kind, Node, Read};
use super::write::Item;
use crate::sizes::admits;

/// The names of the types of elements.
pub(super) const DTYPES: [&str; 15] = [
    "fp16", "bf16", "fp32", "fp64", "fp8e4m3", "fp8e5m2", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16",
    "uint32", "uint64",
];

fn dtype(ctx: &Context, name: &str) -> Option<Type> {
    Some(match name {
        "fp16" => Type::F16,
        "bf16" => Type::BF16,
        "fp32" => Type::F32,
        "fp64" => Type::F64,
        "fp8e4m3" => ctx.float_type(FloatKind::F8E4M3FN),
        "fp8e5m2" => ctx.float_type(FloatKind::F8E5M2),
        "bool" => Type::I1,
        "int8" => Type::I8,
        "int16" => Type::I16,
        "int32" => Type::I32,
        "int64" => Type::I64,
        "uint8" | "uint16" | "uint32" | "uint64" => {
            let width = name.trim_start_matches("uint").parse().ok()?;
            ctx.ty(TypeData::Integer { width, sign: Signedness::Unsigned })
        }
        _ => return None,
    })
}

/// What JSON calls an element type that has this name in the text of the IR.
fn same_in_json(ctx: &Context, name: &str) -> Option<&'static str> {
    DTYPES.into_iter().find(|own| dtype(ctx, own).is_some_and(|ty| ty.display(ctx) == name))
}

/// The name of a type of elements; `None` for a type that has none.
pub fn dtype_name(ctx: &Context, ty: Type) -> Option<&'static str> {
    DTYPES.into_iter().find(|name| dtype(ctx, name) == Some(ty))
}

/// A number or truth value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scalar {
    /// `true`
    Bool(bool),
    /// `-3`
    Int(i128),
    /// `0.5`, `"-inf"`
    Float(f64),
}

impl Scalar {
    /// As it is written: what JSON has no number for is a string.
    pub fn item(self) -> Item {
        match self {
            Scalar::Bool(value) => Item::Bool(value),
            Scalar::Int(value) => Item::Int(value),
            Scalar::Float(value) if value.is_nan() => "nan".into(),
            Scalar::Float(value) if value.is_infinite() => if value > 0.0 { "inf" } else { "-inf" }.into(),
            Scalar::Float(value) => Item::Float(value),
        }
    }
}

impl Node<'_> {
    /// The type of elements that a string names: `fp16`, `int32`, `bool`.
    pub fn dtype(&self, ctx: &Context) -> Read<Type> {
        let name = self.string("the name of an element type, such as \"fp16\"")?;
        dtype(ctx, &name).ok_or_else(|| {
            let near = match element_type(&name).and_then(|own| same_in_json(ctx, own)) {
                Some(own) => Some(format!("did you mean '{own}'?")),
                None => did_you_mean(&name, DTYPES),
            };
            let all = || format!("the types are {}", DTYPES.join(", "));
            let error = self.error(&WRONG_VALUE, format!("'{}': there is no element type '{name}'", self.path()));
            self.report(error.suggest(near.unwrap_or_else(all)))
        })
    }

    /// A symbolic integer: a number, or a string like `"M"` or `"2*K - 1"`.
    pub fn expr(&self) -> Read<SizeExpr> {
        match self.kind() {
            Kind::Number => self.int().map(SizeExpr::from),
            Kind::String => {
                let text = self.string("an integer")?;
                SizeExpr::parse(&text).map_err(|error| {
                    let message = format!("'{}': \"{text}\" is no integer: {}", self.path(), error.message);
                    self.report(self.error(&WRONG_VALUE, message))
                })
            }
            _ => Err(self.not("an integer, such as 4, \"M\" or \"2*K + 1\"")),
        }
    }

    /// A size: a number, or a string like `"M"` or `"2*K + 1"`.
    pub fn size(&self) -> Read<SizeExpr> {
        let size = self.expr()?;
        match admits(&size) {
            Ok(()) => Ok(size),
            Err(_) if size.as_constant().is_some_and(|size| size < 0) => Err(self.not("a size, which is not negative")),
            Err(why) => Err(self.report(self.error(&WRONG_VALUE, format!("'{}': {why}", self.path())))),
        }
    }

    /// A list of sizes.
    pub fn sizes(&self) -> Read<Vec<SizeExpr>> {
        self.list_of("a list of sizes, such as [\"M\", 4]", Node::size)
    }

    /// A number or truth value; a float that JSON has no number for is a string.
    pub fn scalar(&self) -> Read<Scalar> {
        let wanted = "a number, true, false, \"inf\", \"-inf\" or \"nan\"";
        match (self.kind(), self.text()) {
            (Kind::Bool, text) => Ok(Scalar::Bool(text == "true")),
            (Kind::Number, text) if !text.contains(['.', 'e', 'E']) => {
                let value = text.parse().map(Scalar::Int);
                value.map_err(|_| self.not("a number of at most 128 bits"))
            }
            (Kind::Number, text) => match text.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(Scalar::Float(value)),
                _ => {
                    let error = self.wrong("a number that a 64-bit float can hold");
                    Err(self.report(error.suggest("infinity is written \"inf\"")))
                }
            },
            (Kind::String, "\"inf\"") => Ok(Scalar::Float(f64::INFINITY)),
            (Kind::String, "\"-inf\"") => Ok(Scalar::Float(f64::NEG_INFINITY)),
            (Kind::String, "\"nan\"") => Ok(Scalar::Float(f64::NAN)),
            _ => Err(self.not(wanted)),
        }
    }
}

/// The number with the fewest digits that rounds to these bits; a whole number is itself.
pub fn shortest(bits: u64, kind: FloatKind) -> f64 {
    let value = float::decode(bits, kind);
    if !value.is_finite() || (value.trunc() == value && value.abs() < 1e15) {
        return value;
    }
    // 17 digits distinguish all 64-bit numbers.
    let with_digits = |digits: usize| format!("{value:.*e}", digits).parse::<f64>().ok();
    let short = (0..17).filter_map(with_digits).find(|&short| float::encode(short, kind) == bits);
    short.unwrap_or(value)
}

/// A size as it is written.
pub fn size_item(size: &SizeExpr) -> Item {
    match size.as_constant() {
        Some(value) => Item::Int(value.into()),
        None => size.to_string().as_str().into(),
    }
}

/// Sizes as they are written.
pub fn sizes_item(sizes: &[SizeExpr]) -> Item {
    Item::List(sizes.iter().map(size_item).collect())
}

/// Whether the text of the IR shows a value under this name.
pub fn is_plain(name: &str) -> bool {
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || b"$._-".contains(&byte);
    !name.as_bytes().first().is_none_or(u8::is_ascii_digit) && name.bytes().all(inside)
}

/// A name of its own for every value: the given one, if it is not empty and no value before has it, else the letter
/// with a number.
pub fn distinct(given: &[(ValueId, &str)], letter: char) -> HashMap<ValueId, String> {
    let (mut names, mut taken) = (HashMap::new(), HashSet::new());
    for &(value, name) in given {
        if !name.is_empty() && taken.insert(name.to_string()) {
            names.insert(value, name.to_string());
        }
    }
    let mut numbered = (0..).map(|number| format!("{letter}{number}"));
    for (value, _) in given {
        names.entry(*value).or_insert_with(|| numbered.find(|name| !taken.contains(name)).unwrap_or_default());
    }
    names
}
