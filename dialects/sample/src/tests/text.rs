//! Every op in both forms, and there and back again.

use super::{context, parse, print};

/// One use of every op that has a custom form, as it is printed.
const EVERY_OP: &str = r#"module {
  sample.func private @twice(i64) -> i64
  sample.func @ints<M, N>(%a: i64 {role = "data"}, %b: i64) -> (i64, i1) attributes {hot} {
    %c = constant 5 : i64
    %t = constant true
    %s = addi %a, %b : i64
    %d = subi %a, %b {why = "test"} : i64
    %m = muli %s, %d : i64
    %x0 = andi %m, %c : i64
    %x1 = ori %x0, %c : i64
    %x2 = xori %x1, %c : i64
    %lo = minsi %x2, %c : i64
    %hi = maxsi %lo, %c : i64
    %q = divsi %hi, %c : i64
    %q2, %r2 = divmod %hi, %c : i64, i64
    %n = neg %q : i64
    %p = abs %n : i64
    %less = cmpi slt %p, %q : i1
    %sel = select %less, %p, %q2 : i64
    %sum = sum -%a + %b - %sel : i64
    %dot = dot [%a, %b] by [%c, %d] plus %sum : i64
    %dot2 = dot [%a] by [%c] : i64
    %box = box %dot : !sample.box<i64>
    %y = unbox %box : i64
    %z = assume %y in #sample.range<0, 9> : i64
    %w = call @twice(%z) : i64
    use %w, %dot2, %r2
    return %w, %t
  }
  sample.func @floats(%a: f32, %b: f32) -> f32 {
    %c = constant 1.500000e+00 : f32
    %s = addf %a, %b : f32
    %p = mulf %s, %c : f32
    return %p
  }
  sample.func @memory(%n: index, %x: i64) -> i64 {
    %b = alloc %n : !sample.buffer<i64>
    store %x, %b[%n]
    %y = load %b[%n] : i64
    return %y
  }
  sample.func @blocks(%c: i1, %x: i64) -> i64 {
    cond_br %c, ^bb1(%x), ^bb2
  ^bb1(%y: i64):
    return %y
  ^bb2:
    br ^bb1(%x)
  }
  sample.func @regions(%c: i1, %a: i64, %b: i64) -> i64 {
    %s = loop %a to %b by %b carry %a : i64 {
    ^bb0(%i: i64, %acc: i64):
      %next = addi %acc, %i : i64
      yield %next
    } {hint = 1}
    loop %a to %b by %b {
    ^bb0(%i: i64):
      use %i
      yield
    }
    %v = if %c : i64 {
      yield %s
    } else {
      yield %b
    }
    if %c {
      yield
    }
    %g = graph : i64 {
      %h = addi %v, %v : i64
      yield %h
    }
    return %g
  }
  sample.scope @inner {
    func @f() {
      return
    }
  }
}
"#;

#[test]
fn the_custom_form_reads_back() {
    let ctx = context();
    let body = parse(&ctx, EVERY_OP).expect("the text is right");
    assert_eq!(print(&ctx, &body, false), EVERY_OP);
}

#[test]
fn the_generic_form_means_the_same() {
    let ctx = context();
    let body = parse(&ctx, EVERY_OP).expect("the text is right");
    let generic = print(&ctx, &body, true);
    let again = parse(&ctx, &generic).expect("the generic form is right");
    assert_eq!(print(&ctx, &again, false), EVERY_OP);
    assert_eq!(print(&ctx, &again, true), generic);
}

/// So that the text above is kept complete.
#[test]
fn every_op_is_there() {
    for def in crate::DIALECT.ops {
        let called = format!("{} ", def.mnemonic());
        assert!(EVERY_OP.contains(&called) || EVERY_OP.contains(&called.replace(' ', "\n")), "{}", def.name);
        assert!(!def.example.is_empty() && !def.doc.is_empty(), "{} has no documentation", def.name);
        assert!(def.eval.is_some(), "{} has no meaning", def.name);
    }
}

#[test]
fn types_are_inferred_where_they_are_left_out() {
    let ctx = context();
    let short = "sample.func @f(%a: i64) -> i64 {\n  %s = addi %a, %a\n  %c = cmpi eq %s, %a\n  %b = box %s\n  \
                 %x = unbox %b\n  %y = select %c, %x, %a\n  return %y\n}";
    let body = parse(&ctx, short).expect("every type can be inferred");
    assert!(print(&ctx, &body, false).contains("%y = select %c, %x, %a : i64"));
}

/// Hostile text for hooks that are written by hand ends in an error.
#[test]
fn broken_functions_are_refused() {
    let ctx = context();
    for text in [
        "sample.func",
        "sample.func @f",
        "sample.func @f(",
        "sample.func @f(i64) { sample.return }",
        "sample.func @f() {}",
        "sample.func @f() { }",
        "sample.func @f<(M) {",
        "sample.func @f(%x: i64, %x: i64) { sample.return }",
        "sample.func @f() -> { sample.return }",
        "sample.func @f() attributes",
        "sample.func private private @f()",
        "\"sample.func\"() ({}) : () -> ()",
        "\"sample.func\"() <{sym_name = \"f\", function_type = i64}> ({}) : () -> ()",
        "\"sample.func\"() <{sym_name = \"f\", function_type = () -> ()}> : () -> ()",
        "sample.func @f(%a: i64) { %s = sum %a + : i64 }",
        "sample.func @f(%a: i64) { %s = sum : i64 }",
    ] {
        assert!(parse(&ctx, text).is_err(), "{text}");
    }
}
