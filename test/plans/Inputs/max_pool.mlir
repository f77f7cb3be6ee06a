frontend.graph @max_pool<N, H, W>(%x: tensor<[N, H, W], f16>) -> tensor<[N, (H + 1) floordiv 2, (W + 1) floordiv 2], f16> {
  %c = reshape %x to [N, 1, H, W]
  %p = max_pool %c window [3, 3] stride [2, 2] pad [1, 1]
  %y = reshape %p to [N, (H + 1) floordiv 2, (W + 1) floordiv 2]
  output %y as f16
}
