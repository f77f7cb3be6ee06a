// A sort has a kernel with what is computed of its elements; what reads it elsewhere has another one.

// RUN: dlc-opt %s --form-regions -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --strict --function=inside --shape=M=3,N=20 -o %t.npz
// RUN: dlc-run %t.mlir --strict --function=inside --shape=M=3,N=20 --check=%t.npz
// RUN: dlc-run %s --strict --function=first --shape=M=3 -o %t.npz
// RUN: dlc-run %t.mlir --strict --function=first --shape=M=3 --check=%t.npz
// RUN: dlc-run %s --strict --function=last --shape=M=3 -o %t.npz
// RUN: dlc-run %t.mlir --strict --function=last --shape=M=3 --check=%t.npz

// CHECK-LABEL: host.func @inside<
// CHECK-COUNT-1: launch
// CHECK: region.func private @inside_0<
// CHECK: %[[Z:.*]] = unary neg %{{.*}} : i32 over (m, n)
// CHECK: %[[S:.*]] = sort %[[Z]] along n every 8 : i32 over (m, n)
// CHECK: binary add %[[S]], %[[S]]
book.func @inside<M, N>(%x: tensor<[M, N], i32>) -> tensor<[M, N], i32> {
  %z = entry neg axes (i0: M, i1: N) of %x at (i0, i1) : tensor<[M, N], i32>
  %s = sort axes (i0: M, i1: N) along 1 every 8 of %z at (i0, i1) : tensor<[M, N], i32>
  %y = entry add axes (i0: M, i1: N) of %s at (i0, i1), %s at (i0, i1) : tensor<[M, N], i32>
  return %y
}

// The first three elements are those of all, not of the first three.
// CHECK-LABEL: host.func @first<
// CHECK-COUNT-2: launch
// CHECK: iters (m: M, i1: 64)
// CHECK: sort %{{.*}} along i1 : i32
book.func @first<M>(%x: tensor<[M, 64], i32>) -> tensor<[M, 3], i32> {
  %s = sort axes (i0: M, i1: 64) along 1 of %x at (i0, i1) : tensor<[M, 64], i32>
  %y = entry copy axes (i0: M, i1: 3) of %s at (i0, i1) : tensor<[M, 3], i32>
  return %y
}

// So is what a scan from the end begins with.
// CHECK-LABEL: host.func @last<
// CHECK-COUNT-2: launch
// CHECK: iters (m: M, i1: 64)
// CHECK: scan sum %{{.*}} along i1 reverse : i32
book.func @last<M>(%x: tensor<[M, 64], i32>) -> tensor<[M, 3], i32> {
  %s = scan sum axes (i0: M, i1: 64) along 1 of %x at (i0, i1) acc i32 reverse : tensor<[M, 64], i32>
  %y = entry copy axes (i0: M, i1: 3) of %s at (i0, i1) : tensor<[M, 3], i32>
  return %y
}
