// How operands are read: positions, guards, and what stands outside of them.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

// A convolution of stride 2 whose input is padded: the pad is a guard.
// CHECK-LABEL: book.func @conv<
// GENERIC-LABEL: sym_name = "conv"
book.func @conv<N, C, H, W, O, Ho, Wo>(%X: tensor<[N, C, H, W], f16>, %K: tensor<[O, C, 3, 3], f16>) -> tensor<[N, O, Ho, Wo], f32> {
  // CHECK: %p = entry mul axes (i0: N, i1: O, i2: Ho, i3: Wo, i4: C, i5: 3, i6: 3) of %X at (i0, i4, 2*i2 + i5 - 1, 2*i3 + i6 - 1) where (0 <= 2*i2 + i5 - 1 < H, 0 <= 2*i3 + i6 - 1 < W) else 0.0, %K at (i1, i4, i5, i6) to f32 widen : tensor<[N, O, Ho, Wo, C, 3, 3], f32>
  // GENERIC{LITERAL}: accesses = [{at = ["i0", "i4", "2*i2 + i5 - 1", "2*i3 + i6 - 1"], fill = 0.000000e+00 : f16, where = [["0 <= 2*i2 + i5 - 1 < H", "0 <= 2*i3 + i6 - 1 < W"]]}, {at = ["i1", "i4", "i5", "i6"]}]
  %p = entry mul axes (i0: N, i1: O, i2: Ho, i3: Wo, i4: C, i5: 3, i6: 3)
         of %X at (i0, i4, 2*i2 + i5 - 1, i3*2 + i6 - 1) where (0 <= 2*i2 + i5 - 1 < H, 0 <= 2*i3 + i6 - 1 < W) else 0.0,
            %K at (i1, i4, i5, i6) to f32 widen
  // CHECK: %y = reduce sum axes (i0: N, i1: O, i2: Ho, i3: Wo) over (i4: C, i5: 3, i6: 3) of %p at (i0, i1, i2, i3, i4, i5, i6) acc f32
  %y = reduce sum axes (i0: N, i1: O, i2: Ho, i3: Wo) over (i4: C, i5: 3, i6: 3) of %p at (i0, i1, i2, i3, i4, i5, i6) acc f32
  return %y
}

// Every way to write a condition; each is an interval, or an equality.
// CHECK-LABEL: book.func @conditions<
// GENERIC-LABEL: sym_name = "conditions"
book.func @conditions<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // CHECK: where (0 <= i0 < M) : tensor<[M], f32>
  // GENERIC{LITERAL}: {at = ["i0"], where = [["0 <= i0 < M"]]}
  %a = entry copy axes (i0: M) of %x at (i0) where (0 <= i0 < M)
  // CHECK: where (0 <= i0 < M) : tensor<[M], f32>
  %b = entry copy axes (i0: M) of %x at (i0) where (M > i0 >= 0)
  // CHECK: where (i0 <= M - 2, 2 <= i0) : tensor<[M], f32>
  %c = entry copy axes (i0: M) of %x at (i0) where (i0 <= M - 2, i0 > 1)
  // CHECK: where (i0 == 3) else -inf : tensor<[M], f32>
  // GENERIC{LITERAL}: {at = ["i0"], fill = 0xFF800000 : f32, where = [["i0 == 3"]]}
  %d = entry copy axes (i0: M) of %x at (i0) where (i0 == 3) else -inf
  // CHECK: where (i0 < 2) or (5 <= i0 < 7, i0 mod 2 == 0) or () else inf : tensor<[M], f32>
  // GENERIC{LITERAL}: where = [["i0 < 2"], ["5 <= i0 < 7", "i0 mod 2 == 0"], []]
  %e = entry copy axes (i0: M) of %x at (i0) where (i0 < 2) or (5 <= i0 < 7, i0 mod 2 == 0) or () else inf
  // CHECK: where (i0 < 1) else nan : tensor<[M], f32>
  %f = entry copy axes (i0: M) of %x at (i0) where (i0 < 1) else nan
  // CHECK: where (i0 < 1) else 0x7FC00001 : tensor<[M], f32>
  %g = entry copy axes (i0: M) of %x at (i0) where (i0 < 1) else 0x7FC00001
  return %a
}

// Numbers of the type of the elements.
// CHECK-LABEL: book.func @fills(
book.func @fills(%b: tensor<[4], i1>, %i: tensor<[4], i8>, %u: tensor<[4], ui64>, %h: tensor<[4], bf16>) -> tensor<[4], i1> {
  // CHECK: else 1 : tensor<[4], i1>
  %0 = entry copy axes (i0: 4) of %b at (i0) where (i0 < 2) else 1
  // CHECK: else -128 : tensor<[4], i8>
  %1 = entry copy axes (i0: 4) of %i at (i0) where (i0 < 2) else -128
  // CHECK: else 18446744073709551615 : tensor<[4], ui64>
  %2 = entry copy axes (i0: 4) of %u at (i0) where (i0 < 2) else 18446744073709551615
  // CHECK: else -inf : tensor<[4], bf16>
  %3 = entry copy axes (i0: 4) of %h at (i0) where (i0 < 2) else -inf
  // CHECK: else -0.5 : tensor<[4], bf16>
  %4 = entry copy axes (i0: 4) of %h at (i0) where (i0 < 2) else -0.5
  return %0
}

// Positions that are shown to be inside without a guard.
// CHECK-LABEL: book.func @inside<
book.func @inside<M, N>(%x: tensor<[4*M], f32>, %y: tensor<[M, N], f32>, %z: tensor<[2*M + 1], f32>, %w: tensor<[M + N], f32>) -> tensor<[M, 4], f32> {
  // CHECK: of %x at (4*i0 + i1) : tensor<[M, 4], f32>
  %a = entry copy axes (i0: M, i1: 4) of %x at (i0*4 + i1)
  // CHECK: of %x at (4*M - i0 - 1) : tensor<[4*M], f32>
  %b = entry copy axes (i0: 4*M) of %x at (4*M - 1 - i0)
  // CHECK: of %y at (i0 floordiv 4, 0) where (i0 == i1) : tensor<[4*M, N], f32>
  %c = entry copy axes (i0: 4*M, i1: N) of %y at (i0 floordiv 4, 0) where (i0 == i1)
  // CHECK: of %x at (i0) : tensor<[4*M], f32>
  %d = entry copy axes (i0: 4*M) of %x at (i0 mod 4 + 4*(i0 floordiv 4))
  // CHECK: of %z at (i0 + i1) : tensor<[M, M + 2], f32>
  %e = entry copy axes (i0: M, i1: M + 2) of %z at (i0 + i1)
  // CHECK: of %z at (2*i0 + i1 - 1) where (1 <= 2*i0 + i1) : tensor<[M, 3], f32>
  %f = entry copy axes (i0: M, i1: 3) of %z at (2*i0 + i1 - 1) where (1 <= 2*i0 + i1)
  // CHECK: of %w at (M + i0) : tensor<[N], f32>
  %g = entry copy axes (i0: N) of %w at (i0 + M)
  return %a
}

// Without elements nothing is read, and without axes there is one element.
// CHECK-LABEL: book.func @edges(
book.func @edges(%none: tensor<[0], f32>, %one: tensor<[], f32>) -> (tensor<[0, 3], f32>, tensor<[], f32>) {
  // CHECK: of %none at (i0 + 7*i1) : tensor<[0, 3], f32>
  %a = entry copy axes (i0: 0, i1: 3) of %none at (i0 + 7*i1)
  // CHECK: %b = entry neg axes () of %one at () : tensor<[], f32>
  %b = entry neg axes () of %one at ()
  return %a, %b
}
