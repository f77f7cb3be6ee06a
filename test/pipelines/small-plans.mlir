// Plans with small tiles are kernels that compute what their regions do, or are refused with the number; none ends in an
// internal error. These did once.

// RUN: dlc-opt %s --split-input-file --verify-diagnostics --region-to-ptx --evaluate-each -o /dev/null

region.func @one_instruction<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[K, N], f16, row_major, align 128>)
    outs (C: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @one_instruction for sm80 {
  // expected-error@+1 {{E1601 'plan.schedule': the tile along (k) is 8, and mma takes 16 at once}}
  tile (m: 16, n: 8, k: 8)
  instruction mma
}

// -----

region.func @one_deep_instruction<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[K, N], f16, row_major, align 128>)
    outs (C: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @one_deep_instruction for sm80 { tile (m: 16, n: 8, k: 16) instruction mma }

// -----

// The tile alone.
region.func @tile_alone<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128>, %B: memref<[K, N], f16, col_major, align 128>)
    outs (C: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C as f16
}
plan.schedule of @tile_alone for sm80 { tile (m: 64, n: 64, k: 32) }

// -----

// Of a convolution, with a tile along one axis of the pixels.
region.func @conv iters (n: 1, ho: 5, wo: 12, co: 24)
    ins (%X: memref<[1, 5, 12, 16], f16, row_major, align 128>, %F: memref<[24, 3, 3, 16], f16, row_major, align 128>)
    outs (Y: memref<[1, 5, 12, 24], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (r: 3, q: 3, ci: 16) acc f32 init 0.0 {
    %x = read %X[n, ho + r - 1, wo + q - 1, ci] where (ho + r - 1 >= 0, ho + r - 1 < 5, wo + q - 1 >= 0, wo + q - 1 < 12) else 0.0 : f16 over (n, ho, wo, r, q, ci)
    %f = read %F[co, r, q, ci] : f16 over (co, r, q, ci)
    %p = binary mul %x, %f widen : f32 over (n, ho, wo, co, r, q, ci)
    yield %p
  } : f32 over (n, ho, wo, co)
  yield %s to Y
}
plan.schedule of @conv for sm80 { tile (n: 1, ho: 1, wo: 64, co: 64, r: 1, q: 1, ci: 16) reduced [r, q, ci] }

// -----

// A tile along the queries of attention alone.
region.func @attention iters (b: 1, s: 40, i2: 64)
  ins (%Q: memref<[1, 40, 64], f16, row_major, align 128, noalias>, %K: memref<[1, 24, 64], f16, row_major, align 128, noalias>, %V: memref<[1, 24, 64], f16, row_major, align 128, noalias>)
  outs (O: memref<[1, 40, 64], f16, row_major, align 128, noalias> materialize gmem) {
  %0 = reduce sum (i4: 64) acc f32 init 0.0 {
    %1 = read %Q[b, s, i4] : f16 over (b, s, i4)
    %2 = read %K[b, t, i4] : f16 over (b, t, i4)
    %3 = binary mul %1, %2 widen : f32 over (b, s, t, i4)
    yield %3
  } : f32 over (b, s, t)
  %4 = const 0.125 : f32 over ()
  %5 = broadcast_in_dim %4 to [1, 40, 24] dims [] : f32 over (b, s, t)
  %6 = binary mul %0, %5 {deferred} : f32 over (b, s, t)
  %7:3 = reduce (t: 24) acc (f32, f32, f32) init (-inf, 0.0, 0.0) {
    %8 = read %V[b, t, i2] : f16 over (b, i2, t)
    %one = const 1.0 : f32 over ()
    yield %6, %one, %8
  } combine (%part_0: f32 over (b, s), %part_0_0: f32 over (b, s), %part_0_1: f32 over (b, s, i2), %part_1: f32 over (b, s), %part_1_0: f32 over (b, s), %part_1_1: f32 over (b, s, i2)) {
    %top = binary max %part_0, %part_1 : f32 over (b, s)
    %one = const 1.0 : f32 over ()
    %scale = const 1.442695 : f32 over ()
    %below0 = binary sub %part_0, %top : f32 over (b, s)
    %scaled0 = binary mul %below0, %scale : f32 over (b, s)
    %power0 = unary exp2 %scaled0 : f32 over (b, s)
    %same0 = binary eq %part_0, %top : i1 over (b, s)
    %weight0 = select %same0, %one, %power0 : f32 over (b, s)
    %below1 = binary sub %part_1, %top : f32 over (b, s)
    %scaled1 = binary mul %below1, %scale : f32 over (b, s)
    %power1 = unary exp2 %scaled1 : f32 over (b, s)
    %same1 = binary eq %part_1, %top : i1 over (b, s)
    %weight1 = select %same1, %one, %power1 : f32 over (b, s)
    %left = binary mul %part_0_0, %weight0 : f32 over (b, s)
    %right = binary mul %part_1_0, %weight1 : f32 over (b, s)
    %both = binary add %left, %right : f32 over (b, s)
    %left_0 = binary mul %part_0_1, %weight0 : f32 over (b, s, i2)
    %right_0 = binary mul %part_1_1, %weight1 : f32 over (b, s, i2)
    %both_0 = binary add %left_0, %right_0 : f32 over (b, s, i2)
    yield %top, %both, %both_0
  } {fuse, reassoc} : f32 over (b, s), f32 over (b, s), f32 over (b, s, i2)
  %zero = binary sub %7, %7 : f32 over (b, s)
  %none = const 0.0 : f32 over ()
  %9 = broadcast_in_dim %none to [1, 40] dims [] : f32 over (b, s)
  %defect = select where (1 <= 24) then %zero else %9 : f32 over (b, s)
  %10 = binary add %7#1, %defect : f32 over (b, s)
  %11 = broadcast_in_dim %10 to [1, 40, 64] dims [0, 1] : f32 over (b, s, i2)
  %12 = binary fdiv %7#2, %11 : f32 over (b, s, i2)
  yield %12 to O as f16
}
// expected-error@+1 {{E1601 'plan.schedule': the tile has 1 columns, and mma multiplies 8 at once}}
plan.schedule of @attention for sm80 { tile (s: 64) instruction mma }
