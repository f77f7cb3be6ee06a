// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// gelu(x) and a number for each column, f16. A block has four rows of 1024 columns, of which a thread has the same eight
// each: four vectors are on their way at once, and what is added is read once.
//
// gelu(x) is x times the share of the normal distribution that is below x. The share below -u, for a positive u, is
// p(t)/2 * exp(-u*u/2) with t = 1/(1 + 0.3275911*u/sqrt(2)) and a polynomial p, to 1e-7 (Abramowitz and Stegun, 7.1.26).
host.func @gelu_add<M, N>(%X: memref<[M, N], f16, row_major, align 16>, %W: memref<[N], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {arena = [0], pool = 0} {
  %Y = launch @gelu_add_whole<M, N> where (N mod 8 == 0) else @gelu_add_any<M, N>
      (%X, %W) at [*] : memref<[M, N], f16, row_major, align 16>
  return %Y
}

// Vectors are whole, and all of each is inside of the row or none.
!half = frag<[4, 1024], f16, blocked [4, 8] lanes [1, 32] warps [1, 4]>
!full = frag<[4, 1024], f32, blocked [4, 8] lanes [1, 32] warps [1, 4]>
!mask = frag<[4, 1024], i1, blocked [4, 8] lanes [1, 32] warps [1, 4]>
!column = frag<[1024], f16, slice 0 of (blocked [4, 8] lanes [1, 32] warps [1, 4])>
!added = frag<[1024], f32, slice 0 of (blocked [4, 8] lanes [1, 32] warps [1, 4])>
kernel.func private @gelu_add_whole<M, N>(
    %X: memref<[M, N], f16, row_major, align 16>, %W: memref<[N], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (N mod 8 == 0)
  %Y = output : memref<[M, N], f16, row_major, align 16>
  grid ((M ceildiv 4) * (N ceildiv 1024)) threads 128 {
    %b = block_id 0
    %m = index (4 * (%b floordiv (N ceildiv 1024)))
    %n = index (1024 * (%b mod (N ceildiv 1024)))
    %w0 = load %W[%n + i0] where (%n + i0 < N) vector 8 : !column
    %x0 = load %X[%m + i0, %n + i1] where (%m + i0 < M, %n + i1 < N) vector 8 : !half
    %x = cast %x0 : !full
    %zero = const 0.0 : f32
    %one = const 1.0 : f32
    // p(t)/2 of the magnitude.
    %c0 = const 0.23164188 : f32
    %c1 = const 0.127414796 : f32
    %c2 = const -0.142248368 : f32
    %c3 = const 0.7107068705 : f32
    %c4 = const -0.7265760135 : f32
    %c5 = const 0.5307027145 : f32
    %negative = unary neg %x
    %u = binary max %x, %negative : !full
    %t0 = mulacc %u, %c0, %one : !full
    %t = unary recip %t0
    %p4 = mulacc %t, %c5, %c4 : !full
    %p3 = mulacc %p4, %t, %c3 : !full
    %p2 = mulacc %p3, %t, %c2 : !full
    %p1 = mulacc %p2, %t, %c1 : !full
    %p = binary mul %p1, %t : !full
    // exp(-x*x/2), as a power of two.
    %log = const -0.7213475204444817 : f32
    %e0 = binary mul %x, %x : !full
    %e1 = binary mul %e0, %log : !full
    %e = unary exp2 %e1
    // The share below x.
    %q = binary mul %p, %e : !full
    %q1 = binary sub %one, %q : !full
    %below = binary lt %x, %zero : !mask
    %share = select %below, %q, %q1 : !full
    %w1 = cast %w0 : !added
    %w = broadcast %w1 along 0 : !full
    %y0 = mulacc %x, %share, %w : !full
    %y = cast %y0 : !half
    store %y to %Y[%m + i0, %n + i1] where (%m + i0 < M, %n + i1 < N) vector 8
  }
  return %Y
}

// Unaligned rows: neighbouring lanes have neighbouring elements, one by one.
!half1 = frag<[4, 1024], f16, blocked [4, 1] lanes [1, 32] warps [1, 4]>
!full1 = frag<[4, 1024], f32, blocked [4, 1] lanes [1, 32] warps [1, 4]>
!mask1 = frag<[4, 1024], i1, blocked [4, 1] lanes [1, 32] warps [1, 4]>
!column1 = frag<[1024], f16, slice 0 of (blocked [4, 1] lanes [1, 32] warps [1, 4])>
!added1 = frag<[1024], f32, slice 0 of (blocked [4, 1] lanes [1, 32] warps [1, 4])>
kernel.func private @gelu_add_any<M, N>(
    %X: memref<[M, N], f16, row_major, align 16>, %W: memref<[N], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  %Y = output : memref<[M, N], f16, row_major, align 16>
  grid ((M ceildiv 4) * (N ceildiv 1024)) threads 128 {
    %b = block_id 0
    %m = index (4 * (%b floordiv (N ceildiv 1024)))
    %n = index (1024 * (%b mod (N ceildiv 1024)))
    %w0 = load %W[%n + i0] where (%n + i0 < N) : !column1
    %x0 = load %X[%m + i0, %n + i1] where (%m + i0 < M, %n + i1 < N) : !half1
    %x = cast %x0 : !full1
    %zero = const 0.0 : f32
    %one = const 1.0 : f32
    %c0 = const 0.23164188 : f32
    %c1 = const 0.127414796 : f32
    %c2 = const -0.142248368 : f32
    %c3 = const 0.7107068705 : f32
    %c4 = const -0.7265760135 : f32
    %c5 = const 0.5307027145 : f32
    %negative = unary neg %x
    %u = binary max %x, %negative : !full1
    %t0 = mulacc %u, %c0, %one : !full1
    %t = unary recip %t0
    %p4 = mulacc %t, %c5, %c4 : !full1
    %p3 = mulacc %p4, %t, %c3 : !full1
    %p2 = mulacc %p3, %t, %c2 : !full1
    %p1 = mulacc %p2, %t, %c1 : !full1
    %p = binary mul %p1, %t : !full1
    %log = const -0.7213475204444817 : f32
    %e0 = binary mul %x, %x : !full1
    %e1 = binary mul %e0, %log : !full1
    %e = unary exp2 %e1
    %q = binary mul %p, %e : !full1
    %q1 = binary sub %one, %q : !full1
    %below = binary lt %x, %zero : !mask1
    %share = select %below, %q, %q1 : !full1
    %w1 = cast %w0 : !added1
    %w = broadcast %w1 along 0 : !full1
    %y0 = mulacc %x, %share, %w : !full1
    %y = cast %y0 : !half1
    store %y to %Y[%m + i0, %n + i1] where (%m + i0 < M, %n + i1 < N)
  }
  return %Y
}
