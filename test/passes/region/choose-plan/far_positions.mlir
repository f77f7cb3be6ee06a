// Positions may be farther apart than any memory is large: how much of a row a thread reads at once is estimated all the same.

// RUN: dlc-opt %s --pass-pipeline="lower-indexbook,tiny-to-region,choose-plan{target=sm90}" | FileCheck %s

// CHECK-LABEL: plan.schedule of @far_0 for sm90
// CHECK: tile (m: {{[0-9]+}}
book.func @far<M, W>(%X: tensor<[W], f16>) -> tensor<[M], f32> {
  %p = entry neg axes (i0: M, i1: 3) of %X at (4611686018427387904*i0 + i1 - 1) where (0 <= 9223372036854775807*i0 + i1 - 65536 < W)
  %y = reduce sum axes (i0: M) over (i1: 3) of %p at (i0, i1) acc f32
  return %y
}

// Places of a window, too.
// CHECK-LABEL: plan.schedule of @far_window_0 for sm90
// CHECK-NOT: algo (load_X: window)
book.func @far_window<N>(%X: tensor<[N, 64, 64, 64], f16>, %F: tensor<[64, 3, 3, 64], f16>) -> tensor<[N, 16, 16, 64], f32> {
  %p = entry mul axes (i0: N, i1: 16, i2: 16, i3: 64, i4: 3, i5: 3, i6: 64) of %X at (i0, i1 + 9223372036854775807*i4, i2 + 4611686018427387904*i5, i6) where (0 <= i1 + 9223372036854775807*i4 < 64, 0 <= i2 + 4611686018427387904*i5 < 64), %F at (i3, i4, i5, i6) to f32 widen
  %y = reduce sum axes (i0: N, i1: 16, i2: 16, i3: 64) over (i4: 3, i5: 3, i6: 64) of %p at (i0, i1, i2, i3, i4, i5, i6) acc f32
  return %y
}
