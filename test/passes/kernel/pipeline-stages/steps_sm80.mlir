// The same numbers for any number of steps: none, one, fewer and more than a ring has, with a tail.
// RUN: dlc-opt %s --insert-async-tokens --pipeline-stages=stages=2 --check-async -o %t.2.mlir
// RUN: dlc-opt %s --insert-async-tokens --pipeline-stages=stages=3 --check-async -o %t.3.mlir
// RUN: dlc-opt %s --insert-async-tokens --pipeline-stages=stages=5 --check-async -o %t.5.mlir
// RUN: dlc-run %s --shape=M=70,N=24,K=0 --seed=0 -o %t.npy
// RUN: dlc-run %t.2.mlir --shape=M=70,N=24,K=0 --seed=0 --check=%t.npy
// RUN: dlc-run %t.3.mlir --shape=M=70,N=24,K=0 --seed=0 --check=%t.npy
// RUN: dlc-run %t.5.mlir --shape=M=70,N=24,K=0 --seed=0 --check=%t.npy
// RUN: dlc-run %s --shape=M=70,N=24,K=8 --seed=1 -o %t.npy
// RUN: dlc-run %t.2.mlir --shape=M=70,N=24,K=8 --seed=1 --check=%t.npy
// RUN: dlc-run %t.3.mlir --shape=M=70,N=24,K=8 --seed=1 --check=%t.npy
// RUN: dlc-run %t.5.mlir --shape=M=70,N=24,K=8 --seed=1 --check=%t.npy
// RUN: dlc-run %s --shape=M=70,N=24,K=16 --seed=2 -o %t.npy
// RUN: dlc-run %t.2.mlir --shape=M=70,N=24,K=16 --seed=2 --check=%t.npy
// RUN: dlc-run %t.3.mlir --shape=M=70,N=24,K=16 --seed=2 --check=%t.npy
// RUN: dlc-run %t.5.mlir --shape=M=70,N=24,K=16 --seed=2 --check=%t.npy
// RUN: dlc-run %s --shape=M=70,N=24,K=40 --seed=3 -o %t.npy
// RUN: dlc-run %t.2.mlir --shape=M=70,N=24,K=40 --seed=3 --check=%t.npy
// RUN: dlc-run %t.3.mlir --shape=M=70,N=24,K=40 --seed=3 --check=%t.npy
// RUN: dlc-run %t.5.mlir --shape=M=70,N=24,K=40 --seed=3 --check=%t.npy
// RUN: dlc-run %s --shape=M=70,N=24,K=88 --seed=4 -o %t.npy
// RUN: dlc-run %t.2.mlir --shape=M=70,N=24,K=88 --seed=4 --check=%t.npy
// RUN: dlc-run %t.3.mlir --shape=M=70,N=24,K=88 --seed=4 --check=%t.npy
// RUN: dlc-run %t.5.mlir --shape=M=70,N=24,K=88 --seed=4 --check=%t.npy

kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm80"} {
  require (K mod 2 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (M ceildiv 32, N ceildiv 32) threads 128 {
    %sA = shared : tile<[32, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 32], f16, swizzle 64>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) {
      copy %A[32 * %m + i0, %k + i1] where (32 * %m + i0 < M, %k + i1 < K) to %sA by blocked [1, 2] lanes [4, 8] warps [4, 1]
      copy %B[%k + i0, 32 * %n + i1] where (%k + i0 < K, 32 * %n + i1 < N) to %sB by blocked [1, 8] lanes [8, 4] warps [4, 1]
      barrier
      %a = load_shared %sA : frag<[32, 16], f16, mma_a [2, 2]>
      %b = load_shared %sB : frag<[16, 32], f16, mma_b [2, 2]>
      %d = mma %a, %b, %acc : frag<[32, 32], f32, mma [2, 2]>
      barrier
      yield %d
    }
    store %c to %D[32 * %m + i0, 32 * %n + i1] where (32 * %m + i0 < M, 32 * %n + i1 < N)
  }
  return %D
}
