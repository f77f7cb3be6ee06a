// Products of matrices as libraries have them: neither factor transposed, one or both, with a bias and a ReLU, and of
// other types. Without a GPU they are evaluated.

// RUN: dlc-run %s --function=nn --shape=M=5,N=4,K=3 -o %t.nn.npz
// RUN: dlc-run %s --function=bias_relu --shape=M=5,N=4,K=3 | FileCheck %s
// RUN: dlc-opt %s --tiny-to-ptx-sm90 -o %t.sm90.mlir
// RUN: dlc-translate %t.sm90.mlir --to-ptx | FileCheck %s --check-prefix=PTX

// CHECK: r tensor<[5, 4], f16>
// PTX: .target sm_90a
// PTX: .entry nn_0
// PTX: wgmma.mma_async
// PTX: .entry bias_relu_0
// PTX: wgmma.mma_async

frontend.graph @nn<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[K, N], f16>) -> tensor<[M, N], f16> {
  %D = gemm %A, %B acc f32
  output %D as f16
}

frontend.graph @nt<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[N, K], f16>) -> tensor<[M, N], f16> {
  %D = gemm %A, %B trans_b acc f32
  output %D as f16
}

frontend.graph @tn<M, N, K>(%A: tensor<[K, M], f16>, %B: tensor<[K, N], f16>) -> tensor<[M, N], f16> {
  %D = gemm %A, %B trans_a acc f32
  output %D as f16
}

frontend.graph @tt<M, N, K>(%A: tensor<[K, M], f16>, %B: tensor<[N, K], f16>) -> tensor<[M, N], f16> {
  %D = gemm %A, %B trans_a trans_b acc f32
  output %D as f16
}

frontend.graph @bf16<M, N, K>(%A: tensor<[M, K], bf16>, %B: tensor<[K, N], bf16>) -> tensor<[M, N], bf16> {
  %D = gemm %A, %B acc f32
  output %D as bf16
}

frontend.graph @f32<M, N, K>(%A: tensor<[M, K], f32>, %B: tensor<[K, N], f32>) -> tensor<[M, N], f32> {
  %D = gemm %A, %B acc f32
  output %D
}

frontend.graph @bias_relu<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[K, N], f16>, %bias: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %s = gemm %A, %B acc f32
  %t = add %s, %bias
  %r = relu %t
  output %r as f16
}
