// Scores stay on chip for the next product only where a plan has rows for them: else they are stored.

// RUN: dlc-opt %s --lower-frontend --tiny-to-region | FileCheck %s

// The result ends with a column.
// CHECK-LABEL: host.func @plain
// CHECK-COUNT-1: launch
// CHECK-NEXT: return
frontend.graph @plain(%q: tensor<[8, 512, 64], f16>, %k: tensor<[8, 512, 64], f16>, %v: tensor<[8, 512, 64], f16>) -> tensor<[8, 512, 64], f16> {
  %t = transpose %k by [0, 2, 1]
  %s = gemm %q, %t
  %p = softmax %s over 2
  %y = gemm %p, %v
  output %y
}

// It ends with a row.
// CHECK-LABEL: host.func @transposed
// CHECK: launch @transposed_0
// CHECK: launch @transposed_1
// CHECK: launch @transposed_2
// CHECK-NEXT: return
frontend.graph @transposed(%q: tensor<[8, 64, 512], f16>, %k: tensor<[8, 64, 512], f16>, %v: tensor<[8, 64, 512], f16>) -> tensor<[8, 64, 512], f16> {
  %t = transpose %q by [0, 2, 1]
  %s = gemm %t, %k
  %p = softmax %s over 2
  %r = transpose %p by [0, 2, 1]
  %y = gemm %v, %r
  output %y
}

// All batches share the queries.
// CHECK-LABEL: host.func @shared
// CHECK: launch @shared_0
// CHECK: launch @shared_1
// CHECK: launch @shared_2
frontend.graph @shared(%q: tensor<[1, 8, 64], f16>, %k: tensor<[16, 512, 64], f16>) -> tensor<[16, 8, 64], f16> {
  %e = expand %q to [16, 8, 64]
  %t = transpose %k by [0, 2, 1]
  %s = gemm %e, %t
  %p = softmax %s over 2
  %y = gemm %p, %k
  output %y
}

// All heads read the same keys: the axis of their one head is on no side.
// CHECK-LABEL: host.func @one_head
// CHECK-COUNT-1: launch
// CHECK-NOT: launch
// CHECK: return
frontend.graph @one_head<B, S>(%q: tensor<[B, 8, S, 64], f16>, %k: tensor<[B, 1, S, 64], f16>, %v: tensor<[B, 1, S, 64], f16>) -> tensor<[B, 8, S, 64], f16> {
  %y = attention %q, %k, %v causal
  output %y as f16
}

// A sink is appended to the scores: they are stored, and its rows, which are longer than what is taken of them, are reduced by
// kernels of their own.
// CHECK-LABEL: host.func @sink
// CHECK: launch @sink_0 ({{.*}} : memref<[4, 2048, 2048], f32
// CHECK: launch {{.*}} : memref<[8192], f32
// CHECK: return
frontend.graph @sink(%q: tensor<[4, 2048, 64], f16>, %k: tensor<[4, 2048, 64], f16>, %v: tensor<[4, 2048, 64], f16>, %s: tensor<[4, 1, 1], f32>) -> tensor<[4, 2048, 64], f16> {
  %t = transpose %k by [0, 2, 1]
  %g = gemm %q, %t acc f32
  %f = cast %g to f32
  %e = expand %s to [4, 2048, 1]
  %c = concat %f, %e over 2
  %p = softmax %c over 2
  %w = slice %p from [0, 0, 0] to [4, 2048, 2048]
  %h = cast %w to f16
  %y = gemm %h, %v
  output %y
}

// Of a pool no row goes on to the next product.
// CHECK-LABEL: host.func @pooled
// CHECK: launch @pooled_0 ({{.*}} : memref<[20000, 512], f16
// CHECK: return
frontend.graph @pooled(%x: tensor<[8, 2500, 128], f16>, %w: tensor<[512, 128], f16>, %v: tensor<[40, 512], f16>) -> tensor<[8, 40], f16> {
  %h = linear %x, %w
  %f = cast %h to f32
  %m = max %f over [1]
  %g = cast %m to f16
  %y = linear %g, %v
  output %y
}
