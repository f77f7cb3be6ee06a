// What is no contraction, and what is in no view.

// RUN: dlc-opt %s --build-poly-view --no-output --remarks=missed 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --build-poly-view | snapshot %s

// REMARK: 'e' is not in the view: its positions are elements of 'ids'
// REMARK: 'r' is not in the view: it is not known how the axes of a reshape go together

// A declaration has no points.
book.func private @declared<M>(tensor<[M], f32>) -> tensor<[M], f32>

// A sum of squares has no axis of its own, a maximum is no sum, and a window over both is no convolution. A product that
// something else reads is a block too.
book.func @no_contraction<M, K>(%x: tensor<[M, K], f32>) -> tensor<[M], f32> {
  %p = entry mul axes (i0: M, i1: K) of %x at (i0, i1), %x at (i0, i1)
  %s = reduce sum axes (i0: M) over (i1: K) of %p at (i0, i1) acc f32
  %m = reduce max axes (i0: M) over (i1: K) of %p at (i0, i1) acc f32
  %w = reduce max axes (i0: M) over (i1: 3) of %m at (i0 + i1 - 1) where (0 <= i0 + i1 - 1 < M) else -inf acc f32
  %q = entry add axes (i0: M) of %s at (i0), %w at (i0)
  return %q
}

// Positions that no affine expression says; a size that is a product gets a name.
book.func @excluded<B, V, D, N>(%ids: tensor<[B], i32>, %W: tensor<[V, D], f32>, %x: tensor<[V*N], f32>) -> tensor<[B, D], f32> {
  %e = gather non_scop axes (i0: B, i1: D) of %W at [%ids (i0), i1]
  %r = reshape non_scop %e : tensor<[D, B], f32>
  %y = entry neg axes (i0: B, i1: D) of %e at (i0, i1)
  %l = entry neg axes (i0: V*N) of %x at (i0)
  return %y
}

// EXPECT:
// module {
//   book.func private @declared<M>(tensor<[M], f32>) -> tensor<[M], f32>
//   book.func @no_contraction<M, K>(%x: tensor<[M, K], f32>) -> tensor<[M], f32> {
//     %p = entry mul axes (i0: M, i1: K) of %x at (i0, i1), %x at (i0, i1) : tensor<[M, K], f32>
//     %s = reduce sum axes (i0: M) over (i1: K) of %p at (i0, i1) acc f32 : tensor<[M], f32>
//     %m = reduce max axes (i0: M) over (i1: K) of %p at (i0, i1) acc f32 : tensor<[M], f32>
//     %w = reduce max axes (i0: M) over (i1: 3) of %m at (i0 + i1 - 1) where (0 <= i0 + i1 - 1 < M) else -inf acc f32 : tensor<[M], f32>
//     %q = entry add axes (i0: M) of %s at (i0), %w at (i0) : tensor<[M], f32>
//     return %q
//   }
//   poly.view of @no_contraction<M, K> tensors (x: tensor<[M, K], f32>, p: tensor<[M, K], f32>, s: tensor<[M], f32>, m: tensor<[M], f32>, w: tensor<[M], f32>, q: tensor<[M], f32>) {
//     block @p statement out [m, k] reduce []
//       domain "[M, K] -> { [m, k] : 0 <= m < M and 0 <= k < K }"
//       read x "{ [m, k] -> x[m, k] }"
//       read x "{ [m, k] -> x[m, k] }"
//       write p "{ [m, k] -> p[m, k] }"
//     block @s statement out [m] reduce [k]
//       domain "[M, K] -> { [m, k] : 0 <= m < M and 0 <= k < K }"
//       read p "{ [m, k] -> p[m, k] }"
//       write s "{ [m, k] -> s[m] }"
//     block @m statement out [m] reduce [k]
//       domain "[M, K] -> { [m, k] : 0 <= m < M and 0 <= k < K }"
//       read p "{ [m, k] -> p[m, k] }"
//       write m "{ [m, k] -> m[m] }"
//     block @w statement out [m] reduce [i1]
//       domain "[M] -> { [m, i1] : 0 <= m < M and 0 <= i1 < 3 and 1 <= m + i1 and m + i1 <= M; [m, i1] : 0 <= m < M and 0 <= i1 and m + i1 <= 0; [m, i1] : 0 <= m < M and i1 < 3 and M < m + i1 }"
//       read m "[M] -> { [m, i1] -> m[m + i1 - 1] : 1 <= m + i1 and m + i1 <= M }"
//       write w "{ [m, i1] -> w[m] }"
//     block @q statement out [m] reduce []
//       domain "[M] -> { [m] : 0 <= m < M }"
//       read s "{ [m] -> s[m] }"
//       read w "{ [m] -> w[m] }"
//       write q "{ [m] -> q[m] }"
//     edge true @p to @s of p distance [0, 0]
//     edge true @p to @m of p distance [0, 0]
//     edge true @m to @w of m distance [*]
//     edge true @s to @q of s distance [0]
//     edge true @w to @q of w distance [0]
//   }
//   book.func @excluded<B, V, D, N>(%ids: tensor<[B], i32>, %W: tensor<[V, D], f32>, %x: tensor<[N*V], f32>) -> tensor<[B, D], f32> {
//     %e = gather non_scop axes (i0: B, i1: D) of %W at [%ids (i0), i1] : tensor<[B, D], f32>
//     %r = reshape non_scop %e : tensor<[D, B], f32>
//     %y = entry neg axes (i0: B, i1: D) of %e at (i0, i1) : tensor<[B, D], f32>
//     %l = entry neg axes (i0: N*V) of %x at (i0) : tensor<[N*V], f32>
//     return %y
//   }
//   poly.view of @excluded<B, V, D, N> sizes (N_V: N*V) tensors (x: tensor<[N*V], f32>, e: tensor<[B, D], f32>, y: tensor<[B, D], f32>, l: tensor<[N*V], f32>) {
//     block @y statement out [b, d] reduce []
//       domain "[B, D] -> { [b, d] : 0 <= b < B and 0 <= d < D }"
//       read e "{ [b, d] -> e[b, d] }"
//       write y "{ [b, d] -> y[b, d] }"
//     block @l statement out [i0] reduce []
//       domain "[N_V] -> { [i0] : 0 <= i0 < N_V }"
//       read x "{ [i0] -> x[i0] }"
//       write l "{ [i0] -> l[i0] }"
//     excluded @e "its positions are elements of 'ids'"
//     excluded @r "it is not known how the axes of a reshape go together"
//   }
// }
