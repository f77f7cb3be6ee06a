// A convolution of images in NHWC, windows of 3 x 3 by steps of 2.
// choose-plan: assume=4096 sizes=[64x56x56x128x128]
frontend.graph @conv_3x3_s2<B, H, W, C, O>(%X: tensor<[B, H, W, C], f16>, %F: tensor<[O, 3, 3, C], f16>)
    -> tensor<[B, (H + 1) floordiv 2, (W + 1) floordiv 2, O], f16> {
  %x = transpose %X by [0, 3, 1, 2]
  %f = transpose %F by [0, 3, 1, 2]
  %y0 = conv %x, %f stride [2, 2] pad [1, 1] acc f32
  %y = transpose %y0 by [0, 2, 3, 1]
  output %y as f16
}
