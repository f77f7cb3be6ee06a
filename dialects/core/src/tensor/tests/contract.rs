//! Contractions against loops over every index.

use super::*;

fn expected(lhs: &Model, rhs: &Model, spec: &Contraction) -> Model {
    let shape: Vec<usize> = spec.out.iter().map(|&index| spec.sizes[index]).collect();
    let mut result = Model::from_fn(&shape, |_| 0);
    for index in indices(&spec.sizes) {
        let read = |model: &Model, accesses: &[Access]| {
            let at = |Access(terms): &Access| terms.iter().map(|&(i, by)| index[i] as i64 * by).sum::<i64>() as usize;
            model.at(&accesses.iter().map(at).collect::<Vec<_>>())
        };
        let place = spec.out.iter().fold(0, |place, &i| place * spec.sizes[i] + index[i]);
        result.values[place] += read(lhs, &spec.lhs) * read(rhs, &spec.rhs);
    }
    result
}

/// The sizes of an operand that hold what the loops read.
fn sizes(accesses: &[Access], loops: &[usize], random: &mut Random) -> Vec<usize> {
    let size = |Access(terms): &Access| {
        let last: usize = terms.iter().map(|&(i, by)| (loops[i].max(1) - 1) * by as usize).sum();
        last + 1 + random.below(2)
    };
    accesses.iter().map(size).collect()
}

fn access(terms: &[(usize, i64)]) -> Access {
    Access(terms.to_vec())
}

fn check_all(spec: &Contraction, random: &mut Random) {
    let ctx = context();
    let shapes = [sizes(&spec.lhs, &spec.sizes, random), sizes(&spec.rhs, &spec.sizes, random)];
    let [lhs, rhs] = shapes.map(|shape| Model::random(random, &shape));
    let want = expected(&lhs, &rhs, spec);
    for (elem, to) in [
        (Type::F16, Type::F32),
        (Type::I8, Type::I32),
        (Type::I32, Type::I64),
        (Type::F64, Type::F64),
        (Type::I32, Type::F32),
    ] {
        let (a, b) = (lhs.strided(&ctx, elem, random), rhs.strided(&ctx, elem, random));
        check(
            &TensorValue::contract(&ctx, &a, &b, spec, to).unwrap_or_else(|error| panic!("{error}: {spec:?}")),
            &want,
        );
    }
}

#[test]
fn random_contractions_are_as_defined() {
    let mut random = Random::new(23);
    for _ in 0..300 {
        let loops = 1 + random.below(5);
        let sizes: Vec<usize> =
            (0..loops).map(|_| if random.below(15) == 0 { 0 } else { 1 + random.below(5) }).collect();
        let mut side = || -> Vec<Access> {
            let axes = random.below(4);
            (0..axes)
                .map(|_| Access((0..random.below(3)).map(|_| (random.below(loops), random.below(3) as i64)).collect()))
                .collect()
        };
        let (lhs, rhs) = (side(), side());
        let mut out = random.shuffled(loops);
        out.truncate(random.below(loops + 1));
        check_all(&Contraction { sizes, lhs, rhs, out }, &mut random);
    }
}

/// Matrices in every layout, with tails of every tile.
#[test]
fn matrix_products_are_as_defined() {
    let mut random = Random::new(29);
    for (m, n, k) in [(1, 1, 1), (70, 3, 300), (3, 70, 300), (130, 520, 2), (9, 530, 3), (66, 9, 257), (1030, 2, 9)] {
        for transposed in 0..4 {
            let axes = |transposed: bool, a: usize, b: usize| {
                if transposed {
                    vec![access(&[(b, 1)]), access(&[(a, 1)])]
                } else {
                    vec![access(&[(a, 1)]), access(&[(b, 1)])]
                }
            };
            let spec = Contraction {
                sizes: vec![m, n, k],
                lhs: axes(transposed & 1 == 1, 0, 2),
                rhs: axes(transposed & 2 == 2, 2, 1),
                out: vec![0, 1],
            };
            check_all(&spec, &mut random);
        }
    }
}

#[test]
fn convolutions_are_as_defined() {
    let mut random = Random::new(31);
    // out[n, co, ho, wo] = sum w[co, ci, kh, kw] * x[n, ci, 2*ho + kh, wo + 2*kw]
    let [n, co, ho, wo, ci, kh, kw] = [0, 1, 2, 3, 4, 5, 6];
    let spec = Contraction {
        sizes: vec![2, 5, 4, 6, 3, 3, 2],
        lhs: [co, ci, kh, kw].map(|i| access(&[(i, 1)])).to_vec(),
        rhs: vec![access(&[(n, 1)]), access(&[(ci, 1)]), access(&[(ho, 2), (kh, 1)]), access(&[(wo, 1), (kw, 2)])],
        out: vec![n, co, ho, wo],
    };
    check_all(&spec, &mut random);
    // Depthwise: the channel is in everything.
    let [n, c, ho, wo, kh, kw] = [0, 1, 2, 3, 4, 5];
    let spec = Contraction {
        sizes: vec![2, 7, 10, 20, 3, 3],
        lhs: [c, kh, kw].map(|i| access(&[(i, 1)])).to_vec(),
        rhs: vec![access(&[(n, 1)]), access(&[(c, 1)]), access(&[(ho, 1), (kh, 1)]), access(&[(wo, 1), (kw, 1)])],
        out: vec![n, c, ho, wo],
    };
    check_all(&spec, &mut random);
    // A product of each row, a long one, and one too large to be exact in f64.
    for sizes in [vec![3000, 4], vec![2, 70_000], vec![70, 1100]] {
        let accesses = [0, 1].map(|i| access(&[(i, 1)])).to_vec();
        check_all(&Contraction { sizes, lhs: accesses.clone(), rhs: accesses, out: vec![0] }, &mut random);
    }
    // Batches of products, enough of them for the gemm and too small for it.
    for size in [3, 20] {
        let spec = Contraction {
            sizes: vec![4, 2, size, size, size],
            lhs: [0, 1, 2, 4].map(|i| access(&[(i, 1)])).to_vec(),
            rhs: [0, 1, 4, 3].map(|i| access(&[(i, 1)])).to_vec(),
            out: vec![0, 1, 2, 3],
        };
        check_all(&spec, &mut random);
    }
}

/// An operand that was expanded along the other's axis is a matrix all the same.
#[test]
fn expanded_operands_are_not_computed_twice() {
    let (ctx, mut random) = (context(), Random::new(37));
    let (x, w) = (Model::random(&mut random, &[40, 1, 50]), Model::random(&mut random, &[1, 60, 50]));
    let wide = |model: &Model| model.tensor(&ctx, Type::F32).broadcast_to(&[40, 60, 50]).expect("size 1");
    let all = [0, 1, 2].map(|i| access(&[(i, 1)])).to_vec();
    let spec = Contraction { sizes: vec![40, 60, 50], lhs: all.clone(), rhs: all, out: vec![1, 0] };
    let full = |model: &Model| Model::from_fn(&[40, 60, 50], |index| model.broadcast_at(index));
    let value = TensorValue::contract(&ctx, &wide(&x), &wide(&w), &spec, Type::F32).expect("they fit");
    check(&value, &expected(&full(&x), &full(&w), &spec));
}

#[test]
fn truth_values_and_wrapping() {
    let ctx = context();
    let spec = Contraction {
        sizes: vec![1, 1, 2],
        lhs: vec![access(&[(0, 1)]), access(&[(2, 1)])],
        rhs: vec![access(&[(2, 1)]), access(&[(1, 1)])],
        out: vec![0, 1],
    };
    let run = |elem, values: [i64; 2], to| {
        let a = TensorValue::from_i64(&ctx, vec![1, 2], elem, values.to_vec()).expect("two");
        let b = TensorValue::from_i64(&ctx, vec![2, 1], elem, values.to_vec()).expect("two");
        TensorValue::contract(&ctx, &a, &b, &spec, to).expect("they fit").at(&[0, 0])
    };
    assert_eq!(run(Type::I1, [1, 1], Type::I1), Datum::Int(1));
    assert_eq!(run(Type::I1, [0, 0], Type::I1), Datum::Int(0));
    assert_eq!(run(Type::I1, [1, 1], Type::I32), Datum::Int(2));
    assert_eq!(run(Type::I8, [10, 10], Type::I8), Datum::Int(200 - 256));
    let large = (1 << 31) - 1;
    assert_eq!(run(Type::I32, [large, large], Type::I64), Datum::Int(2 * i128::from(large * large)));
    assert_eq!(run(Type::F16, [2048, 1], Type::F32), 4194305.0.into());
    assert_eq!(run(Type::F16, [2048, 1], Type::F16), f64::INFINITY.into());
}

#[test]
fn wrong_specifications_are_errors() {
    let ctx = context();
    let tensor = Model::from_fn(&[2, 3], |_| 1).tensor(&ctx, Type::F32);
    let run = |sizes: &[usize], lhs: &[Access], out: &[usize]| {
        let spec = Contraction { sizes: sizes.to_vec(), lhs: lhs.to_vec(), rhs: vec![], out: out.to_vec() };
        let one = TensorValue::splat(&ctx, vec![], Type::F32, &1.0.into()).expect("a float");
        TensorValue::contract(&ctx, &tensor, &one, &spec, Type::F32)
    };
    let both = [access(&[(0, 1)]), access(&[(1, 1)])];
    assert!(run(&[2, 3], &both, &[0]).is_ok());
    assert!(run(&[2, 3], &both[..1], &[0]).is_err());
    assert_eq!(run(&[2, 4], &both, &[0]), Err("the loops read 0 to 3 on an axis of size 3".into()));
    assert!(run(&[2, 3], &[access(&[(0, -1)]), access(&[])], &[0]).is_err());
    assert!(run(&[2, 3], &[access(&[(0, i64::MAX)]), access(&[(1, i64::MIN)])], &[0]).is_err());
    assert!(run(&[2, 3], &[access(&[(2, 1)]), access(&[])], &[0]).is_err());
    assert!(run(&[2, 3], &both, &[2]).is_err());
    assert!(run(&[2, 3], &both, &[0, 0]).is_err());
    assert!(run(&[usize::MAX, 3], &both, &[0]).is_err());
    // Backwards, from a place inside.
    let backwards = [access(&[(0, 1)]), access(&[(1, 1), (2, -1)])];
    assert!(run(&[2, 3, 2], &backwards, &[0, 1]).is_err());
    let large = Contraction {
        sizes: vec![1 << 15, 1 << 15],
        lhs: vec![access(&[(0, 1)])],
        rhs: vec![access(&[(1, 1)])],
        out: vec![0, 1],
    };
    let iota = TensorValue::iota(&ctx, vec![1 << 15], Type::I32, 0).expect("an axis");
    assert!(TensorValue::contract(&ctx, &iota, &iota, &large, Type::I32).is_err());
    let none = Contraction { sizes: vec![usize::MAX, usize::MAX, 0], lhs: vec![], rhs: vec![], out: vec![0, 1, 2] };
    let one = TensorValue::splat(&ctx, vec![], Type::F32, &1.0.into()).expect("a float");
    assert!(TensorValue::contract(&ctx, &one, &one, &none, Type::F32).expect("no elements").is_empty());
    // What neither operand moves along is repeated, however often.
    let spec = Contraction { sizes: vec![1 << 20, 1 << 20], lhs: vec![], rhs: vec![], out: vec![1, 0] };
    let two = TensorValue::splat(&ctx, vec![], Type::F32, &2.0.into()).expect("a float");
    let value = TensorValue::contract(&ctx, &two, &two, &spec, Type::F32).expect("one element");
    assert_eq!((value.shape(), value.splat_value()), (&[1 << 20, 1 << 20][..], Some(4.0.into())));
}

#[test]
fn threads_change_no_product() {
    let (ctx, mut random) = (context(), Random::new(41));
    let mut matrix = |rows: usize, columns: usize| {
        let values = (0..rows * columns).map(|_| random.bits() as f64 / 1e18 - 9.0).collect();
        TensorValue::from_f64(&ctx, vec![rows, columns], Type::F64, values).expect("as many")
    };
    let (a, b) = (matrix(200, 300), matrix(300, 150));
    let spec = Contraction {
        sizes: vec![200, 150, 300],
        lhs: vec![access(&[(0, 1)]), access(&[(2, 1)])],
        rhs: vec![access(&[(2, 1)]), access(&[(1, 1)])],
        out: vec![0, 1],
    };
    let run = || TensorValue::contract(&ctx, &a, &b, &spec, Type::F64).expect("they fit");
    assert_eq!(with_threads(1, run), with_threads(4, run));
}

/// The same numbers as a tensor of products and its sum, whichever way the sizes make the cheapest; also where products
/// are too small or too large for their type, or no numbers.
#[test]
fn products_are_rounded_before_they_are_added() {
    let (ctx, mut random) = (context(), Random::new(57));
    for (elem, to) in [
        (Type::F16, Type::F32),
        (Type::BF16, Type::F32),
        (Type::F16, Type::F16),
        (Type::F32, Type::F64),
        (Type::I8, Type::I32),
        (Type::I32, Type::F32),
    ] {
        let mut differ = false;
        let sizes = [(3, 5, 7), (1, 2, 700), (70, 40, 33), (64, 64, 64), (600, 1, 3), (0, 4, 2), (2, 2, 0)];
        for ((m, n, k), extreme) in sizes.into_iter().flat_map(|sizes| [(sizes, false), (sizes, true)]) {
            // Numbers with as many digits as fit, so that most products have to be rounded.
            let mut number = || {
                let digits = random.below(1 << 20) as f64 / 3000.0 - 170.0;
                match random.below(200) {
                    0 if extreme => f64::NAN,
                    1 if extreme => f64::INFINITY,
                    2..10 => 0.0,
                    _ if extreme => digits * 2f64.powi(random.below(40) as i32 - 25),
                    _ => digits,
                }
            };
            let mut filled = |shape: [usize; 2]| {
                let values = (0..shape[0] * shape[1]).map(|_| number()).collect();
                TensorValue::from_f64(&ctx, shape.to_vec(), Type::F64, values).and_then(|x| x.cast(&ctx, elem))
            };
            let (a, b) = (filled([m, k]).expect("small"), filled([k, n]).expect("small"));
            let spec = Contraction {
                sizes: vec![m, n, k],
                lhs: vec![access(&[(0, 1)]), access(&[(2, 1)])],
                rhs: vec![access(&[(2, 1)]), access(&[(1, 1)])],
                out: vec![0, 1],
            };
            let found = TensorValue::contract_products(&ctx, &a, &b, &spec, Some(elem), to).expect("it fits");
            let x = a.broadcast_in_dim(&[m, n, k], &[0, 2]).expect("it fits");
            let y = b.permute(&[1, 0]).and_then(|b| b.broadcast_in_dim(&[m, n, k], &[1, 2])).expect("it fits");
            let products = match elem.float_kind(&ctx) {
                Some(_) => x.zip_float(&ctx, &y, elem, |a, b| a * b),
                None => x.zip_int(&ctx, &y, elem, i64::wrapping_mul),
            };
            let sum = products.and_then(|products| products.reduce(&ctx, Combine::Sum, &[2], to)).expect("small");
            let same = |(a, b): (f64, f64)| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-6 * b.abs();
            let all = found.to_f64s().into_iter().zip(sum.to_f64s()).all(same);
            assert!(all && found.shape() == sum.shape(), "{m} x {n} x {k} of {}", elem.display(&ctx));
            let exact = TensorValue::contract(&ctx, &a, &b, &spec, to).expect("it fits");
            differ |= exact.to_f64s() != found.to_f64s();
        }
        assert!(differ, "nothing was rounded in {}", elem.display(&ctx));
    }
}
