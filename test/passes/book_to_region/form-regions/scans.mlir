// Scans: where they are stored, and what stands around them in their kernels.

// RUN: dlc-opt %s --form-regions --split-input-file --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %s --form-regions --split-input-file --remarks=passed,missed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// What is read element by element, and what follows element by element, is in the kernel.
// CHECK-LABEL: host.func @around
// CHECK-COUNT-1: launch
// CHECK: region.func private @around_0
// CHECK: unary exp2
// CHECK: scan sum %{{.*}} along n : f32 over (m, n)
// CHECK: unary log2
book.func @around<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %e = entry exp2 axes (i0: M, i1: N) of %x at (i0, i1) : tensor<[M, N], f32>
  %s = scan sum axes (i0: M, i1: N) along 1 of %e at (i0, i1) acc f32 : tensor<[M, N], f32>
  %y = entry log2 axes (i0: M, i1: N) of %s at (i0, i1) : tensor<[M, N], f32>
  return %y
}

// -----

// Axes in another order are the same points.
// CHECK-LABEL: host.func @turned
// CHECK-COUNT-1: launch
// CHECK: region.func private @turned_0<M, N> iters (n: N, m: M)
// CHECK: scan max %{{.*}} along n exclusive reverse : f32 over (n, m)
book.func @turned<M, N>(%x: tensor<[M, N], f32>) -> tensor<[N, M], f32> {
  %s = scan max axes (i0: M, i1: N) along 1 of %x at (i0, i1) acc f32 exclusive reverse : tensor<[M, N], f32>
  %y = entry relu axes (i0: N, i1: M) of %s at (i1, i0) : tensor<[N, M], f32>
  return %y
}

// -----

// What is the same along the axis is put there.
// CHECK-LABEL: host.func @repeated
// CHECK: region.func
// CHECK: %[[X:.*]] = read %x[m] : f32 over (m)
// CHECK: %[[B:.*]] = broadcast_in_dim %[[X]] to [M, N] dims [0] : f32 over (m, n)
// CHECK: scan sum %[[B]] along n : f32 over (m, n)
book.func @repeated<M, N>(%x: tensor<[M], f32>) -> tensor<[M, N], f32> {
  %s = scan sum axes (i0: M, i1: N) along 1 of %x at (i0) acc f32 : tensor<[M, N], f32>
  return %s
}

// -----

// Both operands of a recurrence are computed in its kernel, and put on all axes.
// CHECK-LABEL: host.func @recurrence
// CHECK-COUNT-1: launch
// CHECK: %[[A:.*]] = unary exp2
// CHECK: %[[P:.*]] = binary mul
// CHECK: %[[F:.*]] = broadcast_in_dim %[[A]] to [M, N] dims [0] : f32 over (m, n)
// CHECK: %[[S:.*]] = scan linear %[[F]], %[[P]] along n reverse : f32 over (m, n)
// CHECK: unary relu %[[S]]
book.func @recurrence<M, N>(%a: tensor<[M], f32>, %x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %e = entry exp2 axes (i0: M) of %a at (i0) : tensor<[M], f32>
  %p = entry mul axes (i0: M, i1: N) of %x at (i0, i1), %x at (i0, i1) : tensor<[M, N], f32>
  %s = scan linear axes (i0: M, i1: N) along 1 of %e at (i0), %p at (i0, i1) acc f32 reverse : tensor<[M, N], f32>
  %y = entry relu axes (i0: M, i1: N) of %s at (i0, i1) : tensor<[M, N], f32>
  return %y
}

// -----

// A scan at other points, one before another, and reductions before and after have kernels of their own.
// REMARK: 'scan' of [M, N] is stored, 4*M*N bytes: a scan is read elsewhere than at the points of its kernel
// CHECK-LABEL: host.func @shifted
// CHECK-COUNT-2: launch
book.func @shifted<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %s = scan sum axes (i0: M, i1: N) along 1 of %x at (i0, i1) acc f32 : tensor<[M, N], f32>
  %y = entry copy axes (i0: M, i1: N) of %s at (i0, i1 - 1) where (0 <= i1 - 1) else 0.0 : tensor<[M, N], f32>
  return %y
}

// -----

// REMARK: 'scan' of [M, N] is stored, 4*M*N bytes: a kernel has one scan or sort
// CHECK-LABEL: host.func @twice
// CHECK-COUNT-2: launch
book.func @twice<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %s = scan sum axes (i0: M, i1: N) along 1 of %x at (i0, i1) acc f32 : tensor<[M, N], f32>
  %t = scan max axes (i0: M, i1: N) along 0 of %s at (i0, i1) acc f32 : tensor<[M, N], f32>
  return %t
}

// -----

// REMARK: 'sum' of [M] is stored, 4*M bytes: a kernel with a scan or a sort has no reduction
// CHECK-LABEL: host.func @divided
// CHECK-COUNT-2: launch
book.func @divided<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %s = reduce sum axes (i0: M) over (i1: N) of %x at (i0, i1) acc f32 : tensor<[M], f32>
  %p = entry fdiv axes (i0: M, i1: N) of %x at (i0, i1), %s at (i0) : tensor<[M, N], f32>
  %t = scan sum axes (i0: M, i1: N) along 1 of %p at (i0, i1) acc f32 : tensor<[M, N], f32>
  return %t
}

// -----

// REMARK: 'scan' of [M, N] is stored, 4*M*N bytes: a scan is read elsewhere than at the points of its kernel
// CHECK-LABEL: host.func @reduced
// CHECK-COUNT-2: launch
book.func @reduced<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M], f32> {
  %s = scan sum axes (i0: M, i1: N) along 1 of %x at (i0, i1) acc f32 : tensor<[M, N], f32>
  %t = reduce max axes (i0: M) over (i1: N) of %s at (i0, i1) acc f32 : tensor<[M], f32>
  return %t
}
