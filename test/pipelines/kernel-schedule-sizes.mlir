// One product for all sizes: launches take a kernel with small tiles where there are few, and one that pads what the copy
// engine cannot move where rows are unaligned. Matrices lie as they come, also the left one with its columns contiguous.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{assume=4096 sizes=[1024,1536,16x14336x4096]},add-fallback{each=true},tensorize,kernel-schedule' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --function=nt --shape=M=5,N=3,K=7 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=nt --shape=M=5,N=3,K=7 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=nt --shape=M=150,N=131,K=72 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=nt --shape=M=150,N=131,K=72 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=nt --shape=M=5,N=136,K=67 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=nt --shape=M=5,N=136,K=67 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=nt --shape=M=16,N=1992,K=72 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=nt --shape=M=16,N=1992,K=72 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=nt --shape=M=150,N=136,K=72 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=nt --shape=M=150,N=136,K=72 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=tn --shape=M=150,N=131,K=67 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=tn --shape=M=150,N=131,K=67 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=tn --shape=M=152,N=136,K=72 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=tn --shape=M=152,N=136,K=72 --seed=0 --check=%t.npy

// CHECK: launch @nt_0_3<M, N, K> where (M == 16, N == 14336, K == 4096, K mod 8 == 0, N mod 8 == 0) else @nt_0_1<M, N, K> cost (tiles: (M ceildiv 64)*(N ceildiv 128), {{.*}}) where (K mod 8 == 0, N mod 8 == 0), @nt_0_2<M, N, K> cost (tiles: (M ceildiv 128)*(N ceildiv 144), {{.*}}) where (K mod 8 == 0, N mod 8 == 0), @nt_0_3<M, N, K> cost (tiles: (M ceildiv 16)*(N ceildiv 128), {{.*}}) where (K mod 8 == 0, N mod 8 == 0), @nt_0<M, N, K> cost (tiles: (M ceildiv 128)*(N ceildiv 128), {{.*}}) where (K mod 8 == 0, N mod 8 == 0) else @nt_0_any<M, N, K> where (N mod 8 == 0) else @nt_0_any_0<M, N, K> where (K mod 8 == 0) else @nt_0_any_1<M, N, K> (%A, %B)
// CHECK-LABEL: kernel.func private @nt_0_any<
// CHECK-NEXT: require (N mod 8 == 0)
// CHECK-NEXT: output
// CHECK: %A_rows = workspace : memref<[M, 16*(K ceildiv 16)], f16, row_major, align 128>
// CHECK: grid ((K ceildiv 256)*(M ceildiv 16)) threads 128
// CHECK: tma_load %map_A_rows
// CHECK: tma_store
// CHECK-LABEL: kernel.func private @nt_0_any_0<
// CHECK-NOT: workspace
// CHECK: tma_load %map_A[
// CHECK: load_shared %panels
// CHECK-NOT: tma_store
// CHECK-LABEL: kernel.func private @nt_0_any_1<
// CHECK: %A_rows = workspace : memref<[M, 16*(K ceildiv 16)], f16, row_major, align 128>
// CHECK: %B_rows = workspace : memref<[N, 16*(K ceildiv 16)], f16, row_major, align 128>
// CHECK: load_shared %panels
// CHECK-NOT: tma_store
// CHECK-LABEL: kernel.func private @nt_0_3<
// CHECK-LABEL: kernel.func private @nt_0_2<
// CHECK: tma_load %map_B[144*%column
// CHECK: frag<[64, 144], f32, wgmma>
frontend.graph @nt<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[N, K], f16>) -> tensor<[M, N], f16> {
  %D = gemm %A, %B trans_b acc f32
  output %D as f16
}

// CHECK-LABEL: kernel.func private @tn_0<
// CHECK: wgmma %lhs[{{.*}}] transposed, %rhs
frontend.graph @tn<M, N, K>(%A: tensor<[K, M], bf16>, %B: tensor<[K, N], bf16>) -> tensor<[M, N], bf16> {
  %D = gemm %A, %B trans_a acc f32
  output %D as bf16
}
