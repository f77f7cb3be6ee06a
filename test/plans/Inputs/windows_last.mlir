frontend.graph @windows_last<N, W>(%x: tensor<[N, W, 24], f16>, %w: tensor<[5, 24], f16>) -> tensor<[N, W, 24], f16> {
  %t = transpose %x by [0, 2, 1]
  %f = transpose %w by [1, 0]
  %g = reshape %f to [24, 1, 5]
  %c = conv %t, %g pad [2] groups 24 acc f32
  %y = transpose %c by [0, 2, 1]
  output %y as f16
}
