// A reduction inside of one over an axis of size 1, which is the second axis of fragments until the inner one takes that.

// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --tensorize --evaluate-each -o /dev/null

// CHECK-LABEL: kernel.func private @largest_0<M>
// CHECK: for %[[C:[a-z0-9_]+]] = 0 to 1
// CHECK: load %w[{{.+}}, %[[C]]]
host.func @largest<M>(%x: memref<[M, 64], f16, row_major, align 128, noalias>, %w: memref<[64, 1], f16, row_major, align 128, noalias>) -> memref<[M], i32, row_major, align 128, noalias> attributes {arena = [0], pool = 0} {
  %y = launch @largest_0<M> (%x, %w) at [*] : memref<[M], i32, row_major, align 128, noalias>
  return %y
}
region.func private @largest_0<M> iters (m: M)
  ins (%x: memref<[M, 64], f16, row_major, align 128, noalias>, %w: memref<[64, 1], f16, row_major, align 128, noalias>)
  outs (y: memref<[M], i32, row_major, align 128, noalias> materialize gmem) {
  %l = reduce sum (i2: 64) acc f32 init 0.0 {
    %0 = read %x[m, i2] : f16 over (m, i2)
    %1 = read %w[i2, i1] : f16 over (i1, i2)
    %2 = binary mul %0, %1 widen : f32 over (m, i1, i2)
    yield %2
  } : f32 over (m, i1)
  %3 = reduce max (i1: 1) acc f32 init -inf {
    yield %l
  } : f32 over (m)
  %4 = const 2147483647 : i32 over ()
  %y = reduce min (i1: 1) acc i32 init 2147483647 {
    %5 = binary eq %l, %3 : i1 over (m, i1)
    %6 = binary ne %l, %l : i1 over (m, i1)
    %7 = binary or %5, %6 : i1 over (m, i1)
    %8 = index (i1) : i32 over (i1)
    %9 = select %7, %8, %4 : i32 over (m, i1)
    yield %9
  } : i32 over (m)
  yield %y to y
}
