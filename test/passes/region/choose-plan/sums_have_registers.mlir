// choose-plan: two products of the same results have a sum each, and the products of a step next to them: threads have tiles for
// which the registers are enough.

// RUN: dlc-opt %s --share-axes --choose-plan=target=sm90 -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --region-to-ptx --no-output

// CHECK-LABEL: plan.schedule of @both for sm90
// CHECK: tile (m: {{[0-9]+}}, n: {{[0-9]+}}, i: {{[0-9]+}})
// CHECK: instruction mma [16, 8, 8] promote as tf32x3
// CHECK: warp_tile (m: 32, n: 32)
region.func @both iters (m: 1024, n: 1024) ins (%a: memref<[128, 1024], f32, row_major, align 128>, %b: memref<[128, 1024], f32, row_major, align 128>, %c: memref<[128, 1024], f32, row_major, align 128>, %d: memref<[128, 1024], f32, row_major, align 128>) outs (y: memref<[1024, 1024], f32, row_major, align 128> materialize gmem) {
  %x = reduce sum (i: 128) acc f32 init 0.0 {
    %0 = read %a[i, m] : f32 over (m, i)
    %1 = read %b[i, n] : f32 over (n, i)
    %2 = binary mul %0, %1 widen : f32 over (m, n, i)
    yield %2
  } : f32 over (m, n)
  %z = reduce sum (j: 128) acc f32 init 0.0 {
    %3 = read %c[j, m] : f32 over (m, j)
    %4 = read %d[j, n] : f32 over (n, j)
    %5 = binary mul %3, %4 widen : f32 over (m, n, j)
    yield %5
  } : f32 over (m, n)
  %r = binary add %x, %z : f32 over (m, n)
  yield %r to y
}
