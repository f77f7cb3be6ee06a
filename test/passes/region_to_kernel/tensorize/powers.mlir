// Online softmax whose weights are powers of two: one `fma` and one `exp2` for each score, and what there
// is is weighted again only where the maximum of a row has grown by much.

// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --tensorize --evaluate-each -o /dev/null

// The factor of the scores goes into the exponent, also below a mask; hidden scores are infinite, and what the maximum begins
// with is not. Nothing asks for the maximum, but whether it is finite.
// CHECK-LABEL: kernel.func @attention<
// CHECK: const -8.50705917E+37 : frag<[64], f32, slice 1 of (wgmma)>
// CHECK: for %k = 0 to %end step 64
// CHECK: %dot = for
// CHECK-NOT: binary mul
// CHECK: if (0 <=
// CHECK-NEXT: yield %dot
// CHECK: %hidden = const -inf
// CHECK: select %below, %dot, %hidden
// CHECK: %[[TILE:.+]] = reduce max
// CHECK: %[[TOP:.+]] = binary max %{{.+}}, %[[TILE]]
// CHECK: %[[BY:.+]] = const 0.18033688 : f32
// CHECK: %[[GROWN:.+]] = binary sub %[[TOP]], %
// CHECK: %[[GROWTH:.+]] = binary mul %[[GROWN]], %[[BY]]
// CHECK: const 8.0
// CHECK: %much = binary gt %[[GROWTH]]
// CHECK: %[[OLD:.+]]:3 = warp_if %much
// CHECK: unary neg %[[GROWTH]]
// CHECK: unary exp2
// CHECK: yield %[[TOP]],
// CHECK: } else {
// CHECK: const -0.18033688
// CHECK: %[[SHIFT:.+]] = binary mul %[[OLD]], %
// CHECK: %[[WIDE:.+]] = broadcast %[[SHIFT]] along 1
// CHECK: %[[X:.+]] = mulacc %{{.+}}, %[[BY]], %[[WIDE]]
// CHECK: %[[P:.+]] = unary exp2 %[[X]]
// CHECK-NOT: select
// CHECK: reduce sum %[[P]] along 1
// CHECK: binary add %[[OLD]]#1
// CHECK: wgmma %{{.+}}, %{{.+}}, %[[OLD]]#2
// A row in which nothing counts has no maximum.
// CHECK: }
// CHECK: %[[NONE:.+]] = binary eq %
// CHECK: binary mul %{{.+}}, %
// CHECK: select %[[NONE]], %
region.func @attention<Q, K> iters (q: Q, e: 64)
    ins (%Q: memref<[Q, 64], f16, row_major, align 16>, %K: memref<[K, 64], f16, row_major, align 16>,
         %V: memref<[K, 64], f16, row_major, align 16>)
    outs (O: memref<[Q, 64], f32, row_major, align 16> materialize gmem) {
  %dot = reduce sum (d: 64) acc f32 init 0.0 {
    %a = read %Q[q, d] : f16 over (q, d)
    %b = read %K[k, d] : f16 over (k, d)
    %ab = binary mul %a, %b widen : f32 over (q, k, d)
    yield %ab
  } : f32 over (q, k)
  %by = const 0.125 : f32 over ()
  %scaled = binary mul %dot, %by : f32 over (q, k)
  %key = index (k) : i32 over (k)
  %query = index (q) : i32 over (q)
  %below = binary le %key, %query : i1 over (q, k)
  %hidden = const -inf : f32 over ()
  %s = select %below, %scaled, %hidden {deferred} : f32 over (q, k)
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
plan.schedule of @attention for sm90 {
  tile (q: 64, e: 64, d: 64, k: 64)
  reduced [d, k]
  instruction wgmma
  cache Q (q, d) f16 in smem
  cache K (k, d) f16 in smem
  cache V (k, e) f16 in smem
}

// The maximum is a result: it is what it is at each step. Scores without a factor stay as they are, and so does that of
// the maximum.
// CHECK-LABEL: kernel.func @maximum<
// CHECK: wgmma
// CHECK: %[[TOP:.+]] = binary max
// CHECK: %[[BELOW:.+]] = binary sub %{{.+}}, %[[TOP]]
// CHECK: binary mul %[[BELOW]], %
// CHECK-NOT: warp_if
// CHECK: binary mul %[[TOP]], %
// CHECK: mulacc
// CHECK-NOT: warp_if
// CHECK: binary eq
// CHECK-NEXT: select
region.func @maximum<Q, K> iters (q: Q, e: 64)
    ins (%Q: memref<[Q, 64], f16, row_major, align 16>, %K: memref<[K, 64], f16, row_major, align 16>,
         %V: memref<[K, 64], f16, row_major, align 16>)
    outs (O: memref<[Q, 64], f32, row_major, align 16> materialize gmem) {
  %dot = reduce sum (d: 64) acc f32 init 0.0 {
    %a = read %Q[q, d] : f16 over (q, d)
    %b = read %K[k, d] : f16 over (k, d)
    %ab = binary mul %a, %b widen : f32 over (q, k, d)
    yield %ab
  } : f32 over (q, k)
  %top, %o = reduce (k: K) acc (f32, f32) init (-inf, 0.0) {
    %v = read %V[k, e] : f16 over (e, k)
    yield %dot, %v
  } combine (%m0: f32 over (q), %o0: f32 over (q, e), %m1: f32 over (q), %o1: f32 over (q, e)) {
    %m = binary max %m0, %m1 : f32 over (q)
    %d0 = binary sub %m0, %m : f32 over (q)
    %w0 = unary exp2 %d0 : f32 over (q)
    %d1 = binary sub %m1, %m : f32 over (q)
    %w1 = unary exp2 %d1 : f32 over (q)
    %a0 = binary mul %o0, %w0 : f32 over (q, e)
    %a1 = binary mul %o1, %w1 : f32 over (q, e)
    %a = binary add %a0, %a1 : f32 over (q, e)
    yield %m, %a
  } {reassoc} : f32 over (q), f32 over (q, e)
  %y = binary add %o, %top : f32 over (q, e)
  yield %y to O
}
plan.schedule of @maximum for sm90 {
  tile (q: 64, e: 64, d: 64, k: 64)
  reduced [d, k]
  instruction wgmma
  cache Q (q, d) f16 in smem
  cache K (k, d) f16 in smem
  cache V (k, e) f16 in smem
}

// Sums that may not be rounded otherwise are what the program says.
// CHECK-LABEL: kernel.func @exact<
// CHECK-NOT: mulacc
// CHECK-NOT: warp_if
// CHECK: return
region.func @exact<Q, K> iters (q: Q, e: 64)
    ins (%Q: memref<[Q, 64], f16, row_major, align 16>, %K: memref<[K, 64], f16, row_major, align 16>,
         %V: memref<[K, 64], f16, row_major, align 16>)
    outs (O: memref<[Q, 64], f32, row_major, align 16> materialize gmem) {
  %dot = reduce sum (d: 64) acc f32 init 0.0 {
    %a = read %Q[q, d] : f16 over (q, d)
    %b = read %K[k, d] : f16 over (k, d)
    %ab = binary mul %a, %b widen : f32 over (q, k, d)
    yield %ab
  } : f32 over (q, k)
  %top, %o = reduce (k: K) acc (f32, f32) init (-inf, 0.0) {
    %v = read %V[k, e] : f16 over (e, k)
    yield %dot, %v
  } combine (%m0: f32 over (q), %o0: f32 over (q, e), %m1: f32 over (q), %o1: f32 over (q, e)) {
    %m = binary max %m0, %m1 : f32 over (q)
    %one = const 1.0 : f32 over ()
    %d0 = binary sub %m0, %m : f32 over (q)
    %p0 = unary exp2 %d0 : f32 over (q)
    %same0 = binary eq %m0, %m : i1 over (q)
    %w0 = select %same0, %one, %p0 : f32 over (q)
    %d1 = binary sub %m1, %m : f32 over (q)
    %p1 = unary exp2 %d1 : f32 over (q)
    %same1 = binary eq %m1, %m : i1 over (q)
    %w1 = select %same1, %one, %p1 : f32 over (q)
    %a0 = binary mul %o0, %w0 : f32 over (q, e)
    %a1 = binary mul %o1, %w1 : f32 over (q, e)
    %a = binary add %a0, %a1 : f32 over (q, e)
    yield %m, %a
  } : f32 over (q), f32 over (q, e)
  yield %o to O
}
plan.schedule of @exact for sm90 {
  tile (q: 64, e: 64, d: 64, k: 64)
  reduced [d, k]
  instruction wgmma
  cache Q (q, d) f16 in smem
  cache K (k, d) f16 in smem
  cache V (k, e) f16 in smem
}
