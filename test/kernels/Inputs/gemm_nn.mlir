frontend.graph @gemm<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[K, N], f16>) -> tensor<[M, N], f16> {
  %D = gemm %A, %B acc f32
  output %D as f16
}
