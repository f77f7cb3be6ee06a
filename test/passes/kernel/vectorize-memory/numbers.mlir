// A size that is required to be a number is a multiple of what that is.

// RUN: dlc-opt %s --vectorize-memory --evaluate-each | FileCheck %s

// CHECK-LABEL: kernel.func @rows
// CHECK: store {{.*}} vector 8
// CHECK-LABEL: kernel.func @odd
// CHECK-NOT: vector
kernel.func @rows<M, K>(%x: memref<[M], f16>) -> memref<[M, K], f16, row_major, align 16> {
  require (K == 56)
  %y = output : memref<[M, K], f16, row_major, align 16>
  grid (M) threads 32 {
    %m = block_id 0
    %v = const 0.0 : frag<[256], f16, blocked [8] lanes [32] warps [1]>
    store %v to %y[%m, i0] where (i0 < K)
  }
  return %y
}
kernel.func @odd<M, K>(%x: memref<[M], f16>) -> memref<[M, K], f16, row_major, align 16> {
  require (K == 57)
  %y = output : memref<[M, K], f16, row_major, align 16>
  grid (M) threads 32 {
    %m = block_id 0
    %v = const 0.0 : frag<[256], f16, blocked [8] lanes [32] warps [1]>
    store %v to %y[%m, i0] where (i0 < K)
  }
  return %y
}
