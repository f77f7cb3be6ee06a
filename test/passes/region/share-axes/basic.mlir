// share-axes: reductions that read the same elements go along one axis.

// RUN: dlc-opt %s --share-axes | FileCheck %s
// RUN: dlc-opt %s --share-axes --evaluate-each --no-output
// RUN: dlc-opt %s --share-axes --cse | FileCheck %s --check-prefix=CSE

// CHECK-LABEL: @angle<
// CHECK: read %a[m, n] : f32 over (m, n)
// CHECK: reduce sum (n: N)
// CHECK: read %a[m, n] : f32 over (m, n)
// CHECK: binary mul {{.*}} : f32 over (m, n)
// CHECK: reduce sum (n: N)
// CSE-LABEL: @angle<
// CSE: read %a
// CSE-NOT: read %a
// CSE: yield %r to Y
region.func @angle<M, N> iters (m: M) ins (%a: memref<[M, N], f32>, %b: memref<[M, N], f32>) outs (Y: memref<[M], f32> materialize gmem) {
  %x = read %a[m, n] : f32 over (m, n)
  %y = read %b[m, n] : f32 over (m, n)
  %p = binary mul %x, %y : f32 over (m, n)
  %d = reduce sum (n: N) acc f32 init 0.0 {
    yield %p
  } : f32 over (m)
  %z = read %a[m, k] : f32 over (m, k)
  %q = binary mul %z, %z : f32 over (m, k)
  %s = reduce sum (k: N) acc f32 init 0.0 {
    yield %q
  } : f32 over (m)
  %r = binary fdiv %d, %s : f32 over (m)
  yield %r to Y
}

// Guards and positions take the name, too; a reduction after another one, of what that gives.
// CHECK-LABEL: @after<
// CHECK: reduce max (j: M, n: N)
// CHECK: reduce sum (j: M, n: N)
// CHECK: read %a[j, n] where (n < j + 1) : f32 over (j, n)
// CHECK: index (j + n) : f32 over (j, n)
region.func @after<M, N> iters () ins (%a: memref<[M, N], f32>) outs (Y: memref<[], f32> materialize gmem) {
  %t = reduce max (j: M, n: N) acc f32 init -inf {
    %x = read %a[j, n] where (n < j + 1) : f32 over (j, n)
    yield %x
  } : f32 over ()
  %s = reduce sum (i: M, k: N) acc f32 init 0.0 {
    %z = read %a[i, k] where (k < i + 1) : f32 over (i, k)
    %p = index (i + k) : f32 over (i, k)
    %w = binary mul %z, %p : f32 over (i, k)
    %q = binary sub %w, %t : f32 over (i, k)
    yield %q
  } : f32 over ()
  yield %s to Y
}

// Other memory and other elements have the same sizes; other sizes, and axes that a value has together, keep their names.
// CHECK-LABEL: @apart<
// CHECK: reduce sum (n: N)
// CHECK: reduce sum (n: N)
// CHECK: reduce sum (n: N)
// CHECK: reduce sum (h: N + 1)
// CHECK: reduce sum (n: N)
// CHECK: reduce max (v: N)
region.func @apart<M, N> iters (m: M) ins (%a: memref<[M, N + 1], f32>, %b: memref<[M, N], f32>) outs (Y: memref<[M], f32> materialize gmem) {
  %0 = reduce sum (n: N) acc f32 init 0.0 {
    %x = read %a[m, n] : f32 over (m, n)
    yield %x
  } : f32 over (m)
  %1 = reduce sum (k: N) acc f32 init 0.0 {
    %x = read %b[m, k] : f32 over (m, k)
    yield %x
  } : f32 over (m)
  %2 = reduce sum (l: N) acc f32 init 0.0 {
    %x = read %a[m, l + 1] : f32 over (m, l)
    yield %x
  } : f32 over (m)
  %3 = reduce sum (h: N + 1) acc f32 init 0.0 {
    %x = read %a[m, h] : f32 over (m, h)
    yield %x
  } : f32 over (m)
  %4 = reduce sum (u: N) acc f32 init 0.0 {
    %z = read %a[0, u] : f32 over (u)
    %y = reduce max (v: N) acc f32 init -inf {
      %x = read %a[0, v] : f32 over (v)
      %p = binary mul %x, %z : f32 over (u, v)
      yield %p
    } : f32 over (u)
    yield %y
  } : f32 over ()
  %5 = binary add %0, %1 : f32 over (m)
  %6 = binary add %5, %2 : f32 over (m)
  %7 = binary add %6, %3 : f32 over (m)
  %8 = binary add %7, %4 : f32 over (m)
  yield %8 to Y
}

// A reduction in the body of another one keeps its own axis, whatever both read.
// CHECK-LABEL: @nested<
// CHECK: reduce sum (j: N)
// CHECK: reduce max (k: N)
region.func @nested<N> iters () ins (%a: memref<[N], f32>) outs (Y: memref<[], f32> materialize gmem) {
  %s = reduce sum (j: N) acc f32 init 0.0 {
    %x = read %a[j] : f32 over (j)
    %m = reduce max (k: N) acc f32 init -inf {
      %z = read %a[k] : f32 over (k)
      yield %z
    } : f32 over ()
    %p = binary mul %x, %m : f32 over (j)
    yield %p
  } : f32 over ()
  yield %s to Y
}

// A row that is read along an axis of the result, too, is reduced along it, and then read once.
// CHECK-LABEL: @centered<
// CHECK: read %a[m, n] : f32 over (m, n)
// CHECK: reduce max (n: N)
// CHECK: binary sub {{.*}} : f32 over (m, n)
// CSE-LABEL: @centered<
// CSE: read %a
// CSE-NOT: read %a
// CSE: yield %r to Y
region.func @centered<M, N> iters (m: M, n: N) ins (%a: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %a[m, k] : f32 over (m, k)
  %t = reduce max (k: N) acc f32 init -inf {
    yield %x
  } : f32 over (m)
  %z = read %a[m, n] : f32 over (m, n)
  %r = binary sub %z, %t : f32 over (m, n)
  yield %r to Y
}

// Not the sum of a product with a matrix, which has an axis more than the row; nor of a row of another size.
// CHECK-LABEL: @gated<
// CHECK: reduce sum (k: N)
// CHECK: reduce sum (l: N + 1)
region.func @gated<M, N> iters (m: M, n: N) ins (%a: memref<[M, N], f32>, %w: memref<[N, N], f32>, %v: memref<[M, N + 1], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %a[m, k] : f32 over (m, k)
  %y = read %w[k, n] : f32 over (k, n)
  %p = binary mul %x, %y : f32 over (m, k, n)
  %d = reduce sum (k: N) acc f32 init 0.0 {
    yield %p
  } : f32 over (m, n)
  %u = read %v[m, l] : f32 over (m, l)
  %s = reduce sum (l: N + 1) acc f32 init 0.0 {
    yield %u
  } : f32 over (m)
  %z = read %a[m, n] : f32 over (m, n)
  %i = read %v[m, n] : f32 over (m, n)
  %g = binary mul %d, %z : f32 over (m, n)
  %h = binary mul %i, %s : f32 over (m, n)
  %r = binary mul %g, %h : f32 over (m, n)
  yield %r to Y
}

// Another place of the row, which is read first, is none along which it is read.
// CHECK-LABEL: @from_first<
// CHECK: reduce max (n: N + 1)
region.func @from_first<M, N> iters (m: M, n: N + 1) ins (%a: memref<[M, N + 1], f32>) outs (Y: memref<[M, N + 1], f32> materialize gmem) {
  %f = read %a[m, 0] : f32 over (m)
  %x = read %a[m, k] : f32 over (m, k)
  %t = reduce max (k: N + 1) acc f32 init -inf {
    yield %x
  } : f32 over (m)
  %z = read %a[m, n] : f32 over (m, n)
  %s = binary sub %z, %t : f32 over (m, n)
  %r = binary sub %s, %f : f32 over (m, n)
  yield %r to Y
}
