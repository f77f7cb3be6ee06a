// A reduction with a region of its own keeps its rows in registers, in blocks of four warps whatever a plan says: plans whose
// tile is not followed are not chosen.

// RUN: dlc-opt %s --choose-plan=target=sm90 --tensorize | FileCheck %s

// CHECK-LABEL: kernel.func @combiner
// CHECK: grid (M ceildiv 4) threads 128 {
region.func @combiner<M, K> iters (m: M, k: K)
    ins (%X: memref<[M, K], f32>, %W: memref<[M], f32>)
    outs (Y: memref<[M], f32> materialize gmem) {
  %x = read %X[m, k] : f32 over (m, k)
  %w = read %W[m] : f32 over (m)
  %a = reduce (k: K) acc f32 init -inf {
    yield %x
  } combine (%p: f32 over (m), %q: f32 over (m)) {
    %top = binary max %p, %q : f32 over (m)
    %least = binary max %top, %w : f32 over (m)
    yield %least
  } : f32 over (m)
  yield %a to Y
}
