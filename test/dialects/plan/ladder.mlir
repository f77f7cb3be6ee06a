// The eight rungs of the ladder document, from one thread for an element to wgmma, are plans of one kernel.

// RUN: dlc-opt %s > %t.mlir && dlc-opt %t.mlir | cmp %t.mlir -
// RUN: dlc-opt %s --print-generic > %t.generic && dlc-opt %t.generic | cmp %t.mlir -

// RUN: dlc-opt %s | FileCheck %s
// CHECK-COUNT-8: plan.schedule of @sgemm for sm90

region.func @sgemm<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16>, %B: memref<[K, N], f16>) outs (C: memref<[M, N], f32> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}

// 1: naive. Neighbouring threads go down a column, so that their reads are far apart.
plan.schedule of @sgemm for sm90 {
  tile (m: 32, n: 32)
  instruction fma
  threads (m: 32, n: 32)
  bind (m.o: block.x, n.o: block.y, m.i: thread.x, n.i: thread.y)
}

// 2: coalesced. Neighbouring threads go along a row.
plan.schedule of @sgemm for sm90 {
  tile (m: 32, n: 32)
  instruction fma
  threads (m: 32, n: 32)
  bind (m.o: block.x, n.o: block.y, m.i: thread.y, n.i: thread.x)
}

// 3: tiles in shared memory.
plan.schedule of @sgemm for sm90 {
  tile (m: 32, n: 32, k: 32)
  instruction fma
  threads (m: 32, n: 32)
  stages 1
  bind (m.o: block.x, n.o: block.y, m.i: thread.y, n.i: thread.x)
  cache A (m, k) f16 in smem at k.o
  cache B (k, n) f16 in smem at k.o
  barrier block
}

// 4: a column of eight results for each thread.
plan.schedule of @sgemm for sm90 {
  tile (m: 64, n: 64, k: 8)
  instruction fma
  thread_tile (m: 8)
  stages 1
  cache A (m, k) f16 in smem at k.o
  cache B (k, n) f16 in smem at k.o
  barrier block
}

// 5: eight by eight results.
plan.schedule of @sgemm for sm90 {
  tile (m: 128, n: 128, k: 8)
  instruction fma
  thread_tile (m: 8, n: 8)
  stages 1
  cache A (m, k) f16 in smem at k.o
  cache B (k, n) f16 in smem at k.o
  barrier block
}

// 6: wide reads, A transposed as it is copied to shared memory.
plan.schedule of @sgemm for sm90 {
  tile (m: 128, n: 128, k: 8)
  instruction fma
  thread_tile (m: 8, n: 8)
  stages 1
  cache A (m, k) f16 in smem at k.o transposed
  cache B (k, n) f16 in smem at k.o
  vectors (A: 8, B: 8, C: 4)
  barrier block
}

// 7: a tile for each warp, and in it one for each thread, four times along n.
plan.schedule of @sgemm for sm90 {
  tile (m: 128, n: 128, k: 16)
  instruction fma
  warp_tile (m: 64, n: 64)
  thread_tile (m: 8, n: 4)
  lanes (m: 8, n: 4)
  warps (m: 2, n: 2)
  stages 1
  cache A (m, k) f16 in smem at k.o transposed
  cache B (k, n) f16 in smem at k.o
  vectors (A: 8, B: 8, C: 4)
  barrier block
}

// 8: wgmma on tiles that TMA brings.
plan.schedule of @sgemm for sm90 {
  tile (m: 128, n: 128, k: 64)
  instruction wgmma [64, 128, 16]
  stages 4
  roles cooperative consumers 2
  cache A (m, k) f16 in smem at k.o
  cache B (k, n) f16 in smem at k.o
  swizzle (A: 128, B: 128)
  barrier mbarrier
  async prefetch 3
  in_flight 0
}
