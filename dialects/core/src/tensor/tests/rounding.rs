//! Rounding agrees with `dlc_ir::float`, which was tested against others.

use dlc_ir::float::{decode, encode};

use super::*;

#[track_caller]
fn check(values: &[f64], kind: FloatKind) {
    for &value in values {
        let (own, other) = (ElemKind::Float(kind).round(value), decode(encode(value, kind), kind));
        let same = own.to_bits() == other.to_bits() || own.is_nan() && other.is_nan();
        assert!(same, "{value:e} to {}: {own:e}, not {other:e}", kind.name());
    }
}

fn neighbours(value: f64) -> [f64; 3] {
    let bits = value.to_bits();
    [value, f64::from_bits(bits.wrapping_add(1)), f64::from_bits(bits.wrapping_sub(1))]
}

#[test]
fn every_short_float_and_every_tie_is_rounded_right() {
    for kind in FloatKind::ALL.into_iter().filter(|kind| kind.bits() < 32) {
        for bits in 0..1u64 << (kind.bits() - 1) {
            let (value, next) = (decode(bits, kind), decode(bits + 1, kind));
            check(&neighbours(value), kind);
            check(&neighbours(-value), kind);
            check(&neighbours((value + next) / 2.0), kind);
            check(&neighbours(-(value + next) / 2.0), kind);
        }
    }
}

#[test]
fn random_numbers_are_rounded_right() {
    let mut random = Random::new(43);
    let special = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, 5e-324, 1e300];
    for kind in FloatKind::ALL {
        check(&special, kind);
        let numbers: Vec<f64> = (0..20_000)
            .flat_map(|_| {
                let bits = random.bits();
                // Of every size, of a size that the short formats have, and of few bits.
                let near = bits & !(0x7ff << 52) | ((bits >> 52 & 0x3f) + 1023 - 32) << 52;
                [f64::from_bits(bits), f64::from_bits(near), f32::from_bits(bits as u32).into()]
            })
            .collect();
        check(&numbers, kind);
        // Slices take another way.
        let ctx = context();
        let elem = named(&ctx, kind.name());
        let rounded = TensorValue::from_f64(&ctx, vec![numbers.len()], elem, numbers.clone()).expect("as many");
        let pairs = numbers.iter().zip(rounded.to_f64s());
        assert!(pairs.into_iter().all(|(&x, y)| y.is_nan() && x.is_nan()
            || y.is_nan() && kind == FloatKind::F8E4M3FN
            || ElemKind::Float(kind).round(x).to_bits() == y.to_bits()));
    }
}

#[test]
fn integers_wrap_to_their_width() {
    let ctx = context();
    let wrap = |ty: &str, value| ElemKind::of(&ctx, named(&ctx, ty)).expect("an integer").wrap(value);
    assert_eq!(
        [wrap("i8", 128), wrap("ui8", -1), wrap("i1", 3), wrap("i1", 2), wrap("ui64", -1)],
        [-128, 255, 1, 0, -1]
    );
    assert_eq!([wrap("index", i64::MIN), wrap("si3", 4), wrap("i64", -5)], [i64::MIN, -4, -5]);
    let kind = |ty: &str| ElemKind::of(&ctx, named(&ctx, ty));
    assert_eq!((kind("i128"), kind("none"), kind("tf32")), (None, None, Some(ElemKind::Float(FloatKind::TF32))));
    let range = |ty| kind(ty).map(|kind| (kind.lowest(), kind.highest()));
    assert_eq!((range("i8"), range("ui8"), range("i1")), (Some((-128, 127)), Some((0, 255)), Some((0, 1))));
    assert_eq!((range("i64"), range("ui64")), (Some((i64::MIN, i64::MAX)), Some((0, -1))));
}
