// The kernels that are fastest on an H200, as plans: what of their generators is a matter of schedule, can be said.

// RUN: dlc-opt %s > %t.mlir && dlc-opt %t.mlir | cmp %t.mlir -
// RUN: dlc-opt %s --print-generic > %t.generic && dlc-opt %t.generic | cmp %t.mlir -
// RUN: dlc-opt %s | FileCheck %s
// CHECK-COUNT-11: plan.schedule for sm90

// GEMM: two consumers, each with a tile of its own; a pair of blocks along m shares W.
plan.schedule for sm90 {
  tile (m: 128, n: 128, k: 64)
  assume (K: 8, N: 8)
  instruction wgmma [64, 128, 16]
  stages 6
  cluster (m: 2)
  multicast [W]
  persistent sms
  order grouped 8 along m
  roles ping_pong consumers 2
  registers (producer: 40, consumer: 232)
  cache X (m, k) bf16 in smem
  cache W (k, n) bf16 in smem
  swizzle (X: 128, W: 128, Y: 128)
  predicate_tail [m, n, k]
  barrier mbarrier
  async prefetch 5 overlap_epilogue
  in_flight 1
  epilogue [bias, relu]
  store tma panels 2 together 1
}

// 8192 x 8192 x 8192: tiles of 128 x 176, which fill the SMs evenly; the last panel is narrow.
plan.schedule for sm90 {
  tile (m: 128, n: 176, k: 64)
  instruction wgmma [64, 176, 16]
  stages 5
  cluster (m: 2)
  multicast [W]
  persistent sms
  order grouped 8 along m
  roles ping_pong consumers 2
  registers (producer: 24, consumer: 240)
  cache X (m, k) bf16 in smem
  cache W (n, k) bf16 in smem
  swizzle (X: 128, W: 128)
  barrier mbarrier
  async prefetch 4 overlap_epilogue
  in_flight 1
  store tma panels 1 together 1
}

// Rows of the result that TMA cannot take, in an order along a curve.
plan.schedule for sm90 {
  tile (m: 128, n: 256, k: 64)
  instruction wgmma [64, 256, 16]
  stages 4
  cluster (n: 2)
  multicast [X]
  persistent 128
  order hilbert
  roles cooperative consumers 2
  registers (producer: 40, consumer: 232)
  cache X (m, k) bf16 in smem
  cache W (n, k) bf16 in smem
  policy (X: evict_last, W: evict_first)
  swizzle (X: 128, W: 128)
  barrier mbarrier
  async prefetch 3
  in_flight 1
  store rows panels 2
}

// Causal attention with heads of 128: three groups of 64 queries share keys and values; the longest rows come first.
plan.schedule for sm90 {
  tile (b: 1, h: 1, q: 192, d: 128, k: 64)
  fix (D: 128)
  instruction wgmma [64, 64, 16]
  unroll (d: 8)
  persistent sms
  order longest_first 33554432
  roles cooperative consumers 3
  registers (producer: 32, consumer: 160)
  cache Q (q, d) f16 in smem buffers 2
  cache K (k, d) f16 in smem buffers 4
  cache V (k, d) f16 in smem buffers 4
  swizzle (Q: 128, K: 128, V: 128)
  predicate_tail [q, k]
  barrier mbarrier
  async prefetch 3 overlap_epilogue
  edge scores to weights in reg
  store tma
  algo (attention: streaming, rescale_above: 8, first_block_max: 4096, skip_masked: 1)
}

// Without a mask, in turn, with part of the exponentials as polynomials.
plan.schedule for sm90 {
  tile (b: 1, h: 1, q: 128, d: 64, k: 96)
  fix (D: 64)
  instruction wgmma [64, 64, 16]
  persistent sms
  roles cooperative consumers 2 in_turn
  registers (producer: 24, consumer: 240)
  cache Q (q, d) f16 in smem buffers 2
  cache K (k, d) f16 in smem buffers 2
  cache V (k, d) f16 in smem buffers 2
  barrier mbarrier
  async
  algo (attention: streaming, polynomial_exp_every: 4, mask: split_loop)
}

// Convolution: the tile of pixels comes through an im2col map; 192 rows make one wave of 132 blocks.
plan.schedule for sm90 {
  tile (pixel: 192, co: 128, ci: 64)
  fix (R: 3, S: 3)
  assume (Ci: 64)
  instruction wgmma [64, 128, 16]
  stages 5
  persistent sms
  roles cooperative consumers 3
  registers (producer: 32, consumer: 160)
  cache X (pixel, ci) f16 in smem
  cache W (co, ci) f16 in smem
  swizzle (X: 128, W: 128)
  barrier mbarrier
  async prefetch 4
  in_flight 1
  algo (load_X: im2col)
}

// Convolution by a window: the patch of two output rows is loaded once, and taps are places in it; weights fill the rows.
plan.schedule for sm90 {
  tile (p: 2, q: 64, co: 64, ci: 64)
  instruction wgmma
  persistent sms
  roles ping_pong consumers 2 in_turn
  cache X (p, q, ci) f16 in smem buffers 4
  cache W (co, ci) f16 in smem buffers 9
  barrier mbarrier
  async
  swap_operands
  store tma panels 2
  algo (load_X: window)
}

// Few tokens: weights fill the rows of the instruction, and are read once.
plan.schedule for sm90 {
  tile (token: 16, n: 128, k: 64)
  instruction wgmma [64, 16, 16]
  stages 11
  roles cooperative consumers 2
  split_k 2 along k through cluster
  cache X (token, k) f16 in smem
  cache W (n, k) f16 in smem
  policy (W: evict_first)
  swizzle (X: 128, W: 128)
  barrier mbarrier
  async prefetch 11
  in_flight 1
  store tma panels 1
  swap_operands
  launch_overlap
}

// A chain of two products: the value between them stays in registers.
plan.schedule for sm90 {
  tile (b: 1, m: 128, o: 128, k: 64, n: 64)
  reduced [k, n]
  fix (K: 64, O: 128)
  instruction wgmma [64, 64, 16]
  stages 3
  persistent sms
  roles cooperative consumers 2
  registers (producer: 40, consumer: 232)
  cache B (k, n) f16 in smem
  cache C (n, o) f16 in smem
  cache D0 (m, n) f16 in smem
  cache D1 (m, n) f16 in smem
  cache A (m, k) f16 in reg
  policy (D0: evict_first, D1: evict_first)
  barrier mbarrier
  async prefetch 2 overlap_epilogue
  edge product to second in reg
  algo (release: early, between_tiles: transition_entry)
}

// A softmax of rows: 256 threads for each, which keep their part in f32.
plan.schedule for sm90 {
  tile (m: 1, n: 8192)
  fix (N: 8192)
  threads (n: 256)
  thread_tile (n: 8)
  unroll (n: 4)
  cache x (m, n) f16 in reg
  policy (x: evict_first)
  vectors (x: 8, y: 8)
}

// Short rows: a warp for each, four in a block, and as many blocks as an SM takes.
plan.schedule for sm90 {
  tile (m: 4, n: 4096)
  threads (m: 4, n: 32)
  thread_tile (n: 8)
  blocks_per_sm 2
  cache x (m, n) f16 in reg
  vectors (x: 8)
  predicate_tail [n]
  algo (rows: unaligned, weights: funnel_shift)
}
