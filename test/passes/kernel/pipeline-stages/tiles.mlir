// Where each step of a loop is a tile, the step after the last one has no row and no column: nothing runs ahead.

// RUN: dlc-opt %s --tensorize --kernel-schedule --remarks=missed -o %t.mlir 2>&1 | FileCheck %s
// RUN: dlc-opt %s --tensorize --kernel-schedule --evaluate-each -o /dev/null

// CHECK: [E1614] Warning: 'plan.schedule': the loads of this loop do not run ahead: {{.*}}its steps are tiles, and after the last one there is no row and no column

region.func @f<M> iters (m: M, n: 96)
    ins (%X: memref<[M, 64], f16, row_major, align 128, noalias>, %W: memref<[96, 64], f16, row_major, align 128, noalias>)
    outs (Y: memref<[M, 96], f32, row_major, align 128, noalias> materialize gmem) {
  %y = reduce sum (k: 64) acc f32 init 0.0 {
    %0 = read %X[m, k] : f16 over (m, k)
    %1 = read %W[n, k] : f16 over (n, k)
    %2 = binary mul %0, %1 widen : f32 over (m, n, k)
    yield %2
  } : f32 over (m, n)
  yield %y to Y
}
plan.schedule of @f for sm80 {
  tile (m: 64, n: 128, k: 64)
  instruction mma
  stages 2
  persistent 4
  cache X in smem
  cache W in smem
  barrier block
}
