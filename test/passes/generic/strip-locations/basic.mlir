// RUN: dlc-opt %s --strip-locations --print-locations | FileCheck %s

// No location of an op, a function or an argument is left.
// CHECK-NOT: loc({{"|fused}}
// CHECK: constant 1 : i64 loc(unknown)
// CHECK-NOT: loc({{"|fused}}
sample.func @f(%x: i64 loc("arg.mlir":1:1)) -> i64 {
  %c = constant 1 : i64 loc("op.mlir":2:2)
  br ^next(%c)
^next(%y: i64 loc("arg.mlir":3:3)):
  %sum = addi %y, %x : i64 loc(fused["a", "b"])
  return %sum loc("op.mlir":4:4)
} loc("func.mlir":5:5)
