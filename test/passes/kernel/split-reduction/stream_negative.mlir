// RUN: dlc-opt %s --split-reduction --remarks=missed -o %t.same 2>&1 | FileCheck %s
// RUN: dlc-opt %s | diff - %t.same

// A remark says of each of these why no steps of its tiles are shared, and nothing changes.

plan.schedule for sm90 {
  persistent 4
  stream_k at_least 2
}

// CHECK: blocks share no steps of the last tiles: 8 tiles are whole waves of 4 blocks
kernel.func @whole<N>(%x: memref<[256, N], f32>) -> memref<[256], f32> {
  %y = output : memref<[256], f32>
  grid (8) threads 32 {
    %b = block_id 0
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 1 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[32*%b + i0, %k] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[32*%b + i0]
  }
  return %y
}

// CHECK: blocks share no steps of the last tiles: tiles have different numbers of steps
kernel.func @triangle<M>(%x: memref<[M, M], f32>) -> memref<[M], f32> {
  %y = output : memref<[M], f32>
  grid (M ceildiv 32) threads 32 {
    %b = block_id 0
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to 32*%b step 1 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[32*%b + i0, %k] where (32*%b + i0 < M) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[32*%b + i0] where (32*%b + i0 < M)
  }
  return %y
}

// CHECK: blocks share no steps of the last tiles: the loop has 1 steps
kernel.func @short<M>(%x: memref<[M, 1], f32>) -> memref<[M], f32> {
  %y = output : memref<[M], f32>
  grid (M ceildiv 32) threads 32 {
    %b = block_id 0
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to 1 step 1 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[32*%b + i0, %k] where (32*%b + i0 < M) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[32*%b + i0] where (32*%b + i0 < M)
  }
  return %y
}

// CHECK: blocks share no steps of the last tiles: '%acc' begins with a number that changes what is combined with it
kernel.func @maximum<M, N>(%x: memref<[M, N], f32>) -> memref<[M], f32> {
  %y = output : memref<[M], f32>
  grid (M ceildiv 32) threads 32 {
    %b = block_id 0
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 1 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[32*%b + i0, %k] where (32*%b + i0 < M) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary max %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[32*%b + i0] where (32*%b + i0 < M)
  }
  return %y
}

// CHECK: blocks share no steps of the last tiles: an integer goes beyond 64 bits
kernel.func @large<N>(%x: memref<[32, N], f32>) -> memref<[32], f32> {
  %y = output : memref<[32], f32>
  grid (4611686018427387903, 4611686018427387903) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to N step 1 carry (%acc = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[i0, %k] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}
