// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -

// Running sums down the columns, in one pass over the matrix: X is read once (Merrill and Garland, 'Single-pass parallel
// prefix scan with decoupled look-back', 2016). Block t of a strip of 128 columns has 32 rows. It stores the sums of
// its rows (state 1), looks back from block t - 1 until one has a sum of all rows up to its own (state 2), adds the
// sums of those between, stores its own sum of all rows up to here (state 2), and adds up its rows from there.
//
// Blocks are counted by tickets: those with lower ones are running or done, so every state that is waited for comes.
!rows = frag<[32, 128], f32, blocked [32, 1] lanes [1, 32] warps [1, 4]>
!row = frag<[1, 128], f32, blocked [1, 1] lanes [1, 32] warps [1, 4]>
kernel.func @scan<M, N>(%X: memref<[M, N], f32, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> {
  %Y = output : memref<[M, N], f32, row_major, align 16>
  %own = workspace : memref<[M ceildiv 32, N], f32>
  %through = workspace : memref<[M ceildiv 32, N], f32>
  %order = scratch : memref<[N ceildiv 128], i32>
  %states = scratch : memref<[N ceildiv 128, M ceildiv 32], i32>
  grid (N ceildiv 128, M ceildiv 32) threads 128 {
    %n = block_id 0
    %t = ticket %order[%n]
    %x = load %X[32 * %t + i0, 128 * %n + i1] where (32 * %t + i0 < M, 128 * %n + i1 < N) else 0.0 : !rows
    %zero = const 0.0 : !row
    %sum = for %i = 0 to 32 unroll carry (%s = %zero) {
      %r = extract %x at [%i, 0] : !row
      %s1 = binary add %s, %r : !row
      yield %s1
    }
    store %sum to %own[%t + i0, 128 * %n + i1] where (128 * %n + i1 < N)
    release 1 to %states[%n, %t]
    // The sum of all rows before, and whether there are still some to look at.
    %open = index (1)
    %before, %left = for %j = 0 to %t carry (%b = %zero, %o = %open) {
      %b1, %o1 = if (%o == 1) : !row, index {
        %p = index (%t - 1 - %j)
        %state = acquire %states[%n, %p] until 1
        %part, %more = if (%state == 2) : !row, index {
          %all = load %through[%p + i0, 128 * %n + i1] where (128 * %n + i1 < N) else 0.0 : !row
          %no = index (0)
          yield %all, %no
        } else {
          %one = load %own[%p + i0, 128 * %n + i1] where (128 * %n + i1 < N) else 0.0 : !row
          %yes = index (1)
          yield %one, %yes
        }
        %b2 = binary add %part, %b : !row
        yield %b2, %more
      } else {
        yield %b, %o
      }
      yield %b1, %o1
    }
    %to_here = binary add %before, %sum : !row
    store %to_here to %through[%t + i0, 128 * %n + i1] where (128 * %n + i1 < N)
    release 2 to %states[%n, %t]
    %end = for %i = 0 to 32 unroll carry (%s = %before) {
      %r = extract %x at [%i, 0] : !row
      %s1 = binary add %s, %r : !row
      store %s1 to %Y[32 * %t + %i + i0, 128 * %n + i1] where (32 * %t + %i < M, 128 * %n + i1 < N)
      yield %s1
    }
  }
  return %Y
}
