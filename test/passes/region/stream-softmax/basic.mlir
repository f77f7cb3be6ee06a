// RUN: dlc-opt %s --stream-softmax | snapshot %s
// RUN: dlc-opt %s --stream-softmax --evaluate-each --no-output
// RUN: dlc-opt %s --ccon1 --srnf --normalize-select --stream-softmax --evaluate-each | FileCheck %s --check-prefix=SUNK
// RUN: dlc-opt %s --stream-softmax --remarks=passed --no-output 2>&1 | FileCheck %s --check-prefix=REMARK

// The other passes before it leave it both.
// SUNK-COUNT-2: combine

// The softmax of rows as tinygrad writes it: of the maximum its negative is added, and the sum becomes a factor.
// REMARK: one pass over (n) instead of 2: a running maximum, and a sum rescaled with it
region.func @softmax<M, N> iters (m: M, n: N)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %minus = const -1.0 : f32 over ()
  %n = binary mul %max, %minus : f32 over (m)
  %d = binary add %x, %n : f32 over (m, n)
  %log2e = const 1.44269502 : f32 over ()
  %p = binary mul %d, %log2e : f32 over (m, n)
  %e = unary exp2 %p : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  %r = unary recip %sum : f32 over (m)
  %y = binary mul %e, %r : f32 over (m, n)
  yield %y to Y
}

// Causal attention in f16: the scores are masked by their position, the weights are divided by their sum and rounded
// before they meet the values. One reduction has the maximum, the sum and the outputs.
// REMARK: one pass over (n) instead of 3: a running maximum, and 2 sums rescaled with it; what is summed is no longer rounded to f16; the maximum runs in f32
region.func @attention<B, H, M, N, K, D> iters (b: B, h: H, m: M, d: D)
    ins (%Q: memref<[B, H, M, K], f16, row_major, align 16>, %K: memref<[B, H, N, K], f16, row_major, align 16>,
         %V: memref<[B, H, N, D], f16, row_major, align 16>)
    outs (O: memref<[B, H, M, D], f16, row_major, align 16> materialize gmem) {
  %q = read %Q[b, h, m, k] : f16 over (b, h, m, k)
  %k = read %K[b, h, n, k] : f16 over (b, h, n, k)
  %qk = binary mul %q, %k widen : f32 over (b, h, m, n, k)
  %scores = reduce sum (k: K) acc f32 init 0.0 { yield %qk } : f32 over (b, h, m, n)
  %quarter = const 0.25 : f32 over ()
  %scaled = binary mul %scores, %quarter : f32 over (b, h, m, n)
  %never = const -inf : f32 over ()
  %masked = select where (n <= m) then %scaled else %never : f32 over (b, h, m, n)
  %s = cast %masked : f16 over (b, h, m, n)
  %max = reduce max (n: N) acc f16 init -inf { yield %s } : f16 over (b, h, m)
  %diff = binary sub %s, %max : f16 over (b, h, m, n)
  %wide = cast %diff : f32 over (b, h, m, n)
  %log2e = const 1.44269502 : f32 over ()
  %power = binary mul %wide, %log2e : f32 over (b, h, m, n)
  %exp = unary exp2 %power : f32 over (b, h, m, n)
  %e = cast %exp : f16 over (b, h, m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (b, h, m)
  %l = cast %sum : f16 over (b, h, m)
  %r = unary recip %l : f16 over (b, h, m)
  %p = binary mul %e, %r : f16 over (b, h, m, n)
  %v = read %V[b, h, n, d] : f16 over (b, h, d, n)
  %pv = reduce sum (n: N) acc f32 init 0.0 {
    %product = binary mul %p, %v widen : f32 over (b, h, m, d, n)
    yield %product
  } : f32 over (b, h, m, d)
  yield %pv to O as f16
}

// EXPECT:
// module {
//   region.func @softmax<M, N> iters (m: M, n: N)
//     ins (%X: memref<[M, N], f32, row_major, align 4>)
//     outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
//     %x = read %X[m, n] : f32 over (m, n)
//     %max, %sum = reduce (n: N) acc (f32, f32) init (-inf, 0.0) {
//       %one = const 1.0 : f32 over ()
//       yield %x, %one
//     } combine (%max0: f32 over (m), %sum0: f32 over (m), %max1: f32 over (m), %sum1: f32 over (m)) {
//       %top = binary max %max0, %max1 : f32 over (m)
//       %one = const 1.0 : f32 over ()
//       %scale = const 1.442695 : f32 over ()
//       %below0 = binary sub %max0, %top : f32 over (m)
//       %scaled0 = binary mul %below0, %scale : f32 over (m)
//       %power0 = unary exp2 %scaled0 : f32 over (m)
//       %same0 = binary eq %max0, %top : i1 over (m)
//       %weight0 = select %same0, %one, %power0 : f32 over (m)
//       %below1 = binary sub %max1, %top : f32 over (m)
//       %scaled1 = binary mul %below1, %scale : f32 over (m)
//       %power1 = unary exp2 %scaled1 : f32 over (m)
//       %same1 = binary eq %max1, %top : i1 over (m)
//       %weight1 = select %same1, %one, %power1 : f32 over (m)
//       %left = binary mul %sum0, %weight0 : f32 over (m)
//       %right = binary mul %sum1, %weight1 : f32 over (m)
//       %both = binary add %left, %right : f32 over (m)
//       yield %top, %both
//     } {reassoc} : f32 over (m), f32 over (m)
//     %zero = binary sub %max, %max : f32 over (m)
//     %none = const 0.0 : f32 over ()
//     %defect = select where (1 <= N) then %zero else %none : f32 over (m)
//     %minus = const -1.0 : f32 over ()
//     %n = binary mul %max, %minus : f32 over (m)
//     %d = binary add %x, %n : f32 over (m, n)
//     %log2e = const 1.442695 : f32 over ()
//     %p = binary mul %d, %log2e : f32 over (m, n)
//     %e = unary exp2 %p : f32 over (m, n)
//     %sum_0 = binary add %sum, %defect : f32 over (m)
//     %r = unary recip %sum_0 : f32 over (m)
//     %y = binary mul %e, %r : f32 over (m, n)
//     yield %y to Y
//   }
//   region.func @attention<B, H, M, N, K, D> iters (b: B, h: H, m: M, d: D)
//     ins (%Q: memref<[B, H, M, K], f16, row_major, align 16>, %K: memref<[B, H, N, K], f16, row_major, align 16>, %V: memref<[B, H, N, D], f16, row_major, align 16>)
//     outs (O: memref<[B, H, M, D], f16, row_major, align 16> materialize gmem) {
//     %q = read %Q[b, h, m, k] : f16 over (b, h, m, k)
//     %k = read %K[b, h, n, k] : f16 over (b, h, n, k)
//     %qk = binary mul %q, %k widen : f32 over (b, h, m, n, k)
//     %scores = reduce sum (k: K) acc f32 init 0.0 {
//       yield %qk
//     } : f32 over (b, h, m, n)
//     %quarter = const 0.25 : f32 over ()
//     %scaled = binary mul %scores, %quarter : f32 over (b, h, m, n)
//     %never = const -inf : f32 over ()
//     %masked = select where (n <= m) then %scaled else %never : f32 over (b, h, m, n)
//     %s = cast %masked : f16 over (b, h, m, n)
//     %v = read %V[b, h, n, d] : f16 over (b, h, d, n)
//     %max, %sum, %pv = reduce (n: N) acc (f32, f32, f32) init (-inf, 0.0, 0.0) {
//       %one = const 1.0 : f32 over ()
//       yield %s, %one, %v
//     } combine (%max0: f32 over (b, h, m), %sum0: f32 over (b, h, m), %pv0: f32 over (b, h, m, d), %max1: f32 over (b, h, m), %sum1: f32 over (b, h, m), %pv1: f32 over (b, h, m, d)) {
//       %top = binary max %max0, %max1 : f32 over (b, h, m)
//       %one = const 1.0 : f32 over ()
//       %scale = const 1.442695 : f32 over ()
//       %below0 = binary sub %max0, %top : f32 over (b, h, m)
//       %scaled0 = binary mul %below0, %scale : f32 over (b, h, m)
//       %power0 = unary exp2 %scaled0 : f32 over (b, h, m)
//       %same0 = binary eq %max0, %top : i1 over (b, h, m)
//       %weight0 = select %same0, %one, %power0 : f32 over (b, h, m)
//       %below1 = binary sub %max1, %top : f32 over (b, h, m)
//       %scaled1 = binary mul %below1, %scale : f32 over (b, h, m)
//       %power1 = unary exp2 %scaled1 : f32 over (b, h, m)
//       %same1 = binary eq %max1, %top : i1 over (b, h, m)
//       %weight1 = select %same1, %one, %power1 : f32 over (b, h, m)
//       %left = binary mul %sum0, %weight0 : f32 over (b, h, m)
//       %right = binary mul %sum1, %weight1 : f32 over (b, h, m)
//       %both = binary add %left, %right : f32 over (b, h, m)
//       %left_0 = binary mul %pv0, %weight0 : f32 over (b, h, m, d)
//       %right_0 = binary mul %pv1, %weight1 : f32 over (b, h, m, d)
//       %both_0 = binary add %left_0, %right_0 : f32 over (b, h, m, d)
//       yield %top, %both, %both_0
//     } {fuse, reassoc} : f32 over (b, h, m), f32 over (b, h, m), f32 over (b, h, m, d)
//     %zero = binary sub %max, %max : f32 over (b, h, m)
//     %none = const 0.0 : f32 over ()
//     %defect = select where (1 <= N) then %zero else %none : f32 over (b, h, m)
//     %sum_0 = binary add %sum, %defect : f32 over (b, h, m)
//     %l = cast %sum_0 : f16 over (b, h, m)
//     %r = unary recip %l : f16 over (b, h, m)
//     %pv_0 = binary mul %pv, %r : f32 over (b, h, m, d)
//     yield %pv_0 to O as f16
//   }
// }
