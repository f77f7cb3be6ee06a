// A convolution of images in NHWC, windows of 1 x 1 by steps of 1.
// choose-plan: assume=64 sizes=[64x56x56x256x64]
frontend.graph @conv_1x1<B, H, W, C, O>(%X: tensor<[B, H, W, C], f16>, %F: tensor<[O, 1, 1, C], f16>)
    -> tensor<[B, H, W, O], f16> {
  %x = transpose %X by [0, 3, 1, 2]
  %f = transpose %F by [0, 3, 1, 2]
  %y0 = conv %x, %f acc f32
  %y = transpose %y0 by [0, 2, 3, 1]
  output %y as f16
}
