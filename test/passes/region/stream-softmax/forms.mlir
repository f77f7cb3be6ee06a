// RUN: dlc-opt %s --stream-softmax | FileCheck %s
// RUN: dlc-opt %s --stream-softmax --evaluate-each --no-output
// RUN: dlc-opt %s --stream-softmax --remarks=missed --no-output 2>&1 | FileCheck %s --check-prefix=MISSED

// Over two axes at once; the sizes are known, so that no row is empty. In f64 nothing is cast.
// CHECK-LABEL: @two_axes 
// CHECK: reduce (h: 3, w: 5) acc (f64, f64) init (-inf, 0.0) {
// CHECK: %zero = binary sub %max, %max : f64 over (c)
// CHECK-NOT: where
// CHECK: yield
region.func @two_axes iters (c: 4)
    ins (%X: memref<[4, 3, 5], f64, row_major, align 8>)
    outs (Y: memref<[4], f64, row_major, align 8> materialize gmem) {
  %x = read %X[c, h, w] : f64 over (c, h, w)
  %max = reduce max (h: 3, w: 5) acc f64 init -inf { yield %x } : f64 over (c)
  %d = binary sub %x, %max : f64 over (c, h, w)
  %e = unary exp2 %d : f64 over (c, h, w)
  %sum = reduce sum (w: 5, h: 3) acc f64 init 0.0 { yield %e } : f64 over (c)
  %log = unary log2 %sum : f64 over (c)
  %y = binary add %log, %max : f64 over (c)
  yield %y to Y
}

// The sum of the powers and that of their squares are rescaled by different weights.
// CHECK-LABEL: @two_scales<
// CHECK: %scale = const 2.0 : f32 over ()
// CHECK: yield %top, %both, %both_0
region.func @two_scales<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %d = binary sub %x, %max : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  %ee = binary mul %e, %e : f32 over (m, n)
  %squares = reduce sum (n: N) acc f32 init 0.0 { yield %ee } : f32 over (m)
  %y = binary fdiv %sum, %squares : f32 over (m)
  yield %y to Y
}

// Each reduction has its own reads, and the factors stand in the last one: the sum of powers itself is among them, the
// maximum, and a value that is the same along the row. They come out; what is read twice is read once.
// CHECK-LABEL: @sunk<
// CHECK: %max, %sum, %out = reduce (n: N) acc (f32, f32, f32) init (-inf, 0.0, 0.0) {
// CHECK-NEXT: [[X:%.*]] = read %X[m, n] : f32 over (m, n)
// CHECK-NEXT: [[B:%.*]] = read %B[n] : f32 over (n)
// CHECK-NEXT: %one = const 1.0 : f32 over ()
// CHECK-NEXT: [[P:%.*]] = binary fdiv [[X]], [[B]] : f32 over (m, n)
// CHECK-NEXT: yield [[X]], %one, [[P]]
// CHECK: } {reassoc}
// CHECK: read %C[m]
// CHECK: unary neg
region.func @sunk<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>, %B: memref<[N], f32, row_major, align 4>,
         %C: memref<[M], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %max = reduce max (n: N) acc f32 init -inf {
    %x = read %X[m, n] : f32 over (m, n)
    yield %x
  } : f32 over (m)
  %sum = reduce sum (n: N) acc f32 init 0.0 {
    %x = read %X[m, n] : f32 over (m, n)
    %d = binary sub %x, %max : f32 over (m, n)
    %e = unary exp2 %d : f32 over (m, n)
    yield %e
  } : f32 over (m)
  %out = reduce sum (n: N) acc f32 init 0.0 {
    %x = read %X[m, n] : f32 over (m, n)
    %d = binary sub %x, %max : f32 over (m, n)
    %e = unary exp2 %d : f32 over (m, n)
    %b = read %B[n] : f32 over (n)
    %c = read %C[m] : f32 over (m)
    %ex = binary mul %e, %x : f32 over (m, n)
    %exb = binary fdiv %ex, %b : f32 over (m, n)
    %scaled = binary mul %exb, %sum : f32 over (m, n)
    %lower = binary mul %scaled, %max : f32 over (m, n)
    %biased = binary fdiv %lower, %c : f32 over (m, n)
    %minus = unary neg %biased : f32 over (m, n)
    yield %minus
  } : f32 over (m)
  yield %out to Y
}

// Many queries share the keys and values of a group, and the weights are a result too: they are computed again.
// CHECK-LABEL: @grouped<
// CHECK: } {reassoc} : f32 over (g, r, m), f32 over (g, r, m), f32 over (g, r, m, d)
// CHECK: unary exp2
// CHECK: yield {{.*}} to O, %p to P
region.func @grouped<G, R, M, N, K, D> iters (g: G, r: R, m: M, d: D, n: N)
    ins (%Q: memref<[G, R, M, K], f32, row_major, align 4>, %K: memref<[G, N, K], f32, row_major, align 4>,
         %V: memref<[G, N, D], f32, row_major, align 4>)
    outs (O: memref<[G, R, M, D], f32, row_major, align 4> materialize gmem,
          P: memref<[G, R, M, N], f32, row_major, align 4> materialize gmem) {
  %q = read %Q[g, r, m, k] : f32 over (g, r, m, k)
  %k = read %K[g, n, k] : f32 over (g, n, k)
  %qk = binary mul %q, %k widen : f32 over (g, r, m, n, k)
  %s = reduce sum (k: K) acc f32 init 0.0 { yield %qk } : f32 over (g, r, m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %s } : f32 over (g, r, m)
  %diff = binary sub %s, %max : f32 over (g, r, m, n)
  %e = unary exp2 %diff : f32 over (g, r, m, n)
  %l = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (g, r, m)
  %p = binary fdiv %e, %l : f32 over (g, r, m, n)
  %v = read %V[g, n, d] : f32 over (g, d, n)
  %pv = binary mul %p, %v widen : f32 over (g, r, m, d, n)
  %o = reduce sum (n: N) acc f32 init 0.0 { yield %pv } : f32 over (g, r, m, d)
  yield %o to O, %p to P
}

// The axes come in another order than those of the kernel, with broadcasts and transposes spelled out.
// CHECK-LABEL: @turned<
// CHECK: transpose
// CHECK: combine (%max0: f32 over (a, b), %sum0: f32 over (a, b), %max1: f32 over (a, b), %sum1: f32 over (a, b)) {
// CHECK: transpose %max by [1, 0] : f32 over (b, a)
// CHECK: transpose {{.*}} : f32 over (a, b)
region.func @turned<A, B, N> iters (a: A, b: B)
    ins (%X: memref<[B, N, A], f32, row_major, align 4>)
    outs (Y: memref<[A, B], f32, row_major, align 4> materialize gmem) {
  %x = read %X[b, n, a] : f32 over (b, n, a)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (b, a)
  %wide = broadcast_in_dim %max to [B, N, A] dims [0, 2] : f32 over (b, n, a)
  %d = binary sub %x, %wide : f32 over (b, n, a)
  %e = unary exp2 %d : f32 over (b, n, a)
  %t = transpose %e by [2, 0, 1] : f32 over (a, b, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %t } : f32 over (a, b)
  %mt = transpose %max by [1, 0] : f32 over (a, b)
  %y = binary add %sum, %mt : f32 over (a, b)
  yield %y to Y
}

// Two of them in one kernel, one after another: the second is of what the first gives.
// CHECK-LABEL: @twice<
// CHECK-COUNT-2: {reassoc}
region.func @twice<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %d = binary sub %x, %max : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  %p = binary fdiv %e, %sum : f32 over (m, n)
  %max2 = reduce max (n: N) acc f32 init -inf { yield %p } : f32 over (m)
  %d2 = binary sub %p, %max2 : f32 over (m, n)
  %e2 = unary exp2 %d2 : f32 over (m, n)
  %sum2 = reduce sum (n: N) acc f32 init 0.0 { yield %e2 } : f32 over (m)
  yield %sum2 to Y
}

// The second sum has a bias in it and stays; the first is joined.
// MISSED: this sum over (n) is not joined to the maximum: the maximum goes into it through a 'add'
// CHECK-LABEL: @one_of_two<
// CHECK: %max, %sum = reduce (n: N)
// CHECK: %biased = reduce sum (n: N)
region.func @one_of_two<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %d = binary sub %x, %max : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  %b = binary add %e, %x : f32 over (m, n)
  %biased = reduce sum (n: N) acc f32 init 0.0 { yield %b } : f32 over (m)
  %y = binary fdiv %biased, %sum : f32 over (m)
  yield %y to Y
}

// A sum of what has no axis of its result is the same along that axis.
// CHECK-LABEL: @repeated<
// CHECK: %[[MAX:.*]], %[[SUM:.*]] = reduce (n: N)
// CHECK: broadcast_in_dim %{{.*}} to [M, D] dims [0] : f32 over (m, d)
region.func @repeated<M, N, D> iters (m: M, d: D)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M, D], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %d = binary sub %x, %max : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m, d)
  yield %sum to Y
}
