// An activation, and a number for each column.
// choose-plan: assume=4096
frontend.graph @gelu_add<M, N>(%X: tensor<[M, N], f16>, %W: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %x = cast %X to f32
  %w = cast %W to f32
  %g = gelu %x
  %Y = add %g, %w
  output %Y as f16
}
