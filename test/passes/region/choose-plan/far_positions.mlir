// Positions may be farther apart than any memory is large: how much of a row a thread reads at once is estimated all the same.

// RUN: dlc-opt %s --pass-pipeline="lower-indexbook,tiny-to-region,choose-plan{target=sm90}" | FileCheck %s

// CHECK-LABEL: plan.schedule of @far_0 for sm90
// CHECK: tile (m: {{[0-9]+}}
book.func @far<M, W>(%X: tensor<[W], f16>) -> tensor<[M], f32> {
  %p = entry neg axes (i0: M, i1: 3) of %X at (4611686018427387904*i0 + i1 - 1) where (0 <= 9223372036854775807*i0 + i1 - 65536 < W)
  %y = reduce sum axes (i0: M) over (i1: 3) of %p at (i0, i1) acc f32
  return %y
}
