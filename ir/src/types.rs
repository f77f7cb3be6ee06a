//! Types: interned, compared by id, made and read through the [`Context`].
//!
//! The builtin ones are those of MLIR that dlc computes with. A type of a dialect has parameters that are attributes,
//! so that its generic spelling `!core.tensor<["M", "2*K"], f16>` is one that any MLIR tool reads.

use crate::attrs::Attr;
use crate::context::Context;
use crate::context::Str;

/// An interned type. Read it with [`Context::type_data`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type(pub(crate) u32);

/// Whether an integer type has a sign, and which.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Signedness {
    /// `i32`: the op decides.
    Signless,
    /// `si32`
    Signed,
    /// `ui32`
    Unsigned,
}

/// The floating-point formats, by their MLIR names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatKind {
    /// IEEE half precision.
    F16,
    /// The upper half of an `f32`.
    BF16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
    /// Tensor-core format: the range of `f32` with 10 bits of fraction, stored in 19 bits.
    TF32,
    /// 4 exponent and 3 fraction bits, no infinities.
    F8E4M3FN,
    /// 5 exponent and 2 fraction bits.
    F8E5M2,
}

impl FloatKind {
    /// Every format, in the order of this file.
    pub const ALL: [FloatKind; 7] = [
        FloatKind::F16,
        FloatKind::BF16,
        FloatKind::F32,
        FloatKind::F64,
        FloatKind::TF32,
        FloatKind::F8E4M3FN,
        FloatKind::F8E5M2,
    ];

    /// The name in the text.
    pub fn name(self) -> &'static str {
        match self {
            FloatKind::F16 => "f16",
            FloatKind::BF16 => "bf16",
            FloatKind::F32 => "f32",
            FloatKind::F64 => "f64",
            FloatKind::TF32 => "tf32",
            FloatKind::F8E4M3FN => "f8E4M3FN",
            FloatKind::F8E5M2 => "f8E5M2",
        }
    }

    /// The width in bits.
    pub fn bits(self) -> u32 {
        match self {
            FloatKind::F16 | FloatKind::BF16 => 16,
            FloatKind::F32 => 32,
            FloatKind::F64 => 64,
            FloatKind::TF32 => 19,
            FloatKind::F8E4M3FN | FloatKind::F8E5M2 => 8,
        }
    }
}

/// What a type is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeData<'a> {
    /// `none`
    None,
    /// `index`: a size or position, 64 bits wide when evaluated.
    Index,
    /// `i32`, `si8`, `ui64`: of 1 to 2^24 bits.
    Integer {
        /// In bits.
        width: u32,
        /// Signed, unsigned or neither.
        sign: Signedness,
    },
    /// `f16` and the others.
    Float(FloatKind),
    /// `(i32, f16) -> i64`
    Function {
        /// The types of the arguments.
        inputs: &'a [Type],
        /// The types of the results.
        results: &'a [Type],
    },
    /// `tuple<i32, f16>`
    Tuple(&'a [Type]),
    /// A type that a registered dialect declares.
    Dialect {
        /// Its declaration.
        def: TypeName,
        /// Its parameters, as many as the declaration wants.
        params: &'a [Attr],
    },
    /// A type that nobody here knows, kept as it was written: `!tiny.view<4x8, x>`, `vector<4xf32>`.
    Opaque {
        /// The dialect; `builtin` for a type of MLIR's that dlc has no use for.
        dialect: Str,
        /// The whole spelling.
        text: Str,
    },
}

/// A registered type declaration; [`Context::type_def`] gives it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TypeName(pub(crate) u32);

macro_rules! well_known {
    ($($name:ident = $id:literal $data:expr;)*) => {
        #[allow(missing_docs, reason = "the names are those of the text")]
        impl Type {
            $(pub const $name: Type = Type($id);)*
            pub(crate) const WELL_KNOWN: &'static [TypeData<'static>] = &[$($data),*];
        }
    };
}

const fn int(width: u32) -> TypeData<'static> {
    TypeData::Integer { width, sign: Signedness::Signless }
}

const fn unsigned(width: u32) -> TypeData<'static> {
    TypeData::Integer { width, sign: Signedness::Unsigned }
}

// Interned by every context first, in this order.
well_known! {
    NONE = 0 TypeData::None;
    INDEX = 1 TypeData::Index;
    I1 = 2 int(1);
    I8 = 3 int(8);
    I16 = 4 int(16);
    I32 = 5 int(32);
    I64 = 6 int(64);
    F16 = 7 TypeData::Float(FloatKind::F16);
    BF16 = 8 TypeData::Float(FloatKind::BF16);
    F32 = 9 TypeData::Float(FloatKind::F32);
    F64 = 10 TypeData::Float(FloatKind::F64);
    F8E4M3FN = 11 TypeData::Float(FloatKind::F8E4M3FN);
    F8E5M2 = 12 TypeData::Float(FloatKind::F8E5M2);
    UI8 = 13 unsigned(8);
    UI16 = 14 unsigned(16);
    UI32 = 15 unsigned(32);
    UI64 = 16 unsigned(64);
}

impl Type {
    /// The width in bits of an integer or float type, 64 for `index`, `None` for every other.
    pub fn bits(self, ctx: &Context) -> Option<u32> {
        match ctx.type_data(self) {
            TypeData::Integer { width, .. } => Some(*width),
            TypeData::Float(kind) => Some(kind.bits()),
            TypeData::Index => Some(64),
            _ => None,
        }
    }

    /// Whether it is an integer type, signed or not (`index` is none).
    pub fn is_integer(self, ctx: &Context) -> bool {
        matches!(ctx.type_data(self), TypeData::Integer { .. })
    }

    /// Whether it is an integer type without a sign: `ui8` and the like, and `i1`, whose only values are 0 and 1.
    pub fn is_unsigned(self, ctx: &Context) -> bool {
        self == Type::I1 || matches!(ctx.type_data(self), TypeData::Integer { sign: Signedness::Unsigned, .. })
    }

    /// The float format, when it is a float type.
    pub fn float_kind(self, ctx: &Context) -> Option<FloatKind> {
        match ctx.type_data(self) {
            TypeData::Float(kind) => Some(*kind),
            _ => None,
        }
    }
}
