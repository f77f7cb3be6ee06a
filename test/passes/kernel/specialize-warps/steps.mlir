// The same numbers for any number of steps: none, one, fewer and more than a ring has, with a tail.
// RUN: dlc-opt %s --insert-async-tokens --specialize-warps=consumers=1,stages=2 --check-async -o %t.2.mlir
// RUN: dlc-opt %s --insert-async-tokens --specialize-warps=consumers=2,stages=3 --check-async -o %t.3.mlir
// RUN: dlc-opt %s --insert-async-tokens --specialize-warps=consumers=2,stages=5 --check-async -o %t.5.mlir
// RUN: dlc-run %s --shape=M=150,N=40,K=0 --seed=0 -o %t.npy
// RUN: dlc-run %t.2.mlir --shape=M=150,N=40,K=0 --seed=0 --check=%t.npy
// RUN: dlc-run %t.3.mlir --shape=M=150,N=40,K=0 --seed=0 --check=%t.npy
// RUN: dlc-run %t.5.mlir --shape=M=150,N=40,K=0 --seed=0 --check=%t.npy
// RUN: dlc-run %s --shape=M=150,N=40,K=8 --seed=1 -o %t.npy
// RUN: dlc-run %t.2.mlir --shape=M=150,N=40,K=8 --seed=1 --check=%t.npy
// RUN: dlc-run %t.3.mlir --shape=M=150,N=40,K=8 --seed=1 --check=%t.npy
// RUN: dlc-run %t.5.mlir --shape=M=150,N=40,K=8 --seed=1 --check=%t.npy
// RUN: dlc-run %s --shape=M=150,N=40,K=16 --seed=2 -o %t.npy
// RUN: dlc-run %t.2.mlir --shape=M=150,N=40,K=16 --seed=2 --check=%t.npy
// RUN: dlc-run %t.3.mlir --shape=M=150,N=40,K=16 --seed=2 --check=%t.npy
// RUN: dlc-run %t.5.mlir --shape=M=150,N=40,K=16 --seed=2 --check=%t.npy
// RUN: dlc-run %s --shape=M=150,N=40,K=40 --seed=3 -o %t.npy
// RUN: dlc-run %t.2.mlir --shape=M=150,N=40,K=40 --seed=3 --check=%t.npy
// RUN: dlc-run %t.3.mlir --shape=M=150,N=40,K=40 --seed=3 --check=%t.npy
// RUN: dlc-run %t.5.mlir --shape=M=150,N=40,K=40 --seed=3 --check=%t.npy
// RUN: dlc-run %s --shape=M=150,N=40,K=88 --seed=4 -o %t.npy
// RUN: dlc-run %t.2.mlir --shape=M=150,N=40,K=88 --seed=4 --check=%t.npy
// RUN: dlc-run %t.3.mlir --shape=M=150,N=40,K=88 --seed=4 --check=%t.npy
// RUN: dlc-run %t.5.mlir --shape=M=150,N=40,K=88 --seed=4 --check=%t.npy

kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (2) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %b = block_id 0
    for %t = %b to (M ceildiv 128) * (N ceildiv 16) step 2 {
      %m, %n = tile_order %t of (M ceildiv 128, N ceildiv 16) rows
      %zero = const 0.0 : frag<[128, 16], f32, wgmma>
      %c = for %k = 0 to K step 16 carry (%acc = %zero) {
        copy %A[128 * %m + i0, %k + i1] where (128 * %m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
        copy %B[16 * %n + i0, %k + i1] where (16 * %n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
        fence_async
        barrier
        %d, %w = wgmma %sA, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
        await %w
        barrier
        yield %d
      }
      store %c to %D[128 * %m + i0, 16 * %n + i1] where (128 * %m + i0 < M, 16 * %n + i1 < N)
    }
  }
  return %D
}
