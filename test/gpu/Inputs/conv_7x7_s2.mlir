// A convolution of images in NHWC, windows of 7 x 7 by steps of 2.
// choose-plan: assume=64 sizes=[32x224x224x3x64]
frontend.graph @conv_7x7_s2<B, H, W, C, O>(%X: tensor<[B, H, W, C], f16>, %F: tensor<[O, 7, 7, C], f16>)
    -> tensor<[B, (H + 1) floordiv 2, (W + 1) floordiv 2, O], f16> {
  %x = transpose %X by [0, 3, 1, 2]
  %f = transpose %F by [0, 3, 1, 2]
  %y0 = conv %x, %f stride [2, 2] pad [3, 3] acc f32
  %y = transpose %y0 by [0, 2, 3, 1]
  output %y as f16
}
