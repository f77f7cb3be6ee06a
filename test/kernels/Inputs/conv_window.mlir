frontend.graph @conv<B, H>(%X: tensor<[B, H, 56, 64], f16>, %F: tensor<[64, 3, 3, 64], f16>) -> tensor<[B, H, 56, 64], f16> {
  %x = transpose %X by [0, 3, 1, 2]
  %f = transpose %F by [0, 3, 1, 2]
  %y0 = conv %x, %f pad [1, 1] acc f32
  %y = transpose %y0 by [0, 2, 3, 1]
  output %y as f16
}
