frontend.graph @attention<B, S>(%q: tensor<[B, 4, S, 160], f16>, %k: tensor<[B, 4, S, 160], f16>, %v: tensor<[B, 4, S, 160], f16>) -> tensor<[B, 4, S, 160], f16> {
  %y = attention %q, %k, %v
  output %y as f16
}
