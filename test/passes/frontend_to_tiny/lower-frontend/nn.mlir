// Rows are combined in f32 where their elements are narrower.

// RUN: dlc-opt %s --lower-frontend --split-input-file | snapshot %s

// Means are sums divided by how many there are.
frontend.graph @layer_norm<B, S>(%x: tensor<[B, S, 768], f16>, %w: tensor<[768], f16>, %b: tensor<[768], f16>) -> tensor<[B, S, 768], f16> {
  %y = layer_norm %x weight %w bias %b
  output %y
}

// EXPECT:
// module {
//   tiny.func @layer_norm<B, S>(%x: tensor<[B, S, 768], f16>, %w: tensor<[768], f16>, %b: tensor<[768], f16>) -> tensor<[B, S, 768], f16> {
//     %0 = cast %x to f32 : tensor<[B, S, 768], f32>
//     %1 = const 7.680000e+02 : tensor<[], f32>
//     %2 = reduce sum %0 over [2] : tensor<[B, S], f32>
//     %3 = reshape %2 to [B, S, 1] : tensor<[B, S, 1], f32>
//     %4 = fdiv %3, %1 : tensor<[B, S, 1], f32>
//     %5 = sub %0, %4 : tensor<[B, S, 768], f32>
//     %6 = mul %5, %5 : tensor<[B, S, 768], f32>
//     %7 = reduce sum %6 over [2] : tensor<[B, S], f32>
//     %8 = reshape %7 to [B, S, 1] : tensor<[B, S, 1], f32>
//     %9 = fdiv %8, %1 : tensor<[B, S, 1], f32>
//     %10 = const 9.99999974E-6 : tensor<[], f32>
//     %11 = add %9, %10 : tensor<[B, S, 1], f32>
//     %12 = sqrt %11 : tensor<[B, S, 1], f32>
//     %13 = recip %12 : tensor<[B, S, 1], f32>
//     %14 = mul %5, %13 : tensor<[B, S, 768], f32>
//     %15 = mul %14, %w : tensor<[B, S, 768], f32>
//     %16 = add %15, %b : tensor<[B, S, 768], f32>
//     %y = cast %16 to f16 : tensor<[B, S, 768], f16>
//     return %y
//   }
// }

// -----

// How many there are is a sum too, when it is a symbol.
frontend.graph @rms_norm<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = rms_norm %x eps 1.0e-6
  output %y
}

// EXPECT:
// module {
//   tiny.func @rms_norm<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
//     %0 = const 1.000000e+00 : tensor<[N], f32>
//     %1 = reduce sum %0 over [0] : tensor<[], f32>
//     %2 = mul %x, %x : tensor<[M, N], f32>
//     %3 = reduce sum %2 over [1] : tensor<[M], f32>
//     %4 = reshape %3 to [M, 1] : tensor<[M, 1], f32>
//     %5 = fdiv %4, %1 : tensor<[M, 1], f32>
//     %6 = const 9.99999997E-7 : tensor<[], f32>
//     %7 = add %5, %6 : tensor<[M, 1], f32>
//     %8 = sqrt %7 : tensor<[M, 1], f32>
//     %9 = recip %8 : tensor<[M, 1], f32>
//     %y = mul %x, %9 : tensor<[M, N], f32>
//     return %y
//   }
// }

// -----

// The scale is one number for each channel.
frontend.graph @batch_norm<N, H, W>(%x: tensor<[N, 64, H, W], f32>, %m: tensor<[64], f32>, %v: tensor<[64], f32>, %w: tensor<[64], f32>, %b: tensor<[64], f32>) -> tensor<[N, 64, H, W], f32> {
  %y = batch_norm %x mean %m variance %v weight %w bias %b
  output %y
}

// EXPECT:
// module {
//   tiny.func @batch_norm<N, H, W>(%x: tensor<[N, 64, H, W], f32>, %m: tensor<[64], f32>, %v: tensor<[64], f32>, %w: tensor<[64], f32>, %b: tensor<[64], f32>) -> tensor<[N, 64, H, W], f32> {
//     %0 = const 9.99999974E-6 : tensor<[], f32>
//     %1 = add %v, %0 : tensor<[64], f32>
//     %2 = sqrt %1 : tensor<[64], f32>
//     %3 = recip %2 : tensor<[64], f32>
//     %4 = mul %3, %w : tensor<[64], f32>
//     %5 = reshape %m to [64, 1, 1] : tensor<[64, 1, 1], f32>
//     %6 = reshape %4 to [64, 1, 1] : tensor<[64, 1, 1], f32>
//     %7 = sub %x, %5 : tensor<[N, 64, H, W], f32>
//     %8 = mul %7, %6 : tensor<[N, 64, H, W], f32>
//     %9 = reshape %b to [64, 1, 1] : tensor<[64, 1, 1], f32>
//     %y = add %8, %9 : tensor<[N, 64, H, W], f32>
//     return %y
//   }
// }

// -----

// Channels of a group are an axis for a while.
frontend.graph @group_norm<N, L>(%x: tensor<[N, 64, L], f32>) -> tensor<[N, 64, L], f32> {
  %y = group_norm %x groups 8
  output %y
}

// EXPECT:
// module {
//   tiny.func @group_norm<N, L>(%x: tensor<[N, 64, L], f32>) -> tensor<[N, 64, L], f32> {
//     %0 = reshape %x to [N, 8, 8, L] : tensor<[N, 8, 8, L], f32>
//     %1 = const 8.000000e+00 : tensor<[L], f32>
//     %2 = reduce sum %1 over [0] : tensor<[], f32>
//     %3 = reduce sum %0 over [2, 3] : tensor<[N, 8], f32>
//     %4 = reshape %3 to [N, 8, 1, 1] : tensor<[N, 8, 1, 1], f32>
//     %5 = fdiv %4, %2 : tensor<[N, 8, 1, 1], f32>
//     %6 = sub %0, %5 : tensor<[N, 8, 8, L], f32>
//     %7 = mul %6, %6 : tensor<[N, 8, 8, L], f32>
//     %8 = reduce sum %7 over [2, 3] : tensor<[N, 8], f32>
//     %9 = reshape %8 to [N, 8, 1, 1] : tensor<[N, 8, 1, 1], f32>
//     %10 = fdiv %9, %2 : tensor<[N, 8, 1, 1], f32>
//     %11 = const 9.99999974E-6 : tensor<[], f32>
//     %12 = add %10, %11 : tensor<[N, 8, 1, 1], f32>
//     %13 = sqrt %12 : tensor<[N, 8, 1, 1], f32>
//     %14 = recip %13 : tensor<[N, 8, 1, 1], f32>
//     %15 = mul %6, %14 : tensor<[N, 8, 8, L], f32>
//     %y = reshape %15 to [N, 64, L] : tensor<[N, 64, L], f32>
//     return %y
//   }
// }

// -----

// Along an axis that others follow.
frontend.graph @log_softmax<M, N>(%x: tensor<[M, 8, N], f32>) -> tensor<[M, 8, N], f32> {
  %y = log_softmax %x over 1
  output %y
}

// EXPECT:
// module {
//   tiny.func @log_softmax<M, N>(%x: tensor<[M, 8, N], f32>) -> tensor<[M, 8, N], f32> {
//     %0 = reduce max %x over [1] : tensor<[M, N], f32>
//     %1 = reshape %0 to [M, 1, N] : tensor<[M, 1, N], f32>
//     %2 = sub %x, %1 : tensor<[M, 8, N], f32>
//     %3 = const 1.44269502 : tensor<[], f32>
//     %4 = mul %2, %3 : tensor<[M, 8, N], f32>
//     %5 = exp2 %4 : tensor<[M, 8, N], f32>
//     %6 = reduce sum %5 over [1] : tensor<[M, N], f32>
//     %7 = reshape %6 to [M, 1, N] : tensor<[M, 1, N], f32>
//     %8 = log2 %7 : tensor<[M, 1, N], f32>
//     %9 = const 0.693147182 : tensor<[], f32>
//     %10 = mul %8, %9 : tensor<[M, 1, N], f32>
//     %y = sub %2, %10 : tensor<[M, 8, N], f32>
//     return %y
//   }
// }

// -----

// Two contractions with the softmax of rows between them; what comes later is hidden by its position.
frontend.graph @attention<B, H, S>(%q: tensor<[B, H, S, 64], f16>, %k: tensor<[B, H, S, 64], f16>, %v: tensor<[B, H, S, 64], f16>) -> tensor<[B, H, S, 64], f16> {
  %y = attention %q, %k, %v causal
  output %y
}

// EXPECT:
// module {
//   tiny.func @attention<B, H, S>(%q: tensor<[B, H, S, 64], f16>, %k: tensor<[B, H, S, 64], f16>, %v: tensor<[B, H, S, 64], f16>) -> tensor<[B, H, S, 64], f16> {
//     %0 = contract %q [b, h, m, d], %k [b, h, n, d] to [b, h, m, n] acc f32 : tensor<[B, H, S, S], f32>
//     %1 = const 1.250000e-01 : tensor<[], f32>
//     %2 = mul %0, %1 : tensor<[B, H, S, S], f32>
//     %3 = range 0 : tensor<[S, S], i32>
//     %4 = range 1 : tensor<[S, S], i32>
//     %5 = cmp le %4, %3 : tensor<[S, S], i1>
//     %6 = const 0xFF800000 : tensor<[], f32>
//     %7 = where %5, %2, %6 : tensor<[B, H, S, S], f32>
//     %8 = reduce max %7 over [3] : tensor<[B, H, S], f32>
//     %9 = reshape %8 to [B, H, S, 1] : tensor<[B, H, S, 1], f32>
//     %10 = sub %7, %9 : tensor<[B, H, S, S], f32>
//     %11 = const 1.44269502 : tensor<[], f32>
//     %12 = mul %10, %11 : tensor<[B, H, S, S], f32>
//     %13 = exp2 %12 : tensor<[B, H, S, S], f32>
//     %14 = reduce sum %13 over [3] : tensor<[B, H, S], f32>
//     %15 = reshape %14 to [B, H, S, 1] : tensor<[B, H, S, 1], f32>
//     %16 = fdiv %13, %15 : tensor<[B, H, S, S], f32>
//     %17 = cast %16 to f16 : tensor<[B, H, S, S], f16>
//     %18 = contract %17 [b, h, m, n], %v [b, h, n, e] to [b, h, m, e] acc f32 : tensor<[B, H, S, 64], f32>
//     %y = cast %18 to f16 : tensor<[B, H, S, 64], f16>
//     return %y
//   }
// }

// -----

// Heads that share keys are an index of their own. A row may be hidden whole: then its weights are zero.
frontend.graph @grouped<B, S>(%q: tensor<[B, 8, S, 64], f32>, %k: tensor<[B, 2, S, 64], f32>, %v: tensor<[B, 2, S, 64], f32>, %mask: tensor<[B, 1, S, S], i1>) -> tensor<[B, 8, S, 64], f32> {
  %y = attention %q, %k, %v mask %mask
  output %y
}

// EXPECT:
// module {
//   tiny.func @grouped<B, S>(%q: tensor<[B, 8, S, 64], f32>, %k: tensor<[B, 2, S, 64], f32>, %v: tensor<[B, 2, S, 64], f32>, %mask: tensor<[B, 1, S, S], i1>) -> tensor<[B, 8, S, 64], f32> {
//     %0 = reshape %q to [B, 2, 4, S, 64] : tensor<[B, 2, 4, S, 64], f32>
//     %1 = contract %0 [b, h, r, m, d], %k [b, h, n, d] to [b, h, r, m, n] : tensor<[B, 2, 4, S, S], f32>
//     %2 = const 1.250000e-01 : tensor<[], f32>
//     %3 = mul %1, %2 : tensor<[B, 2, 4, S, S], f32>
//     %4 = reshape %mask to [B, 1, 1, S, S] : tensor<[B, 1, 1, S, S], i1>
//     %5 = const 0xFF800000 : tensor<[], f32>
//     %6 = where %4, %3, %5 : tensor<[B, 2, 4, S, S], f32>
//     %7 = reduce max %6 over [4] : tensor<[B, 2, 4, S], f32>
//     %8 = reshape %7 to [B, 2, 4, S, 1] : tensor<[B, 2, 4, S, 1], f32>
//     %9 = const -3.40282347E+38 : tensor<[], f32>
//     %10 = max %8, %9 : tensor<[B, 2, 4, S, 1], f32>
//     %11 = sub %6, %10 : tensor<[B, 2, 4, S, S], f32>
//     %12 = const 1.44269502 : tensor<[], f32>
//     %13 = mul %11, %12 : tensor<[B, 2, 4, S, S], f32>
//     %14 = exp2 %13 : tensor<[B, 2, 4, S, S], f32>
//     %15 = reduce sum %14 over [4] : tensor<[B, 2, 4, S], f32>
//     %16 = reshape %15 to [B, 2, 4, S, 1] : tensor<[B, 2, 4, S, 1], f32>
//     %17 = const 1.000000e+00 : tensor<[], f32>
//     %18 = max %16, %17 : tensor<[B, 2, 4, S, 1], f32>
//     %19 = fdiv %14, %18 : tensor<[B, 2, 4, S, S], f32>
//     %20 = contract %19 [b, h, r, m, n], %v [b, h, n, e] to [b, h, r, m, e] : tensor<[B, 2, 4, S, 64], f32>
//     %y = reshape %20 to [B, 8, S, 64] : tensor<[B, 8, S, 64], f32>
//     return %y
//   }
// }
