frontend.graph @softmax<M, N>(%X: tensor<[M, N], f16>) -> tensor<[M, N], f16> {
  %x = cast %X to f32
  %Y = softmax %x over 1
  output %Y as f16
}
