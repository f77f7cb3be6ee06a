// Kernels without a product of matrices: as fast as memory.

// RUN: dlc-opt %s --choose-plan='assume=4096' | FileCheck %s
// RUN: dlc-opt %s --choose-plan='assume=4096' --remarks=analysis --no-output 2>&1 | FileCheck %s --check-prefix=FLIGHT

// How long loads are waited for: in each of the 2048 threads of an SM two 16-byte vectors are on their way;
// what all rows share comes from the cache. The memory of an H200 gives 26061 bytes in the time that a load takes.
// FLIGHT: the plan of @gelu, {{.*}} latency 3.1: 64.0 KB of loads on their way, of 25.4

// Elementwise: wide accesses along the contiguous axis.
// CHECK: plan.schedule of @gelu for sm90 {
// CHECK-NEXT: tile (m: 1, n: 4096)
// CHECK-NEXT: assume (N: 8)
// CHECK-NEXT: thread_tile (n: 8)
// CHECK-NEXT: threads (n: 256)
// CHECK-NEXT: unroll (n: 2)
// CHECK-NEXT: blocks_per_sm 8
// CHECK-NEXT: vectors (x: 8, b: 8, y: 8)
// CHECK-NEXT: predicate_tail [n]
// CHECK-NEXT: }
region.func @gelu<M, N> iters (m: M, n: N)
    ins (%x: memref<[M, N], f16>, %b: memref<[N], f16>) outs (y: memref<[M, N], f16> materialize gmem) {
  %a = read %x[m, n] : f16 over (m, n)
  %c = read %b[n] : f16 over (n)
  %bc = broadcast_in_dim %c to [M, N] dims [1] : f16 over (m, n)
  %s = binary add %a, %bc : f16 over (m, n)
  %e = unary exp2 %s : f16 over (m, n)
  yield %e to y
}

// Rows of an odd length are unaligned.
// CHECK: plan.schedule of @odd for sm90 {
// CHECK-NEXT: tile (m: 1, n: 128)
// CHECK-NEXT: threads (n: 128)
// CHECK-NEXT: blocks_per_sm 16
// CHECK-NEXT: predicate_tail [n]
// CHECK-NEXT: }
region.func @odd iters (m: 64, n: 127) ins (%x: memref<[64, 127], f16>) outs (y: memref<[64, 127], f16> materialize gmem) {
  %a = read %x[m, n] : f16 over (m, n)
  %s = unary relu %a : f16 over (m, n)
  yield %s to y
}

// One axis, and a short one.
// CHECK: plan.schedule of @vector for sm90 {
// CHECK-NEXT: tile (n: 256)
// CHECK-NEXT: assume (N: 4)
// CHECK-NEXT: thread_tile (n: 2)
// CHECK-NEXT: threads (n: 128)
// CHECK-NEXT: blocks_per_sm 16
// CHECK-NEXT: vectors (x: 2, y: 2)
// CHECK-NEXT: predicate_tail [n]
// CHECK-NEXT: }
region.func @vector<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  %s = unary relu %a : f32 over (n)
  yield %s to y
}

// Read across: through shared memory.
// CHECK: plan.schedule of @transposed for sm90 {
// CHECK-NEXT: tile (m: 64, n: 64)
// CHECK-NEXT: reduced []
// CHECK-NEXT: thread_tile (n: 4)
// CHECK-NEXT: threads (m: 16, n: 16)
// CHECK-NEXT: stages 1
// CHECK-NEXT: cache x (n, m) f32 in smem transposed
// CHECK-NEXT: vectors (x: 4, y: 4)
// CHECK-NEXT: barrier block
// CHECK-NEXT: }
region.func @transposed iters (m: 4096, n: 4096) ins (%x: memref<[4096, 4096], f32>) outs (y: memref<[4096, 4096], f32> materialize gmem) {
  %a = read %x[n, m] : f32 over (n, m)
  %t = transpose %a by [1, 0] : f32 over (m, n)
  yield %t to y
}

// A softmax of rows that are known: they stay in registers between their reductions.
// CHECK: plan.schedule of @softmax for sm90 {
// CHECK-NEXT: tile (m: 1, n: 4096)
// CHECK-NEXT: reduced [n]
// CHECK-NEXT: thread_tile (n: 8)
// CHECK-NEXT: threads (n: 128)
// CHECK-NEXT: unroll (n: 4)
// CHECK-NEXT: blocks_per_sm 8
// CHECK-NEXT: cache x (m, n) f16 in reg
// CHECK-NEXT: vectors (x: 8, y: 8)
// CHECK-NEXT: }
region.func @softmax iters (m: 8192, n: 4096) ins (%x: memref<[8192, 4096], f16>) outs (y: memref<[8192, 4096], f16> materialize gmem) {
  %a = read %x[m, n] : f16 over (m, n)
  %top = reduce max (n: 4096) acc f16 init -inf {
    yield %a
  } : f16 over (m)
  %b = broadcast_in_dim %top to [8192, 4096] dims [0] : f16 over (m, n)
  %d = binary sub %a, %b : f16 over (m, n)
  %e = unary exp2 %d : f16 over (m, n)
  %sum = reduce sum (n: 4096) acc f32 init 0.0 {
    yield %e
  } : f32 over (m)
  %r = unary recip %sum : f32 over (m)
  %rb = broadcast_in_dim %r to [8192, 4096] dims [0] : f32 over (m, n)
  %y = binary mul %e, %rb : f32 over (m, n)
  yield %y to y as f16
}

// Sums of rows of any length.
// CHECK: plan.schedule of @row_sums for sm90 {
// CHECK-NEXT: tile (m: 1, n: 1024)
// CHECK-NEXT: reduced [n]
// CHECK-NEXT: assume (N: 4)
// CHECK-NEXT: thread_tile (n: 4)
// CHECK-NEXT: threads (n: 64)
// CHECK-NEXT: unroll (n: 4)
// CHECK-NEXT: vectors (x: 4)
// CHECK-NEXT: predicate_tail [n]
// CHECK-NEXT: }
region.func @row_sums<M, N> iters (m: M) ins (%x: memref<[M, N], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %s = reduce sum (n: N) acc f32 init 0.0 {
    %a = read %x[m, n] : f32 over (m, n)
    yield %a
  } : f32 over (m)
  yield %s to y
}

// Sums of columns: neighbours are columns, and a thread takes four of them.
// CHECK: plan.schedule of @column_sums for sm90 {
// CHECK-NEXT: tile (n: 32, m: 256)
// CHECK-NEXT: reduced [m]
// CHECK-NEXT: assume (N: 4)
// CHECK-NEXT: thread_tile (n: 4)
// CHECK-NEXT: threads (n: 8, m: 64)
// CHECK-NEXT: unroll (m: 4)
// CHECK-NEXT: predicate_tail [n, m]
// CHECK-NEXT: }
region.func @column_sums<M, N> iters (n: N) ins (%x: memref<[M, N], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %s = reduce sum (m: M) acc f32 init 0.0 {
    %a = read %x[m, n] : f32 over (n, m)
    yield %a
  } : f32 over (n)
  yield %s to y
}

// Unaligned rows have no pairs of columns.
// CHECK: plan.schedule of @odd_columns for sm90 {
// CHECK-NEXT: tile (n: 32, m: 256)
// CHECK-NEXT: reduced [m]
// CHECK-NEXT: threads (n: 32, m: 32)
// CHECK-NEXT: unroll (m: 8)
// CHECK-NEXT: predicate_tail [n]
// CHECK-NEXT: }
region.func @odd_columns iters (n: 4097) ins (%x: memref<[4096, 4097], f32>) outs (y: memref<[4097], f32> materialize gmem) {
  %s = reduce sum (m: 4096) acc f32 init 0.0 {
    %a = read %x[m, n] : f32 over (n, m)
    yield %a
  } : f32 over (n)
  yield %s to y
}

// One number of all: its sum is divided among blocks.
// CHECK: plan.schedule of @total for sm90 {
// CHECK-NEXT: tile (n: 1024)
// CHECK-NEXT: reduced [n]
// CHECK-NEXT: thread_tile (n: 4)
// CHECK-NEXT: threads (n: 256)
// CHECK-NEXT: split_k 256 along n through workspace
// CHECK-NEXT: vectors (x: 4)
// CHECK-NEXT: }
region.func @total iters () ins (%x: memref<[1048576], f32>) outs (y: memref<[], f32> materialize gmem) {
  %s = reduce sum (n: 1048576) acc f32 init 0.0 {
    %a = read %x[n] : f32 over (n)
    yield %a
  } : f32 over ()
  yield %s to y
}

// One number, and nothing to be divided.
// CHECK: plan.schedule of @number for sm90 {}
region.func @number iters () ins (%x: memref<[], f32>) outs (y: memref<[], f32> materialize gmem) {
  %a = read %x[] : f32 over ()
  yield %a to y
}

// Nothing to compute.
// CHECK: plan.schedule of @empty for sm90 {
// CHECK-NEXT: tile (m: 16, n: 64)
// CHECK-NEXT: thread_tile (n: 4)
// CHECK-NEXT: threads (m: 16, n: 16)
// CHECK-NEXT: blocks_per_sm 8
// CHECK-NEXT: vectors (x: 4, y: 4)
// CHECK-NEXT: }
region.func @empty iters (m: 0, n: 64) ins (%x: memref<[0, 64], f32>) outs (y: memref<[0, 64], f32> materialize gmem) {
  %a = read %x[m, n] : f32 over (m, n)
  yield %a to y
}

// A window of three is summed by one thread, for four neighbours.
// CHECK: plan.schedule of @pool for sm90 {
// CHECK-NEXT: tile (b: 1, c: 1, h: {{.*}}, w: {{.*}}, k: 1)
// CHECK-NEXT: assume (N: 4)
// CHECK-NEXT: thread_tile (w: 4)
// CHECK-NEXT: threads
// CHECK-NEXT: unroll (k: 3)
// CHECK-NEXT: blocks_per_sm
// CHECK-NEXT: vectors (y: 4)
// CHECK-NEXT: predicate_tail
// CHECK-NEXT: }
region.func @pool<N> iters (b: 2, c: 3, h: 5, w: N) ins (%x: memref<[2, 3, 5, N + 2], f32>) outs (y: memref<[2, 3, 5, N], f32> materialize gmem) {
  %s = reduce max (k: 3) acc f32 init -inf {
    %a = read %x[b, c, h, w + k] : f32 over (b, c, h, w, k)
    yield %a
  } : f32 over (b, c, h, w)
  yield %s to y
}

// Five axes, and an element that is found by another.
// CHECK: plan.schedule of @rank_five for sm90 {
// CHECK-NEXT: tile (a: 1, b: 1, c: 1, d: 8, e: 64)
// CHECK-NEXT: thread_tile (e: 4)
// CHECK-NEXT: threads (d: 8, e: 16)
// CHECK-NEXT: blocks_per_sm 16
// CHECK-NEXT: vectors (t: 4, y: 4)
// CHECK-NEXT: predicate_tail [d]
// CHECK-NEXT: }
region.func @rank_five<V> iters (a: 2, b: 3, c: 4, d: 5, e: 64) ins (%ids: memref<[2, 3, 4, 5], i32>, %t: memref<[V, 64], f16>) outs (y: memref<[2, 3, 4, 5, 64], f16> materialize gmem) {
  %i = read %ids[a, b, c, d] : i32 over (a, b, c, d)
  %v = read %t[%i, e] : f16 over (a, b, c, d, e)
  yield %v to y
}

// A softmax of rows of any length, which are taken to be as long: they stay there too, and the kernel is for those that do.
// What is the same for all rows does not.
// CHECK: plan.schedule of @scaled for sm90 {
// CHECK-NEXT: tile (m: 1, n: 4096)
// CHECK-NEXT: reduced [n]
// CHECK-NEXT: assume (N: 8)
// CHECK-NEXT: thread_tile (n: 8)
// CHECK-NEXT: threads (n: 128)
// CHECK-NEXT: unroll (n: 4)
// CHECK-NEXT: blocks_per_sm 8
// CHECK-NEXT: cache x (m, n) f16 in reg
// CHECK-NEXT: vectors (x: 8, w: 8, y: 8)
region.func @scaled<M, N> iters (m: M, n: N) ins (%x: memref<[M, N], f16>, %w: memref<[N], f16>) outs (y: memref<[M, N], f16> materialize gmem) {
  %a = read %x[m, n] : f16 over (m, n)
  %top = reduce max (n: N) acc f16 init -inf {
    yield %a
  } : f16 over (m)
  %b = broadcast_in_dim %top to [M, N] dims [0] : f16 over (m, n)
  %d = binary sub %a, %b : f16 over (m, n)
  %v = read %w[n] : f16 over (n)
  %vb = broadcast_in_dim %v to [M, N] dims [1] : f16 over (m, n)
  %y = binary mul %d, %vb : f16 over (m, n)
  yield %y to y
}

// Many numbers in few columns: the sum of each is divided among as many blocks as SMs have room for.
// CHECK: plan.schedule of @few_columns for sm90 {
// CHECK-NEXT: tile (n: 32, m: 256)
// CHECK-NEXT: reduced [m]
// CHECK-NEXT: thread_tile (n: 4)
// CHECK-NEXT: threads (n: 8, m: 64)
// CHECK-NEXT: unroll (m: 4)
// CHECK-NEXT: split_k 64 along m through workspace
// CHECK-NEXT: }
region.func @few_columns iters (n: 256) ins (%x: memref<[65536, 256], f32>) outs (y: memref<[256], f32> materialize gmem) {
  %s = reduce sum (m: 65536) acc f32 init 0.0 {
    %a = read %x[m, n] : f32 over (n, m)
    yield %a
  } : f32 over (n)
  yield %s to y
}

// Every lane has some of a short row, which is not divided.
// CHECK: plan.schedule of @short_rows for sm90 {
// CHECK-NEXT: tile (m: 4, n: 64)
// CHECK-NEXT: reduced [n]
// CHECK-NEXT: thread_tile (n: 8)
// CHECK-NEXT: threads (m: 4, n: 8)
// CHECK-NEXT: vectors (x: 8)
// CHECK-NEXT: }
region.func @short_rows iters (m: 64) ins (%x: memref<[64, 64], f16>) outs (y: memref<[64], f32> materialize gmem) {
  %s = reduce sum (n: 64) acc f32 init 0.0 {
    %a = read %x[m, n] : f16 over (m, n)
    %w = cast %a : f32 over (m, n)
    yield %w
  } : f32 over (m)
  yield %s to y
}

// Few long rows: as many parts of each as fill the SMs together.
// CHECK: plan.schedule of @few_rows for sm90 {
// CHECK-NEXT: tile (m: 1, n: 8192)
// CHECK-NEXT: reduced [n]
// CHECK-NEXT: thread_tile (n: 4)
// CHECK-NEXT: threads (n: 512)
// CHECK-NEXT: unroll (n: 4)
// CHECK-NEXT: split_k 32 along n through workspace
// CHECK-NEXT: vectors (x: 4)
// CHECK-NEXT: }
region.func @few_rows iters (m: 8) ins (%x: memref<[8, 1048576], f32>) outs (y: memref<[8], f32> materialize gmem) {
  %s = reduce sum (n: 1048576) acc f32 init 0.0 {
    %a = read %x[m, n] : f32 over (m, n)
    yield %a
  } : f32 over (m)
  yield %s to y
}

// A sum of few steps is in few parts, of four steps at least.
// CHECK: plan.schedule of @few_steps for sm90 {
// CHECK-NEXT: tile (n: 2048)
// CHECK-NEXT: reduced [n]
// CHECK-NEXT: thread_tile (n: 4)
// CHECK-NEXT: threads (n: 512)
// CHECK-NEXT: split_k 8 along n through workspace
// CHECK-NEXT: vectors (x: 4)
// CHECK-NEXT: }
region.func @few_steps iters () ins (%x: memref<[65536], f32>) outs (y: memref<[], f32> materialize gmem) {
  %s = reduce sum (n: 65536) acc f32 init 0.0 {
    %a = read %x[n] : f32 over (n)
    yield %a
  } : f32 over ()
  yield %s to y
}

// Two rows after each other: a guard holds for all of a vector or for none of it, as far as the place where one row ends is a
// multiple.
// CHECK: plan.schedule of @after for sm90 {
// CHECK: thread_tile (n: 8)
// CHECK: vectors (a: 8, b: 8, y: 8)
region.func @after<M> iters (m: M, n: 128)
    ins (%a: memref<[M, 64], f16>, %b: memref<[M, 64], f16>) outs (y: memref<[M, 128], f16> materialize gmem) {
  %0 = read %a[m, n] where (n < 64) : f16 over (m, n)
  %1 = read %b[m, n - 64] where (0 <= n - 64) : f16 over (m, n)
  %s = binary add %0, %1 : f16 over (m, n)
  yield %s to y
}

// Reads that are shifted by four elements take four together; by three, none.
// CHECK: plan.schedule of @shifted for sm90 {
// CHECK: thread_tile (n: 4)
// CHECK: vectors (a: 4, y: 4)
region.func @shifted<M> iters (m: M, n: 64) ins (%a: memref<[M, 128], f16>) outs (y: memref<[M, 64], f16> materialize gmem) {
  %0 = read %a[m, n] : f16 over (m, n)
  %1 = read %a[m, n + 4] : f16 over (m, n)
  %s = binary add %0, %1 : f16 over (m, n)
  yield %s to y
}

// CHECK: plan.schedule of @shifted_by_three for sm90 {
// CHECK-NOT: vectors
// CHECK: }
region.func @shifted_by_three<M> iters (m: M, n: 64)
    ins (%a: memref<[M, 128], f16>) outs (y: memref<[M, 64], f16> materialize gmem) {
  %0 = read %a[m, n] : f16 over (m, n)
  %1 = read %a[m, n + 3] : f16 over (m, n)
  %s = binary add %0, %1 : f16 over (m, n)
  yield %s to y
}

// Elements at places of rows that are values have a register each: fewer blocks share an SM.
// CHECK: plan.schedule of @picked for sm90 {
// CHECK: blocks_per_sm 4
region.func @picked<M> iters (m: M, j: 1024)
    ins (%x: memref<[M, 4096], f32, row_major, align 128>, %i: memref<[1024], i32>, %k: memref<[1024], i32>)
    outs (y: memref<[M, 1024], f32, row_major, align 128> materialize gmem) {
  %0 = read %i[j] : i32 over (j)
  %1 = read %k[j] : i32 over (j)
  %2 = read %x[m, %0] : f32 over (m, j)
  %3 = read %x[m, %1] : f32 over (m, j)
  %4 = binary add %2, %3 : f32 over (m, j)
  yield %4 to y
}
