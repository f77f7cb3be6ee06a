frontend.graph @f<S>(%x: tensor<[S, 768], f16>, %w: tensor<[512], f16>) {
  %y = layer_norm %x weight %w
  output
}
