// Attention to the last keys of each query, and to none after it: the loop over keys begins with the first that a tile sees, and
// ends with the last.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{target=sm90},tensorize' | FileCheck %s
// RUN: dlc-run %s --seed=0 -o %t.npy
// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{target=sm90}' -o %t.mlir
// RUN: dlc-run %t.mlir --seed=0 --passes='add-fallback,region-to-ptx' --check=%t.npy

// CHECK: %end = min
// CHECK: %begin = max
// CHECK: for %{{.+}} = %begin to %end step
frontend.graph @window(%q: tensor<[40, 320, 64], f16>, %k: tensor<[40, 320, 64], f16>, %v: tensor<[40, 320, 64], f16>) -> tensor<[40, 320, 64], f16> {
  %s = einsum "hmd,hnd->hmn" %q, %k acc f32
  %p = arange : tensor<[320], i32>
  %i = reshape %p to [320, 1]
  %j = reshape %p to [1, 320]
  %d = sub %i, %j
  %zero = full 0 : tensor<[], i32>
  %size = full 100 : tensor<[], i32>
  %after = ge %d, %zero
  %near = lt %d, %size
  %seen = bitwise_and %after, %near
  %none = full -inf : tensor<[], f32>
  %t = where %seen, %s, %none
  %w = softmax %t over 2
  %h = cast %w to f16
  %o = einsum "hmn,hnd->hmd" %h, %v acc f32
  output %o as f16
}
