// What is no graph stays; so does what needs nothing done.

// RUN: dlc-opt %s --lower-frontend | snapshot %s

// A function of tiny is left alone.
tiny.func @function(%x: tensor<[2], f32>) -> tensor<[2], f32> {
  %y = relu %x
  return %y
}

// No cast to the type that is there, no view that changes nothing.
frontend.graph @nothing_to_do<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %a = cast %x to f32
  %b = reshape %a to [M, N]
  %c = expand %b to [M, N]
  %d = transpose %c by [0, 1]
  %e = floor %d
  %f = concat %e over 0
  output %f as f32
}

// Whole numbers need no rounding.
frontend.graph @whole<M>(%x: tensor<[M], i32>) -> tensor<[M], i32> {
  %y = floor %x
  %z = round %y
  output %z
}
