// RUN: dlc-opt %s --predicate-tails | FileCheck %s
// RUN: dlc-opt %s --predicate-tails --evaluate-each -o /dev/null
// RUN: dlc-opt %s --predicate-tails --remarks=missed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The last block is not full, of any number of rows and of seven.
// REMARK: none of its bounds is known to hold
// CHECK-LABEL: kernel.func @rows<
// CHECK: load %x[4*%t + i0] where (4*%t + i0 < M)
// CHECK: load %z[4*%u + i0] where (4*%u + i0 < 7)
kernel.func @rows<M>(%x: memref<[M], f32>, %z: memref<[7], f32>) -> (memref<[M], f32>, memref<[7], f32>) {
  %y = output : memref<[M], f32>
  %o = output : memref<[7], f32>
  grid (M ceildiv 4) threads 32 {
    %t = block_id 0
    %v = load %x[4*%t + i0] where (4*%t + i0 < M) : frag<[4], f32, blocked [1] lanes [32] warps [1]>
    store %v to %y[4*%t + i0] where (4*%t + i0 < M)
  }
  grid (2) threads 32 {
    %u = block_id 0
    %v = load %z[4*%u + i0] where (4*%u + i0 < 7) : frag<[4], f32, blocked [1] lanes [32] warps [1]>
    store %v to %o[4*%u + i0] where (4*%u + i0 < 7)
  }
  return %y, %o
}

// No full step; no bound that goes with full steps; a tile of its own; and a first that may be after the last.
// REMARK: no bound in it would go if it were split
// CHECK-LABEL: kernel.func @loops<
// CHECK: for %a = 0 to 20 step 32 {
// CHECK: for %b = 0 to K step 4 {
// CHECK: for %c = 0 to K step 4 {
// CHECK: for %d = M to K step 4 {
// CHECK-NOT: for
kernel.func @loops<M, K>(%x: memref<[20], f32>, %z: memref<[K], f32>) -> (memref<[20], f32>, memref<[K], f32>) {
  %y = output : memref<[20], f32>
  %o = output : memref<[K], f32>
  grid (1) threads 32 {
    for %a = 0 to 20 step 32 {
      %v = load %x[%a + i0] where (%a + i0 < 20) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      store %v to %y[%a + i0] where (%a + i0 < 20)
      yield
    }
    for %b = 0 to K step 4 {
      %v = load %z[%b + i0] where (%b + i0 + 1 < K) : frag<[4], f32, blocked [1] lanes [32] warps [1]>
      yield
    }
    for %c = 0 to K step 4 {
      %s = shared : tile<[4], f32, row_major>
      copy %z[%c + i0] where (%c + i0 < K) to %s by blocked [1] lanes [32] warps [1]
      barrier
      %v = load_shared %s : frag<[4], f32, blocked [1] lanes [32] warps [1]>
      barrier
      store %v to %o[%c + i0] where (%c + i0 < K)
      yield
    }
    for %d = M to K step 4 {
      %v = load %z[%d + i0] where (%d + i0 < K) : frag<[4], f32, blocked [1] lanes [32] warps [1]>
      yield
    }
  }
  return %y, %o
}
