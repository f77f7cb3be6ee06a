// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// D = A B, f16 with sums in f32, for devices without a copy engine. A block has a tile of 128 by 128, taken in groups of
// eight rows; each of its four warps has 64 by 64 of it. All threads copy what is needed two steps later, to a ring of
// three stages, and do not wait for it. One barrier a step is enough: behind it all have read the stage that is written.
kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm80"} {
  // So that every copy is of 16 bytes.
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid ((M ceildiv 128) * (N ceildiv 128)) threads 128 {
    %sA = shared at 0 : tile<3 x [128, 64], f16, swizzle 128>
    %sB = shared at 49152 : tile<3 x [64, 128], f16, swizzle 128>
    // The result leaves by way of shared memory, so that a thread stores 16 bytes in a row; the pitch keeps rows in
    // different banks.
    %sD = shared at 0 : tile<[128, 128], f16, row_major pitch 136>
    %block = block_id 0
    %m, %n = tile_order %block of (M ceildiv 128, N ceildiv 128) grouped 8
    %steps = index (K ceildiv 64)
    %zero = index (0)
    %none = done : token<load>
    // Two steps ahead.
    %t0, %t1 = for %k = 0 to 2 unroll carry (%older = %none, %newer = %none) {
      %x = if (%k < %steps) : token<load> {
        copy_async %A[128 * %m + i0, 64 * %k + i1] where (128 * %m + i0 < M, 64 * %k + i1 < K) to %sA[%k] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
        %y = copy_async %B[64 * %k + i0, 128 * %n + i1] where (64 * %k + i0 < K, 128 * %n + i1 < N) to %sB[%k] by blocked [1, 8] lanes [2, 16] warps [4, 1] : token<load>
        yield %y
      } else {
        yield %none
      }
      yield %newer, %x
    }
    %c0 = const 0.0 : frag<[128, 128], f32, mma [2, 2]>
    %c, %s, %l0, %l1 = for %k = 0 to %steps carry (%c1 = %c0, %s0 = %zero, %this = %t0, %next = %t1) {
      await %this
      barrier
      %x = if (%k + 2 < %steps) : token<load> {
        %ahead = index ((%s0 + 2) mod 3)
        copy_async %A[128 * %m + i0, 64 * %k + 128 + i1] where (128 * %m + i0 < M, 64 * %k + 128 + i1 < K) to %sA[%ahead] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
        %y = copy_async %B[64 * %k + 128 + i0, 128 * %n + i1] where (64 * %k + 128 + i0 < K, 128 * %n + i1 < N) to %sB[%ahead] by blocked [1, 8] lanes [2, 16] warps [4, 1] : token<load>
        yield %y
      } else {
        yield %none
      }
      %c2 = for %j = 0 to 4 unroll carry (%c3 = %c1) {
        %part = slice %sA[%s0] at (0, 16 * %j) : tile<[128, 16], f16, swizzle 128>
        %a = load_shared %part : frag<[128, 16], f16, mma_a [2, 2]>
        %rows = slice %sB[%s0] at (16 * %j, 0) : tile<[16, 128], f16, swizzle 128 rows 64>
        %b = load_shared %rows : frag<[16, 128], f16, mma_b [2, 2]>
        %c4 = mma %a, %b, %c3
        yield %c4
      }
      %s1 = index ((%s0 + 1) mod 3)
      yield %c2, %s1, %next, %x
    }
    %h = cast %c : frag<[128, 128], f16, mma [2, 2]>
    // The result lies over what the last steps read.
    barrier
    store_shared %h to %sD
    barrier
    %d = load_shared %sD : frag<[128, 128], f16, blocked [1, 8] lanes [2, 16] warps [4, 1]>
    store %d to %D[128 * %m + i0, 128 * %n + i1] where (128 * %m + i0 < M, 128 * %n + i1 < N)
  }
  return %D
}
