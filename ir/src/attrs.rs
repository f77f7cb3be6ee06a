//! Attributes: interned constants, compared by id, made and read through the [`Context`].

use std::sync::Arc;

use crate::affine::{AffineMap, IntegerSet};
use crate::context::{Context, Str};
use crate::location::Loc;
use crate::types::{Type, TypeData};

/// An interned attribute. Read it with [`Context::attr_data`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Attr(pub(crate) u32);

/// A name and its attribute: an entry of a dictionary.
pub type NamedAttr = (Str, Attr);

/// What an attribute is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum AttrData<'a> {
    /// `unit`; in a dictionary the bare key.
    Unit,
    /// `7 : i32`; of type `i1` it is `true` or `false`. Held sign-extended (unsigned types zero-extended), at most 128
    /// bits.
    Integer {
        /// An integer type or `index`.
        ty: Type,
        /// The value, which fits the type.
        value: i128,
    },
    /// `1.5 : f32`: the bits in the format of the type.
    Float {
        /// A float type.
        ty: Type,
        /// The bits, in the low end.
        bits: u64,
    },
    /// `"text"`
    String(Str),
    /// `[a, b]`
    Array(&'a [Attr]),
    /// `{a = 1, b}`: sorted by key, no key twice.
    Dict(&'a [NamedAttr]),
    /// `i32`, `(i32) -> f16`
    Type(Type),
    /// `@f`, `@f::@g`: the root and what is nested in it.
    Symbol(&'a [Str]),
    /// `affine_map<(d0) -> (d0)>`
    AffineMap(Arc<AffineMap>),
    /// `affine_set<(d0) : (d0 >= 0)>`
    IntegerSet(Arc<IntegerSet>),
    /// `array<i64: 1, 2>`: integers or floats of one type.
    DenseArray {
        /// The type of every element.
        elem: Type,
        /// The elements, each an `Integer` or `Float` of that type.
        items: &'a [Attr],
    },
    /// `dense<[1, 2]> : tensor<2xi64>`: a tensor of constants with static sizes.
    Dense(DenseData<'a>),
    /// `dense_resource<key> : tensor<2xcomplex<f32>>`: a constant of a type that dlc does not compute with, in the
    /// resources of the file.
    Resource {
        /// The type, as it was written.
        ty: Type,
        /// The bytes, shared.
        payload: Arc<[u8]>,
        /// Where they are written.
        place: Resource,
    },
    /// A location as a value: `loc("f":1:2)`.
    Loc(Loc),
    /// An attribute that a registered dialect declares.
    Dialect {
        /// Its declaration.
        def: AttrName,
        /// Its parameters, as many as the declaration wants.
        params: &'a [Attr],
    },
    /// An attribute that nobody here knows, kept as it was written, with its type if it has one:
    /// `#plan.tile<m = 16> : i32`.
    Opaque {
        /// The dialect; `builtin` for an attribute of MLIR's that dlc has no use for.
        dialect: Str,
        /// The whole spelling, without the type.
        text: Str,
        /// What stands after the colon.
        ty: Option<Type>,
    },
}

/// A tensor of constants. The payload is shared, never copied: it may be megabytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DenseData<'a> {
    /// The static sizes; empty for a scalar.
    pub shape: &'a [u64],
    /// An integer or float type, or `index`.
    pub elem: Type,
    /// Little-endian elements in row-major order, each in [`elem_bytes`](Self::elem_bytes) bytes; a single element
    /// stands for all of them (a splat).
    pub payload: Arc<[u8]>,
    /// The MLIR word for the container, `tensor` or `vector`.
    pub container: Container,
    /// Where the payload is written: next to the text, in the file's resources, under this name; `None` for inside it.
    pub resource: Option<Resource>,
}

/// The place of a payload in the resources at the end of a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Resource {
    /// Its key.
    pub name: Str,
    /// The alignment in bytes that is written before the payload.
    pub align: u32,
}

/// The container of a [`DenseData`], as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Container {
    /// `tensor<2xi64>`
    Tensor,
    /// `vector<2xi64>`
    Vector,
}

impl DenseData<'_> {
    /// The number of elements, `None` when it exceeds 64 bits.
    pub fn len(&self) -> Option<u64> {
        self.shape.iter().try_fold(1u64, |len, &size| len.checked_mul(size))
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// The bytes of an element: its width rounded up to whole bytes.
    pub fn elem_bytes(&self, ctx: &Context) -> usize {
        self.elem.bits(ctx).map_or(0, |bits| bits.div_ceil(8) as usize)
    }

    /// Whether one element stands for all (even where the shape has none: `dense<0> : tensor<0xi32>`).
    pub fn is_splat(&self, ctx: &Context) -> bool {
        !self.payload.is_empty() && self.payload.len() == self.elem_bytes(ctx)
    }
}

/// A registered attribute declaration; [`Context::attr_def`] gives it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AttrName(pub(crate) u32);

// Interned by every context first, in this order.
impl Attr {
    /// `unit`
    pub const UNIT: Attr = Attr(0);
    /// The empty dictionary.
    pub const EMPTY_DICT: Attr = Attr(1);
    /// `false`
    pub const FALSE: Attr = Attr(2);
    /// `true`
    pub const TRUE: Attr = Attr(3);
    pub(crate) const WELL_KNOWN: &'static [AttrData<'static>] = &[
        AttrData::Unit,
        AttrData::Dict(&[]),
        AttrData::Integer { ty: Type::I1, value: 0 },
        AttrData::Integer { ty: Type::I1, value: 1 },
    ];

    /// The value of an integer attribute that fits 64 bits.
    pub fn as_int(self, ctx: &Context) -> Option<i64> {
        match ctx.attr_data(self) {
            AttrData::Integer { value, .. } => i64::try_from(*value).ok(),
            _ => None,
        }
    }

    /// The value of an attribute of type `i1`.
    pub fn as_bool(self, ctx: &Context) -> Option<bool> {
        match ctx.attr_data(self) {
            AttrData::Integer { ty, value } if ty.bits(ctx) == Some(1) => Some(*value != 0),
            _ => None,
        }
    }

    /// The text of a string attribute.
    pub fn as_str(self, ctx: &Context) -> Option<&str> {
        self.as_string(ctx).map(|text| ctx.str(text))
    }

    /// The same, interned.
    pub fn as_string(self, ctx: &Context) -> Option<Str> {
        match ctx.attr_data(self) {
            AttrData::String(text) => Some(*text),
            _ => None,
        }
    }

    /// The elements of an array attribute.
    pub fn as_array(self, ctx: &Context) -> Option<&[Attr]> {
        match ctx.attr_data(self) {
            AttrData::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The entries of a dictionary attribute, sorted by key.
    pub fn as_dict(self, ctx: &Context) -> Option<&[NamedAttr]> {
        match ctx.attr_data(self) {
            AttrData::Dict(entries) => Some(entries),
            _ => None,
        }
    }

    /// The type that a type attribute holds.
    pub fn as_type(self, ctx: &Context) -> Option<Type> {
        match ctx.attr_data(self) {
            AttrData::Type(ty) => Some(*ty),
            _ => None,
        }
    }

    /// The path of a symbol reference: the root, then what is nested.
    pub fn as_symbol(self, ctx: &Context) -> Option<&[Str]> {
        match ctx.attr_data(self) {
            AttrData::Symbol(path) => Some(path),
            _ => None,
        }
    }

    /// The type of the constant that the attribute stands for: of integers, floats, dense constants with a type.
    pub fn value_type(self, ctx: &Context) -> Option<Type> {
        match ctx.attr_data(self) {
            AttrData::Integer { ty, .. } | AttrData::Float { ty, .. } => Some(*ty),
            AttrData::Opaque { ty, .. } => *ty,
            _ => None,
        }
    }
}

/// Whether an integer fits a type: `width` bits, two's complement for signless and signed types.
///
/// A signless type takes both `-1` and `255` for `i8`, as MLIR reads them; [`wrap_integer`] gives the one that is kept.
pub fn integer_fits(value: i128, ty: &TypeData<'_>) -> bool {
    use crate::types::Signedness::*;
    let (width, sign) = match ty {
        TypeData::Index => (64, Signless),
        TypeData::Integer { width, sign } => (*width, *sign),
        _ => return false,
    };
    if width > 127 {
        return sign != Unsigned || value >= 0;
    }
    let low = -(1i128 << (width - 1));
    let (signed_max, unsigned_max) = (-(low + 1), ((1u128 << width) - 1) as i128);
    match sign {
        Signless => low <= value && value <= unsigned_max,
        Signed => low <= value && value <= signed_max,
        Unsigned => 0 <= value && value <= unsigned_max,
    }
}

/// The value modulo two to the power of the type's width: sign-extended, or zero-extended for unsigned types.
/// `i1` keeps 0 and 1. Other types than integers and `index` leave the value as it is.
pub fn wrap_integer(value: i128, ty: &TypeData<'_>) -> i128 {
    use crate::types::Signedness::*;
    let (width, sign) = match ty {
        TypeData::Index => (64, Signless),
        TypeData::Integer { width, sign } => (*width, *sign),
        _ => return value,
    };
    if width > 127 {
        return value;
    }
    let unused = 128 - width;
    let bits = (value << unused) as u128;
    // The shift back is by sign or by zeros.
    if sign == Signed || (sign == Signless && width > 1) { bits as i128 >> unused } else { (bits >> unused) as i128 }
}
