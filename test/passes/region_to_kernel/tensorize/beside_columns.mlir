// A block that goes along columns, of a sum or a scan, has one position along every other axis: a plan with more is refused.

// RUN: not dlc-opt %s --split-input-file --tensorize --no-output 2>&1 | FileCheck %s

// CHECK: E1601{{.*}}'tile' has 4 along 'm', and a block has one position of it
region.func @sums<M, N, P> iters (m: M, p: P)
    ins (%x: memref<[M, N, P], f32, row_major, align 128, noalias>)
    outs (y: memref<[M, P], f32, row_major, align 128, noalias> materialize gmem) {
  %y = reduce sum (n: N) acc f32 init 0.0 {
    %0 = read %x[m, n, p] : f32 over (m, n, p)
    yield %0
  } : f32 over (m, p)
  yield %y to y
}
plan.schedule of @sums for sm90 {
  tile (m: 4, n: 64, p: 32)
}

// -----

// CHECK: E1601{{.*}}'tile' has 2 along 'm', and a block has one position of it
region.func @scan<M, N, P> iters (m: M, n: N, p: P)
    ins (%x: memref<[M, N, P], f32, row_major, align 128, noalias>)
    outs (y: memref<[M, N, P], f32, row_major, align 128, noalias> materialize gmem) {
  %0 = read %x[m, n, p] : f32 over (m, n, p)
  %y = scan sum %0 along n : f32 over (m, n, p)
  yield %y to y
}
plan.schedule of @scan for sm90 {
  tile (m: 2, n: 64, p: 32)
}
