// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// D = A B in f32, for few tiles and a long K: four blocks share the steps of a tile (split-K). Each stores its part of the
// sum and takes a ticket of the tile. The last one to come finds all four parts, adds them in their order, so that the
// result does not depend on who was last, and stores the tile.
!acc = frag<[64, 64], f32, blocked [4, 4] lanes [4, 8] warps [4, 1]>
!a = frag<[64, 16], f32, blocked [1, 4] lanes [8, 4] warps [4, 1]>
!b = frag<[16, 64], f32, blocked [1, 4] lanes [2, 16] warps [4, 1]>
kernel.func @split_k<M, N, K>(%A: memref<[M, K], f32, row_major, align 16>, %B: memref<[K, N], f32, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm80"} {
  require (K mod 4 == 0, N mod 4 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  %parts = workspace : memref<[4, M, N], f32, row_major, align 16>
  %arrived = scratch : memref<[M ceildiv 64, N ceildiv 64], i32>
  grid (N ceildiv 64, M ceildiv 64, 4) threads 128 {
    %sA = shared : tile<[64, 16], f32, col_major pitch 68>
    %sB = shared : tile<[16, 64], f32, row_major>
    %n = block_id 0
    %m = block_id 1
    %part = block_id 2
    // The steps of 16 of this part: those from one to below the other.
    %first = index (%part * (K ceildiv 64))
    %behind = index (%part * (K ceildiv 64) + K ceildiv 64)
    %zero = const 0.0 : !acc
    %c = for %k = %first to %behind carry (%c0 = %zero) {
      %x = load %A[64 * %m + i0, 16 * %k + i1] where (64 * %m + i0 < M, 16 * %k + i1 < K) else 0.0 : !a
      %y = load %B[16 * %k + i0, 64 * %n + i1] where (16 * %k + i0 < K, 64 * %n + i1 < N) else 0.0 : !b
      store_shared %x to %sA
      store_shared %y to %sB
      barrier
      %c2 = for %j = 0 to 16 unroll carry (%c1 = %c0) {
        %column = slice %sA at (0, %j) : tile<[64, 1], f32, col_major>
        %row = slice %sB at (%j, 0) : tile<[1, 64], f32, row_major>
        %u = load_shared %column : frag<[64, 1], f32, blocked [4, 4] lanes [4, 8] warps [4, 1]>
        %v = load_shared %row : frag<[1, 64], f32, blocked [4, 4] lanes [4, 8] warps [4, 1]>
        %c3 = fma %u, %v, %c1
        yield %c3
      }
      barrier
      yield %c2
    }
    store %c to %parts[%part, 64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
    %ticket = ticket %arrived[%m, %n]
    if (%ticket == 3) {
      %sum = for %p = 0 to 4 carry (%s = %zero) {
        %z = load %parts[%p, 64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N) else 0.0 : !acc
        %s1 = binary add %s, %z : !acc
        yield %s1
      }
      store %sum to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
    }
  }
  return %D
}
