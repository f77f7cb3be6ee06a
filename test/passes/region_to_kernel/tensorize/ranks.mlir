// Results over some of the kernel's axes, and with their axes in another order. Where a result has not all of them, the
// others must have elements: they are gone over for all results.

// RUN: dlc-opt %s --tensorize --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --ccon1 --srnf --tensorize --evaluate-each --no-output

// CHECK-LABEL: kernel.func @rows_and_all
// CHECK: require (1 <= N)
// CHECK-DAG: store {{.*}} to %A[{{.*}}]
// CHECK-DAG: store {{.*}} to %B[{{.*}}]
region.func @rows_and_all<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f32>, %Y: memref<[M, N], f32>)
    outs (A: memref<[M], f32> materialize gmem, B: memref<[M, N], f32> materialize gmem) {
  %a = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f32 over (m, k)
    yield %x
  } : f32 over (m)
  %y = read %Y[m, n] : f32 over (m, n)
  %b = binary add %a, %y : f32 over (m, n)
  yield %a to A, %b to B
}

// CHECK-LABEL: kernel.func @across
// CHECK-NOT: require
// CHECK-DAG: store {{.*}} to %A[
// CHECK-DAG: store {{.*}} to %B[
region.func @across<M, N> iters (m: M, n: N)
    ins (%X: memref<[M, N], f32>, %Y: memref<[N, M], f32>)
    outs (A: memref<[M, N], f32> materialize gmem, B: memref<[N, M], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %y = read %Y[n, m] : f32 over (n, m)
  yield %x to A, %y to B
}

// The maximum of each row next to the row, and a number.
// CHECK-LABEL: kernel.func @row_and_maximum
// CHECK: require (1 <= M, 1 <= N)
// CHECK: store {{.*}} to %C[
region.func @row_and_maximum<M, N> iters (m: M, n: N)
    ins (%Y: memref<[M, N], f32>)
    outs (C: memref<[M], f32> materialize gmem, D: memref<[M, N], f32> materialize gmem, E: memref<[], f32> materialize gmem) {
  %y = read %Y[m, n] : f32 over (m, n)
  %c = reduce max (n: N) acc f32 init -inf {
    yield %y
  } : f32 over (m)
  %d = binary sub %y, %c : f32 over (m, n)
  %e = const 2.0 : f32 over ()
  yield %c to C, %d to D, %e to E
}
