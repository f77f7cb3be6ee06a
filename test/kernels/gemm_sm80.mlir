// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// D = A B, f16 with sums in f32, for devices without a TMA. A block has a tile of 128 by 256, taken in groups of
// eight rows; each of its eight warps has 64 by 64 of it. All threads copy what is needed two steps later, to a ring of
// three stages, and do not wait for it.
//
// A step of 64 along k has four products of 16. While one multiplies, the fragments of the next one are loaded, and a fourth
// of the copies is begun: so the tensor cores have work at all times, also where the threads meet. One barrier a step is
// enough, before the last product: the stage that is written after it was read to its end before it.
kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm80"} {
  // So that every copy is of 16 bytes.
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid ((M ceildiv 128) * (N ceildiv 256)) threads 256 {
    %sA = shared at 0 : tile<3 x [128, 64], f16, swizzle 128>
    %sB = shared at 49152 : tile<3 x [64, 256], f16, swizzle 128>
    // The result is stored through shared memory, so that a thread stores 16 bytes in a row; the pitch keeps rows in
    // different banks.
    %sD = shared at 0 : tile<[128, 256], f16, row_major pitch 264>
    %block = block_id 0
    %m, %n = tile_order %block of (M ceildiv 128, N ceildiv 256) grouped 8
    %steps = index (K ceildiv 64)
    %zero = index (0)
    %none = done : token<load>
    // Two steps ahead. What is beyond the end of K is zero, and not read.
    %t0, %t1 = for %k = 0 to 2 unroll carry (%older = %none, %newer = %none) {
      copy_async %A[128 * %m + i0, 64 * %k + i1] where (128 * %m + i0 < M, 64 * %k + i1 < K) to %sA[%k] by blocked [1, 8] lanes [4, 8] warps [8, 1] : token<load>
      %x = copy_async %B[64 * %k + i0, 256 * %n + i1] where (64 * %k + i0 < K, 256 * %n + i1 < N) to %sB[%k] by blocked [1, 8] lanes [1, 32] warps [8, 1] : token<load>
      yield %newer, %x
    }
    %c0 = const 0.0 : frag<[128, 256], f32, mma [2, 4]>
    await %t0
    barrier
    %left0 = slice %sA[%zero] at (0, 0) : tile<[128, 16], f16, swizzle 128>
    %a0 = load_shared %left0 : frag<[128, 16], f16, mma_a [2, 4]>
    %right0 = slice %sB[%zero] at (0, 0) : tile<[16, 256], f16, swizzle 128 rows 64>
    %b0 = load_shared %right0 : frag<[16, 256], f16, mma_b [2, 4]>
    %c, %s, %a, %b, %last = for %k = 0 to %steps carry (%c1 = %c0, %s0 = %zero, %a1 = %a0, %b1 = %b0, %next = %t1) {
      %ahead = index ((%s0 + 2) mod 3)
      %s1 = index ((%s0 + 1) mod 3)
      %c2, %a2, %b2 = for %j = 0 to 3 unroll carry (%c3 = %c1, %a3 = %a1, %b3 = %b1) {
        %left = slice %sA[%s0] at (0, 16 * %j + 16) : tile<[128, 16], f16, swizzle 128>
        %a4 = load_shared %left : frag<[128, 16], f16, mma_a [2, 4]>
        %right = slice %sB[%s0] at (16 * %j + 16, 0) : tile<[16, 256], f16, swizzle 128 rows 64>
        %b4 = load_shared %right : frag<[16, 256], f16, mma_b [2, 4]>
        %toA = slice %sA[%ahead] at (32 * %j, 0) : tile<[32, 64], f16, swizzle 128 rows 128>
        copy_async %A[128 * %m + 32 * %j + i0, 64 * %k + 128 + i1] where (128 * %m + 32 * %j + i0 < M, 64 * %k + 128 + i1 < K) to %toA by blocked [1, 8] lanes [4, 8] warps [8, 1] : token<load>
        %toB = slice %sB[%ahead] at (16 * %j, 0) : tile<[16, 256], f16, swizzle 128 rows 64>
        copy_async %B[64 * %k + 128 + 16 * %j + i0, 256 * %n + i1] where (64 * %k + 128 + 16 * %j + i0 < K, 256 * %n + i1 < N) to %toB by blocked [1, 8] lanes [1, 32] warps [8, 1] : token<load>
        %c4 = mma %a3, %b3, %c3
        yield %c4, %a4, %b4
      }
      %toA3 = slice %sA[%ahead] at (96, 0) : tile<[32, 64], f16, swizzle 128 rows 128>
      copy_async %A[128 * %m + 96 + i0, 64 * %k + 128 + i1] where (128 * %m + 96 + i0 < M, 64 * %k + 128 + i1 < K) to %toA3 by blocked [1, 8] lanes [4, 8] warps [8, 1] : token<load>
      %toB3 = slice %sB[%ahead] at (48, 0) : tile<[16, 256], f16, swizzle 128 rows 64>
      %x = copy_async %B[64 * %k + 176 + i0, 256 * %n + i1] where (64 * %k + 176 + i0 < K, 256 * %n + i1 < N) to %toB3 by blocked [1, 8] lanes [1, 32] warps [8, 1] : token<load>
      await %next
      barrier
      %left5 = slice %sA[%s1] at (0, 0) : tile<[128, 16], f16, swizzle 128>
      %a5 = load_shared %left5 : frag<[128, 16], f16, mma_a [2, 4]>
      %right5 = slice %sB[%s1] at (0, 0) : tile<[16, 256], f16, swizzle 128 rows 64>
      %b5 = load_shared %right5 : frag<[16, 256], f16, mma_b [2, 4]>
      %c5 = mma %a2, %b2, %c2
      yield %c5, %s1, %a5, %b5, %x
    }
    // The result lies over the stages: all that was asked for has come, and the last steps have read.
    await %last
    barrier
    %h = cast %c : frag<[128, 256], f16, mma [2, 4]>
    store_shared %h to %sD
    barrier
    %d = load_shared %sD : frag<[128, 256], f16, blocked [1, 8] lanes [1, 32] warps [8, 1]>
    store %d to %D[128 * %m + i0, 256 * %n + i1] where (128 * %m + i0 < M, 256 * %n + i1 < N)
  }
  return %D
}
