// Rows that a plan keeps in registers, and elements whose threads it says.

// RUN: dlc-opt %s --tensorize --evaluate-each | FileCheck %s

// Two warps share each of two rows: what they have of it they exchange. The length of a row is no sum; what is read is zero
// outside, what is left when something is taken away is not; what the row is divided by is turned over once.
// CHECK-LABEL: kernel.func @centred<M, N>(
// CHECK-NEXT: require (N < 513)
// CHECK: grid (M ceildiv 2) threads 128 blocks_per_sm 4 {
// CHECK-DAG: %[[A:.+]] = shared : tile<[4], f32, row_major>
// CHECK-DAG: %[[B:.+]] = shared : tile<[4], f32, row_major>
// CHECK: %[[X:.+]] = load %X[2*%tile + i0, i1] where (2*%tile + i0 < M, i1 < N) : frag<[2, 512], f32, blocked [1, 4] lanes [1, 32] warps [2, 2]>
// CHECK-NEXT: %[[SUM:.+]] = reduce sum %[[X]] along 1 through %{{.+}} : frag<[2]
// CHECK-NEXT: %[[SIZE:.+]] = index (N)
// CHECK-NEXT: %[[COUNT:.+]] = cast %[[SIZE]] : f32
// CHECK-NEXT: binary fdiv %[[SUM]], %[[COUNT]] : frag<[2]
// CHECK: %[[SQUARE:.+]] = binary mul
// CHECK: %[[INSIDE:.+]] = select where (i1 < N) then %[[SQUARE]]
// CHECK-NEXT: reduce sum %[[INSIDE]] along 1 through
// CHECK: unary recip %{{.+}} : frag<[2]
// CHECK-NOT: fdiv
// CHECK-NOT: load
// CHECK: store %{{.+}} to %Y[2*%tile + i0, i1] where (2*%tile + i0 < M, i1 < N)
region.func @centred<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32, row_major, align 16>) outs (Y: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 {
    yield %x
  } : f32 over (m)
  %one = const 1.0 : f32 over ()
  %count = reduce sum (n1: N) acc f32 init 0.0 {
    yield %one
  } : f32 over ()
  %count_m = broadcast_in_dim %count to [M] dims [] : f32 over (m)
  %mean = binary fdiv %sum, %count_m : f32 over (m)
  %mean_n = broadcast_in_dim %mean to [M, N] dims [0] : f32 over (m, n)
  %c = binary sub %x, %mean_n : f32 over (m, n)
  %squares = reduce sum (n: N) acc f32 init 0.0 {
    %square = binary mul %c, %c : f32 over (m, n)
    yield %square
  } : f32 over (m)
  %one_m = broadcast_in_dim %one to [M] dims [] : f32 over (m)
  %more = binary add %squares, %one_m : f32 over (m)
  %more_n = broadcast_in_dim %more to [M, N] dims [0] : f32 over (m, n)
  %y = binary fdiv %c, %more_n : f32 over (m, n)
  yield %y to Y
}
plan.schedule of @centred for sm90 {
  tile (m: 2, n: 512)
  reduced [n]
  thread_tile (n: 4)
  threads (m: 2, n: 64)
  unroll (n: 2)
  blocks_per_sm 4
  cache X (m, n) f32 in reg
}

// Elements: vectors of a thread lie a block of threads apart.
// CHECK-LABEL: kernel.func @twice<M, N>(
// CHECK: grid ((M ceildiv 2)*(N ceildiv 512)) threads 128 {
// CHECK: load %X{{.*}} : frag<[2, 512], f32, blocked [1, 4] lanes [1, 32] warps [2, 2]>
region.func @twice<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32, row_major, align 16>) outs (Y: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %y = binary add %x, %x : f32 over (m, n)
  yield %y to Y
}
plan.schedule of @twice for sm90 {
  tile (m: 2, n: 512)
  thread_tile (n: 4)
  threads (m: 2, n: 64)
  unroll (n: 2)
}
