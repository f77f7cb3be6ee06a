// A product of matrices for sm_80, which runs on later machines too.
// choose-plan: target=sm80 assume=4096
frontend.graph @gemm_sm80<M, N, K>(%A: tensor<[M, K], f16>, %B: tensor<[K, N], f16>) -> tensor<[M, N], f16> {
  %D = gemm %A, %B acc f32
  output %D as f16
}
