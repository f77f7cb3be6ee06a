// The view of a program stands after it.

// RUN: dlc-opt %s --build-poly-view --no-output --statistics 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: dlc-opt %s --build-poly-view | snapshot %s

// STATS: 9 blocks: Values that are blocks.
// STATS: 4 contractions: Blocks that are contractions.

// The specification's example, section 5.2: one contraction; the product is a part of it.
book.func @gemm_bias_relu<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>, %bias: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %p = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) to f32 widen
  %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %p at (i0, i1, i2) acc f32
  %sb = entry add axes (i0: M, i1: N) of %s at (i0, i1), %bias at (i1)
  %y = entry cast axes (i0: M, i1: N) of %sb at (i0, i1) to f16
  return %y
}

// Stride 2 and a pad of 1: windows, and a domain in pieces. The left operand is the one with the windows.
book.func @conv<C, H, O, Ho>(%X: tensor<[C, H], f16>, %K: tensor<[O, C, 3], f16>) -> tensor<[O, Ho], f32> {
  %p = entry mul axes (i0: O, i1: Ho, i2: C, i3: 3) of %K at (i0, i2, i3), %X at (i2, 2*i1 + i3 - 1) where (0 <= 2*i1 + i3 - 1 < H) else 0.0 to f32 widen
  %y = reduce sum axes (i0: O, i1: Ho) over (i2: C, i3: 3) of %p at (i0, i1, i2, i3) acc f32
  return %y
}

// A batch, two axes of one size, and a product in another order of its axes.
book.func @scores<B, S, D>(%Q: tensor<[B, S, D], f16>, %K: tensor<[B, S, D], f16>) -> tensor<[B, S, S], f32> {
  %p = entry mul axes (i0: B, i1: S, i2: D, i3: S) of %Q at (i0, i1, i2), %K at (i0, i3, i2) to f32 widen
  %s = reduce sum axes (i0: B, i1: S, i2: S) over (i3: D) of %p at (i0, i1, i3, i2) acc f32
  return %s
}

// Depthwise, dilated by 2: the channel is a batch. An offset may be a symbol.
book.func @depthwise<C, H, P>(%X: tensor<[C, H], f32>, %K: tensor<[C, 3], f32>) -> tensor<[C, H], f32> {
  %p = entry mul axes (i0: C, i1: H, i2: 3) of %X at (i0, i1 + 2*i2 - P) where (0 <= i1 + 2*i2 - P < H) else 0.0, %K at (i0, i2) widen
  %y = reduce sum axes (i0: C, i1: H) over (i2: 3) of %p at (i0, i1, i2) acc f32
  return %y
}

// Neighbours: an edge says how far away they are.
book.func @neighbours<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  %a = entry neg axes (i0: M) of %x at (i0)
  %b = entry add axes (i0: M) of %a at (i0 + 1) where (i0 + 1 < M) else 0.0, %a at (i0)
  %c = entry copy axes (i0: M) of %b at (i0 floordiv 2)
  return %c
}

// EXPECT:
// module {
//   book.func @gemm_bias_relu<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>, %bias: tensor<[N], f16>) -> tensor<[M, N], f16> {
//     %p = entry mul axes (i0: M, i1: N, i2: K) of %X at (i0, i2), %W at (i2, i1) to f32 widen : tensor<[M, N, K], f32>
//     %s = reduce sum axes (i0: M, i1: N) over (i2: K) of %p at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
//     %sb = entry add axes (i0: M, i1: N) of %s at (i0, i1), %bias at (i1) : tensor<[M, N], f32>
//     %y = entry cast axes (i0: M, i1: N) of %sb at (i0, i1) to f16 : tensor<[M, N], f16>
//     return %y
//   }
//   poly.view of @gemm_bias_relu<M, N, K> tensors (X: tensor<[M, K], f16>, W: tensor<[K, N], f16>, bias: tensor<[N], f16>, s: tensor<[M, N], f32>, sb: tensor<[M, N], f32>, y: tensor<[M, N], f16>) {
//     block @s contraction matmul lhs [m, k] rhs [k, n] out [m, n] reduce [k]
//       domain "[M, N, K] -> { [m, n, k] : 0 <= m < M and 0 <= n < N and 0 <= k < K }"
//       read X "{ [m, n, k] -> X[m, k] }"
//       read W "{ [m, n, k] -> W[k, n] }"
//       write s "{ [m, n, k] -> s[m, n] }"
//     block @sb statement out [m, n] reduce []
//       domain "[M, N] -> { [m, n] : 0 <= m < M and 0 <= n < N }"
//       read s "{ [m, n] -> s[m, n] }"
//       read bias "{ [m, n] -> bias[n] }"
//       write sb "{ [m, n] -> sb[m, n] }"
//     block @y statement out [m, n] reduce []
//       domain "[M, N] -> { [m, n] : 0 <= m < M and 0 <= n < N }"
//       read sb "{ [m, n] -> sb[m, n] }"
//       write y "{ [m, n] -> y[m, n] }"
//     edge true @s to @sb of s distance [0, 0]
//     edge true @sb to @y of sb distance [0, 0]
//   }
//   book.func @conv<C, H, O, Ho>(%X: tensor<[C, H], f16>, %K: tensor<[O, C, 3], f16>) -> tensor<[O, Ho], f32> {
//     %p = entry mul axes (i0: O, i1: Ho, i2: C, i3: 3) of %K at (i0, i2, i3), %X at (i2, 2*i1 + i3 - 1) where (0 <= 2*i1 + i3 - 1 < H) else 0.0 to f32 widen : tensor<[O, Ho, C, 3], f32>
//     %y = reduce sum axes (i0: O, i1: Ho) over (i2: C, i3: 3) of %p at (i0, i1, i2, i3) acc f32 : tensor<[O, Ho], f32>
//     return %y
//   }
//   poly.view of @conv<C, H, O, Ho> tensors (X: tensor<[C, H], f16>, K: tensor<[O, C, 3], f16>, y: tensor<[O, Ho], f32>) {
//     block @y contraction conv lhs [c, ho, i3] rhs [o, c, i3] out [o, ho] reduce [c, i3] strides [2] dilations [1] offsets [-1]
//       domain "[O, Ho, C, H] -> { [o, ho, c, i3] : 0 <= o < O and ho < Ho and 0 <= c < C and 0 <= i3 < 3 and 1 <= 2*ho + i3 and 2*ho + i3 <= H; [o, ho, c, i3] : 0 <= o < O and 0 <= ho < Ho and 0 <= c < C and 0 <= i3 and 2*ho + i3 <= 0; [o, ho, c, i3] : 0 <= o < O and ho < Ho and 0 <= c < C and 0 <= i3 < 3 and H < 2*ho + i3 }"
//       read X "[H] -> { [o, ho, c, i3] -> X[c, 2*ho + i3 - 1] : 1 <= 2*ho + i3 and 2*ho + i3 <= H }"
//       read K "{ [o, ho, c, i3] -> K[o, c, i3] }"
//       write y "{ [o, ho, c, i3] -> y[o, ho] }"
//   }
//   book.func @scores<B, S, D>(%Q: tensor<[B, S, D], f16>, %K: tensor<[B, S, D], f16>) -> tensor<[B, S, S], f32> {
//     %p = entry mul axes (i0: B, i1: S, i2: D, i3: S) of %Q at (i0, i1, i2), %K at (i0, i3, i2) to f32 widen : tensor<[B, S, D, S], f32>
//     %s = reduce sum axes (i0: B, i1: S, i2: S) over (i3: D) of %p at (i0, i1, i3, i2) acc f32 : tensor<[B, S, S], f32>
//     return %s
//   }
//   poly.view of @scores<B, S, D> tensors (Q: tensor<[B, S, D], f16>, K: tensor<[B, S, D], f16>, s: tensor<[B, S, S], f32>) {
//     block @s contraction batched_matmul lhs [b, s, d] rhs [b, s1, d] out [b, s, s1] reduce [d] batch [b]
//       domain "[B, S, D] -> { [b, s, s1, d] : 0 <= b < B and 0 <= s < S and 0 <= s1 < S and 0 <= d < D }"
//       read Q "{ [b, s, s1, d] -> Q[b, s, d] }"
//       read K "{ [b, s, s1, d] -> K[b, s1, d] }"
//       write s "{ [b, s, s1, d] -> s[b, s, s1] }"
//   }
//   book.func @depthwise<C, H, P>(%X: tensor<[C, H], f32>, %K: tensor<[C, 3], f32>) -> tensor<[C, H], f32> {
//     %p = entry mul axes (i0: C, i1: H, i2: 3) of %X at (i0, -P + i1 + 2*i2) where (0 <= -P + i1 + 2*i2 < H) else 0.0, %K at (i0, i2) widen : tensor<[C, H, 3], f32>
//     %y = reduce sum axes (i0: C, i1: H) over (i2: 3) of %p at (i0, i1, i2) acc f32 : tensor<[C, H], f32>
//     return %y
//   }
//   poly.view of @depthwise<C, H, P> tensors (X: tensor<[C, H], f32>, K: tensor<[C, 3], f32>, y: tensor<[C, H], f32>) {
//     block @y contraction conv lhs [c, h, i2] rhs [c, i2] out [c, h] reduce [i2] batch [c] strides [1] dilations [2] offsets [-P]
//       domain "[C, H, P] -> { [c, h, i2] : 0 <= c < C and 0 <= h < H and 0 <= i2 < 3 and P <= h + 2*i2 and h + 2*i2 < H + P; [c, h, i2] : 0 <= c < C and 0 <= h < H and 0 <= i2 < 3 and h + 2*i2 < P; [c, h, i2] : 0 <= c < C and 0 <= h < H and i2 < 3 and H + P <= h + 2*i2 }"
//       read X "[H, P] -> { [c, h, i2] -> X[c, h - P + 2*i2] : P <= h + 2*i2 and h + 2*i2 < H + P }"
//       read K "{ [c, h, i2] -> K[c, i2] }"
//       write y "{ [c, h, i2] -> y[c, h] }"
//   }
//   book.func @neighbours<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
//     %a = entry neg axes (i0: M) of %x at (i0) : tensor<[M], f32>
//     %b = entry add axes (i0: M) of %a at (i0 + 1) where (i0 + 1 < M) else 0.0, %a at (i0) : tensor<[M], f32>
//     %c = entry copy axes (i0: M) of %b at (i0 floordiv 2) : tensor<[M], f32>
//     return %c
//   }
//   poly.view of @neighbours<M> tensors (x: tensor<[M], f32>, a: tensor<[M], f32>, b: tensor<[M], f32>, c: tensor<[M], f32>) {
//     block @a statement out [m] reduce []
//       domain "[M] -> { [m] : 0 <= m < M }"
//       read x "{ [m] -> x[m] }"
//       write a "{ [m] -> a[m] }"
//     block @b statement out [m] reduce []
//       domain "[M] -> { [m] : 0 <= m < M - 1; [m] : 0 <= m and M = m + 1 }"
//       read a "[M] -> { [m] -> a[m + 1] : m < M - 1 }"
//       read a "{ [m] -> a[m] }"
//       write b "{ [m] -> b[m] }"
//     block @c statement out [m] reduce []
//       domain "[M] -> { [m] : 0 <= m < M }"
//       read b "{ [m] -> b[floor((m)/2)] }"
//       write c "{ [m] -> c[m] }"
//     edge true @a to @b of a distance [-1]
//     edge true @a to @b of a distance [0]
//     edge true @b to @c of b distance [*]
//   }
// }
