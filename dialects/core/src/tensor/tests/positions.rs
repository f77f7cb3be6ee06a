//! Reads at affine positions against their definition, point by point.

use dlc_ir::affine::SizeExpr;
use dlc_ir::interp::Datum;

use super::*;
use crate::guard::{Condition, Guard};
use crate::sizes::Bindings;

fn expr(text: &str) -> SizeExpr {
    SizeExpr::parse(text).expect(text)
}

fn bindings(symbols: &[(&str, i64)]) -> Bindings {
    symbols.iter().map(|(name, value)| (name.to_string(), *value)).collect::<std::collections::BTreeMap<_, _>>().into()
}

#[test]
fn elements_are_those_at_the_positions() {
    let (ctx, mut random) = (context(), Random::new(5));
    let (mut views, mut errors) = (0, 0);
    for _ in 0..400 {
        let source = random.shape();
        let source = &source[..source.len().min(3)];
        let model = Model::random(&mut random, source);
        let tensor = model.strided(&ctx, Type::F32, &mut random);
        let shape: Vec<usize> = (0..random.below(4)).map(|_| random.below(4)).collect();
        let names: Vec<String> = (0..shape.len()).map(|axis| format!("i{axis}")).collect();
        let symbols = bindings(&[("S", random.below(3) as i64)]);
        let points =
            Points { names: names.iter().map(String::as_str).collect(), shape: shape.clone(), symbols: &symbols };
        let position = |random: &mut Random| {
            let mut text = format!("{}", random.below(3) as i64 - 1);
            for name in &names {
                text += &format!(" + {}*{name}", random.below(3) as i64 - 1);
            }
            match random.below(5) {
                0 => format!("({text}) floordiv 2"),
                1 => format!("({text}) mod 3"),
                2 => format!("{text} + S"),
                _ => text,
            }
        };
        let at: Vec<SizeExpr> = source.iter().map(|_| expr(&position(&mut random))).collect();
        let within =
            at.iter().zip(source).map(|(at, &size)| Condition::within(at.clone(), SizeExpr::from(size as i64)));
        let mut pieces = vec![within.collect::<Vec<_>>()];
        if random.coin() {
            // A second piece adds nothing: it holds where the first does.
            pieces.push(pieces[0].clone());
            pieces[1].push(Condition { expr: expr(&position(&mut random)), lower: Some(expr("0")), upper: None });
        }
        let guard = Guard { pieces };
        let fill = random.small();
        let positions: Vec<Position<'_>> = at.iter().map(Position::At).collect();
        let value = |index: &[usize], expr: &SizeExpr| {
            let number = |name: &str| match names.iter().position(|known| known == name) {
                Some(axis) => Some(index[axis] as i64),
                None => symbols.integer(&SizeExpr::symbol(name).ok()?).ok(),
            };
            expr.eval(&number).expect("small")
        };
        let place = |index: &[usize]| -> Option<Vec<usize>> {
            let axis =
                |(at, &size): (&SizeExpr, &usize)| usize::try_from(value(index, at)).ok().filter(|&at| at < size);
            at.iter().zip(source).map(axis).collect()
        };
        let expected = Model::from_fn(&shape, |index| place(index).map_or(fill, |place| model.at(&place)));
        let number = Datum::from(fill as f64);
        let guarded = tensor.read_at(&ctx, &points, &positions, Some(&guard), Some(&number)).expect("within the guard");
        check(&guarded, &expected);
        // Without a guard it is the same where all positions are there, and else an error.
        let all = indices(&shape).iter().all(|index| place(index).is_some());
        let plain = tensor.read_at(&ctx, &points, &positions, None, None);
        assert_eq!(plain.is_ok(), all, "{at:?} of {source:?} at {shape:?}");
        match plain {
            Ok(plain) => {
                check(&plain, &expected);
                views += usize::from(std::ptr::eq(&*plain.data, &*tensor.data));
            }
            Err(message) => {
                assert!(message.contains("is read on an axis of size"), "{message}");
                errors += 1;
            }
        }
    }
    assert!(views > 20 && errors > 50, "{views} views, {errors} errors");
}

#[test]
fn a_position_may_be_an_element() {
    let ctx = context();
    let table = TensorValue::from_i64(&ctx, vec![3, 2], Type::I32, vec![10, 11, 20, 21, 30, 31]).expect("six");
    let ids = TensorValue::from_i64(&ctx, vec![4, 1], Type::I64, vec![2, -1, 0, 3]).expect("four");
    let symbols = bindings(&[]);
    let points = Points { names: vec!["i0", "i1"], shape: vec![4, 2], symbols: &symbols };
    let column = expr("i1");
    let at = [Position::Element(&ids), Position::At(&column)];
    // Next to the table there is nothing.
    let read = table.read_at(&ctx, &points, &at, None, None).expect("inside");
    assert_eq!(read.to_i64s(), [30, 31, 0, 0, 10, 11, 0, 0]);
    let read = table.read_at(&ctx, &points, &at, None, Some(&Datum::Int(-5))).expect("inside");
    assert_eq!(read.to_i64s(), [30, 31, -5, -5, 10, 11, -5, -5]);
    let beyond = expr("i1 + 1");
    let at = [Position::Element(&ids), Position::At(&beyond)];
    assert!(table.read_at(&ctx, &points, &at, None, None).is_err());
    assert!(table.read_at(&ctx, &points, &at[..1], None, None).is_err());
}

#[test]
fn positions_are_numbers_of_a_type() {
    let ctx = context();
    let symbols = bindings(&[("M", 100)]);
    let points = Points { names: vec!["i0", "i1"], shape: vec![2, 2], symbols: &symbols };
    let numbers = |text: &str, elem| points.numbers(&ctx, &expr(text), elem).map(|numbers| numbers.to_f64s());
    assert_eq!(numbers("M*i0 + i1", Type::I32), Ok(vec![0.0, 1.0, 100.0, 101.0]));
    assert_eq!(numbers("M*i0 + 100*i0", Type::I8), Ok(vec![0.0, 0.0, -56.0, -56.0]));
    assert_eq!(numbers("4097*i1", Type::F16), Ok(vec![0.0, 4096.0, 0.0, 4096.0]));
    assert!(numbers("K", Type::I32).is_err());
    assert!(numbers("9223372036854775807*i0 + 9223372036854775807*i1", Type::I64).is_err());
    let none = Points { names: vec!["i0"], shape: vec![0], symbols: &symbols };
    assert_eq!(none.numbers(&ctx, &expr("i0"), Type::F32).map(|none| none.len()), Ok(0));
    let guard = Guard { pieces: vec![] };
    assert_eq!(points.inside(&ctx, &guard).map(|inside| inside.to_i64s()), Ok(vec![0; 4]));
}
