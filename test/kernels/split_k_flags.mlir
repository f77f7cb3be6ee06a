// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// D = A B in f32, with four blocks for the steps of a tile (split-K), as in split_k.mlir; but here the last block of a
// tile keeps its part in registers and waits for the flags of the others.
//
// Which part a block has is its ticket and not its number: whoever has a lower ticket is running or done, so the wait ends
// however many blocks run at once.
!acc = frag<[64, 64], f32, blocked [4, 4] lanes [4, 8] warps [4, 1]>
!a = frag<[64, 16], f32, blocked [1, 4] lanes [8, 4] warps [4, 1]>
!b = frag<[16, 64], f32, blocked [1, 4] lanes [2, 16] warps [4, 1]>
kernel.func @split_k_flags<M, N, K>(%A: memref<[M, K], f32, row_major, align 16>, %B: memref<[K, N], f32, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm80"} {
  require (K mod 4 == 0, N mod 4 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  %parts = workspace : memref<[3, M, N], f32, row_major, align 16>
  %order = scratch : memref<[M ceildiv 64, N ceildiv 64], i32>
  %ready = scratch : memref<[M ceildiv 64, N ceildiv 64, 3], i32>
  grid (N ceildiv 64, M ceildiv 64, 4) threads 128 {
    %sA = shared : tile<[64, 16], f32, col_major pitch 68>
    %sB = shared : tile<[16, 64], f32, row_major>
    %n = block_id 0
    %m = block_id 1
    %part = ticket %order[%m, %n]
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
    if (%part < 3) {
      store %c to %parts[%part, 64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
      release 1 to %ready[%m, %n, %part]
    } else {
      %sum = for %p = 0 to 3 carry (%s = %c) {
        %seen = acquire %ready[%m, %n, %p] until 1
        %z = load %parts[%p, 64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N) else 0.0 : !acc
        %s1 = binary add %s, %z : !acc
        yield %s1
      }
      store %sum to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
    }
  }
  return %D
}
