// The stages are those of the plan; an option by hand counts more.

// RUN: dlc-opt %s --insert-async-tokens=target=sm80 -o %t.mlir
// RUN: dlc-opt %t.mlir --pipeline-stages=planned --evaluate-each --check-async | FileCheck %s
// RUN: dlc-opt %t.mlir --pipeline-stages=stages=2 | FileCheck %s --check-prefix=HAND
// RUN: dlc-opt %t.mlir --pipeline-stages | FileCheck %s --check-prefix=ALL

// CHECK-LABEL: kernel.func @four
// CHECK: tile<4 x [32, 32]
// HAND-LABEL: kernel.func @four
// HAND: tile<2 x [32, 32]
kernel.func @four<M>(%X: memref<[M, 64], f16, row_major, align 16>) -> memref<[M, 32], f32> {
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
plan.schedule of @four for sm80 {
  stages 4
}

// CHECK-LABEL: kernel.func @none
// CHECK: tile<[32, 32]
// ALL-LABEL: kernel.func @none
// ALL: tile<3 x [32, 32]
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
