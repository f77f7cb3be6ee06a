// choose-plan: threads share a reduced axis however memory lies along it, where they would make each sum alone otherwise.

// RUN: dlc-opt %s --choose-plan=target=sm90 --split-input-file | FileCheck %s

// One tensor lies along what is summed, the other along the results.
// CHECK-LABEL: plan.schedule of @both
// CHECK: tile (c: {{[0-9]+}}, p: {{[0-9]+}})
// CHECK: reduced [p]
// CHECK: threads ({{.*}}p: {{[0-9]+}})
region.func @both iters (c: 96) ins (%a: memref<[12, 3136, 96], f32, row_major, align 128>, %b: memref<[12, 96, 3136], f32, row_major, align 128>) outs (y: memref<[96], f32, row_major, align 128> materialize gmem) {
  %y = reduce sum (n: 12, p: 3136) acc f32 init 0.0 {
    %0 = read %a[n, p, c] : f32 over (c, n, p)
    %1 = read %b[n, c, p] : f32 over (c, n, p)
    %2 = binary mul %0, %1 : f32 over (c, n, p)
    yield %2
  } : f32 over (c)
  yield %y to y
}

// -----

// Points lie apart by their three numbers, which each thread sums by itself.
// CHECK-LABEL: plan.schedule of @points
// CHECK: reduced [p]
// CHECK: threads ({{.*}}p: {{[0-9]+}})
region.func @points iters (n: 32) ins (%x: memref<[32, 2500, 3], f32, row_major, align 128>) outs (y: memref<[32], f32, row_major, align 128> materialize gmem) {
  %y = reduce max (p: 2500) acc f32 init -inf {
    %s = reduce sum (k: 3) acc f32 init 0.0 {
      %0 = read %x[n, p, k] : f32 over (n, p, k)
      %1 = binary mul %0, %0 : f32 over (n, p, k)
      yield %1
    } : f32 over (n, p)
    yield %s
  } : f32 over (n)
  yield %y to y
}
