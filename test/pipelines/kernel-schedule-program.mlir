// From a program of tensors to kernels as plans that are chosen want them, with a kernel for all other sizes as well.

// RUN: dlc-opt %s --pass-pipeline='tiny-to-region,choose-plan{assume=4096},add-fallback,tensorize,kernel-schedule' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --shape=M=5,N=3,K=7 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=gemm --shape=M=5,N=3,K=7 --seed=0 --check=%t.npy
// RUN: dlc-run %s --shape=M=70,N=131,K=72 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=gemm --shape=M=70,N=131,K=72 --seed=0 --check=%t.npy
// RUN: dlc-run %s --shape=M=300,N=136,K=72 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=gemm --shape=M=300,N=136,K=72 --seed=0 --check=%t.npy
// Instructions as well, in clusters of two blocks with addresses of their own.
// RUN: dlc-opt %t.mlir --region-to-ptx -o %t.ptx
// RUN: dlc-run %t.ptx --function=gemm --shape=M=300,N=136,K=72 --seed=0 --check=%t.npy

// CHECK: launch @gemm_0<M, N, K> where (K mod 8 == 0, N mod 8 == 0) else @gemm_0_any<M, N, K>
// CHECK: kernel.func private @gemm_0<
// CHECK-NEXT: require (K mod 8 == 0, N mod 8 == 0)
// CHECK: cluster [2]
// CHECK: role producer
// CHECK: multicast 3
// CHECK: role consumer
// CHECK: barrier id %mine
// CHECK: load %bias
// CHECK: tma_store
// CHECK: kernel.func private @gemm_0_any<
// CHECK: %X_rows = workspace
// CHECK: %W_rows = workspace
// CHECK: tma_load %map_X_rows
// CHECK: store_shared
// CHECK: load_shared
// CHECK-NOT: tma_store
// CHECK: return
tiny.func @gemm<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>, %bias: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %s = contract %X [m, k], %W [k, n] to [m, n] acc f32
  %b = add %s, %bias
  %r = relu %b
  %y = cast %r to f16
  return %y
}
