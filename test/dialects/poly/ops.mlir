// Views, blocks, edges, and what is excluded, in both forms.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

book.func private @gemm<M, N, K>(tensor<[M, K], f16>, tensor<[K, N], f16>) -> tensor<[M, N], f32>
book.func private @conv<H, Ho, C, O>(tensor<[C, H], f16>, tensor<[O, C, 3], f16>) -> tensor<[O, Ho], f32>
book.func private @flat<M, N>(tensor<[M*N], f32>) -> tensor<[M*N], f32>
book.func private @none() -> tensor<[], f32>

// CHECK-LABEL: poly.view of @gemm<
// CHECK-SAME: M, N, K> tensors (X: tensor<[M, K], f16>, W: tensor<[K, N], f16>, s: tensor<[M, N], f32>, y: tensor<[M, N], f32>) attributes {note = "kept"} {
// GENERIC-LABEL: "poly.view"() <{of = @gemm, symbols = ["M", "N", "K"], tensors = ["X", "W", "s", "y"], types =
poly.view of @gemm<M, N, K> tensors (X: tensor<[M, K], f16>, W: tensor<[K, N], f16>, s: tensor<[M, N], f32>, y: tensor<[M, N], f32>) attributes {note = "kept"} {
  // CHECK-NEXT: block @s contraction matmul lhs [m, k] rhs [k, n] out [m, n] reduce [k]
  // CHECK-NEXT: domain "[M, N, K] -> { [m, n, k] : 0 <= m < M and 0 <= n < N and 0 <= k < K }"
  // CHECK-NEXT: read X "{ [m, n, k] -> X[m, k] }"
  // CHECK-NEXT: read W "{ [m, n, k] -> W[k, n] }"
  // CHECK-NEXT: write s "{ [m, n, k] -> s[m, n] }"
  // GENERIC{LITERAL}: "poly.block"() <{domain = "[M, N, K] -> { [m, n, k] : 0 <= m < M and 0 <= n < N and 0 <= k < K }", lhs = ["m", "k"], out = ["m", "n"], pattern = "matmul", reads = [{map = "{ [m, n, k] -> X[m, k] }", tensor = "X"}, {map = "{ [m, n, k] -> W[k, n] }", tensor = "W"}], reduce = ["k"], rhs = ["k", "n"], sym_name = "s", writes = [{map = "{ [m, n, k] -> s[m, n] }", tensor = "s"}]}> : () -> ()
  block @s contraction matmul lhs [m, k] rhs [k, n] out [m, n] reduce [k]
    domain "[M, N, K] -> { [m, n, k] : 0 <= m < M and 0 <= n < N and 0 <= k < K }"
    read X "{ [m, n, k] -> X[m, k] }"
    read W "{ [m, n, k] -> W[k, n] }"
    write s "{ [m, n, k] -> s[m, n] }"
  // A statement may read a tensor several times, and write several.
  // CHECK: block @y statement out [m, n] reduce []
  // CHECK: write y "{ [m, n] -> y[m, n] }" {note}
  block @y statement out [m, n] reduce []
    domain "[M, N] -> { [m, n] : 0 <= m < M and 0 <= n < N }"
    read s "{ [m, n] -> s[m, n] }"
    read s "{ [m, n] -> s[m, 0] }"
    write y "{ [m, n] -> y[m, n] }" {note}
  // CHECK: edge true @s to @y of s distance [0, *]
  // GENERIC: "poly.edge"() <{distance = [0, unit], kind = "true", source = @s, target = @y, tensor = "s"}> : () -> ()
  edge true @s to @y of s distance [0, *]
  // CHECK-NEXT: edge anti @y to @s of s distance [-1, 0]
  edge anti @y to @s of s distance [-1, 0]
  // CHECK-NEXT: edge output @s to @s of s distance [0, 0] {note}
  edge output @s to @s of s distance [0, 0] {note}
  // CHECK-NEXT: excluded @e "its positions are elements of 'ids'"
  excluded @e "its positions are elements of 'ids'"
}

// Pieces within a guard and outside of it, and windows.
// CHECK-LABEL: poly.view of @conv<
poly.view of @conv<H, Ho, C, O> tensors (X: tensor<[C, H], f16>, K: tensor<[O, C, 3], f16>, y: tensor<[O, Ho], f32>) {
  // CHECK: block @y contraction conv lhs [c, ho, i3] rhs [o, c, i3] out [o, ho] reduce [c, i3] strides [2] dilations [1] offsets [-1]
  block @y contraction conv lhs [c, ho, i3] rhs [o, c, i3] out [o, ho] reduce [c, i3] strides [2] dilations [1] offsets [-1]
    domain "[H, Ho, C, O] -> { [o, ho, c, i3] : 0 <= o < O and 0 <= ho < Ho and 0 <= c < C and 0 <= i3 < 3 and 1 <= 2*ho + i3 and 2*ho + i3 <= H; [o, ho, c, i3] : 0 <= o < O and ho = 0 and 0 <= c < C and i3 = 0; [o, ho, c, i3] : 0 <= o < O and 0 <= ho < Ho and 0 <= c < C and 0 <= i3 < 3 and H < 2*ho + i3 }"
    read X "[H] -> { [o, ho, c, i3] -> X[c, 2*ho + i3 - 1] : 1 <= 2*ho + i3 and 2*ho + i3 <= H }"
    read K "{ [o, ho, c, i3] -> K[o, c, i3] }"
    write y "{ [o, ho, c, i3] -> y[o, ho] }"
}

// A size that is no sum has a name, and so has a batch.
// CHECK-LABEL: poly.view of @flat<
// CHECK-SAME: M, N> sizes (M_N: M*N, p: 4*M + 1) tensors (x: tensor<[M*N], f32>, b: tensor<[M, 4, 4], f32>, y: tensor<[M*N], f32>) {
// GENERIC-LABEL: "poly.view"() <{of = @flat, size_values = ["M*N", "4*M + 1"], sizes = ["M_N", "p"],
poly.view of @flat<M, N> sizes (M_N: M*N, p: 4*M + 1) tensors (x: tensor<[M*N], f32>, b: tensor<[M, 4, 4], f32>, y: tensor<[M*N], f32>) {
  block @y statement out [i0] reduce []
    domain "[M_N] -> { [i0] : 0 <= i0 < M_N }"
    read x "{ [i0] -> x[4*floor((i0)/4)] }"
    write y "{ [i0] -> y[i0] }"
  // CHECK: block @b contraction batched_matmul lhs [m, i1, i3] rhs [m, i3, i2] out [m, i1, i2] reduce [i3] batch [m]
  block @b contraction batched_matmul lhs [m, i1, i3] rhs [m, i3, i2] out [m, i1, i2] reduce [i3] batch [m]
    domain "[M] -> { [m, i1, i2, i3] : 0 <= m < M and 0 <= i1 < 4 and 0 <= i2 < 4 and 0 <= i3 < 4 }"
    read b "{ [m, i1, i2, i3] -> b[m, i1, i3] }"
    read b "{ [m, i1, i2, i3] -> b[m, i3, i2] }"
    write b "{ [m, i1, i2, i3] -> b[m, i1, i2] }"
}

// Nothing at all, and a block without axes or points.
// CHECK-LABEL: poly.view of @none tensors () {
// CHECK-NEXT: }
poly.view of @none tensors () {
}
// CHECK-LABEL: poly.view of @none tensors (y: tensor<[], f32>) {
poly.view of @none tensors (y: tensor<[], f32>) {
  block @y statement out [] reduce []
    domain "{ [] }"
    write y "{ [] -> y[] }"
  // CHECK: block @z statement out [i] reduce []
  // CHECK-NEXT: domain "{ }"
  block @z statement out [i] reduce []
    domain "{ }"
    write y "{ }"
}
