// Each row scaled so that the mean of its squares is 1, then by a weight for each column.
// choose-plan: assume=8192 sizes=[16384x4096]
frontend.graph @row_rmsnorm<M, N>(%X: tensor<[M, N], f16>, %W: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %x = cast %X to f32
  %w = cast %W to f32
  %Y = rms_norm %x weight %w eps 1.0e-05
  output %Y as f16
}
