// The clause that says how many threads there are stays in a plan, though no pass follows it: without it there were eight
// here. What is chosen is accepted, and lowered.

// RUN: dlc-opt %s --choose-plan='target=sm80' | dlc-opt --choose-plan | FileCheck %s

// CHECK: plan.schedule of @few for sm80 {
region.func @few iters (m: 2, one: 1)
    ins (%X: memref<[2, 16], f32, row_major, align 128, noalias>, %W: memref<[16, 16], f32, row_major, align 128, noalias>)
    outs (Y: memref<[2, 1], f32, row_major, align 128, noalias> materialize gmem) {
  %s = reduce sum (k: 16) acc f32 init 0.0 {
    %x = read %X[m, k] : f32 over (m, k)
    %w = read %W[n, k] : f32 over (n, k)
    %0 = binary mul %x, %w widen : f32 over (m, n, k)
    yield %0
  } : f32 over (m, n)
  %most = reduce max (n: 16) acc f32 init -inf {
    yield %s
  } : f32 over (m)
  %sum = reduce sum (n: 16) acc f32 init 0.0 {
    %1 = binary sub %s, %most : f32 over (m, n)
    %2 = unary exp2 %1 : f32 over (m, n)
    yield %2
  } : f32 over (m)
  %log = unary log2 %sum : f32 over (m)
  %y = binary add %log, %most : f32 over (m)
  %out = broadcast_in_dim %y to [2, 1] dims [0] : f32 over (m, one)
  yield %out to Y
}
