// Windows become indices; what lies outside of an input is put around it.

// RUN: dlc-opt %s --lower-frontend --split-input-file | snapshot %s

// Every second place of a padded image. The sum is in f32 and rounded once.
frontend.graph @conv<N, H, W>(%x: tensor<[N, 64, H, W], f16>, %w: tensor<[128, 64, 3, 3], f16>, %b: tensor<[128], f16>) -> tensor<[N, 128, (H + 1) floordiv 2, (W + 1) floordiv 2], f16> {
  %y = conv %x, %w bias %b stride [2, 2] pad [1, 1]
  output %y
}

// EXPECT:
// module {
//   tiny.func @conv<N, H, W>(%x: tensor<[N, 64, H, W], f16>, %w: tensor<[128, 64, 3, 3], f16>, %b: tensor<[128], f16>) -> tensor<[N, 128, H ceildiv 2, W ceildiv 2], f16> {
//     %0 = pad %x low [0, 0, 1, 1] high [0, 0, 1, 1] : tensor<[N, 64, H + 2, W + 2], f16>
//     %1 = contract %w [co, ci, kh, kw], %0 [n, ci, 2*ho + kh, kw + 2*wo] to [n, co, ho, wo] acc f32 : tensor<[N, 128, H ceildiv 2, W ceildiv 2], f32>
//     %2 = reshape %b to [128, 1, 1] : tensor<[128, 1, 1], f16>
//     %3 = add %1, %2 : tensor<[N, 128, H ceildiv 2, W ceildiv 2], f32>
//     %y = cast %3 to f16 : tensor<[N, 128, H ceildiv 2, W ceildiv 2], f16>
//     return %y
//   }
// }

// -----

// A window of one element needs no index.
frontend.graph @pointwise<N, H, W, C, O>(%x: tensor<[N, H, W, C], f32>, %w: tensor<[1, 1, C, O], f32>) -> tensor<[N, H, (W + 1) floordiv 2, O], f32> {
  %y = conv %x, %w stride [1, 2] layout channels_last
  output %y
}

// EXPECT:
// module {
//   tiny.func @pointwise<N, H, W, C, O>(%x: tensor<[N, H, W, C], f32>, %w: tensor<[1, 1, C, O], f32>) -> tensor<[N, H, W ceildiv 2, O], f32> {
//     %y = contract %w [0, 0, ci, co], %x [n, ho, 2*wo, ci] to [n, ho, wo, co] : tensor<[N, H, W ceildiv 2, O], f32>
//     return %y
//   }
// }

// -----

// Groups are an index of their own. With as many groups as channels each has one, which needs no index.
frontend.graph @depthwise<N, L>(%x: tensor<[N, 64, L], f32>, %w: tensor<[64, 1, 5], f32>) -> tensor<[N, 64, L], f32> {
  %y = conv %x, %w pad [4] dilation [2] groups 64
  output %y
}

// EXPECT:
// module {
//   tiny.func @depthwise<N, L>(%x: tensor<[N, 64, L], f32>, %w: tensor<[64, 1, 5], f32>) -> tensor<[N, 64, L], f32> {
//     %0 = pad %x low [0, 0, 4] high [0, 0, 4] : tensor<[N, 64, L + 8], f32>
//     %1 = reshape %0 to [N, 64, 1, L + 8] : tensor<[N, 64, 1, L + 8], f32>
//     %2 = reshape %w to [64, 1, 1, 5] : tensor<[64, 1, 1, 5], f32>
//     %y = contract %2 [g, 0, 0, kw], %1 [n, g, 0, 2*kw + wo] to [n, g, wo] : tensor<[N, 64, L], f32>
//     return %y
//   }
// }

// -----

// Zeros between the elements of the input, and the window turned around.
frontend.graph @transposed<N, H, W, C, O>(%x: tensor<[N, C, H, W], f32>, %w: tensor<[C, O, 4, 4], f32>) -> tensor<[N, O, 2*H, 2*W], f32> {
  %y = conv_transpose %x, %w stride [2, 2] pad [1, 1]
  output %y
}

// EXPECT:
// module {
//   tiny.func @transposed<N, H, W, C, O>(%x: tensor<[N, C, H, W], f32>, %w: tensor<[C, O, 4, 4], f32>) -> tensor<[N, O, 2*H, 2*W], f32> {
//     %0 = reshape %x to [N, C, H, 1, W, 1] : tensor<[N, C, H, 1, W, 1], f32>
//     %1 = pad %0 low [0, 0, 0, 0, 0, 0] high [0, 0, 0, 1, 0, 1] : tensor<[N, C, H, 2, W, 2], f32>
//     %2 = reshape %1 to [N, C, 2*H, 2*W] : tensor<[N, C, 2*H, 2*W], f32>
//     %3 = pad %2 low [0, 0, 2, 2] high [0, 0, 1, 1] : tensor<[N, C, 2*H + 3, 2*W + 3], f32>
//     %4 = flip %w over [2, 3] : tensor<[C, O, 4, 4], f32>
//     %y = contract %4 [ci, co, kh, kw], %3 [n, ci, ho + kh, kw + wo] to [n, co, ho, wo] : tensor<[N, O, 2*H, 2*W], f32>
//     return %y
//   }
// }

// -----

// What would be put around the input is negative: it is cut off.
frontend.graph @cut<N, L, C, O>(%x: tensor<[N, C, L], f32>, %w: tensor<[C, O, 2], f32>) -> tensor<[N, O, 2*L - 6], f32> {
  %y = conv_transpose %x, %w stride [2] pad [3]
  output %y
}

// EXPECT:
// module {
//   tiny.func @cut<N, L, C, O>(%x: tensor<[N, C, L], f32>, %w: tensor<[C, O, 2], f32>) -> tensor<[N, O, 2*L - 6], f32> {
//     %0 = reshape %x to [N, C, L, 1] : tensor<[N, C, L, 1], f32>
//     %1 = pad %0 low [0, 0, 0, 0] high [0, 0, 0, 1] : tensor<[N, C, L, 2], f32>
//     %2 = reshape %1 to [N, C, 2*L] : tensor<[N, C, 2*L], f32>
//     %3 = shrink %2 from [0, 0, 2] to [N, C, 2*L - 3] : tensor<[N, C, 2*L - 5], f32>
//     %4 = flip %w over [2] : tensor<[C, O, 2], f32>
//     %y = contract %4 [ci, co, kw], %3 [n, ci, kw + wo] to [n, co, wo] : tensor<[N, O, 2*L - 6], f32>
//     return %y
//   }
// }

// -----

// The windows are axes until their elements are combined.
frontend.graph @max_pool<N, C, H, W>(%x: tensor<[N, C, H, W], f16>) -> tensor<[N, C, (H + 1) floordiv 2, (W + 1) floordiv 2], f16> {
  %y = max_pool %x window [3, 3] stride [2, 2] pad [1, 1]
  output %y
}

// EXPECT:
// module {
//   tiny.func @max_pool<N, C, H, W>(%x: tensor<[N, C, H, W], f16>) -> tensor<[N, C, H ceildiv 2, W ceildiv 2], f16> {
//     %0 = pad %x low [0, 0, 1, 1] high [0, 0, 1, 1] value 0xFC00 : f16 : tensor<[N, C, H + 2, W + 2], f16>
//     %1 = load %0 at [i0, i1, 2*i2 + i4, 2*i3 + i5] : tensor<[N, C, H ceildiv 2, W ceildiv 2, 3, 3], f16>
//     %y = reduce max %1 over [4, 5] : tensor<[N, C, H ceildiv 2, W ceildiv 2], f16>
//     return %y
//   }
// }

// -----

// Every window has as many elements.
frontend.graph @avg_pool<N, C, H, W>(%x: tensor<[N, H, W, C], f16>) -> tensor<[N, H floordiv 2, W floordiv 2, C], f16> {
  %y = avg_pool %x window [2, 2] layout channels_last
  output %y
}

// EXPECT:
// module {
//   tiny.func @avg_pool<N, C, H, W>(%x: tensor<[N, H, W, C], f16>) -> tensor<[N, H floordiv 2, W floordiv 2, C], f16> {
//     %0 = load %x at [i0, 2*i1 + i4, 2*i2 + i5, i3] : tensor<[N, H floordiv 2, W floordiv 2, C, 2, 2], f16>
//     %1 = reduce sum %0 over [4, 5] acc f32 : tensor<[N, H floordiv 2, W floordiv 2, C], f32>
//     %2 = const 4.000000e+00 : tensor<[], f32>
//     %3 = fdiv %1, %2 : tensor<[N, H floordiv 2, W floordiv 2, C], f32>
//     %y = cast %3 to f16 : tensor<[N, H floordiv 2, W floordiv 2, C], f16>
//     return %y
//   }
// }

// -----

// How many elements a window has depends on where it is, on one of the axes.
frontend.graph @avg_pool_count<N, C, H, W>(%x: tensor<[N, C, H, W], f32>) -> tensor<[N, C, (H + 1) floordiv 2, W - 2], f32> {
  %y = avg_pool %x window [3, 3] stride [2, 1] pad [1, 0] exclude_pad
  output %y
}

// EXPECT:
// module {
//   tiny.func @avg_pool_count<N, C, H, W>(%x: tensor<[N, C, H, W], f32>) -> tensor<[N, C, H ceildiv 2, W - 2], f32> {
//     %0 = pad %x low [0, 0, 1, 0] high [0, 0, 1, 0] : tensor<[N, C, H + 2, W], f32>
//     %1 = load %0 at [i0, i1, 2*i2 + i4, i3 + i5] : tensor<[N, C, H ceildiv 2, W - 2, 3, 3], f32>
//     %2 = reduce sum %1 over [4, 5] : tensor<[N, C, H ceildiv 2, W - 2], f32>
//     %3 = valid from [1] to [H + 1] : tensor<[H + 2], i1>
//     %4 = load %3 at [2*i0 + i1] : tensor<[H ceildiv 2, 3], i1>
//     %5 = cast %4 to f32 : tensor<[H ceildiv 2, 3], f32>
//     %6 = reduce sum %5 over [1] : tensor<[H ceildiv 2], f32>
//     %7 = reshape %6 to [H ceildiv 2, 1] : tensor<[H ceildiv 2, 1], f32>
//     %8 = const 3.000000e+00 : tensor<[], f32>
//     %9 = mul %7, %8 : tensor<[H ceildiv 2, 1], f32>
//     %y = fdiv %2, %9 : tensor<[N, C, H ceildiv 2, W - 2], f32>
//     return %y
//   }
// }

// -----

// A mean over axes of symbolic sizes.
frontend.graph @global<N, C, H, W>(%x: tensor<[N, C, H, W], f16>) -> tensor<[N, C, 1, 1], f16> {
  %y = global_avg_pool %x
  output %y
}

// EXPECT:
// module {
//   tiny.func @global<N, C, H, W>(%x: tensor<[N, C, H, W], f16>) -> tensor<[N, C, 1, 1], f16> {
//     %0 = const 1.000000e+00 : tensor<[H, W], f32>
//     %1 = reduce sum %0 over [0, 1] : tensor<[], f32>
//     %2 = reduce sum %x over [2, 3] acc f32 : tensor<[N, C], f32>
//     %3 = reshape %2 to [N, C, 1, 1] : tensor<[N, C, 1, 1], f32>
//     %4 = fdiv %3, %1 : tensor<[N, C, 1, 1], f32>
//     %y = cast %4 to f16 : tensor<[N, C, 1, 1], f16>
//     return %y
//   }
// }

// -----

// Stride and dilation have a common divisor: only results that lie as far apart are sums, and the others are zero.
frontend.graph @apart(%x: tensor<[2, 3, 8, 8], f32>, %w: tensor<[3, 5, 3, 2], f32>, %b: tensor<[5], f32>) -> tensor<[2, 5, 17, 17], f32> {
  %y = conv_transpose %x, %w bias %b stride [2, 2] pad [1, 0] output_pad [0, 1] dilation [2, 1]
  output %y
}

// EXPECT:
// module {
//   tiny.func @apart(%x: tensor<[2, 3, 8, 8], f32>, %w: tensor<[3, 5, 3, 2], f32>, %b: tensor<[5], f32>) -> tensor<[2, 5, 17, 17], f32> {
//     %0 = reshape %x to [2, 3, 8, 8, 1] : tensor<[2, 3, 8, 8, 1], f32>
//     %1 = pad %0 low [0, 0, 0, 0, 0] high [0, 0, 0, 0, 1] : tensor<[2, 3, 8, 8, 2], f32>
//     %2 = reshape %1 to [2, 3, 8, 16] : tensor<[2, 3, 8, 16], f32>
//     %3 = pad %2 low [0, 0, 2, 1] high [0, 0, 2, 1] : tensor<[2, 3, 12, 18], f32>
//     %4 = flip %w over [2, 3] : tensor<[3, 5, 3, 2], f32>
//     %5 = contract %4 [ci, co, kh, kw], %3 [n, ci, ho + kh, kw + wo] to [n, co, ho, wo] : tensor<[2, 5, 10, 17], f32>
//     %6 = reshape %5 to [2, 5, 10, 1, 17] : tensor<[2, 5, 10, 1, 17], f32>
//     %7 = pad %6 low [0, 0, 0, 0, 0] high [0, 0, 0, 1, 0] : tensor<[2, 5, 10, 2, 17], f32>
//     %8 = reshape %7 to [2, 5, 20, 17] : tensor<[2, 5, 20, 17], f32>
//     %9 = shrink %8 from [0, 0, 1, 0] to [2, 5, 18, 17] : tensor<[2, 5, 17, 17], f32>
//     %10 = reshape %b to [5, 1, 1] : tensor<[5, 1, 1], f32>
//     %y = add %9, %10 : tensor<[2, 5, 17, 17], f32>
//     return %y
//   }
// }

// -----

// Groups of one channel, and their results apart, with zeros after the last one.
frontend.graph @apart_in_groups<L>(%x: tensor<[2, 3, L], f32>, %w: tensor<[3, 1, 3], f32>) -> tensor<[2, 3, 4*L + 8], f32> {
  %y = conv_transpose %x, %w stride [4] output_pad [3] dilation [4] groups 3
  output %y
}

// EXPECT:
// module {
//   tiny.func @apart_in_groups<L>(%x: tensor<[2, 3, L], f32>, %w: tensor<[3, 1, 3], f32>) -> tensor<[2, 3, 4*L + 8], f32> {
//     %0 = pad %x low [0, 0, 2] high [0, 0, 2] : tensor<[2, 3, L + 4], f32>
//     %1 = flip %w over [2] : tensor<[3, 1, 3], f32>
//     %2 = reshape %0 to [2, 3, 1, L + 4] : tensor<[2, 3, 1, L + 4], f32>
//     %3 = reshape %1 to [3, 1, 1, 3] : tensor<[3, 1, 1, 3], f32>
//     %4 = contract %3 [g, 0, 0, kw], %2 [n, g, 0, kw + wo] to [n, g, wo] : tensor<[2, 3, L + 2], f32>
//     %5 = reshape %4 to [2, 3, L + 2, 1] : tensor<[2, 3, L + 2, 1], f32>
//     %6 = pad %5 low [0, 0, 0, 0] high [0, 0, 0, 3] : tensor<[2, 3, L + 2, 4], f32>
//     %y = reshape %6 to [2, 3, 4*L + 8] : tensor<[2, 3, 4*L + 8], f32>
//     return %y
//   }
// }

// -----

// The mark that factors may be rounded goes to the product.
frontend.graph @tf32<N, H, W>(%x: tensor<[N, 8, H, W], f32>, %w: tensor<[4, 8, 1, 1], f32>) -> tensor<[N, 4, H, W], f32> {
  %y = conv %x, %w tf32
  output %y
}

// EXPECT:
// module {
//   tiny.func @tf32<N, H, W>(%x: tensor<[N, 8, H, W], f32>, %w: tensor<[4, 8, 1, 1], f32>) -> tensor<[N, 4, H, W], f32> {
//     %y = contract %w [co, ci, 0, 0], %x [n, ci, ho, wo] to [n, co, ho, wo] {tf32} : tensor<[N, 4, H, W], f32>
//     return %y
//   }
// }
