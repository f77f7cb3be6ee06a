frontend.graph @gemm<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[N, K], f16>) -> tensor<[M, N], f16> {
  %D = gemm %A, %B trans_b acc f32
  output %D as f16
}
