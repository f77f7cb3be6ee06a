// The order and the number of blocks are those of the plan, or by hand.

// RUN: dlc-opt %s --order-tiles=planned --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --order-tiles=order=hilbert,persistent=0 --evaluate-each | FileCheck %s --check-prefix=HAND
// RUN: dlc-opt %s --order-tiles=planned --remarks=missed --no-output 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=missed

// CHECK-LABEL: kernel.func @grouped
// CHECK: %most = index (3)
// CHECK-NEXT: %needed = min %most, %few
// CHECK-NEXT: grid (%needed) threads 128
// CHECK: for %tile = %block to {{.*}} step %blocks
// CHECK: grouped 4
// HAND-LABEL: kernel.func @grouped
// HAND: grid ((M ceildiv 16)*(N ceildiv 128)) threads
// HAND: hilbert
kernel.func @grouped<M, N>(%x: memref<[M, N], f32>) -> memref<[M, N], f32> {
  %y = output : memref<[M, N], f32>
  grid ((M ceildiv 16) * (N ceildiv 128)) threads 128 {
    %t = block_id 0
    %m, %n = tile_order %t of (M ceildiv 16, N ceildiv 128) rows
    %v = load %x[16*%m + i0, 128*%n + i1] where (16*%m + i0 < M, 128*%n + i1 < N) : frag<[16, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    store %v to %y[16*%m + i0, 128*%n + i1] where (16*%m + i0 < M, 128*%n + i1 < N)
  }
  return %y
}
plan.schedule of @grouped for sm90 {
  tile (m: 16, n: 128)
  persistent 3
  order grouped 4 along m
}

// A block for each SM, of the machine that has fewer of them, and twice that.
// CHECK-LABEL: kernel.func @machines
// CHECK: %most = index (132)
// CHECK-NEXT: %needed = min %most, %few
// CHECK-NEXT: grid (%needed) threads 128
kernel.func @machines<M, N>(%x: memref<[M, N], f32>) -> memref<[M, N], f32> {
  %y = output : memref<[M, N], f32>
  grid ((M ceildiv 16) * (N ceildiv 128)) threads 128 {
    %t = block_id 0
    %m, %n = tile_order %t of (M ceildiv 16, N ceildiv 128) rows
    %v = load %x[16*%m + i0, 128*%n + i1] where (16*%m + i0 < M, 128*%n + i1 < N) : frag<[16, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    store %v to %y[16*%m + i0, 128*%n + i1] where (16*%m + i0 < M, 128*%n + i1 < N)
  }
  return %y
}
plan.target @half like sm90 { sms 66 }
plan.schedule of @machines for sm90 or @half {
  persistent sms
  blocks_per_sm 2
}

// CHECK-LABEL: kernel.func @columns
// CHECK: columns
kernel.func @columns<M, N>(%x: memref<[M, N], f32>) -> memref<[M, N], f32> {
  %y = output : memref<[M, N], f32>
  grid ((M ceildiv 16) * (N ceildiv 128)) threads 128 {
    %t = block_id 0
    %m, %n = tile_order %t of (M ceildiv 16, N ceildiv 128) rows
    %v = load %x[16*%m + i0, 128*%n + i1] where (16*%m + i0 < M, 128*%n + i1 < N) : frag<[16, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    store %v to %y[16*%m + i0, 128*%n + i1] where (16*%m + i0 < M, 128*%n + i1 < N)
  }
  return %y
}
plan.schedule of @columns for sm90 {
  order column
}

// All tiles have the same work, and groups are of rows.
// REMARK: Warning: 'plan.schedule': 'order longest_first': the order of tiles stays: it is not known which tiles have the most work
// REMARK: missed] the order of tiles stays: groups are of rows, and the plan wants them of columns
// CHECK-LABEL: kernel.func @longest
// CHECK: rows
kernel.func @longest<M, N>(%x: memref<[M, N], f32>) -> memref<[M, N], f32> {
  %y = output : memref<[M, N], f32>
  grid ((M ceildiv 16) * (N ceildiv 128)) threads 128 {
    %t = block_id 0
    %m, %n = tile_order %t of (M ceildiv 16, N ceildiv 128) rows
    %v = load %x[16*%m + i0, 128*%n + i1] where (16*%m + i0 < M, 128*%n + i1 < N) : frag<[16, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    store %v to %y[16*%m + i0, 128*%n + i1] where (16*%m + i0 < M, 128*%n + i1 < N)
  }
  return %y
}
plan.schedule of @longest for sm90 {
  order longest_first
}

// CHECK-LABEL: kernel.func @other
// CHECK: rows
kernel.func @other<M, N>(%x: memref<[M, N], f32>) -> memref<[M, N], f32> {
  %y = output : memref<[M, N], f32>
  grid ((M ceildiv 16) * (N ceildiv 128)) threads 128 {
    %t = block_id 0
    %m, %n = tile_order %t of (M ceildiv 16, N ceildiv 128) rows
    %v = load %x[16*%m + i0, 128*%n + i1] where (16*%m + i0 < M, 128*%n + i1 < N) : frag<[16, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    store %v to %y[16*%m + i0, 128*%n + i1] where (16*%m + i0 < M, 128*%n + i1 < N)
  }
  return %y
}
plan.schedule of @other for sm90 {
  tile (m: 16, n: 128)
  order grouped 4 along n
}

// Without a plan nothing is done, unless by hand.
// CHECK-LABEL: kernel.func @none
// CHECK: grid ((M ceildiv 16)*(N ceildiv 128)) threads
// CHECK: rows
kernel.func @none<M, N>(%x: memref<[M, N], f32>) -> memref<[M, N], f32> {
  %y = output : memref<[M, N], f32>
  grid ((M ceildiv 16) * (N ceildiv 128)) threads 128 {
    %t = block_id 0
    %m, %n = tile_order %t of (M ceildiv 16, N ceildiv 128) rows
    %v = load %x[16*%m + i0, 128*%n + i1] where (16*%m + i0 < M, 128*%n + i1 < N) : frag<[16, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
    store %v to %y[16*%m + i0, 128*%n + i1] where (16*%m + i0 < M, 128*%n + i1 < N)
  }
  return %y
}
