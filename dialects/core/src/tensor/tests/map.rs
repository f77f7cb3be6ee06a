//! Elementwise functions with broadcasting, and casts.

use super::*;

/// Two or three shapes that go together.
fn shapes<const N: usize>(random: &mut Random) -> [Vec<usize>; N] {
    let full = random.shape();
    std::array::from_fn(|_| {
        let skipped = random.below(full.len() + 1);
        full[skipped..].iter().map(|&size| if random.below(3) == 0 { 1 } else { size }).collect()
    })
}

#[test]
fn functions_of_elements_are_as_defined() {
    let (ctx, mut random) = (context(), Random::new(3));
    for _ in 0..200 {
        let models = shapes::<3>(&mut random).map(|shape| Model::random(&mut random, &shape));
        let [a, b, c] = models.each_ref().map(|model| model.strided(&ctx, Type::F16, &mut random));
        let [i, j, k] = models.each_ref().map(|model| model.strided(&ctx, Type::I32, &mut random));
        let [x, y, z] = &models;
        let two = broadcast_shapes(&[&x.shape, &y.shape]).expect("they go together");
        let all = broadcast_shapes(&[&two, &z.shape]).expect("they go together");
        let with_two =
            |f: fn(i64, i64) -> i64| Model::from_fn(&two, |index| f(x.broadcast_at(index), y.broadcast_at(index)));
        let with_all = |f: fn(i64, i64, i64) -> i64| {
            Model::from_fn(&all, |index| f(x.broadcast_at(index), y.broadcast_at(index), z.broadcast_at(index)))
        };
        let mapped = Model::from_fn(&x.shape, |index| x.at(index) * 3);
        check(&a.map_float(&ctx, Type::F32, |a| a * 3.0).expect("one"), &mapped);
        check(&i.map_int(&ctx, Type::I32, |i| i * 3).expect("one"), &mapped);
        check(&a.zip_float(&ctx, &b, Type::F64, |a, b| a - b).expect("two"), &with_two(|a, b| a - b));
        check(&i.zip_int(&ctx, &j, Type::I64, |i, j| i - j).expect("two"), &with_two(|a, b| a - b));
        // Integers are read as floats as well.
        check(&i.zip_float(&ctx, &b, Type::F32, |a, b| a - b).expect("two"), &with_two(|a, b| a - b));
        check(&a.compare_float(&ctx, &b, |a, b| a < b).expect("two"), &with_two(|a, b| (a < b).into()));
        check(&i.compare_int(&ctx, &j, |a, b| a < b).expect("two"), &with_two(|a, b| (a < b).into()));
        let expected = with_all(|a, b, c| a * b + c);
        check(&a.zip3_float(&ctx, &b, &c, Type::F32, |a, b, c| a * b + c).expect("three"), &expected);
        check(&i.zip3_int(&ctx, &j, &k, Type::I32, |a, b, c| a * b + c).expect("three"), &expected);
        let expected = with_all(|a, b, c| if a != 0 { b } else { c });
        check(&TensorValue::select(&ctx, &i, &b, &c).expect("three"), &expected);
        check(&TensorValue::select(&ctx, &i, &j, &k).expect("three"), &expected);
    }
}

#[test]
fn wrong_operands_are_errors() {
    let ctx = context();
    let tensor = |shape: &[usize], elem| Model::from_fn(shape, |_| 1).tensor(&ctx, elem);
    let (two, three, float) = (tensor(&[2], Type::I32), tensor(&[3], Type::I32), tensor(&[2], Type::F32));
    let error = two.zip_int(&ctx, &three, Type::I32, |a, _| a).expect_err("the sizes differ");
    assert_eq!(error, "the sizes [2] and [3] do not go together");
    assert_eq!(float.map_int(&ctx, Type::I32, |a| a), Err("integers are needed, not f32".into()));
    assert!(two.zip_int(&ctx, &float, Type::I32, |a, _| a).is_err());
    assert!(two.compare_int(&ctx, &float, |_, _| true).is_err());
    assert!(TensorValue::select(&ctx, &float, &two, &two).is_err());
    assert!(TensorValue::select(&ctx, &two, &two, &float).is_err());
    assert!(two.map_int(&ctx, Type::NONE, |a| a).is_err());
    // A view may be larger than a result.
    let iota = |axis| TensorValue::iota(&ctx, vec![1 << 15, 1 << 15], Type::I32, axis).expect("an axis");
    assert!(iota(0).zip_int(&ctx, &iota(1), Type::I32, |a, b| a + b).is_err());
}

#[test]
fn results_are_rounded_and_wrapped_once() {
    let ctx = context();
    let floats = |values: &[f64], elem| TensorValue::from_f64(&ctx, vec![values.len()], elem, values.to_vec());
    let x = floats(&[100.0, -100.0, 3.5], Type::F32).expect("three");
    assert_eq!(x.map_float(&ctx, Type::I8, |x| 2.0 * x).expect("numbers").to_i64s(), [-56, 56, 7]);
    // Above the tie of 1 and 1.0009765625 by less than an f32 sees.
    let tie = 1.0 + 0.00048828125 + 1e-12;
    assert_eq!(x.map_float(&ctx, Type::F16, |_| tie).expect("numbers").to_f64s(), [1.0009765625; 3]);
    let i = TensorValue::from_i64(&ctx, vec![2], Type::I32, vec![i32::MAX.into(), 5]).expect("two");
    assert_eq!(i.map_int(&ctx, Type::I32, |x| x + 1).expect("integers").to_i64s(), [i32::MIN.into(), 6]);
    assert_eq!(i.map_int(&ctx, Type::I1, |x| x + 1).expect("integers").to_i64s(), [0, 0]);
}

#[test]
fn casts_have_an_answer_for_every_number() {
    let ctx = context();
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let values = [0.0, -0.0, 1.9, -1.9, 300.0, -129.0, 4294967296.5, 9e18, 1e19, -1e19, nan, inf, -inf];
    let floats = TensorValue::from_f64(&ctx, vec![13], Type::F64, values.to_vec()).expect("as many");
    let cast = |ty: &str| floats.cast(&ctx, named(&ctx, ty)).expect("numbers").to_i64s();
    let none = i64::MIN;
    assert_eq!(cast("i64"), [0, 0, 1, -1, 300, -129, 1 << 32, 9_000_000_000_000_000_000, none, none, none, none, none]);
    assert_eq!(cast("ui64"), cast("i64"), "by their bits");
    assert_eq!(cast("i8"), [0, 0, 1, -1, 44, 127, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(cast("ui8"), [0, 0, 1, 255, 44, 127, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(cast("i1"), [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    let integers = TensorValue::from_i64(&ctx, vec![5], Type::I64, vec![-1, 2, 256, i64::MAX, 1 << 31]).expect("five");
    let cast = |ty: &str| integers.cast(&ctx, named(&ctx, ty)).expect("numbers");
    assert_eq!(cast("i1").to_i64s(), [1; 5], "whether it is not zero, not the lowest bit");
    assert_eq!(cast("i32").to_i64s(), [-1, 2, 256, -1, i32::MIN.into()]);
    assert_eq!(cast("ui16").to_i64s(), [65535, 2, 256, 65535, 0]);
    assert_eq!(cast("ui64").cast(&ctx, Type::F32).expect("numbers").to_f64s()[0], 18446744073709551616.0);
    assert_eq!(cast("ui64").cast(&ctx, Type::F64).expect("numbers").to_f64s()[0], 18446744073709551616.0);
    assert_eq!(cast("f16").to_f64s(), [-1.0, 2.0, 256.0, inf, inf]);
    assert_eq!(cast("index").to_i64s(), integers.to_i64s());
}

/// Integers to floats: what `f64` does not hold is not rounded there first.
#[test]
fn integers_are_rounded_once() {
    let (ctx, mut random) = (context(), Random::new(5));
    let mut values = vec![i64::MIN, i64::MAX, (1 << 53) + 1, (1 << 60) + (1 << 36) + 1, -(1 << 60) - (1 << 36) - 1];
    values.extend((0..2000).map(|_| random.bits() as i64 >> random.below(60)));
    values.extend((0..2000).map(|_| {
        // Near the ties of f32.
        let high = (random.bits() >> 40 | 1 << 24) as i64;
        let shift = 15 + random.below(23);
        (high << shift) + (random.below(3) as i64 - 1)
    }));
    let tensor = TensorValue::from_i64(&ctx, vec![values.len()], Type::I64, values.clone()).expect("as many");
    let expected: Vec<f64> = values.iter().map(|&x| f64::from(x as f32)).collect();
    assert_eq!(tensor.cast(&ctx, Type::F32).expect("numbers").to_f64s(), expected);
    let again = TensorValue::from_i64(&ctx, vec![values.len()], Type::F32, values.clone()).expect("as many");
    assert_eq!(again.to_f64s(), expected);
    let unsigned = tensor.cast(&ctx, named(&ctx, "ui64")).expect("numbers");
    let expected: Vec<f64> = values.iter().map(|&x| f64::from(x as u64 as f32)).collect();
    assert_eq!(unsigned.cast(&ctx, Type::F32).expect("numbers").to_f64s(), expected);
}

#[test]
fn bits_are_read_as_another_type() {
    let ctx = context();
    let of = |ty: &str, values: &[i64]| {
        TensorValue::from_i64(&ctx, vec![values.len()], named(&ctx, ty), values.to_vec()).expect("as many")
    };
    let cast = |tensor: &TensorValue, ty: &str| tensor.bitcast(&ctx, named(&ctx, ty)).expect("it fills bytes");
    let ones = of("f32", &[1, -2]);
    assert_eq!(cast(&ones, "i32").to_i64s(), [0x3f80_0000, -0x4000_0000]);
    assert_eq!(cast(&ones, "ui16").to_i64s(), [0, 0x3f80, 0, 0xc000]);
    assert_eq!(cast(&ones, "i8").to_i64s(), [0, 0, -128, 63, 0, 0, 0, -64]);
    assert_eq!(cast(&ones, "f64").shape(), [1]);
    assert_eq!(cast(&cast(&ones, "i64"), "f32"), ones);
    assert_eq!(cast(&of("ui8", &[0, 2]), "i1").to_i64s(), [0, 1]);
    assert_eq!(cast(&of("i1", &[0, 1]), "i8").to_i64s(), [0, 1]);
    assert!(of("i8", &[1, 2, 3]).bitcast(&ctx, Type::I32).is_err());
    assert!(of("i7", &[1]).bitcast(&ctx, Type::I8).is_err());
    let scalar = ones.shrink(&[(0, 1, 1)]).and_then(|one| one.reshape(&[])).expect("one");
    assert_eq!(cast(&scalar, "i32").to_i64s(), [0x3f80_0000]);
    assert!(scalar.bitcast(&ctx, Type::I8).is_err());
    // Every 16-bit float keeps its bits, NaN included, and so does a view.
    let bits: Vec<i64> = (0..65536).collect();
    for ty in ["f16", "bf16"] {
        let floats = cast(&of("ui16", &bits), ty);
        assert_eq!(cast(&floats, "ui16").to_i64s(), bits, "{ty}");
        let backwards = floats.flip(&[0]).expect("an axis");
        assert_eq!(cast(&backwards, "ui16").to_i64s()[0], 65535);
    }
    for ty in ["f8E5M2", "f8E4M3FN"] {
        let bits = &bits[..256];
        assert_eq!(cast(&cast(&of("ui8", bits), ty), "ui8").to_i64s(), bits, "{ty}");
    }
    let nans = of("ui32", &[0x7f80_0001, 0xffff_ffff, 0x7fc0_0000]);
    assert_eq!(cast(&cast(&nans, "f32"), "ui32"), nans);
}

/// The numbers are those of one thread, whatever the number of threads.
#[test]
fn threads_change_nothing() {
    let (ctx, mut random) = (context(), Random::new(9));
    let values: Vec<f64> = (0..300_001).map(|_| random.bits() as f64 / 1e12).collect();
    let x = TensorValue::from_f64(&ctx, vec![300_001], Type::F32, values).expect("as many");
    let run = || x.flip(&[0]).and_then(|y| x.zip_float(&ctx, &y, Type::F16, |a, b| a / (b + 1.0)));
    let once = with_threads(1, run).expect("the same sizes");
    assert_eq!(with_threads(4, run).expect("the same sizes"), once);
    let (a, b) = (x.to_f64s(), once.to_f64s());
    let kind = ElemKind::Float(FloatKind::F16);
    assert!((0..a.len()).all(|i| b[i] == kind.round(a[i] / (a[a.len() - 1 - i] + 1.0))));
}
