// A product of matrices, as it lies in memory: every size by one module.
// choose-plan: assume=4096 sizes=[512,1024,1536,16x14336x4096,32x14336x4096,64x14336x4096,128x14336x4096]
frontend.graph @gemm_nn_bf16<M, N, K>(%A: tensor<[M, K], bf16>, %B: tensor<[K, N], bf16>) -> tensor<[M, N], bf16> {
  %D = gemm %A, %B acc f32
  output %D as bf16
}
