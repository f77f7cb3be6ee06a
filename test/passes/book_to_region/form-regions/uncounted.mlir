// An axis is read in two parts only where the elements of the view can be counted.

// RUN: dlc-opt %s --form-regions | FileCheck %s

// CHECK-LABEL: host.func @part(
// CHECK-NOT: view
// CHECK: read %x[2*i0 + 1, i1]
book.func @part(%x: tensor<[4294967296, 9223372036854775807], f16>, %i: tensor<[6], i32>) -> tensor<[6, 4], f32> {
  %t = entry cast axes (i0: 4, i1: 4) of %x at (2*i0 + 1, i1) to f32 : tensor<[4, 4], f32>
  %y = gather non_scop axes (i0: 6, i1: 4) of %t at [%i (i0), i1] : tensor<[6, 4], f32>
  return %y
}

// CHECK-LABEL: host.func @counted(
// CHECK: view %x
book.func @counted(%x: tensor<[1024, 64], f16>, %i: tensor<[6], i32>) -> tensor<[6, 4], f32> {
  %t = entry cast axes (i0: 4, i1: 4) of %x at (2*i0 + 1, i1) to f32 : tensor<[4, 4], f32>
  %y = gather non_scop axes (i0: 6, i1: 4) of %t at [%i (i0), i1] : tensor<[6, 4], f32>
  return %y
}
