// Below a diagonal short rows of tiles waste less: for few queries a plan with smaller tiles is chosen. Costs do not tell, and
// the plan is taken at the sizes that it was chosen for.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{assume=4096 sizes=[192x512x512]}' | FileCheck %s

// CHECK: launch @causal_0_1<B, S, T> where (B == 192, S == 512, T == 512) else @causal_0_1<B, S, T> cost (tiles: B*(S ceildiv 128), {{.*}}), @causal_0<B, S, T> cost (tiles: B*(S ceildiv 256), {{.*}}) (%Q
// CHECK: plan.schedule of @causal_0_1 for sm90
// CHECK-NEXT: tile (b: 1, s: 128, i2: 64, i4: 64, t: 128)
// CHECK: roles cooperative consumers 2
// CHECK: plan.schedule of @causal_0 for sm90
// CHECK-NEXT: tile (b: 1, s: 256, i2: 64, i4: 64, t: 96)
// CHECK: roles cooperative consumers 4 in_turn
frontend.graph @causal<B, S, T>(%Q: tensor<[B, S, 64], f16>, %K: tensor<[B, T, 64], f16>, %V: tensor<[B, T, 64], f16>) -> tensor<[B, S, 64], f16> {
  %O = attention %Q, %K, %V causal
  output %O as f16
}
