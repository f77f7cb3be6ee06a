// What says where elements go is not stored, and each sum in any order has a kernel of its own: in memory it would be a tensor
// of all positions and all elements.

// RUN: dlc-opt %s --lower-frontend --tiny-to-region | FileCheck %s

// CHECK-LABEL: host.func @bags
// CHECK-NOT: memref<[512, 4096
// CHECK: %y = launch
// CHECK-NEXT: return
// CHECK: any_order
// CHECK: any_order
// CHECK-NOT: any_order
frontend.graph @bags(%a0: tensor<[4096, 8], f32>, %a1: tensor<[4096, 8], f32>, %a2: tensor<[4096, 8], f32>, %a3: tensor<[4096, 8], f32>, %a4: tensor<[4096, 8], f32>, %a5: tensor<[4096, 8], f32>, %a6: tensor<[4096, 8], f32>, %a7: tensor<[4096, 8], f32>, %j: tensor<[4096], i64>) -> tensor<[512, 8, 8], f32> {
  %zero = full 0.0 : tensor<[512, 8], f32>
  %i = cumsum %j over 0
  %p0 = scatter_add %zero, %i, %a0 over 0 any_order
  %q0 = reshape %p0 to [512, 1, 8]
  %p1 = scatter_add %zero, %i, %a1 over 0 any_order
  %q1 = reshape %p1 to [512, 1, 8]
  %p2 = scatter_add %zero, %i, %a2 over 0 any_order
  %q2 = reshape %p2 to [512, 1, 8]
  %p3 = scatter_add %zero, %i, %a3 over 0 any_order
  %q3 = reshape %p3 to [512, 1, 8]
  %p4 = scatter_add %zero, %i, %a4 over 0 any_order
  %q4 = reshape %p4 to [512, 1, 8]
  %p5 = scatter_add %zero, %i, %a5 over 0 any_order
  %q5 = reshape %p5 to [512, 1, 8]
  %p6 = scatter_add %zero, %i, %a6 over 0 any_order
  %q6 = reshape %p6 to [512, 1, 8]
  %p7 = scatter_add %zero, %i, %a7 over 0 any_order
  %q7 = reshape %p7 to [512, 1, 8]
  %y = concat %q0, %q1, %q2, %q3, %q4, %q5, %q6, %q7 over 1
  output %y
}

// Of integers any order gives the same, without a mark: the mask is not stored, and the count has a kernel of its own.
// CHECK-LABEL: host.func @counted
// CHECK-NOT: memref<[512, 4096
// CHECK: launch {{.*}} : memref<[512], i64
// CHECK: launch {{.*}} : memref<[512], i64
// CHECK: return
frontend.graph @counted(%j: tensor<[4096], i64>, %x: tensor<[512, 64], i64>) -> tensor<[512], i64> {
  %i = cumsum %j over 0
  %n = arange : tensor<[512], i64>
  %p = reshape %n to [512, 1]
  %q = reshape %i to [1, 4096]
  %c = eq %p, %q
  %one = full 1 : tensor<[], i64>
  %zero = full 0 : tensor<[], i64>
  %w = where %c, %one, %zero
  %s = sum %w over [1]
  %r = sum %x over [1]
  %y = add %s, %r
  output %y
}

// Sums over all pixels of an image that is read by rows and columns: stored as they are, so that elements go to their places.
// CHECK-LABEL: host.func @image
// CHECK: launch {{.*}} : memref<[120], f32
// CHECK: %y = launch
// CHECK-NOT: launch
// CHECK: return
frontend.graph @image(%i: tensor<[900], i64>, %a: tensor<[900], f32>, %b: tensor<[10, 12], f32>) -> tensor<[10, 12], f32> {
  %zero = full 0.0 : tensor<[120], f32>
  %p = scatter_add %zero, %i, %a over 0 any_order
  %q = reshape %p to [10, 12]
  %y = div %q, %b
  output %y
}
