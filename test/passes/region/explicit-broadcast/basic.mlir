// RUN: dlc-opt %s --explicit-broadcast --evaluate-each | snapshot %s
// RUN: dlc-opt %s --explicit-broadcast > %t.once
// RUN: dlc-opt %t.once --explicit-broadcast | diff %t.once -

// The body of the sum reads directly; only the bias is broadcast.
region.func @gemm_bias_relu<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 128, noalias>, %W: memref<[K, N], f16, row_major, align 128, noalias>, %bias: memref<[N], f16>)
    outs (Y: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %acc = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %X[m, k] : f16 over (m, k)
    %b = read %W[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  %bn = read %bias[n] : f16 over (n)
  %c1 = binary add %acc, %bn : f32 over (m, n)
  %c2 = unary relu %c1 : f32 over (m, n)
  yield %c2 to Y as f16
}

// Both sides grow, a number has no axes, and what is broadcast twice is broadcast once. The axes that only a guard names
// count as well.
region.func @both_sides<M, N> iters (m: M, n: N)
    ins (%X: memref<[M], f32>, %Y: memref<[N], f32>)
    outs (Z: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  %y = read %Y[n] : f32 over (n)
  %half = const 0.5 : f32 over ()
  %s = binary add %x, %y : f32 over (m, n)
  %d = binary sub %x, %y : f32 over (m, n)
  %p = binary mul %d, %half : f32 over (m, n)
  %g = select where (m < n) then %s else %p : f32 over (m, n)
  %c = binary lt %x, %half : i1 over (m)
  %z = select %c, %g, %y : f32 over (m, n)
  yield %z to Z
}

// A value with one axis, and another one.
region.func @square<M> iters (m: M)
    ins (%X: memref<[M], f32>)
    outs (Z: memref<[M], f32> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  %one = const 1.0 : f32 over ()
  %z = binary add %one, %one : f32 over ()
  %y = binary mul %x, %z : f32 over (m)
  yield %y to Z
}

// EXPECT:
// module {
//   region.func @gemm_bias_relu<M, N, K> iters (m: M, n: N)
//     ins (%X: memref<[M, K], f16, row_major, align 128, noalias>, %W: memref<[K, N], f16, row_major, align 128, noalias>, %bias: memref<[N], f16, row_major, align 2>)
//     outs (Y: memref<[M, N], f16, row_major, align 128> materialize gmem) {
//     %acc = reduce sum (k: K) acc f32 init 0.0 {
//       %a = read %X[m, k] : f16 over (m, k)
//       %b = read %W[k, n] : f16 over (n, k)
//       %ab = binary mul %a, %b widen : f32 over (m, n, k)
//       yield %ab
//     } : f32 over (m, n)
//     %bn = read %bias[n] : f16 over (n)
//     %0 = broadcast_in_dim %bn to [M, N] dims [1] : f16 over (m, n)
//     %c1 = binary add %acc, %0 : f32 over (m, n)
//     %c2 = unary relu %c1 : f32 over (m, n)
//     yield %c2 to Y as f16
//   }
//   region.func @both_sides<M, N> iters (m: M, n: N)
//     ins (%X: memref<[M], f32, row_major, align 4>, %Y: memref<[N], f32, row_major, align 4>)
//     outs (Z: memref<[M, N], f32, row_major, align 4> materialize gmem) {
//     %x = read %X[m] : f32 over (m)
//     %y = read %Y[n] : f32 over (n)
//     %half = const 0.5 : f32 over ()
//     %0 = broadcast_in_dim %x to [M, N] dims [0] : f32 over (m, n)
//     %1 = broadcast_in_dim %y to [M, N] dims [1] : f32 over (m, n)
//     %s = binary add %0, %1 : f32 over (m, n)
//     %d = binary sub %0, %1 : f32 over (m, n)
//     %2 = broadcast_in_dim %half to [M, N] dims [] : f32 over (m, n)
//     %p = binary mul %d, %2 : f32 over (m, n)
//     %g = select where (m < n) then %s else %p : f32 over (m, n)
//     %3 = broadcast_in_dim %half to [M] dims [] : f32 over (m)
//     %c = binary lt %x, %3 : i1 over (m)
//     %4 = broadcast_in_dim %c to [M, N] dims [0] : i1 over (m, n)
//     %z = select %4, %g, %1 : f32 over (m, n)
//     yield %z to Z
//   }
//   region.func @square<M> iters (m: M)
//     ins (%X: memref<[M], f32, row_major, align 4>)
//     outs (Z: memref<[M], f32, row_major, align 4> materialize gmem) {
//     %x = read %X[m] : f32 over (m)
//     %one = const 1.0 : f32 over ()
//     %z = binary add %one, %one : f32 over ()
//     %0 = broadcast_in_dim %z to [M] dims [] : f32 over (m)
//     %y = binary mul %x, %0 : f32 over (m)
//     yield %y to Z
//   }
// }
