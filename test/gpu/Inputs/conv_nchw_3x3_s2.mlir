// A convolution of images in NCHW, windows of 3 x 3 by steps of 2.
// choose-plan: assume=4096 sizes=[32x56x56x128x128]
frontend.graph @conv_nchw_3x3_s2<B, H, W, C, O>(%X: tensor<[B, C, H, W], f16>, %F: tensor<[O, C, 3, 3], f16>)
    -> tensor<[B, O, (H + 1) floordiv 2, (W + 1) floordiv 2], f16> {
  %y = conv %X, %F stride [2, 2] pad [1, 1] acc f32
  output %y as f16
}
