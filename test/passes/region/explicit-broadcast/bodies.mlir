// RUN: dlc-opt %s --explicit-broadcast=bodies --evaluate-each | snapshot %s
// RUN: dlc-opt %s --explicit-broadcast=bodies > %t.once
// RUN: dlc-opt %t.once --explicit-broadcast=bodies | diff %t.once -
// RUN: dlc-opt %s --explicit-broadcast=bodies --ccon1 > %t.back
// RUN: dlc-opt %s --ccon1 --explicit-broadcast | diff %t.back -

// The form that keeps what tinygrad writes: reads in the order of memory, transposed and broadcast before they are
// multiplied. C-CON1 takes it back.
region.func @gemm_bias<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16>, %W: memref<[K, N], f16>, %bias: memref<[N], f16>)
    outs (Y: memref<[M, N], f32> materialize gmem) {
  %acc = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %X[m, k] : f16 over (m, k)
    %b = read %W[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  %bn = read %bias[n] : f16 over (n)
  %c1 = binary add %acc, %bn : f32 over (m, n)
  yield %c1 to Y
}

// EXPECT:
// module {
//   region.func @gemm_bias<M, N, K> iters (m: M, n: N)
//     ins (%X: memref<[M, K], f16, row_major, align 2>, %W: memref<[K, N], f16, row_major, align 2>, %bias: memref<[N], f16, row_major, align 2>)
//     outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
//     %acc = reduce sum (k: K) acc f32 init 0.0 {
//       %a = read %X[m, k] : f16 over (m, k)
//       %b = read %W[k, n] : f16 over (k, n)
//       %0 = transpose %b by [1, 0] : f16 over (n, k)
//       %1 = broadcast_in_dim %a to [M, N, K] dims [0, 2] : f16 over (m, n, k)
//       %2 = broadcast_in_dim %0 to [M, N, K] dims [1, 2] : f16 over (m, n, k)
//       %ab = binary mul %1, %2 widen : f32 over (m, n, k)
//       yield %ab
//     } : f32 over (m, n)
//     %bn = read %bias[n] : f16 over (n)
//     %3 = broadcast_in_dim %bn to [M, N] dims [1] : f16 over (m, n)
//     %c1 = binary add %acc, %3 : f32 over (m, n)
//     yield %c1 to Y
//   }
// }
