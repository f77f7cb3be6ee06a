// Each of the sizes that plans are asked for gets its own plan, and launches compare what they cost: the plan for 65536 x 256
// divides each sum among more blocks.

// RUN: dlc-opt %s --pass-pipeline="lower-frontend,tiny-to-region,choose-plan{target=sm90 assume=256 sizes=[8192x8192,65536x256]}" | FileCheck %s

// CHECK: launch @sum_columns_0_1<M, N> where (M == 8192, N == 8192) else @sum_columns_0_1<M, N> cost (tiles: 2*(N ceildiv 64), steps: M ceildiv 512, bytes: 2*M*N + 4*N, {{.*}}), @sum_columns_0_2<M, N> cost (tiles: 64*(N ceildiv 64), steps: M ceildiv 16384, bytes: 2*M*N + 4*N, {{.*}}), @sum_columns_0<M, N> cost (
// CHECK: plan.schedule of @sum_columns_0_2
// CHECK: split_k 64 along m
// CHECK: plan.schedule of @sum_columns_0_1
// CHECK: split_k 2 along m
frontend.graph @sum_columns<M, N>(%X: tensor<[M, N], f16>) -> tensor<[N], f32> {
  %x = cast %X to f32
  %Y = sum %x over [0]
  output %Y
}
