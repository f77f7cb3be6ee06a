//! Running programs.

use dlc_ir::interp::{Datum, Interpreter};

use super::{context, parse};
use crate::interp::Trace;

/// What `@f` of the text gives, or the message and code of the error.
fn run(text: &str, args: &[Datum]) -> Result<Vec<Datum>, String> {
    limited(text, args, |_| {})
}

fn limited(text: &str, args: &[Datum], limit: impl Fn(&mut Interpreter<'_>)) -> Result<Vec<Datum>, String> {
    let ctx = context();
    let body = parse(&ctx, text).expect("the text is right");
    let mut interp = Interpreter::new(&ctx, &body);
    limit(&mut interp);
    let results = interp.call("f", args).map_err(|error| format!("{} {}", error.code.kind, error.message))?;
    Ok(results.into_iter().collect())
}

fn ints(values: &[i128]) -> Vec<Datum> {
    values.iter().map(|&value| value.into()).collect()
}

/// The results of one line of arithmetic on `%a, %b: i8`.
fn line(line: &str, a: i128, b: i128) -> Result<Vec<Datum>, String> {
    let text = format!("sample.func @f(%a: i8, %b: i8) -> i8 {{\n %r = {line}\n return %r\n}}");
    run(&text, &ints(&[a, b]))
}

#[test]
fn integers_wrap_at_their_width() {
    assert_eq!(line("addi %a, %b : i8", 127, 1), Ok(ints(&[-128])));
    assert_eq!(line("subi %a, %b : i8", -128, 1), Ok(ints(&[127])));
    assert_eq!(line("muli %a, %b : i8", 100, 3), Ok(ints(&[44])));
    assert_eq!(line("neg %a : i8", -128, 0), Ok(ints(&[-128])));
    assert_eq!(line("abs %a : i8", -128, 0), Ok(ints(&[-128])));
    assert_eq!(line("divsi %a, %b : i8", -7, 2), Ok(ints(&[-3])));
    assert_eq!(line("divsi %a, %b : i8", -128, -1), Ok(ints(&[-128])));
    assert_eq!(line("sum -%a + %b - %b : i8", 5, 9), Ok(ints(&[-5])));
    assert_eq!(line("dot [%a, %b] by [%b, %b] plus %a : i8", 2, 3), Ok(ints(&[17])));
    assert_eq!(line("minsi %a, %b : i8", -2, 3), Ok(ints(&[-2])));
    assert_eq!(line("maxsi %a, %b : i8", -2, 3), Ok(ints(&[3])));
}

#[test]
fn comparisons_have_signs_or_not() {
    let compare = |predicate: &str, a: i128, b: i128| {
        let text = format!("sample.func @f(%a: i8, %b: i8) -> i1 {{\n %r = cmpi {predicate} %a, %b\n return %r\n}}");
        run(&text, &ints(&[a, b]))
    };
    assert_eq!(compare("slt", -1, 1), Ok(ints(&[1])));
    assert_eq!(compare("ult", -1, 1), Ok(ints(&[0])));
    assert_eq!(compare("ule", 1, -1), Ok(ints(&[1])));
    assert_eq!(compare("sle", 1, 1), Ok(ints(&[1])));
    assert_eq!(compare("eq", 1, 2), Ok(ints(&[0])));
    assert_eq!(compare("ne", 1, 2), Ok(ints(&[1])));
}

#[test]
fn floats_round_to_their_type() {
    let text =
        "sample.func @f(%a: f16, %b: f16) -> (f16, f16) {\n %s = addf %a, %b\n %p = mulf %a, %b\n return %s, %p\n}";
    // 2048 + 1 lies between two numbers of f16; 300 * 300 is beyond them.
    assert_eq!(run(text, &[2048.0.into(), 1.0.into()]), Ok(vec![2048.0.into(), 2048.0.into()]));
    assert_eq!(run(text, &[300.0.into(), 300.0.into()]), Ok(vec![600.0.into(), f64::INFINITY.into()]));
}

#[test]
fn structured_and_unstructured_control_flow() {
    let sum = "sample.func @f(%n: i64) -> i64 {\n %z = constant 0 : i64\n %o = constant 1 : i64\n \
               %s = loop %z to %n by %o carry %z : i64 {\n ^bb0(%i: i64, %acc: i64):\n \
               %odd = andi %i, %o\n %c = cmpi eq %odd, %o\n \
               %next = if %c : i64 {\n %t = addi %acc, %i\n yield %t\n } else {\n yield %acc\n }\n \
               yield %next\n }\n return %s\n}";
    assert_eq!(run(sum, &ints(&[10])), Ok(ints(&[25])));
    assert_eq!(run(sum, &ints(&[0])), Ok(ints(&[0])));
    let power = "sample.func @f(%x: i64, %n: i64) -> i64 {\n %z = constant 0 : i64\n %o = constant 1 : i64\n \
                 br ^head(%o, %n)\n^head(%p: i64, %left: i64):\n %done = cmpi eq %left, %z\n \
                 cond_br %done, ^exit(%p), ^next\n^next:\n %q = muli %p, %x\n %less = subi %left, %o\n \
                 br ^head(%q, %less)\n^exit(%r: i64):\n return %r\n}";
    assert_eq!(run(power, &ints(&[3, 4])), Ok(ints(&[81])));
}

/// A return inside of regions ends the function.
#[test]
fn a_return_leaves_every_region() {
    let text = "sample.func @f(%n: i64) -> i64 {\n %o = constant 1 : i64\n \
                loop %o to %n by %o {\n ^bb0(%i: i64):\n %c = cmpi eq %i, %n\n %d = cmpi slt %o, %i\n \
                if %d {\n return %i\n }\n yield\n }\n return %o\n}";
    assert_eq!(run(text, &ints(&[10])), Ok(ints(&[2])));
    assert_eq!(run(text, &ints(&[2])), Ok(ints(&[1])));
}

const RECURSIVE: &str = "sample.func @f(%n: i64) -> i64 {\n %z = constant 0 : i64\n %o = constant 1 : i64\n \
    %c = cmpi sle %n, %z\n %r = if %c : i64 {\n yield %z\n } else {\n %m = subi %n, %o\n \
    %s = call @f(%m) : i64\n %t = addi %s, %n\n yield %t\n }\n return %r\n}";

#[test]
fn functions_call_themselves_and_others() {
    assert_eq!(run(RECURSIVE, &ints(&[100])), Ok(ints(&[5050])));
    let nested = "sample.scope @a {\n sample.func @g() -> i64 {\n %x = sample.call @h() : i64\n sample.return %x\n }\n \
                  sample.func @h() -> i64 {\n %x = constant 7 : i64\n return %x\n }\n}\n\
                  sample.func @f() -> i64 {\n %x = call @a::@g() : i64\n return %x\n}";
    assert_eq!(run(nested, &[]), Ok(ints(&[7])));
}

#[test]
fn memory_holds_what_was_stored() {
    let text = "sample.func @f(%n: index, %i: index, %j: index) -> i64 {\n %b = alloc %n : !sample.buffer<i64>\n \
                %x = constant 42 : i64\n store %x, %b[%i]\n %y = load %b[%j]\n return %y\n}";
    assert_eq!(run(text, &ints(&[4, 3, 3])), Ok(ints(&[42])));
    let error = |args: &[i128]| run(text, &ints(args)).expect_err("out of bounds");
    assert!(error(&[4, 4, 0]).contains("Undefined the index 4 is outside of a buffer of 4 cells"));
    assert!(error(&[4, -1, 0]).contains("the index -1"));
    assert!(error(&[4, 0, 1]).contains("read before"));
    assert!(error(&[1 << 40, 0, 0]).contains("goes beyond"));
    assert!(error(&[-1, 0, 0]).contains("goes beyond"));
}

#[test]
fn what_has_no_meaning_is_an_error() {
    assert_eq!(line("divsi %a, %b : i8", 1, 0), Err("Undefined division by zero".into()));
    let assume = line("assume %a in #sample.range<0, 9> : i8", 10, 0);
    assert_eq!(assume, Err("Undefined 10 is not between 0 and 9, as was assumed".into()));
    let missing = run("sample.func private @f()", &[]);
    assert_eq!(missing, Err("CannotRun the function is declared, but has no body".into()));
    let wrong = run(RECURSIVE, &ints(&[1, 2]));
    assert_eq!(wrong, Err("CannotRun 2 values are given where 1 are taken".into()));
    let kind = run(RECURSIVE, &[1.5.into()]);
    assert_eq!(kind, Err("CannotRun operand 0 is 1.5 while the program runs, not an integer".into()));
    let none = run("sample.func @f() {\n builtin.module {\n }\n return\n}", &[]);
    assert_eq!(none, Err("NoEvaluator the op has no evaluator, so the program cannot be run".into()));
    assert!(run("sample.func @g() {\n return\n}", &[]).expect_err("no @f").contains("no function '@f'"));
}

/// Programs that would run forever, or recurse forever, end in an error and take no stack.
#[test]
fn programs_are_stopped_at_their_limits() {
    let forever = "sample.func @f() {\n br ^a\n^a:\n br ^a\n}";
    let stopped = limited(forever, &[], |interp| interp.limits.steps = 1000);
    assert_eq!(stopped, Err("EvalLimit the program is stopped after 1000 steps".into()));
    let deep = run(RECURSIVE, &ints(&[1 << 40]));
    assert_eq!(deep, Err("EvalLimit more than 10000 calls and regions are open at once".into()));
    let inside = limited(RECURSIVE, &ints(&[100_000]), |interp| interp.limits.depth = 1_000_000);
    assert_eq!(inside, Ok(ints(&[5_000_050_000])));
    let zero_step = "sample.func @f(%n: i64) {\n loop %n to %n by %n {\n ^bb0(%i: i64):\n yield\n }\n return\n}";
    assert!(run(zero_step, &ints(&[0])).expect_err("no progress").contains("steps above zero"));
}

/// A thread can be stopped after any step, and copied: both go on from there.
#[test]
fn threads_stop_and_go_on() {
    let ctx = context();
    let text = "sample.func @f(%a: i64) -> i64 {\n use %a\n %s = addi %a, %a\n use %s\n return %s\n}";
    let body = parse(&ctx, text).expect("the text is right");
    let mut interp = Interpreter::new(&ctx, &body);
    let mut first = interp.thread("f", &ints(&[4])).expect("a function");
    assert!(interp.step(&mut first).expect("it goes on").is_none());
    let mut second = first.clone();
    for thread in [&mut first, &mut second] {
        assert!(interp.step(thread).expect("it goes on").is_none());
        assert!(interp.step(thread).expect("it goes on").is_none());
        assert_eq!(interp.step(thread).expect("a return").map(|r| r.to_vec()), Some(ints(&[8])));
    }
    assert_eq!(interp.state::<Trace>().0, ints(&[4, 8, 8]));
    assert_eq!(interp.steps(), 7);
}
