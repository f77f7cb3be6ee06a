// Of kernels that are compared the one with the least cost runs, if its condition holds. Here each gives a number of its own.

// RUN: dlc-opt %s | dlc-opt --print-generic | dlc-opt | FileCheck %s --check-prefix=TEXT
// RUN: dlc-run %s --function=costs --shape=M=5 | FileCheck %s --check-prefix=FIRST
// RUN: dlc-run %s --function=costs --shape=M=16 | FileCheck %s --check-prefix=ONE
// RUN: dlc-run %s --function=costs --shape=M=300 | FileCheck %s --check-prefix=TWO
// RUN: dlc-run %s --function=costs --shape=M=301 | FileCheck %s --check-prefix=ONE
// RUN: dlc-run %s --function=costs --shape=M=104 | FileCheck %s --check-prefix=ONE
// RUN: dlc-run %s --function=costs --shape=M=0 | FileCheck %s --check-prefix=EMPTY
// RUN: dlc-run %s --function=none --shape=M=4 | FileCheck %s --check-prefix=LAST
// RUN: dlc-run %s --function=none --shape=M=6 | FileCheck %s --check-prefix=ONE

// TEXT: launch @three<M> where (M == 5) else @one<M> cost (tiles: M, steps: 1, bytes: 8*M, launch: 100, tile: 10, step: 10, wait: 0, gbps: 1000, sms: 8, blocks: 1), @two<M> cost (tiles: M ceildiv 64, steps: 2, bytes: 8*M, launch: 100, tile: 60, step: 10, wait: 100, gbps: 1000, sms: 8, blocks: 1) where (M mod 4 == 0) else @three<M> ()

// 20 ns for each 8 elements against 260 for up to 512 of them: equal at 104, where the first one is taken.
// FIRST: y tensor<[5], f32> 3 3 3
// ONE: y tensor<[{{[0-9]+}}], f32> 1 1 1
// TWO: y tensor<[300], f32> 2 2 2
// LAST: y tensor<[4], f32> 3 3 3
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

host.func @costs<M>(%x: memref<[M], f32>) -> memref<[M], f32> {
  %y = launch @three<M> where (M == 5) else @one<M> cost (tiles: M, steps: 1, bytes: 8*M, launch: 100, tile: 10, step: 10, wait: 0, gbps: 1000, sms: 8, blocks: 1), @two<M> cost (tiles: M ceildiv 64, steps: 2, bytes: 8*M, launch: 100, tile: 60, step: 10, wait: 100, gbps: 1000, sms: 8, blocks: 1) where (M mod 4 == 0) else @three<M> () : memref<[M], f32>
  return %y
}

// Where no kernel that has a cost may run, the next one does.
host.func @none<M>(%x: memref<[M], f32>) -> memref<[M], f32> {
  %y = launch @one<M> cost (tiles: M, steps: 1, bytes: 8*M, launch: 100, tile: 10, step: 10, wait: 0, gbps: 1000, sms: 8, blocks: 1) where (M mod 3 == 0) else @three<M> () : memref<[M], f32>
  return %y
}
