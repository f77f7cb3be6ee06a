// A long sum next to a product, which does not read it, has a kernel of its own: each tile of the product would sum all of it.

// RUN: dlc-opt %s --lower-frontend --tiny-to-region | FileCheck %s

// CHECK-LABEL: host.func @means
// CHECK: launch {{.*}} : memref<[512], f32
// CHECK: %y = launch
// CHECK-NEXT: return
frontend.graph @means(%r: tensor<[9000, 512], f32>, %x: tensor<[9000, 64], f32>) -> tensor<[512, 64], f32> {
  %n = sum %r over [0]
  %t = transpose %r by [1, 0]
  %m = gemm %t, %x
  %d = reshape %n to [512, 1]
  %y = div %m, %d
  output %y
}
