// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// D = A B in f32, without tensor cores. A block has a tile of 128 by 128, each of its 128 threads 8 by 16 of it: eight
// pieces of 4 by 4, so that the threads of a warp read neighbouring vectors. For each k a thread multiplies a column of 8
// by a row of 16: with 6 16-byte loads for 128 multiplications, shared memory keeps up. The next tiles of A and B come
// to registers while this one is multiplied, and go to the other stage of shared memory after that: one barrier a step.
!acc = frag<[128, 128], f32, blocked [4, 4] lanes [4, 8] warps [4, 1]>
!a = frag<[128, 16], f32, blocked [1, 4] lanes [8, 4] warps [4, 1]>
!b = frag<[16, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
kernel.func @sgemm<M, N, K>(%A: memref<[M, K], f32, row_major, align 16>, %B: memref<[K, N], f32, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm80"} {
  // So that every load and store is of 16 bytes.
  require (K mod 4 == 0, N mod 4 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (N ceildiv 128, M ceildiv 128) threads 128 blocks_per_sm 2 {
    // A lies column by column, so that a thread reads its part of a column as vectors. The pitch keeps what the threads
    // of a warp write in different banks.
    %sA = shared : tile<2 x [128, 16], f32, col_major pitch 132>
    %sB = shared : tile<2 x [16, 128], f32, row_major>
    %n = block_id 0
    %m = block_id 1
    %steps = index (K ceildiv 16)
    %zero = index (0)
    %a0 = load %A[128 * %m + i0, i1] where (128 * %m + i0 < M, i1 < K) : !a
    %b0 = load %B[i0, 128 * %n + i1] where (i0 < K, 128 * %n + i1 < N) : !b
    store_shared %a0 to %sA[%zero]
    store_shared %b0 to %sB[%zero]
    barrier
    %c0 = const 0.0 : !acc
    %c, %s = for %k = 0 to %steps carry (%c1 = %c0, %s0 = %zero) {
      // After the last tile nothing is read.
      %a1 = load %A[128 * %m + i0, 16 * %k + 16 + i1] where (128 * %m + i0 < M, 16 * %k + 16 + i1 < K) : !a
      %b1 = load %B[16 * %k + 16 + i0, 128 * %n + i1] where (16 * %k + 16 + i0 < K, 128 * %n + i1 < N) : !b
      %c2 = for %j = 0 to 16 unroll carry (%c3 = %c1) {
        %column = slice %sA[%s0] at (0, %j) : tile<[128, 1], f32, col_major>
        %row = slice %sB[%s0] at (%j, 0) : tile<[1, 128], f32, row_major>
        %x = load_shared %column : frag<[128, 1], f32, blocked [4, 4] lanes [4, 8] warps [4, 1]>
        %y = load_shared %row : frag<[1, 128], f32, blocked [4, 4] lanes [4, 8] warps [4, 1]>
        %c4 = fma %x, %y, %c3
        yield %c4
      }
      %s1 = index (1 - %s0)
      store_shared %a1 to %sA[%s1]
      store_shared %b1 to %sB[%s1]
      barrier
      yield %c2, %s1
    }
    store %c to %D[128 * %m + i0, 128 * %n + i1] where (128 * %m + i0 < M, 128 * %n + i1 < N)
  }
  return %D
}
