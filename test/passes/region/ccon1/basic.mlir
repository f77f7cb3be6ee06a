// RUN: dlc-opt %s --ccon1 --evaluate-each | snapshot %s
// RUN: dlc-opt %s --ccon1 > %t.once
// RUN: dlc-opt %t.once --ccon1 | diff %t.once -

// What one sum uses is computed in it; reads come in the order of their first use.
region.func @gemm_bias_relu<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 128, noalias>, %W: memref<[K, N], f16, row_major, align 128, noalias>, %bias: memref<[N], f16>)
    outs (Y: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %bn = read %bias[n] : f16 over (n)
  %w = read %W[k, n] : f16 over (n, k)
  %x = read %X[m, k] : f16 over (m, k)
  %p = binary mul %x, %w widen : f32 over (m, n, k)
  %acc = reduce sum (k: K) acc f32 init 0.0 {
    yield %p
  } : f32 over (m, n)
  %c1 = binary add %acc, %bn : f32 over (m, n)
  %c2 = unary relu %c1 : f32 over (m, n)
  yield %c2 to Y as f16
}

// The form that keeps every broadcast and transpose comes to the same.
region.func @reference_compatible<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16>, %W: memref<[K, N], f16>, %bias: memref<[N], f16>)
    outs (Y: memref<[M, N], f16> materialize gmem) {
  %x1 = read %X[m, k] : f16 over (m, k)
  %w1 = read %W[k, n] : f16 over (k, n)
  %w2 = transpose %w1 by [1, 0] : f16 over (n, k)
  %xB = broadcast_in_dim %x1 to [M, N, K] dims [0, 2] : f16 over (m, n, k)
  %wB = broadcast_in_dim %w2 to [M, N, K] dims [1, 2] : f16 over (m, n, k)
  %p = binary mul %xB, %wB widen : f32 over (m, n, k)
  %y_acc = reduce sum (k: K) acc f32 init 0.0 {
    yield %p
  } : f32 over (m, n)
  %b1 = read %bias[n] : f16 over (n)
  %bb = broadcast_in_dim %b1 to [M, N] dims [1] : f16 over (m, n)
  %y_bias = binary add %y_acc, %bb : f32 over (m, n)
  %y_relu = unary relu %y_bias : f32 over (m, n)
  yield %y_relu to Y as f16
}

// Values lose the axes that only a broadcast gave them, down to what is yielded: a sum over k of what has no k counts.
region.func @narrower<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M], f32>, %Y: memref<[M, K], f32>)
    outs (A: memref<[M, N], f32> materialize gmem, B: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  %xb = broadcast_in_dim %x to [M, N, K] dims [0] : f32 over (m, n, k)
  %s = unary sqrt %xb : f32 over (m, n, k)
  %a = reduce sum (k: K) acc f32 init 0.0 {
    yield %s
  } : f32 over (m, n)
  %y = read %Y[m, k] : f32 over (m, k)
  %yb = broadcast_in_dim %y to [M, N, K] dims [0, 2] : f32 over (m, n, k)
  %t = transpose %yb by [1, 0, 2] : f32 over (n, m, k)
  %e = unary exp2 %t : f32 over (n, m, k)
  %u = transpose %e by [1, 0, 2] : f32 over (m, n, k)
  %b = reduce max (k: K) acc f32 init -inf {
    yield %u
  } : f32 over (m, n)
  yield %a to A, %b to B
}

// A sum of sums: the inner one goes into the outer one with all that it needs. Guards, chosen values and positions that
// are values go along.
region.func @nested<M, J, K, V> iters (m: M)
    ins (%X: memref<[M, J, K], f32>, %I: memref<[J], i32>, %E: memref<[V, K], f32>)
    outs (Y: memref<[M], f32> materialize gmem) {
  %i = read %I[j] : i32 over (j)
  %e = read %E[%i, k] : f32 over (j, k)
  %x = read %X[m, j, k - 1] where (1 <= k) else 2.0 : f32 over (m, j, k)
  %g = select where (k < j) then %x else %e : f32 over (m, j, k)
  %p = binary mul %g, %x : f32 over (m, j, k)
  %inner = reduce sum (k: K) acc f32 init 0.0 {
    yield %p
  } : f32 over (m, j)
  %r = unary relu %inner : f32 over (m, j)
  %outer = reduce sum (j: J) acc f32 init 0.0 {
    yield %r
  } : f32 over (m)
  yield %outer to Y
}

// An axis of the result that is reduced as well, and two accumulators with a combiner of their own.
region.func @largest_and_sum<M, N> iters (m: M, n: N)
    ins (%X: memref<[M, N], f32>)
    outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %one = const 1.0 : f32 over ()
  %z = read %X[m, n] : f32 over (m, n)
  %y = unary sqrt %z : f32 over (m, n)
  %top, %sum = reduce (n: N) acc (f32, f32) init (-inf, 0.0) {
    yield %y, %one
  } combine (%m0: f32 over (m), %l0: f32 over (m), %m1: f32 over (m), %l1: f32 over (m)) {
    %top = binary max %m0, %m1 : f32 over (m)
    %all = binary add %l0, %l1 : f32 over (m)
    yield %top, %all
  } : f32 over (m), f32 over (m)
  %c = binary sub %x, %top : f32 over (m, n)
  %d = binary fdiv %c, %sum : f32 over (m, n)
  yield %d to Y
}

// A transpose of what comes from outside is still needed once; the others are not.
region.func @outside<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, N], f32>, %V: memref<[N, K], f32>)
    outs (Y: memref<[N, M], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %v = read %V[n, k] : f32 over (n, k)
  %y = transpose %x by [1, 0] : f32 over (n, m)
  %acc = reduce sum (k: K) acc f32 init 0.0 {
    %t = transpose %v by [1, 0] : f32 over (k, n)
    %u = transpose %t by [1, 0] : f32 over (n, k)
    %xt = transpose %x by [1, 0] : f32 over (n, m)
    %p = binary mul %xt, %u : f32 over (n, m, k)
    yield %p
  } : f32 over (n, m)
  %z = binary add %acc, %y : f32 over (n, m)
  yield %z to Y
}

// EXPECT:
// module {
//   region.func @gemm_bias_relu<M, N, K> iters (m: M, n: N)
//     ins (%X: memref<[M, K], f16, row_major, align 128, noalias>, %W: memref<[K, N], f16, row_major, align 128, noalias>, %bias: memref<[N], f16, row_major, align 2>)
//     outs (Y: memref<[M, N], f16, row_major, align 128> materialize gmem) {
//     %bn = read %bias[n] : f16 over (n)
//     %acc = reduce sum (k: K) acc f32 init 0.0 {
//       %x = read %X[m, k] : f16 over (m, k)
//       %w = read %W[k, n] : f16 over (n, k)
//       %p = binary mul %x, %w widen : f32 over (m, n, k)
//       yield %p
//     } : f32 over (m, n)
//     %c1 = binary add %acc, %bn : f32 over (m, n)
//     %c2 = unary relu %c1 : f32 over (m, n)
//     yield %c2 to Y as f16
//   }
//   region.func @reference_compatible<M, N, K> iters (m: M, n: N)
//     ins (%X: memref<[M, K], f16, row_major, align 2>, %W: memref<[K, N], f16, row_major, align 2>, %bias: memref<[N], f16, row_major, align 2>)
//     outs (Y: memref<[M, N], f16, row_major, align 2> materialize gmem) {
//     %y_acc = reduce sum (k: K) acc f32 init 0.0 {
//       %x1 = read %X[m, k] : f16 over (m, k)
//       %w1 = read %W[k, n] : f16 over (n, k)
//       %p = binary mul %x1, %w1 widen : f32 over (m, n, k)
//       yield %p
//     } : f32 over (m, n)
//     %b1 = read %bias[n] : f16 over (n)
//     %bb = broadcast_in_dim %b1 to [M, N] dims [1] : f16 over (m, n)
//     %y_bias = binary add %y_acc, %bb : f32 over (m, n)
//     %y_relu = unary relu %y_bias : f32 over (m, n)
//     yield %y_relu to Y as f16
//   }
//   region.func @narrower<M, N, K> iters (m: M, n: N)
//     ins (%X: memref<[M], f32, row_major, align 4>, %Y: memref<[M, K], f32, row_major, align 4>)
//     outs (A: memref<[M, N], f32, row_major, align 4> materialize gmem, B: memref<[M, N], f32, row_major, align 4> materialize gmem) {
//     %x = read %X[m] : f32 over (m)
//     %a = reduce sum (k: K) acc f32 init 0.0 {
//       %s = unary sqrt %x : f32 over (m)
//       yield %s
//     } : f32 over (m, n)
//     %b = reduce max (k: K) acc f32 init -inf {
//       %y = read %Y[m, k] : f32 over (m, k)
//       %e = unary exp2 %y : f32 over (m, k)
//       yield %e
//     } : f32 over (m, n)
//     yield %a to A, %b to B
//   }
//   region.func @nested<M, J, K, V> iters (m: M)
//     ins (%X: memref<[M, J, K], f32, row_major, align 4>, %I: memref<[J], i32, row_major, align 4>, %E: memref<[V, K], f32, row_major, align 4>)
//     outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
//     %outer = reduce sum (j: J) acc f32 init 0.0 {
//       %i = read %I[j] : i32 over (j)
//       %inner = reduce sum (k: K) acc f32 init 0.0 {
//         %x = read %X[m, j, k - 1] where (1 <= k) else 2.0 : f32 over (m, j, k)
//         %e = read %E[%i, k] : f32 over (j, k)
//         %g = select where (k < j) then %x else %e : f32 over (m, j, k)
//         %p = binary mul %g, %x : f32 over (m, j, k)
//         yield %p
//       } : f32 over (m, j)
//       %r = unary relu %inner : f32 over (m, j)
//       yield %r
//     } : f32 over (m)
//     yield %outer to Y
//   }
//   region.func @largest_and_sum<M, N> iters (m: M, n: N)
//     ins (%X: memref<[M, N], f32, row_major, align 4>)
//     outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
//     %x = read %X[m, n] : f32 over (m, n)
//     %one = const 1.0 : f32 over ()
//     %top, %sum = reduce (n: N) acc (f32, f32) init (-inf, 0.0) {
//       %z = read %X[m, n] : f32 over (m, n)
//       %y = unary sqrt %z : f32 over (m, n)
//       yield %y, %one
//     } combine (%m0: f32 over (m), %l0: f32 over (m), %m1: f32 over (m), %l1: f32 over (m)) {
//       %top = binary max %m0, %m1 : f32 over (m)
//       %all = binary add %l0, %l1 : f32 over (m)
//       yield %top, %all
//     } : f32 over (m), f32 over (m)
//     %c = binary sub %x, %top : f32 over (m, n)
//     %d = binary fdiv %c, %sum : f32 over (m, n)
//     yield %d to Y
//   }
//   region.func @outside<M, N, K> iters (m: M, n: N)
//     ins (%X: memref<[M, N], f32, row_major, align 4>, %V: memref<[N, K], f32, row_major, align 4>)
//     outs (Y: memref<[N, M], f32, row_major, align 4> materialize gmem) {
//     %x = read %X[m, n] : f32 over (m, n)
//     %y = transpose %x by [1, 0] : f32 over (n, m)
//     %acc = reduce sum (k: K) acc f32 init 0.0 {
//       %0 = transpose %x by [1, 0] : f32 over (n, m)
//       %v = read %V[n, k] : f32 over (n, k)
//       %p = binary mul %0, %v : f32 over (n, m, k)
//       yield %p
//     } : f32 over (n, m)
//     %z = binary add %acc, %y : f32 over (n, m)
//     yield %z to Y
//   }
// }
