// Where another axis than the last one is contiguous, the map has that one last: columns, and rows at any distance.

// RUN: dlc-opt %s --insert-async-tokens=target=sm90 --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --check-async -o /dev/null
// RUN: dlc-run %s --function=columns --shape=M=40,N=27 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=columns --shape=M=40,N=27 --seed=0 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-run %s --function=apart --shape=M=40,N=27 --seed=0 -o %t.apart.npy
// RUN: dlc-run %t.mlir --function=apart --shape=M=40,N=27 --seed=0 --check=%t.apart.npy --rtol=0 --atol=0

!half = frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>

// CHECK-LABEL: kernel.func @columns
// CHECK: %[[MAP:.+]] = tensor_map %X order [1, 0] : tensormap<[32, 32], f16, swizzle 64>
// CHECK: tma_load %[[MAP]][32*%n, 32*%m] to %s
kernel.func @columns<M, N>(%X: memref<[M, N], f16, col_major, align 16>) -> memref<[N, M], f16, row_major, align 16> attributes {target = "sm90"} {
  require (M mod 8 == 0)
  %Y = output : memref<[N, M], f16, row_major, align 16>
  grid (N ceildiv 32, M ceildiv 32) threads 128 {
    %s = shared : tile<[32, 32], f16, swizzle 64>
    %n = block_id 0
    %m = block_id 1
    copy %X[32*%m + i1, 32*%n + i0] where (32*%n + i0 < N, 32*%m + i1 < M) to %s by blocked [1, 8] lanes [8, 4] warps [4, 1]
    barrier
    %h = load_shared %s : !half
    store %h to %Y[32*%n + i0, 32*%m + i1] where (32*%n + i0 < N, 32*%m + i1 < M)
  }
  return %Y
}

// CHECK-LABEL: kernel.func @apart
// CHECK: tensor_map %X order [1, 0]
kernel.func @apart<M, N>(%X: memref<[M, N], f16, strided [1, M + 8] offset 16, align 16>) -> memref<[N, M], f16, row_major, align 16> attributes {target = "sm90"} {
  require (M mod 8 == 0)
  %Y = output : memref<[N, M], f16, row_major, align 16>
  grid (N ceildiv 32, M ceildiv 32) threads 128 {
    %s = shared : tile<[32, 32], f16, swizzle 64>
    %n = block_id 0
    %m = block_id 1
    copy %X[32*%m + i1, 32*%n + i0] where (32*%n + i0 < N, 32*%m + i1 < M) to %s by blocked [1, 8] lanes [8, 4] warps [4, 1]
    barrier
    %h = load_shared %s : !half
    store %h to %Y[32*%n + i0, 32*%m + i1] where (32*%n + i0 < N, 32*%m + i1 < M)
  }
  return %Y
}
