// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// Each row moved and scaled so that its mean is 0 and its variance 1, then by a weight and a bias for each column, f16: a
// block a row of up to 8185 elements, which stays in registers between one read and one write. A thread has four vectors
// of eight. The variance is that of what is left when the mean is gone: there is no cancellation.
//
// Rows may begin anywhere: the first vector begins where memory is aligned, at or before the row. What it has of the row
// before is outside, as is what the last vector has behind the row.
!half = frag<[8, 1024], f16, blocked [1, 8] lanes [1, 32] warps [8, 1]>
!full = frag<[8, 1024], f32, blocked [1, 8] lanes [1, 32] warps [8, 1]>
!warp = frag<[8], f32, slice 1 of (blocked [1, 8] lanes [1, 32] warps [8, 1])>
!block = frag<[], f32, slice 0 of (slice 1 of (blocked [1, 8] lanes [1, 32] warps [8, 1]))>
kernel.func @layernorm<M, N>(
    %X: memref<[M, N], f16, row_major, align 16>, %W: memref<[N], f16, row_major, align 16>,
    %B: memref<[N], f16, row_major, align 16>) -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (N <= 8185)
  %Y = output : memref<[M, N], f16, row_major, align 16>
  grid (M) threads 256 {
    // What the warps exchange through, a place for each of both sums: the second needs no barrier to begin.
    %s0 = shared : tile<[8], f32, row_major>
    %s1 = shared : tile<[8], f32, row_major>
    %row = block_id 0
    %shift = index ((%row * N) mod 8)
    %n = index (N)
    %count = cast %n : f32
    %part = unary recip %count
    %eps = const 1.0e-05 : f32
    %zero = const 0.0 : f32
    %x0 = load %X[%row, 1024 * i0 + i1 - %shift] where (0 <= 1024 * i0 + i1 - %shift < N) hint evict_first : !half
    %x = cast %x0 : !full
    %sum0 = reduce sum %x along 1 : !warp
    %sum = reduce sum %sum0 along 0 through %s0 : !block
    %mean0 = binary mul %sum, %part : !block
    %mean1 = broadcast %mean0 along 0 : !warp
    %mean = broadcast %mean1 along 1 : !full
    %c0 = binary sub %x, %mean : !full
    // Outside it is zero and not minus the mean.
    %c = select where (0 <= 1024 * i0 + i1 - %shift < N) then %c0 else %zero : !full
    %square = binary mul %c, %c : !full
    %var0 = reduce sum %square along 1 : !warp
    %var = reduce sum %var0 along 0 through %s1 : !block
    %var1 = mulacc %var, %part, %eps : !block
    %root = unary sqrt %var1
    %r0 = unary recip %root
    %r1 = broadcast %r0 along 0 : !warp
    %r = broadcast %r1 along 1 : !full
    %w0 = load %W[1024 * i0 + i1 - %shift] where (0 <= 1024 * i0 + i1 - %shift < N) : !half
    %b0 = load %B[1024 * i0 + i1 - %shift] where (0 <= 1024 * i0 + i1 - %shift < N) : !half
    %w = cast %w0 : !full
    %b = cast %b0 : !full
    %y0 = binary mul %c, %r : !full
    %y1 = mulacc %y0, %w, %b : !full
    %y = cast %y1 : !half
    store %y to %Y[%row, 1024 * i0 + i1 - %shift] where (0 <= 1024 * i0 + i1 - %shift < N)
  }
  return %Y
}
