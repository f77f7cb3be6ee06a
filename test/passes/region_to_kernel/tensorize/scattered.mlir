// Sums whose elements go to positions that are data: with the mark `any_order` each is added to memory in one step.

// RUN: dlc-opt %s --tensorize --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --region-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %s --function=program --shape=B=2,N=7,E=301,D=33 --seed=0 -o %t.npz
// RUN: dlc-run %t.mlir --strict --function=program --shape=B=2,N=7,E=301,D=33 --seed=0 --check=%t.npz
// RUN: dlc-run %t.ptx.mlir --strict --function=program --shape=B=2,N=7,E=301,D=33 --seed=0 --check=%t.npz
// RUN: dlc-run %s --function=program --shape=B=1,N=1,E=1,D=1 --seed=0 -o %t.npz
// RUN: dlc-run %t.ptx.mlir --strict --function=program --shape=B=1,N=1,E=1,D=1 --seed=0 --check=%t.npz
// RUN: dlc-run %s --function=program --shape=B=1,N=3,E=0,D=5 --seed=0 -o %t.npz
// RUN: dlc-run %t.ptx.mlir --strict --function=program --shape=B=1,N=3,E=0,D=5 --seed=0 --check=%t.npz

host.func @program<B, N, E, D>(%x: memref<[N, D], f32, row_major, align 16>, %k: memref<[E], i64, row_major, align 16>, %e: memref<[E, D], f32, row_major, align 16>, %kk: memref<[B, E, D], i32, row_major, align 16>, %w: memref<[B, E, D], i32, row_major, align 16>)
    -> (memref<[N, D], f32, row_major, align 16>, memref<[B, N, D], i32, row_major, align 16>, memref<[N, D], f32, row_major, align 16>) {
  %r = launch @rows<N, E, D> (%x, %k, %e) : memref<[N, D], f32, row_major, align 16>
  %s = launch @elements<B, N, E, D> (%kk, %w) : memref<[B, N, D], i32, row_major, align 16>
  %t = launch @in_order<N, E, D> (%x, %k, %e) : memref<[N, D], f32, row_major, align 16>
  return %r, %s, %t
}

// An index for each row: what is none of the axis is left out. The sums begin as zeros, and what follows them has a grid of its
// own.
// CHECK-LABEL: kernel.func private @rows<
// CHECK: %[[SUMS:.*]] = scratch : memref<[N, D], f32, row_major, align 128>
// CHECK: grid ((D ceildiv 128)*(E ceildiv 4)) threads 128 {
// CHECK: %[[V:.*]] = binary mul
// CHECK: %[[K:.*]] = load %K[
// CHECK: %[[I:.*]] = broadcast %[[K]] along 1
// CHECK: store combine sum %[[V]] to %[[SUMS]][%[[I]], {{.*}}] where ({{.*}} < E, {{.*}} < D, 0 <= %[[I]] < N)
// CHECK: grid ({{.*}}N ceildiv 4{{.*}}) threads 128 {
// CHECK: load %[[SUMS]][
// CHECK: unary relu
// CHECK: store %{{.*}} to %Y[
region.func private @rows<N, E, D> iters (n: N, d: D)
    ins (%X: memref<[N, D], f32, row_major, align 16>, %K: memref<[E], i64, row_major, align 16>, %E: memref<[E, D], f32, row_major, align 16>)
    outs (Y: memref<[N, D], f32, row_major, align 16> materialize gmem) {
  %p = index (n) : i64 over (n)
  %z = const 0.0 : f32 over ()
  %s = reduce sum (e: E) acc f32 init 0.0 {
    %k = read %K[e] : i64 over (e)
    %c = binary eq %p, %k : i1 over (n, e)
    %v = read %E[e, d] : f32 over (d, e)
    %m = binary mul %v, %v : f32 over (d, e)
    %w = select %c, %m, %z : f32 over (n, d, e)
    yield %w
  } {any_order} : f32 over (n, d)
  %x = read %X[n, d] : f32 over (n, d)
  %a = binary add %x, %s : f32 over (n, d)
  %y = unary relu %a : f32 over (n, d)
  yield %y to Y
}

// An index for each element, on an axis in the middle; the sides of the comparison in the other order. The sums are the result,
// which begins as zeros.
// CHECK-LABEL: kernel.func private @elements<
// CHECK-NOT: scratch
// CHECK: const 0 :
// CHECK: store %{{.*}} to %Y[
// CHECK: grid (
// CHECK: store combine sum %{{.*}} to %Y[{{.*}}, %[[I:.*]], {{.*}}] where ({{.*}}0 <= %[[I]] < N)
region.func private @elements<B, N, E, D> iters (b: B, n: N, d: D)
    ins (%K: memref<[B, E, D], i32, row_major, align 16>, %W: memref<[B, E, D], i32, row_major, align 16>)
    outs (Y: memref<[B, N, D], i32, row_major, align 16> materialize gmem) {
  %p = index (n) : i32 over (n)
  %z = const 0 : i32 over ()
  %s = reduce sum (e: E) acc i32 init 0 {
    %k = read %K[b, e, d] : i32 over (b, d, e)
    %c = binary eq %k, %p : i1 over (b, n, d, e)
    %v = read %W[b, e, d] : i32 over (b, d, e)
    %w = select %c, %v, %z : i32 over (b, n, d, e)
    yield %w
  } {any_order} : i32 over (b, n, d)
  yield %s to Y
}

// Without the mark it is a reduction, with the same bits in every run.
// CHECK-LABEL: kernel.func private @in_order<
// CHECK-NOT: combine
// CHECK: return
region.func private @in_order<N, E, D> iters (n: N, d: D)
    ins (%X: memref<[N, D], f32, row_major, align 16>, %K: memref<[E], i64, row_major, align 16>, %E: memref<[E, D], f32, row_major, align 16>)
    outs (Y: memref<[N, D], f32, row_major, align 16> materialize gmem) {
  %p = index (n) : i64 over (n)
  %z = const 0.0 : f32 over ()
  %s = reduce sum (e: E) acc f32 init 0.0 {
    %k = read %K[e] : i64 over (e)
    %c = binary eq %p, %k : i1 over (n, e)
    %v = read %E[e, d] : f32 over (d, e)
    %w = select %c, %v, %z : f32 over (n, d, e)
    yield %w
  } : f32 over (n, d)
  %x = read %X[n, d] : f32 over (n, d)
  %y = binary add %x, %s : f32 over (n, d)
  yield %y to Y
}

// What depends on the position is not one element for all of them.
// CHECK-LABEL: kernel.func @depends<
// CHECK-NOT: combine
// CHECK: return
region.func @depends<N, E> iters (n: N)
    ins (%K: memref<[E], i64, row_major, align 16>, %E: memref<[E], f32, row_major, align 16>)
    outs (Y: memref<[N], f32, row_major, align 16> materialize gmem) {
  %p = index (n) : i64 over (n)
  %q = index (n) : f32 over (n)
  %z = const 0.0 : f32 over ()
  %s = reduce sum (e: E) acc f32 init 0.0 {
    %k = read %K[e] : i64 over (e)
    %c = binary eq %p, %k : i1 over (n, e)
    %v = read %E[e] : f32 over (e)
    %m = binary mul %v, %q : f32 over (n, e)
    %w = select %c, %m, %z : f32 over (n, e)
    yield %w
  } {any_order} : f32 over (n)
  yield %s to Y
}

// Nor are other masks places.
// CHECK-LABEL: kernel.func @masked<
// CHECK-NOT: combine
// CHECK: return
region.func @masked<N, E> iters (n: N)
    ins (%K: memref<[E], i64, row_major, align 16>, %E: memref<[E], f32, row_major, align 16>)
    outs (Y: memref<[N], f32, row_major, align 16> materialize gmem) {
  %p = index (n) : i64 over (n)
  %z = const 1.0 : f32 over ()
  %s = reduce sum (e: E) acc f32 init 0.0 {
    %k = read %K[e] : i64 over (e)
    %c = binary eq %p, %k : i1 over (n, e)
    %v = read %E[e] : f32 over (e)
    %w = select %c, %v, %z : f32 over (n, e)
    yield %w
  } {any_order} : f32 over (n)
  yield %s to Y
}
