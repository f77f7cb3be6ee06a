// RUN: dlc-opt %s > %t.before
// RUN: dlc-opt %s --decompose-contraction --detect-contraction | diff %t.before -
// RUN: dlc-opt %s --decompose-contraction | FileCheck %s --implicit-check-not='= contract'

// Each of them is decomposed.
// CHECK: mul

// What is decomposed is found again, with the same names.
tiny.func @matmul<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
  %s = contract %X [m, k], %W [k, n] to [m, n] acc f32 {widen}
  return %s
}

tiny.func @exact<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[N, K], f16>) -> tensor<[M, N], f32> {
  %s = contract %X [m, k], %W [n, k] to [m, n] acc f32
  return %s
}

tiny.func @batches<A, B, M, N, K>(%X: tensor<[A, B, M, K], f32>, %W: tensor<[B, N, K, A], f32>) -> tensor<[A, B, M, N], f32> {
  %s = contract %X [b0, b1, m, k], %W [b1, n, k, b0] to [b0, b1, m, n] {widen}
  return %s
}

tiny.func @result_in_another_order<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[N, M], f32> {
  %s = contract %X [m, k], %W [k, n] to [n, m] acc f32 {widen}
  return %s
}

tiny.func @batch_of_one_side<B, M, N, K>(%X: tensor<[B, M, K], bf16>, %W: tensor<[K, N], bf16>) -> tensor<[B, M, N], f32> {
  %s = contract %X [m0, m1, k], %W [k, n] to [m0, m1, n] acc f32 {widen}
  return %s
}

tiny.func @dot_product<K>(%x: tensor<[K], f32>, %y: tensor<[K], f32>) -> tensor<[], f32> {
  %s = contract %x [k], %y [k] to [] {widen}
  return %s
}

tiny.func @outer_product<M, N>(%x: tensor<[M, 1], f32>, %y: tensor<[1, N], f32>) -> tensor<[M, N], f32> {
  %s = contract %x [m, 0], %y [0, n] to [m, n] {widen}
  return %s
}

tiny.func @windows<N, C, F>(%X: tensor<[N, C, 17, 19], f16>, %W: tensor<[F, C, 3, 3], f16>) -> tensor<[N, F, 8, 9], f32> {
  %s = contract %W [m, k0, k1, k2], %X [n0, k0, k1 + 2*n1, k2 + 2*n2] to [n0, m, n1, n2] acc f32 {widen}
  return %s
}

tiny.func @windows_of_each_channel<C>(%X: tensor<[1, C, 18, 18], f16>, %W: tensor<[C, 1, 3, 3], f16>) -> tensor<[1, C, 16, 16], f32> {
  %s = contract %X [m0, b, k0 + m1, k1 + m2], %W [b, 0, k0, k1] to [m0, b, m1, m2] acc f32 {widen}
  return %s
}

tiny.func @integers<M, K>(%X: tensor<[M, K], i8>, %v: tensor<[K], i16>) -> tensor<[M], i32> {
  %s = contract %X [m, k], %v [k] to [m] acc i32
  return %s
}

tiny.func @no_elements<N>(%x: tensor<[0, N], f32>, %y: tensor<[0], f32>) -> tensor<[N], f32> {
  %s = contract %x [k, m], %y [k] to [m] {widen}
  return %s
}
