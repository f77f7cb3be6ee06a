// The sum of each column.
// choose-plan: assume=256 sizes=[65536x256,8192x8192]
frontend.graph @sum_columns<M, N>(%X: tensor<[M, N], f16>) -> tensor<[N], f32> {
  %x = cast %X to f32
  %Y = sum %x over [0]
  output %Y
}
