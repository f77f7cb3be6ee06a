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
  output %f
}

// Whole numbers need no rounding.
frontend.graph @whole<M>(%x: tensor<[M], i32>) -> tensor<[M], i32> {
  %y = floor %x
  %z = round %y
  output %z
}

// EXPECT:
// module {
//   tiny.func @function(%x: tensor<[2], f32>) -> tensor<[2], f32> {
//     %y = relu %x : tensor<[2], f32>
//     return %y
//   }
//   tiny.func @nothing_to_do<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> attributes {outputs = ["f"]} {
//     %0 = trunc %x : tensor<[M, N], f32>
//     %1 = cmp lt %x, %0 : tensor<[M, N], i1>
//     %2 = const -1.000000e+00 : tensor<[], f32>
//     %3 = add %0, %2 : tensor<[M, N], f32>
//     %e = where %1, %3, %0 : tensor<[M, N], f32>
//     return %e
//   }
//   tiny.func @whole<M>(%x: tensor<[M], i32>) -> tensor<[M], i32> attributes {outputs = ["z"]} {
//     return %x
//   }
// }
