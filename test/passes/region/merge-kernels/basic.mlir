// RUN: dlc-opt %s --merge-kernels | FileCheck %s
// RUN: dlc-opt %s --merge-kernels -o %t.once
// RUN: dlc-opt %t.once --merge-kernels | diff %t.once -

// Layers that are equal but for names run one kernel; what they read, and the sizes of a launch, differ.
// CHECK-LABEL: host.func @layers
// CHECK: %a = launch @layers_0<M, 64> (%x, %w0)
// CHECK-NEXT: %b = launch @layers_0<M, 64> (%a, %w1)
// CHECK-NEXT: %c = launch @layers_0<M, 32> where (M < 9) else @layers_0<M, 64> (%b, %w2)
// CHECK: region.func private @layers_0<M, K> iters
// CHECK-NOT: region.func private @layers
host.func @layers<M>(%x: memref<[M, 64], f32>, %w0: memref<[64], f32>, %w1: memref<[64], f32>, %w2: memref<[64], f32>) -> memref<[M, 64], f32> {
  %a = launch @layers_0<M, 64> (%x, %w0) : memref<[M, 64], f32>
  %b = launch @layers_1<M, 64> (%a, %w1) : memref<[M, 64], f32>
  %c = launch @layers_2<M, 32> where (M <= 8) else @layers_1<M, 64> (%b, %w2) : memref<[M, 64], f32>
  return %c
}
region.func private @layers_0<M, K> iters (m: M, i1: 64)
    ins (%x: memref<[M, 64], f32>, %w: memref<[64], f32>)
    outs (y: memref<[M, 64], f32> materialize gmem) {
  %0 = read %x[m, i1] : f32 over (m, i1)
  %t = reduce max (k: K) acc f32 init -inf {
    %1 = read %w[k] where (k < 64) : f32 over (k)
    yield %1
  } : f32 over ()
  %y = binary add %0, %t : f32 over (m, i1)
  yield %y to y
}
region.func private @layers_1<M, K> iters (m: M, i1: 64)
    ins (%a: memref<[M, 64], f32>, %v: memref<[64], f32>)
    outs (b: memref<[M, 64], f32> materialize gmem) {
  %a0 = read %a[m, i1] : f32 over (m, i1)
  %top = reduce max (k: K) acc f32 init -inf {
    %v0 = read %v[k] where (k < 64) : f32 over (k)
    yield %v0
  } : f32 over ()
  %b = binary add %a0, %top : f32 over (m, i1)
  yield %b to b
}
region.func private @layers_2<M, K> iters (m: M, i1: 64)
    ins (%b: memref<[M, 64], f32>, %w: memref<[64], f32>)
    outs (out: memref<[M, 64], f32> materialize gmem) {
  %0 = read %b[m, i1] : f32 over (m, i1)
  %t = reduce max (k: K) acc f32 init -inf {
    %1 = read %w[k] where (k < 64) : f32 over (k)
    yield %1
  } : f32 over ()
  %2 = binary add %0, %t : f32 over (m, i1)
  yield %2 to out
}

// Copies of one argument are two results, each a buffer of its own, though both launches are equal then.
// RUN: dlc-opt %s --merge-kernels --cse | FileCheck %s --check-prefix=COPIES
// COPIES-LABEL: host.func @copies
// COPIES: %y = launch @copies_0<M> (%x)
// COPIES-NEXT: %z = launch @copies_0<M> (%x)
// COPIES-NEXT: return %y, %z
host.func @copies<M>(%x: memref<[M], f32>) -> (memref<[M], f32, row_major, align 4, noalias>, memref<[M], f32, row_major, align 4, noalias>) {
  %y = launch @copies_0<M> (%x) : memref<[M], f32, row_major, align 4, noalias>
  %z = launch @copies_1<M> (%x) : memref<[M], f32, row_major, align 4, noalias>
  return %y, %z
}
region.func private @copies_0<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32, row_major, align 4, noalias> materialize gmem) {
  %0 = read %x[m] : f32 over (m)
  yield %0 to y
}
region.func private @copies_1<M> iters (m: M) ins (%x: memref<[M], f32>) outs (z: memref<[M], f32, row_major, align 4, noalias> materialize gmem) {
  %0 = read %x[m] : f32 over (m)
  yield %0 to z
}
