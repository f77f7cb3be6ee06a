// Nested, isolated and graph regions; empty ones; several in one op; forward references.

// REQUIRES: mlir-opt
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic | cmp %t.expected -
// RUN: mlir-opt %s --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.mlir
// RUN: mlir-opt %t.mlir --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.expected
// RUN: dlc-opt %t.mlir --allow-unregistered-dialect --print-generic --print-locations -o %t.ours
// RUN: mlir-opt %t.ours --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo | cmp %t.expected -

"x.outer"() ({
  "x.inner"() ({
    "x.leaf"() : () -> ()
  }, {
  }, {
  ^bb0:
  }, {
  ^bb0(%a: i32, %b: f32):
    "x.use"(%a, %b)[^bb2] : (i32, f32) -> ()
  ^bb1:
    "x.fall"() : () -> ()
  ^bb2:
    "x.jump"()[^bb1, ^bb2] : () -> ()
  }) : () -> ()
}) : () -> ()
"x.graph"() ({
  %0:2 = "x.two"(%1, %2#1) : (i32, f32) -> (i8, i16)
  %1 = "x.one"(%0#1) : (i16) -> i32
  %2:3 = "x.three"(%0#0, %2#0) : (i8, index) -> (index, f32, none)
}) : () -> ()
%early = "x.before"(%late) : (i32) -> i32
%late = "x.after"(%early) : (i32) -> i32
"x.shadow"() ({
  %v = "x.def"() : () -> i32
  "x.use"(%v, %late) : (i32, i32) -> ()
}, {
  %v = "x.def"() : () -> f32
  "x.use"(%v) : (f32) -> ()
}) : () -> ()
func.func @isolated() {
  %a = "x.def"() : () -> i32
  "builtin.module"() ({
    %0 = "x.def"() : () -> f32
    "x.use"(%0) : (f32) -> ()
    func.func @deep() {
      %b = "x.def"() : () -> i1
      "x.use"(%b) : (i1) -> ()
      return
    }
  }) : () -> ()
  "x.use"(%a) : (i32) -> ()
  return
}
"x.props"() <{a = 1 : i32, b = "s"}> ({
  "x.leaf"() <{c}> {c = 2} : () -> ()
}) {d = 3} : () -> ()
%many:5 = "x.many"() : () -> (i1, i2, i3, (i4) -> i5, none)
"x.take"(%many#4, %many#0, %many#3) : (none, i1, (i4) -> i5) -> ()
%fn = "x.fn"() : () -> ((i32) -> f32)
