// RUN: dlc-opt %s --srnf=distribute --evaluate-each --verify-diagnostics | snapshot %s

// R2: what is exact is not marked, a sum of floats is. Both parts read for themselves.
region.func @sums<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f32>, %Y: memref<[N, K], f32>, %I: memref<[M, K], i32>)
    outs (A: memref<[M, N], f32> materialize gmem, B: memref<[M, N], f32> materialize gmem, C: memref<[M], i32> materialize gmem) {
  %a = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f32 over (m, k)
    %y = read %Y[n, k] : f32 over (n, k)
    %s = binary add %x, %y : f32 over (m, n, k)
    yield %s
  } : f32 over (m, n)
  %b = reduce max (k: K) acc f32 init -inf {
    %x = read %X[m, k] : f32 over (m, k)
    %y = read %Y[n, k] : f32 over (n, k)
    %s = binary max %x, %y : f32 over (m, n, k)
    yield %s
  } : f32 over (m, n)
  %c = reduce sum (k: K) acc i32 init 0 {
    %i = read %I[m, k] : i32 over (m, k)
    %j = binary mul %i, %i : i32 over (m, k)
    %k = binary sub %i, %j : i32 over (m, k)
    yield %k
  } : i32 over (m)
  yield %a to A, %b to B, %c to C
}

// Refused: numbers that wrap before they are widened, truth values, the largest of sums.
region.func @refused<M, K> iters (m: M)
    ins (%X: memref<[M, K], i8>, %Y: memref<[M, K], i8>, %B: memref<[M, K], i1>, %F: memref<[M, K], f32>)
    outs (A: memref<[M], i32> materialize gmem, B: memref<[M], i1> materialize gmem, C: memref<[M], f32> materialize gmem) {
  %a = reduce sum (k: K) acc i32 init 0 {
    %x = read %X[m, k] : i8 over (m, k)
    %y = read %Y[m, k] : i8 over (m, k)
    // expected-warning@+1 {{W2102}}
    %s = binary add %x, %y : i8 over (m, k)
    yield %s
  } : i32 over (m)
  %b = reduce sum (k: K) acc i1 init 0 {
    %x = read %B[m, k] : i1 over (m, k)
    %y = read %B[m, k] : i1 over (m, k)
    // expected-warning@+1 {{truth values have no difference}}
    %s = binary sub %x, %y : i1 over (m, k)
    yield %s
  } : i1 over (m)
  %c = reduce max (k: K) acc f32 init -inf {
    %x = read %F[m, k] : f32 over (m, k)
    %y = unary sqrt %x : f32 over (m, k)
    // expected-warning@+1 {{the largest of sums is not the sum of the largest}}
    %s = binary add %x, %y : f32 over (m, k)
    yield %s
  } : f32 over (m)
  yield %a to A, %b to B, %c to C
}

// EXPECT:
// module {
//   region.func @sums<M, N, K> iters (m: M, n: N)
//     ins (%X: memref<[M, K], f32, row_major, align 4>, %Y: memref<[N, K], f32, row_major, align 4>, %I: memref<[M, K], i32, row_major, align 4>)
//     outs (A: memref<[M, N], f32, row_major, align 4> materialize gmem, B: memref<[M, N], f32, row_major, align 4> materialize gmem, C: memref<[M], i32, row_major, align 4> materialize gmem) {
//     %a = reduce sum (k: K) acc f32 init 0.0 {
//       %x = read %X[m, k] : f32 over (m, k)
//       yield %x
//     } : f32 over (m)
//     %a_0 = reduce sum (k: K) acc f32 init 0.0 {
//       %y = read %Y[n, k] : f32 over (n, k)
//       yield %y
//     } : f32 over (n)
//     %0 = binary add %a, %a_0 {reassoc} : f32 over (m, n)
//     %b = reduce max (k: K) acc f32 init -inf {
//       %x = read %X[m, k] : f32 over (m, k)
//       yield %x
//     } : f32 over (m)
//     %b_0 = reduce max (k: K) acc f32 init -inf {
//       %y = read %Y[n, k] : f32 over (n, k)
//       yield %y
//     } : f32 over (n)
//     %1 = binary max %b, %b_0 : f32 over (m, n)
//     %c = reduce sum (k: K) acc i32 init 0 {
//       %i = read %I[m, k] : i32 over (m, k)
//       yield %i
//     } : i32 over (m)
//     %c_0 = reduce sum (k: K) acc i32 init 0 {
//       %i = read %I[m, k] : i32 over (m, k)
//       %j = binary mul %i, %i : i32 over (m, k)
//       yield %j
//     } : i32 over (m)
//     %2 = binary sub %c, %c_0 : i32 over (m)
//     yield %0 to A, %1 to B, %2 to C
//   }
//   region.func @refused<M, K> iters (m: M)
//     ins (%X: memref<[M, K], i8, row_major, align 1>, %Y: memref<[M, K], i8, row_major, align 1>, %B: memref<[M, K], i1, row_major, align 1>, %F: memref<[M, K], f32, row_major, align 4>)
//     outs (A: memref<[M], i32, row_major, align 4> materialize gmem, B: memref<[M], i1, row_major, align 1> materialize gmem, C: memref<[M], f32, row_major, align 4> materialize gmem) {
//     %a = reduce sum (k: K) acc i32 init 0 {
//       %x = read %X[m, k] : i8 over (m, k)
//       %y = read %Y[m, k] : i8 over (m, k)
//       %s = binary add %x, %y : i8 over (m, k)
//       yield %s
//     } : i32 over (m)
//     %b = reduce sum (k: K) acc i1 init 0 {
//       %x = read %B[m, k] : i1 over (m, k)
//       %y = read %B[m, k] : i1 over (m, k)
//       %s = binary sub %x, %y : i1 over (m, k)
//       yield %s
//     } : i1 over (m)
//     %c = reduce max (k: K) acc f32 init -inf {
//       %x = read %F[m, k] : f32 over (m, k)
//       %y = unary sqrt %x : f32 over (m, k)
//       %s = binary add %x, %y : f32 over (m, k)
//       yield %s
//     } : f32 over (m)
//     yield %a to A, %b to B, %c to C
//   }
// }
