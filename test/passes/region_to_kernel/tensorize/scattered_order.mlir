// Maxima and minima, and sums of integers, are the same in any order: elements that go to positions that are data combine with
// memory without a mark, where no plan keeps the reduction. What maxima begin with is stored first.

// RUN: dlc-opt %s --tensorize --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --region-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %s --function=program --shape=N=70,E=301,D=3 --seed=0 -o %t.npz
// RUN: dlc-run %t.mlir --strict --function=program --shape=N=70,E=301,D=3 --seed=0 --check=%t.npz
// RUN: dlc-run %t.ptx.mlir --strict --function=program --shape=N=70,E=301,D=3 --seed=0 --check=%t.npz
// RUN: dlc-run %s --function=program --shape=N=2,E=0,D=1 --seed=0 -o %t.npz
// RUN: dlc-run %t.ptx.mlir --strict --function=program --shape=N=2,E=0,D=1 --seed=0 --check=%t.npz

host.func @program<N, E, D>(%k: memref<[E, D], i64, row_major, align 16>, %l: memref<[E], i64, row_major, align 16>, %w: memref<[E], i32, row_major, align 16>, %f: memref<[E, D], f32, row_major, align 16>, %g: memref<[E], f64, row_major, align 16>)
    -> (memref<[N, D], i64, row_major, align 16>, memref<[N], i64, row_major, align 16>, memref<[N], i32, row_major, align 16>, memref<[N, D], f32, row_major, align 16>, memref<[N], f64, row_major, align 16>) {
  %r = launch @last<N, E, D> (%k) : memref<[N, D], i64, row_major, align 16>
  %s = launch @count<N, E> (%l) : memref<[N], i64, row_major, align 16>
  %t = launch @least<N, E> (%l, %w) : memref<[N], i32, row_major, align 16>
  %u = launch @furthest<N, E, D> (%k, %f) : memref<[N, D], f32, row_major, align 16>
  %v = launch @nearest<N, E> (%l, %g) : memref<[N], f64, row_major, align 16>
  return %r, %s, %t, %u, %v
}

// The last element that goes to each position: its number is the same for all columns, and goes where each column says. Two
// grids are before the third, which adds one.
// CHECK-LABEL: kernel.func private @last<
// CHECK: %[[SUMS:.*]] = scratch
// CHECK: grid
// CHECK: const -9223372036854775808 :
// CHECK: store %{{.*}} to %[[SUMS]]
// CHECK: grid
// CHECK: store combine max %{{.*}} to %[[SUMS]][
// CHECK: grid
// CHECK: load %[[SUMS]][
// CHECK: store %{{.*}} to %Y[
region.func private @last<N, E, D> iters (n: N, d: D)
    ins (%K: memref<[E, D], i64, row_major, align 16>)
    outs (Y: memref<[N, D], i64, row_major, align 16> materialize gmem) {
  %p = index (n) : i64 over (n)
  %none = const -9223372036854775808 : i64 over ()
  %one = const 1 : i64 over ()
  %s = reduce max (e: E) acc i64 init -9223372036854775808 {
    %k = read %K[e, d] : i64 over (d, e)
    %c = binary eq %p, %k : i1 over (n, d, e)
    %v = index (e) : i64 over (e)
    %w = select %c, %v, %none : i64 over (n, d, e)
    yield %w
  } : i64 over (n, d)
  %y = binary max %s, %one : i64 over (n, d)
  yield %y to Y
}

// How many go to each position.
// CHECK-LABEL: kernel.func private @count<
// CHECK-NOT: scratch
// CHECK: store %{{.*}} to %Y[
// CHECK: grid
// CHECK: store combine sum %{{.*}} to %Y[
region.func private @count<N, E> iters (n: N)
    ins (%K: memref<[E], i64, row_major, align 16>)
    outs (Y: memref<[N], i64, row_major, align 16> materialize gmem) {
  %p = index (n) : i64 over (n)
  %zero = const 0 : i64 over ()
  %one = const 1 : i64 over ()
  %s = reduce sum (e: E) acc i64 init 0 {
    %k = read %K[e] : i64 over (e)
    %c = binary eq %p, %k : i1 over (n, e)
    %w = select %c, %one, %zero : i64 over (n, e)
    yield %w
  } : i64 over (n)
  yield %s to Y
}

// CHECK-LABEL: kernel.func private @least<
// CHECK: const 2147483647 :
// CHECK: grid
// CHECK: store combine min %{{.*}} to %Y[
region.func private @least<N, E> iters (n: N)
    ins (%K: memref<[E], i64, row_major, align 16>, %W: memref<[E], i32, row_major, align 16>)
    outs (Y: memref<[N], i32, row_major, align 16> materialize gmem) {
  %p = index (n) : i64 over (n)
  %none = const 2147483647 : i32 over ()
  %s = reduce min (e: E) acc i32 init 2147483647 {
    %k = read %K[e] : i64 over (e)
    %c = binary eq %p, %k : i1 over (n, e)
    %v = read %W[e] : i32 over (e)
    %w = select %c, %v, %none : i32 over (n, e)
    yield %w
  } : i32 over (n)
  yield %s to Y
}

// Of floats, with what is done next. A square root of a negative number is NaN, which wins.
// CHECK-LABEL: kernel.func private @furthest<
// CHECK: const -inf :
// CHECK: grid
// CHECK: store combine max %{{.*}} to %
region.func private @furthest<N, E, D> iters (n: N, d: D)
    ins (%K: memref<[E, D], i64, row_major, align 16>, %W: memref<[E, D], f32, row_major, align 16>)
    outs (Y: memref<[N, D], f32, row_major, align 16> materialize gmem) {
  %p = index (n) : i64 over (n)
  %none = const -inf : f32 over ()
  %part = const 0.98 : f32 over ()
  %zero = const 0.0 : f32 over ()
  %s = reduce max (e: E) acc f32 init -inf {
    %k = read %K[e, d] : i64 over (d, e)
    %c = binary eq %p, %k : i1 over (n, d, e)
    %x = read %W[e, d] : f32 over (d, e)
    %a = binary add %x, %part : f32 over (d, e)
    %r = unary sqrt %a : f32 over (d, e)
    %v = binary sub %r, %part : f32 over (d, e)
    %w = select %c, %v, %none : f32 over (n, d, e)
    yield %w
  } : f32 over (n, d)
  %some = binary gt %s, %none : i1 over (n, d)
  %y = select %some, %s, %zero : f32 over (n, d)
  yield %y to Y
}

// CHECK-LABEL: kernel.func private @nearest<
// CHECK: const inf :
// CHECK: grid
// CHECK: store combine min %{{.*}} to %Y[
region.func private @nearest<N, E> iters (n: N)
    ins (%K: memref<[E], i64, row_major, align 16>, %W: memref<[E], f64, row_major, align 16>)
    outs (Y: memref<[N], f64, row_major, align 16> materialize gmem) {
  %p = index (n) : i64 over (n)
  %none = const inf : f64 over ()
  %part = const 0.98 : f64 over ()
  %s = reduce min (e: E) acc f64 init inf {
    %k = read %K[e] : i64 over (e)
    %c = binary eq %p, %k : i1 over (n, e)
    %x = read %W[e] : f64 over (e)
    %a = binary add %x, %part : f64 over (e)
    %r = unary sqrt %a : f64 over (e)
    %v = binary sub %r, %part : f64 over (e)
    %w = select %c, %v, %none : f64 over (n, e)
    yield %w
  } : f64 over (n)
  yield %s to Y
}
