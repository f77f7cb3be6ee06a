// No more blocks than go through the tiles in as many rounds, where all tiles have as much work.

// RUN: dlc-opt %s --order-tiles=persistent=4 --evaluate-each --check-async | FileCheck %s

// Nine tiles take three rounds of four blocks, and of three.
// CHECK-LABEL: kernel.func @nine
// CHECK-NEXT: %y = output
// CHECK-NEXT: grid (3) threads 32
kernel.func @nine(%x: memref<[288], f32>) -> memref<[288], f32> {
  %y = output : memref<[288], f32>
  grid (9) threads 32 {
    %t = block_id 0
    %v = load %x[32*%t + i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %v to %y[32*%t + i0]
  }
  return %y
}

// The same with a size: without tiles there is one round, so that nothing is divided by none.
// CHECK-LABEL: kernel.func @some
// CHECK: %tiles = index (N ceildiv 32)
// CHECK-NEXT: %waves = index (%tiles ceildiv 4)
// CHECK-NEXT: %one = index (1)
// CHECK-NEXT: %rounds = max %waves, %one
// CHECK-NEXT: %few = index (%tiles ceildiv %rounds)
// CHECK-NEXT: %most = index (4)
// CHECK-NEXT: %needed = min %most, %few
// CHECK-NEXT: grid (%needed) threads 32
kernel.func @some<N>(%x: memref<[N], f32>) -> memref<[N], f32> {
  %y = output : memref<[N], f32>
  grid (N ceildiv 32) threads 32 {
    %t = block_id 0
    %v = load %x[32*%t + i0] where (32*%t + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %v to %y[32*%t + i0] where (32*%t + i0 < N)
  }
  return %y
}

// Pairs of blocks: ten tiles of pairs take five rounds of two pairs.
// CHECK-LABEL: kernel.func @pairs
// CHECK: grid (4) cluster [2] threads 32
kernel.func @pairs(%x: memref<[640], f32>) -> memref<[640], f32> {
  %y = output : memref<[640], f32>
  grid (20) cluster [2] threads 32 {
    %b = block_id 0
    %r = block_rank
    %t = index (%b floordiv 2)
    %v = load %x[64*%t + 32*%r + i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %v to %y[64*%t + 32*%r + i0]
  }
  return %y
}

// Later tiles have more work: the more blocks, the sooner they end.
// CHECK-LABEL: kernel.func @growing
// CHECK-NEXT: %y = output
// CHECK-NEXT: grid (4) threads 32
kernel.func @growing(%x: memref<[288], f32>) -> memref<[288], f32> {
  %y = output : memref<[288], f32>
  grid (9) threads 32 {
    %t = block_id 0
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %sum = for %k = 0 to %t + 1 carry (%s = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[32*%k + i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      %n = binary add %s, %v : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %n
    }
    store %sum to %y[32*%t + i0]
  }
  return %y
}
