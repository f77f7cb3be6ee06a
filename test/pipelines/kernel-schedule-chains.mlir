// Products in a row, one kernel each: a thread loads what comes next, two groups compute. What all steps need is loaded
// once for a tile, what goes from one product to the next stays in registers, and what lies after the diagonal is left out.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{assume=4096},add-fallback,tensorize,kernel-schedule' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --function=full --shape=B=2,S=130,T=200 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=full --shape=B=2,S=130,T=200 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=full --shape=B=1,S=1,T=1 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=full --shape=B=1,S=1,T=1 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=causal --shape=B=2,S=130,T=200 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=causal --shape=B=2,S=130,T=200 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=causal --shape=B=1,S=200,T=65 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=causal --shape=B=1,S=200,T=65 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=chain --shape=Z=2,M=70,N=136 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=chain --shape=Z=2,M=70,N=136 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=chain --shape=Z=1,M=3,N=5 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=chain --shape=Z=1,M=3,N=5 --seed=0 --check=%t.npy

// CHECK-LABEL: kernel.func private @full_0
// CHECK: role producer
// CHECK: for %tile
// CHECK: tma_load %map_Q
// CHECK: for %t = 0 to T step 96
// CHECK: tma_load %map_K
// CHECK: tma_load %map_V
// CHECK: role consumer warps 4 to 16 groups 3
// CHECK: for %tile
// CHECK: wait %full[
// CHECK-NEXT: {{.*}} for %t = 0 to T step 96
// CHECK-NOT: for
// CHECK: wgmma {{.*}} transposed
// CHECK: if (%t + 96 <= T)
// CHECK: } else {
// CHECK: select where (%t + i1 < T)
// CHECK: reduce max
// CHECK: convert {{.*}} wgmma_a>
// CHECK: wgmma
// CHECK: arrive %empty
// CHECK: tma_store
frontend.graph @full<B, S, T>(%Q: tensor<[B, S, 128], f16>, %K: tensor<[B, T, 128], f16>, %V: tensor<[B, T, 128], f16>) -> tensor<[B, S, 128], f16> {
  %O = attention %Q, %K, %V
  output %O as f16
}

// CHECK-LABEL: kernel.func private @causal_0
// CHECK: role producer
// CHECK: %number = index
// CHECK: %end = min
// CHECK: for %t = 0 to %end step 96
// CHECK: role consumer
// CHECK: %end = min
// CHECK: for %t = 0 to %end step 96
// CHECK: if (0 <= 192*%row - %t - 95, %t + 96 <= T)
frontend.graph @causal<B, S, T>(%Q: tensor<[B, S, 128], f16>, %K: tensor<[B, T, 128], f16>, %V: tensor<[B, T, 128], f16>) -> tensor<[B, S, 128], f16> {
  %O = attention %Q, %K, %V causal
  output %O as f16
}

// CHECK-LABEL: kernel.func private @chain_0<
// CHECK: role producer
// CHECK: tma_load %map_A
// CHECK: for %k = 0 to N step
// CHECK: tma_load %map_B
// CHECK: tma_load %map_D0
// CHECK: tma_load %map_C
// CHECK: role consumer warps 4 to 16 groups 3
// CHECK: for %k = 0 to N step
// CHECK: wgmma %
// CHECK: load_shared %
// CHECK: unary relu
// CHECK: convert {{.*}} wgmma_a>
// CHECK: wgmma
// CHECK: load %D2
frontend.graph @chain<Z, M, N>(
    %A: tensor<[Z, M, 64], f16>, %B: tensor<[Z, 64, N], f16>, %C: tensor<[Z, N, 128], f16>,
    %D0: tensor<[Z, M, N], f16>, %D2: tensor<[Z, M, 128], f16>) -> tensor<[Z, M, 128], f16> {
  %x0 = gemm %A, %B acc f32
  %d0 = cast %D0 to f32
  %x1 = add %x0, %d0
  %x2 = relu %x1
  %x = cast %x2 to f16
  %y0 = gemm %x, %C acc f32
  %d2 = cast %D2 to f32
  %E = add %y0, %d2
  output %E as f16
}
