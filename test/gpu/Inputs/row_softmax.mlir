// The softmax of each row.
// choose-plan: assume=8192 sizes=[16384x4096]
frontend.graph @row_softmax<M, N>(%X: tensor<[M, N], f16>) -> tensor<[M, N], f16> {
  %x = cast %X to f32
  %Y = softmax %x over 1
  output %Y as f16
}
