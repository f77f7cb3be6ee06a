// RUN: dlc-opt %s --chain-contractions | snapshot %s
// RUN: dlc-opt %s --chain-contractions --evaluate-each --no-output
// RUN: dlc-opt %s --chain-contractions --chain-contractions --statistics --no-output 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: dlc-opt %s --chain-contractions --ccon1 --evaluate-each | FileCheck %s --check-prefix=STAYS
// RUN: dlc-opt %s --chain-contractions --remarks=passed --no-output 2>&1 | FileCheck %s --check-prefix=REMARK

// A second run finds nothing to do.
// TWICE: 5 deferred
// TWICE: 0 deferred

// Nor is what has the mark moved into a body again.
// STAYS-COUNT-5: {deferred}

// A batch of two products with an addition, an addition and what is above zero in between. All of it is in the body of
// the second, rounded to f16: the last value over the axes of the first is handed on.
// REMARK: this value over (b, m, h) is forwarded on chip to the reduction over (h): H elements in a row over (h), computed once for all results along (n)
region.func @gemm_add_add_relu_gemm_add<B, M, K, H, N> iters (b: B, m: M, n: N)
    ins (%A: memref<[B, M, K], f16, row_major, align 2>, %W: memref<[B, K, H], f16, row_major, align 2>,
         %D0: memref<[B, M, H], f16, row_major, align 2>, %D1: memref<[H], f16, row_major, align 2>,
         %C: memref<[B, H, N], f16, row_major, align 2>, %D2: memref<[N], f16, row_major, align 2>)
    outs (E: memref<[B, M, N], f16, row_major, align 2> materialize gmem) {
  %second = reduce sum (h: H) acc f32 init 0.0 {
    %first = reduce sum (k: K) acc f32 init 0.0 {
      %a = read %A[b, m, k] : f16 over (b, m, k)
      %w = read %W[b, k, h] : f16 over (b, h, k)
      %aw = binary mul %a, %w widen : f32 over (b, m, h, k)
      yield %aw
    } : f32 over (b, m, h)
    %d0 = read %D0[b, m, h] : f16 over (b, m, h)
    %t0 = binary add %first, %d0 : f32 over (b, m, h)
    %d1 = read %D1[h] : f16 over (h)
    %t1 = binary add %t0, %d1 : f32 over (b, m, h)
    %t2 = unary relu %t1 : f32 over (b, m, h)
    %t = cast %t2 : f16 over (b, m, h)
    %c = read %C[b, h, n] : f16 over (b, n, h)
    %tc = binary mul %t, %c widen : f32 over (b, m, n, h)
    yield %tc
  } : f32 over (b, m, n)
  %d2 = read %D2[n] : f16 over (n)
  %e = binary add %second, %d2 : f32 over (b, m, n)
  yield %e to E as f16
}

// Attention in the streaming form: the masked scores of a row go to the reduction with its running maximum. Two axes of
// keys at once make a longer row; queries in groups (g, r) share keys.
// REMARK: this value over (g, r, m, p, q) is forwarded on chip to the reduction over (p, q): P*Q elements in a row over (p, q), computed once for all results along (d)
region.func @streamed<G, R, M, P, Q, K, D> iters (g: G, r: R, m: M, d: D)
    ins (%Q: memref<[G, R, M, K], f32, row_major, align 4>, %K: memref<[G, P, Q, K], f32, row_major, align 4>,
         %V: memref<[G, P, Q, D], f32, row_major, align 4>)
    outs (O: memref<[G, R, M, D], f32, row_major, align 4> materialize gmem) {
  %q = read %Q[g, r, m, k] : f32 over (g, r, m, k)
  %k = read %K[g, p, q, k] : f32 over (g, p, q, k)
  %qk = binary mul %q, %k widen : f32 over (g, r, m, p, q, k)
  %s = reduce sum (k: K) acc f32 init 0.0 { yield %qk } : f32 over (g, r, m, p, q)
  %never = const -inf : f32 over ()
  %masked = select where (p <= m) then %s else %never : f32 over (g, r, m, p, q)
  %v = read %V[g, p, q, d] : f32 over (g, d, p, q)
  %max, %l, %o = reduce (p: P, q: Q) acc (f32, f32, f32) init (-inf, 0.0, 0.0) {
    %one = const 1.0 : f32 over ()
    yield %masked, %one, %v
  } combine (%max0: f32 over (g, r, m), %l0: f32 over (g, r, m), %o0: f32 over (g, r, m, d),
             %max1: f32 over (g, r, m), %l1: f32 over (g, r, m), %o1: f32 over (g, r, m, d)) {
    %top = binary max %max0, %max1 : f32 over (g, r, m)
    %one = const 1.0 : f32 over ()
    %d0 = binary sub %max0, %top : f32 over (g, r, m)
    %p0 = unary exp2 %d0 : f32 over (g, r, m)
    %same0 = binary eq %max0, %top : i1 over (g, r, m)
    %w0 = select %same0, %one, %p0 : f32 over (g, r, m)
    %d1 = binary sub %max1, %top : f32 over (g, r, m)
    %p1 = unary exp2 %d1 : f32 over (g, r, m)
    %same1 = binary eq %max1, %top : i1 over (g, r, m)
    %w1 = select %same1, %one, %p1 : f32 over (g, r, m)
    %la = binary mul %l0, %w0 : f32 over (g, r, m)
    %lb = binary mul %l1, %w1 : f32 over (g, r, m)
    %lc = binary add %la, %lb : f32 over (g, r, m)
    %oa = binary mul %o0, %w0 : f32 over (g, r, m, d)
    %ob = binary mul %o1, %w1 : f32 over (g, r, m, d)
    %oc = binary add %oa, %ob : f32 over (g, r, m, d)
    yield %top, %lc, %oc
  } {reassoc} : f32 over (g, r, m), f32 over (g, r, m), f32 over (g, r, m, d)
  %y = binary fdiv %o, %l : f32 over (g, r, m, d)
  yield %y to O
}

// Three in a row, with sizes that are known and every value at the top: each is handed on to the next.
// REMARK: this value over (m, h) is forwarded on chip to the reduction over (h): 5 elements in a row over (h), computed once for all results along (n)
// REMARK: this value over (m, j) is forwarded on chip to the reduction over (j): 6 elements in a row over (j), computed once for all results along (n)
region.func @three iters (m: 3, n: 7)
    ins (%X: memref<[3, 4], f32, row_major, align 4>, %A: memref<[4, 5], f32, row_major, align 4>,
         %B: memref<[5, 6], f32, row_major, align 4>, %C: memref<[6, 7], f32, row_major, align 4>)
    outs (Y: memref<[3, 7], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, k] : f32 over (m, k)
  %a = read %A[k, h] : f32 over (h, k)
  %xa = binary mul %x, %a widen : f32 over (m, h, k)
  %first = reduce sum (k: 4) acc f32 init 0.0 { yield %xa } : f32 over (m, h)
  %r = unary relu %first : f32 over (m, h)
  %b = read %B[h, j] : f32 over (j, h)
  %rb = binary mul %r, %b widen : f32 over (m, j, h)
  %second = reduce sum (h: 5) acc f32 init 0.0 { yield %rb } : f32 over (m, j)
  %c = read %C[j, n] : f32 over (n, j)
  %sc = binary mul %second, %c widen : f32 over (m, n, j)
  %third = reduce sum (j: 6) acc f32 init 0.0 { yield %sc } : f32 over (m, n)
  yield %third to Y
}

// Attention that is not streamed: the weights, divided by their sum, are handed on and not the scores, from which they
// are computed element by element; the maximum and the sum of the row come in between.
// REMARK: this value over (m, n) is forwarded on chip to the reduction over (n): N elements in a row over (n), computed once for all results along (d)
region.func @weights<M, N, K, D> iters (m: M, d: D)
    ins (%Q: memref<[M, K], f32, row_major, align 4>, %K: memref<[N, K], f32, row_major, align 4>,
         %V: memref<[N, D], f32, row_major, align 4>)
    outs (O: memref<[M, D], f32, row_major, align 4> materialize gmem) {
  %q = read %Q[m, k] : f32 over (m, k)
  %k = read %K[n, k] : f32 over (n, k)
  %qk = binary mul %q, %k widen : f32 over (m, n, k)
  %s = reduce sum (k: K) acc f32 init 0.0 { yield %qk } : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %s } : f32 over (m)
  %diff = binary sub %s, %max : f32 over (m, n)
  %e = unary exp2 %diff : f32 over (m, n)
  %l = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  %p = binary fdiv %e, %l : f32 over (m, n)
  %v = read %V[n, d] : f32 over (d, n)
  %pv = binary mul %p, %v widen : f32 over (m, d, n)
  %o = reduce sum (n: N) acc f32 init 0.0 { yield %pv } : f32 over (m, d)
  yield %o to O
}

// EXPECT:
// module {
//   region.func @gemm_add_add_relu_gemm_add<B, M, K, H, N> iters (b: B, m: M, n: N)
//     ins (%A: memref<[B, M, K], f16, row_major, align 2>, %W: memref<[B, K, H], f16, row_major, align 2>, %D0: memref<[B, M, H], f16, row_major, align 2>, %D1: memref<[H], f16, row_major, align 2>, %C: memref<[B, H, N], f16, row_major, align 2>, %D2: memref<[N], f16, row_major, align 2>)
//     outs (E: memref<[B, M, N], f16, row_major, align 2> materialize gmem) {
//     %first = reduce sum (k: K) acc f32 init 0.0 {
//       %a = read %A[b, m, k] : f16 over (b, m, k)
//       %w = read %W[b, k, h] : f16 over (b, h, k)
//       %aw = binary mul %a, %w widen : f32 over (b, m, h, k)
//       yield %aw
//     } : f32 over (b, m, h)
//     %d0 = read %D0[b, m, h] : f16 over (b, m, h)
//     %t0 = binary add %first, %d0 : f32 over (b, m, h)
//     %d1 = read %D1[h] : f16 over (h)
//     %t1 = binary add %t0, %d1 : f32 over (b, m, h)
//     %t2 = unary relu %t1 : f32 over (b, m, h)
//     %t = cast %t2 {deferred} : f16 over (b, m, h)
//     %second = reduce sum (h: H) acc f32 init 0.0 {
//       %c = read %C[b, h, n] : f16 over (b, n, h)
//       %tc = binary mul %t, %c widen : f32 over (b, m, n, h)
//       yield %tc
//     } : f32 over (b, m, n)
//     %d2 = read %D2[n] : f16 over (n)
//     %e = binary add %second, %d2 : f32 over (b, m, n)
//     yield %e to E as f16
//   }
//   region.func @streamed<G, R, M, P, Q, K, D> iters (g: G, r: R, m: M, d: D)
//     ins (%Q: memref<[G, R, M, K], f32, row_major, align 4>, %K: memref<[G, P, Q, K], f32, row_major, align 4>, %V: memref<[G, P, Q, D], f32, row_major, align 4>)
//     outs (O: memref<[G, R, M, D], f32, row_major, align 4> materialize gmem) {
//     %q = read %Q[g, r, m, k] : f32 over (g, r, m, k)
//     %k = read %K[g, p, q, k] : f32 over (g, p, q, k)
//     %qk = binary mul %q, %k widen : f32 over (g, r, m, p, q, k)
//     %s = reduce sum (k: K) acc f32 init 0.0 {
//       yield %qk
//     } : f32 over (g, r, m, p, q)
//     %never = const -inf : f32 over ()
//     %masked = select where (p <= m) then %s else %never {deferred} : f32 over (g, r, m, p, q)
//     %v = read %V[g, p, q, d] : f32 over (g, d, p, q)
//     %max, %l, %o = reduce (p: P, q: Q) acc (f32, f32, f32) init (-inf, 0.0, 0.0) {
//       %one = const 1.0 : f32 over ()
//       yield %masked, %one, %v
//     } combine (%max0: f32 over (g, r, m), %l0: f32 over (g, r, m), %o0: f32 over (g, r, m, d), %max1: f32 over (g, r, m), %l1: f32 over (g, r, m), %o1: f32 over (g, r, m, d)) {
//       %top = binary max %max0, %max1 : f32 over (g, r, m)
//       %one = const 1.0 : f32 over ()
//       %d0 = binary sub %max0, %top : f32 over (g, r, m)
//       %p0 = unary exp2 %d0 : f32 over (g, r, m)
//       %same0 = binary eq %max0, %top : i1 over (g, r, m)
//       %w0 = select %same0, %one, %p0 : f32 over (g, r, m)
//       %d1 = binary sub %max1, %top : f32 over (g, r, m)
//       %p1 = unary exp2 %d1 : f32 over (g, r, m)
//       %same1 = binary eq %max1, %top : i1 over (g, r, m)
//       %w1 = select %same1, %one, %p1 : f32 over (g, r, m)
//       %la = binary mul %l0, %w0 : f32 over (g, r, m)
//       %lb = binary mul %l1, %w1 : f32 over (g, r, m)
//       %lc = binary add %la, %lb : f32 over (g, r, m)
//       %oa = binary mul %o0, %w0 : f32 over (g, r, m, d)
//       %ob = binary mul %o1, %w1 : f32 over (g, r, m, d)
//       %oc = binary add %oa, %ob : f32 over (g, r, m, d)
//       yield %top, %lc, %oc
//     } {reassoc} : f32 over (g, r, m), f32 over (g, r, m), f32 over (g, r, m, d)
//     %y = binary fdiv %o, %l : f32 over (g, r, m, d)
//     yield %y to O
//   }
//   region.func @three iters (m: 3, n: 7)
//     ins (%X: memref<[3, 4], f32, row_major, align 4>, %A: memref<[4, 5], f32, row_major, align 4>, %B: memref<[5, 6], f32, row_major, align 4>, %C: memref<[6, 7], f32, row_major, align 4>)
//     outs (Y: memref<[3, 7], f32, row_major, align 4> materialize gmem) {
//     %x = read %X[m, k] : f32 over (m, k)
//     %a = read %A[k, h] : f32 over (h, k)
//     %xa = binary mul %x, %a widen : f32 over (m, h, k)
//     %first = reduce sum (k: 4) acc f32 init 0.0 {
//       yield %xa
//     } : f32 over (m, h)
//     %r = unary relu %first {deferred} : f32 over (m, h)
//     %b = read %B[h, j] : f32 over (j, h)
//     %rb = binary mul %r, %b widen : f32 over (m, j, h)
//     %second = reduce sum (h: 5) acc f32 init 0.0 {
//       yield %rb
//     } {deferred} : f32 over (m, j)
//     %c = read %C[j, n] : f32 over (n, j)
//     %sc = binary mul %second, %c widen : f32 over (m, n, j)
//     %third = reduce sum (j: 6) acc f32 init 0.0 {
//       yield %sc
//     } : f32 over (m, n)
//     yield %third to Y
//   }
//   region.func @weights<M, N, K, D> iters (m: M, d: D)
//     ins (%Q: memref<[M, K], f32, row_major, align 4>, %K: memref<[N, K], f32, row_major, align 4>, %V: memref<[N, D], f32, row_major, align 4>)
//     outs (O: memref<[M, D], f32, row_major, align 4> materialize gmem) {
//     %q = read %Q[m, k] : f32 over (m, k)
//     %k = read %K[n, k] : f32 over (n, k)
//     %qk = binary mul %q, %k widen : f32 over (m, n, k)
//     %s = reduce sum (k: K) acc f32 init 0.0 {
//       yield %qk
//     } : f32 over (m, n)
//     %max = reduce max (n: N) acc f32 init -inf {
//       yield %s
//     } : f32 over (m)
//     %diff = binary sub %s, %max : f32 over (m, n)
//     %e = unary exp2 %diff : f32 over (m, n)
//     %l = reduce sum (n: N) acc f32 init 0.0 {
//       yield %e
//     } : f32 over (m)
//     %p = binary fdiv %e, %l {deferred} : f32 over (m, n)
//     %v = read %V[n, d] : f32 over (d, n)
//     %pv = binary mul %p, %v widen : f32 over (m, d, n)
//     %o = reduce sum (n: N) acc f32 init 0.0 {
//       yield %pv
//     } : f32 over (m, d)
//     yield %o to O
//   }
// }
