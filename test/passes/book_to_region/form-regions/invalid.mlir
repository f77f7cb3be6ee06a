// RUN: not dlc-opt %s --form-regions=max-width=0 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: not dlc-opt %s --form-regions=assume=-3 2>&1 | FileCheck %s --check-prefix=ASSUME
// RUN: not dlc-opt %s --form-regions 2>&1 | FileCheck %s

// WIDTH: 'max-width' must be at least 1, but is 0
// ASSUME: 'assume' must be at least 1, but is -3

// Positions that are put together may go beyond what expressions hold.
// CHECK: [E1306] Error: the positions of this value go beyond 64 bits where it is put together with what it reads
book.func @f<N>(%X: tensor<[N], f32>) -> tensor<[N], f32> {
  %a = entry exp2 axes (i0: N) of %X at (4611686018427387904*i0) where (0 <= 4611686018427387904*i0 < N) : tensor<[N], f32>
  %y = entry exp2 axes (i0: N) of %a at (4*i0) where (0 <= 4*i0 < N) : tensor<[N], f32>
  return %y
}
