frontend.graph @conv<B, H, W, C, O>(%X: tensor<[B, H, W, C], f16>, %F: tensor<[O, 3, 3, C], f16>)
    -> tensor<[B * ((H + 1) floordiv 2) * ((W + 1) floordiv 2), O], f16> {
  %x = transpose %X by [0, 3, 1, 2]
  %f = transpose %F by [0, 3, 1, 2]
  %y0 = conv %x, %f stride [2, 2] pad [1, 1] acc f32
  %y1 = transpose %y0 by [0, 2, 3, 1]
  %y = reshape %y1 to [B * ((H + 1) floordiv 2) * ((W + 1) floordiv 2), O]
  output %y as f16
}
