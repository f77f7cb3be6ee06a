// RUN: dlc-opt %s --tiny-to-kernel --evaluate-each -o /dev/null
// RUN: dlc-opt %s --lower-indexbook --form-regions --region-normalize --evaluate-each -o /dev/null
// RUN: dlc-opt %s --tiny-to-region | FileCheck %s

// As `programs.mlir`: a convolution, which takes longer than all of those together.

// CHECK-LABEL: host.func @conv<
// CHECK-COUNT-1: launch
// CHECK-NEXT: return
tiny.func @conv<N, C, O, H, W>(%X: tensor<[N, C, 2*H + 1, 2*W + 1], f16>, %V: tensor<[O, C, 3, 3], f16>, %b: tensor<[O, 1, 1], f32>) -> tensor<[N, O, H + 1, W + 1], f16> {
  %p = pad %X low [0, 0, 1, 1] high [0, 0, 1, 1]
  %s = contract %V [o, c, kh, kw], %p [n, c, 2*h + kh, 2*w + kw] to [n, o, h, w] acc f32
  %sb = add %s, %b
  %r = relu %sb
  %y = cast %r to f16
  return %y
}
