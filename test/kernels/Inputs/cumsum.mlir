frontend.graph @scan<M, N>(%X: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %Y = cumsum %X over 0
  output %Y
}
