// Blocks share long sums where there are few tiles, whatever multiplies.

// RUN: dlc-opt %s --pass-pipeline="tiny-to-region,choose-plan{target=sm90}" | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: dlc-opt %s --pass-pipeline="tiny-to-region,choose-plan{target=sm80}" | FileCheck %s --check-prefixes=CHECK,SM80

// SM90-LABEL: plan.schedule of @f32
// SM90: instruction mma [16, 8, 8] promote as tf32x3
// SM90: split_k {{[0-9]+}} through workspace
// SM80-LABEL: plan.schedule of @f32
// SM80: split_k {{[0-9]+}} through workspace
frontend.graph @f32(%a: tensor<[256, 131072], f32>, %b: tensor<[131072, 256], f32>) -> tensor<[256, 256], f32> {
  %y = gemm %a, %b
  output %y
}

// CHECK-LABEL: plan.schedule of @f16
// SM80: instruction mma
// CHECK: split_k {{[0-9]+}} through workspace
frontend.graph @f16(%a: tensor<[256, 131072], f16>, %b: tensor<[131072, 256], f16>) -> tensor<[256, 256], f32> {
  %y = gemm %a, %b acc f32
  output %y
}

// There are tiles for all SMs.
// CHECK-LABEL: plan.schedule of @tiles
// CHECK-NOT: split_k
frontend.graph @tiles(%a: tensor<[4096, 1024], f32>, %b: tensor<[1024, 4096], f32>) -> tensor<[4096, 4096], f32> {
  %y = gemm %a, %b
  output %y
}
