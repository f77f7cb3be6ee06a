// Each row moved and scaled to the mean 0 and the variance 1, then by a weight and a bias for each column.
// choose-plan: assume=8192 sizes=[16384x4096]
frontend.graph @row_layernorm<M, N>(%X: tensor<[M, N], f16>, %W: tensor<[N], f16>, %B: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %x = cast %X to f32
  %w = cast %W to f32
  %b = cast %B to f32
  %Y = layer_norm %x weight %w bias %b eps 1.0e-05
  output %Y as f16
}
