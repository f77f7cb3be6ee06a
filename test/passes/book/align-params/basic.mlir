// RUN: dlc-opt %s --align-params | FileCheck %s

// A reshape says what the size is that the signature lacks; every type and position has it then.
// CHECK-LABEL: book.func @split<M, K, R>(%x: tensor<[M, 2*K], f32>) -> tensor<[K], f32> {
// CHECK-NEXT:    %a = reshape non_scop %x : tensor<[M, 2, K], f32>
// CHECK-NEXT:    %p = entry neg axes (i0: M, i1: 2, i2: K) of %a at (M - i0 - 1, i1, i2) : tensor<[M, 2, K], f32>
// CHECK-NEXT:    %y = reduce sum axes (i0: K) over (i1: M, i2: 2) of %p at (i1, i2, i0) acc f32 : tensor<[K], f32>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
book.func @split<M, K, R>(%x: tensor<[M, 2*K], f32>) -> tensor<[K], f32> {
  %a = reshape non_scop %x : tensor<[R, 2, K], f32>
  %p = entry neg axes (i0: R, i1: 2, i2: K) of %a at (R - i0 - 1, i1, i2) : tensor<[R, 2, K], f32>
  %y = reduce sum axes (i0: K) over (i1: R, i2: 2) of %p at (i1, i2, i0) acc f32 : tensor<[K], f32>
  return %y
}

// One after the other: the second is known by the first. The operand of a reshape may have the size, too.
// CHECK-LABEL: book.func @chain<M, N, A, B>(%x: tensor<[M, N], f32>) -> tensor<[N, M], f32> {
// CHECK-NEXT:    %a = reshape non_scop %x : tensor<[N, M], f32>
// CHECK-NEXT:    %b = entry neg axes (i0: M, i1: N, i2: M) of %a at (i1, i0) where (0 <= i2 < M) : tensor<[M, N, M], f32>
// CHECK-NEXT:    %c = reduce max axes (i0: M, i1: N) over (i2: M) of %b at (i0, i1, i2) acc f32 : tensor<[M, N], f32>
// CHECK-NEXT:    %d = reshape non_scop %x : tensor<[M, N], f32>
// CHECK-NEXT:    %e = entry add axes (i0: N, i1: M) of %c at (i1, i0), %d at (i1, i0) where (0 <= i1 < M) : tensor<[N, M], f32>
// CHECK-NEXT:    %y = reshape non_scop %e : tensor<[N, M], f32>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
book.func @chain<M, N, A, B>(%x: tensor<[M, N], f32>) -> tensor<[N, M], f32> {
  %a = reshape non_scop %x : tensor<[N, A], f32>
  %b = entry neg axes (i0: A, i1: N, i2: B) of %a at (i1, i0) where (0 <= i2 < B) : tensor<[A, N, B], f32>
  %c = reduce max axes (i0: A, i1: N) over (i2: B) of %b at (i0, i1, i2) acc f32 : tensor<[A, N], f32>
  %d = reshape non_scop %x : tensor<[B, N], f32>
  %e = entry add axes (i0: N, i1: A) of %c at (i1, i0), %d at (i1, i0) where (0 <= i1 < B) : tensor<[N, A], f32>
  %y = reshape non_scop %e : tensor<[N, M], f32>
  return %y
}

// Iotas and gathers have sizes in their positions, too.
// CHECK-LABEL: book.func @positions<M, R>(%x: tensor<[M, 2], f32>, %ids: tensor<[M], i32>) -> tensor<[M], f32> {
// CHECK-NEXT:    %r = reshape non_scop %x : tensor<[2, M], f32>
// CHECK-NEXT:    %i = iota (M - i0) axes (i0: M) : tensor<[M], i32>
// CHECK-NEXT:    %e = gather non_scop axes (i0: M) of %r at [1, %ids (i0)] : tensor<[M], f32>
// CHECK-NEXT:    %j = reduce sum axes () over (i0: M) of %i at (i0) acc i32 : tensor<[], i32>
// CHECK-NEXT:    %y = entry add axes (i0: M) of %e at (i0), %j at () : tensor<[M], f32>
// CHECK-NEXT:    return %y
// CHECK-NEXT:  }
book.func @positions<M, R>(%x: tensor<[M, 2], f32>, %ids: tensor<[M], i32>) -> tensor<[M], f32> {
  %r = reshape non_scop %x : tensor<[2, R], f32>
  %i = iota (R - i0) axes (i0: R) : tensor<[R], i32>
  %e = gather non_scop axes (i0: M) of %r at [1, %ids (i0)] : tensor<[M], f32>
  %j = reduce sum axes () over (i0: R) of %i at (i0) acc i32 : tensor<[], i32>
  %y = entry add axes (i0: M) of %e at (i0), %j at () : tensor<[M], f32>
  return %y
}
