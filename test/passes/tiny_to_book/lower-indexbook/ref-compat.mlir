// RUN: dlc-opt %s --lower-indexbook=ref-compat | FileCheck %s

// The program of the walkthrough: an entry for every view, with the map of this view and axes of size 1.
// CHECK-LABEL: book.func @gemm_bias_relu<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>, %bias: tensor<[N], f16>) -> tensor<[M, N], f16> {
// CHECK-NEXT:    %X1 = entry copy axes (i0: M, i1: 1, i2: K) of %X at (i0, i2) : tensor<[M, 1, K], f16>
// CHECK-NEXT:    %W1 = entry copy axes (i0: 1, i1: K, i2: N) of %W at (i1, i2) : tensor<[1, K, N], f16>
// CHECK-NEXT:    %W2 = entry copy axes (i0: 1, i1: N, i2: K) of %W1 at (i0, i2, i1) : tensor<[1, N, K], f16>
// CHECK-NEXT:    %P = entry mul axes (i0: M, i1: N, i2: K) of %X1 at (i0, 0, i2), %W2 at (0, i1, i2) : tensor<[M, N, K], f16>
// CHECK-NEXT:    %Y_fp32 = reduce sum axes (i0: M, i1: N) over (i2: K) of %P at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
// CHECK-NEXT:    %b1 = entry copy axes (i0: 1, i1: N) of %bias at (i1) : tensor<[1, N], f16>
// CHECK-NEXT:    %Yb = entry add axes (i0: M, i1: N) of %Y_fp32 at (i0, i1), %b1 at (0, i1) : tensor<[M, N], f32>
// CHECK-NEXT:    %Yr = entry relu axes (i0: M, i1: N) of %Yb at (i0, i1) : tensor<[M, N], f32>
// CHECK-NEXT:    %Y = entry cast axes (i0: M, i1: N) of %Yr at (i0, i1) to f16 : tensor<[M, N], f16>
// CHECK-NEXT:    return %Y
// CHECK-NEXT:  }
tiny.func @gemm_bias_relu<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>, %bias: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %X0 = view %X : tensor<[M, K], f16>
  %X1 = reshape %X0 to [M, 1, K]
  %W1 = reshape %W to [1, K, N]
  %W2 = permute %W1 by [0, 2, 1]
  %P = mul %X1, %W2
  %Y_fp32 = reduce sum %P over [2] acc f32
  %b1 = reshape %bias to [1, N]
  %Yb = add %Y_fp32, %b1
  %Yr = relu %Yb
  %Y = cast %Yr to f16
  return %Y
}

// A pad is a copy with a guard; a choice, bounds and constants are entries of their own sizes.
// CHECK-LABEL: book.func @others<M>(%x: tensor<[M], f32>) -> tensor<[M + 1], f32> {
// CHECK-NEXT:    %p = entry copy axes (i0: M + 1) of %x at (i0 - 1) where (0 <= i0 - 1 < M) else 2.0 : tensor<[M + 1], f32>
// CHECK-NEXT:    %0 = const 1 : tensor<[], i1>
// CHECK-NEXT:    %v = entry copy axes (i0: M + 1) of %0 at () where (0 <= i0 - 1 < M) : tensor<[M + 1], i1>
// CHECK-NEXT:    %c = const 3.000000e+00 : tensor<[M + 1], f32>
// CHECK-NEXT:    %w = entry where axes (i0: M + 1) of %v at (i0), %p at (i0), %c at (i0) : tensor<[M + 1], f32>
// CHECK-NEXT:    return %w
// CHECK-NEXT:  }
tiny.func @others<M>(%x: tensor<[M], f32>) -> tensor<[M + 1], f32> {
  %p = pad %x low [1] high [0] value 2.0 : f32
  %v = valid from [1] to [M + 1] : tensor<[M + 1], i1>
  %c = const 3.0 : tensor<[M + 1], f32>
  %w = where %v, %p, %c
  return %w
}

// A table is not looked through.
// CHECK-LABEL: book.func @table<V, D, S>(%W: tensor<[D, V], f16>, %ids: tensor<[S], i32>) -> tensor<[S, D], f16> {
// CHECK-NEXT:    %t = entry copy axes (i0: V, i1: D) of %W at (i1, i0) : tensor<[V, D], f16>
// CHECK-NEXT:    %e = gather non_scop axes (i0: S, i1: D) of %t at [%ids (i0), i1] : tensor<[S, D], f16>
// CHECK-NEXT:    return %e
// CHECK-NEXT:  }
tiny.func @table<V, D, S>(%W: tensor<[D, V], f16>, %ids: tensor<[S], i32>) -> tensor<[S, D], f16> {
  %t = permute %W by [1, 0]
  %e = index %t[%ids]
  return %e
}
