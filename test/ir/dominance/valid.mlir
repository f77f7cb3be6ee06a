// Values reach what they dominate: blocks after, nested regions, unreachable code, and all of a graph region.

// RUN: dlc-opt %s --allow-unregistered-dialect --verify-roundtrip --no-output
// RUN: dlc-opt %s --allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: func @deep
sample.func @deep(%c: i1) {
  %x = sample.constant 1 : i64
  sample.br ^a
^a:
  sample.cond_br %c, ^b, ^c
^b:
  sample.br ^d
^c:
  sample.br ^d
^d:
  // CHECK: ^d:
  // CHECK-NEXT: use %x
  sample.use %x
  "x.op"() ({
    "x.inner"() ({
      sample.use %x, %c
    }) : () -> ()
  }) : () -> ()
  sample.return
^unreachable:
  // CHECK: ^unreachable:
  // The custom form wants types from definitions before: where there are none, the generic form stands.
  // CHECK-NEXT: "sample.use"(%never) : (i64) -> ()
  "sample.use"(%never) : (i64) -> ()
  sample.br ^more
^more:
  %never = sample.constant 2 : i64
  sample.br ^unreachable
}

// CHECK: "x.graph"() ({
// CHECK-NEXT: %a = "x.f"(%b) : (i1) -> i1
// CHECK-NEXT: %b = "x.f"(%a) : (i1) -> i1
"x.graph"() ({
  %a = "x.f"(%b) : (i1) -> i1
  %b = "x.f"(%a) : (i1) -> i1
}) : () -> ()
