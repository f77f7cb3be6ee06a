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
