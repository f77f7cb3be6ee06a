// A convolution of images in NCHW, one pixel each.
// choose-plan: assume=4096 sizes=[32x56x56x64x256]
frontend.graph @conv_nchw_1x1<B, H, W, C, O>(%X: tensor<[B, C, H, W], f16>, %F: tensor<[O, C, 1, 1], f16>)
    -> tensor<[B, O, H, W], f16> {
  %y = conv %X, %F acc f32
  output %y as f16
}
