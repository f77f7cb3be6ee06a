// A table that is read at positions that are values is memory. Where it is an argument with other sizes it is a view, and nothing
// is copied.

// RUN: dlc-opt %s --form-regions --split-input-file | FileCheck %s
// RUN: dlc-opt %s --form-regions --split-input-file --evaluate-each --no-output

// CHECK-LABEL: host.func @rows
// CHECK: %[[T:.*]] = view %x : memref<[8*B, 16], f32
// CHECK: launch {{.*}} (%last, %[[T]])
// CHECK-NOT: launch
// CHECK: return
book.func @rows<B>(%x: tensor<[B, 8, 16], f32>, %last: tensor<[B], i64>) -> tensor<[B, 16], f32> {
  %first = iota (8*i0) axes (i0: B) : tensor<[B], i64>
  %row = entry add axes (i0: B) of %first at (i0), %last at (i0) : tensor<[B], i64>
  %t = entry copy axes (i0: 8*B, i1: 16) of %x at (i0 floordiv 8, i0 mod 8, i1) : tensor<[8*B, 16], f32>
  %y = gather non_scop axes (i0: B, i1: 16) of %t at [%row (i0), i1] : tensor<[B, 16], f32>
  return %y
}

// -----

// Elements in another order are copied, and a part of them.
// CHECK-LABEL: host.func @columns
// CHECK-NOT: view
// CHECK: launch @columns_0
// CHECK: launch @columns_1
book.func @columns(%x: tensor<[8, 16], f32>, %at: tensor<[4], i64>) -> tensor<[4], f32> {
  %t = entry copy axes (i0: 128) of %x at (i0 mod 8, i0 floordiv 8) : tensor<[128], f32>
  %y = gather non_scop axes (i0: 4) of %t at [%at (i0)] : tensor<[4], f32>
  return %y
}

// -----

// CHECK-LABEL: host.func @part
// CHECK-NOT: view
// CHECK: launch @part_0
// CHECK: launch @part_1
book.func @part(%x: tensor<[8, 16], f32>, %at: tensor<[4], i64>) -> tensor<[4], f32> {
  %t = entry copy axes (i0: 64) of %x at (i0 floordiv 16, i0 mod 16) : tensor<[64], f32>
  %y = gather non_scop axes (i0: 4) of %t at [%at (i0)] : tensor<[4], f32>
  return %y
}
