// Loops that stay two: the second, or what stands between, needs a result of the first, they go through other steps, they store, they use one tile.

// RUN: dlc-opt %s -o %t.mlir
// RUN: dlc-opt %t.mlir --fuse-loops | cmp %t.mlir -

kernel.func @needs(%x: memref<[8, 32], f32>) -> memref<[32], f32> {
  %z = output : memref<[32], f32>
  grid (1) threads 32 {
    %one = shared : tile<[1, 32], f32, row_major>
    %two = shared : tile<[1, 32], f32, row_major>
    %zero = const 0.0 : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    %a = for %k = 0 to 8 carry (%acc = %zero) : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]> {
      copy %x[%k + i0, i1] to %one by blocked [1, 1] lanes [1, 32] warps [1, 1]
      barrier
      %v = load_shared %one : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      %s = binary add %acc, %v : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      barrier
      yield %s
    }
    %b = for %k = 0 to 8 carry (%acc = %a) : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]> {
      copy %x[%k + i0, i1] to %two by blocked [1, 1] lanes [1, 32] warps [1, 1]
      barrier
      %v = load_shared %two : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      %s = binary max %acc, %v : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      barrier
      yield %s
    }
    %row = reduce sum %b along 0
    store %row to %z[i0]
  }
  return %z
}

kernel.func @between(%x: memref<[8, 32], f32>) -> memref<[32], f32> {
  %z = output : memref<[32], f32>
  grid (1) threads 32 {
    %one = shared : tile<[1, 32], f32, row_major>
    %two = shared : tile<[1, 32], f32, row_major>
    %zero = const 0.0 : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    %a = for %k = 0 to 8 carry (%acc = %zero) : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]> {
      copy %x[%k + i0, i1] to %one by blocked [1, 1] lanes [1, 32] warps [1, 1]
      barrier
      %v = load_shared %one : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      %s = binary add %acc, %v : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      barrier
      yield %s
    }
    %half = unary neg %a : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    %b = for %k = 0 to 8 carry (%acc = %zero) : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]> {
      copy %x[%k + i0, i1] to %two by blocked [1, 1] lanes [1, 32] warps [1, 1]
      barrier
      %v = load_shared %two : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      %s = binary max %acc, %v : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      barrier
      yield %s
    }
    %both = binary add %half, %b : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    %row = reduce sum %both along 0
    store %row to %z[i0]
  }
  return %z
}

kernel.func @other_steps(%x: memref<[8, 32], f32>) -> memref<[32], f32> {
  %z = output : memref<[32], f32>
  grid (1) threads 32 {
    %one = shared : tile<[1, 32], f32, row_major>
    %two = shared : tile<[1, 32], f32, row_major>
    %zero = const 0.0 : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    %a = for %k = 0 to 8 carry (%acc = %zero) : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]> {
      copy %x[%k + i0, i1] to %one by blocked [1, 1] lanes [1, 32] warps [1, 1]
      barrier
      %v = load_shared %one : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      %s = binary add %acc, %v : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      barrier
      yield %s
    }
    %b = for %k = 0 to 7 carry (%acc = %zero) : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]> {
      copy %x[%k + i0, i1] to %two by blocked [1, 1] lanes [1, 32] warps [1, 1]
      barrier
      %v = load_shared %two : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      %s = binary max %acc, %v : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      barrier
      yield %s
    }
    %both = binary add %a, %b : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    %row = reduce sum %both along 0
    store %row to %z[i0]
  }
  return %z
}

kernel.func @stores(%x: memref<[8, 32], f32>) -> memref<[8, 32], f32> {
  %z = output : memref<[8, 32], f32>
  grid (1) threads 32 {
    %one = shared : tile<[1, 32], f32, row_major>
    %two = shared : tile<[1, 32], f32, row_major>
    for %k = 0 to 8 {
      copy %x[%k + i0, i1] to %one by blocked [1, 1] lanes [1, 32] warps [1, 1]
      barrier
      %v = load_shared %one : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      store %v to %z[%k + i0, i1]
      barrier
    }
    for %k = 0 to 8 {
      copy %x[%k + i0, i1] to %two by blocked [1, 1] lanes [1, 32] warps [1, 1]
      barrier
      %v = load_shared %two : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      %w = unary neg %v : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      store %w to %z[%k + i0, i1]
      barrier
    }
  }
  return %z
}

kernel.func @one_tile(%x: memref<[8, 32], f32>, %y: memref<[8, 32], f32>) -> memref<[32], f32> {
  %z = output : memref<[32], f32>
  grid (1) threads 32 {
    %one = shared : tile<[1, 32], f32, row_major>
    %zero = const 0.0 : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    %a = for %k = 0 to 8 carry (%acc = %zero) : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]> {
      copy %x[%k + i0, i1] to %one by blocked [1, 1] lanes [1, 32] warps [1, 1]
      barrier
      %v = load_shared %one : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      %s = binary add %acc, %v : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      barrier
      yield %s
    }
    %b = for %k = 0 to 8 carry (%acc = %zero) : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]> {
      copy %y[%k + i0, i1] to %one by blocked [1, 1] lanes [1, 32] warps [1, 1]
      barrier
      %v = load_shared %one : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      %s = binary max %acc, %v : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
      barrier
      yield %s
    }
    %both = binary add %a, %b : frag<[1, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    %row = reduce sum %both along 0
    store %row to %z[i0]
  }
  return %z
}
