// RUN: dlc-opt %s --form-regions='symbols=[M:8192,N:8192]' --split-input-file --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --form-regions='symbols=[M:100,N:100]' --split-input-file | FileCheck %s --check-prefix=SHORT

// A mean of what rows are reduced to: the rows are a kernel, what is read of them is stored, and the few results another.
// CHECK-LABEL: host.func @losses
// CHECK: launch @losses_0<M, N> (%a, %b)
// CHECK: launch @losses_1<M>
// SHORT-LABEL: host.func @losses
// SHORT: launch @losses_0<M, N> (%a, %b)
// SHORT-NEXT: return
book.func @losses<M, N>(%a: tensor<[M, N], f32>, %b: tensor<[M, N], f32>) -> tensor<[], f32> {
  %p = entry mul axes (i0: M, i1: N) of %a at (i0, i1), %b at (i0, i1) : tensor<[M, N], f32>
  %d = reduce sum axes (i0: M) over (i1: N) of %p at (i0, i1) acc f32 : tensor<[M], f32>
  %m = reduce max axes (i0: M) over (i1: N) of %a at (i0, i1) acc f32 : tensor<[M], f32>
  %c = entry sub axes (i0: M) of %d at (i0), %m at (i0) : tensor<[M], f32>
  %y = reduce sum axes () over (i0: M) of %c at (i0) acc f32 : tensor<[], f32>
  return %y
}

// -----

// One number for many results: without its own kernel each SM would reduce all, or one go through all results.
// CHECK-LABEL: host.func @norm
// CHECK: launch @norm_0<M, N> (%x)
// CHECK: launch @norm_1<M>
// CHECK: launch @norm_2<M, N>
book.func @norm<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %r = reduce max axes (i0: M) over (i1: N) of %x at (i0, i1) acc f32 : tensor<[M], f32>
  %s = reduce max axes () over (i0: M) of %r at (i0) acc f32 : tensor<[], f32>
  %y = entry fdiv axes (i0: M, i1: N) of %x at (i0, i1), %s at () : tensor<[M, N], f32>
  return %y
}

// -----

// A sum of all elements that is computed from sums of rows is one number for many results as well. What is subtracted is computed
// again by each kernel that needs it, for no kernel would reduce anything again.
// CHECK-LABEL: host.func @variance
// CHECK: launch @variance_0<N> (%x)
// CHECK: launch @variance_1 (
// CHECK: launch @variance_2<N> (%x,
// CHECK: launch @variance_3 (
// CHECK: launch @variance_4<N> (%x,
book.func @variance<N>(%x: tensor<[64, N], f32>) -> tensor<[64, N], f32> {
  %r = reduce sum axes (i0: 64) over (i1: N) of %x at (i0, i1) acc f32 : tensor<[64], f32>
  %s = reduce sum axes () over (i0: 64) of %r at (i0) acc f32 : tensor<[], f32>
  %d = entry sub axes (i0: 64, i1: N) of %x at (i0, i1), %s at () : tensor<[64, N], f32>
  %q = entry mul axes (i0: 64, i1: N) of %d at (i0, i1), %d at (i0, i1) : tensor<[64, N], f32>
  %t = reduce sum axes (i0: 64) over (i1: N) of %q at (i0, i1) acc f32 : tensor<[64], f32>
  %v = reduce sum axes () over (i0: 64) of %t at (i0) acc f32 : tensor<[], f32>
  %y = entry mul axes (i0: 64, i1: N) of %d at (i0, i1), %v at () : tensor<[64, N], f32>
  return %y
}

// -----

// Few long rows that are reduced again: one SM would go through each of them twice.
// CHECK-LABEL: host.func @variances
// CHECK: launch @variances_0<N> (%x)
// CHECK: launch @variances_1<N> (%x,
book.func @variances<N>(%x: tensor<[2, N, 16], f32>) -> tensor<[2, 16], f32> {
  %r = reduce sum axes (i0: 2, i1: 16) over (i2: 16*N) of %x at (i0, i2 floordiv 16, i1) acc f32 : tensor<[2, 16], f32>
  %d = entry sub axes (i0: 2, i1: 16*N, i2: 16) of %x at (i0, i1 floordiv 16, i2), %r at (i0, i2) : tensor<[2, 16*N, 16], f32>
  %q = entry mul axes (i0: 2, i1: 16*N, i2: 16) of %d at (i0, i1, i2), %d at (i0, i1, i2) : tensor<[2, 16*N, 16], f32>
  %t = reduce sum axes (i0: 2, i1: 16) over (i2: 16*N) of %q at (i0, i2, i1) acc f32 : tensor<[2, 16], f32>
  return %t
}
