frontend.graph @attention<B, S, T>(%q: tensor<[B, 4, S, 80], f16>, %k: tensor<[B, 2, T, 80], f16>, %v: tensor<[B, 2, T, 80], f16>) -> tensor<[B, 4, S, 80], f16> {
  %y = attention %q, %k, %v
  output %y as f16
}
