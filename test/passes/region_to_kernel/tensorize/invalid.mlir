// A plan that no kernel can follow is refused with the number.

// RUN: dlc-opt %s --tensorize --verify-diagnostics --split-input-file

region.func @odd<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f32>, %B: memref<[K, N], f32>) outs (C: memref<[M, N], f32> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f32 over (m, k)
    %b = read %B[k, n] : f32 over (n, k)
    %ab = binary mul %a, %b : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @odd for sm90 {
  // expected-error@+1 {{E1601 'plan.schedule': the tile along (m) is 48, which is no power of two; the nearest plan that fits has 'tile (m: 64, n: 32, k: 32)'}}
  tile (m: 48, n: 32, k: 32)
  instruction fma
}

// -----

// A kernel follows one plan.
region.func @twice<N> iters (n: N) ins (%X: memref<[N], f32>) outs (Y: memref<[N], f32> materialize gmem) {
  %x = read %X[n] : f32 over (n)
  yield %x to Y
}
plan.schedule of @twice for sm90 {
  tile (n: 64)
}
// expected-error@+1 {{E1609 'plan.schedule': @twice has a plan before this one}}
plan.schedule of @twice for sm80 {
  tile (n: 128)
}

// -----

// The positions of blocks are 64-bit numbers.
// expected-error@+1 {{E1710 'region.func': the positions of this kernel's blocks go beyond 64 bits}}
region.func @huge iters (a: 4294967296, b: 4294967296, c: 4294967296) ins (%x: memref<[4294967296], f32>)
    outs (y: memref<[4294967296, 4294967296, 4294967296], f32> materialize gmem) {
  %v = read %x[c] : f32 over (c)
  %w = broadcast_in_dim %v to [4294967296, 4294967296, 4294967296] dims [2] : f32 over (a, b, c)
  yield %w to y
}

// -----

// Threads with more columns than the tile.
region.func private @thin<M, N> iters (n: N)
    ins (%X: memref<[M, N], f16, row_major, align 16>)
    outs (Y: memref<[N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (m: M) acc f32 init 0.0 {
    %x = read %X[m, n] : f16 over (n, m)
    %w = cast %x : f32 over (n, m)
    yield %w
  } : f32 over (n)
  yield %s to Y
}
plan.schedule of @thin for sm90 {
  tile (n: 64, m: 64)
  reduced [m]
  thread_tile (n: 2)
  // expected-error@+1 {{E1601 'plan.schedule': 64 threads of 2 elements share 64 elements along 'n'; the nearest plan that fits has no 'thread_tile', no 'threads'}}
  threads (n: 64, m: 4)
}

// -----

// More threads along the sum than the tile has numbers.
region.func private @low<M, N> iters (n: N)
    ins (%X: memref<[M, N], f16, row_major, align 16>)
    outs (Y: memref<[N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (m: M) acc f32 init 0.0 {
    %x = read %X[m, n] : f16 over (n, m)
    %w = cast %x : f32 over (n, m)
    yield %w
  } : f32 over (n)
  yield %s to Y
}
plan.schedule of @low for sm90 {
  tile (n: 64, m: 4)
  reduced [m]
  // expected-error@+1 {{E1601 'plan.schedule': 8 threads share 4 positions of the tile along (m); the nearest plan that fits has no 'threads'}}
  threads (n: 32, m: 8)
}

// -----

// Each read of a tensor that lies across has a tile of its own in shared memory, which no plan counts.
// expected-error@+1 {{E1710 'region.func': its tiles would take 232956 bytes, and a block has up to 232448 bytes of shared memory}}
region.func @many_reads<M, N> iters (m: M, n: N)
    ins (%X: memref<[N, M], f32, row_major, align 128>)
    outs (Y: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %x0 = read %X[n + 0, m] where (n + 0 < N) : f32 over (m, n)
  %x1 = read %X[n + 1, m] where (n + 1 < N) : f32 over (m, n)
  %a1 = binary add %x0, %x1 : f32 over (m, n)
  %x2 = read %X[n + 2, m] where (n + 2 < N) : f32 over (m, n)
  %a2 = binary add %a1, %x2 : f32 over (m, n)
  %x3 = read %X[n + 3, m] where (n + 3 < N) : f32 over (m, n)
  %a3 = binary add %a2, %x3 : f32 over (m, n)
  %x4 = read %X[n + 4, m] where (n + 4 < N) : f32 over (m, n)
  %a4 = binary add %a3, %x4 : f32 over (m, n)
  %x5 = read %X[n + 5, m] where (n + 5 < N) : f32 over (m, n)
  %a5 = binary add %a4, %x5 : f32 over (m, n)
  %x6 = read %X[n + 6, m] where (n + 6 < N) : f32 over (m, n)
  %a6 = binary add %a5, %x6 : f32 over (m, n)
  %x7 = read %X[n + 7, m] where (n + 7 < N) : f32 over (m, n)
  %a7 = binary add %a6, %x7 : f32 over (m, n)
  %x8 = read %X[n + 8, m] where (n + 8 < N) : f32 over (m, n)
  %a8 = binary add %a7, %x8 : f32 over (m, n)
  %x9 = read %X[n + 9, m] where (n + 9 < N) : f32 over (m, n)
  %a9 = binary add %a8, %x9 : f32 over (m, n)
  %x10 = read %X[n + 10, m] where (n + 10 < N) : f32 over (m, n)
  %a10 = binary add %a9, %x10 : f32 over (m, n)
  %x11 = read %X[n + 11, m] where (n + 11 < N) : f32 over (m, n)
  %a11 = binary add %a10, %x11 : f32 over (m, n)
  %x12 = read %X[n + 12, m] where (n + 12 < N) : f32 over (m, n)
  %a12 = binary add %a11, %x12 : f32 over (m, n)
  %x13 = read %X[n + 13, m] where (n + 13 < N) : f32 over (m, n)
  %a13 = binary add %a12, %x13 : f32 over (m, n)
  yield %a13 to Y
}
plan.schedule of @many_reads for sm90 {
  tile (m: 64, n: 64)
  thread_tile (n: 4)
  threads (m: 16, n: 16)
  cache X (n, m) f32 in smem transposed
  vectors (X: 4, Y: 4)
  barrier block
}

// -----

region.func @odd_threads<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16>, %B: memref<[K, N], f16>) outs (C: memref<[M, N], f32> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @odd_threads for sm90 {
  // expected-error@+1 {{E1601 'plan.schedule': the numbers are powers of two up to 4096, not 3; the nearest plan that fits has no 'threads'}}
  tile (m: 32, n: 32)
  instruction fma
  threads (m: 3, n: 32)
}

// -----

// The blocks that share an SM are those of the kernel, which has four warps for each.
region.func @too_many_blocks<M, K> iters (m: M)
    ins (%X: memref<[M, K], f32>, %W: memref<[M], f32>)
    outs (Y: memref<[M], f32> materialize gmem) {
  %w = read %W[m] : f32 over (m)
  %a = reduce (k: K) acc f32 init -inf {
    %x = read %X[m, k] : f32 over (m, k)
    yield %x
  } combine (%p: f32 over (m), %q: f32 over (m)) {
    %top = binary max %p, %q : f32 over (m)
    %least = binary max %top, %w : f32 over (m)
    yield %least
  } : f32 over (m)
  yield %a to Y
}
plan.schedule of @too_many_blocks for sm90 {
  tile (m: 1, k: 128)
  reduced [k]
  thread_tile (k: 4)
  threads (k: 32)
  // expected-error@+1 {{E1604 'plan.schedule': 32 blocks of 128 threads are too many for an SM of sm90, which has 2048; the nearest plan that fits has 'blocks_per_sm 16'}}
  blocks_per_sm 32
  cache X (m, k) f32 in reg
}

// -----

// A part of a tile that no thread can hold.
region.func @many_rows<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 16>) outs (Y: memref<[M], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (n: N) acc f32 init 0.0 {
    %x = read %X[m, n] : f32 over (m, n)
    yield %x
  } : f32 over (m)
  yield %s to Y
}
plan.schedule of @many_rows for sm90 {
  // expected-error@+1 {{E1603 'plan.schedule': a tile of 1024 x 64 takes 512 registers of each thread, and it has 255; the nearest plan that fits has 'tile (m: 128, n: 64)', no 'threads'}}
  tile (m: 1024, n: 64)
  reduced [n]
  threads (m: 8, n: 16)
}

// -----

// Lanes share a row, so none has several of them.
region.func @rows_of_threads<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 16>) outs (Y: memref<[M], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (n: N) acc f32 init 0.0 {
    %x = read %X[m, n] : f32 over (m, n)
    yield %x
  } : f32 over (m)
  yield %s to Y
}
plan.schedule of @rows_of_threads for sm90 {
  tile (m: 8, n: 64)
  reduced [n]
  // expected-error@+1 {{E1601 'plan.schedule': 'thread_tile' has 2 along (m), and lanes share each row of what is reduced; the nearest plan that fits has no 'thread_tile', no 'threads'}}
  thread_tile (m: 2, n: 1)
  threads (m: 4, n: 32)
}

// -----

// A product that is promoted lies next to the sum, in registers that the threads do not have.
region.func @promoted<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f8E4M3FN, row_major, align 128>, %B: memref<[N, K], f8E4M3FN, row_major, align 128>)
    outs (C: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f8E4M3FN over (m, k)
    %b = read %B[n, k] : f8E4M3FN over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @promoted for sm90 {
  // expected-error@+1 {{E1603 'plan.schedule': a sum and a product of 128 x 128 take 256 registers of each thread besides some 24 more, and it has 255; the nearest plan that fits has 'tile (m: 128, n: 64, k: 128)'}}
  tile (m: 128, n: 128, k: 128)
  instruction wgmma promote
}
