// The types of results may be left out where the op says what they are.

// RUN: dlc-opt %s | FileCheck %s

// CHECK-LABEL: @inferred
sample.func @inferred(%a: i64, %b: !sample.buffer<f32>, %i: index) -> (i1, f32) {
  // CHECK: %s = addi %a, %a : i64
  %s = addi %a, %a
  // CHECK: %q:2 = divmod %s, %a : i64, i64
  %q:2 = divmod %s, %a
  // CHECK: %less = cmpi slt %q, %q#1 : i1
  %less = cmpi slt %q#0, %q#1
  // CHECK: %box = box %s : !sample.box<i64>
  %box = box %s
  // CHECK: %x = unbox %box : i64
  %x = unbox %box
  // CHECK: %y = select %less, %x, %a : i64
  %y = select %less, %x, %a
  // CHECK: %z = load %b[%i] : f32
  %z = load %b[%i]
  // CHECK: loop %y to %s by %a carry %z : f32 {
  %w = loop %y to %s by %a carry %z {
  ^bb0(%j: i64, %acc: f32):
    // CHECK: mulf %acc, %acc : f32
    %m = mulf %acc, %acc
    yield %m
  }
  return %less, %w
}
