// The loop of an online softmax may begin some steps later than that of the tile before, too: its order does not count.

// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --pass-pipeline=tensorize,kernel-schedule --evaluate-each -o /dev/null

// CHECK: for %k = 0 to K step 64 carry
// CHECK: %first = index (64*((3*%tile) mod (K ceildiv 64)))
// CHECK: %at = index ((%first + %k) mod (64*(K ceildiv 64)))
// CHECK: copy %K[%at + i0
// CHECK: if (%at + 64 <= K)
// CHECK: copy %V[%at + i0
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
  roles cooperative consumers 1
  cache Q (q, d) f16 in smem
  cache K (k, d) f16 in smem
  cache V (k, e) f16 in smem
  algo (stagger_k: 3)
}
