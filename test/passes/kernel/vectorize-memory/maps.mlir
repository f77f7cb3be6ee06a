// TMA steps from row to row by multiples of 16 bytes, so a map says what divides the sizes of its memref: where rows lie
// after each other, their length; where they lie apart, that step alone.

// RUN: dlc-opt %s --vectorize-memory | FileCheck %s

// CHECK-LABEL: kernel.func @dense
// CHECK: load {{.*}} vector 8
kernel.func @dense<M, K>(%a: memref<[M, K], f16, row_major, align 16>, %x: memref<[M, K], f16, row_major, align 16>) -> memref<[M, K], f16, row_major, align 16> {
  require (K mod 4 == 0)
  %map = tensor_map %a : tensormap<[64, 64], f16, swizzle 128>
  %y = output : memref<[M, K], f16, row_major, align 16>
  grid (M, K ceildiv 256) threads 32 {
    %m = block_id 0
    %k = block_id 1
    %v = load %x[%m, 256*%k + i0] where (256*%k + i0 < K) : frag<[256], f16, blocked [8] lanes [32] warps [1]>
    store %v to %y[%m, 256*%k + i0] where (256*%k + i0 < K)
  }
  return %y
}

// Rows of 2*K elements: K is a multiple of 4, and need not be one of 8.
// CHECK-LABEL: kernel.func @apart
// CHECK: load {{.*}} vector 4
kernel.func @apart<M, K>(%a: memref<[M, K], f16, strided [2*K, 1], align 16>, %x: memref<[M, K], f16, row_major, align 16>) -> memref<[M, K], f16, row_major, align 16> {
  require (K mod 4 == 0)
  %map = tensor_map %a : tensormap<[64, 64], f16, swizzle 128>
  %y = output : memref<[M, K], f16, row_major, align 16>
  grid (M, K ceildiv 256) threads 32 {
    %m = block_id 0
    %k = block_id 1
    %v = load %x[%m, 256*%k + i0] where (256*%k + i0 < K) : frag<[256], f16, blocked [8] lanes [32] warps [1]>
    store %v to %y[%m, 256*%k + i0] where (256*%k + i0 < K)
  }
  return %y
}
