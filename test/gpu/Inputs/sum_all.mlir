// The sum of all numbers.
// choose-plan: assume=256 sizes=[65536x256,8192x8192]
frontend.graph @sum_all<M, N>(%X: tensor<[M, N], f16>) -> tensor<[], f32> {
  %x = cast %X to f32
  %Y = sum %x over [0, 1]
  output %Y
}
