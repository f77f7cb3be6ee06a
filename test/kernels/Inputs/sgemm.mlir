frontend.graph @sgemm<M, N, K>(%A: tensor<[M, K], f32>, %B: tensor<[K, N], f32>) -> tensor<[M, N], f32> {
  %D = gemm %A, %B
  output %D
}
