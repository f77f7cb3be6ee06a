// Products side by side have the tiles of one kernel, and none of them divides its sum.

// RUN: dlc-opt %s --lower-frontend --tiny-to-region | FileCheck %s

// A kernel has about four: the partial sum of the others is stored.
// CHECK-LABEL: host.func @twelve
// CHECK: %pr = launch
// CHECK-NEXT: %y = launch
// CHECK-NEXT: return
frontend.graph @twelve<M, N>(%a: tensor<[M, 64], f16>, %b: tensor<[M, 64], f16>, %c: tensor<[M, 64], f16>, %d: tensor<[M, 64], f16>, %e: tensor<[M, 64], f16>, %f: tensor<[M, 64], f16>,
    %w: tensor<[64, N], f16>) -> tensor<[M, N], f16> {
  %p = gemm %a, %w
  %q = gemm %b, %w
  %r = gemm %c, %w
  %s = gemm %d, %w
  %t = gemm %e, %w
  %u = gemm %f, %w
  %pq = add %p, %q
  %pr = add %pq, %r
  %ps = add %pr, %s
  %pt = add %ps, %t
  %y = add %pt, %u
  output %y
}

// Of few results and long sums, each takes less time in a kernel that divides its sum.
// CHECK-LABEL: host.func @cell
// CHECK: %{{.*}} = launch
// CHECK-NEXT: %y = launch
// CHECK-NEXT: return
frontend.graph @cell(%x: tensor<[4, 4096], f16>, %h: tensor<[4, 4096], f16>, %w: tensor<[4096, 8], f16>, %u: tensor<[4096, 8], f16>) -> tensor<[4, 8], f16> {
  %p = gemm %x, %w
  %q = gemm %h, %u
  %s = add %p, %q
  %y = tanh %s
  output %y
}

// With as many tiles as there are SMs they stay together.
// CHECK-LABEL: host.func @together
// CHECK-NEXT: %y = launch
// CHECK-NEXT: return
frontend.graph @together<M, N>(%x: tensor<[M, 512], f16>, %w: tensor<[512, N], f16>, %u: tensor<[512, N], f16>) -> tensor<[M, N], f16> {
  %p = gemm %x, %w
  %q = gemm %x, %u
  %s = sigmoid %p
  %y = mul %s, %q
  output %y
}

// A reduction that one step of another one alone needs is stored: as its steps differ, no loop is without it.
// CHECK-LABEL: host.func @rows
// CHECK: %s = launch
// CHECK-NEXT: %y = launch
// CHECK-NEXT: return
frontend.graph @rows(%a: tensor<[144, 14, 16], f32>, %b: tensor<[144, 14, 13], f32>, %w: tensor<[144, 15], f32>) -> tensor<[144, 16], f32> {
  %l = slice %a from [0, 0, 0] to [144, 13, 16]
  %c = slice %b from [0, 13, 0] to [144, 14, 13]
  %d = reshape %c to [144, 13, 1]
  %m = mul %d, %l
  %s = sum %m over [1]
  %r = reshape %s to [144, 1, 16]
  %g = concat %a, %r over 1
  %v = reshape %w to [144, 15, 1]
  %n = mul %v, %g
  %y = sum %n over [1]
  output %y
}

// Columns of two tensors: each has a kernel in which threads share it. Rows stay together.
// CHECK-LABEL: host.func @columns
// CHECK: launch {{.*}} : memref<[512], f32
// CHECK: %y = launch
// CHECK-NEXT: return
frontend.graph @columns<A, B>(%a: tensor<[A, 512], f32>, %b: tensor<[B, 512], f32>) -> tensor<[512], f32> {
  %s = sum %a over [0]
  %t = sum %b over [0]
  %y = add %s, %t
  output %y
}

// A sum over samples next to sums of their rows, as of labels that count: no tile has both, so the first one is stored.
// CHECK-LABEL: host.func @labels
// CHECK: launch {{.*}} : memref<[], f32
// CHECK: %y = launch
// CHECK-NEXT: return
frontend.graph @labels(%m: tensor<[24], f32>, %x: tensor<[24, 1000], f32>) -> tensor<[24, 1000], f32> {
  %n = sum %m over [0]
  %r = reshape %m to [24, 1]
  %w = div %r, %n
  %a = mul %x, %w
  %s = sum %a over [1] keepdim
  %y = sub %a, %s
  output %y
}
