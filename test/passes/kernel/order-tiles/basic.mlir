// RUN: dlc-opt %s --order-tiles | FileCheck %s --check-prefix=GROUPED
// RUN: dlc-opt %s --order-tiles='group=4' | FileCheck %s --check-prefix=FOUR
// RUN: dlc-opt %s --order-tiles='order=hilbert' | FileCheck %s --check-prefix=HILBERT
// RUN: dlc-opt %s --order-tiles='order=columns' | FileCheck %s --check-prefix=COLUMNS
// RUN: dlc-opt %s --order-tiles='order=columns persistent=3' --evaluate-each -o /dev/null
// RUN: dlc-opt %s --order-tiles='order=rows persistent=3' | FileCheck %s --check-prefix=PERSISTENT
// RUN: dlc-opt %s --order-tiles='persistent=3' --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --order-tiles --evaluate-each -o /dev/null
// RUN: dlc-opt %s --order-tiles='order=hilbert persistent=3' --evaluate-each -o /dev/null
// RUN: dlc-opt %s --order-tiles='group=2 persistent=1' --evaluate-each -o /dev/null
// RUN: dlc-opt %S/../../../programs/matmul_fp16/graph.json --tiny-to-region --tensorize --order-tiles='persistent=2' --evaluate-each -o /dev/null
// RUN: dlc-opt %S/../../../programs/softmax/graph.json --tiny-to-region --tensorize --order-tiles='persistent=2' --evaluate-each -o /dev/null

// REMARK: tiles are taken in the order 'grouped'
// REMARK: at most 3 blocks go through (M ceildiv 4)*(N ceildiv 16) tiles

// The tiles of a matrix. Blocks that are fewer go through them, and what is in shared memory is read before the next tile
// writes there.
// GROUPED-LABEL: kernel.func @tiles<
// GROUPED: tile_order %tile of (M ceildiv 4, N ceildiv 16) grouped 8
// FOUR: tile_order %tile of (M ceildiv 4, N ceildiv 16) grouped 4
// HILBERT: tile_order %tile of (M ceildiv 4, N ceildiv 16) hilbert
// COLUMNS: tile_order %tile of (M ceildiv 4, N ceildiv 16) columns
// PERSISTENT-LABEL: kernel.func @tiles<
// PERSISTENT: %needed = min %most, %few
// PERSISTENT-NEXT: grid (%needed) threads 32 {
// PERSISTENT-NEXT: %s = shared
// PERSISTENT-NEXT: %block = block_id 0
// PERSISTENT-NEXT: %blocks = grid_size 0
// PERSISTENT-NEXT: for %tile = %block to (M ceildiv 4)*(N ceildiv 16) step %blocks {
// PERSISTENT-NEXT: %m, %n = tile_order %tile of (M ceildiv 4, N ceildiv 16) rows
// PERSISTENT: store %w to %y
// PERSISTENT-NEXT: barrier
// PERSISTENT-NEXT: yield
kernel.func @tiles<M, N>(%x: memref<[M, N], f32>) -> memref<[M, N], f32> {
  %y = output : memref<[M, N], f32>
  grid ((M ceildiv 4)*(N ceildiv 16)) threads 32 {
    %tile = block_id 0
    %m, %n = tile_order %tile of (M ceildiv 4, N ceildiv 16) rows
    %s = shared : tile<[4, 16], f32, row_major>
    %v = load %x[4*%m + i0, 16*%n + i1] where (4*%m + i0 < M, 16*%n + i1 < N) : frag<[4, 16], f32, blocked [1, 2] lanes [4, 8] warps [1, 1]>
    store_shared %v to %s
    barrier
    %w = load_shared %s : frag<[4, 16], f32, blocked [2, 1] lanes [2, 16] warps [1, 1]>
    store %w to %y[4*%m + i0, 16*%n + i1] where (4*%m + i0 < M, 16*%n + i1 < N)
  }
  return %y
}

// Three axes are one loop: the place of a block is that of the tile. Without shared memory there is nothing to wait for.
// PERSISTENT-LABEL: kernel.func @axes<
// PERSISTENT: grid (%needed) threads 32 {
// PERSISTENT-NEXT: %block = block_id 0
// PERSISTENT-NEXT: %blocks = grid_size 0
// PERSISTENT-NEXT: for %tile = %block to
// PERSISTENT-DAG: %i = index (%tile mod (M ceildiv 32))
// PERSISTENT-DAG: %j = index ((%tile floordiv (M ceildiv 32)) mod 5)
// PERSISTENT-DAG: %k = index (%tile floordiv (5*(M ceildiv 32)))
// PERSISTENT-NOT: barrier
// PERSISTENT: yield
kernel.func @axes<M>(%x: memref<[2, 5, M], f32>) -> memref<[2, 5, M], f32> {
  %y = output : memref<[2, 5, M], f32>
  grid (M ceildiv 32, 5, 2) threads 32 {
    %i = block_id 0
    %j = block_id 1
    %k = block_id 2
    %v = load %x[%k, %j, 32*%i + i0] where (32*%i + i0 < M) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %v to %y[%k, %j, 32*%i + i0] where (32*%i + i0 < M)
  }
  return %y
}
