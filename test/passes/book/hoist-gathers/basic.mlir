// RUN: dlc-opt %s --hoist-gathers --split-input-file --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --tiny-to-region --split-input-file --evaluate-each | FileCheck %s --check-prefix=KERNELS
// RUN: dlc-opt %s --tiny-to-ptx --split-input-file --evaluate-each --no-output

// Numbers that are scaled where they are read: out of the table there are zeros, and a scale of them is one.
// CHECK-LABEL: book.func @scaled
// CHECK: [[X:%[a-z0-9]+]] = gather non_scop axes (i0: N, i1: 4) of %x at [%i (i0), i1]
// CHECK: [[C:%[a-z0-9]+]] = entry cast axes (i0: N, i1: 4) of [[X]] at (i0, i1) to f32
// CHECK: [[S:%[a-z0-9]+]] = gather non_scop axes (i0: N, i1: 4) of %s at [%i (i0)]
// CHECK: [[Y:%[a-z0-9]+]] = entry mul axes (i0: N, i1: 4) of [[C]] at (i0, i1), [[S]] at (i0, i1)
// CHECK: [[I:%[a-z0-9]+]] = entry cast axes (i0: N) of %i at (i0) to i64
// CHECK: [[FIRST:%[a-z0-9]+]] = iota (0)
// CHECK: [[END:%[a-z0-9]+]] = iota (64)
// CHECK: [[BELOW:%[a-z0-9]+]] = entry lt axes (i0: N) of [[I]] at (i0), [[FIRST]] at ()
// CHECK: [[INSIDE:%[a-z0-9]+]] = entry lt axes (i0: N) of [[I]] at (i0), [[END]] at ()
// CHECK: [[Z:%[a-z0-9]+]] = const 0.000000e+00
// CHECK: [[W:%[a-z0-9]+]] = entry where axes (i0: N, i1: 4) of [[INSIDE]] at (i0), [[Y]] at (i0, i1), [[Z]] at ()
// CHECK: %y = entry where axes (i0: N, i1: 4) of [[BELOW]] at (i0), [[Z]] at (), [[W]] at (i0, i1)
// KERNELS-LABEL: host.func @scaled
// KERNELS: launch @scaled_0
// KERNELS-NOT: launch
// KERNELS: return
book.func @scaled<N>(%x: tensor<[64, 4], i8>, %s: tensor<[64], f32>, %i: tensor<[N], i32>) -> tensor<[N, 4], f32> {
  %c = entry cast axes (i0: 64, i1: 4) of %x at (i0, i1) to f32 : tensor<[64, 4], f32>
  %t = entry mul axes (i0: 64, i1: 4) of %c at (i0, i1), %s at (i0) : tensor<[64, 4], f32>
  %y = gather non_scop axes (i0: N, i1: 4) of %t at [%i (i0), i1] : tensor<[N, 4], f32>
  return %y
}

// -----

// A conversion of zero is zero.
// CHECK-LABEL: book.func @converted
// CHECK: [[X:%[a-z0-9]+]] = gather non_scop axes (i0: N, i1: M) of %x at [%i (i0), i1]
// CHECK-NEXT: %y = entry cast axes (i0: N, i1: M) of [[X]] at (i0, i1) to f32
// CHECK-NEXT: return
book.func @converted<M, N>(%x: tensor<[M, M], f16>, %i: tensor<[N], i32>) -> tensor<[N, M], f32> {
  %c = entry cast axes (i0: M, i1: M) of %x at (i0, i1) to f32 : tensor<[M, M], f32>
  %y = gather non_scop axes (i0: N, i1: M) of %c at [%i (i0), i1] : tensor<[N, M], f32>
  return %y
}

// -----

// Of neighbours in two directions, as of pixels between which is interpolated: one gather has two indices.
// CHECK-LABEL: book.func @both
// CHECK: gather non_scop axes (i0: 6, i1: 6) of %x at [%i (i1), %i (i0)]
// CHECK: gather non_scop axes (i0: 6, i1: 6) of %x at [%j (i1), %i (i0)]
// CHECK: gather non_scop axes (i0: 6, i1: 6) of %x at [%i (i1), %j (i0)]
// CHECK: gather non_scop axes (i0: 6, i1: 6) of %x at [%j (i1), %j (i0)]
// KERNELS-LABEL: host.func @both
// KERNELS: launch @both_0
// KERNELS-NOT: launch
// KERNELS: return
book.func @both(%x: tensor<[4, 50], f32>, %i: tensor<[6], i32>, %j: tensor<[6], i32>, %w: tensor<[6], f32>) -> tensor<[6, 6], f32> {
  %0 = gather non_scop axes (i0: 6, i1: 50) of %x at [%i (i0), i1] : tensor<[6, 50], f32>
  %1 = gather non_scop axes (i0: 6, i1: 50) of %x at [%j (i0), i1] : tensor<[6, 50], f32>
  %2 = entry mul axes (i0: 6, i1: 50) of %1 at (i0, i1), %w at (i0) : tensor<[6, 50], f32>
  %3 = entry add axes (i0: 6, i1: 50) of %0 at (i0, i1), %2 at (i0, i1) : tensor<[6, 50], f32>
  %4 = gather non_scop axes (i0: 6, i1: 6) of %3 at [i1, %i (i0)] : tensor<[6, 6], f32>
  %5 = gather non_scop axes (i0: 6, i1: 6) of %3 at [i1, %j (i0)] : tensor<[6, 6], f32>
  %y = entry sub axes (i0: 6, i1: 6) of %4 at (i0, i1), %5 at (i0, i1) : tensor<[6, 6], f32>
  return %y
}
