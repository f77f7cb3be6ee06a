// A convolution of images in NCHW, windows of 7 x 7 by steps of 2.
// choose-plan: assume=4096 sizes=[32x224x224x3x64]
frontend.graph @conv_nchw_7x7_s2<B, H, W, C, O>(%X: tensor<[B, C, H, W], f16>, %F: tensor<[O, C, 7, 7], f16>)
    -> tensor<[B, O, (H + 1) floordiv 2, (W + 1) floordiv 2], f16> {
  %y = conv %X, %F stride [2, 2] pad [3, 3] acc f32
  output %y as f16
}
