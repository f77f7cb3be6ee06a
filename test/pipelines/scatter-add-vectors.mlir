// Rows whose elements lie in fours are added four elements at once where the machine can.

// RUN: dlc-run %s --shape=N=5,E=33 -o %t.npz
// RUN: dlc-opt %s --pass-pipeline="lower-frontend,tiny-to-region,choose-plan{target=sm90},add-fallback,region-to-ptx" -o %t.sm90
// RUN: FileCheck %s --input-file=%t.sm90
// RUN: dlc-run %t.sm90 --strict --shape=N=5,E=33 --check=%t.npz
// RUN: dlc-opt %s --pass-pipeline="lower-frontend,tiny-to-region,choose-plan{target=sm80},add-fallback,region-to-ptx" -o %t.sm80
// RUN: FileCheck %s --input-file=%t.sm80 --check-prefix=SCALAR
// RUN: dlc-run %t.sm80 --strict --shape=N=5,E=33 --check=%t.npz

// CHECK: red.global.add.v4.f32
// SCALAR: red.global.add.f32
// SCALAR-NOT: red.global.add.v4
frontend.graph @scatter<N, E>(%x: tensor<[N, 128], f32>, %i: tensor<[E], i64>, %e: tensor<[E, 128], f32>) -> tensor<[N, 128], f32> {
  %n = full 5 : tensor<[], i64>
  %at = mod %i, %n
  %y = scatter_add %x, %at, %e over 0 any_order
  output %y
}
