//! Conversion between layers: what becomes legal, what stays illegal and why, and that nothing is left of a failure.

use super::*;
use crate::entity::ValueId;
use crate::rewrite::{
    Conversion, ConversionMode, ConversionPattern, ConversionTarget, ConvertTypes, Legality, Root, TypeConverter,
    convert,
};

/// Replaces an op with one of another name, which has the converted types.
struct Rename(&'static str, &'static str);

impl ConversionPattern for Rename {
    fn name(&self) -> &'static str {
        "rename"
    }
    fn root(&self) -> Root {
        Root::Op(self.0)
    }
    fn convert(&self, op: OpId, operands: &[ValueId], cv: &mut Conversion<'_>) -> Rewrite {
        let name = cv.ctx.op_name(self.1);
        if op == cv.body().root() {
            cv.convert_function(op, Some(name));
            return Rewrite::Changed;
        }
        let types: Vec<Type> = cv.op(op).result_types().collect();
        let types: Vec<Type> = types.into_iter().map(|ty| cv.convert_type(ty)).collect();
        let (props, loc) = (cv.body().props(op), cv.body().loc(op));
        let new = cv.before(op).create(OpParts { operands, results: &types, props, ..OpParts::new(name, loc) });
        let results: Vec<ValueId> = cv.body().results(new).collect();
        cv.replace(op, &results);
        Rewrite::Changed
    }
}

struct Never(&'static str);

impl ConversionPattern for Never {
    fn name(&self) -> &'static str {
        "never"
    }
    fn benefit(&self) -> u16 {
        7
    }
    fn root(&self) -> Root {
        Root::Op(self.0)
    }
    fn convert(&self, _: OpId, _: &[ValueId], _: &mut Conversion<'_>) -> Rewrite {
        Rewrite::NoMatch("it is not made for this")
    }
}

/// `i64` becomes `i32`; `u.cast` goes from one to the other.
fn narrow<'t>(casts: bool) -> TypeConverter<'t> {
    let types = TypeConverter::new().rule(|_, ty| (ty == Type::I64).then_some(Type::I32));
    match casts {
        false => types,
        true => types.cast(|b, loc, value, ty| {
            let name = b.ctx.op_name("u.cast");
            let op = b.create(OpParts { operands: &[value], results: &[ty], ..OpParts::new(name, loc) });
            Some(b.result(op))
        }),
    }
}

fn run(
    bench: &Bench,
    body: &mut Body,
    target: &ConversionTarget<'_>,
    patterns: &[&dyn ConversionPattern],
    types: &TypeConverter<'_>,
    mode: ConversionMode,
) -> bool {
    let before = bench.print(body);
    let edits = body.edits();
    let ok = bench.with_cx(&DebugCounters::off(), |cx| convert(body, target, patterns, types, mode, cx)).is_ok();
    if !ok {
        assert_eq!(bench.print(body), before, "a failed conversion leaves the body as it was");
        assert_eq!(body.edits(), edits);
    }
    ok
}

#[test]
fn ops_types_blocks_and_the_root_are_converted() {
    let bench = Bench::new();
    let mut body = bench.parse(&function(
        r#"%a = "t.abs"(%x) : (i64) -> i64
          "u.br"(%a)[^bb2] : (i64) -> ()
        ^bb1:
          "t.abs"(%y) : (i64) -> i64
          "u.end"() : () -> ()
        ^bb2(%y: i64):
          "u.br"()[^bb1] : () -> ()"#,
    ));
    let types = narrow(false);
    let target = ConversionTarget::new()
        .dialect("t", Legality::Illegal)
        .op_by_types("u.br", &types)
        .dialect("u", Legality::Legal);
    let patterns: [&dyn ConversionPattern; 3] =
        [&Rename("t.abs", "u.abs"), &Rename("t.func", "u.func"), &ConvertTypes("u.br")];
    assert!(run(&bench, &mut body, &target, &patterns, &types, ConversionMode::Full), "{:?}", bench.diags.take());
    let text = bench.print(&body);
    assert!(crate::verify::verify(&bench.ctx, &body, &bench.diags), "{:?}\n{text}", bench.diags.take());
    for line in [
        r#""u.func"() ({"#,
        "^bb0(%x: i32):",
        r#"%a = "u.abs"(%x) : (i32) -> i32"#,
        r#""u.br"(%a) [^bb2] : (i32) -> ()"#,
        r#"%0 = "u.abs"(%y) : (i32) -> i32"#,
        "^bb2(%y: i32):",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(!text.contains("i64") && !text.contains("cast"), "{text}");
}

#[test]
fn what_stays_legal_gets_its_operands_through_casts() {
    let bench = Bench::new();
    let mut body = bench.parse(&function(
        r#"%a = "t.abs"(%x) : (i64) -> i64
        %b = "t.abs"(%a) : (i64) -> i64
        "u.use"(%b) : (i64) -> ()"#,
    ));
    let types = narrow(true);
    let target = ConversionTarget::new().dialect("t", Legality::Illegal).op("t.func", Legality::Legal);
    let patterns: [&dyn ConversionPattern; 1] = [&Rename("t.abs", "u.abs")];
    assert!(run(&bench, &mut body, &target, &patterns, &types, ConversionMode::Partial), "{:?}", bench.diags.take());
    let text = bench.print(&body);
    let ops: Vec<&str> = text.lines().skip(2).take(5).map(str::trim).collect();
    assert_eq!(
        ops,
        [
            r#"%0 = "u.cast"(%x) : (i64) -> i32"#,
            r#"%a = "u.abs"(%0) : (i32) -> i32"#,
            r#"%b = "u.abs"(%a) : (i32) -> i32"#,
            r#"%1 = "u.cast"(%b) : (i32) -> i64"#,
            r#""u.use"(%1) : (i64) -> ()"#,
        ],
        "no cast between the two"
    );
}

#[test]
fn without_a_cast_the_conversion_fails_and_says_for_whom() {
    let bench = Bench::new();
    let mut body = bench.parse(&function("%a = \"t.abs\"(%x) : (i64) -> i64\n\"u.use\"(%a) : (i64) -> ()"));
    let types = narrow(false);
    let target = ConversionTarget::new().dialect("t", Legality::Illegal);
    let patterns: [&dyn ConversionPattern; 2] = [&Rename("t.abs", "u.abs"), &Rename("t.func", "u.func")];
    assert!(!run(&bench, &mut body, &target, &patterns, &types, ConversionMode::Partial));
    assert_eq!(
        bench.diagnostic(),
        "E0454: the op needs a i64, but the value is a i32 now, and nothing goes from one to the other; \
         the value is defined here"
    );
}

#[test]
fn an_op_that_stays_illegal_is_named_with_what_was_tried() {
    let bench = Bench::new();
    let mut body = bench.parse(&function("%a = \"t.abs\"(%x) : (i64) -> i64\n\"t.use\"(%a) : (i64) -> ()"));
    let types = narrow(false);
    let target = ConversionTarget::new().dialect("t", Legality::Illegal).op("t.func", Legality::Legal);
    let patterns: [&dyn ConversionPattern; 2] = [&Rename("t.abs", "u.abs"), &Never("t.use")];
    assert!(!run(&bench, &mut body, &target, &patterns, &types, ConversionMode::Partial));
    assert_eq!(
        bench.diagnostic(),
        "E0453: the op is not legal here, and no pattern that converts it matches; \
         the pattern 'never' does not match: it is not made for this"
    );
}

#[test]
fn a_full_conversion_admits_only_what_the_table_names() {
    let bench = Bench::new();
    let mut body = bench.parse(&function("\"u.use\"() : () -> ()"));
    let types = TypeConverter::new();
    let target = ConversionTarget::new().op("t.func", Legality::Legal);
    assert!(run(&bench, &mut body, &target, &[], &types, ConversionMode::Partial));
    assert!(!run(&bench, &mut body, &target, &[], &types, ConversionMode::Full));
    assert_eq!(bench.diagnostic(), "E0453: the op is not legal here, and no pattern converts it");
}

#[test]
fn what_patterns_make_is_converted_too_and_circles_end() {
    let bench = Bench::new();
    let text = function("%a = \"t.abs\"(%x) : (i64) -> i64\n\"u.use\"(%a) : (i64) -> ()");
    let types = TypeConverter::new();
    let target = ConversionTarget::new().op("t.abs", Legality::Illegal).op("t.max", Legality::Illegal);
    let mut body = bench.parse(&text);
    let chain: [&dyn ConversionPattern; 2] = [&Rename("t.abs", "t.max"), &Rename("t.max", "u.max")];
    assert!(run(&bench, &mut body, &target, &chain, &types, ConversionMode::Partial), "{:?}", bench.diags.take());
    assert!(bench.print(&body).contains(r#"%a = "u.max"(%x)"#));
    let mut body = bench.parse(&text);
    let circle: [&dyn ConversionPattern; 2] = [&Rename("t.abs", "t.max"), &Rename("t.max", "t.abs")];
    assert!(!run(&bench, &mut body, &target, &circle, &types, ConversionMode::Partial));
    assert!(bench.diagnostic().starts_with("E0451: the pattern 'rename' does not end"));
}

#[test]
fn an_op_taken_out_while_its_result_is_used_is_the_patterns_mistake() {
    struct Drop;
    impl ConversionPattern for Drop {
        fn name(&self) -> &'static str {
            "drop"
        }
        fn root(&self) -> Root {
            Root::Op("t.abs")
        }
        fn convert(&self, op: OpId, _: &[ValueId], cv: &mut Conversion<'_>) -> Rewrite {
            cv.erase(op);
            Rewrite::Changed
        }
    }
    let bench = Bench::new();
    let mut body = bench.parse(&function("%a = \"t.abs\"(%x) : (i64) -> i64\n\"u.use\"(%a) : (i64) -> ()"));
    let target = ConversionTarget::new().op("t.abs", Legality::Illegal);
    assert!(!run(&bench, &mut body, &target, &[&Drop], &TypeConverter::new(), ConversionMode::Partial));
    assert!(bench.diagnostic().starts_with("E0452: a pattern took the op out"));
}
