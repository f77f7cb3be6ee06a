// RUN: dlc-opt %s --stream-extrema | FileCheck %s

// Sums are no extrema.
// CHECK-LABEL: @sum
// CHECK-NOT: combine
region.func @sum<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], i32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce sum (n: N) acc f32 init 0.0 { yield %x } : f32 over (m)
  %none = const 2147483647 : i32 over ()
  %y = reduce min (n: N) acc i32 init 2147483647 {
    %is = binary eq %x, %max : i1 over (m, n)
    %n = index (n) : i32 over (n)
    %at = select %is, %n, %none : i32 over (m, n)
    yield %at
  } : i32 over (m)
  yield %y to Y
}

// Another value is compared.
// CHECK-LABEL: @other
// CHECK-NOT: combine
region.func @other<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>, %Z: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], i32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %z = read %Z[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %none = const 2147483647 : i32 over ()
  %y = reduce min (n: N) acc i32 init 2147483647 {
    %is = binary eq %z, %max : i1 over (m, n)
    %n = index (n) : i32 over (n)
    %at = select %is, %n, %none : i32 over (m, n)
    yield %at
  } : i32 over (m)
  yield %y to Y
}

// What is combined depends on the maximum.
// CHECK-LABEL: @dependent
// CHECK-NOT: combine
region.func @dependent<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>, %W: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %w = read %W[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %none = const 0.0 : f32 over ()
  %y = reduce sum (n: N) acc f32 init 0.0 {
    %is = binary eq %x, %max : i1 over (m, n)
    %d = binary mul %w, %max : f32 over (m, n)
    %at = select %is, %d, %none : f32 over (m, n)
    yield %at
  } : f32 over (m)
  yield %y to Y
}

// Elements that are not reached count as something.
// CHECK-LABEL: @counts
// CHECK-NOT: combine
region.func @counts<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], i32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %none = const 7 : i32 over ()
  %y = reduce sum (n: N) acc i32 init 0 {
    %is = binary eq %x, %max : i1 over (m, n)
    %n = index (n) : i32 over (n)
    %at = select %is, %n, %none : i32 over (m, n)
    yield %at
  } : i32 over (m)
  yield %y to Y
}
