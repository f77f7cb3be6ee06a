// A product and the softmax of its rows.
frontend.graph @linear_softmax<M>(%X: tensor<[M, 64], f16>, %W: tensor<[96, 64], f16>) -> tensor<[M, 96], f16> {
  %l = linear %X, %W acc f32
  %y = softmax %l over 1
  output %y as f16
}
