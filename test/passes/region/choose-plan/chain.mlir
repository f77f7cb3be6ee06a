// Products in a row are one kernel: what goes from one to the next stays in registers.

// RUN: dlc-opt %s --choose-plan='assume=4096' | FileCheck %s

// Fragments of `mma` and tiles of threads double: their tiles are powers of two, also where three groups of rows would fit best.
// RUN: dlc-opt %s --choose-plan='target=sm80 assume=192' -o %t.sm80
// RUN: FileCheck %s --input-file=%t.sm80 --check-prefix=SM80
// RUN: dlc-opt %t.sm80 --tensorize -o /dev/null
// SM80: plan.schedule of @attention for sm80 {
// SM80-NEXT: tile (h: 1, q: 64, e: 128, d: 128, k: 64)

// Two products: rows of the last one, for which the first is computed step by step.
// CHECK: plan.schedule of @mlp for sm90 {
// CHECK-NEXT: tile (m: 64, n: 128, k: 64, h: 128)
// CHECK-NEXT: reduced [k, h]
// CHECK-NEXT: instruction wgmma
// CHECK-NEXT: stages 4
// CHECK-NEXT: persistent sms
// CHECK-NEXT: roles cooperative consumers 1
// CHECK-NEXT: registers (producer: 24, consumer: 240)
// CHECK-NEXT: cache X (m, k) f16 in smem buffers 2
// CHECK-NEXT: cache A (k, h) f16 in smem
// CHECK-NEXT: cache B (h, n) f16 in smem
// CHECK-NEXT: predicate_tail [m]
// CHECK-NEXT: barrier mbarrier
// CHECK-NEXT: async overlap_epilogue
// CHECK-NEXT: in_flight 1
// CHECK-NEXT: edge first to second in reg
// CHECK-NEXT: store tma panels 2 together 1
// CHECK-NEXT: }
region.func @mlp<M> iters (m: M, n: 128)
    ins (%X: memref<[M, 64], f16>, %A: memref<[64, 1024], f16>, %B: memref<[1024, 128], f16>)
    outs (Y: memref<[M, 128], f16> materialize gmem) {
  %first = reduce sum (k: 64) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %a = read %A[k, h] : f16 over (h, k)
    %xa = binary mul %x, %a widen : f32 over (m, h, k)
    yield %xa
  } : f32 over (m, h)
  %relu = unary relu %first : f32 over (m, h)
  %t = cast %relu {deferred} : f16 over (m, h)
  %second = reduce sum (h: 1024) acc f32 init 0.0 {
    %b = read %B[h, n] : f16 over (n, h)
    %tb = binary mul %t, %b widen : f32 over (m, n, h)
    yield %tb
  } : f32 over (m, n)
  yield %second to Y as f16
}

// Attention: a reduction that weighs one contribution by another is a product of the two.
// CHECK: plan.schedule of @attention for sm90 {
// CHECK-NEXT: tile (h: 1, q: 192, e: 128, d: 128, k: 96)
// CHECK-NEXT: reduced [d, k]
// CHECK-NEXT: instruction wgmma
// CHECK-NEXT: stages 2
// CHECK-NEXT: persistent sms
// CHECK-NEXT: roles cooperative consumers 3
// CHECK-NEXT: registers (producer: 32, consumer: 160)
// CHECK-NEXT: cache Q (h, q, d) f16 in smem buffers 2
// CHECK-NEXT: cache K (h, k, d) f16 in smem
// CHECK-NEXT: cache V (h, k, e) f16 in smem
// CHECK-NEXT: predicate_tail [q, k]
// CHECK-NEXT: barrier mbarrier
// CHECK-NEXT: async overlap_epilogue
// CHECK-NEXT: in_flight 1
// CHECK-NEXT: edge s to top in reg
// CHECK-NEXT: epilogue [recip, mul]
// CHECK-NEXT: store tma panels 1 together 1
// CHECK-NEXT: }
region.func @attention<H, Q, K> iters (h: H, q: Q, e: 128)
    ins (%Q: memref<[H, Q, 128], f16>, %K: memref<[H, K, 128], f16>, %V: memref<[H, K, 128], f16>)
    outs (O: memref<[H, Q, 128], f16> materialize gmem) {
  %s = reduce sum (d: 128) acc f32 init 0.0 {
    %a = read %Q[h, q, d] : f16 over (h, q, d)
    %b = read %K[h, k, d] : f16 over (h, k, d)
    %p = binary mul %a, %b widen : f32 over (h, q, k, d)
    yield %p
  } : f32 over (h, q, k)
  %t = cast %s {deferred} : f16 over (h, q, k)
  %top, %sum, %o = reduce (k: K) acc (f32, f32, f32) init (-inf, 0.0, 0.0) {
    %v = read %V[h, k, e] : f16 over (h, e, k)
    %one = const 1.0 : f32 over ()
    yield %t, %one, %v
  } combine (%m0: f32 over (h, q), %s0: f32 over (h, q), %o0: f32 over (h, q, e), %m1: f32 over (h, q), %s1: f32 over (h, q), %o1: f32 over (h, q, e)) {
    %m = binary max %m0, %m1 : f32 over (h, q)
    %d0 = binary sub %m0, %m : f32 over (h, q)
    %w0 = unary exp2 %d0 : f32 over (h, q)
    %d1 = binary sub %m1, %m : f32 over (h, q)
    %w1 = unary exp2 %d1 : f32 over (h, q)
    %l0 = binary mul %s0, %w0 : f32 over (h, q)
    %l1 = binary mul %s1, %w1 : f32 over (h, q)
    %l = binary add %l0, %l1 : f32 over (h, q)
    %p0 = binary mul %o0, %w0 : f32 over (h, q, e)
    %p1 = binary mul %o1, %w1 : f32 over (h, q, e)
    %p = binary add %p0, %p1 : f32 over (h, q, e)
    yield %m, %l, %p
  } {reassoc} : f32 over (h, q), f32 over (h, q), f32 over (h, q, e)
  %r = unary recip %sum : f32 over (h, q)
  %y = binary mul %o, %r : f32 over (h, q, e)
  yield %y to O as f16
}

// Keys after a query do not count for it: rows of tiles with many of them come first.
// CHECK: plan.schedule of @causal for sm90 {
// CHECK-NEXT: tile (h: 1, q: 192, e: 128, d: 128, k: 96)
// CHECK: persistent sms
// CHECK-NEXT: order longest_first
// CHECK-NEXT: roles cooperative consumers 3
region.func @causal<H, Q, K> iters (h: H, q: Q, e: 128)
    ins (%Q: memref<[H, Q, 128], f16>, %K: memref<[H, K, 128], f16>, %V: memref<[H, K, 128], f16>)
    outs (O: memref<[H, Q, 128], f16> materialize gmem) {
  %s = reduce sum (d: 128) acc f32 init 0.0 {
    %a = read %Q[h, q, d] : f16 over (h, q, d)
    %b = read %K[h, k, d] : f16 over (h, k, d)
    %p = binary mul %a, %b widen : f32 over (h, q, k, d)
    yield %p
  } : f32 over (h, q, k)
  %row = index (q) : i32 over (q)
  %key = index (k) : i32 over (k)
  %seen = binary ge %row, %key : i1 over (q, k)
  %hidden = const -inf : f32 over ()
  %t = select %seen, %s, %hidden {deferred} : f32 over (h, q, k)
  %top, %sum, %o = reduce (k: K) acc (f32, f32, f32) init (-inf, 0.0, 0.0) {
    %v = read %V[h, k, e] : f16 over (h, e, k)
    %one = const 1.0 : f32 over ()
    yield %t, %one, %v
  } combine (%m0: f32 over (h, q), %s0: f32 over (h, q), %o0: f32 over (h, q, e), %m1: f32 over (h, q), %s1: f32 over (h, q), %o1: f32 over (h, q, e)) {
    %m = binary max %m0, %m1 : f32 over (h, q)
    %d0 = binary sub %m0, %m : f32 over (h, q)
    %w0 = unary exp2 %d0 : f32 over (h, q)
    %d1 = binary sub %m1, %m : f32 over (h, q)
    %w1 = unary exp2 %d1 : f32 over (h, q)
    %l0 = binary mul %s0, %w0 : f32 over (h, q)
    %l1 = binary mul %s1, %w1 : f32 over (h, q)
    %l = binary add %l0, %l1 : f32 over (h, q)
    %p0 = binary mul %o0, %w0 : f32 over (h, q, e)
    %p1 = binary mul %o1, %w1 : f32 over (h, q, e)
    %p = binary add %p0, %p1 : f32 over (h, q, e)
    yield %m, %l, %p
  } {reassoc} : f32 over (h, q), f32 over (h, q), f32 over (h, q, e)
  %r = unary recip %sum : f32 over (h, q)
  %y = binary mul %o, %r : f32 over (h, q, e)
  yield %y to O as f16
}

// Rows of several heads have no last key in common: a tile has queries of one head, whose steps end at the diagonal, unless a
// head has so few that most of its rows would be empty.
// CHECK: plan.schedule of @grouped for sm90 {
// CHECK-NEXT: tile (h: 1, g: 1, q: 192, e: 128, d: 128, k: 96)
// CHECK: persistent sms
// CHECK-NEXT: order longest_first
// RUN: dlc-opt %s --choose-plan='symbols=[H:4096,Q:16,K:4096]' | FileCheck %s --check-prefix=FEW
// FEW: plan.schedule of @grouped for sm90 {
// FEW-NEXT: tile (h: 1, g: 4, q: 16, e: 128, d: 128, k: {{[0-9]+}})
// FEW: persistent sms
// FEW-NEXT: roles
region.func @grouped<H, Q, K> iters (h: H, g: 4, q: Q, e: 128)
    ins (%Q: memref<[H, 4, Q, 128], f16>, %K: memref<[H, K, 128], f16>, %V: memref<[H, K, 128], f16>)
    outs (O: memref<[H, 4, Q, 128], f16> materialize gmem) {
  %s = reduce sum (d: 128) acc f32 init 0.0 {
    %a = read %Q[h, g, q, d] : f16 over (h, g, q, d)
    %b = read %K[h, k, d] : f16 over (h, k, d)
    %p = binary mul %a, %b widen : f32 over (h, g, q, k, d)
    yield %p
  } : f32 over (h, g, q, k)
  %row = index (q) : i32 over (q)
  %key = index (k) : i32 over (k)
  %seen = binary ge %row, %key : i1 over (q, k)
  %hidden = const -inf : f32 over ()
  %t = select %seen, %s, %hidden {deferred} : f32 over (h, g, q, k)
  %top, %sum, %o = reduce (k: K) acc (f32, f32, f32) init (-inf, 0.0, 0.0) {
    %v = read %V[h, k, e] : f16 over (h, e, k)
    %one = const 1.0 : f32 over ()
    yield %t, %one, %v
  } combine (%m0: f32 over (h, g, q), %s0: f32 over (h, g, q), %o0: f32 over (h, g, q, e), %m1: f32 over (h, g, q), %s1: f32 over (h, g, q), %o1: f32 over (h, g, q, e)) {
    %m = binary max %m0, %m1 : f32 over (h, g, q)
    %d0 = binary sub %m0, %m : f32 over (h, g, q)
    %w0 = unary exp2 %d0 : f32 over (h, g, q)
    %d1 = binary sub %m1, %m : f32 over (h, g, q)
    %w1 = unary exp2 %d1 : f32 over (h, g, q)
    %l0 = binary mul %s0, %w0 : f32 over (h, g, q)
    %l1 = binary mul %s1, %w1 : f32 over (h, g, q)
    %l = binary add %l0, %l1 : f32 over (h, g, q)
    %p0 = binary mul %o0, %w0 : f32 over (h, g, q, e)
    %p1 = binary mul %o1, %w1 : f32 over (h, g, q, e)
    %p = binary add %p0, %p1 : f32 over (h, g, q, e)
    yield %m, %l, %p
  } {reassoc} : f32 over (h, g, q), f32 over (h, g, q), f32 over (h, g, q, e)
  %r = unary recip %sum : f32 over (h, g, q)
  %y = binary mul %o, %r : f32 over (h, g, q, e)
  yield %y to O as f16
}


// A mask that is a tensor comes by way of shared memory as the keys do, also where all heads have the same one, along an axis
// of size one.
// CHECK: plan.schedule of @masked for sm90 {
// CHECK: cache V (h, k, e) f16 in smem
// CHECK-NEXT: cache M (q, k) f16 in smem
region.func @masked<H, Q, K> iters (h: H, q: Q, e: 128)
    ins (%Q: memref<[H, Q, 128], f16>, %K: memref<[H, K, 128], f16>, %V: memref<[H, K, 128], f16>, %M: memref<[1, Q, K], f16>)
    outs (O: memref<[H, Q, 128], f16> materialize gmem) {
  %s = reduce sum (d: 128) acc f32 init 0.0 {
    %a = read %Q[h, q, d] : f16 over (h, q, d)
    %b = read %K[h, k, d] : f16 over (h, k, d)
    %p = binary mul %a, %b widen : f32 over (h, q, k, d)
    yield %p
  } : f32 over (h, q, k)
  %bias = read %M[0, q, k] : f16 over (q, k)
  %b32 = broadcast_in_dim %bias to [H, Q, K] dims [1, 2] : f16 over (h, q, k)
  %t = binary add %s, %b32 {deferred} : f32 over (h, q, k)
  %top, %sum, %o = reduce (k: K) acc (f32, f32, f32) init (-inf, 0.0, 0.0) {
    %v = read %V[h, k, e] : f16 over (h, e, k)
    %one = const 1.0 : f32 over ()
    yield %t, %one, %v
  } combine (%m0: f32 over (h, q), %s0: f32 over (h, q), %o0: f32 over (h, q, e), %m1: f32 over (h, q), %s1: f32 over (h, q), %o1: f32 over (h, q, e)) {
    %m = binary max %m0, %m1 : f32 over (h, q)
    %d0 = binary sub %m0, %m : f32 over (h, q)
    %w0 = unary exp2 %d0 : f32 over (h, q)
    %d1 = binary sub %m1, %m : f32 over (h, q)
    %w1 = unary exp2 %d1 : f32 over (h, q)
    %l0 = binary mul %s0, %w0 : f32 over (h, q)
    %l1 = binary mul %s1, %w1 : f32 over (h, q)
    %l = binary add %l0, %l1 : f32 over (h, q)
    %p0 = binary mul %o0, %w0 : f32 over (h, q, e)
    %p1 = binary mul %o1, %w1 : f32 over (h, q, e)
    %p = binary add %p0, %p1 : f32 over (h, q, e)
    yield %m, %l, %p
  } {reassoc} : f32 over (h, q), f32 over (h, q), f32 over (h, q, e)
  %r = unary recip %sum : f32 over (h, q)
  %y = binary mul %o, %r : f32 over (h, q, e)
  yield %y to O as f16
}


// Two products in `f32`, without tensor cores.
// CHECK: plan.schedule of @single for sm90 {
// CHECK-NEXT: tile (m: 32, n: 32, k: 64, h: 64)
// CHECK-NEXT: reduced [k, h]
// CHECK-NEXT: instruction fma
// CHECK-NEXT: thread_tile (m: 4, n: 8)
// CHECK-NEXT: stages 1
// CHECK-NEXT: cache X (m, k) f32 in smem buffers 1
// CHECK-NEXT: cache A (k, h) f32 in smem
// CHECK-NEXT: cache B (h, n) f32 in smem
// CHECK-NEXT: predicate_tail [m]
// CHECK-NEXT: barrier block
// CHECK-NEXT: edge first to second in reg
// CHECK-NEXT: }
region.func @single<M> iters (m: M, n: 32)
    ins (%X: memref<[M, 64], f32>, %A: memref<[64, 256], f32>, %B: memref<[256, 32], f32>)
    outs (Y: memref<[M, 32], f32> materialize gmem) {
  %first = reduce sum (k: 64) acc f32 init 0.0 {
    %x = read %X[m, k] : f32 over (m, k)
    %a = read %A[k, h] : f32 over (h, k)
    %xa = binary mul %x, %a : f32 over (m, h, k)
    yield %xa
  } : f32 over (m, h)
  %second = reduce sum (h: 256) acc f32 init 0.0 {
    %b = read %B[h, n] : f32 over (n, h)
    %tb = binary mul %first, %b : f32 over (m, n, h)
    yield %tb
  } : f32 over (m, n)
  yield %second to Y
}

// What is read between two products comes with what is multiplied.
// CHECK: plan.schedule of @between for sm90 {
// CHECK-NEXT: tile (m: 64, n: 128, k: 64, h: 128)
// CHECK: stages 3
// CHECK: cache A (h, k) f16 in smem
// CHECK-NEXT: cache B (h, n) f16 in smem
// CHECK-NEXT: cache D (m, h) f16 in smem
// CHECK-NOT: cache F
// CHECK: store tma panels 2
region.func @between<M> iters (m: M, n: 128)
    ins (%X: memref<[M, 64], f16>, %A: memref<[4096, 64], f16>, %B: memref<[4096, 128], f16>, %D: memref<[M, 4096], f16>,
         %F: memref<[M, 128], f16>)
    outs (Y: memref<[M, 128], f16> materialize gmem) {
  %first = reduce sum (k: 64) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %a = read %A[h, k] : f16 over (h, k)
    %xa = binary mul %x, %a widen : f32 over (m, h, k)
    yield %xa
  } : f32 over (m, h)
  %d = read %D[m, h] : f16 over (m, h)
  %d1 = cast %d : f32 over (m, h)
  %more = binary add %first, %d1 : f32 over (m, h)
  %t = cast %more {deferred} : f16 over (m, h)
  %second = reduce sum (h: 4096) acc f32 init 0.0 {
    %b = read %B[h, n] : f16 over (n, h)
    %tb = binary mul %t, %b widen : f32 over (m, n, h)
    yield %tb
  } : f32 over (m, n)
  %f = read %F[m, n] : f16 over (m, n)
  %f1 = cast %f : f32 over (m, n)
  %y = binary add %second, %f1 : f32 over (m, n)
  yield %y to Y as f16
}
