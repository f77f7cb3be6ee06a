//! Functions of numbers: the types that they give, and that their words and properties are true.

use dlc_ir::{Context, Type};

use crate::scalar::{Binary, Combiner, Unary, select};
use crate::tensor::TensorValue;

fn context() -> Context {
    Context::new([&crate::DIALECT])
}

#[test]
fn types_of_results() {
    let ctx = context();
    let unary = |word, elem| Unary::of(word).expect(word).elem(&ctx, elem);
    assert_eq!(
        [unary("neg", Type::I8), unary("sqrt", Type::I8), unary("exp2", Type::F16)],
        [Type::I8, Type::F32, Type::F16]
    );
    let binary = |word: &str, a, b| Binary::of(word).expect(word).elem(&ctx, a, b).ok();
    assert_eq!(binary("add", Type::F16, Type::F32), Some(Type::F32));
    assert_eq!(binary("lt", Type::F16, Type::F32), Some(Type::I1));
    assert_eq!(binary("shl", Type::I8, Type::I64), Some(Type::I8));
    assert_eq!(binary("fdiv", Type::I32, Type::I32), Some(Type::F32));
    assert_eq!(binary("add", Type::F32, Type::INDEX), None);
    assert_eq!(binary("eq", Type::F32, Type::INDEX), None);
    assert!(Unary::of("add").is_none() && Binary::of("neg").is_none() && Combiner::of("mean").is_none());
}

#[test]
fn the_order_of_operands_matters_where_it_is_said_to() {
    let ctx = context();
    let values = [-7i64, -2, 0, 1, 3, 5];
    let pairs: Vec<(i64, i64)> = values.iter().flat_map(|&a| values.iter().map(move |&b| (a, b))).collect();
    let side = |pick: fn(&(i64, i64)) -> i64| {
        TensorValue::from_i64(&ctx, vec![pairs.len()], Type::I32, pairs.iter().map(pick).collect()).expect("small")
    };
    let (a, b) = (side(|pair| pair.0), side(|pair| pair.1));
    for word in Binary::WORDS {
        let function = Binary::of(word).expect(word);
        if word == &"fdiv" {
            continue;
        }
        let elem = function.elem(&ctx, Type::I32, Type::I32).expect("one type");
        assert_eq!(elem == Type::I1, function.is_comparison(), "{word}");
        let (one, other) = (function.eval(&ctx, &a, &b, elem), function.eval(&ctx, &b, &a, elem));
        assert_eq!(one.expect(word) == other.expect(word), function.is_commutative(), "{word}");
    }
}

#[test]
fn what_is_not_a_number_stays_that() {
    let ctx = context();
    let float =
        |values: &[f64]| TensorValue::from_f64(&ctx, vec![values.len()], Type::F32, values.to_vec()).expect("floats");
    let (x, y) = (float(&[f64::NAN, 1.0, -1.0, -0.0]), float(&[0.0, f64::NAN, 2.0, 0.0]));
    let binary = |word| Binary::of(word).expect(word).eval(&ctx, &x, &y, Type::F32).expect(word).to_f64s();
    for word in ["max", "min", "add", "sub", "mul", "fdiv"] {
        let values = binary(word);
        assert!(values[0].is_nan() && values[1].is_nan() && !values[2].is_nan(), "{word}: {values:?}");
    }
    let relu = Unary::of("relu").expect("a word").eval(&ctx, &x, Type::F32).expect("floats").to_f64s();
    assert!(relu[0].is_nan() && relu[1..] == [1.0, 0.0, 0.0]);
    let less = Binary::of("lt").expect("a word").eval(&ctx, &x, &y, Type::I1).expect("floats");
    assert_eq!(less.to_i64s(), [0, 0, 1, 0]);
    let chosen = select(&ctx, &less, &x, &y, Type::F64).expect("the same sizes");
    assert_eq!((chosen.elem(), chosen.to_f64s()[2]), (Type::F64, -1.0));
}
