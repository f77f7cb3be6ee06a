//! Inputs made from a seed.
//!
//! Element `i` of an input is a function of the seed, the name of the input and `i`: the output of SplitMix64
//! ([`dlc_ir::random`]) whose state is a hash of seed and name, advanced `i + 1` times. So inputs are the same on every machine, and do not depend on each other or on their order.

use std::ops::Range;

use dlc_ir::float::{decode, encode};
use dlc_ir::random::{GAMMA, mix};
use dlc_ir::{Context, Type, TypeData};

use crate::numbers::Numbers;

/// Which numbers are made. Floats are from -1 to 1 in any case, truth values are 0 and 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spread {
    /// Integers from 0 to 7: few enough to be indices.
    Small,
    /// Integers of every size that the type has.
    Whole,
}

/// Numbers of a type: uniform, floats in `[-1, 1)` and then rounded to the type. `None` if it is no type of numbers.
pub fn numbers(ctx: &Context, elem: Type, count: usize, spread: Spread, seed: u64, name: &str) -> Option<Numbers> {
    part(ctx, elem, 0..count, spread, seed, name)
}

/// Some of the numbers that [`numbers`] makes: those at these places.
pub fn part(ctx: &Context, elem: Type, places: Range<usize>, spread: Spread, seed: u64, name: &str) -> Option<Numbers> {
    let start = name.bytes().fold(mix(seed.wrapping_add(GAMMA)), |state, byte| mix(state ^ u64::from(byte)));
    let steps = places.start as u64 + 1..places.end as u64 + 1;
    let bits = steps.map(|step| mix(start.wrapping_add(step.wrapping_mul(GAMMA))));
    match *ctx.type_data(elem) {
        TypeData::Float(kind) => {
            // 53 bits are a number in [0, 2^53) that a float holds exactly.
            let float = |bits: u64| (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
            Some(Numbers::Float(bits.map(|bits| decode(encode(float(bits), kind), kind)).collect()))
        }
        TypeData::Integer { width: 1, .. } => Some(Numbers::Int(bits.map(|bits| (bits >> 63) as i64).collect())),
        // A signed number of few bits ends before 7.
        TypeData::Integer { width: width @ 2..=3, .. } if spread == Spread::Small => {
            Some(Numbers::Int(bits.map(|bits| (bits >> (65 - width)) as i64).collect()))
        }
        TypeData::Integer { .. } if spread == Spread::Whole => {
            Some(Numbers::Int(bits.map(|bits| bits as i64).collect()))
        }
        // A size, which is never negative.
        TypeData::Integer { .. } | TypeData::Index => {
            Some(Numbers::Int(bits.map(|bits| (bits >> 61) as i64).collect()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(ctx: &Context, elem: Type, count: usize, seed: u64, name: &str) -> Vec<f64> {
        match numbers(ctx, elem, count, Spread::Small, seed, name) {
            Some(Numbers::Float(values)) => values,
            other => panic!("{other:?}"),
        }
    }

    fn ints(ctx: &Context, elem: Type, spread: Spread) -> Vec<i64> {
        match numbers(ctx, elem, 1000, spread, 0, "n") {
            Some(Numbers::Int(values)) => values,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn floats_are_spread_evenly() {
        let ctx = Context::new([]);
        let values = floats(&ctx, Type::F32, 10_000, 0, "x");
        assert!(values.iter().all(|value| (-1.0..=1.0).contains(value) && f64::from(*value as f32) == *value));
        let mean = values.iter().sum::<f64>() / 1e4;
        let variance = values.iter().map(|value| value * value).sum::<f64>() / 1e4;
        assert!(mean.abs() < 0.02 && (variance - 1.0 / 3.0).abs() < 0.02, "{mean} {variance}");
        assert!(floats(&ctx, Type::F16, 100, 0, "x").iter().all(|value| (value * 2048.0 * 2048.0).fract() == 0.0));
    }

    #[test]
    fn seed_and_name_count_and_the_number_of_elements_does_not() {
        let ctx = Context::new([]);
        let x = floats(&ctx, Type::F64, 8, 0, "x");
        assert_eq!(x[..3], floats(&ctx, Type::F64, 3, 0, "x"));
        let part = part(&ctx, Type::F64, 5..8, Spread::Small, 0, "x");
        assert_eq!(part, Some(Numbers::Float(x[5..].to_vec())));
        assert_ne!(x, floats(&ctx, Type::F64, 8, 1, "x"));
        assert_ne!(x, floats(&ctx, Type::F64, 8, 0, "y"));
    }

    #[test]
    fn integers_are_in_their_range() {
        let ctx = Context::new([]);
        let small = |ty| {
            let values = ints(&ctx, ty, Spread::Small);
            (values.iter().min().copied(), values.iter().max().copied())
        };
        assert_eq!(small(Type::I64), (Some(0), Some(7)));
        assert_eq!(small(Type::INDEX), (Some(0), Some(7)));
        assert_eq!(small(Type::I1), (Some(0), Some(1)));
        assert_eq!(small(ctx.int_type(3)), (Some(0), Some(3)));
        assert!(ints(&ctx, Type::I64, Spread::Whole).iter().any(|value| *value < -(1 << 60)));
        assert!(ints(&ctx, Type::INDEX, Spread::Whole).iter().all(|value| (0..8).contains(value)));
        assert_eq!(numbers(&ctx, ctx.function_type(&[], &[]), 1, Spread::Small, 0, ""), None);
    }
}
