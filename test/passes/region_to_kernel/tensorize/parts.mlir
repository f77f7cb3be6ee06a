// Blocks share a reduction whose accumulators a region combines: each does a part of the axis and leaves its accumulators, and a
// second grid combines the parts by the same region, in order. A part without elements leaves what changes nothing. Where the
// order does not count, parts take steps in turn.

// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --pass-pipeline=tensorize,kernel-schedule --evaluate-each -o /dev/null
// RUN: dlc-opt %s --region-to-ptx --evaluate-each -o /dev/null
// RUN: dlc-opt %s --resolve-plan | FileCheck %s --check-prefix=PLAN
// RUN: dlc-opt %s --resolve-plan --resolve-plan | FileCheck %s --check-prefix=PLAN

// An online softmax: its maximum, its sum, and the sum of products below it. Nothing is asked of the maximum but that the others
// are below it, so it is a new one only where it has grown by much, in parts as well.
// CHECK-LABEL: kernel.func @softmax<
// CHECK: %top_parts = workspace : memref<[3, Q], f32, row_major, align 128>
// CHECK-NEXT: %sum_parts = workspace : memref<[3, Q], f32, row_major, align 128>
// CHECK-NEXT: %o_parts = workspace : memref<[3, Q, 64], f32, row_major, align 128>
// CHECK-NEXT: grid (Q ceildiv 64, 3) threads 128 {
// CHECK: %part = block_id 1
// CHECK-NOT: min
// CHECK: %[[S:.+]]:3 = for %k = 64*%part to K step 192 carry
// CHECK: warp_if %much
// CHECK: %[[TOP:.+]] = select
// CHECK: store %[[TOP]] to %top_parts[%part, 64*%row + i0] where (64*%row + i0 < Q)
// CHECK-NEXT: store %[[S]]#1 to %sum_parts[%part, 64*%row + i0] where (64*%row + i0 < Q)
// CHECK-NEXT: store %[[S]]#2 to %o_parts[%part, 64*%row + i0, 64*%column + i1] where
// CHECK-NEXT: }
// CHECK-NEXT: grid (Q ceildiv 8) threads 128 {
// CHECK: for %part{{.*}} = 0 to 3 unroll carry
// CHECK: load %top_parts[%part, 
// CHECK: load %sum_parts[%part, 
// CHECK: load %o_parts[%part, 
// CHECK: binary max
// CHECK: store %{{.+}} to %O[
// PLAN-LABEL: plan.schedule of @softmax
// PLAN: split_k 3 along k through workspace
region.func @softmax<Q, K> iters (q: Q, e: 64)
    ins (%Q: memref<[Q, 64], f16, row_major, align 128>, %K: memref<[K, 64], f16, row_major, align 128>,
         %V: memref<[K, 64], f16, row_major, align 128>)
    outs (O: memref<[Q, 64], f32, row_major, align 128> materialize gmem) {
  %dot = reduce sum (d: 64) acc f32 init 0.0 {
    %a = read %Q[q, d] : f16 over (q, d)
    %b = read %K[k, d] : f16 over (k, d)
    %ab = binary mul %a, %b widen : f32 over (q, k, d)
    yield %ab
  } : f32 over (q, k)
  %by = const 0.125 : f32 over ()
  %s = binary mul %dot, %by {deferred} : f32 over (q, k)
  %top, %sum, %o = reduce (k: K) acc (f32, f32, f32) init (-inf, 0.0, 0.0) {
    %v = read %V[k, e] : f16 over (e, k)
    %one = const 1.0 : f32 over ()
    yield %s, %one, %v
  } combine (%m0: f32 over (q), %s0: f32 over (q), %o0: f32 over (q, e), %m1: f32 over (q), %s1: f32 over (q), %o1: f32 over (q, e)) {
    %m = binary max %m0, %m1 : f32 over (q)
    %one = const 1.0 : f32 over ()
    %log2e = const 1.442695 : f32 over ()
    %d0 = binary sub %m0, %m : f32 over (q)
    %x0 = binary mul %d0, %log2e : f32 over (q)
    %p0 = unary exp2 %x0 : f32 over (q)
    %same0 = binary eq %m0, %m : i1 over (q)
    %w0 = select %same0, %one, %p0 : f32 over (q)
    %d1 = binary sub %m1, %m : f32 over (q)
    %x1 = binary mul %d1, %log2e : f32 over (q)
    %p1 = unary exp2 %x1 : f32 over (q)
    %same1 = binary eq %m1, %m : i1 over (q)
    %w1 = select %same1, %one, %p1 : f32 over (q)
    %l0 = binary mul %s0, %w0 : f32 over (q)
    %l1 = binary mul %s1, %w1 : f32 over (q)
    %l = binary add %l0, %l1 : f32 over (q)
    %a0 = binary mul %o0, %w0 : f32 over (q, e)
    %a1 = binary mul %o1, %w1 : f32 over (q, e)
    %a = binary add %a0, %a1 : f32 over (q, e)
    yield %m, %l, %a
  } {fuse, reassoc} : f32 over (q), f32 over (q), f32 over (q, e)
  %defect = binary sub %top, %top : f32 over (q)
  %whole = binary add %sum, %defect : f32 over (q)
  %y = binary fdiv %o, %whole : f32 over (q, e)
  yield %y to O
}
plan.schedule of @softmax for sm90 {
  tile (q: 64, e: 64, d: 64, k: 64)
  reduced [d, k]
  instruction wgmma
  stages 2
  split_k 3 along k through workspace
  roles cooperative consumers 1
  cache Q (q, d) f16 in smem
  cache K (k, d) f16 in smem
  cache V (k, e) f16 in smem
}

// The same by warps that copy for themselves.
// CHECK-LABEL: kernel.func @by_warps<
// CHECK: grid (Q ceildiv 64, 4) threads 128 {
region.func @by_warps<Q, K> iters (q: Q, e: 64)
    ins (%Q: memref<[Q, 64], f16, row_major, align 128>, %K: memref<[K, 64], f16, row_major, align 128>,
         %V: memref<[K, 64], f16, row_major, align 128>)
    outs (O: memref<[Q, 64], f32, row_major, align 128> materialize gmem) {
  %dot = reduce sum (d: 64) acc f32 init 0.0 {
    %a = read %Q[q, d] : f16 over (q, d)
    %b = read %K[k, d] : f16 over (k, d)
    %ab = binary mul %a, %b widen : f32 over (q, k, d)
    yield %ab
  } : f32 over (q, k)
  %by = const 0.125 : f32 over ()
  %s = binary mul %dot, %by {deferred} : f32 over (q, k)
  %top, %sum, %o = reduce (k: K) acc (f32, f32, f32) init (-inf, 0.0, 0.0) {
    %v = read %V[k, e] : f16 over (e, k)
    %one = const 1.0 : f32 over ()
    yield %s, %one, %v
  } combine (%m0: f32 over (q), %s0: f32 over (q), %o0: f32 over (q, e), %m1: f32 over (q), %s1: f32 over (q), %o1: f32 over (q, e)) {
    %m = binary max %m0, %m1 : f32 over (q)
    %one = const 1.0 : f32 over ()
    %log2e = const 1.442695 : f32 over ()
    %d0 = binary sub %m0, %m : f32 over (q)
    %x0 = binary mul %d0, %log2e : f32 over (q)
    %p0 = unary exp2 %x0 : f32 over (q)
    %same0 = binary eq %m0, %m : i1 over (q)
    %w0 = select %same0, %one, %p0 : f32 over (q)
    %d1 = binary sub %m1, %m : f32 over (q)
    %x1 = binary mul %d1, %log2e : f32 over (q)
    %p1 = unary exp2 %x1 : f32 over (q)
    %same1 = binary eq %m1, %m : i1 over (q)
    %w1 = select %same1, %one, %p1 : f32 over (q)
    %l0 = binary mul %s0, %w0 : f32 over (q)
    %l1 = binary mul %s1, %w1 : f32 over (q)
    %l = binary add %l0, %l1 : f32 over (q)
    %a0 = binary mul %o0, %w0 : f32 over (q, e)
    %a1 = binary mul %o1, %w1 : f32 over (q, e)
    %a = binary add %a0, %a1 : f32 over (q, e)
    yield %m, %l, %a
  } {fuse, reassoc} : f32 over (q), f32 over (q), f32 over (q, e)
  %defect = binary sub %top, %top : f32 over (q)
  %whole = binary add %sum, %defect : f32 over (q)
  %y = binary fdiv %o, %whole : f32 over (q, e)
  yield %y to O
}
plan.schedule of @by_warps for sm80 {
  tile (q: 64, e: 64, d: 64, k: 32)
  reduced [d, k]
  instruction mma
  warp_tile (q: 16, e: 64)
  stages 2
  split_k 4
  cache Q (q, d) f16 in smem buffers 1
  cache K (k, d) f16 in smem
  cache V (k, e) f16 in smem
  barrier cp_async_group
  async
}

// Any region that combines: the place of the first maximum. Of 100 elements in steps of one there are 13 parts of 8, the last one
// with 4.
// CHECK-LABEL: kernel.func @place<
// CHECK: %at_parts = workspace : memref<[13, M], i32, row_major, align 128>
// CHECK: grid (M ceildiv {{.+}}, 13)
// CHECK: for %n = 8*%part to %{{.+}} carry
// CHECK: for %part{{.*}} = 0 to 13 unroll carry
region.func @place<M> iters (m: M)
    ins (%X: memref<[M, 100], f32, row_major, align 128>)
    outs (Y: memref<[M], i32, row_major, align 128> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %n = index (n) : i32 over (n)
  %top, %at = reduce (n: 100) acc (f32, i32) init (-inf, 2147483647) {
    yield %x, %n
  } combine (%x0: f32 over (m), %n0: i32 over (m), %x1: f32 over (m), %n1: i32 over (m)) {
    %first = binary gt %x0, %x1 : i1 over (m)
    %second = binary gt %x1, %x0 : i1 over (m)
    %least = binary min %n0, %n1 : i32 over (m)
    %right = select %second, %n1, %least : i32 over (m)
    %place = select %first, %n0, %right : i32 over (m)
    %most = binary max %x0, %x1 : f32 over (m)
    yield %most, %place
  } : f32 over (m), i32 over (m)
  yield %at to Y
}
plan.schedule of @place for sm90 {
  split_k 14 along n
}
