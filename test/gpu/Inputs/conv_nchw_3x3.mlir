// A convolution of images in NCHW, windows of 3 x 3 by steps of 1.
// choose-plan: assume=4096 sizes=[32x56x56x64x64,32x28x28x128x128,32x14x14x256x256,16x7x7x512x512]
frontend.graph @conv_nchw_3x3<B, H, W, C, O>(%X: tensor<[B, C, H, W], f16>, %F: tensor<[O, C, 3, 3], f16>)
    -> tensor<[B, O, H, W], f16> {
  %y = conv %X, %F pad [1, 1] acc f32
  output %y as f16
}
