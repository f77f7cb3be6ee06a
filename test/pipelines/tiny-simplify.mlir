// RUN: dlc-opt %s --tiny-simplify | FileCheck %s --check-prefixes=CHECK,WIDEN
// RUN: dlc-opt %s --evaluate | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: dlc-opt %s --pass-pipeline='tiny-simplify' --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=PIPELINE

// The scale is a number, the product and its sum a contraction, and what is computed twice is computed once. `evaluate`
// keeps the rounding of the product.
// PIPELINE: canonicalize
// PIPELINE-SAME: recognize-iota
// PIPELINE-SAME: fold-constants
// PIPELINE-SAME: detect-contraction
// PIPELINE-SAME: canonicalize
// PIPELINE-SAME: cse
// PIPELINE-SAME: dce
// CHECK-LABEL: tiny.func @scores<S, D>(%q: tensor<[S, D], f16>, %k: tensor<[S, D], f16>) -> (tensor<[S, S], f32>, tensor<[S, S], f32>) {
// CHECK-NEXT:    %scale = const 2.500000e-01 : tensor<[], f32>
// WIDEN-NEXT:    %s = contract %q [m, k], %k [n, k] to [m, n] acc f32 {widen} : tensor<[S, S], f32>
// EXACT-NEXT:    %s = contract %q [m, k], %k [n, k] to [m, n] product f16 acc f32 : tensor<[S, S], f32>
// CHECK-NEXT:    %y = mul %s, %scale : tensor<[S, S], f32>
// CHECK-NEXT:    return %y, %y
// CHECK-NEXT:  }
tiny.func @scores<S, D>(%q: tensor<[S, D], f16>, %k: tensor<[S, D], f16>) -> (tensor<[S, S], f32>, tensor<[S, S], f32>) {
  %a = reshape %q to [S, 1, D]
  %p = mul %a, %k
  %c = cast %p to f32
  %t = permute %c by [2, 0, 1]
  %s = reduce sum %t over [0]
  %four = const 4.0 : tensor<[], f32>
  %scale = recip %four
  %y = mul %s, %scale
  %z = mul %s, %scale
  return %y, %z
}
