// What is read at positions that are values is not transposed through shared memory: the threads that have the results have the
// positions, too, and others would load it.

// RUN: dlc-opt %s --tensorize --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --choose-plan | FileCheck %s --check-prefix=CHOSEN

// CHECK-LABEL: kernel.func @planned
// CHECK-NOT: convert
region.func @planned iters (a: 2, b: 10)
    ins (%X: memref<[10, 2, 9], f32, row_major, align 128, noalias>)
    outs (Y: memref<[2, 10], f32, row_major, align 128, noalias> materialize gmem) {
  %at = index (b) : i64 over (b)
  %c = const 4 : i64 over ()
  %four = broadcast_in_dim %c to [10] dims [] : i64 over (b)
  %place = binary floormod %at, %four : i64 over (b)
  %x = read %X[b, a, %place] : f32 over (a, b)
  yield %x to Y
}
plan.schedule of @planned for sm90 {
  tile (a: 128, b: 16)
  reduced []
  threads (a: 16, b: 16)
  stages 1
  cache X (b, a) f32 in smem transposed
  predicate_tail [a, b]
  barrier block
}

// CHOSEN-LABEL: plan.schedule of @chosen
// CHOSEN-NOT: transposed
region.func @chosen iters (a: 2, b: 110)
    ins (%X: memref<[10, 2, 9], f32, row_major, align 128, noalias>)
    outs (Y: memref<[2, 110], f32, row_major, align 128, noalias> materialize gmem) {
  %at = index (b mod 11) : i64 over (b)
  %c = const 4 : i64 over ()
  %four = broadcast_in_dim %c to [110] dims [] : i64 over (b)
  %place = binary floormod %at, %four : i64 over (b)
  %x = read %X[b floordiv 11, a, %place] : f32 over (a, b)
  yield %x to Y
}
