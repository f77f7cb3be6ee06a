// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// The softmax of each row, f16: a block a row of up to 8185 elements, which stays in registers between one read and one
// write. A thread has four vectors of eight.
//
// Rows may begin anywhere: the first vector begins where memory is aligned, at or before the row. What it has of the row
// before is outside, as is what the last vector has behind the row.
//
// There is one barrier and one exponential for an element: a thread takes exponentials below its own largest element,
// sums are put together with the maxima that belong to them, and on the way out each thread has a factor for its own.
!half = frag<[8, 1024], f16, blocked [1, 8] lanes [1, 32] warps [8, 1]>
!full = frag<[8, 1024], f32, blocked [1, 8] lanes [1, 32] warps [8, 1]>
// A number for each thread, for each warp, and for the block.
!thread = frag<[8, 32], f32, blocked [1, 1] lanes [1, 32] warps [8, 1]>
!warp = frag<[8], f32, slice 1 of (blocked [1, 1] lanes [1, 32] warps [8, 1])>
!warps = frag<[8], f32, blocked [1] lanes [32] warps [8]>
!block = frag<[], f32, slice 0 of (blocked [1] lanes [32] warps [8])>
kernel.func @softmax<M, N>(%X: memref<[M, N], f16, row_major, align 16>) -> memref<[M, N], f16, row_major, align 16>
    attributes {target = "sm90"} {
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
    // Outside is minus infinity, which adds nothing to a sum of exponentials. A thread all of whose elements are outside
    // takes the least number as its largest, so that it does not subtract infinities.
    %x0 = load %X[%row, 1024 * i0 + i1 - %shift] where (0 <= 1024 * i0 + i1 - %shift < N) else 0xFC00 hint evict_first : !half
    %t0 = thread_reduce max %x0 along 1 : frag<[8, 32], f16, blocked [1, 1] lanes [1, 32] warps [8, 1]>
    %t1 = cast %t0 : !thread
    %t = binary max %t1, %lowest : !thread
    %x = cast %x0 : !full
    %t2 = binary mul %t, %minus : !thread
    %t3 = thread_broadcast %t2 along 1 : !full
    %y0 = mulacc %x, %log, %t3 : !full
    %y = unary exp2 %y0
    %s = thread_reduce sum %y along 1 : !thread
    // The largest of the warp, and its sum below that.
    %w = reduce max %t along 1 : !warp
    %w0 = broadcast %w along 1 : !thread
    %w1 = binary sub %t, %w0 : !thread
    %w2 = binary mul %w1, %log : !thread
    %w3 = unary exp2 %w2
    %w4 = binary mul %s, %w3 : !thread
    %w5 = reduce sum %w4 along 1 : !warp
    store_shared %w to %sMax
    store_shared %w5 to %sSum
    barrier
    // The same of the block, in each warp.
    %m0 = load_shared %sMax : !warps
    %m1 = load_shared %sSum : !warps
    %m = reduce max %m0 along 0 : !block
    %m2 = broadcast %m along 0 : !warps
    %m3 = binary sub %m0, %m2 : !warps
    %m4 = binary mul %m3, %log : !warps
    %m5 = unary exp2 %m4
    %m6 = binary mul %m1, %m5 : !warps
    %sum = reduce sum %m6 along 0 : !block
    // What the exponentials of each thread are too large by, over the sum.
    %inverse = unary recip %sum
    %i0 = broadcast %inverse along 0 : !warp
    %i1 = broadcast %i0 along 1 : !thread
    %b0 = broadcast %m along 0 : !warp
    %b1 = broadcast %b0 along 1 : !thread
    %f0 = binary sub %t, %b1 : !thread
    %f1 = binary mul %f0, %log : !thread
    %f2 = unary exp2 %f1
    %f3 = binary mul %f2, %i1 : !thread
    %f = thread_broadcast %f3 along 1 : !full
    %z0 = binary mul %y, %f : !full
    %z = cast %z0 : !half
    store %z to %Y[%row, 1024 * i0 + i1 - %shift] where (0 <= 1024 * i0 + i1 - %shift < N)
  }
  return %Y
}
