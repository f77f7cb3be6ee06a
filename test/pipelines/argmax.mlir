// An argmax is one kernel that reads its input once; blocks share long rows of it.

// RUN: dlc-opt %s --lower-frontend --tiny-to-plan=target=sm90 -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %s --lower-frontend --tiny-to-plan=target=sm90 --debug-counter=stream-extrema/stream=all | FileCheck %s --check-prefix=TWICE

// CHECK-LABEL: host.func @long
// CHECK-COUNT-1: launch
// CHECK-NOT: launch
// CHECK: reduce (i1: 417193) acc (f16, i32)
// CHECK: split_k {{[0-9]+}} along i1 through workspace
// TWICE-NOT: combine
frontend.graph @long(%x: tensor<[40, 417193], f16>) -> tensor<[40], i32> {
  %y = argmax %x over 1
  output %y
}
