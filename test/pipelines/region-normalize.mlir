// RUN: dlc-opt %s --pass-pipeline='region-normalize' --evaluate-each | snapshot %s
// RUN: dlc-opt %s --pass-pipeline='region-normalize' > %t.once
// RUN: dlc-opt %t.once --pass-pipeline='region-normalize' | diff %t.once -

// The dump of the specification's section 6.8.1, from values that stand next to each other.
region.func @gemm_bias_relu<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128, noalias>, %B: memref<[K, N], f16, col_major, align 128, noalias>, %bias: memref<[N], f16, row_major, align 128, noalias>)
    outs (C: memref<[M, N], f16, row_major, align 128, noalias> materialize gmem) {
  %a = read %A[m, k] : f16 over (m, k)
  %b = read %B[k, n] : f16 over (n, k)
  %ab = binary mul %a, %b widen : f32 over (m, n, k)
  %bn = read %bias[n] : f16 over (n)
  %acc = reduce sum (k: K) acc f32 init 0.0 {
    yield %ab
  } : f32 over (m, n)
  %c1 = binary add %acc, %bn : f32 over (m, n)
  %c2 = unary relu %c1 : f32 over (m, n)
  %c = cast %c2 : f16 over (m, n)
  yield %c to C
}

// That of section 6.8.2, with the guard `< H` that is meant there.
region.func @conv3x3_s2_p1<N, Ci, H, W, Co> iters (n: N, co: Co, ho: (H + 1) floordiv 2, wo: (W + 1) floordiv 2)
    ins (%X: memref<[N, Ci, H, W], f16, row_major, align 128, noalias>, %F: memref<[Co, Ci, 3, 3], f16, row_major, align 128, noalias>)
    outs (Y: memref<[N, Co, (H + 1) floordiv 2, (W + 1) floordiv 2], f16, row_major, align 128, noalias> materialize gmem) {
  %zero = const 0.0 : f16 over ()
  %x = read %X[n, ci, 2*ho + kh - 1, 2*wo + kw - 1] where (0 <= 2*ho + kh - 1 < H, 0 <= 2*wo + kw - 1 < W) : f16 over (n, ho, wo, ci, kh, kw)
  %g = select where (0 <= 2*ho + kh - 1, 2*ho + kh - 1 < H + 2) then %x else %zero : f16 over (n, ho, wo, ci, kh, kw)
  %f = read %F[co, ci, kh, kw] : f16 over (co, ci, kh, kw)
  %p = binary mul %f, %g widen : f32 over (n, co, ho, wo, ci, kh, kw)
  %y_acc = reduce sum (ci: Ci, kh: 3, kw: 3) acc f32 init 0.0 {
    yield %p
  } : f32 over (n, co, ho, wo)
  %y = cast %y_acc : f16 over (n, co, ho, wo)
  yield %y to Y
}

// That of section 6.8.3: different reductions do not become one.
region.func @attention_row_softmax<B, H, M, N, D> iters (b: B, h: H, m: M, n: N)
    ins (%Q: memref<[B, H, M, D], f16>, %K: memref<[B, H, N, D], f16>)
    outs (P: memref<[B, H, M, N], f16> materialize deferred) {
  %q = read %Q[b, h, m, d] : f16 over (b, h, m, d)
  %k = read %K[b, h, n, d] : f16 over (b, h, n, d)
  %qk = binary mul %q, %k widen : f32 over (b, h, m, n, d)
  %S = reduce sum (d: D) acc f32 init 0.0 {
    yield %qk
  } : f32 over (b, h, m, n)
  %Mrow = reduce max (n: N) acc f32 init -inf {
    yield %S
  } : f32 over (b, h, m)
  %t = binary sub %S, %Mrow : f32 over (b, h, m, n)
  %A = unary exp2 %t : f32 over (b, h, m, n)
  %Z = reduce sum (n: N) acc f32 init 0.0 {
    yield %A
  } : f32 over (b, h, m)
  %Pval = binary fdiv %A, %Z : f32 over (b, h, m, n)
  %p = cast %Pval : f16 over (b, h, m, n)
  yield %p to P
}

// EXPECT:
// module {
//   region.func @gemm_bias_relu<M, N, K> iters (m: M, n: N)
//     ins (%A: memref<[M, K], f16, row_major, align 128, noalias>, %B: memref<[K, N], f16, col_major, align 128, noalias>, %bias: memref<[N], f16, row_major, align 128, noalias>)
//     outs (C: memref<[M, N], f16, row_major, align 128, noalias> materialize gmem) {
//     %acc = reduce sum (k: K) acc f32 init 0.0 {
//       %a = read %A[m, k] : f16 over (m, k)
//       %b = read %B[k, n] : f16 over (n, k)
//       %ab = binary mul %a, %b widen : f32 over (m, n, k)
//       yield %ab
//     } : f32 over (m, n)
//     %bn = read %bias[n] : f16 over (n)
//     %0 = broadcast_in_dim %bn to [M, N] dims [1] : f16 over (m, n)
//     %c1 = binary add %acc, %0 : f32 over (m, n)
//     %c2 = unary relu %c1 : f32 over (m, n)
//     yield %c2 to C as f16
//   }
//   region.func @conv3x3_s2_p1<N, Ci, H, W, Co> iters (n: N, co: Co, ho: H ceildiv 2, wo: W ceildiv 2)
//     ins (%X: memref<[N, Ci, H, W], f16, row_major, align 128, noalias>, %F: memref<[Co, Ci, 3, 3], f16, row_major, align 128, noalias>)
//     outs (Y: memref<[N, Co, H ceildiv 2, W ceildiv 2], f16, row_major, align 128, noalias> materialize gmem) {
//     %y_acc = reduce sum (ci: Ci, kh: 3, kw: 3) acc f32 init 0.0 {
//       %f = read %F[co, ci, kh, kw] : f16 over (co, ci, kh, kw)
//       %g = read %X[n, ci, 2*ho + kh - 1, kw + 2*wo - 1] where (0 <= 2*ho + kh - 1 < H, 0 <= kw + 2*wo - 1 < W) else 0.0 : f16 over (n, ho, wo, ci, kh, kw)
//       %p = binary mul %f, %g widen : f32 over (n, co, ho, wo, ci, kh, kw)
//       yield %p
//     } : f32 over (n, co, ho, wo)
//     yield %y_acc to Y as f16
//   }
//   region.func @attention_row_softmax<B, H, M, N, D> iters (b: B, h: H, m: M, n: N)
//     ins (%Q: memref<[B, H, M, D], f16, row_major, align 2>, %K: memref<[B, H, N, D], f16, row_major, align 2>)
//     outs (P: memref<[B, H, M, N], f16, row_major, align 2> materialize deferred) {
//     %S = reduce sum (d: D) acc f32 init 0.0 {
//       %q = read %Q[b, h, m, d] : f16 over (b, h, m, d)
//       %k = read %K[b, h, n, d] : f16 over (b, h, n, d)
//       %qk = binary mul %q, %k widen : f32 over (b, h, m, n, d)
//       yield %qk
//     } : f32 over (b, h, m, n)
//     %Mrow = reduce max (n: N) acc f32 init -inf {
//       yield %S
//     } : f32 over (b, h, m)
//     %0 = broadcast_in_dim %Mrow to [B, H, M, N] dims [0, 1, 2] : f32 over (b, h, m, n)
//     %t = binary sub %S, %0 : f32 over (b, h, m, n)
//     %A = unary exp2 %t : f32 over (b, h, m, n)
//     %Z = reduce sum (n: N) acc f32 init 0.0 {
//       yield %A
//     } : f32 over (b, h, m)
//     %1 = broadcast_in_dim %Z to [B, H, M, N] dims [0, 1, 2] : f32 over (b, h, m, n)
//     %Pval = binary fdiv %A, %1 : f32 over (b, h, m, n)
//     yield %Pval to P as f16
//   }
// }
