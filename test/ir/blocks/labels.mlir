// Labels of blocks are kept; others are numbered in order.

// RUN: dlc-opt %s --allow-unregistered-dialect --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func @f(%n: i64) -> i64
sample.func @f(%n: i64) -> i64 {
  // CHECK: br ^loop(%n)
  sample.br ^loop(%n)
// CHECK-NEXT: ^loop(%i: i64):
^loop(%i: i64):
  %go = sample.cmpi slt %i, %n : i1
  // CHECK: cond_br %go, ^loop(%i), ^bb2
  sample.cond_br %go, ^loop(%i), ^bb7
// CHECK-NEXT: ^bb2:
^bb7:
  // CHECK-NEXT: br ^end
  sample.br ^end
// CHECK-NEXT: ^end:
^end:
  sample.return %i
}

// Each region has labels of its own, and a lone block without ops keeps its label.
// CHECK: "x.regions"() ({
// CHECK-NEXT: ^bb0:
// CHECK-NEXT: }, {
// CHECK-NEXT: }, {
// CHECK-NEXT: "x.jump"() [^next] : () -> ()
// CHECK-NEXT: ^next:
// CHECK-NEXT: "x.end"() : () -> ()
// CHECK-NEXT: }, {
// CHECK-NEXT: "x.jump"() [^next] : () -> ()
// CHECK-NEXT: ^next:
// CHECK-NEXT: "x.end"() : () -> ()
// CHECK-NEXT: }) : () -> ()
"x.regions"() ({
^bb0:
}, {
}, {
  "x.jump"() [^next] : () -> ()
^next:
  "x.end"() : () -> ()
}, {
  "x.jump"() [^next] : () -> ()
^next:
  "x.end"() : () -> ()
}) : () -> ()
