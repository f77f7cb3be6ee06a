// Schedules and targets, in both forms. Every clause is here once; what they are for is in `ladder.mlir` and `kernels.mlir`.

// RUN: dlc-opt %s > %t.mlir && dlc-opt %t.mlir | cmp %t.mlir -
// RUN: dlc-opt %s --print-generic > %t.generic && dlc-opt %t.generic | cmp %t.mlir -
// RUN: dlc-opt %s | snapshot %s

// The dump of section 8.1 of the specification.
plan.schedule for sm80 {
  tile (m: 128, n: 64, k: 64)
  warp_tile (m: 64, n: 64)
  stages 2
  bind (m.o: block.y, n.o: block.x, m.i.o: warp.y, n.i.o: warp.x)
  cache A in smem at k.i pingpong
  cache B in smem at k.i pingpong
  swizzle (A: auto, B: auto)
  stride (C: row)
  vectorize n.i.i by 8
  predicate_tail [m.i.i, n.i.i, k.i.i]
  barrier cp_async_group
  async prefetch 2 overlap_epilogue
  edge sum_k to relu in reg
  epilogue [bias, relu]
  algo (matmul: implicit_gemm)
}

// Nothing is decided, for either machine.
plan.schedule for sm80 or sm90 {}

plan.target @half like sm90 {
  sms 66
  memory_gbps 2000
  rates (wgmma.f16: 2048)
  features [cp_async, tma, wgmma]
}

plan.target @same like sm80 {}

region.func @copy<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %a = read %x[m] : f32 over (m)
  yield %a to y
}

// A name that is no word is a string; the order of clauses is always the same.
plan.schedule of @copy for @half or sm90 {
  deterministic
  cache "x 1" in reg
  tile ("my axis": 4)
} attributes {why = "by hand"}

// What the dump does not have.
plan.schedule for sm90 {
  tile (m: 128, n: 128, k: 64)
  fix (K: 64)
  assume (M: 8, N: 8)
  instruction wgmma [64, 128, 16] promote
  stages 4
  unroll (k: 2)
  cluster (m: 2)
  multicast [B]
  persistent 128
  order grouped 8 along m
  roles cooperative consumers 2 in_turn
  registers (producer: 40, consumer: 232)
  blocks_per_sm 1
  split_k 4 along k through workspace
  cache A (m, k) f16 in smem buffers 5
  cache B (k, n) f16 in smem transposed
  cache bias (n) f16 in reg
  cache R in global
  policy (A: evict_first, B: evict_last, R: normal)
  swizzle (A: 128, B: 64, R: 0)
  vectors (bias: 8)
  barrier mbarrier
  async prefetch 3
  in_flight 1
  edge s to y in smem_ring depth 2
  epilogue []
  store tma panels 2 together 1
  algo (load: im2col, lazy: 8)
  swap_operands
  launch_overlap
}

plan.schedule for sm90 {
  tile (m: 128, n: 128, k: 16)
  instruction fma
  warp_tile (m: 64, n: 64)
  thread_tile (m: 8, n: 4)
  lanes (m: 8, n: 4)
  warps (m: 2, n: 2)
  threads (m: 16, n: 8)
  registers (thread: 200)
  persistent sms
  order hilbert
  stream_k at_least 8 through atomic
  barrier block
  async off
  store rows
}

plan.schedule for sm90 {
  order longest_first 33554432
  stream_k
  async
  store fragments
}

plan.schedule for sm90 {
  order row
  split_k 2
}

plan.schedule for sm90 {
  order column
  instruction mma
}

// Factors of f32 on tensor cores.
plan.schedule for sm80 or sm90 {
  tile (m: 64, n: 64, k: 32)
  instruction mma [16, 8, 8] as tf32x3
  warp_tile (m: 32, n: 32)
  cache A (m, k) f32 in smem
  cache B (k, n) f32 in smem
}

// EXPECT:
// module {
//   plan.schedule for sm80 {
//     tile (m: 128, n: 64, k: 64)
//     warp_tile (m: 64, n: 64)
//     stages 2
//     bind (m.o: block.y, n.o: block.x, m.i.o: warp.y, n.i.o: warp.x)
//     cache A in smem at k.i pingpong
//     cache B in smem at k.i pingpong
//     swizzle (A: auto, B: auto)
//     stride (C: row)
//     vectorize n.i.i by 8
//     predicate_tail [m.i.i, n.i.i, k.i.i]
//     barrier cp_async_group
//     async prefetch 2 overlap_epilogue
//     edge sum_k to relu in reg
//     epilogue [bias, relu]
//     algo (matmul: implicit_gemm)
//   }
//   plan.schedule for sm80 or sm90 {}
//   plan.target @half like sm90 {
//     sms 66
//     memory_gbps 2000
//     rates (wgmma.f16: 2048)
//     features [cp_async, tma, wgmma]
//   }
//   plan.target @same like sm80 {}
//   region.func @copy<M> iters (m: M)
//     ins (%x: memref<[M], f32, row_major, align 4>)
//     outs (y: memref<[M], f32, row_major, align 4> materialize gmem) {
//     %a = read %x[m] : f32 over (m)
//     yield %a to y
//   }
//   plan.schedule of @copy for @half or sm90 {
//     tile ("my axis": 4)
//     cache "x 1" in reg
//     deterministic
//   } attributes {why = "by hand"}
//   plan.schedule for sm90 {
//     tile (m: 128, n: 128, k: 64)
//     fix (K: 64)
//     assume (M: 8, N: 8)
//     instruction wgmma [64, 128, 16] promote
//     stages 4
//     unroll (k: 2)
//     cluster (m: 2)
//     multicast [B]
//     persistent 128
//     order grouped 8 along m
//     roles cooperative consumers 2 in_turn
//     registers (producer: 40, consumer: 232)
//     blocks_per_sm 1
//     split_k 4 along k through workspace
//     cache A (m, k) f16 in smem buffers 5
//     cache B (k, n) f16 in smem transposed
//     cache bias (n) f16 in reg
//     cache R in global
//     policy (A: evict_first, B: evict_last, R: normal)
//     swizzle (A: 128, B: 64, R: 0)
//     vectors (bias: 8)
//     barrier mbarrier
//     async prefetch 3
//     in_flight 1
//     edge s to y in smem_ring depth 2
//     epilogue []
//     store tma panels 2 together 1
//     algo (load: im2col, lazy: 8)
//     swap_operands
//     launch_overlap
//   }
//   plan.schedule for sm90 {
//     tile (m: 128, n: 128, k: 16)
//     instruction fma
//     warp_tile (m: 64, n: 64)
//     thread_tile (m: 8, n: 4)
//     lanes (m: 8, n: 4)
//     warps (m: 2, n: 2)
//     threads (m: 16, n: 8)
//     persistent sms
//     order hilbert
//     registers (thread: 200)
//     stream_k at_least 8 through atomic
//     barrier block
//     async off
//     store rows
//   }
//   plan.schedule for sm90 {
//     order longest_first 33554432
//     stream_k
//     async
//     store fragments
//   }
//   plan.schedule for sm90 {
//     order row
//     split_k 2
//   }
//   plan.schedule for sm90 {
//     instruction mma
//     order column
//   }
//   plan.schedule for sm80 or sm90 {
//     tile (m: 64, n: 64, k: 32)
//     instruction mma [16, 8, 8] as tf32x3
//     warp_tile (m: 32, n: 32)
//     cache A (m, k) f32 in smem
//     cache B (k, n) f32 in smem
//   }
// }
