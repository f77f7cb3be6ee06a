// RUN: dlc-opt %s --srnf=reassoc | FileCheck %s
// RUN: dlc-opt %s --srnf=reassoc --remarks=missed --no-output 2>&1 | FileCheck %s --check-prefix=REMARK

// R4: a maximum of sums stays two reductions, and so do sums that round to different types, or with something
// between them.
// REMARK-DAG: R4: a max of what a sum gives stays two reductions
// REMARK-DAG: R0: the inner reduction rounds to another type than the outer one
// CHECK-LABEL: region.func @barrier
// CHECK-COUNT-6: = reduce
region.func @barrier<M, J, K> iters (m: M)
    ins (%X: memref<[M, J, K], f32>)
    outs (A: memref<[M], f32> materialize gmem, B: memref<[M], f32> materialize gmem, D: memref<[M], f32> materialize gmem) {
  %x = read %X[m, j, k] : f32 over (m, j, k)
  %h = cast %x : f16 over (m, j, k)
  %a = reduce max (j: J) acc f32 init -inf {
    %s = reduce sum (k: K) acc f32 init 0.0 {
      yield %x
    } : f32 over (m, j)
    yield %s
  } : f32 over (m)
  %b = reduce sum (j: J) acc f32 init 0.0 {
    %s = reduce sum (k: K) acc f16 init 0.0 {
      yield %h
    } : f16 over (m, j)
    yield %s
  } : f32 over (m)
  %d = reduce sum (j: J) acc f32 init 0.0 {
    %s = reduce sum (k: K) acc f32 init 0.0 {
      yield %x
    } : f32 over (m, j)
    %r = unary relu %s : f32 over (m, j)
    yield %r
  } : f32 over (m)
  yield %a to A, %b to B, %d to D
}

// Factors that change the order or wrap; a product that something else needs; two accumulators.
// REMARK-DAG: R1: 'mul' stays: numbers of type i8 may wrap
// REMARK-DAG: R1: 'add' stays: numbers of type i32 may wrap
// CHECK-LABEL: region.func @factors
// CHECK: binary mul %f, %c : f32 over (m, k)
// CHECK: binary sub %c, %f : f32 over (m, k)
// CHECK: binary mul %f, %minus : f32 over (m, k)
// CHECK: binary mul %i, %i8 : i8 over (m, k)
// CHECK: binary add %j, %i32 : i32 over (m, k)
// CHECK: binary mul %f, %c : f32 over (m, k)
// CHECK: yield %p, %f
region.func @factors<M, K> iters (m: M)
    ins (%F: memref<[M, K], f32>, %C: memref<[M], f32>, %I: memref<[M, K], i8>, %J: memref<[M, K], i32>)
    outs (A: memref<[M], f32> materialize gmem, B: memref<[M], f32> materialize gmem, C: memref<[M], f32> materialize gmem,
          D: memref<[M], i32> materialize gmem, E: memref<[M], i32> materialize gmem, G: memref<[M], f32> materialize gmem, H: memref<[M], f32> materialize gmem) {
  %c = read %C[m] : f32 over (m)
  %minus = const -2.0 : f32 over ()
  %i8 = const 100 : i8 over ()
  %i32 = const 100 : i32 over ()
  %a = reduce max (k: K) acc f32 init -inf {
    %f = read %F[m, k] : f32 over (m, k)
    %p = binary mul %f, %c : f32 over (m, k)
    yield %p
  } : f32 over (m)
  %b = reduce max (k: K) acc f32 init -inf {
    %f = read %F[m, k] : f32 over (m, k)
    %p = binary sub %c, %f : f32 over (m, k)
    yield %p
  } : f32 over (m)
  %d = reduce max (k: K) acc f32 init -inf {
    %f = read %F[m, k] : f32 over (m, k)
    %p = binary mul %f, %minus : f32 over (m, k)
    yield %p
  } : f32 over (m)
  %e = reduce sum (k: K) acc i32 init 0 {
    %i = read %I[m, k] : i8 over (m, k)
    %p = binary mul %i, %i8 : i8 over (m, k)
    yield %p
  } : i32 over (m)
  %g = reduce max (k: K) acc i32 init -2147483648 {
    %j = read %J[m, k] : i32 over (m, k)
    %p = binary add %j, %i32 : i32 over (m, k)
    yield %p
  } : i32 over (m)
  %h, %l = reduce sum (k: K) acc (f32, f32) init (0.0, 0.0) {
    %f = read %F[m, k] : f32 over (m, k)
    %p = binary mul %f, %c : f32 over (m, k)
    yield %p, %f
  } : f32 over (m), f32 over (m)
  yield %a to A, %b to B, %d to C, %e to D, %g to E, %h to G, %l to H
}

// A sum of sums stays two where another reduction stands next to the inner one: it would reduce an axis that is reduced
// around it (i1), or be computed again for each step of one (i1, while it goes over j).
// REMARK-DAG: R0: another reduction in the same body goes over the axis 'i1' too
// REMARK-DAG: R0: another reduction in the same body would be computed again for each 'i1'
// CHECK-LABEL: region.func @neighbours
// CHECK: reduce sum (i0: 16)
// CHECK: reduce max (i1: 100)
// CHECK: reduce sum (i1: 100)
// CHECK: reduce sum (i0: 16)
// CHECK: reduce max (j: 8)
// CHECK: reduce sum (i1: 100)
region.func @neighbours iters ()
    ins (%X: memref<[16, 100], f32>, %Z: memref<[16, 8], f32>)
    outs (Y: memref<[], f32> materialize gmem, W: memref<[], f32> materialize gmem) {
  %y = reduce sum (i0: 16) acc f32 init 0.0 {
    %x = read %X[i0, i1] : f32 over (i0, i1)
    %m = reduce max (i1: 100) acc f32 init -inf {
      yield %x
    } : f32 over (i0)
    %s = reduce sum (i1: 100) acc f32 init 0.0 {
      %d = binary sub %x, %m : f32 over (i0, i1)
      yield %d
    } : f32 over (i0)
    yield %s
  } : f32 over ()
  %w = reduce sum (i0: 16) acc f32 init 0.0 {
    %m = reduce max (j: 8) acc f32 init -inf {
      %z = read %Z[i0, j] : f32 over (i0, j)
      yield %z
    } : f32 over (i0)
    %s = reduce sum (i1: 100) acc f32 init 0.0 {
      %x = read %X[i0, i1] : f32 over (i0, i1)
      %d = binary fdiv %x, %m : f32 over (i0, i1)
      %e = unary exp2 %d : f32 over (i0, i1)
      yield %e
    } : f32 over (i0)
    yield %s
  } : f32 over ()
  yield %y to Y, %w to W
}
