// Which plans of threads are for other sizes too, and which are not.

// RUN: dlc-opt %s --add-fallback | FileCheck %s

// Nothing is kept in registers: rows of all lengths are gone over in steps, and only where they begin is asked.
// CHECK: launch @sums<M, N> where (N mod 4 == 0) else @sums_any<M, N> (%x)
// Sizes that a plan is fixed to are not those of another. A tile that is transposed in shared memory is transposed there for rows that
// are unaligned, too.
// CHECK: launch @fixed<M, N> where (N == 64, M mod 8 == 0) else @fixed_any<M, N> (%x)
// CHECK: launch @turned<M, N> where (N mod 4 == 0) else @turned_any<M, N> (%x)
// It is known that rows fit: a kernel for long ones would never be launched.
// CHECK: launch @short<M, 512> where (M mod 8 == 0) else @short_any<M, 512> (%z)
// It is known that they do not: only kernels for long ones are.
// CHECK: launch @long_any_0<M, 2048> where (M mod 8 == 0) else @long_any_1<M, 2048> (%v)
// Where rows begin is not asked, so nothing is done for such that begin elsewhere.
// CHECK: launch @kept<M, N> where (N < 1025) else @kept_any<M, N> (%x)
host.func @program<M, N>(%x: memref<[M, N], f32, row_major, align 16>, %z: memref<[M, 512], f32, row_major, align 16>, %v: memref<[M, 2048], f32, row_major, align 16>)
    -> (memref<[M], f32, row_major, align 16>, memref<[M], f32, row_major, align 16>, memref<[N, M], f32, row_major, align 16>, memref<[M, 512], f32, row_major, align 16>, memref<[M, 2048], f32, row_major, align 16>, memref<[M, N], f32, row_major, align 16>) {
  %a = launch @sums<M, N> (%x) : memref<[M], f32, row_major, align 16>
  %b = launch @fixed<M, N> (%x) : memref<[M], f32, row_major, align 16>
  %c = launch @turned<M, N> (%x) : memref<[N, M], f32, row_major, align 16>
  %d = launch @short<M, 512> (%z) : memref<[M, 512], f32, row_major, align 16>
  %e = launch @long<M, 2048> (%v) : memref<[M, 2048], f32, row_major, align 16>
  %f = launch @kept<M, N> (%x) : memref<[M, N], f32, row_major, align 16>
  return %a, %b, %c, %d, %e, %f
}

// CHECK-NOT: plan.schedule of @sums_any_0
// CHECK-LABEL: plan.schedule of @sums_any for sm90 {
// CHECK-NEXT: tile (m: 1, n: 1024)
// CHECK-NEXT: reduced [n]
// CHECK-NEXT: threads (n: 64)
// CHECK-NEXT: unroll (n: 16)
// CHECK-NEXT: }
region.func private @sums<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 16>)
    outs (Y: memref<[M], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (n: N) acc f32 init 0.0 {
    %x = read %X[m, n] : f32 over (m, n)
    yield %x
  } : f32 over (m)
  yield %s to Y
}
plan.schedule of @sums for sm90 {
  tile (m: 1, n: 1024)
  reduced [n]
  assume (N: 4)
  thread_tile (n: 4)
  threads (n: 64)
  unroll (n: 4)
  vectors (X: 4)
}

// CHECK-NOT: plan.schedule of @fixed_any
// CHECK: plan.schedule of @fixed for
region.func private @fixed<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 16>)
    outs (Y: memref<[M], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (n: N) acc f32 init 0.0 {
    %x = read %X[m, n] : f32 over (m, n)
    yield %x
  } : f32 over (m)
  yield %s to Y
}
plan.schedule of @fixed for sm90 {
  tile (m: 1, n: 64)
  reduced [n]
  fix (N: 64)
  assume (M: 8)
  threads (n: 64)
}

// CHECK: plan.schedule of @turned_any for sm90 {
// CHECK-NEXT: tile (n: 64, m: 64)
// CHECK-NEXT: reduced []
// CHECK-NEXT: threads (n: 8, m: 32)
// CHECK-NEXT: stages 1
// CHECK-NEXT: unroll (n: 8, m: 2)
// CHECK-NEXT: cache X (m, n) f32 in smem transposed
// CHECK: plan.schedule of @turned for
region.func private @turned<M, N> iters (n: N, m: M)
    ins (%X: memref<[M, N], f32, row_major, align 16>)
    outs (Y: memref<[N, M], f32, row_major, align 16> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %t = transpose %x by [1, 0] : f32 over (n, m)
  yield %t to Y
}
plan.schedule of @turned for sm90 {
  tile (n: 64, m: 64)
  reduced []
  assume (N: 4)
  threads (n: 8, m: 32)
  stages 1
  cache X (m, n) f32 in smem transposed
  barrier block
}

// CHECK-NOT: @short_any_
region.func private @short<M, N> iters (m: M, n: N)
    ins (%X: memref<[M, N], f32, row_major, align 16>)
    outs (Y: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %top = reduce max (n: N) acc f32 init -inf {
    %x = read %X[m, n] : f32 over (m, n)
    yield %x
  } : f32 over (m)
  %x2 = read %X[m, n] : f32 over (m, n)
  %d = binary sub %x2, %top : f32 over (m, n)
  yield %d to Y
}
plan.schedule of @short for sm90 {
  tile (m: 1, n: 1024)
  reduced [n]
  assume (M: 8)
  threads (n: 64)
  unroll (n: 16)
  cache X (m, n) f32 in reg
}

// CHECK-NOT: @long_any<
region.func private @long<M, N> iters (m: M, n: N)
    ins (%X: memref<[M, N], f32, row_major, align 16>)
    outs (Y: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %top = reduce max (n: N) acc f32 init -inf {
    %x = read %X[m, n] : f32 over (m, n)
    yield %x
  } : f32 over (m)
  %x2 = read %X[m, n] : f32 over (m, n)
  %d = binary sub %x2, %top : f32 over (m, n)
  yield %d to Y
}
plan.schedule of @long for sm90 {
  tile (m: 1, n: 1024)
  reduced [n]
  assume (M: 8)
  threads (n: 64)
  unroll (n: 16)
  cache X (m, n) f32 in reg
}

// CHECK-NOT: @kept_any_
region.func private @kept<M, N> iters (m: M, n: N)
    ins (%X: memref<[M, N], f32, row_major, align 16>)
    outs (Y: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %top = reduce max (n: N) acc f32 init -inf {
    %x = read %X[m, n] : f32 over (m, n)
    yield %x
  } : f32 over (m)
  %x2 = read %X[m, n] : f32 over (m, n)
  %d = binary sub %x2, %top : f32 over (m, n)
  yield %d to Y
}
plan.schedule of @kept for sm90 {
  tile (m: 1, n: 1024)
  reduced [n]
  threads (n: 64)
  unroll (n: 16)
  cache X (m, n) f32 in reg
}
