// A product of two transposed matrices.
frontend.graph @gemm_tt_f16<M, N, K>(%A: tensor<[K, M], f16>, %B: tensor<[N, K], f16>) -> tensor<[M, N], f16> {
  %D = gemm %A, %B trans_a trans_b acc f32
  output %D as f16
}
