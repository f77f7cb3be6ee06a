// Copies that stay: of what changes from step to step, to a tile that something else writes or reads, of memory that the
// kernel writes, and where threads do not meet before the next copy.

// RUN: dlc-opt %s --hoist-copies | FileCheck %s

// CHECK-LABEL: @changes
// CHECK: for %k
// CHECK-NEXT: copy %x
kernel.func @changes(%x: memref<[8, 32], f32>) -> memref<[32], f32> {
  %z = output : memref<[32], f32>
  grid (1) threads 32 {
    %tile = shared : tile<[1, 32], f32, row_major>
    %zero = const 0.0 : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    %sum = for %k = 0 to 8 carry (%acc = %zero) : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]> {
      copy %x[%k + i0, i1] to %tile by blocked [1, 1] lanes [1, 32] warps [1, 1]
      barrier
      %v = load_shared %tile : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      %s = binary add %acc, %v : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      barrier
      yield %s
    }
    %row = reduce sum %sum along 0
    store %row to %z[i0]
  }
  return %z
}

// CHECK-LABEL: @written
// CHECK: for %k
// CHECK-NEXT: copy %x
kernel.func @written(%x: memref<[1, 32], f32>) -> memref<[32], f32> {
  %z = output : memref<[32], f32>
  grid (1) threads 32 {
    %tile = shared : tile<[1, 32], f32, row_major>
    %zero = const 0.0 : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    %sum = for %k = 0 to 8 carry (%acc = %zero) : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]> {
      copy %x[i0, i1] to %tile by blocked [1, 1] lanes [1, 32] warps [1, 1]
      barrier
      %v = load_shared %tile : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      %s = binary add %acc, %v : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      barrier
      store_shared %s to %tile
      barrier
      yield %s
    }
    %row = reduce sum %sum along 0
    store %row to %z[i0]
  }
  return %z
}

// CHECK-LABEL: @behind
// CHECK: for %k
// CHECK-NEXT: copy %x
kernel.func @behind(%x: memref<[1, 32], f32>) -> memref<[32], f32> {
  %z = output : memref<[32], f32>
  grid (1) threads 32 {
    %tile = shared : tile<[1, 32], f32, row_major>
    for %k = 0 to 8 {
      copy %x[i0, i1] to %tile by blocked [1, 1] lanes [1, 32] warps [1, 1]
      barrier
    }
    %v = load_shared %tile : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    %row = reduce sum %v along 0
    store %row to %z[i0]
  }
  return %z
}

// CHECK-LABEL: @never_meets
// CHECK: for %k
// CHECK-NEXT: copy %x
kernel.func @never_meets(%x: memref<[1, 32], f32>) -> memref<[32], f32> {
  %z = output : memref<[32], f32>
  grid (1) threads 32 {
    %tile = shared : tile<[1, 32], f32, row_major>
    %zero = const 0.0 : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    %sum = for %k = 0 to 8 carry (%acc = %zero) : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]> {
      copy %x[i0, i1] to %tile by blocked [1, 1] lanes [1, 32] warps [1, 1]
      barrier
      %v = load_shared %tile : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      %s = binary add %acc, %v : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      yield %s
    }
    %row = reduce sum %sum along 0
    store %row to %z[i0]
  }
  return %z
}

// CHECK-LABEL: @own
// CHECK: for %k
// CHECK-NEXT: copy %w
kernel.func @own(%x: memref<[1, 32], f32>) -> memref<[32], f32> {
  %z = output : memref<[32], f32>
  %w = scratch : memref<[1, 32], f32>
  grid (1) threads 32 {
    %tile = shared : tile<[1, 32], f32, row_major>
    %zero = const 0.0 : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    %sum = for %k = 0 to 8 carry (%acc = %zero) : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]> {
      copy %w[i0, i1] to %tile by blocked [1, 1] lanes [1, 32] warps [1, 1]
      barrier
      %v = load_shared %tile : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      %s = binary add %acc, %v : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      barrier
      yield %s
    }
    %row = reduce sum %sum along 0
    store %row to %z[i0]
  }
  return %z
}
