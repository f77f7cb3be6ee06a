frontend.graph @depthwise<N, H, W>(%x: tensor<[N, 5, H, W], f16>, %w: tensor<[5, 1, 3, 3], f16>) -> tensor<[N, 5, H, W], f16> {
  %y = conv %x, %w pad [1, 1] groups 5 acc f32
  output %y as f16
}
