// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// Each row moved and scaled so that its mean is 0 and its variance 1, then by a weight and a bias for each column, f16: a
// block a row, which stays in registers between one read and one write. A thread has four vectors of eight, so that rows of
// up to 4096 elements have four warps and longer ones eight. The variance is that of what is left when the mean is gone:
// there is no cancellation.
host.func @row_layernorm<M, N>(
    %X: memref<[M, N], f16, row_major, align 16>, %W: memref<[N], f16, row_major, align 16>,
    %B: memref<[N], f16, row_major, align 16>) -> memref<[M, N], f16, row_major, align 16>
    attributes {arena = [0], pool = 0} {
  %Y = launch @layernorm_4096<M, N> where (N mod 8 == 0, N <= 4096) else @layernorm_8192<M, N> where (N mod 8 == 0)
      else @layernorm_any<M, N> (%X, %W, %B) at [*] : memref<[M, N], f16, row_major, align 16>
  return %Y
}

!half8 = frag<[8, 1024], f16, blocked [1, 8] lanes [1, 32] warps [8, 1]>
!full8 = frag<[8, 1024], f32, blocked [1, 8] lanes [1, 32] warps [8, 1]>
!warp8 = frag<[8], f32, slice 1 of (blocked [1, 8] lanes [1, 32] warps [8, 1])>
!block8 = frag<[], f32, slice 0 of (slice 1 of (blocked [1, 8] lanes [1, 32] warps [8, 1]))>

// Vectors are whole, and all of each is inside of the row or none.
kernel.func private @layernorm_8192<M, N>(
    %X: memref<[M, N], f16, row_major, align 16>, %W: memref<[N], f16, row_major, align 16>,
    %B: memref<[N], f16, row_major, align 16>) -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (N mod 8 == 0, N <= 8192)
  %Y = output : memref<[M, N], f16, row_major, align 16>
  grid (M) threads 256 blocks_per_sm 4 {
    // What the warps exchange through, a place for each of both sums: the second needs no barrier to begin.
    %s0 = shared : tile<[8], f32, row_major>
    %s1 = shared : tile<[8], f32, row_major>
    %row = block_id 0
    %n = index (N)
    %count = cast %n : f32
    %part = unary recip %count
    %eps = const 1.0e-05 : f32
    %zero = const 0.0 : f32
    %x0 = load %X[%row, 1024 * i0 + i1] where (1024 * i0 + i1 < N) vector 8 : !half8
    %x = cast %x0 : !full8
    %sum0 = reduce sum %x along 1 : !warp8
    %sum = reduce sum %sum0 along 0 through %s0 : !block8
    %mean0 = binary mul %sum, %part : !block8
    %mean1 = broadcast %mean0 along 0 : !warp8
    %mean = broadcast %mean1 along 1 : !full8
    %c0 = binary sub %x, %mean : !full8
    // Outside it is zero and not minus the mean.
    %c = select where (1024 * i0 + i1 < N) then %c0 else %zero : !full8
    %square = binary mul %c, %c : !full8
    %var0 = reduce sum %square along 1 : !warp8
    %var = reduce sum %var0 along 0 through %s1 : !block8
    %var1 = mulacc %var, %part, %eps : !block8
    %root = unary sqrt %var1
    %r0 = unary recip %root
    %r1 = broadcast %r0 along 0 : !warp8
    %r = broadcast %r1 along 1 : !full8
    %w0 = load %W[1024 * i0 + i1] where (1024 * i0 + i1 < N) vector 8 : !half8
    %b0 = load %B[1024 * i0 + i1] where (1024 * i0 + i1 < N) vector 8 : !half8
    %w = cast %w0 : !full8
    %b = cast %b0 : !full8
    %y0 = binary mul %c, %r : !full8
    %y1 = mulacc %y0, %w, %b : !full8
    %y = cast %y1 : !half8
    store %y to %Y[%row, 1024 * i0 + i1] where (1024 * i0 + i1 < N) vector 8
  }
  return %Y
}

// The same with half of the warps, and twice as many blocks.
!half4 = frag<[4, 1024], f16, blocked [1, 8] lanes [1, 32] warps [4, 1]>
!full4 = frag<[4, 1024], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
!warp4 = frag<[4], f32, slice 1 of (blocked [1, 8] lanes [1, 32] warps [4, 1])>
!block4 = frag<[], f32, slice 0 of (slice 1 of (blocked [1, 8] lanes [1, 32] warps [4, 1]))>
kernel.func private @layernorm_4096<M, N>(
    %X: memref<[M, N], f16, row_major, align 16>, %W: memref<[N], f16, row_major, align 16>,
    %B: memref<[N], f16, row_major, align 16>) -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (N mod 8 == 0, N <= 4096)
  %Y = output : memref<[M, N], f16, row_major, align 16>
  grid (M) threads 128 blocks_per_sm 8 {
    %s0 = shared : tile<[4], f32, row_major>
    %s1 = shared : tile<[4], f32, row_major>
    %row = block_id 0
    %n = index (N)
    %count = cast %n : f32
    %part = unary recip %count
    %eps = const 1.0e-05 : f32
    %zero = const 0.0 : f32
    %x0 = load %X[%row, 1024 * i0 + i1] where (1024 * i0 + i1 < N) vector 8 : !half4
    %x = cast %x0 : !full4
    %sum0 = reduce sum %x along 1 : !warp4
    %sum = reduce sum %sum0 along 0 through %s0 : !block4
    %mean0 = binary mul %sum, %part : !block4
    %mean1 = broadcast %mean0 along 0 : !warp4
    %mean = broadcast %mean1 along 1 : !full4
    %c0 = binary sub %x, %mean : !full4
    %c = select where (1024 * i0 + i1 < N) then %c0 else %zero : !full4
    %square = binary mul %c, %c : !full4
    %var0 = reduce sum %square along 1 : !warp4
    %var = reduce sum %var0 along 0 through %s1 : !block4
    %var1 = mulacc %var, %part, %eps : !block4
    %root = unary sqrt %var1
    %r0 = unary recip %root
    %r1 = broadcast %r0 along 0 : !warp4
    %r = broadcast %r1 along 1 : !full4
    %w0 = load %W[1024 * i0 + i1] where (1024 * i0 + i1 < N) vector 8 : !half4
    %b0 = load %B[1024 * i0 + i1] where (1024 * i0 + i1 < N) vector 8 : !half4
    %w = cast %w0 : !full4
    %b = cast %b0 : !full4
    %y0 = binary mul %c, %r : !full4
    %y1 = mulacc %y0, %w, %b : !full4
    %y = cast %y1 : !half4
    store %y to %Y[%row, 1024 * i0 + i1] where (1024 * i0 + i1 < N) vector 8
  }
  return %Y
}

// Unaligned rows: the first vector begins where memory is aligned, at or before the row. What it has of the row
// before is outside, as is what the last vector has after the row.
kernel.func private @layernorm_any<M, N>(
    %X: memref<[M, N], f16, row_major, align 16>, %W: memref<[N], f16, row_major, align 16>,
    %B: memref<[N], f16, row_major, align 16>) -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (N <= 8185)
  %Y = output : memref<[M, N], f16, row_major, align 16>
  grid (M) threads 256 {
    %s0 = shared : tile<[8], f32, row_major>
    %s1 = shared : tile<[8], f32, row_major>
    %row = block_id 0
    %shift = index ((%row * N) mod 8)
    %n = index (N)
    %count = cast %n : f32
    %part = unary recip %count
    %eps = const 1.0e-05 : f32
    %zero = const 0.0 : f32
    %x0 = load %X[%row, 1024 * i0 + i1 - %shift] where (0 <= 1024 * i0 + i1 - %shift < N) : !half8
    %x = cast %x0 : !full8
    %sum0 = reduce sum %x along 1 : !warp8
    %sum = reduce sum %sum0 along 0 through %s0 : !block8
    %mean0 = binary mul %sum, %part : !block8
    %mean1 = broadcast %mean0 along 0 : !warp8
    %mean = broadcast %mean1 along 1 : !full8
    %c0 = binary sub %x, %mean : !full8
    %c = select where (0 <= 1024 * i0 + i1 - %shift < N) then %c0 else %zero : !full8
    %square = binary mul %c, %c : !full8
    %var0 = reduce sum %square along 1 : !warp8
    %var = reduce sum %var0 along 0 through %s1 : !block8
    %var1 = mulacc %var, %part, %eps : !block8
    %root = unary sqrt %var1
    %r0 = unary recip %root
    %r1 = broadcast %r0 along 0 : !warp8
    %r = broadcast %r1 along 1 : !full8
    %w0 = load %W[1024 * i0 + i1 - %shift] where (0 <= 1024 * i0 + i1 - %shift < N) : !half8
    %b0 = load %B[1024 * i0 + i1 - %shift] where (0 <= 1024 * i0 + i1 - %shift < N) : !half8
    %w = cast %w0 : !full8
    %b = cast %b0 : !full8
    %y0 = binary mul %c, %r : !full8
    %y1 = mulacc %y0, %w, %b : !full8
    %y = cast %y1 : !half8
    store %y to %Y[%row, 1024 * i0 + i1 - %shift] where (0 <= 1024 * i0 + i1 - %shift < N)
  }
  return %Y
}
