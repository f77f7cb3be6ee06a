// A reduction inside of one over an axis of size 1, which is the second axis of fragments until the inner one takes that.

// RUN: dlc-opt %s --pass-pipeline=lower-frontend,tiny-to-region,tensorize | FileCheck %s
// RUN: dlc-opt %s --pass-pipeline=lower-frontend,tiny-to-region,tensorize --evaluate-each -o /dev/null

// CHECK-LABEL: kernel.func private @largest_0<M>
// CHECK: for %[[C:[a-z0-9_]+]] = 0 to 1
// CHECK: load %w[{{.+}}, %[[C]]]
frontend.graph @largest<M>(%x: tensor<[M, 64], f16>, %w: tensor<[64, 1], f16>) -> tensor<[M], i32> {
  %l = gemm %x, %w acc f32
  %y = argmax %l over 1
  output %y
}
