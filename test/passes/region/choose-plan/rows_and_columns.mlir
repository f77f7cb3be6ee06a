// Columns of sizes that are numbers.

// RUN: dlc-opt %s --split-input-file --pass-pipeline="lower-frontend,tiny-to-region,choose-plan{target=sm90}" | FileCheck %s

// Few columns leave most lanes to what is reduced.
// CHECK-LABEL: plan.schedule of @narrow_0 for sm90
// CHECK: threads (i1: {{[124]}}, i2: {{[0-9]+}})
// CHECK: split_k
frontend.graph @narrow(%x: tensor<[48, 100000, 4], f16>) -> tensor<[48, 4], f16> {
  %y = sum %x over [1]
  output %y as f16
}

// -----

// Of many columns blocks read whole lines.
// CHECK-LABEL: plan.schedule of @wide_0 for sm90
// CHECK: tile (i0: {{32|64|128|256}}, i1: {{[0-9]+}})
frontend.graph @wide(%x: tensor<[40000, 4096], f32>) -> tensor<[4096], f32> {
  %y = sum %x over [0]
  output %y
}
