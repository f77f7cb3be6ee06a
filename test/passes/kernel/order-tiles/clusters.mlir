// Clusters of blocks go from tile to tile together.

// RUN: dlc-opt %s --order-tiles=persistent=5 --evaluate-each --check-async | snapshot %s
// RUN: dlc-opt %s --order-tiles=persistent=5 --remarks=missed --no-output 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=missed

kernel.func @pairs<M, N>(%x: memref<[M, N], f32>) -> memref<[M, N], f32> {
  %y = output : memref<[M, N], f32>
  grid (2 * (M ceildiv 32) * (N ceildiv 128)) cluster [2] threads 128 {
    %b = block_id 0
    %t = index (%b floordiv 2)
    %r = block_rank
    %m, %n = tile_order %t of (M ceildiv 32, N ceildiv 128) rows
    %v = load %x[32*%m + 16*%r + i0, 128*%n + i1] where (32*%m + 16*%r + i0 < M, 128*%n + i1 < N) : frag<[16, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    store %v to %y[32*%m + 16*%r + i0, 128*%n + i1] where (32*%m + 16*%r + i0 < M, 128*%n + i1 < N)
  }
  return %y
}

// The tile of a block is its own.
// REMARK: missed] 'persistent': a block for each tile: the blocks of a cluster have tiles that are no neighbours
kernel.func @own<M>(%x: memref<[M, 128], f32>) -> memref<[M, 128], f32> {
  %y = output : memref<[M, 128], f32>
  grid (2 * (M ceildiv 32)) cluster [2] threads 128 {
    %b = block_id 0
    %v = load %x[16*%b + i0, i1] where (16*%b + i0 < M) : frag<[16, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    store %v to %y[16*%b + i0, i1] where (16*%b + i0 < M)
  }
  return %y
}

// REMARK: missed] 'persistent': a block for each tile: its blocks are in clusters along several axes
kernel.func @square<M>(%x: memref<[M, 128], f32>) -> memref<[M, 128], f32> {
  %y = output : memref<[M, 128], f32>
  grid (2 * (M ceildiv 16), 2) cluster [2, 2] threads 128 {
    %b = block_id 0
    %c = block_id 1
    %v = load %x[8*%b + i0, 64*%c + i1] where (8*%b + i0 < M) : frag<[8, 64], f32, blocked [1, 4] lanes [2, 16] warps [4, 1]>
    store %v to %y[8*%b + i0, 64*%c + i1] where (8*%b + i0 < M)
  }
  return %y
}

// REMARK: missed] 'persistent': a block for each tile: its clusters have 8 blocks
kernel.func @large<M>(%x: memref<[M, 128], f32>) -> memref<[M, 128], f32> {
  %y = output : memref<[M, 128], f32>
  grid (8 * (M ceildiv 64)) cluster [8] threads 128 {
    %b = block_id 0
    %t = index (%b floordiv 8)
    %r = block_rank
    %v = load %x[64*%t + 8*%r + i0, i1] where (64*%t + 8*%r + i0 < M) : frag<[8, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    store %v to %y[64*%t + 8*%r + i0, i1] where (64*%t + 8*%r + i0 < M)
  }
  return %y
}

// EXPECT:
// module {
//   kernel.func @pairs<M, N>(%x: memref<[M, N], f32, row_major, align 4>) -> memref<[M, N], f32, row_major, align 4> {
//     %y = output : memref<[M, N], f32, row_major, align 4>
//     %tiles = index ((M ceildiv 32)*(N ceildiv 128))
//     %waves = index (%tiles ceildiv 2)
//     %one = index (1)
//     %rounds = max %waves, %one
//     %few = index (2*(%tiles ceildiv %rounds))
//     %most = index (4)
//     %needed = min %most, %few
//     grid (%needed) cluster [2] threads 128 {
//       %block = block_id 0
//       %blocks = grid_size 0
//       %cluster = index (%block floordiv 2)
//       %clusters = index (%blocks floordiv 2)
//       for %tile = %cluster to (M ceildiv 32)*(N ceildiv 128) step %clusters {
//         %r = block_rank
//         %m, %n = tile_order %tile of (M ceildiv 32, N ceildiv 128) grouped 8
//         %v = load %x[32*%m + 16*%r + i0, 128*%n + i1] where (32*%m + 16*%r + i0 < M, 128*%n + i1 < N) : frag<[16, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
//         store %v to %y[32*%m + 16*%r + i0, 128*%n + i1] where (32*%m + 16*%r + i0 < M, 128*%n + i1 < N)
//         yield
//       }
//     }
//     return %y
//   }
//   kernel.func @own<M>(%x: memref<[M, 128], f32, row_major, align 4>) -> memref<[M, 128], f32, row_major, align 4> {
//     %y = output : memref<[M, 128], f32, row_major, align 4>
//     grid (2*(M ceildiv 32)) cluster [2] threads 128 {
//       %b = block_id 0
//       %v = load %x[16*%b + i0, i1] where (16*%b + i0 < M) : frag<[16, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
//       store %v to %y[16*%b + i0, i1] where (16*%b + i0 < M)
//     }
//     return %y
//   }
//   kernel.func @square<M>(%x: memref<[M, 128], f32, row_major, align 4>) -> memref<[M, 128], f32, row_major, align 4> {
//     %y = output : memref<[M, 128], f32, row_major, align 4>
//     grid (2*(M ceildiv 16), 2) cluster [2, 2] threads 128 {
//       %b = block_id 0
//       %c = block_id 1
//       %v = load %x[8*%b + i0, 64*%c + i1] where (8*%b + i0 < M) : frag<[8, 64], f32, blocked [1, 4] lanes [2, 16] warps [4, 1]>
//       store %v to %y[8*%b + i0, 64*%c + i1] where (8*%b + i0 < M)
//     }
//     return %y
//   }
//   kernel.func @large<M>(%x: memref<[M, 128], f32, row_major, align 4>) -> memref<[M, 128], f32, row_major, align 4> {
//     %y = output : memref<[M, 128], f32, row_major, align 4>
//     grid (8*(M ceildiv 64)) cluster [8] threads 128 {
//       %b = block_id 0
//       %t = index (%b floordiv 8)
//       %r = block_rank
//       %v = load %x[64*%t + 8*%r + i0, i1] where (64*%t + 8*%r + i0 < M) : frag<[8, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
//       store %v to %y[64*%t + 8*%r + i0, i1] where (64*%t + 8*%r + i0 < M)
//     }
//     return %y
//   }
// }
