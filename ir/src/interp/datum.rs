//! Values while IR is run.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::attrs::{Attr, AttrData, wrap_integer};
use crate::context::Context;
use crate::float;
use crate::types::Type;

/// A value while IR is run.
#[derive(Clone)]
pub enum Datum {
    /// An integer: sign-extended (zero-extended for unsigned types), modulo two to the power of its width.
    Int(i128),
    /// A float, rounded to its type.
    Float(f64),
    /// Something that a layer knows: a tensor, a token.
    Opaque(Arc<dyn Any + Send + Sync>),
}

/// The integer, modulo two to the power of the width of its type.
pub fn wrap_int(ctx: &Context, value: i128, ty: Type) -> Datum {
    Datum::Int(wrap_integer(value, ctx.type_data(ty)))
}

/// The float, rounded to its type. For other types it stays as it is.
pub fn round_float(ctx: &Context, value: f64, ty: Type) -> Datum {
    Datum::Float(match ty.float_kind(ctx) {
        Some(kind) => float::decode(float::encode(value, kind), kind),
        None => value,
    })
}

impl Datum {
    /// A value of a layer's own.
    pub fn opaque<T: Any + Send + Sync>(value: T) -> Datum {
        Datum::Opaque(Arc::new(value))
    }

    /// The integer, if it is one.
    pub fn as_int(&self) -> Option<i128> {
        match self {
            Datum::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The float, if it is one.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Datum::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// The value of a layer's own, if it is one of this type.
    pub fn as_opaque<T: Any + Send + Sync>(&self) -> Option<&T> {
        match self {
            Datum::Opaque(value) => value.downcast_ref(),
            _ => None,
        }
    }

    /// The value of an integer or float attribute.
    pub fn of_attr(ctx: &Context, attr: Attr) -> Option<Datum> {
        match ctx.attr_data(attr) {
            AttrData::Integer { value, .. } => Some(Datum::Int(*value)),
            AttrData::Float { ty, bits } => Some(Datum::Float(float::decode(*bits, ty.float_kind(ctx)?))),
            _ => None,
        }
    }

    /// The value as a constant of a type. `None` for values that no attribute holds.
    pub fn to_attr(&self, ctx: &Context, ty: Type) -> Option<Attr> {
        match self {
            Datum::Int(value) if ty == Type::INDEX || ty.is_integer(ctx) => Some(ctx.int_attr(*value, ty)),
            Datum::Float(value) => {
                let bits = float::encode(*value, ty.float_kind(ctx)?);
                Some(ctx.attr(AttrData::Float { ty, bits }))
            }
            _ => None,
        }
    }
}

/// Numbers are equal bit by bit; values of a layer's own when they are one and the same.
impl PartialEq for Datum {
    fn eq(&self, other: &Datum) -> bool {
        match (self, other) {
            (Datum::Int(a), Datum::Int(b)) => a == b,
            (Datum::Float(a), Datum::Float(b)) => a.to_bits() == b.to_bits(),
            (Datum::Opaque(a), Datum::Opaque(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl fmt::Debug for Datum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Int(value) => write!(f, "{value}"),
            Datum::Float(value) => write!(f, "{value:?}"),
            Datum::Opaque(_) => f.write_str("a value of a layer's own"),
        }
    }
}

impl From<i128> for Datum {
    fn from(value: i128) -> Datum {
        Datum::Int(value)
    }
}

impl From<bool> for Datum {
    fn from(value: bool) -> Datum {
        Datum::Int(value.into())
    }
}

impl From<f64> for Datum {
    fn from(value: f64) -> Datum {
        Datum::Float(value)
    }
}
