// Views: the same elements at other indices, apart and together.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom

// CHECK-LABEL: @reshape
// CHECK: %y = reshape %x to [B, S, H, D] : tensor<[B, S, H, D], f32>
frontend.graph @reshape<B, H, S, D>(%x: tensor<[B, S, H*D], f32>) -> tensor<[B, S, H, D], f32> {
  %y = reshape %x to [B, S, H, D]
  output %y
}

// CHECK-LABEL: @transpose
// CHECK: %y = transpose %x by [2, 0, 1] : tensor<[N, B, M], f32>
frontend.graph @transpose<B, M, N>(%x: tensor<[B, M, N], f32>) -> tensor<[N, B, M], f32> {
  %y = transpose %x by [2, 0, 1]
  output %y
}

// CHECK-LABEL: @expand
// CHECK: %y = expand %x to [M, N] : tensor<[M, N], f32>
frontend.graph @expand<M, N>(%x: tensor<[M, 1], f32>) -> tensor<[M, N], f32> {
  %y = expand %x to [M, N]
  output %y
}

// CHECK-LABEL: @expand_adds_axes
// CHECK: %y = expand %x to [M, 2, N] : tensor<[M, 2, N], f32>
frontend.graph @expand_adds_axes<M, N>(%x: tensor<[N], f32>) -> tensor<[M, 2, N], f32> {
  %y = expand %x to [M, 2, N]
  output %y
}

// CHECK-LABEL: @pad
// CHECK: %y = pad %x low [1, 0] high [2, M] : tensor<[M + 3, M + N], f32>
frontend.graph @pad<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M + 3, M + N], f32> {
  %y = pad %x low [1, 0] high [2, M]
  output %y
}

// CHECK-LABEL: @pad_with_a_number
// CHECK: %y = pad %x low [1] high [1] fill -2.0 : tensor<[M + 2], f64>
frontend.graph @pad_with_a_number<M>(%x: tensor<[M], f64>) -> tensor<[M + 2], f64> {
  %y = pad %x low [1] high [1] fill -2.0
  output %y
}

// CHECK-LABEL: @slice
// CHECK: %y = slice %x from [1, 0] to [M + 2, N] step [1, 2] : tensor<[M + 1, N ceildiv 2], f32>
frontend.graph @slice<M, N>(%x: tensor<[M + 4, N], f32>) -> tensor<[M + 1, N ceildiv 2], f32> {
  %y = slice %x from [1, 0] to [M + 2, N] step [1, 2]
  output %y
}

// CHECK-LABEL: @slice_of_one
// CHECK: %y = slice %x from [M, 0] to [M + 1, N] : tensor<[1, N], f32>
frontend.graph @slice_of_one<M, N>(%x: tensor<[M + 1, N], f32>) -> tensor<[1, N], f32> {
  %y = slice %x from [M, 0] to [M + 1, N]
  output %y
}

// CHECK-LABEL: @flip
// CHECK: %y = flip %x over [0, 1] : tensor<[M, N], f32>
frontend.graph @flip<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = flip %x over [0, 1]
  output %y
}

// CHECK-LABEL: @concat
// CHECK: %y = concat %a, %b, %c over 1 : tensor<[M, K + N + 1], f32>
frontend.graph @concat<M, N, K>(%a: tensor<[M, K], f32>, %b: tensor<[M, N], f32>, %c: tensor<[M, 1], f32>) -> tensor<[M, K + N + 1], f32> {
  %y = concat %a, %b, %c over 1
  output %y
}

// CHECK-LABEL: @concat_of_one
// CHECK: %y = concat %a over 0 : tensor<[M], f32>
frontend.graph @concat_of_one<M>(%a: tensor<[M], f32>) -> tensor<[M], f32> {
  %y = concat %a over 0
  output %y
}

// CHECK-LABEL: @concat_promotes
// CHECK: %y = concat %a, %b over 0 : tensor<[M + N], f32>
frontend.graph @concat_promotes<M, N>(%a: tensor<[M], f16>, %b: tensor<[N], f32>) -> tensor<[M + N], f32> {
  %y = concat %a, %b over 0
  output %y
}

// CHECK-LABEL: @concat_of_truth
// CHECK: %y = concat %a, %b over 0 : tensor<[M + N], i1>
frontend.graph @concat_of_truth<M, N>(%a: tensor<[M], i1>, %b: tensor<[N], i1>) -> tensor<[M + N], i1> {
  %y = concat %a, %b over 0
  output %y
}

// CHECK-LABEL: @split
// CHECK: %y0, %y1, %y2 = split %x over 1 into [D, D, D] : tensor<[S, D], f32>, tensor<[S, D], f32>, tensor<[S, D], f32>
frontend.graph @split<S, D>(%x: tensor<[S, 3*D], f32>) -> (tensor<[S, D], f32>, tensor<[S, D], f32>, tensor<[S, D], f32>) {
  %y0, %y1, %y2 = split %x over 1 into [D, D, D]
  output %y0, %y1, %y2
}

// CHECK-LABEL: @split_of_other_sizes
// CHECK: %y0, %y1, %y2 = split %x over 0 into [2, M, N] : tensor<[2], f32>, tensor<[M], f32>, tensor<[N], f32>
frontend.graph @split_of_other_sizes<M, N>(%x: tensor<[M + N + 2], f32>) -> (tensor<[2], f32>, tensor<[M], f32>, tensor<[N], f32>) {
  %y0, %y1, %y2 = split %x over 0 into [2, M, N]
  output %y0, %y1, %y2
}
