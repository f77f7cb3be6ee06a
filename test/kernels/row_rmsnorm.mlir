// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// Each row scaled so that the mean of its squares is 1, then by a weight for each column, f16: a block a row, which stays in
// registers between one read and one write, as in `row_layernorm.mlir`.
host.func @row_rmsnorm<M, N>(
    %X: memref<[M, N], f16, row_major, align 16>, %W: memref<[N], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16>
    attributes {arena = [0], pool = 0} {
  %Y = launch @rmsnorm_4096<M, N> where (N mod 8 == 0, N <= 4096) else @rmsnorm_8192<M, N> where (N mod 8 == 0)
      else @rmsnorm_any<M, N> (%X, %W) at [*] : memref<[M, N], f16, row_major, align 16>
  return %Y
}

!half8 = frag<[8, 1024], f16, blocked [1, 8] lanes [1, 32] warps [8, 1]>
!full8 = frag<[8, 1024], f32, blocked [1, 8] lanes [1, 32] warps [8, 1]>
!warp8 = frag<[8], f32, slice 1 of (blocked [1, 8] lanes [1, 32] warps [8, 1])>
!block8 = frag<[], f32, slice 0 of (slice 1 of (blocked [1, 8] lanes [1, 32] warps [8, 1]))>

// Vectors are whole, and all of each is inside of the row or none.
kernel.func private @rmsnorm_8192<M, N>(
    %X: memref<[M, N], f16, row_major, align 16>, %W: memref<[N], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (N mod 8 == 0, N <= 8192)
  %Y = output : memref<[M, N], f16, row_major, align 16>
  grid (M) threads 256 blocks_per_sm 4 {
    %s0 = shared : tile<[8], f32, row_major>
    %row = block_id 0
    %n = index (N)
    %count = cast %n : f32
    %part = unary recip %count
    %eps = const 1.0e-05 : f32
    %x0 = load %X[%row, 1024 * i0 + i1] where (1024 * i0 + i1 < N) vector 8 : !half8
    %x = cast %x0 : !full8
    %square = binary mul %x, %x : !full8
    %sum0 = reduce sum %square along 1 : !warp8
    %sum = reduce sum %sum0 along 0 through %s0 : !block8
    %mean = mulacc %sum, %part, %eps : !block8
    %root = unary sqrt %mean
    %r0 = unary recip %root
    %r1 = broadcast %r0 along 0 : !warp8
    %r = broadcast %r1 along 1 : !full8
    %w0 = load %W[1024 * i0 + i1] where (1024 * i0 + i1 < N) vector 8 : !half8
    %w = cast %w0 : !full8
    %y0 = binary mul %x, %r : !full8
    %y1 = binary mul %y0, %w : !full8
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
kernel.func private @rmsnorm_4096<M, N>(
    %X: memref<[M, N], f16, row_major, align 16>, %W: memref<[N], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (N mod 8 == 0, N <= 4096)
  %Y = output : memref<[M, N], f16, row_major, align 16>
  grid (M) threads 128 blocks_per_sm 8 {
    %s0 = shared : tile<[4], f32, row_major>
    %row = block_id 0
    %n = index (N)
    %count = cast %n : f32
    %part = unary recip %count
    %eps = const 1.0e-05 : f32
    %x0 = load %X[%row, 1024 * i0 + i1] where (1024 * i0 + i1 < N) vector 8 : !half4
    %x = cast %x0 : !full4
    %square = binary mul %x, %x : !full4
    %sum0 = reduce sum %square along 1 : !warp4
    %sum = reduce sum %sum0 along 0 through %s0 : !block4
    %mean = mulacc %sum, %part, %eps : !block4
    %root = unary sqrt %mean
    %r0 = unary recip %root
    %r1 = broadcast %r0 along 0 : !warp4
    %r = broadcast %r1 along 1 : !full4
    %w0 = load %W[1024 * i0 + i1] where (1024 * i0 + i1 < N) vector 8 : !half4
    %w = cast %w0 : !full4
    %y0 = binary mul %x, %r : !full4
    %y1 = binary mul %y0, %w : !full4
    %y = cast %y1 : !half4
    store %y to %Y[%row, 1024 * i0 + i1] where (1024 * i0 + i1 < N) vector 8
  }
  return %Y
}

// Unaligned rows: the first vector begins where memory is aligned, at or before the row. What it has of the row
// before is outside, as is what the last vector has after the row.
kernel.func private @rmsnorm_any<M, N>(
    %X: memref<[M, N], f16, row_major, align 16>, %W: memref<[N], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (N <= 8185)
  %Y = output : memref<[M, N], f16, row_major, align 16>
  grid (M) threads 256 {
    %s0 = shared : tile<[8], f32, row_major>
    %row = block_id 0
    %shift = index ((%row * N) mod 8)
    %n = index (N)
    %count = cast %n : f32
    %part = unary recip %count
    %eps = const 1.0e-05 : f32
    %x0 = load %X[%row, 1024 * i0 + i1 - %shift] where (0 <= 1024 * i0 + i1 - %shift < N) : !half8
    %x = cast %x0 : !full8
    %square = binary mul %x, %x : !full8
    %sum0 = reduce sum %square along 1 : !warp8
    %sum = reduce sum %sum0 along 0 through %s0 : !block8
    %mean = mulacc %sum, %part, %eps : !block8
    %root = unary sqrt %mean
    %r0 = unary recip %root
    %r1 = broadcast %r0 along 0 : !warp8
    %r = broadcast %r1 along 1 : !full8
    %w0 = load %W[1024 * i0 + i1 - %shift] where (0 <= 1024 * i0 + i1 - %shift < N) : !half8
    %w = cast %w0 : !full8
    %y0 = binary mul %x, %r : !full8
    %y1 = binary mul %y0, %w : !full8
    %y = cast %y1 : !half8
    store %y to %Y[%row, 1024 * i0 + i1 - %shift] where (0 <= 1024 * i0 + i1 - %shift < N)
  }
  return %Y
}
