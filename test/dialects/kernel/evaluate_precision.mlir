// Products of f32 on tensor cores: the numbers that an op means are those of its instructions.

// RUN: dlc-opt %s --kernel-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %s | FileCheck %s
// RUN: dlc-run %s -o %t.npz
// RUN: dlc-run %t.ptx.mlir --check=%t.npz --rtol=0 --atol=0

// Three products keep what one rounds away; of a sum of 8 times 1.0001 squared, f32 has 8.0016.
// CHECK: three {{ *}}tensor<[16, 8], f32> {{.*}} 8.0016
// CHECK: one {{ *}}tensor<[16, 8], f32> {{.*}} 8
// An infinity times a number is one, with the sign of the product; with zero it is no number.
// CHECK: below {{ *}}tensor<[16, 8], f32> {{.*}} -inf
// CHECK: none {{ *}}tensor<[16, 8], f32> {{.*}} NaN,
// CHECK: large {{ *}}tensor<[16, 8], f32> {{.*}} 2.720e38
kernel.func @precision() -> (memref<[16, 8], f32>, memref<[16, 8], f32>, memref<[16, 8], f32>, memref<[16, 8], f32>, memref<[16, 8], f32>) {
  %three = output : memref<[16, 8], f32>
  %one = output : memref<[16, 8], f32>
  %below = output : memref<[16, 8], f32>
  %none = output : memref<[16, 8], f32>
  %large = output : memref<[16, 8], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[16, 8], f32, mma [1, 1]>
    %a = const 1.0001 : frag<[16, 8], f32, mma_a [1, 1]>
    %b = const 1.0001 : frag<[8, 8], f32, mma_b [1, 1]>
    %c = mma %a, %b, %zero as tf32x3
    store %c to %three[i0, i1]
    %d = mma %a, %b, %zero as tf32
    store %d to %one[i0, i1]
    %inf = const inf : frag<[16, 8], f32, mma_a [1, 1]>
    %minus = const -1.0001 : frag<[8, 8], f32, mma_b [1, 1]>
    %e = mma %inf, %minus, %zero as tf32x3
    store %e to %below[i0, i1]
    %nothing = const 0.0 : frag<[8, 8], f32, mma_b [1, 1]>
    %f = mma %inf, %nothing, %zero as tf32x3
    store %f to %none[i0, i1]
    %most = const 3.4028234e38 : frag<[16, 8], f32, mma_a [1, 1]>
    %tenth = const 0.1 : frag<[8, 8], f32, mma_b [1, 1]>
    %g = mma %most, %tenth, %zero as tf32x3
    store %g to %large[i0, i1]
  }
  return %three, %one, %below, %none, %large
}
