// Rows and columns at the sizes that they have.

// RUN: dlc-opt %s --split-input-file --pass-pipeline="lower-frontend,tiny-to-region,choose-plan{target=sm90}" | FileCheck %s

// Several short rows share a warp.
// CHECK-LABEL: plan.schedule of @short_0 for sm90
// CHECK: tile (m: [[ROWS:.*]], n: 16)
// CHECK: reduced [n]
// CHECK: threads (m: {{[0-9]+}}, n: {{4|8}})
frontend.graph @short(%x: tensor<[1000000, 12], f32>) -> tensor<[1000000, 12], f32> {
  %y = softmax %x over 1
  output %y
}

// -----

// A short column has a thread, and stays in its registers.
// CHECK-LABEL: plan.schedule of @flat_0 for sm90
// CHECK: tile (n: {{[0-9]+}}, m: 8)
// CHECK: reduced [m]
// CHECK: threads (n: {{[0-9]+}})
// CHECK: cache x ({{.*}}) f16 in reg
frontend.graph @flat(%x: tensor<[5, 250000], f16>) -> tensor<[5, 250000], f16> {
  %y = softmax %x over 0
  output %y as f16
}

// -----

// Few columns leave most lanes to what is reduced.
// CHECK-LABEL: plan.schedule of @narrow_0 for sm90
// CHECK: threads (p: {{1|2|4}}, n: {{[0-9]+}})
// CHECK: split_k
frontend.graph @narrow(%x: tensor<[48, 100000, 4], f16>) -> tensor<[48, 4], f16> {
  %y = sum %x over [1]
  output %y as f16
}

// -----

// An axis of one position behind the one that is reduced is a column, too.
// CHECK-LABEL: plan.schedule of @single_0 for sm90
// CHECK: threads (n: {{[0-9]+}})
frontend.graph @single(%x: tensor<[2, 3176, 1], bf16>) -> tensor<[2, 3176, 1], bf16> {
  %y = softmax %x over 1
  output %y as bf16
}

// -----

// Neither do blocks read less than a line of many columns.
// CHECK-LABEL: plan.schedule of @wide_0 for sm90
// CHECK: tile ({{.*}}n: {{32|64|128|256}}, m: {{.*}})
frontend.graph @wide(%x: tensor<[40000, 4096], f32>) -> tensor<[4096], f32> {
  %y = sum %x over [0]
  output %y
}
