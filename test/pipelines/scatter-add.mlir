// A graph network: parts of a tensor are added at indices, equal ones add up, and what is none of the axis is left out.

// RUN: dlc-opt %s --lower-frontend -o %t.tiny
// RUN: dlc-opt %t.tiny --tiny-to-region -o %t.region
// RUN: FileCheck %s --input-file=%t.region --check-prefix=REGION
// RUN: dlc-opt %t.tiny --tiny-to-kernel | FileCheck %s
// RUN: dlc-opt %t.tiny --tiny-to-ptx -o %t.ptx
// RUN: dlc-opt %t.tiny --tiny-to-ptx-sm90 -o %t.sm90
// RUN: dlc-run %s --shape=N=5,E=33,D=70 -o %t.npz
// RUN: dlc-run %t.tiny --shape=N=5,E=33,D=70 --check=%t.npz
// RUN: dlc-run %t.region --shape=N=5,E=33,D=70 --check=%t.npz
// RUN: dlc-run %t.ptx --strict --shape=N=5,E=33,D=70 --check=%t.npz
// RUN: dlc-run %t.sm90 --strict --shape=N=5,E=33,D=70 --check=%t.npz
// RUN: dlc-run %s --shape=N=1,E=0,D=3 -o %t.npz
// RUN: dlc-run %t.sm90 --strict --shape=N=1,E=0,D=3 --check=%t.npz

// What is added is computed in the kernel that adds it, and what follows in its second grid.
// REGION: reduce sum
// REGION: } {any_order}
// CHECK: scratch
// CHECK: grid
// CHECK: unary
// CHECK: store combine sum
// CHECK: grid
// CHECK: unary relu
// CHECK: store
frontend.graph @network<N, E, D>(%x: tensor<[N, D], f32>, %a: tensor<[E], i64>, %e: tensor<[E, D], f32>) -> tensor<[N, D], f32> {
  %six = full 6 : tensor<[], i64>
  %i = mod %a, %six
  %m = silu %e
  %s = scatter_add %x, %i, %m over 0 any_order
  %y = relu %s
  output %y
}
