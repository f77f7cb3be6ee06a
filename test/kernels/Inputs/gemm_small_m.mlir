frontend.graph @small_m<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[N, K], f16>) -> tensor<[M, N], f16> {
  %Y = gemm %X, %W trans_b acc f32
  output %Y as f16
}
