// The kernel that runs is the first whose condition holds for the sizes. Here each gives a number of its own.

// RUN: dlc-run %s --shape=M=16 | FileCheck %s --check-prefix=FIRST
// RUN: dlc-run %s --shape=M=1 | FileCheck %s --check-prefix=FIRST
// RUN: dlc-run %s --shape=M=33 | FileCheck %s --check-prefix=SECOND
// RUN: dlc-run %s --shape=M=64 | FileCheck %s --check-prefix=SECOND
// RUN: dlc-run %s --shape=M=7 | FileCheck %s --check-prefix=LAST
// RUN: dlc-run %s --shape=M=0 | FileCheck %s --check-prefix=EMPTY

// FIRST: y tensor<[{{16|1}}], f32> 1 1 1
// SECOND: y tensor<[{{33|64}}], f32> 2 2 2
// LAST: y tensor<[7], f32> 3 3 3
// EMPTY: y tensor<[0], f32>

region.func private @one<N> iters (n: N) ins () outs (y: memref<[N], f32> materialize gmem) {
  %c = const 1.0 : f32 over ()
  %y = broadcast_in_dim %c to [N] dims [] : f32 over (n)
  yield %y to y
}
region.func private @two<A> iters (n: A) ins () outs (y: memref<[A], f32> materialize gmem) {
  %c = const 2.0 : f32 over ()
  %y = broadcast_in_dim %c to [A] dims [] : f32 over (n)
  yield %y to y
}
region.func private @three<M> iters (n: M) ins () outs (y: memref<[M], f32> materialize gmem) {
  %c = const 3.0 : f32 over ()
  %y = broadcast_in_dim %c to [M] dims [] : f32 over (n)
  yield %y to y
}

host.func @choices<M>(%x: memref<[M], f32>) -> memref<[M], f32> {
  %y = launch @one<M> where (M mod 8 == 0, M < 64) or (M == 1) else @two<M> where (M > 32) else @three<M> () : memref<[M], f32>
  return %y
}
