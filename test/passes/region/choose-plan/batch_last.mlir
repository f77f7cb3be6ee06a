// Where the last axis of the factors is one of the batch, their neighbours are of other products: they are copied with the sum
// last.

// RUN: dlc-opt %s --choose-plan='target=sm90' | FileCheck %s

// CHECK: launch @products_a
// CHECK: launch @products_b
// CHECK-LABEL: plan.schedule of @products for
// CHECK: instruction wgmma
host.func @main(%a: memref<[256, 256, 128], f16, row_major, align 128>, %b: memref<[256, 256, 128], f16, row_major, align 128>) -> memref<[256, 256, 128], f16, row_major, align 128> {
  %y = launch @products (%a, %b) : memref<[256, 256, 128], f16, row_major, align 128>
  return %y
}
region.func private @products iters (i: 256, j: 256, c: 128)
    ins (%a: memref<[256, 256, 128], f16, row_major, align 128>, %b: memref<[256, 256, 128], f16, row_major, align 128>)
    outs (Y: memref<[256, 256, 128], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 256) acc f32 init 0.0 {
    %0 = read %a[i, k, c] : f16 over (i, c, k)
    %1 = read %b[j, k, c] : f16 over (j, c, k)
    %2 = binary mul %0, %1 widen : f32 over (i, j, c, k)
    yield %2
  } : f32 over (i, j, c)
  yield %s to Y as f16
}
