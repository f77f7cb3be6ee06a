// Every op, in both forms, there and back again.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// CHECK: sample.func private @twice(i64) -> i64
// GENERIC: "sample.func"() <{function_type = (i64) -> i64, sym_name = "twice", sym_visibility = "private"}> ({
sample.func private @twice(i64) -> i64
// CHECK: sample.func @ints<M, N>(%a: i64 {role = "data"}, %b: i64) -> (i64, i1) attributes {hot} {
// GENERIC: <{arg_attrs = [{role = "data"}, {}], function_type = (i64, i64) -> (i64, i1), sym_name = "ints", symbols = ["M", "N"]}>
sample.func @ints<M, N>(%a: i64 {role = "data"}, %b: i64) -> (i64, i1) attributes {hot} {
  // CHECK: %c = constant 5 : i64
  // GENERIC: %c = "sample.constant"() <{value = 5}> : () -> i64
  %c = constant 5 : i64
  %t = constant true
  %s = addi %a, %b : i64
  // CHECK: %d = subi %a, %b {why = "test"} : i64
  %d = subi %a, %b {why = "test"} : i64
  %m = muli %s, %d : i64
  %x0 = andi %m, %c : i64
  %x1 = ori %x0, %c : i64
  %x2 = xori %x1, %c : i64
  %lo = minsi %x2, %c : i64
  %hi = maxsi %lo, %c : i64
  %q = divsi %hi, %c : i64
  // CHECK: %q2, %r2 = divmod %hi, %c : i64, i64
  %q2, %r2 = divmod %hi, %c : i64, i64
  %n = neg %q : i64
  %p = abs %n : i64
  // CHECK: %less = cmpi slt %p, %q : i1
  // GENERIC: <{predicate = "slt"}>
  %less = cmpi slt %p, %q : i1
  %sel = select %less, %p, %q2 : i64
  // CHECK: %sum = sum -%a + %b - %sel : i64
  // GENERIC: <{signs = array<i64: -1, 1, -1>}>
  %sum = sum -%a + %b - %sel : i64
  // CHECK: %dot = dot [%a, %b] by [%c, %d] plus %sum : i64
  // GENERIC: "sample.dot"(%a, %b, %c, %d, %sum) <{operandSegmentSizes = array<i32: 2, 2, 1>}>
  %dot = dot [%a, %b] by [%c, %d] plus %sum : i64
  %dot2 = dot [%a] by [%c] : i64
  // CHECK: %box = box %dot : !sample.box<i64>
  %box = box %dot : !sample.box<i64>
  %y = unbox %box : i64
  // CHECK: %z = assume %y in #sample.range<0, 9> : i64
  %z = assume %y in #sample.range<0, 9> : i64
  // CHECK: %w = call @twice(%z) : i64
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
  // CHECK: store %x, %b[%n]
  // CHECK-NEXT: load %b[%n] : i64
  store %x, %b[%n]
  %y = load %b[%n] : i64
  return %y
}
sample.func @blocks(%c: i1, %x: i64) -> i64 {
  // CHECK: cond_br %c, ^bb1(%x), ^bb2
  // GENERIC: "sample.cond_br"(%c, %x) [^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 0>}>
  cond_br %c, ^bb1(%x), ^bb2
^bb1(%y: i64):
  return %y
^bb2:
  br ^bb1(%x)
}
sample.func @regions(%c: i1, %a: i64, %b: i64) -> i64 {
  // CHECK: %s = loop %a to %b by %b carry %a : i64 {
  %s = loop %a to %b by %b carry %a : i64 {
  ^bb0(%i: i64, %acc: i64):
    %next = addi %acc, %i : i64
    yield %next
  } {hint = 1}
  // CHECK: loop %a to %b by %b {
  loop %a to %b by %b {
  ^bb0(%i: i64):
    use %i
    yield
  }
  // CHECK: %v = if %c : i64 {
  // CHECK: } else {
  %v = if %c : i64 {
    yield %s
  } else {
    yield %b
  }
  if %c {
    yield
  }
  // CHECK: %g = graph : i64 {
  %g = graph : i64 {
    %h = addi %v, %v : i64
    yield %h
  }
  return %g
}
// CHECK: sample.scope @inner {
sample.scope @inner {
  func @f() {
    return
  }
}
