// RUN: dlc-opt %s --detect-contraction | FileCheck %s

// Convolutions, as tinygrad writes them: the windows are a chain of views, in which no index can be seen.

// Stride 2, and one row and column around: the pad stays, and the windows are those of the padded tensor.
// CHECK-LABEL: @conv2d_s2_p1
// CHECK: %v0 = pad %X low [0, 0, 1, 1] high [0, 0, 1, 1] : tensor<[2, 8, 17, 19], f16>
// CHECK: %0 = contract %v0 [m0, k0, k1 + 2*m1, k2 + 2*m2], %W [n, k0, k1, k2] to [m0, n, m1, m2] acc f32 {widen} : tensor<[2, 12, 8, 9], f32>
tiny.func @conv2d_s2_p1(%X: tensor<[2, 8, 15, 17], f16>, %W: tensor<[12, 8, 3, 3], f16>) -> tensor<[2, 12, 8, 9], f16> {
  %v0 = pad %X low [0, 0, 1, 1] high [0, 0, 1, 1] : tensor<[2, 8, 17, 19], f16>
  %v1 = reshape %v0 to [2, 8, 1, 17, 1, 19] : tensor<[2, 8, 1, 17, 1, 19], f16>
  %v2 = reshape %v1 to [2, 8, 17, 19] : tensor<[2, 8, 17, 19], f16>
  %v3 = expand %v2 to [4, 4, 2, 8, 17, 19] dims [2, 3, 4, 5] : tensor<[4, 4, 2, 8, 17, 19], f16>
  %v4 = permute %v3 by [2, 3, 0, 4, 1, 5] : tensor<[2, 8, 4, 17, 4, 19], f16>
  %v5 = reshape %v4 to [2, 8, 68, 76] : tensor<[2, 8, 68, 76], f16>
  %v6 = shrink %v5 from [0, 0, 0, 0] to [2, 8, 54, 60] : tensor<[2, 8, 54, 60], f16>
  %v7 = reshape %v6 to [2, 8, 3, 18, 3, 20] : tensor<[2, 8, 3, 18, 3, 20], f16>
  %v8 = shrink %v7 from [0, 0, 0, 0, 0, 0] to [2, 8, 3, 16, 3, 18] : tensor<[2, 8, 3, 16, 3, 18], f16>
  %v9 = reshape %v8 to [2, 8, 3, 8, 2, 3, 9, 2] : tensor<[2, 8, 3, 8, 2, 3, 9, 2], f16>
  %v10 = shrink %v9 from [0, 0, 0, 0, 0, 0, 0, 0] to [2, 8, 3, 8, 1, 3, 9, 1] : tensor<[2, 8, 3, 8, 1, 3, 9, 1], f16>
  %v11 = reshape %v10 to [2, 8, 3, 8, 3, 9] : tensor<[2, 8, 3, 8, 3, 9], f16>
  %v12 = permute %v11 by [0, 1, 3, 5, 2, 4] : tensor<[2, 8, 8, 9, 3, 3], f16>
  %v13 = reshape %v12 to [2, 1, 8, 1, 8, 9, 3, 3] : tensor<[2, 1, 8, 1, 8, 9, 3, 3], f16>
  %v14 = reshape %v13 to [2, 1, 8, 8, 9, 3, 3] : tensor<[2, 1, 8, 8, 9, 3, 3], f16>
  %v15 = expand %v14 to [12, 2, 1, 8, 8, 9, 3, 3] dims [1, 2, 3, 4, 5, 6, 7] : tensor<[12, 2, 1, 8, 8, 9, 3, 3], f16>
  %v16 = permute %v15 by [1, 2, 3, 0, 4, 5, 6, 7] : tensor<[2, 1, 8, 12, 8, 9, 3, 3], f16>
  %v17 = permute %v16 by [0, 1, 3, 4, 5, 2, 6, 7] : tensor<[2, 1, 12, 8, 9, 8, 3, 3], f16>
  %v18 = reshape %W to [1, 1, 12, 1, 1, 8, 3, 3] : tensor<[1, 1, 12, 1, 1, 8, 3, 3], f16>
  %v19 = mul %v17, %v18 : tensor<[2, 1, 12, 8, 9, 8, 3, 3], f16>
  %v20 = cast %v19 to f32 : tensor<[2, 1, 12, 8, 9, 8, 3, 3], f32>
  %v21 = permute %v20 by [5, 6, 7, 0, 1, 2, 3, 4] : tensor<[8, 3, 3, 2, 1, 12, 8, 9], f32>
  %v22 = reduce sum %v21 over [0, 1, 2] : tensor<[2, 1, 12, 8, 9], f32>
  %v23 = reshape %v22 to [2, 1, 12, 8, 9, 1, 1, 1] : tensor<[2, 1, 12, 8, 9, 1, 1, 1], f32>
  %v24 = reshape %v23 to [2, 12, 8, 9] : tensor<[2, 12, 8, 9], f32>
  %v25 = cast %v24 to f16 : tensor<[2, 12, 8, 9], f16>
  return %v25
}

// Each channel by itself.
// CHECK-LABEL: @conv2d_depthwise
// CHECK: %v0 = pad %X low [0, 0, 1, 1] high [0, 0, 1, 1] : tensor<[1, 8, 18, 18], f16>
// CHECK: %0 = contract %v0 [m0, b, k0 + m1, k1 + m2], %W [b, n, k0, k1] to [m0, b, n, m1, m2] acc f32 {widen} : tensor<[1, 8, 1, 16, 16], f32>
tiny.func @conv2d_depthwise(%X: tensor<[1, 8, 16, 16], f16>, %W: tensor<[8, 1, 3, 3], f16>) -> tensor<[1, 8, 16, 16], f16> {
  %v0 = pad %X low [0, 0, 1, 1] high [0, 0, 1, 1] : tensor<[1, 8, 18, 18], f16>
  %v1 = reshape %v0 to [1, 8, 1, 18, 1, 18] : tensor<[1, 8, 1, 18, 1, 18], f16>
  %v2 = reshape %v1 to [1, 8, 18, 18] : tensor<[1, 8, 18, 18], f16>
  %v3 = expand %v2 to [4, 4, 1, 8, 18, 18] dims [2, 3, 4, 5] : tensor<[4, 4, 1, 8, 18, 18], f16>
  %v4 = permute %v3 by [2, 3, 0, 4, 1, 5] : tensor<[1, 8, 4, 18, 4, 18], f16>
  %v5 = reshape %v4 to [1, 8, 72, 72] : tensor<[1, 8, 72, 72], f16>
  %v6 = shrink %v5 from [0, 0, 0, 0] to [1, 8, 57, 57] : tensor<[1, 8, 57, 57], f16>
  %v7 = reshape %v6 to [1, 8, 3, 19, 3, 19] : tensor<[1, 8, 3, 19, 3, 19], f16>
  %v8 = shrink %v7 from [0, 0, 0, 0, 0, 0] to [1, 8, 3, 16, 3, 16] : tensor<[1, 8, 3, 16, 3, 16], f16>
  %v9 = reshape %v8 to [1, 8, 3, 16, 1, 3, 16, 1] : tensor<[1, 8, 3, 16, 1, 3, 16, 1], f16>
  %v10 = reshape %v9 to [1, 8, 3, 16, 3, 16] : tensor<[1, 8, 3, 16, 3, 16], f16>
  %v11 = permute %v10 by [0, 1, 3, 5, 2, 4] : tensor<[1, 8, 16, 16, 3, 3], f16>
  %v12 = reshape %v11 to [1, 8, 1, 1, 16, 16, 3, 3] : tensor<[1, 8, 1, 1, 16, 16, 3, 3], f16>
  %v13 = permute %v12 by [0, 1, 3, 4, 5, 2, 6, 7] : tensor<[1, 8, 1, 16, 16, 1, 3, 3], f16>
  %v14 = reshape %W to [1, 8, 1, 1, 1, 1, 3, 3] : tensor<[1, 8, 1, 1, 1, 1, 3, 3], f16>
  %v15 = mul %v13, %v14 : tensor<[1, 8, 1, 16, 16, 1, 3, 3], f16>
  %v16 = cast %v15 to f32 : tensor<[1, 8, 1, 16, 16, 1, 3, 3], f32>
  %v17 = permute %v16 by [6, 7, 0, 1, 2, 3, 4, 5] : tensor<[3, 3, 1, 8, 1, 16, 16, 1], f32>
  %v18 = reduce sum %v17 over [0, 1] : tensor<[1, 8, 1, 16, 16, 1], f32>
  %v19 = reshape %v18 to [1, 8, 1, 16, 16] : tensor<[1, 8, 1, 16, 16], f32>
  %v20 = reshape %v19 to [1, 8, 1, 16, 16, 1, 1, 1] : tensor<[1, 8, 1, 16, 16, 1, 1, 1], f32>
  %v21 = cast %v20 to f16 : tensor<[1, 8, 1, 16, 16, 1, 1, 1], f16>
  %v22 = reshape %v21 to [1, 8, 16, 16] : tensor<[1, 8, 16, 16], f16>
  return %v22
}

// Every second row and column of a window.
// CHECK-LABEL: @conv_dilated
// CHECK: %0 = contract %X [m0, k0, 2*k1 + m1, 2*k2 + m2], %W [n, k0, k1, k2] to [m0, n, m1, m2] acc f32 {widen} : tensor<[1, 3, 5, 5], f32>
tiny.func @conv_dilated(%X: tensor<[1, 2, 9, 9], f16>, %W: tensor<[3, 2, 3, 3], f16>) -> tensor<[1, 3, 5, 5], f16> {
  %v0 = reshape %X to [1, 2, 1, 9, 1, 9] : tensor<[1, 2, 1, 9, 1, 9], f16>
  %v1 = reshape %v0 to [1, 2, 9, 9] : tensor<[1, 2, 9, 9], f16>
  %v2 = expand %v1 to [4, 4, 1, 2, 9, 9] dims [2, 3, 4, 5] : tensor<[4, 4, 1, 2, 9, 9], f16>
  %v3 = permute %v2 by [2, 3, 0, 4, 1, 5] : tensor<[1, 2, 4, 9, 4, 9], f16>
  %v4 = reshape %v3 to [1, 2, 36, 36] : tensor<[1, 2, 36, 36], f16>
  %v5 = shrink %v4 from [0, 0, 0, 0] to [1, 2, 33, 33] : tensor<[1, 2, 33, 33], f16>
  %v6 = reshape %v5 to [1, 2, 3, 11, 3, 11] : tensor<[1, 2, 3, 11, 3, 11], f16>
  %v7 = shrink %v6 from [0, 0, 0, 0, 0, 0] to [1, 2, 3, 5, 3, 5] : tensor<[1, 2, 3, 5, 3, 5], f16>
  %v8 = reshape %v7 to [1, 2, 3, 5, 1, 3, 5, 1] : tensor<[1, 2, 3, 5, 1, 3, 5, 1], f16>
  %v9 = reshape %v8 to [1, 2, 3, 5, 3, 5] : tensor<[1, 2, 3, 5, 3, 5], f16>
  %v10 = permute %v9 by [0, 1, 3, 5, 2, 4] : tensor<[1, 2, 5, 5, 3, 3], f16>
  %v11 = reshape %v10 to [1, 1, 2, 1, 5, 5, 3, 3] : tensor<[1, 1, 2, 1, 5, 5, 3, 3], f16>
  %v12 = reshape %v11 to [1, 1, 2, 5, 5, 3, 3] : tensor<[1, 1, 2, 5, 5, 3, 3], f16>
  %v13 = expand %v12 to [3, 1, 1, 2, 5, 5, 3, 3] dims [1, 2, 3, 4, 5, 6, 7] : tensor<[3, 1, 1, 2, 5, 5, 3, 3], f16>
  %v14 = permute %v13 by [1, 2, 3, 0, 4, 5, 6, 7] : tensor<[1, 1, 2, 3, 5, 5, 3, 3], f16>
  %v15 = permute %v14 by [0, 1, 3, 4, 5, 2, 6, 7] : tensor<[1, 1, 3, 5, 5, 2, 3, 3], f16>
  %v16 = reshape %W to [1, 1, 3, 1, 1, 2, 3, 3] : tensor<[1, 1, 3, 1, 1, 2, 3, 3], f16>
  %v17 = mul %v15, %v16 : tensor<[1, 1, 3, 5, 5, 2, 3, 3], f16>
  %v18 = cast %v17 to f32 : tensor<[1, 1, 3, 5, 5, 2, 3, 3], f32>
  %v19 = permute %v18 by [5, 6, 7, 0, 1, 2, 3, 4] : tensor<[2, 3, 3, 1, 1, 3, 5, 5], f32>
  %v20 = reduce sum %v19 over [0, 1, 2] : tensor<[1, 1, 3, 5, 5], f32>
  %v21 = reshape %v20 to [1, 1, 3, 5, 5, 1, 1, 1] : tensor<[1, 1, 3, 5, 5, 1, 1, 1], f32>
  %v22 = cast %v21 to f16 : tensor<[1, 1, 3, 5, 5, 1, 1, 1], f16>
  %v23 = reshape %v22 to [1, 3, 5, 5] : tensor<[1, 3, 5, 5], f16>
  return %v23
}

// Two groups of channels: their axis is split on both sides.
// CHECK-LABEL: @conv_grouped
// CHECK: %v0 = pad %X low [0, 0, 1, 1] high [0, 0, 1, 1] : tensor<[1, 4, 7, 7], f16>
// CHECK: %0 = reshape %v0 to [1, 2, 2, 7, 7] : tensor<[1, 2, 2, 7, 7], f16>
// CHECK: %1 = reshape %W to [2, 3, 2, 3, 3] : tensor<[2, 3, 2, 3, 3], f16>
// CHECK: %v21 = contract %0 [m0, b, k0, k1 + m1, k2 + m2], %1 [b, n, k0, k1, k2] to [m0, b, n, m1, m2] acc f32 {widen} : tensor<[1, 2, 3, 5, 5], f32>
tiny.func @conv_grouped(%X: tensor<[1, 4, 5, 5], f16>, %W: tensor<[6, 2, 3, 3], f16>) -> tensor<[1, 6, 5, 5], f16> {
  %v0 = pad %X low [0, 0, 1, 1] high [0, 0, 1, 1] : tensor<[1, 4, 7, 7], f16>
  %v1 = reshape %v0 to [1, 4, 1, 7, 1, 7] : tensor<[1, 4, 1, 7, 1, 7], f16>
  %v2 = reshape %v1 to [1, 4, 7, 7] : tensor<[1, 4, 7, 7], f16>
  %v3 = expand %v2 to [4, 4, 1, 4, 7, 7] dims [2, 3, 4, 5] : tensor<[4, 4, 1, 4, 7, 7], f16>
  %v4 = permute %v3 by [2, 3, 0, 4, 1, 5] : tensor<[1, 4, 4, 7, 4, 7], f16>
  %v5 = reshape %v4 to [1, 4, 28, 28] : tensor<[1, 4, 28, 28], f16>
  %v6 = shrink %v5 from [0, 0, 0, 0] to [1, 4, 24, 24] : tensor<[1, 4, 24, 24], f16>
  %v7 = reshape %v6 to [1, 4, 3, 8, 3, 8] : tensor<[1, 4, 3, 8, 3, 8], f16>
  %v8 = shrink %v7 from [0, 0, 0, 0, 0, 0] to [1, 4, 3, 5, 3, 5] : tensor<[1, 4, 3, 5, 3, 5], f16>
  %v9 = reshape %v8 to [1, 4, 3, 5, 1, 3, 5, 1] : tensor<[1, 4, 3, 5, 1, 3, 5, 1], f16>
  %v10 = reshape %v9 to [1, 4, 3, 5, 3, 5] : tensor<[1, 4, 3, 5, 3, 5], f16>
  %v11 = permute %v10 by [0, 1, 3, 5, 2, 4] : tensor<[1, 4, 5, 5, 3, 3], f16>
  %v12 = reshape %v11 to [1, 2, 2, 1, 5, 5, 3, 3] : tensor<[1, 2, 2, 1, 5, 5, 3, 3], f16>
  %v13 = reshape %v12 to [1, 2, 2, 5, 5, 3, 3] : tensor<[1, 2, 2, 5, 5, 3, 3], f16>
  %v14 = expand %v13 to [3, 1, 2, 2, 5, 5, 3, 3] dims [1, 2, 3, 4, 5, 6, 7] : tensor<[3, 1, 2, 2, 5, 5, 3, 3], f16>
  %v15 = permute %v14 by [1, 2, 3, 0, 4, 5, 6, 7] : tensor<[1, 2, 2, 3, 5, 5, 3, 3], f16>
  %v16 = permute %v15 by [0, 1, 3, 4, 5, 2, 6, 7] : tensor<[1, 2, 3, 5, 5, 2, 3, 3], f16>
  %v17 = reshape %W to [1, 2, 3, 1, 1, 2, 3, 3] : tensor<[1, 2, 3, 1, 1, 2, 3, 3], f16>
  %v18 = mul %v16, %v17 : tensor<[1, 2, 3, 5, 5, 2, 3, 3], f16>
  %v19 = cast %v18 to f32 : tensor<[1, 2, 3, 5, 5, 2, 3, 3], f32>
  %v20 = permute %v19 by [5, 6, 7, 0, 1, 2, 3, 4] : tensor<[2, 3, 3, 1, 2, 3, 5, 5], f32>
  %v21 = reduce sum %v20 over [0, 1, 2] : tensor<[1, 2, 3, 5, 5], f32>
  %v22 = reshape %v21 to [1, 2, 3, 5, 5, 1, 1, 1] : tensor<[1, 2, 3, 5, 5, 1, 1, 1], f32>
  %v23 = cast %v22 to f16 : tensor<[1, 2, 3, 5, 5, 1, 1, 1], f16>
  %v24 = reshape %v23 to [1, 6, 5, 5] : tensor<[1, 6, 5, 5], f16>
  return %v24
}

// Stride, dilation and padding that differ on both axes.
// CHECK-LABEL: @conv_pad_dil_stride
// CHECK: %v0 = pad %X low [0, 0, 0, 2] high [0, 0, 3, 1] : tensor<[1, 2, 14, 15], f16>
// CHECK: %0 = contract %v0 [m0, k0, k1 + 2*m1, 3*k2 + m2], %W [n, k0, k1, k2] to [m0, n, m1, m2] acc f32 {widen} : tensor<[1, 3, 6, 12], f32>
tiny.func @conv_pad_dil_stride(%X: tensor<[1, 2, 11, 12], f16>, %W: tensor<[3, 2, 3, 2], f16>) -> tensor<[1, 3, 6, 12], f16> {
  %v0 = pad %X low [0, 0, 0, 2] high [0, 0, 3, 1] : tensor<[1, 2, 14, 15], f16>
  %v1 = reshape %v0 to [1, 2, 1, 14, 1, 15] : tensor<[1, 2, 1, 14, 1, 15], f16>
  %v2 = reshape %v1 to [1, 2, 14, 15] : tensor<[1, 2, 14, 15], f16>
  %v3 = expand %v2 to [4, 3, 1, 2, 14, 15] dims [2, 3, 4, 5] : tensor<[4, 3, 1, 2, 14, 15], f16>
  %v4 = permute %v3 by [2, 3, 0, 4, 1, 5] : tensor<[1, 2, 4, 14, 3, 15], f16>
  %v5 = reshape %v4 to [1, 2, 56, 45] : tensor<[1, 2, 56, 45], f16>
  %v6 = shrink %v5 from [0, 0, 0, 0] to [1, 2, 45, 36] : tensor<[1, 2, 45, 36], f16>
  %v7 = reshape %v6 to [1, 2, 3, 15, 2, 18] : tensor<[1, 2, 3, 15, 2, 18], f16>
  %v8 = shrink %v7 from [0, 0, 0, 0, 0, 0] to [1, 2, 3, 12, 2, 12] : tensor<[1, 2, 3, 12, 2, 12], f16>
  %v9 = reshape %v8 to [1, 2, 3, 6, 2, 2, 12, 1] : tensor<[1, 2, 3, 6, 2, 2, 12, 1], f16>
  %v10 = shrink %v9 from [0, 0, 0, 0, 0, 0, 0, 0] to [1, 2, 3, 6, 1, 2, 12, 1] : tensor<[1, 2, 3, 6, 1, 2, 12, 1], f16>
  %v11 = reshape %v10 to [1, 2, 3, 6, 2, 12] : tensor<[1, 2, 3, 6, 2, 12], f16>
  %v12 = permute %v11 by [0, 1, 3, 5, 2, 4] : tensor<[1, 2, 6, 12, 3, 2], f16>
  %v13 = reshape %v12 to [1, 1, 2, 1, 6, 12, 3, 2] : tensor<[1, 1, 2, 1, 6, 12, 3, 2], f16>
  %v14 = reshape %v13 to [1, 1, 2, 6, 12, 3, 2] : tensor<[1, 1, 2, 6, 12, 3, 2], f16>
  %v15 = expand %v14 to [3, 1, 1, 2, 6, 12, 3, 2] dims [1, 2, 3, 4, 5, 6, 7] : tensor<[3, 1, 1, 2, 6, 12, 3, 2], f16>
  %v16 = permute %v15 by [1, 2, 3, 0, 4, 5, 6, 7] : tensor<[1, 1, 2, 3, 6, 12, 3, 2], f16>
  %v17 = permute %v16 by [0, 1, 3, 4, 5, 2, 6, 7] : tensor<[1, 1, 3, 6, 12, 2, 3, 2], f16>
  %v18 = reshape %W to [1, 1, 3, 1, 1, 2, 3, 2] : tensor<[1, 1, 3, 1, 1, 2, 3, 2], f16>
  %v19 = mul %v17, %v18 : tensor<[1, 1, 3, 6, 12, 2, 3, 2], f16>
  %v20 = cast %v19 to f32 : tensor<[1, 1, 3, 6, 12, 2, 3, 2], f32>
  %v21 = permute %v20 by [5, 6, 7, 0, 1, 2, 3, 4] : tensor<[2, 3, 2, 1, 1, 3, 6, 12], f32>
  %v22 = reduce sum %v21 over [0, 1, 2] : tensor<[1, 1, 3, 6, 12], f32>
  %v23 = reshape %v22 to [1, 1, 3, 6, 12, 1, 1, 1] : tensor<[1, 1, 3, 6, 12, 1, 1, 1], f32>
  %v24 = cast %v23 to f16 : tensor<[1, 1, 3, 6, 12, 1, 1, 1], f16>
  %v25 = reshape %v24 to [1, 3, 6, 12] : tensor<[1, 3, 6, 12], f16>
  return %v25
}

// One axis; the last rows belong to no window.
// CHECK-LABEL: @conv_1d_stride
// CHECK: %0 = contract %X [m0, k0, k1 + 3*m1], %W [n, k0, k1] to [m0, n, m1] acc f32 {widen} : tensor<[2, 5, 7], f32>
tiny.func @conv_1d_stride(%X: tensor<[2, 4, 20], f16>, %W: tensor<[5, 4, 2], f16>) -> tensor<[2, 5, 7], f16> {
  %v0 = reshape %X to [2, 4, 1, 20] : tensor<[2, 4, 1, 20], f16>
  %v1 = reshape %v0 to [2, 4, 20] : tensor<[2, 4, 20], f16>
  %v2 = expand %v1 to [3, 2, 4, 20] dims [1, 2, 3] : tensor<[3, 2, 4, 20], f16>
  %v3 = permute %v2 by [1, 2, 0, 3] : tensor<[2, 4, 3, 20], f16>
  %v4 = reshape %v3 to [2, 4, 60] : tensor<[2, 4, 60], f16>
  %v5 = shrink %v4 from [0, 0, 0] to [2, 4, 42] : tensor<[2, 4, 42], f16>
  %v6 = reshape %v5 to [2, 4, 2, 21] : tensor<[2, 4, 2, 21], f16>
  %v7 = reshape %v6 to [2, 4, 2, 7, 3] : tensor<[2, 4, 2, 7, 3], f16>
  %v8 = shrink %v7 from [0, 0, 0, 0, 0] to [2, 4, 2, 7, 1] : tensor<[2, 4, 2, 7, 1], f16>
  %v9 = reshape %v8 to [2, 4, 2, 7] : tensor<[2, 4, 2, 7], f16>
  %v10 = permute %v9 by [0, 1, 3, 2] : tensor<[2, 4, 7, 2], f16>
  %v11 = reshape %v10 to [2, 1, 4, 1, 7, 2] : tensor<[2, 1, 4, 1, 7, 2], f16>
  %v12 = reshape %v11 to [2, 1, 4, 7, 2] : tensor<[2, 1, 4, 7, 2], f16>
  %v13 = expand %v12 to [5, 2, 1, 4, 7, 2] dims [1, 2, 3, 4, 5] : tensor<[5, 2, 1, 4, 7, 2], f16>
  %v14 = permute %v13 by [1, 2, 3, 0, 4, 5] : tensor<[2, 1, 4, 5, 7, 2], f16>
  %v15 = permute %v14 by [0, 1, 3, 4, 2, 5] : tensor<[2, 1, 5, 7, 4, 2], f16>
  %v16 = reshape %W to [1, 1, 5, 1, 4, 2] : tensor<[1, 1, 5, 1, 4, 2], f16>
  %v17 = mul %v15, %v16 : tensor<[2, 1, 5, 7, 4, 2], f16>
  %v18 = cast %v17 to f32 : tensor<[2, 1, 5, 7, 4, 2], f32>
  %v19 = permute %v18 by [4, 5, 0, 1, 2, 3] : tensor<[4, 2, 2, 1, 5, 7], f32>
  %v20 = reduce sum %v19 over [0, 1] : tensor<[2, 1, 5, 7], f32>
  %v21 = reshape %v20 to [2, 1, 5, 7, 1, 1] : tensor<[2, 1, 5, 7, 1, 1], f32>
  %v22 = cast %v21 to f16 : tensor<[2, 1, 5, 7, 1, 1], f16>
  %v23 = reshape %v22 to [2, 5, 7] : tensor<[2, 5, 7], f16>
  return %v23
}

// Windows that do not overlap are a reshape.
// CHECK-LABEL: @conv_patches
// CHECK: %0 = reshape %X to [2, 3, 4, 4, 4, 4] : tensor<[2, 3, 4, 4, 4, 4], f16>
// CHECK: %1 = contract %0 [m0, k0, m1, k1, m2, k2], %W [n, k0, k1, k2] to [m0, n, m1, m2] acc f32 {widen} : tensor<[2, 5, 4, 4], f32>
tiny.func @conv_patches(%X: tensor<[2, 3, 16, 16], f16>, %W: tensor<[5, 3, 4, 4], f16>) -> tensor<[2, 5, 4, 4], f16> {
  %v0 = reshape %X to [2, 3, 1, 16, 1, 16] : tensor<[2, 3, 1, 16, 1, 16], f16>
  %v1 = reshape %v0 to [2, 3, 16, 16] : tensor<[2, 3, 16, 16], f16>
  %v2 = expand %v1 to [5, 5, 2, 3, 16, 16] dims [2, 3, 4, 5] : tensor<[5, 5, 2, 3, 16, 16], f16>
  %v3 = permute %v2 by [2, 3, 0, 4, 1, 5] : tensor<[2, 3, 5, 16, 5, 16], f16>
  %v4 = reshape %v3 to [2, 3, 80, 80] : tensor<[2, 3, 80, 80], f16>
  %v5 = shrink %v4 from [0, 0, 0, 0] to [2, 3, 68, 68] : tensor<[2, 3, 68, 68], f16>
  %v6 = reshape %v5 to [2, 3, 4, 17, 4, 17] : tensor<[2, 3, 4, 17, 4, 17], f16>
  %v7 = shrink %v6 from [0, 0, 0, 0, 0, 0] to [2, 3, 4, 16, 4, 16] : tensor<[2, 3, 4, 16, 4, 16], f16>
  %v8 = reshape %v7 to [2, 3, 4, 4, 4, 4, 4, 4] : tensor<[2, 3, 4, 4, 4, 4, 4, 4], f16>
  %v9 = shrink %v8 from [0, 0, 0, 0, 0, 0, 0, 0] to [2, 3, 4, 4, 1, 4, 4, 1] : tensor<[2, 3, 4, 4, 1, 4, 4, 1], f16>
  %v10 = reshape %v9 to [2, 3, 4, 4, 4, 4] : tensor<[2, 3, 4, 4, 4, 4], f16>
  %v11 = permute %v10 by [0, 1, 3, 5, 2, 4] : tensor<[2, 3, 4, 4, 4, 4], f16>
  %v12 = reshape %v11 to [2, 1, 3, 1, 4, 4, 4, 4] : tensor<[2, 1, 3, 1, 4, 4, 4, 4], f16>
  %v13 = reshape %v12 to [2, 1, 3, 4, 4, 4, 4] : tensor<[2, 1, 3, 4, 4, 4, 4], f16>
  %v14 = expand %v13 to [5, 2, 1, 3, 4, 4, 4, 4] dims [1, 2, 3, 4, 5, 6, 7] : tensor<[5, 2, 1, 3, 4, 4, 4, 4], f16>
  %v15 = permute %v14 by [1, 2, 3, 0, 4, 5, 6, 7] : tensor<[2, 1, 3, 5, 4, 4, 4, 4], f16>
  %v16 = permute %v15 by [0, 1, 3, 4, 5, 2, 6, 7] : tensor<[2, 1, 5, 4, 4, 3, 4, 4], f16>
  %v17 = reshape %W to [1, 1, 5, 1, 1, 3, 4, 4] : tensor<[1, 1, 5, 1, 1, 3, 4, 4], f16>
  %v18 = mul %v16, %v17 : tensor<[2, 1, 5, 4, 4, 3, 4, 4], f16>
  %v19 = cast %v18 to f32 : tensor<[2, 1, 5, 4, 4, 3, 4, 4], f32>
  %v20 = permute %v19 by [5, 6, 7, 0, 1, 2, 3, 4] : tensor<[3, 4, 4, 2, 1, 5, 4, 4], f32>
  %v21 = reduce sum %v20 over [0, 1, 2] : tensor<[2, 1, 5, 4, 4], f32>
  %v22 = reshape %v21 to [2, 1, 5, 4, 4, 1, 1, 1] : tensor<[2, 1, 5, 4, 4, 1, 1, 1], f32>
  %v23 = cast %v22 to f16 : tensor<[2, 1, 5, 4, 4, 1, 1, 1], f16>
  %v24 = reshape %v23 to [2, 5, 4, 4] : tensor<[2, 5, 4, 4], f16>
  return %v24
}

// Windows of one element: every second one.
// CHECK-LABEL: @conv_1x1_stride2
// CHECK: %0 = contract %X [m0, k, 2*m1, 2*m2], %W [n0, k, n1, n2] to [m0, n0, m1, m2, n1, n2] acc f32 {widen} : tensor<[2, 5, 4, 4, 1, 1], f32>
tiny.func @conv_1x1_stride2(%X: tensor<[2, 3, 7, 8], f16>, %W: tensor<[5, 3, 1, 1], f16>) -> tensor<[2, 5, 4, 4], f16> {
  %v0 = reshape %X to [2, 3, 1, 7, 1, 8] : tensor<[2, 3, 1, 7, 1, 8], f16>
  %v1 = reshape %v0 to [2, 3, 7, 8] : tensor<[2, 3, 7, 8], f16>
  %v2 = expand %v1 to [2, 2, 2, 3, 7, 8] dims [2, 3, 4, 5] : tensor<[2, 2, 2, 3, 7, 8], f16>
  %v3 = permute %v2 by [2, 3, 0, 4, 1, 5] : tensor<[2, 3, 2, 7, 2, 8], f16>
  %v4 = reshape %v3 to [2, 3, 14, 16] : tensor<[2, 3, 14, 16], f16>
  %v5 = shrink %v4 from [0, 0, 0, 0] to [2, 3, 8, 9] : tensor<[2, 3, 8, 9], f16>
  %v6 = reshape %v5 to [2, 3, 1, 8, 1, 9] : tensor<[2, 3, 1, 8, 1, 9], f16>
  %v7 = shrink %v6 from [0, 0, 0, 0, 0, 0] to [2, 3, 1, 8, 1, 8] : tensor<[2, 3, 1, 8, 1, 8], f16>
  %v8 = reshape %v7 to [2, 3, 1, 4, 2, 1, 4, 2] : tensor<[2, 3, 1, 4, 2, 1, 4, 2], f16>
  %v9 = shrink %v8 from [0, 0, 0, 0, 0, 0, 0, 0] to [2, 3, 1, 4, 1, 1, 4, 1] : tensor<[2, 3, 1, 4, 1, 1, 4, 1], f16>
  %v10 = reshape %v9 to [2, 3, 1, 4, 1, 4] : tensor<[2, 3, 1, 4, 1, 4], f16>
  %v11 = permute %v10 by [0, 1, 3, 5, 2, 4] : tensor<[2, 3, 4, 4, 1, 1], f16>
  %v12 = reshape %v11 to [2, 1, 3, 1, 4, 4, 1, 1] : tensor<[2, 1, 3, 1, 4, 4, 1, 1], f16>
  %v13 = reshape %v12 to [2, 1, 3, 4, 4, 1, 1] : tensor<[2, 1, 3, 4, 4, 1, 1], f16>
  %v14 = expand %v13 to [5, 2, 1, 3, 4, 4, 1, 1] dims [1, 2, 3, 4, 5, 6, 7] : tensor<[5, 2, 1, 3, 4, 4, 1, 1], f16>
  %v15 = permute %v14 by [1, 2, 3, 0, 4, 5, 6, 7] : tensor<[2, 1, 3, 5, 4, 4, 1, 1], f16>
  %v16 = permute %v15 by [0, 1, 3, 4, 5, 2, 6, 7] : tensor<[2, 1, 5, 4, 4, 3, 1, 1], f16>
  %v17 = reshape %W to [1, 1, 5, 1, 1, 3, 1, 1] : tensor<[1, 1, 5, 1, 1, 3, 1, 1], f16>
  %v18 = mul %v16, %v17 : tensor<[2, 1, 5, 4, 4, 3, 1, 1], f16>
  %v19 = cast %v18 to f32 : tensor<[2, 1, 5, 4, 4, 3, 1, 1], f32>
  %v20 = permute %v19 by [5, 0, 1, 2, 3, 4, 6, 7] : tensor<[3, 2, 1, 5, 4, 4, 1, 1], f32>
  %v21 = reduce sum %v20 over [0] : tensor<[2, 1, 5, 4, 4, 1, 1], f32>
  %v22 = reshape %v21 to [2, 1, 5, 4, 4] : tensor<[2, 1, 5, 4, 4], f32>
  %v23 = reshape %v22 to [2, 1, 5, 4, 4, 1, 1, 1] : tensor<[2, 1, 5, 4, 4, 1, 1, 1], f32>
  %v24 = cast %v23 to f16 : tensor<[2, 1, 5, 4, 4, 1, 1, 1], f16>
  %v25 = reshape %v24 to [2, 5, 4, 4] : tensor<[2, 5, 4, 4], f16>
  return %v25
}

// The convolution backwards: zeros between the elements, and the weights flipped.
// CHECK-LABEL: @conv_transpose
// CHECK: %v0 = reshape %X to [1, 2, 5, 1, 5, 1] : tensor<[1, 2, 5, 1, 5, 1], f16>
// CHECK: %v1 = pad %v0 low [0, 0, 0, 0, 0, 0] high [0, 0, 0, 1, 0, 1] : tensor<[1, 2, 5, 2, 5, 2], f16>
// CHECK: %v4 = pad %v3 low [0, 0, 2, 2] high [0, 0, 2, 2] : tensor<[1, 2, 13, 13], f16>
// CHECK: %v21 = reshape %W to [1, 2, 3, 3, 3] : tensor<[1, 2, 3, 3, 3], f16>
// CHECK: %v23 = flip %v22 over [3, 4] : tensor<[1, 3, 2, 3, 3], f16>
// CHECK: %0 = contract %v4 [m0, k0, k1 + m1, k2 + m2], %v24 [n, k0, k1, k2] to [m0, n, m1, m2] acc f32 {widen} : tensor<[1, 3, 11, 11], f32>
tiny.func @conv_transpose(%X: tensor<[1, 2, 5, 5], f16>, %W: tensor<[2, 3, 3, 3], f16>) -> tensor<[1, 3, 11, 11], f16> {
  %v0 = reshape %X to [1, 2, 5, 1, 5, 1] : tensor<[1, 2, 5, 1, 5, 1], f16>
  %v1 = pad %v0 low [0, 0, 0, 0, 0, 0] high [0, 0, 0, 1, 0, 1] : tensor<[1, 2, 5, 2, 5, 2], f16>
  %v2 = reshape %v1 to [1, 2, 10, 10] : tensor<[1, 2, 10, 10], f16>
  %v3 = shrink %v2 from [0, 0, 0, 0] to [1, 2, 9, 9] : tensor<[1, 2, 9, 9], f16>
  %v4 = pad %v3 low [0, 0, 2, 2] high [0, 0, 2, 2] : tensor<[1, 2, 13, 13], f16>
  %v5 = reshape %v4 to [1, 2, 1, 13, 1, 13] : tensor<[1, 2, 1, 13, 1, 13], f16>
  %v6 = reshape %v5 to [1, 2, 13, 13] : tensor<[1, 2, 13, 13], f16>
  %v7 = expand %v6 to [4, 4, 1, 2, 13, 13] dims [2, 3, 4, 5] : tensor<[4, 4, 1, 2, 13, 13], f16>
  %v8 = permute %v7 by [2, 3, 0, 4, 1, 5] : tensor<[1, 2, 4, 13, 4, 13], f16>
  %v9 = reshape %v8 to [1, 2, 52, 52] : tensor<[1, 2, 52, 52], f16>
  %v10 = shrink %v9 from [0, 0, 0, 0] to [1, 2, 42, 42] : tensor<[1, 2, 42, 42], f16>
  %v11 = reshape %v10 to [1, 2, 3, 14, 3, 14] : tensor<[1, 2, 3, 14, 3, 14], f16>
  %v12 = shrink %v11 from [0, 0, 0, 0, 0, 0] to [1, 2, 3, 11, 3, 11] : tensor<[1, 2, 3, 11, 3, 11], f16>
  %v13 = reshape %v12 to [1, 2, 3, 11, 1, 3, 11, 1] : tensor<[1, 2, 3, 11, 1, 3, 11, 1], f16>
  %v14 = reshape %v13 to [1, 2, 3, 11, 3, 11] : tensor<[1, 2, 3, 11, 3, 11], f16>
  %v15 = permute %v14 by [0, 1, 3, 5, 2, 4] : tensor<[1, 2, 11, 11, 3, 3], f16>
  %v16 = reshape %v15 to [1, 1, 2, 1, 11, 11, 3, 3] : tensor<[1, 1, 2, 1, 11, 11, 3, 3], f16>
  %v17 = reshape %v16 to [1, 1, 2, 11, 11, 3, 3] : tensor<[1, 1, 2, 11, 11, 3, 3], f16>
  %v18 = expand %v17 to [3, 1, 1, 2, 11, 11, 3, 3] dims [1, 2, 3, 4, 5, 6, 7] : tensor<[3, 1, 1, 2, 11, 11, 3, 3], f16>
  %v19 = permute %v18 by [1, 2, 3, 0, 4, 5, 6, 7] : tensor<[1, 1, 2, 3, 11, 11, 3, 3], f16>
  %v20 = permute %v19 by [0, 1, 3, 4, 5, 2, 6, 7] : tensor<[1, 1, 3, 11, 11, 2, 3, 3], f16>
  %v21 = reshape %W to [1, 2, 3, 3, 3] : tensor<[1, 2, 3, 3, 3], f16>
  %v22 = permute %v21 by [0, 2, 1, 3, 4] : tensor<[1, 3, 2, 3, 3], f16>
  %v23 = flip %v22 over [3, 4] : tensor<[1, 3, 2, 3, 3], f16>
  %v24 = reshape %v23 to [3, 2, 3, 3] : tensor<[3, 2, 3, 3], f16>
  %v25 = reshape %v24 to [1, 1, 3, 1, 1, 2, 3, 3] : tensor<[1, 1, 3, 1, 1, 2, 3, 3], f16>
  %v26 = mul %v20, %v25 : tensor<[1, 1, 3, 11, 11, 2, 3, 3], f16>
  %v27 = cast %v26 to f32 : tensor<[1, 1, 3, 11, 11, 2, 3, 3], f32>
  %v28 = permute %v27 by [5, 6, 7, 0, 1, 2, 3, 4] : tensor<[2, 3, 3, 1, 1, 3, 11, 11], f32>
  %v29 = reduce sum %v28 over [0, 1, 2] : tensor<[1, 1, 3, 11, 11], f32>
  %v30 = reshape %v29 to [1, 1, 3, 11, 11, 1, 1, 1] : tensor<[1, 1, 3, 11, 11, 1, 1, 1], f32>
  %v31 = cast %v30 to f16 : tensor<[1, 1, 3, 11, 11, 1, 1, 1], f16>
  %v32 = reshape %v31 to [1, 3, 11, 11] : tensor<[1, 3, 11, 11], f16>
  return %v32
}

// Windows that are written as indices, over any number of rows.
// CHECK-LABEL: @windows_by_load
// CHECK: %s = contract %X [m0, k0, k1 + 2*m1], %W [n, k0, k1] to [m0, n, m1] acc f32 {widen} : tensor<[N, F, H], f32>
tiny.func @windows_by_load<N, C, H, F>(%X: tensor<[N, C, 2*H + 1], f16>, %W: tensor<[F, C, 3], f16>) -> tensor<[N, F, H], f32> {
  %x = load %X at [i0, i1, 2*i2 + i3] : tensor<[N, C, H, 3], f16>
  %x1 = permute %x by [0, 2, 1, 3]
  %x2 = reshape %x1 to [N, 1, H, C, 3]
  %w = reshape %W to [F, 1, C, 3]
  %p = mul %x2, %w
  %s = reduce sum %p over [3, 4] acc f32
  return %s
}

// Only some of the windows are read: what they read is cut out first.
// CHECK-LABEL: @some_of_the_windows
// CHECK: %0 = shrink %X from [0, 4] to [C, 11] : tensor<[C, 7], f16>
// CHECK: %s = contract %0 [k0, k1 + m], %W [k0, k1] to [m] acc f32 {widen} : tensor<[5], f32>
tiny.func @some_of_the_windows<C>(%X: tensor<[C, 20], f16>, %W: tensor<[C, 3], f16>) -> tensor<[5], f32> {
  %x = load %X at [i0, i1 + i2 + 4] : tensor<[C, 5, 3], f16>
  %w = reshape %W to [C, 1, 3]
  %p = mul %x, %w
  %s = reduce sum %p over [0, 2] acc f32
  return %s
}

// Part of an axis: cut above a repetition, so the cut is put below it.
// CHECK-LABEL: @part_of_an_axis
// CHECK: %0 = shrink %A from [0, 4] to [M, 12] : tensor<[M, 8], f16>
// CHECK: %s = contract %0 [m, k], %B [n, k] to [m, n] acc f32 {widen} : tensor<[M, N], f32>
tiny.func @part_of_an_axis<M, N>(%A: tensor<[M, 16], f16>, %B: tensor<[N, 8], f16>) -> tensor<[M, N], f32> {
  %a = expand %A to [M, N, 16] dims [0, 2]
  %b = shrink %a from [0, 0, 4] to [M, N, 12]
  %p = mul %b, %B
  %s = reduce sum %p over [2] acc f32
  return %s
}

// From the end to the start.
// CHECK-LABEL: @backwards
// CHECK: %0 = flip %x over [0] : tensor<[K], f32>
// CHECK: %s = contract %0 [k], %y [n, k] to [n] {widen} : tensor<[M], f32>
tiny.func @backwards<M, K>(%x: tensor<[K], f32>, %y: tensor<[M, K], f32>) -> tensor<[M], f32> {
  %e = expand %x to [M, K] dims [1]
  %f = flip %e over [1]
  %p = mul %f, %y
  %s = reduce sum %p over [1]
  return %s
}
