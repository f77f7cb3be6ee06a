// Each of the sizes that plans are asked for gets its own plan: that for 8192 x 8192 comes first and would hold at 65536 x 256
// too, so a launch tries it after the plan for those sizes, which divides each sum among more blocks.

// RUN: dlc-opt %s --pass-pipeline="lower-frontend,tiny-to-region,choose-plan{target=sm90 assume=256 sizes=[8192x8192,65536x256]}" | FileCheck %s

// CHECK: launch @sum_columns_0_1<M, N> where (64*(N ceildiv 64) < 257) else @sum_columns_0_2<M, N> where (2*(N ceildiv 64) < 257)
// CHECK: plan.schedule of @sum_columns_0_2
// CHECK: split_k 2 along m
// CHECK: plan.schedule of @sum_columns_0_1
// CHECK: split_k 64 along m
frontend.graph @sum_columns<M, N>(%X: tensor<[M, N], f16>) -> tensor<[N], f32> {
  %x = cast %X to f32
  %Y = sum %x over [0]
  output %Y
}
