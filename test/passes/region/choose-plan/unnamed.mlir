// Inputs that another kernel stores have no name; a plan speaks of them all the same.

// RUN: dlc-opt %s --choose-plan --remarks --remarks-filter=choose-plan 2>&1 | FileCheck %s

// CHECK-NOT: cannot do
// CHECK: ins (%in0: memref<[256, 512], f16, row_major, align 128>, %in1: memref<[256, 512], f16, row_major, align 128>)
// CHECK: %{{.*}} = read %in0[m, k]
// CHECK: plan.schedule of @product for sm90 {
// CHECK: instruction
// CHECK: cache in0 (m, k) f16 in smem
region.func @product iters (m: 256, n: 256)
    ins (%0: memref<[256, 512], f16, row_major, align 128>, %1: memref<[256, 512], f16, row_major, align 128>)
    outs (in2: memref<[256, 256], f16, row_major, align 128> materialize gmem) {
  %2 = reduce sum (k: 512) acc f32 init 0.0 {
    %3 = read %0[m, k] : f16 over (m, k)
    %4 = read %1[n, k] : f16 over (n, k)
    %5 = binary mul %3, %4 widen : f32 over (m, n, k)
    yield %5
  } : f32 over (m, n)
  yield %2 to in2 as f16
}
