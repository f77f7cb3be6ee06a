// By a plan, a copy stands in the innermost loop that its positions depend on: what all steps of a loop need is copied once,
// before it, and the threads meet. A loop of one step changes nothing.

// RUN: dlc-opt %s --tensorize --evaluate-each --check-async | FileCheck %s

// CHECK-LABEL: kernel.func @once
// CHECK: copy %a[64*%row + i0, i1] where (64*%row + i0 < M) to %lhs
// CHECK-NEXT: barrier
// CHECK-NEXT: for %k
// CHECK: for %k_0 = 0 to 32 step 32
// CHECK-NOT: copy %a
// CHECK: copy %b[i0, %k + i1]
region.func @once<M, N> iters (m: M, i1: 64)
    ins (%a: memref<[M, 32], f16, row_major, align 128, noalias>, %b: memref<[32, N], f16, row_major, align 128, noalias>, %c: memref<[N, 64], f16, row_major, align 128, noalias>)
    outs (y: memref<[M, 64], f16, row_major, align 128, noalias> materialize gmem) {
  %s = reduce sum (i3: 32) acc f32 init 0.0 {
    %0 = read %a[m, i3] : f16 over (m, i3)
    %1 = read %b[i3, n] : f16 over (n, i3)
    %2 = binary mul %0, %1 widen : f32 over (m, n, i3)
    yield %2
  } : f32 over (m, n)
  %h = cast %s {deferred} : f16 over (m, n)
  %t = reduce sum (n: N) acc f32 init 0.0 {
    %3 = read %c[n, i1] : f16 over (i1, n)
    %4 = binary mul %h, %3 widen : f32 over (m, i1, n)
    yield %4
  } : f32 over (m, i1)
  yield %t to y as f16
}
plan.schedule of @once for sm80 {
  tile (m: 64, i1: 64, i3: 32, n: 64)
  reduced [i3, n]
  instruction mma
  warp_tile (m: 16, i1: 64)
  cache a (m, i3) f16 in smem
  cache b (i3, n) f16 in smem
  cache c (n, i1) f16 in smem
}

// The left matrix of two steps is another one in each.
// CHECK-LABEL: kernel.func @two_steps
// CHECK-NOT: copy
// CHECK: for %k
// CHECK: for %k_0 = 0 to 64 step 32
// CHECK-NEXT: copy %a
region.func @two_steps<M, N> iters (m: M, i1: 64)
    ins (%a: memref<[M, 64], f16, row_major, align 128, noalias>, %b: memref<[64, N], f16, row_major, align 128, noalias>, %c: memref<[N, 64], f16, row_major, align 128, noalias>)
    outs (y: memref<[M, 64], f16, row_major, align 128, noalias> materialize gmem) {
  %s = reduce sum (i3: 64) acc f32 init 0.0 {
    %0 = read %a[m, i3] : f16 over (m, i3)
    %1 = read %b[i3, n] : f16 over (n, i3)
    %2 = binary mul %0, %1 widen : f32 over (m, n, i3)
    yield %2
  } : f32 over (m, n)
  %h = cast %s {deferred} : f16 over (m, n)
  %t = reduce sum (n: N) acc f32 init 0.0 {
    %3 = read %c[n, i1] : f16 over (i1, n)
    %4 = binary mul %h, %3 widen : f32 over (m, i1, n)
    yield %4
  } : f32 over (m, i1)
  yield %t to y as f16
}
plan.schedule of @two_steps for sm80 {
  tile (m: 64, i1: 64, i3: 32, n: 64)
  reduced [i3, n]
  instruction mma
  warp_tile (m: 16, i1: 64)
  cache a (m, i3) f16 in smem
  cache b (i3, n) f16 in smem
  cache c (n, i1) f16 in smem
}

// Without a plan nothing is moved.
// CHECK-LABEL: kernel.func @unplanned
// CHECK-NOT: copy
// CHECK: for %k
// CHECK: for %k_0
// CHECK-NEXT: copy %a
region.func @unplanned<M, N> iters (m: M, i1: 64)
    ins (%a: memref<[M, 32], f16, row_major, align 128, noalias>, %b: memref<[32, N], f16, row_major, align 128, noalias>, %c: memref<[N, 64], f16, row_major, align 128, noalias>)
    outs (y: memref<[M, 64], f16, row_major, align 128, noalias> materialize gmem) {
  %s = reduce sum (i3: 32) acc f32 init 0.0 {
    %0 = read %a[m, i3] : f16 over (m, i3)
    %1 = read %b[i3, n] : f16 over (n, i3)
    %2 = binary mul %0, %1 widen : f32 over (m, n, i3)
    yield %2
  } : f32 over (m, n)
  %h = cast %s {deferred} : f16 over (m, n)
  %t = reduce sum (n: N) acc f32 init 0.0 {
    %3 = read %c[n, i1] : f16 over (i1, n)
    %4 = binary mul %h, %3 widen : f32 over (m, i1, n)
    yield %4
  } : f32 over (m, i1)
  yield %t to y as f16
}
