// Stores of different blocks to the same element, in grids whose blocks do not wait for each other: an error where that is
// shown, no error where neither is, and what is shown as a remark.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics --remarks=analysis

// Rows of 64 at every 63rd: the last row of a block is the first of the next one.
!rows = frag<[64, 32], f32, blocked [2, 8] lanes [8, 4] warps [4, 1]>

kernel.func @rows_overlap<M>(%X: memref<[M, 32], f32>) -> memref<[M, 32], f32> {
  %Y = output : memref<[M, 32], f32>
  grid (M ceildiv 64) threads 128 {
    %b = block_id 0
    %x = load %X[64 * %b + i0, i1] where (64 * %b + i0 < M) else 0.0 : !rows
    // expected-error@+2 {{E1815 'kernel.store': writes to %Y, where another block writes as well}}
    // expected-note@+1 {{the other one writes here}}
    store %x to %Y[63 * %b + i0, i1] where (63 * %b + i0 < M)
  }
  return %Y
}

// -----

// They meet in rows that are not there only.
!rows = frag<[64, 32], f32, blocked [2, 8] lanes [8, 4] warps [4, 1]>

kernel.func @rows_apart<M>(%X: memref<[M, 32], f32>) -> memref<[M, 32], f32> {
  %Y = output : memref<[M, 32], f32>
  // expected-remark@+1 {{1 of 1 global stores disjoint between blocks}}
  grid (M ceildiv 64) threads 128 {
    %b = block_id 0
    %x = load %X[64 * %b + i0, i1] where (64 * %b + i0 < M) else 0.0 : !rows
    store %x to %Y[63 * %b + i0, i1] where (i0 < 63, 63 * %b + i0 < M)
  }
  return %Y
}

// -----

// All blocks write the same.
!row = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @same_row<N>(%X: memref<[N, 64], f32>) -> memref<[64], f32> {
  %Y = output : memref<[64], f32>
  grid (N) threads 64 {
    %b = block_id 0
    %x = load %X[%b, i0] : !row
    // expected-error@+2 {{E1815 'kernel.store': writes to %Y, where another block writes as well}}
    // expected-note@+1 {{the other one writes here}}
    store %x to %Y[i0]
  }
  return %Y
}

// -----

// All blocks write the same numbers.
!row = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @same_numbers<N>(%X: memref<[64], f32>) -> memref<[64], f32> {
  %Y = output : memref<[64], f32>
  // expected-remark@+1 {{1 of 1 global stores disjoint between blocks}}
  grid (N) threads 64 {
    %x = load %X[i0] : !row
    %y = binary add %x, %x : !row
    store %y to %Y[i0]
  }
  return %Y
}

// -----

// In one step, whichever comes last: the sum of all.
!row = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @sum_of_rows<N>(%X: memref<[N, 64], f32>) -> memref<[64], f32> {
  %Y = output : memref<[64], f32>
  // expected-remark@+1 {{1 of 1 global stores disjoint between blocks}}
  grid (N) threads 64 {
    %b = block_id 0
    %x = load %X[%b, i0] : !row
    store combine sum %x to %Y[i0]
  }
  return %Y
}

// -----

// One block writes for all.
!row = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @first_block<N>(%X: memref<[N, 64], f32>) -> memref<[64], f32> {
  %Y = output : memref<[64], f32>
  // expected-remark@+1 {{1 of 1 global stores disjoint between blocks}}
  grid (N) threads 64 {
    %b = block_id 0
    if (%b == 0) {
      %x = load %X[%b, i0] : !row
      store %x to %Y[i0]
    }
  }
  return %Y
}

// -----

// Two stores, the second of them a row too far.
!row = frag<[64], f32, blocked [1] lanes [32] warps [2]>

kernel.func @next_row<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  grid (N) threads 64 {
    %b = block_id 0
    %x = load %X[%b, i0] : !row
    // expected-note@+1 {{the other one writes here}}
    store %x to %Y[%b, i0]
    // expected-error@+1 {{E1815 'kernel.store': writes to %Y, where another block writes as well}}
    store %x to %Y[%b + 1, i0] where (%b + 1 < N)
  }
  return %Y
}

// -----

// Where a block stores is data.
!row = frag<[64], f32, blocked [1] lanes [32] warps [2]>
!at = frag<[64], i32, blocked [1] lanes [32] warps [2]>

kernel.func @scatter<N>(%X: memref<[N, 64], f32>, %P: memref<[N, 64], i32>) -> memref<[N], f32> {
  %Y = output : memref<[N], f32>
  // expected-remark@+1 {{0 of 1 global stores disjoint between blocks}}
  grid (N) threads 64 {
    %b = block_id 0
    %x = load %X[%b, i0] : !row
    %p = load %P[%b, i0] : !at
    store %x to %Y[%p]
  }
  return %Y
}

// -----

// Tiles of a persistent grid, by 'tile_order' and by quotients: shown, though no position is affine.
!tile = frag<[64, 64], f32, blocked [8, 4] lanes [2, 16] warps [4, 1]>

kernel.func @tiles<B, M, N>(%X: memref<[B, M, N], f32>) -> memref<[B, M, N], f32> {
  %Y = output : memref<[B, M, N], f32>
  %most = index (132)
  %tiles = index (B * (M ceildiv 64) * (N ceildiv 64))
  %blocks = min %most, %tiles
  // expected-remark@+1 {{1 of 1 global stores disjoint between blocks}}
  grid (%blocks) threads 128 {
    %block = block_id 0
    for %t = %block to %tiles step %blocks {
      %z = index (%t floordiv ((M ceildiv 64) * (N ceildiv 64)))
      %u = index (%t mod ((M ceildiv 64) * (N ceildiv 64)))
      %m, %n = tile_order %u of (M ceildiv 64, N ceildiv 64) grouped 8
      %x = load %X[%z, 64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N) else 0.0 : !tile
      store %x to %Y[%z, 64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
    }
  }
  return %Y
}

// -----

// The same with a step that is one too small: the last block begins where the first one goes on. Positions are not affine, and
// of few launches the first rounds of the first blocks are apart: it is not found.
!tile = frag<[64, 64], f32, blocked [8, 4] lanes [2, 16] warps [4, 1]>

kernel.func @tiles_twice<M, N>(%X: memref<[M, N], f32>) -> memref<[M, N], f32> {
  %Y = output : memref<[M, N], f32>
  %most = index (132)
  %tiles = index ((M ceildiv 64) * (N ceildiv 64))
  %blocks = min %most, %tiles
  // expected-remark@+1 {{0 of 1 global stores disjoint between blocks}}
  grid (%blocks + 1) threads 128 {
    %block = block_id 0
    for %t = %block to %tiles step %blocks {
      %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 64) rows
      %x = load %X[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N) else 0.0 : !tile
      store %x to %Y[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
    }
  }
  return %Y
}

// -----

// Two groups of a role write the same rows.
!rows = frag<[64, 32], f32, blocked [2, 8] lanes [8, 4] warps [4, 1]>

kernel.func @groups<M>(%X: memref<[M, 32], f32>) -> memref<[M, 32], f32> {
  %Y = output : memref<[M, 32], f32>
  grid (M ceildiv 128) threads 256 {
    %b = block_id 0
    role rows warps 0 to 8 groups 2 (%g: index) {
      %x = load %X[128 * %b + 64 * %g + i0, i1] where (128 * %b + 64 * %g + i0 < M) else 0.0 : !rows
      // expected-error@+2 {{E1815 'kernel.store': writes to %Y, where another group writes as well}}
      // expected-note@+1 {{the other one writes here}}
      store %x to %Y[128 * %b + 32 * %g + i0, i1] where (128 * %b + 32 * %g + i0 < M)
    }
  }
  return %Y
}

// -----

// Rows of 64 at every 63rd, where the rows are those of 'tile_order': two blocks of a launch meet.
!tile = frag<[64, 64], f32, blocked [8, 4] lanes [2, 16] warps [4, 1]>

kernel.func @ordered_tiles_overlap<M, N>(%X: memref<[M, N], f32>) -> memref<[M, N], f32> {
  %Y = output : memref<[M, N], f32>
  grid ((M ceildiv 64) * (N ceildiv 64)) threads 128 {
    %t = block_id 0
    %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 64) grouped 8
    %x = load %X[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N) else 0.0 : !tile
    // expected-error@+2 {{E1815 'kernel.store': writes to %Y, where another block writes as well}}
    // expected-note@+1 {{the other one writes here}}
    store %x to %Y[63 * %m + i0, 64 * %n + i1] where (63 * %m + i0 < M, 64 * %n + i1 < N)
  }
  return %Y
}

// -----

// The same where the launch requires a remainder of a size that nothing is divided by.
!tile = frag<[64, 64], f32, blocked [8, 4] lanes [2, 16] warps [4, 1]>

kernel.func @required_remainder<M, N, K>(%X: memref<[M, N], f32>) -> memref<[M, N], f32> {
  require (K mod 8 == 0)
  %Y = output : memref<[M, N], f32>
  grid ((M ceildiv 64) * (N ceildiv 64)) threads 128 {
    %t = block_id 0
    %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 64) grouped 8
    %x = load %X[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N) else 0.0 : !tile
    // expected-error@+2 {{E1815 'kernel.store': writes to %Y, where another block writes as well}}
    // expected-note@+1 {{the other one writes here}}
    store %x to %Y[63 * %m + i0, 64 * %n + i1] where (63 * %m + i0 < M, 64 * %n + i1 < N)
  }
  return %Y
}

// -----

// The same by remainders and quotients, in the columns.
!tile = frag<[64, 64], f32, blocked [8, 4] lanes [2, 16] warps [4, 1]>

kernel.func @columns_overlap<M, N>(%X: memref<[M, N], f32>) -> memref<[M, N], f32> {
  %Y = output : memref<[M, N], f32>
  grid ((M ceildiv 64) * (N ceildiv 64)) threads 128 {
    %t = block_id 0
    %m = index (%t floordiv (N ceildiv 64))
    %n = index (%t mod (N ceildiv 64))
    %x = load %X[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N) else 0.0 : !tile
    // expected-error@+2 {{E1815 'kernel.store': writes to %Y, where another block writes as well}}
    // expected-note@+1 {{the other one writes here}}
    store %x to %Y[64 * %m + i0, 60 * %n + i1] where (64 * %m + i0 < M, 60 * %n + i1 < N)
  }
  return %Y
}

// -----

// They would meet in elements that are not stored only: not shown, and no error.
!tile = frag<[64, 64], f32, blocked [8, 4] lanes [2, 16] warps [4, 1]>

kernel.func @columns_cut<M, N>(%X: memref<[M, N], f32>) -> memref<[M, N], f32> {
  %Y = output : memref<[M, N], f32>
  // expected-remark@+1 {{0 of 1 global stores disjoint between blocks}}
  grid ((M ceildiv 64) * (N ceildiv 64)) threads 128 {
    %t = block_id 0
    %m = index (%t floordiv (N ceildiv 64))
    %n = index (%t mod (N ceildiv 64))
    %x = load %X[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N) else 0.0 : !tile
    store %x to %Y[64 * %m + i0, 60 * %n + i1] where (64 * %m + i0 < M, 60 * %n + i1 < N, i1 < 60)
  }
  return %Y
}

// -----

// Two groups of a role, in rows that are a remainder by a number of tiles: the remainder is the same for both.
!rows = frag<[64, 64], f32, blocked [8, 4] lanes [2, 16] warps [4, 1]>

kernel.func @groups_of_a_tile<M, N>(%X: memref<[M, N], f32>) -> memref<[M, N], f32> {
  %Y = output : memref<[M, N], f32>
  %most = index (132)
  %tiles = index ((M ceildiv 128) * (N ceildiv 64))
  %blocks = min %most, %tiles
  grid (%blocks) threads 256 {
    %b = block_id 0
    role rows warps 0 to 8 groups 2 (%g: index) {
      for %t = %b to %tiles step %blocks {
        %m = index (%t mod (M ceildiv 128))
        %n = index (%t floordiv (M ceildiv 128))
        %x = load %X[128 * %m + 64 * %g + i0, 64 * %n + i1] where (128 * %m + 64 * %g + i0 < M, 64 * %n + i1 < N) else 0.0 : !rows
        // expected-error@+2 {{E1815 'kernel.store': writes to %Y, where another group writes as well}}
        // expected-note@+1 {{the other one writes here}}
        store %x to %Y[128 * %m + 32 * %g + i0, 64 * %n + i1] where (128 * %m + 32 * %g + i0 < M, 64 * %n + i1 < N)
      }
    }
  }
  return %Y
}

// -----

// The same, right.
!rows = frag<[64, 64], f32, blocked [8, 4] lanes [2, 16] warps [4, 1]>

kernel.func @groups_apart<M, N>(%X: memref<[M, N], f32>) -> memref<[M, N], f32> {
  %Y = output : memref<[M, N], f32>
  %most = index (132)
  %tiles = index ((M ceildiv 128) * (N ceildiv 64))
  %blocks = min %most, %tiles
  // expected-remark@+1 {{1 of 1 global stores disjoint between blocks}}
  grid (%blocks) threads 256 {
    %b = block_id 0
    role rows warps 0 to 8 groups 2 (%g: index) {
      for %t = %b to %tiles step %blocks {
        %m = index (%t mod (M ceildiv 128))
        %n = index (%t floordiv (M ceildiv 128))
        %x = load %X[128 * %m + 64 * %g + i0, 64 * %n + i1] where (128 * %m + 64 * %g + i0 < M, 64 * %n + i1 < N) else 0.0 : !rows
        store %x to %Y[128 * %m + 64 * %g + i0, 64 * %n + i1] where (128 * %m + 64 * %g + i0 < M, 64 * %n + i1 < N)
      }
    }
  }
  return %Y
}
