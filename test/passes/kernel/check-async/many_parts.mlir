// A sum in more than sixteen parts, the last of them shorter: which part a tile is of is a quotient of a number that is not
// linear, and no part is beyond the last one.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{symbols=[M:8]},add-fallback,tensorize,kernel-schedule' | FileCheck %s
// CHECK: workspace : memref<[22, 2*(M ceildiv 16), 128, 16], f32
// CHECK: for %k = 576*%part to
frontend.graph @gemm<M>(%a: tensor<[M, 12600], f16>, %b: tensor<[232, 12600], f16>) -> tensor<[M, 232], f16> {
  %y = gemm %a, %b trans_b acc f32
  output %y as f16
}
