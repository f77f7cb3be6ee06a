// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// The softmax of each row, f16: a block a row, which stays in registers between one read and one write. A thread has four
// vectors of eight, so that rows of up to 4096 elements have four warps and longer ones eight. Several blocks share a
// SM: while one waits for memory another one computes.
//
// There is one barrier and one exponential for an element: a thread takes exponentials below its own largest element,
// sums are put together with the maxima that belong to them, and on the way out each thread has a factor for its own.
host.func @row_softmax<M, N>(%X: memref<[M, N], f16, row_major, align 16>) -> memref<[M, N], f16, row_major, align 16>
    attributes {arena = [0], pool = 0} {
  %Y = launch @softmax_4096<M, N> where (N mod 8 == 0, N <= 4096) else @softmax_8192<M, N> where (N mod 8 == 0)
      else @softmax_any<M, N> (%X) at [*] : memref<[M, N], f16, row_major, align 16>
  return %Y
}

!half8 = frag<[8, 1024], f16, blocked [1, 8] lanes [1, 32] warps [8, 1]>
!full8 = frag<[8, 1024], f32, blocked [1, 8] lanes [1, 32] warps [8, 1]>
// A number for each thread, for each warp, and for the block.
!thread8 = frag<[8, 32], f32, blocked [1, 1] lanes [1, 32] warps [8, 1]>
!warp8 = frag<[8], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [8, 1])>
!warps8 = frag<[8], f32, blocked [1] lanes [32] warps [8]>
!block8 = frag<[], f32, slice 0 of (blocked [1] lanes [32] warps [8])>

// Vectors are whole, and all of each is inside of the row or none.
kernel.func private @softmax_8192<M, N>(%X: memref<[M, N], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (N mod 8 == 0, N <= 8192)
  %Y = output : memref<[M, N], f16, row_major, align 16>
  grid (M) threads 256 blocks_per_sm 5 {
    %sMax = shared : tile<[8], f32, row_major>
    %sSum = shared : tile<[8], f32, row_major>
    %row = block_id 0
    %log = const 1.4426950408889634 : f32
    %minus = const -1.4426950408889634 : f32
    %lowest = const -65504.0 : f32
    // Outside is minus infinity, which adds nothing to a sum of exponentials. A thread all of whose elements are outside
    // takes the least number as its largest, so that it does not subtract infinities.
    %x0 = load %X[%row, 1024 * i0 + i1] where (1024 * i0 + i1 < N) else 0xFC00 vector 8 : !half8
    %t0 = thread_reduce max %x0 along 1 : frag<[8, 32], f16, blocked [1, 1] lanes [1, 32] warps [8, 1]>
    %t1 = cast %t0 : !thread8
    %t = binary max %t1, %lowest : !thread8
    %x = cast %x0 : !full8
    %t2 = binary mul %t, %minus : !thread8
    %t3 = thread_broadcast %t2 along 1 : !full8
    %y0 = mulacc %x, %log, %t3 : !full8
    %y = unary exp2 %y0
    %s = thread_reduce sum %y along 1 : !thread8
    // The largest of the warp, and its sum below that.
    %w = reduce max %t along 1 : !warp8
    %w0 = broadcast %w along 1 : !thread8
    %w1 = binary sub %t, %w0 : !thread8
    %w2 = binary mul %w1, %log : !thread8
    %w3 = unary exp2 %w2
    %w4 = binary mul %s, %w3 : !thread8
    %w5 = reduce sum %w4 along 1 : !warp8
    store_shared %w to %sMax
    store_shared %w5 to %sSum
    barrier
    // The same of the block, in each warp.
    %m0 = load_shared %sMax : !warps8
    %m1 = load_shared %sSum : !warps8
    %m = reduce max %m0 along 0 : !block8
    %m2 = broadcast %m along 0 : !warps8
    %m3 = binary sub %m0, %m2 : !warps8
    %m4 = binary mul %m3, %log : !warps8
    %m5 = unary exp2 %m4
    %m6 = binary mul %m1, %m5 : !warps8
    %sum = reduce sum %m6 along 0 : !block8
    // What the exponentials of each thread are too large by, over the sum.
    %inverse = unary recip %sum
    %i0 = broadcast %inverse along 0 : !warp8
    %i1 = broadcast %i0 along 1 : !thread8
    %b0 = broadcast %m along 0 : !warp8
    %b1 = broadcast %b0 along 1 : !thread8
    %f0 = binary sub %t, %b1 : !thread8
    %f1 = binary mul %f0, %log : !thread8
    %f2 = unary exp2 %f1
    %f3 = binary mul %f2, %i1 : !thread8
    %f = thread_broadcast %f3 along 1 : !full8
    %z0 = binary mul %y, %f : !full8
    %z = cast %z0 : !half8
    store %z to %Y[%row, 1024 * i0 + i1] where (1024 * i0 + i1 < N) vector 8
  }
  return %Y
}

// The same with half of the warps, and twice as many blocks.
!half4 = frag<[4, 1024], f16, blocked [1, 8] lanes [1, 32] warps [4, 1]>
!full4 = frag<[4, 1024], f32, blocked [1, 8] lanes [1, 32] warps [4, 1]>
!thread4 = frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
!warp4 = frag<[4], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [4, 1])>
!warps4 = frag<[4], f32, blocked [1] lanes [32] warps [4]>
!block4 = frag<[], f32, slice 0 of (blocked [1] lanes [32] warps [4])>
kernel.func private @softmax_4096<M, N>(%X: memref<[M, N], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (N mod 8 == 0, N <= 4096)
  %Y = output : memref<[M, N], f16, row_major, align 16>
  grid (M) threads 128 blocks_per_sm 10 {
    %sMax = shared : tile<[4], f32, row_major>
    %sSum = shared : tile<[4], f32, row_major>
    %row = block_id 0
    %log = const 1.4426950408889634 : f32
    %minus = const -1.4426950408889634 : f32
    %lowest = const -65504.0 : f32
    %x0 = load %X[%row, 1024 * i0 + i1] where (1024 * i0 + i1 < N) else 0xFC00 vector 8 : !half4
    %t0 = thread_reduce max %x0 along 1 : frag<[4, 32], f16, blocked [1, 1] lanes [1, 32] warps [4, 1]>
    %t1 = cast %t0 : !thread4
    %t = binary max %t1, %lowest : !thread4
    %x = cast %x0 : !full4
    %t2 = binary mul %t, %minus : !thread4
    %t3 = thread_broadcast %t2 along 1 : !full4
    %y0 = mulacc %x, %log, %t3 : !full4
    %y = unary exp2 %y0
    %s = thread_reduce sum %y along 1 : !thread4
    %w = reduce max %t along 1 : !warp4
    %w0 = broadcast %w along 1 : !thread4
    %w1 = binary sub %t, %w0 : !thread4
    %w2 = binary mul %w1, %log : !thread4
    %w3 = unary exp2 %w2
    %w4 = binary mul %s, %w3 : !thread4
    %w5 = reduce sum %w4 along 1 : !warp4
    store_shared %w to %sMax
    store_shared %w5 to %sSum
    barrier
    %m0 = load_shared %sMax : !warps4
    %m1 = load_shared %sSum : !warps4
    %m = reduce max %m0 along 0 : !block4
    %m2 = broadcast %m along 0 : !warps4
    %m3 = binary sub %m0, %m2 : !warps4
    %m4 = binary mul %m3, %log : !warps4
    %m5 = unary exp2 %m4
    %m6 = binary mul %m1, %m5 : !warps4
    %sum = reduce sum %m6 along 0 : !block4
    %inverse = unary recip %sum
    %i0 = broadcast %inverse along 0 : !warp4
    %i1 = broadcast %i0 along 1 : !thread4
    %b0 = broadcast %m along 0 : !warp4
    %b1 = broadcast %b0 along 1 : !thread4
    %f0 = binary sub %t, %b1 : !thread4
    %f1 = binary mul %f0, %log : !thread4
    %f2 = unary exp2 %f1
    %f3 = binary mul %f2, %i1 : !thread4
    %f = thread_broadcast %f3 along 1 : !full4
    %z0 = binary mul %y, %f : !full4
    %z = cast %z0 : !half4
    store %z to %Y[%row, 1024 * i0 + i1] where (1024 * i0 + i1 < N) vector 8
  }
  return %Y
}

// Unaligned rows: the first vector begins where memory is aligned, at or before the row. What it has of the row
// before is outside, as is what the last vector has after the row.
kernel.func private @softmax_any<M, N>(%X: memref<[M, N], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (N <= 8185)
  %Y = output : memref<[M, N], f16, row_major, align 16>
  grid (M) threads 256 {
    %sMax = shared : tile<[8], f32, row_major>
    %sSum = shared : tile<[8], f32, row_major>
    %row = block_id 0
    %shift = index ((%row * N) mod 8)
    %log = const 1.4426950408889634 : f32
    %minus = const -1.4426950408889634 : f32
    %lowest = const -65504.0 : f32
    %x0 = load %X[%row, 1024 * i0 + i1 - %shift] where (0 <= 1024 * i0 + i1 - %shift < N) else 0xFC00 : !half8
    %t0 = thread_reduce max %x0 along 1 : frag<[8, 32], f16, blocked [1, 1] lanes [1, 32] warps [8, 1]>
    %t1 = cast %t0 : !thread8
    %t = binary max %t1, %lowest : !thread8
    %x = cast %x0 : !full8
    %t2 = binary mul %t, %minus : !thread8
    %t3 = thread_broadcast %t2 along 1 : !full8
    %y0 = mulacc %x, %log, %t3 : !full8
    %y = unary exp2 %y0
    %s = thread_reduce sum %y along 1 : !thread8
    %w = reduce max %t along 1 : !warp8
    %w0 = broadcast %w along 1 : !thread8
    %w1 = binary sub %t, %w0 : !thread8
    %w2 = binary mul %w1, %log : !thread8
    %w3 = unary exp2 %w2
    %w4 = binary mul %s, %w3 : !thread8
    %w5 = reduce sum %w4 along 1 : !warp8
    store_shared %w to %sMax
    store_shared %w5 to %sSum
    barrier
    %m0 = load_shared %sMax : !warps8
    %m1 = load_shared %sSum : !warps8
    %m = reduce max %m0 along 0 : !block8
    %m2 = broadcast %m along 0 : !warps8
    %m3 = binary sub %m0, %m2 : !warps8
    %m4 = binary mul %m3, %log : !warps8
    %m5 = unary exp2 %m4
    %m6 = binary mul %m1, %m5 : !warps8
    %sum = reduce sum %m6 along 0 : !block8
    %inverse = unary recip %sum
    %i0 = broadcast %inverse along 0 : !warp8
    %i1 = broadcast %i0 along 1 : !thread8
    %b0 = broadcast %m along 0 : !warp8
    %b1 = broadcast %b0 along 1 : !thread8
    %f0 = binary sub %t, %b1 : !thread8
    %f1 = binary mul %f0, %log : !thread8
    %f2 = unary exp2 %f1
    %f3 = binary mul %f2, %i1 : !thread8
    %f = thread_broadcast %f3 along 1 : !full8
    %z0 = binary mul %y, %f : !full8
    %z = cast %z0 : !half8
    store %z to %Y[%row, 1024 * i0 + i1 - %shift] where (0 <= 1024 * i0 + i1 - %shift < N)
  }
  return %Y
}
