// The plan says what tells that a tile has arrived; an option by hand counts more.

// RUN: dlc-opt %s --insert-async-tokens=planned --evaluate-each --check-async | FileCheck %s
// RUN: dlc-opt %s --insert-async-tokens=target=sm80 | FileCheck %s --check-prefix=HAND
// RUN: dlc-opt %s --insert-async-tokens | FileCheck %s --check-prefix=ALL

// HAND-COUNT-7: copy_async

// CHECK-LABEL: kernel.func @engine
// CHECK: tma_load
kernel.func @engine<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[M, 32], f32> {
  %Y = output : memref<[M, 32], f32>
  grid (M ceildiv 32) threads 128 {
    %tile = shared : tile<[32, 32], f16, swizzle 64>
    %b = block_id 0
    %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    %sum = for %k = 0 to 64 step 32 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
      copy %X[32*%b + i0, %k + i1] where (32*%b + i0 < M) to %tile by blocked [1, 8] lanes [8, 4] warps [4, 1]
      barrier
      %x = load_shared %tile : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %f = cast %x : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %s = binary add %acc, %f : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      barrier
      yield %s
    }
    store %sum to %Y[32*%b + i0, i1] where (32*%b + i0 < M)
  }
  return %Y
}
plan.schedule of @engine for sm90 {
  barrier mbarrier
}

// CHECK-LABEL: kernel.func @threads
// CHECK: copy_async
kernel.func @threads<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[M, 32], f32> {
  %Y = output : memref<[M, 32], f32>
  grid (M ceildiv 32) threads 128 {
    %tile = shared : tile<[32, 32], f16, swizzle 64>
    %b = block_id 0
    %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    %sum = for %k = 0 to 64 step 32 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
      copy %X[32*%b + i0, %k + i1] where (32*%b + i0 < M) to %tile by blocked [1, 8] lanes [8, 4] warps [4, 1]
      barrier
      %x = load_shared %tile : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %f = cast %x : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %s = binary add %acc, %f : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      barrier
      yield %s
    }
    store %sum to %Y[32*%b + i0, i1] where (32*%b + i0 < M)
  }
  return %Y
}
plan.schedule of @threads for sm90 {
  barrier cp_async_group
}

// CHECK-LABEL: kernel.func @block
// CHECK: {{ copy %X}}
kernel.func @block<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[M, 32], f32> {
  %Y = output : memref<[M, 32], f32>
  grid (M ceildiv 32) threads 128 {
    %tile = shared : tile<[32, 32], f16, swizzle 64>
    %b = block_id 0
    %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    %sum = for %k = 0 to 64 step 32 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
      copy %X[32*%b + i0, %k + i1] where (32*%b + i0 < M) to %tile by blocked [1, 8] lanes [8, 4] warps [4, 1]
      barrier
      %x = load_shared %tile : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %f = cast %x : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %s = binary add %acc, %f : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      barrier
      yield %s
    }
    store %sum to %Y[32*%b + i0, i1] where (32*%b + i0 < M)
  }
  return %Y
}
plan.schedule of @block for sm90 {
  barrier block
}

// CHECK-LABEL: kernel.func @off
// CHECK: {{ copy %X}}
// ALL-LABEL: kernel.func @off
// ALL: {{ copy %X}}
kernel.func @off<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[M, 32], f32> {
  %Y = output : memref<[M, 32], f32>
  grid (M ceildiv 32) threads 128 {
    %tile = shared : tile<[32, 32], f16, swizzle 64>
    %b = block_id 0
    %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    %sum = for %k = 0 to 64 step 32 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
      copy %X[32*%b + i0, %k + i1] where (32*%b + i0 < M) to %tile by blocked [1, 8] lanes [8, 4] warps [4, 1]
      barrier
      %x = load_shared %tile : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %f = cast %x : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %s = binary add %acc, %f : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      barrier
      yield %s
    }
    store %sum to %Y[32*%b + i0, i1] where (32*%b + i0 < M)
  }
  return %Y
}
plan.schedule of @off for sm90 {
  barrier mbarrier
  async off
}

// Without a plan nothing is done, unless by hand.
// CHECK-LABEL: kernel.func @none
// CHECK: {{ copy %X}}
// ALL-LABEL: kernel.func @none
// ALL: copy_async
kernel.func @none<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[M, 32], f32> {
  %Y = output : memref<[M, 32], f32>
  grid (M ceildiv 32) threads 128 {
    %tile = shared : tile<[32, 32], f16, swizzle 64>
    %b = block_id 0
    %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    %sum = for %k = 0 to 64 step 32 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
      copy %X[32*%b + i0, %k + i1] where (32*%b + i0 < M) to %tile by blocked [1, 8] lanes [8, 4] warps [4, 1]
      barrier
      %x = load_shared %tile : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %f = cast %x : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %s = binary add %acc, %f : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      barrier
      yield %s
    }
    store %sum to %Y[32*%b + i0, i1] where (32*%b + i0 < M)
  }
  return %Y
}

// Cache hints follow what a plan says of a memref, panel by panel, and nothing of another one.
// CHECK-LABEL: kernel.func @policy
// CHECK-COUNT-2: tma_load %map_W{{.*}} hint evict_first
// CHECK: tma_load %map_X
// CHECK-NOT: hint
// CHECK: return
kernel.func @policy<M>(%W: memref<[64, M], f16, row_major, align 16>, %X: memref<[32, 32], f16, row_major, align 16>) -> (memref<[32, 64], f32>, memref<[32, 32], f32>) {
  require (M mod 8 == 0)
  %Y = output : memref<[32, 64], f32>
  %Z = output : memref<[32, 32], f32>
  grid (1) threads 128 {
    %w = shared : tile<[32, 64], f16, swizzle 64>
    %x = shared : tile<[32, 32], f16, swizzle 64>
    copy %W[i0, i1] where (i1 < M) to %w by blocked [1, 8] lanes [4, 8] warps [4, 1]
    copy %X[i0, i1] to %x by blocked [1, 8] lanes [8, 4] warps [4, 1]
    barrier
    %v = load_shared %w : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %u = load_shared %x : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    %f = cast %v : frag<[32, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %g = cast %u : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    store %f to %Y[i0, i1]
    store %g to %Z[i0, i1]
  }
  return %Y, %Z
}
plan.schedule of @policy for sm90 {
  policy (W: evict_first, X: normal)
  barrier mbarrier
}
