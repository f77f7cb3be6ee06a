// A remainder is not negative as a whole: without what a register adds to its parts it may be, and a bound of it is asked.

// RUN: dlc-opt %s --lower-frontend --tiny-to-ptx-sm90 --evaluate-each --no-output

frontend.graph @padded(%x: tensor<[1, 6, 14, 3], f16>, %w: tensor<[1, 1, 3, 64], f16>) -> tensor<[1, 10, 18, 64], f16> {
  %y = conv %x, %w stride [1, 1] pad [2, 2] dilation [1, 1] layout channels_last acc f32
  output %y as f16
}
