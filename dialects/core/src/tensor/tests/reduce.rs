//! Reductions against sums over every index.

use super::*;

const ALL: [Combine; 4] = [Combine::Sum, Combine::Prod, Combine::Max, Combine::Min];

fn expected(model: &Model, axes: &[usize], combine: Combine) -> Model {
    let rank = model.shape.len();
    let kept: Vec<usize> = (0..rank).filter(|axis| !axes.contains(axis)).collect();
    let identity = match combine {
        Combine::Sum => 0,
        Combine::Prod => 1,
        Combine::Max => i32::MIN.into(),
        Combine::Min => i32::MAX.into(),
    };
    let shape: Vec<usize> = kept.iter().map(|&axis| model.shape[axis]).collect();
    let mut result = Model::from_fn(&shape, |_| identity);
    for (place, index) in indices(&model.shape).iter().enumerate() {
        let to = kept.iter().fold(0, |to, &axis| to * model.shape[axis] + index[axis]);
        let (acc, x) = (&mut result.values[to], model.values[place]);
        *acc = match combine {
            Combine::Sum => acc.wrapping_add(x),
            Combine::Prod => (*acc as i32).wrapping_mul(x as i32).into(),
            Combine::Max => x.max(*acc),
            Combine::Min => x.min(*acc),
        };
    }
    result
}

#[test]
fn reductions_are_as_defined() {
    let (ctx, mut random) = (context(), Random::new(13));
    for _ in 0..300 {
        let shape = random.shape();
        let model = Model::random(&mut random, &shape);
        let mut axes = random.subset(shape.len());
        axes.reverse();
        let integers = model.strided(&ctx, Type::I32, &mut random);
        let floats = model.strided(&ctx, Type::F16, &mut random);
        for combine in ALL {
            let want = expected(&model, &axes, combine);
            check(&integers.reduce(&ctx, combine, &axes, Type::I32).expect("axes"), &want);
            let empty = want.values.iter().any(|value| value.abs() > i32::MAX as i64 - 1);
            // Products of many numbers are no f16, and nothing at all is infinite.
            if combine != Combine::Prod && !empty {
                check(&floats.reduce(&ctx, combine, &axes, Type::F32).expect("axes"), &want);
            }
        }
    }
}

/// Every way through the code: few and many rows, long and short, whole tiles and tails.
#[test]
fn long_reductions_are_as_defined() {
    let (ctx, mut random) = (context(), Random::new(17));
    for shape in [[3, 70_000], [70_000, 3], [1500, 100], [100, 1500], [1, 140_000], [5000, 30], [40, 2100], [2100, 40]]
    {
        let model = Model::random(&mut random, &shape);
        let tensor = model.tensor(&ctx, Type::F32);
        let transposed = tensor.permute(&[1, 0]).expect("an order");
        for axis in [0, 1] {
            let want = expected(&model, &[axis], Combine::Sum);
            check(&tensor.reduce(&ctx, Combine::Sum, &[axis], Type::F32).expect("an axis"), &want);
            check(&transposed.reduce(&ctx, Combine::Sum, &[1 - axis], Type::F32).expect("an axis"), &want);
            let want = expected(&model, &[axis], Combine::Max);
            check(&tensor.reduce(&ctx, Combine::Max, &[axis], Type::F32).expect("an axis"), &want);
        }
        let want = expected(&model, &[0, 1], Combine::Sum);
        check(&tensor.reduce(&ctx, Combine::Sum, &[1, 0], Type::F32).expect("axes"), &want);
        check(&transposed.reduce(&ctx, Combine::Sum, &[1, 0], Type::F32).expect("axes"), &want);
    }
}

#[test]
fn special_numbers_are_reduced_as_numpy_does() {
    let ctx = context();
    let reduce = |ty: &str, values: &[f64], combine, to: &str| {
        let tensor = TensorValue::from_f64(&ctx, vec![values.len()], named(&ctx, ty), values.to_vec());
        tensor.and_then(|x| x.reduce(&ctx, combine, &[0], named(&ctx, to))).expect("an axis").at(&[])
    };
    let nan = |datum: Datum| datum.as_float().is_some_and(f64::is_nan);
    let mut long = vec![1.0; 100];
    long[50] = f64::NAN;
    assert!(nan(reduce("f32", &long, Combine::Max, "f32")) && nan(reduce("f16", &long, Combine::Min, "f16")));
    assert_eq!(reduce("f32", &[f64::NEG_INFINITY, -1.0], Combine::Max, "f32"), (-1.0).into());
    assert_eq!(reduce("f32", &[], Combine::Max, "f32"), f64::NEG_INFINITY.into());
    assert_eq!(reduce("f32", &[], Combine::Min, "f32"), f64::INFINITY.into());
    assert_eq!(reduce("f32", &[], Combine::Prod, "f16"), 1.0.into());
    assert_eq!(reduce("i8", &[], Combine::Max, "i8"), Datum::Int(-128));
    assert_eq!(reduce("i8", &[], Combine::Max, "i16"), Datum::Int(-32768));
    assert_eq!(reduce("ui8", &[], Combine::Min, "ui8"), Datum::Int(255));
    assert_eq!(reduce("ui64", &[], Combine::Min, "ui64"), Datum::Int(u64::MAX.into()));
    // Truth values: any, all, and a count where the result is wider.
    assert_eq!(reduce("i1", &[1.0, 1.0], Combine::Sum, "i1"), Datum::Int(1));
    assert_eq!(reduce("i1", &[0.0, 0.0], Combine::Sum, "i1"), Datum::Int(0));
    assert_eq!(reduce("i1", &[1.0, 0.0], Combine::Prod, "i1"), Datum::Int(0));
    assert_eq!(reduce("i1", &[1.0, 0.0], Combine::Max, "i1"), Datum::Int(1));
    assert_eq!(reduce("i1", &[], Combine::Max, "i1"), Datum::Int(0));
    assert_eq!(reduce("i1", &[1.0, 1.0, 1.0], Combine::Sum, "i32"), Datum::Int(3));
    assert_eq!(reduce("i8", &[100.0, 100.0], Combine::Sum, "i8"), Datum::Int(-56));
    assert_eq!(reduce("i8", &[100.0, 100.0], Combine::Sum, "i32"), Datum::Int(200));
    assert_eq!(reduce("f16", &[2048.0, 1.0, 1.0], Combine::Sum, "f16"), 2050.0.into());
    let large = TensorValue::from_i64(&ctx, vec![2], named(&ctx, "ui64"), vec![-1, 1]).expect("two");
    let max = large.reduce(&ctx, Combine::Max, &[0], large.elem()).expect("an axis");
    assert_eq!(max.at(&[]), Datum::Int(u64::MAX.into()));
    assert_eq!(large.reduce(&ctx, Combine::Min, &[0], large.elem()).expect("an axis").at(&[]), Datum::Int(1));
    assert!(large.reduce(&ctx, Combine::Sum, &[1], Type::I32).is_err());
    assert!(large.reduce(&ctx, Combine::Sum, &[0, 0], Type::I32).is_err());
}

/// The last bit of a sum depends on the order of its additions, which must not depend on the threads.
#[test]
fn threads_change_no_sum() {
    let (ctx, mut random) = (context(), Random::new(19));
    let values: Vec<f64> = (0..600_000).map(|_| random.bits() as f64 / 1e9).collect();
    for shape in [vec![600_000], vec![3, 200_000], vec![200_000, 3], vec![600, 1000], vec![100, 20, 300]] {
        let x = TensorValue::from_f64(&ctx, shape, Type::F64, values.clone()).expect("as many");
        for axis in 0..x.rank() {
            let run = || x.reduce(&ctx, Combine::Sum, &[axis], Type::F64).expect("an axis");
            assert_eq!(with_threads(1, run), with_threads(4, run), "{:?} along {axis}", x.shape());
        }
    }
}
