// Products of matrices on either machine, with sizes of 4096 where they are symbols.

// RUN: dlc-opt %s --choose-plan='assume=4096' | FileCheck %s


// Sizes are symbols: the largest tiles for many rows, two ping-pong consumers, pairs of blocks that share W.
// CHECK: plan.schedule of @symbols for sm90 {
// CHECK-NEXT: tile (m: 128, n: 128, k: 64)
// CHECK-NEXT: assume (K: 8, N: 8)
// CHECK-NEXT: instruction wgmma [64, 128, 16]
// CHECK-NEXT: stages 6
// CHECK-NEXT: cluster (m: 2)
// CHECK-NEXT: multicast [W]
// CHECK-NEXT: persistent sms
// CHECK-NEXT: order grouped 8 along m
// CHECK-NEXT: roles ping_pong consumers 2
// CHECK-NEXT: registers (producer: 40, consumer: 232)
// CHECK-NEXT: cache X (m, k) f16 in smem
// CHECK-NEXT: cache W (k, n) f16 in smem
// CHECK-NEXT: swizzle (X: 128, W: 128)
// CHECK-NEXT: predicate_tail [m, n, k]
// CHECK-NEXT: barrier mbarrier
// CHECK-NEXT: async overlap_epilogue
// CHECK-NEXT: in_flight 1
// CHECK-NEXT: epilogue [add, relu]
// CHECK-NEXT: store tma panels 2 together 1
// CHECK-NEXT: }
region.func @symbols<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, N], f16, row_major, align 128>, %bias: memref<[N], f16>)
    outs (Y: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  %b = read %bias[n] : f16 over (n)
  %bb = broadcast_in_dim %b to [M, N] dims [1] : f16 over (m, n)
  %c = binary add %s, %bb : f32 over (m, n)
  %r = unary relu %c : f32 over (m, n)
  yield %r to Y as f16
}

// Known sizes that the tiles divide have no tails; rows that lie along k may be of any width by 16.
// CHECK: plan.schedule of @rows_of_both for sm90 {
// CHECK-NEXT: tile (m: 128, n: 192, k: 64)
// CHECK-NEXT: instruction wgmma [64, 192, 16]
// CHECK-NEXT: stages 4
// CHECK-NEXT: cluster (m: 2)
// CHECK-NEXT: multicast [W]
// CHECK-NEXT: persistent sms
// CHECK-NEXT: order grouped 8 along m
// CHECK-NEXT: roles ping_pong consumers 2
// CHECK-NEXT: registers (producer: 24, consumer: 240)
// CHECK-NEXT: cache X (m, k) f16 in smem
// CHECK-NEXT: cache W (n, k) f16 in smem
// CHECK-NEXT: swizzle (X: 128, W: 128)
// CHECK-NEXT: predicate_tail [n]
// CHECK-NEXT: barrier mbarrier
// CHECK-NEXT: async overlap_epilogue
// CHECK-NEXT: in_flight 1
// CHECK-NEXT: store tma panels 2 together 1
// CHECK-NEXT: }
region.func @rows_of_both iters (m: 8192, n: 8192)
    ins (%X: memref<[8192, 8192], f16, row_major, align 128>, %W: memref<[8192, 8192], f16, row_major, align 128>)
    outs (Y: memref<[8192, 8192], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 8192) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[n, k] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y as f16
}

// One wave of small tiles.
// CHECK: plan.schedule of @small for sm90 {
// CHECK-NEXT: tile (m: 64, n: 128, k: 64)
// CHECK-NEXT: instruction wgmma [64, 128, 16]
// CHECK-NEXT: stages 8
// CHECK-NEXT: order grouped 4 along m
// CHECK-NEXT: roles cooperative consumers 1
// CHECK-NEXT: registers (thread: 255)
// CHECK-NEXT: cache X (m, k) f16 in smem
// CHECK-NEXT: cache W (k, n) f16 in smem
// CHECK-NEXT: swizzle (X: 128, W: 128)
// CHECK-NEXT: barrier mbarrier
// CHECK-NEXT: async overlap_epilogue
// CHECK-NEXT: in_flight 1
// CHECK-NEXT: store tma panels 2 together 2
// CHECK-NEXT: }
region.func @small iters (m: 1024, n: 1024)
    ins (%X: memref<[1024, 1024], f16, row_major, align 128>, %W: memref<[1024, 1024], f16, row_major, align 128>)
    outs (Y: memref<[1024, 1024], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 1024) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y as f16
}

// Few rows: the columns take the side of 64, and come in long pieces, no more at once
// than the cache has room for; blocks begin at different places of their rows.
// CHECK: plan.schedule of @few_tokens for sm90 {
// CHECK-NEXT: tile (m: 16, n: 128, k: 128)
// CHECK-NEXT: instruction wgmma [64, 16, 16]
// CHECK-NEXT: stages 4
// CHECK-NEXT: roles cooperative consumers 2
// CHECK-NEXT: registers (thread: 168)
// CHECK-NEXT: cache X (m, k) f16 in smem
// CHECK-NEXT: cache W (n, k) f16 in smem
// CHECK-NEXT: policy (W: evict_first)
// CHECK-NEXT: swizzle (X: 128, W: 128)
// CHECK-NEXT: barrier mbarrier
// CHECK-NEXT: async overlap_epilogue
// CHECK-NEXT: in_flight 1
// CHECK-NEXT: store tma panels 2 together 2
// CHECK-NEXT: algo (stagger_k: 5)
// CHECK-NEXT: swap_operands
// CHECK-NEXT: }
region.func @few_tokens iters (m: 16, n: 14336)
    ins (%X: memref<[16, 4096], f16, row_major, align 128>, %W: memref<[14336, 4096], f16, row_major, align 128>)
    outs (Y: memref<[16, 14336], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 4096) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[n, k] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y as f16
}

// With more rows than a tile has columns two blocks share the rows, and have shorter pieces of more stages.
// CHECK: plan.schedule of @more_tokens for sm90 {
// CHECK-NEXT: tile (m: 128, n: 112, k: 64)
// CHECK-NEXT: instruction wgmma [64, 112, 16]
// CHECK-NEXT: stages 5
// CHECK-NEXT: cluster (n: 2)
// CHECK-NEXT: multicast [X]
// CHECK-NEXT: roles cooperative consumers 2
// CHECK: policy (W: evict_first)
// CHECK: store tma panels 2 together 2
// CHECK-NEXT: algo (stagger_k: 10)
// CHECK-NEXT: }
region.func @more_tokens iters (m: 128, n: 14336)
    ins (%X: memref<[128, 4096], f16, row_major, align 128>, %W: memref<[14336, 4096], f16, row_major, align 128>)
    outs (Y: memref<[128, 14336], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 4096) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[n, k] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y as f16
}

// Fewer blocks ask for more of them, each for as much as there is room for.
// CHECK: plan.schedule of @fewer_blocks for sm90 {
// CHECK-NEXT: tile (m: 128, n: 112, k: 64)
// CHECK-NEXT: instruction wgmma [64, 112, 16]
// CHECK-NEXT: stages 6
// CHECK-NEXT: cluster (n: 2)
// CHECK-NEXT: multicast [X]
// CHECK-NEXT: roles cooperative consumers 2
// CHECK: policy (W: evict_first)
// CHECK: store tma panels 2 together 2
// CHECK-NEXT: algo (stagger_k: 10)
// CHECK-NEXT: }
region.func @fewer_blocks iters (m: 128, n: 8960)
    ins (%X: memref<[128, 4096], f16, row_major, align 128>, %W: memref<[8960, 4096], f16, row_major, align 128>)
    outs (Y: memref<[128, 8960], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 4096) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[n, k] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y as f16
}

// Columns that lie side by side are read by all blocks at once, in short pieces: few of them are asked for ahead.
// CHECK: plan.schedule of @tokens_across for sm90 {
// CHECK-NEXT: tile (m: 128, n: 128, k: 64)
// CHECK-NEXT: instruction wgmma [64, 128, 16]
// CHECK-NEXT: stages 4
// CHECK-NEXT: roles cooperative consumers 2
// CHECK: policy (W: evict_first)
// CHECK: store tma panels 2 together 2
// CHECK-NEXT: swap_operands
// CHECK-NEXT: }
region.func @tokens_across iters (m: 128, n: 14336)
    ins (%X: memref<[128, 4096], f16, row_major, align 128>, %W: memref<[4096, 14336], f16, row_major, align 128>)
    outs (Y: memref<[128, 14336], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 4096) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y as f16
}

// With fewer blocks each asks for more.
// CHECK: plan.schedule of @fewer_across for sm90 {
// CHECK-NEXT: tile (m: 128, n: 128, k: 64)
// CHECK-NEXT: instruction wgmma [64, 128, 16]
// CHECK-NEXT: stages 5
// CHECK: swap_operands
// CHECK-NEXT: }
region.func @fewer_across iters (m: 128, n: 11008)
    ins (%X: memref<[128, 4096], f16, row_major, align 128>, %W: memref<[4096, 11008], f16, row_major, align 128>)
    outs (Y: memref<[128, 11008], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 4096) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y as f16
}

// A long sum and few results: it is divided among blocks.
// CHECK: plan.schedule of @long_sum for sm90 {
// CHECK-NEXT: tile (m: 64, n: 64, k: 64)
// CHECK-NEXT: instruction wgmma [64, 64, 16]
// CHECK-NEXT: stages 8
// CHECK-NEXT: persistent sms
// CHECK-NEXT: order grouped 8 along m
// CHECK-NEXT: roles cooperative consumers 1
// CHECK-NEXT: registers (producer: 40, consumer: 232)
// CHECK-NEXT: split_k 33 through workspace
// CHECK-NEXT: cache X (m, k) f16 in smem
// CHECK-NEXT: cache W (k, n) f16 in smem
// CHECK-NEXT: swizzle (X: 128, W: 128)
// CHECK-NEXT: barrier mbarrier
// CHECK-NEXT: async overlap_epilogue
// CHECK-NEXT: in_flight 1
// CHECK-NEXT: store tma panels 2 together 1
// CHECK-NEXT: }
region.func @long_sum iters (m: 128, n: 128)
    ins (%X: memref<[128, 65536], f16, row_major, align 128>, %W: memref<[65536, 128], f16, row_major, align 128>)
    outs (Y: memref<[128, 128], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 65536) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y as f16
}

// Unaligned rows: factors are copied to padded rows first.
// CHECK: plan.schedule of @odd_rows for sm90 {
// CHECK-NEXT: tile (m: 64, n: 128, k: 64)
// CHECK-NEXT: instruction wgmma [64, 128, 16]
// CHECK-NEXT: stages 8
// CHECK-NEXT: order grouped 4 along m
// CHECK-NEXT: roles cooperative consumers 1
// CHECK-NEXT: registers (thread: 255)
// CHECK-NEXT: cache X (m, k) f16 in smem
// CHECK-NEXT: cache W (k, n) f16 in smem
// CHECK-NEXT: swizzle (X: 128, W: 128)
// CHECK-NEXT: predicate_tail [m, n, k]
// CHECK-NEXT: barrier mbarrier
// CHECK-NEXT: async overlap_epilogue
// CHECK-NEXT: in_flight 1
// CHECK-NEXT: store rows panels 2
// CHECK-NEXT: algo (load_X: padded, load_W: padded)
// CHECK-NEXT: }
region.func @odd_rows iters (m: 1000, n: 999)
    ins (%X: memref<[1000, 1001], f16, row_major, align 128>, %W: memref<[1001, 999], f16, row_major, align 128>)
    outs (Y: memref<[1000, 999], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 1001) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y as f16
}

// What is computed on the way cannot be copied by TMA.
// CHECK: plan.schedule of @prologue for sm90 {
// CHECK-NEXT: tile (m: 128, n: 128, k: 64)
// CHECK-NEXT: assume (K: 8, N: 8)
// CHECK-NEXT: instruction mma [16, 8, 16]
// CHECK-NEXT: warp_tile (m: 64, n: 32)
// CHECK-NEXT: stages 1
// CHECK-NEXT: order grouped 8 along m
// CHECK-NEXT: cache X (m, k) f16 in smem
// CHECK-NEXT: cache W (k, n) f16 in smem
// CHECK-NEXT: swizzle (X: auto, W: auto)
// CHECK-NEXT: vectors (X: 8, W: 8, Y: 8)
// CHECK-NEXT: predicate_tail [m, n, k]
// CHECK-NEXT: barrier block
// CHECK-NEXT: async off
// CHECK-NEXT: }
region.func @prologue<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, N], f16, row_major, align 128>)
    outs (Y: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %xr = unary relu %x : f16 over (m, k)
    %p = binary mul %xr, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y as f16
}

// `f32` stays `f32`: no tensor core. Operands come through registers, the left one is transposed there.
// CHECK: plan.schedule of @single for sm90 {
// CHECK-NEXT: tile (m: 128, n: 128, k: 16)
// CHECK-NEXT: assume (K: 4, N: 4)
// CHECK-NEXT: instruction fma
// CHECK-NEXT: thread_tile (m: 4, n: 4)
// CHECK-NEXT: lanes (m: 4, n: 8)
// CHECK-NEXT: warps (m: 4, n: 1)
// CHECK-NEXT: stages 2
// CHECK-NEXT: unroll (k: 16)
// CHECK-NEXT: blocks_per_sm 2
// CHECK-NEXT: cache X (m, k) f32 in smem transposed
// CHECK-NEXT: cache W (k, n) f32 in smem
// CHECK-NEXT: vectors (X: 4, W: 4, Y: 4)
// CHECK-NEXT: predicate_tail [m, n, k]
// CHECK-NEXT: barrier block
// CHECK-NEXT: }
region.func @single<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f32, row_major, align 128>, %W: memref<[K, N], f32, row_major, align 128>)
    outs (Y: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f32 over (m, k)
    %w = read %W[k, n] : f32 over (n, k)
    %p = binary mul %x, %w : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y
}

// A product that is summed in 16 bits has no tile that is followed.
// CHECK: plan.schedule of @rounded for sm90 {}
region.func @rounded<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, N], f16, row_major, align 128>)
    outs (Y: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f16 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %x, %w : f16 over (m, n, k)
    yield %p
  } : f16 over (m, n)
  yield %s to Y
}

// A convolution: windows come through a map of TMA; pixels are the rows, one run over all images, so that a tile
// may be wider than an image. Blocks are not in pairs: pixels are not shared.
// CHECK: plan.schedule of @conv for sm90 {
// CHECK-NEXT: tile (n: 1, h: 2, w: 64, co: 160, ci: 64)
// CHECK-NEXT: assume (Ci: 8, Co: 8)
// CHECK-NEXT: instruction wgmma [64, 160, 16]
// CHECK-NEXT: stages 5
// CHECK-NEXT: persistent sms
// CHECK-NEXT: order grouped 8 along w
// CHECK-NEXT: roles ping_pong consumers 2
// CHECK-NEXT: registers (producer: 40, consumer: 232)
// CHECK-NEXT: cache X (n, h, r, w, s, ci) f16 in smem
// CHECK-NEXT: cache K (co, r, s, ci) f16 in smem
// CHECK-NEXT: swizzle (X: 128, K: 128)
// CHECK-NEXT: predicate_tail [w, co, ci]
// CHECK-NEXT: barrier mbarrier
// CHECK-NEXT: async overlap_epilogue
// CHECK-NEXT: in_flight 1
// CHECK-NEXT: store tma panels 1 together 1
// CHECK-NEXT: algo (load_X: im2col)
// CHECK-NEXT: }
region.func @conv<N, Co, Ci> iters (n: N, h: 56, w: 56, co: Co)
    ins (%X: memref<[N, 58, 58, Ci], f16, row_major, align 128>, %K: memref<[Co, 3, 3, Ci], f16, row_major, align 128>)
    outs (Y: memref<[N, 56, 56, Co], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (r: 3, s: 3, ci: Ci) acc f32 init 0.0 {
    %x = read %X[n, h + r, w + s, ci] : f16 over (n, h, w, r, s, ci)
    %k = read %K[co, r, s, ci] : f16 over (co, r, s, ci)
    %p = binary mul %x, %k widen : f32 over (n, h, w, co, r, s, ci)
    yield %p
  } : f32 over (n, h, w, co)
  yield %s to Y as f16
}

// Batches of a matrix product: one of the batch axes in a tile.
// CHECK: plan.schedule of @batched for sm90 {
// CHECK-NEXT: tile (b: 1, m: 128, n: 128, k: 64)
// CHECK-NEXT: assume (K: 8, N: 8)
// CHECK-NEXT: instruction wgmma [64, 128, 16]
// CHECK-NEXT: stages 6
// CHECK-NEXT: cluster (m: 2)
// CHECK-NEXT: multicast [W]
// CHECK-NEXT: persistent sms
// CHECK-NEXT: order grouped 8 along m
// CHECK-NEXT: roles ping_pong consumers 2
// CHECK-NEXT: registers (producer: 40, consumer: 232)
// CHECK-NEXT: cache X (b, m, k) bf16 in smem
// CHECK-NEXT: cache W (b, k, n) bf16 in smem
// CHECK-NEXT: swizzle (X: 128, W: 128)
// CHECK-NEXT: predicate_tail [m, n, k]
// CHECK-NEXT: barrier mbarrier
// CHECK-NEXT: async overlap_epilogue
// CHECK-NEXT: in_flight 1
// CHECK-NEXT: store tma panels 2 together 1
// CHECK-NEXT: }
region.func @batched<B, M, N, K> iters (b: B, m: M, n: N)
    ins (%X: memref<[B, M, K], bf16, row_major, align 128>, %W: memref<[B, K, N], bf16, row_major, align 128>)
    outs (Y: memref<[B, M, N], bf16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[b, m, k] : bf16 over (b, m, k)
    %w = read %W[b, k, n] : bf16 over (b, n, k)
    %p = binary mul %x, %w widen : f32 over (b, m, n, k)
    yield %p
  } : f32 over (b, m, n)
  yield %s to Y as bf16
}

// One wave of tiles that are no multiples of 64: what lies across takes the side of the instruction that has them.
// CHECK: plan.schedule of @one_wave for sm90 {
// CHECK-NEXT: tile (m: 144, n: 128, k: 64)
// CHECK-NEXT: instruction wgmma [64, 144, 16]
// CHECK: swizzle (X: 128, W: 128)
// CHECK: swap_operands
region.func @one_wave iters (m: 1536, n: 1536)
    ins (%X: memref<[1536, 1536], f16, row_major, align 128>, %W: memref<[1536, 1536], f16, row_major, align 128>)
    outs (Y: memref<[1536, 1536], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 1536) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y as f16
}

// Where both lie across, narrower atoms of a swizzle. Another tensor that is read by rows and columns keeps its sides, too.
// CHECK: plan.schedule of @both_across for sm90 {
// CHECK-NEXT: tile (m: 192, n: 96, k: 64)
// CHECK: roles cooperative consumers 3
// CHECK: swizzle (X: 128, W: 64)
// CHECK-NOT: swap_operands
// CHECK: }
region.func @both_across iters (m: 1536, n: 1536)
    ins (%X: memref<[1536, 1536], f16, row_major, align 128>, %W: memref<[1536, 1536], f16, row_major, align 128>)
    outs (Y: memref<[1536, 1536], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 1536) acc f32 init 0.0 {
    %x = read %X[k, m] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y as f16
}
// CHECK: plan.schedule of @residual for sm90 {
// CHECK-NEXT: tile (m: 192, n: 96, k: 64)
// CHECK-NOT: swap_operands
// CHECK: }
region.func @residual iters (m: 1536, n: 1536)
    ins (%X: memref<[1536, 1536], f16, row_major, align 128>, %W: memref<[1536, 1536], f16, row_major, align 128>, %R: memref<[1536, 1536], f16, row_major, align 128>)
    outs (Y: memref<[1536, 1536], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 1536) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  %r = read %R[m, n] : f16 over (m, n)
  %c = binary add %s, %r : f32 over (m, n)
  yield %c to Y as f16
}
