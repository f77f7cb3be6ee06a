// RUN: dlc-opt %s --decompose-contraction | FileCheck %s

// The walkthrough's product of matrices: a reshape, a reshape and a permutation, a product, a sum.
// CHECK-LABEL: tiny.func @matmul<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
// CHECK-NEXT:    %0 = reshape %X to [M, 1, K] : tensor<[M, 1, K], f16>
// CHECK-NEXT:    %1 = reshape %W to [1, K, N] : tensor<[1, K, N], f16>
// CHECK-NEXT:    %2 = permute %1 by [0, 2, 1] : tensor<[1, N, K], f16>
// CHECK-NEXT:    %3 = mul %0, %2 : tensor<[M, N, K], f16>
// CHECK-NEXT:    %s = reduce sum %3 over [2] acc f32 : tensor<[M, N], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @matmul<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>) -> tensor<[M, N], f32> {
  %s = contract %X [m, k], %W [k, n] to [m, n] acc f32 {widen}
  return %s
}

// Nothing is rounded without the mark: the products of f16 are computed in f32, which holds them.
// CHECK-LABEL: tiny.func @exact<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[N, K], f16>) -> tensor<[M, N], f32> {
// CHECK-NEXT:    %0 = cast %X to f32 : tensor<[M, K], f32>
// CHECK-NEXT:    %1 = reshape %0 to [M, 1, K] : tensor<[M, 1, K], f32>
// CHECK-NEXT:    %2 = cast %W to f32 : tensor<[N, K], f32>
// CHECK-NEXT:    %3 = reshape %2 to [1, N, K] : tensor<[1, N, K], f32>
// CHECK-NEXT:    %4 = mul %1, %3 : tensor<[M, N, K], f32>
// CHECK-NEXT:    %s = reduce sum %4 over [2] : tensor<[M, N], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @exact<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[N, K], f16>) -> tensor<[M, N], f32> {
  %s = contract %X [m, k], %W [n, k] to [m, n] acc f32
  return %s
}

// The products of f32 are numbers of f64.
// CHECK-LABEL: tiny.func @exact_f32<M, N, K>(%X: tensor<[M, K], f32>, %W: tensor<[N, K], f32>) -> tensor<[M, N], f32> {
// CHECK-NEXT:    %0 = cast %X to f64 : tensor<[M, K], f64>
// CHECK-NEXT:    %1 = reshape %0 to [M, 1, K] : tensor<[M, 1, K], f64>
// CHECK-NEXT:    %2 = cast %W to f64 : tensor<[N, K], f64>
// CHECK-NEXT:    %3 = reshape %2 to [1, N, K] : tensor<[1, N, K], f64>
// CHECK-NEXT:    %4 = mul %1, %3 : tensor<[M, N, K], f64>
// CHECK-NEXT:    %5 = reduce sum %4 over [2] : tensor<[M, N], f64>
// CHECK-NEXT:    %s = cast %5 to f32 : tensor<[M, N], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @exact_f32<M, N, K>(%X: tensor<[M, K], f32>, %W: tensor<[N, K], f32>) -> tensor<[M, N], f32> {
  %s = contract %X [m, k], %W [n, k] to [m, n]
  return %s
}

// Integers of different widths.
// CHECK-LABEL: tiny.func @integers<M, K>(%X: tensor<[M, K], i8>, %v: tensor<[K], i16>) -> tensor<[M], i32> {
// CHECK-NEXT:    %0 = cast %X to i32 : tensor<[M, K], i32>
// CHECK-NEXT:    %1 = cast %v to i32 : tensor<[K], i32>
// CHECK-NEXT:    %2 = reshape %1 to [1, K] : tensor<[1, K], i32>
// CHECK-NEXT:    %3 = mul %0, %2 : tensor<[M, K], i32>
// CHECK-NEXT:    %s = reduce sum %3 over [1] : tensor<[M], i32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @integers<M, K>(%X: tensor<[M, K], i8>, %v: tensor<[K], i16>) -> tensor<[M], i32> {
  %s = contract %X [m, k], %v [k] to [m] acc i32
  return %s
}

// Windows are one load.
// CHECK-LABEL: tiny.func @windows<N, C, F>(%X: tensor<[N, C, 17, 19], f16>, %W: tensor<[F, C, 3, 3], f16>) -> tensor<[N, F, 8, 9], f32> {
// CHECK-NEXT:    %0 = reshape %W to [1, F, 1, 1, C, 3, 3] : tensor<[1, F, 1, 1, C, 3, 3], f16>
// CHECK-NEXT:    %1 = load %X at [i0, i3, 2*i1 + i4, 2*i2 + i5] : tensor<[N, 8, 9, C, 3, 3], f16>
// CHECK-NEXT:    %2 = reshape %1 to [N, 1, 8, 9, C, 3, 3] : tensor<[N, 1, 8, 9, C, 3, 3], f16>
// CHECK-NEXT:    %3 = mul %0, %2 : tensor<[N, F, 8, 9, C, 3, 3], f16>
// CHECK-NEXT:    %s = reduce sum %3 over [4, 5, 6] acc f32 : tensor<[N, F, 8, 9], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @windows<N, C, F>(%X: tensor<[N, C, 17, 19], f16>, %W: tensor<[F, C, 3, 3], f16>) -> tensor<[N, F, 8, 9], f32> {
  %s = contract %W [f, c, kh, kw], %X [n, c, 2*h + kh, 2*w + kw] to [n, f, h, w] acc f32 {widen}
  return %s
}

// A diagonal: one index stands twice.
// CHECK-LABEL: tiny.func @diagonal<N>(%X: tensor<[N, N], f32>, %v: tensor<[N], f32>) -> tensor<[], f32> {
// CHECK-NEXT:    %0 = load %X at [i0, i0] : tensor<[N], f32>
// CHECK-NEXT:    %1 = mul %0, %v : tensor<[N], f32>
// CHECK-NEXT:    %s = reduce sum %1 over [0] : tensor<[], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @diagonal<N>(%X: tensor<[N, N], f32>, %v: tensor<[N], f32>) -> tensor<[], f32> {
  %s = contract %X [k, k], %v [k] to [] {widen}
  return %s
}

// A size of 1 that is repeated, and a product without a sum.
// CHECK-LABEL: tiny.func @outer<M, N>(%x: tensor<[M, 1], f32>, %y: tensor<[N], f32>) -> tensor<[N, M], f32> {
// CHECK-NEXT:    %0 = reshape %x to [1, M] : tensor<[1, M], f32>
// CHECK-NEXT:    %1 = reshape %y to [N, 1] : tensor<[N, 1], f32>
// CHECK-NEXT:    %2 = mul %0, %1 : tensor<[N, M], f32>
// CHECK-NEXT:    %s = reduce sum %2 over [] : tensor<[N, M], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @outer<M, N>(%x: tensor<[M, 1], f32>, %y: tensor<[N], f32>) -> tensor<[N, M], f32> {
  %s = contract %x [m, 0], %y [n] to [n, m] {widen}
  return %s
}

// Nothing is left but the sum, of nothing.
// CHECK-LABEL: tiny.func @no_elements(%x: tensor<[0], f32>, %y: tensor<[0], f32>) -> tensor<[], f32> {
// CHECK-NEXT:    %0 = mul %x, %y : tensor<[0], f32>
// CHECK-NEXT:    %s = reduce sum %0 over [0] : tensor<[], f32>
// CHECK-NEXT:    return %s
// CHECK-NEXT:  }
tiny.func @no_elements(%x: tensor<[0], f32>, %y: tensor<[0], f32>) -> tensor<[], f32> {
  %s = contract %x [k], %y [k] to [] {widen}
  return %s
}
