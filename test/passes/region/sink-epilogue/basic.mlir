// RUN: dlc-opt %s --sink-epilogue --evaluate-each | snapshot %s
// RUN: dlc-opt %s --sink-epilogue > %t.once
// RUN: dlc-opt %t.once --sink-epilogue | diff %t.once -

// Reads of the epilogue come after the reduction, in their order, and the cast goes into the yield.
region.func @gemm_bias_relu<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16>, %W: memref<[K, N], f16>, %bias: memref<[N], f16>, %scale: memref<[M], f16>)
    outs (Y: memref<[M, N], f16> materialize gmem) {
  %bn = read %bias[n] : f16 over (n)
  %sm = read %scale[m] : f16 over (m)
  %bs = binary mul %sm, %bn : f16 over (m, n)
  %acc = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %X[m, k] : f16 over (m, k)
    %b = read %W[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  %c1 = binary add %acc, %bs : f32 over (m, n)
  %c2 = unary relu %c1 : f32 over (m, n)
  %y = cast %c2 : f16 over (m, n)
  yield %y to Y
}

// Work on the first sum stands after it, before the second, in its order; what the second sum uses stays before it.
region.func @two_sums<M, K> iters (m: M)
    ins (%X: memref<[M, K], f32>, %S: memref<[M], f32>, %T: memref<[M], f32>)
    outs (Y: memref<[M], f32> materialize gmem, Z: memref<[M], f16> materialize gmem) {
  %s = read %S[m] : f32 over (m)
  %t = read %T[m] : f32 over (m)
  %a = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f32 over (m, k)
    yield %x
  } : f32 over (m)
  %b = reduce max (k: K) acc f32 init -inf {
    %x = read %X[m, k] : f32 over (m, k)
    %p = binary mul %x, %t : f32 over (m, k)
    yield %p
  } : f32 over (m)
  %a1 = unary relu %a : f32 over (m)
  %a2 = binary add %a1, %a : f32 over (m)
  %a3 = unary neg %a : f32 over (m)
  %y = binary mul %b, %s : f32 over (m)
  %u = binary add %a2, %a3 : f32 over (m)
  %v = binary add %y, %u : f32 over (m)
  %z = cast %v : f16 over (m)
  yield %v to Y, %z to Z
}

// EXPECT:
// module {
//   region.func @gemm_bias_relu<M, N, K> iters (m: M, n: N)
//     ins (%X: memref<[M, K], f16, row_major, align 2>, %W: memref<[K, N], f16, row_major, align 2>, %bias: memref<[N], f16, row_major, align 2>, %scale: memref<[M], f16, row_major, align 2>)
//     outs (Y: memref<[M, N], f16, row_major, align 2> materialize gmem) {
//     %acc = reduce sum (k: K) acc f32 init 0.0 {
//       %a = read %X[m, k] : f16 over (m, k)
//       %b = read %W[k, n] : f16 over (n, k)
//       %ab = binary mul %a, %b widen : f32 over (m, n, k)
//       yield %ab
//     } : f32 over (m, n)
//     %bn = read %bias[n] : f16 over (n)
//     %sm = read %scale[m] : f16 over (m)
//     %bs = binary mul %sm, %bn : f16 over (m, n)
//     %c1 = binary add %acc, %bs : f32 over (m, n)
//     %c2 = unary relu %c1 : f32 over (m, n)
//     yield %c2 to Y as f16
//   }
//   region.func @two_sums<M, K> iters (m: M)
//     ins (%X: memref<[M, K], f32, row_major, align 4>, %S: memref<[M], f32, row_major, align 4>, %T: memref<[M], f32, row_major, align 4>)
//     outs (Y: memref<[M], f32, row_major, align 4> materialize gmem, Z: memref<[M], f16, row_major, align 2> materialize gmem) {
//     %a = reduce sum (k: K) acc f32 init 0.0 {
//       %x = read %X[m, k] : f32 over (m, k)
//       yield %x
//     } : f32 over (m)
//     %a1 = unary relu %a : f32 over (m)
//     %a2 = binary add %a1, %a : f32 over (m)
//     %a3 = unary neg %a : f32 over (m)
//     %u = binary add %a2, %a3 : f32 over (m)
//     %t = read %T[m] : f32 over (m)
//     %b = reduce max (k: K) acc f32 init -inf {
//       %x = read %X[m, k] : f32 over (m, k)
//       %p = binary mul %x, %t : f32 over (m, k)
//       yield %p
//     } : f32 over (m)
//     %s = read %S[m] : f32 over (m)
//     %y = binary mul %b, %s : f32 over (m)
//     %v = binary add %y, %u : f32 over (m)
//     yield %v to Y, %v to Z as f16
//   }
// }
