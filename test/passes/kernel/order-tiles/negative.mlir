// RUN: dlc-opt %s --order-tiles='persistent=4' | FileCheck %s
// RUN: dlc-opt %s --order-tiles='persistent=4' --remarks=missed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Of a single column there is one order; and four tiles are no more than four blocks.
// REMARK: 'persistent': no more than 4 blocks have a tile each
// CHECK-LABEL: kernel.func @column(
// CHECK: grid (4) threads 32 {
// CHECK: tile_order %tile of (4, 1) rows
kernel.func @column(%x: memref<[16], f32>) -> memref<[16], f32> {
  %y = output : memref<[16], f32>
  grid (4) threads 32 {
    %tile = block_id 0
    %m, %n = tile_order %tile of (4, 1) rows
    %v = load %x[4*%m + %n + i0] : frag<[4], f32, blocked [1] lanes [32] warps [1]>
    store %v to %y[4*%m + %n + i0]
  }
  return %y
}

// REMARK: a block for each tile: its warps have roles, each with its own loop over tiles
// CHECK-LABEL: kernel.func @roles(
// CHECK: grid (8) threads 64 {
kernel.func @roles() {
  grid (8) threads 64 {
    role one warps 0 to 1 {
      barrier
    }
    role other warps 1 to 2 {
      barrier
    }
  }
  return
}

// REMARK: a block for each tile: the blocks of a cluster have tiles that are no neighbours
// CHECK-LABEL: kernel.func @cluster(
// CHECK: grid (8) cluster [2] threads 32 {
kernel.func @cluster() {
  grid (8) cluster [2] threads 32 {
    %b = block_id 0
    %t = index (%b floordiv 3)
    cluster_barrier
  }
  return
}

// REMARK: a block for each tile: it asks how many blocks there are
// CHECK-LABEL: kernel.func @counts(
// CHECK: grid (8) threads 32 {
kernel.func @counts() {
  grid (8) threads 32 {
    %n = grid_size 0
  }
  return
}

// REMARK: a block for each tile: the phases of its barriers would go on from tile to tile
// CHECK-LABEL: kernel.func @phases(
// CHECK: grid (8) threads 32 {
kernel.func @phases() {
  grid (8) threads 32 {
    %b = mbarriers arrivals 1 : mbarrier<1>
  }
  return
}

// REMARK: a block for each tile: work may still go on at the end of a tile
// CHECK-LABEL: kernel.func @open(
// CHECK: grid (8) threads 32 {
kernel.func @open(%x: memref<[128], f32>) {
  grid (8) threads 32 {
    %s = shared : tile<[128], f32, row_major>
    %t = copy_async %x[i0] to %s by blocked [4] lanes [32] warps [1] : token<load>
  }
  return
}
