// Short rows and columns.

// RUN: dlc-opt %s --pass-pipeline="lower-frontend,tiny-to-region{symbols=[R:1000000,S:12,A:5,B:250000]},choose-plan{target=sm90 symbols=[R:1000000,S:12,A:5,B:250000]}" | FileCheck %s

// Several short rows share a warp.
// CHECK-LABEL: plan.schedule of @short_0 for sm90
// CHECK: tile (r: {{[0-9]+}}, s: 16)
// CHECK: threads (r: {{[0-9]+}}, s: {{[48]}})
frontend.graph @short<R, S>(%x: tensor<[R, S], f32>) -> tensor<[R, S], f32> {
  %y = softmax %x over 1
  output %y
}

// A short column is one thread's.
// CHECK-LABEL: plan.schedule of @flat_0 for sm90
// CHECK: thread_tile (b: {{[0-9]+}})
// CHECK: threads (b: {{[0-9]+}})
frontend.graph @flat<A, B>(%x: tensor<[A, B], f16>) -> tensor<[A, B], f16> {
  %y = softmax %x over 0
  output %y as f16
}
