//! Which numbers a type holds: where a cast or a product loses nothing.

use dlc_ir::types::{FloatKind, Signedness};
use dlc_ir::{Context, Type, TypeData};

/// The numbers of a type, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Numbers {
    /// The integers from one to another.
    Integers(i128, i128),
    Floats(FloatKind),
}

/// Whether every number of `narrow` is one of `wide`, infinities and what is no number included: a cast from one to the
/// other changes no value, and back again gives the same.
///
/// `f32` holds `f16` and `i16`; `f16` does not hold `i16`, and no type but itself holds a negative zero unless it is a
/// float.
pub fn holds(ctx: &Context, wide: Type, narrow: Type) -> bool {
    if wide == narrow {
        return true;
    }
    match (numbers(ctx, wide), numbers(ctx, narrow)) {
        (Some(Numbers::Integers(lo, hi)), Some(Numbers::Integers(least, most))) => lo <= least && most <= hi,
        (Some(Numbers::Floats(kind)), Some(Numbers::Integers(least, most))) => {
            let (digits, _, largest) = range(kind);
            let bound = 1i128 << digits.min(largest);
            -bound <= least && most <= bound
        }
        (Some(Numbers::Floats(wide)), Some(Numbers::Floats(narrow))) => {
            let ((digits, least, most), (own, own_least, own_most)) = (range(wide), range(narrow));
            wide != FloatKind::F8E4M3FN && own <= digits && least <= own_least && own_most <= most
        }
        _ => false,
    }
}

/// Whether every product of a number of `lhs` and one of `rhs` is a number of `ty`: computing it there rounds nothing.
///
/// `f32` holds the products of `f16`, but not those of `bf16`, which may be too small or too large for it.
pub fn holds_products(ctx: &Context, ty: Type, lhs: Type, rhs: Type) -> bool {
    match (numbers(ctx, ty), numbers(ctx, lhs), numbers(ctx, rhs)) {
        (Some(Numbers::Integers(lo, hi)), Some(Numbers::Integers(a, b)), Some(Numbers::Integers(c, d))) => {
            let corners = [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)];
            corners.iter().all(|corner| corner.is_some_and(|corner| lo <= corner && corner <= hi))
        }
        (Some(Numbers::Floats(kind)), Some(Numbers::Floats(lhs)), Some(Numbers::Floats(rhs))) => {
            let ((digits, least, most), a, b) = (range(kind), range(lhs), range(rhs));
            kind != FloatKind::F8E4M3FN && a.0 + b.0 <= digits && least <= a.1 + b.1 && a.2 + b.2 < most
        }
        _ => false,
    }
}

fn numbers(ctx: &Context, ty: Type) -> Option<Numbers> {
    match ctx.type_data(ty) {
        TypeData::Integer { width, sign } if *width <= 64 => Some(match sign {
            Signedness::Unsigned => Numbers::Integers(0, (1 << *width) - 1),
            _ if *width == 1 => Numbers::Integers(0, 1),
            _ => Numbers::Integers(-(1 << (*width - 1)), (1 << (*width - 1)) - 1),
        }),
        TypeData::Index => Some(Numbers::Integers(i64::MIN.into(), i64::MAX.into())),
        TypeData::Float(kind) => Some(Numbers::Floats(*kind)),
        _ => None,
    }
}

/// The bits of the significand, the exponent of the least number above zero, and that of the greatest finite one.
fn range(kind: FloatKind) -> (i32, i32, i32) {
    match kind {
        FloatKind::F16 => (11, -24, 15),
        FloatKind::BF16 => (8, -133, 127),
        FloatKind::F32 => (24, -149, 127),
        FloatKind::F64 => (53, -1074, 1023),
        FloatKind::TF32 => (11, -136, 127),
        FloatKind::F8E4M3FN => (4, -9, 8),
        FloatKind::F8E5M2 => (3, -16, 15),
    }
}

#[cfg(test)]
mod tests {
    use dlc_ir::float;

    use super::*;

    const FLOATS: [Type; 6] = [Type::F16, Type::BF16, Type::F32, Type::F64, Type::F8E4M3FN, Type::F8E5M2];

    /// Every number of the types of 8 and 16 bits, and whether another type has it.
    #[test]
    fn floats_by_enumeration() {
        let ctx = Context::new([&crate::DIALECT]);
        for narrow in [Type::F16, Type::BF16, Type::F8E4M3FN, Type::F8E5M2] {
            let kind = narrow.float_kind(&ctx).expect("a float");
            for wide in FLOATS {
                let other = wide.float_kind(&ctx).expect("a float");
                let kept = |bits: u64| {
                    let value = float::decode(bits, kind);
                    let back = float::decode(float::encode(value, other), other);
                    back.to_bits() == value.to_bits() || (back.is_nan() && value.is_nan())
                };
                assert_eq!(holds(&ctx, wide, narrow), (0..1 << kind.bits()).all(kept), "{wide:?} {narrow:?}");
            }
        }
    }

    /// All products of the 8-bit types.
    #[test]
    fn products_by_enumeration() {
        let ctx = Context::new([&crate::DIALECT]);
        let numbers = |ty: Type| {
            let kind = ty.float_kind(&ctx).expect("a float");
            (0..1 << kind.bits()).map(|bits| float::decode(bits, kind)).filter(|x| x.is_finite()).collect::<Vec<f64>>()
        };
        for (lhs, rhs) in
            [(Type::F8E4M3FN, Type::F8E5M2), (Type::F8E5M2, Type::F8E5M2), (Type::F8E4M3FN, Type::F8E4M3FN)]
        {
            for ty in FLOATS {
                let kind = ty.float_kind(&ctx).expect("a float");
                let exact = |x: f64| float::decode(float::encode(x, kind), kind) == x;
                let all = numbers(lhs).iter().all(|a| numbers(rhs).iter().all(|b| exact(a * b)));
                // What is said to hold does; the reverse may be missed at the ends.
                assert!(!holds_products(&ctx, ty, lhs, rhs) || all, "{ty:?} {lhs:?} {rhs:?}");
            }
        }
        assert!(holds_products(&ctx, Type::F32, Type::F16, Type::F16));
        assert!(holds_products(&ctx, Type::F64, Type::F32, Type::BF16));
        assert!(!holds_products(&ctx, Type::F32, Type::BF16, Type::BF16));
        assert!(!holds_products(&ctx, Type::F16, Type::F16, Type::F16));
        assert!(!holds_products(&ctx, Type::F64, Type::F64, Type::F64));
    }

    #[test]
    fn integers() {
        let ctx = Context::new([&crate::DIALECT]);
        let unsigned = |width| ctx.ty(TypeData::Integer { width, sign: Signedness::Unsigned });
        assert!(holds(&ctx, Type::I32, Type::I8) && !holds(&ctx, Type::I8, Type::I32));
        assert!(holds(&ctx, Type::I32, unsigned(8)) && !holds(&ctx, unsigned(32), Type::I8));
        assert!(
            holds(&ctx, Type::I8, Type::I1) && holds(&ctx, Type::F16, Type::I8) && !holds(&ctx, Type::F16, Type::I16)
        );
        assert!(!holds(&ctx, Type::I64, Type::F16));
        assert!(holds_products(&ctx, Type::I32, Type::I8, unsigned(8)));
        assert!(!holds_products(&ctx, Type::I16, Type::I8, unsigned(16)));
    }
}
