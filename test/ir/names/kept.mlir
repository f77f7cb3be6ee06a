// Names given in the source are kept, and those that would collide get a suffix.

// RUN: dlc-opt %s --allow-unregistered-dialect --verify-roundtrip | FileCheck %s
// RUN: dlc-opt %s --allow-unregistered-dialect --verify-roundtrip --print-generic | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: func @f(%arg: i64, %0: i64) -> i64
// GENERIC-LABEL: sym_name = "f"
// GENERIC: ^bb0(%arg: i64, %[[B:[0-9]+]]: i64):
sample.func @f(%arg: i64, %5: i64) -> i64 {
  // CHECK-NEXT: %sum = addi %arg, %0 : i64
  // GENERIC-NEXT: %sum = "sample.addi"(%arg, %[[B]])
  %sum = sample.addi %arg, %5 : i64
  // CHECK-NEXT: %1 = muli %sum, %sum : i64
  // GENERIC-NEXT: %{{[0-9]+}} = "sample.muli"(%sum, %sum)
  %7 = sample.muli %sum, %sum : i64
  // A name of digits with a leading zero is a name.
  // CHECK-NEXT: %007 = addi %1, %1 : i64
  %007 = sample.addi %7, %7 : i64
  // CHECK-NEXT: %a-b.c$d = addi %007, %007 : i64
  %a-b.c$d = sample.addi %007, %007 : i64
  sample.return %a-b.c$d
}

// Several results: one name for all, one for each, or one for some.
// CHECK-LABEL: func @results()
sample.func @results() {
  // CHECK-NEXT: %all:3 = "x.three"()
  %all:3 = "x.three"() : () -> (i1, i2, i3)
  // CHECK-NEXT: %a, %b, %c = "x.three"()
  %a, %b, %c = "x.three"() : () -> (i1, i2, i3)
  // CHECK-NEXT: %first, %rest:2 = "x.three"()
  %first, %rest:2 = "x.three"() : () -> (i1, i2, i3)
  // CHECK-NEXT: %some:2, %last = "x.three"()
  %some:2, %last = "x.three"() : () -> (i1, i2, i3)
  // CHECK-NEXT: %0:3 = "x.three"()
  %0:3 = "x.three"() : () -> (i1, i2, i3)
  // CHECK-NEXT: use %all, %all#2, %b, %first, %rest#1, %some#1, %last, %0, %0#2
  sample.use %all, %all#2, %b, %first, %rest#1, %some#1, %last, %0, %0#2
  sample.return
}

// One name may stand for different values in regions side by side, and again after them.
// CHECK-LABEL: func @side()
sample.func @side() {
  // CHECK: %v = "x.def"() : () -> i1
  // CHECK: %v = "x.def"() : () -> i2
  // CHECK: %v = "x.def"() : () -> i3
  "x.side"() ({
    %v = "x.def"() : () -> i1
    "x.use"(%v) : (i1) -> ()
  }, {
    %v = "x.def"() : () -> i2
    "x.use"(%v) : (i2) -> ()
  }) : () -> ()
  %v = "x.def"() : () -> i3
  sample.return
}

// Where values may be used before they are defined, a nested one with the name of an outer one gets another.
// CHECK: "x.unordered"() ({
// CHECK-NEXT: "x.nest"() ({
// CHECK-NEXT: %w_0 = "x.def"() : () -> i1
// CHECK-NEXT: "x.use"(%w_0) : (i1) -> ()
// CHECK: %w = "x.def"() : () -> i2
"x.unordered"() ({
  "x.nest"() ({
    %w = "x.def"() : () -> i1
    "x.use"(%w) : (i1) -> ()
  }) : () -> ()
  %w = "x.def"() : () -> i2
}) : () -> ()

// The results of an op have their names from after it on: its own regions may use them for something else.
sample.func @own(%c: i1, %a: i64) -> i64 {
  // CHECK: %x = if %c : i64 {
  // CHECK-NEXT: %x = addi %a, %a : i64
  %x = sample.if %c : i64 {
    %x = sample.addi %a, %a : i64
    sample.yield %x
  } else {
    sample.yield %a
  }
  sample.return %x
}

// An isolated op has names of its own in custom form. MLIR's generic form knows no such thing, so there none is used
// twice.
"x.holder"() ({
  %n = "x.def"() : () -> i64
  "x.use"(%n) : (i64) -> ()
  %1 = "x.def"() : () -> i64
  // CHECK: sample.func @nested(%n: i64)
  // CHECK-NEXT: %0 = addi %n, %n : i64
  // GENERIC: %[[NUMBER:[0-9]+]] = "x.def"()
  // GENERIC: sym_name = "nested"
  // GENERIC-NEXT: ^bb0(%n_0: i64):
  // GENERIC-NOT: %[[NUMBER]] = "sample.addi"
  // GENERIC: %{{[0-9]+}} = "sample.addi"(%n_0, %n_0)
  sample.func @nested(%n: i64) {
    %0 = sample.addi %n, %n : i64
    sample.return
  }
  "x.end"() : () -> ()
}) : () -> ()
