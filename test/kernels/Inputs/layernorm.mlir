frontend.graph @layernorm<M, N>(%X: tensor<[M, N], f16>, %W: tensor<[N], f16>, %B: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %x = cast %X to f32
  %w = cast %W to f32
  %b = cast %B to f32
  %Y = layer_norm %x weight %w bias %b eps 1.0e-05
  output %Y as f16
}
