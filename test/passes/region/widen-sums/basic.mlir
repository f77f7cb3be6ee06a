// RUN: dlc-opt %s --widen-sums --evaluate-each | snapshot %s
// RUN: dlc-opt %s --widen-sums > %t.once
// RUN: dlc-opt %t.once --widen-sums | diff %t.once -

// A product that is not rounded stays so. What is read after the sum is rounded once.
region.func @gemm<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], bf16, row_major, align 2>, %W: memref<[K, N], bf16, row_major, align 2>)
    outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
  %s = reduce sum (k: K) acc bf16 init 0.0 {
    %x = read %X[m, k] : bf16 over (m, k)
    %w = read %W[k, n] : bf16 over (n, k)
    %p = binary mul %x, %w widen : bf16 over (m, n, k)
    yield %p
  } : bf16 over (m, n)
  %y = cast %s : f32 over (m, n)
  yield %y to Y
}

// One that is rounded is rounded still, and then summed; a product of numbers begins with one.
region.func @rounded<M, K> iters (m: M)
    ins (%X: memref<[M, K], f16, row_major, align 2>)
    outs (Y: memref<[M], f16, row_major, align 2> materialize gmem, Z: memref<[M], f16, row_major, align 2> materialize gmem) {
  %s = reduce sum (k: K) acc f16 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %p = binary mul %x, %x : f16 over (m, k)
    yield %p
  } : f16 over (m)
  %q = reduce prod (k: K) acc f16 init 1.0 {
    %x = read %X[m, k] : f16 over (m, k)
    yield %x
  } : f16 over (m)
  yield %s to Y, %q to Z
}

// Sums in sums: both.
region.func @nested<M, N, K> iters (m: M)
    ins (%X: memref<[M, N, K], f8E4M3FN, row_major, align 1>)
    outs (Y: memref<[M], f8E4M3FN, row_major, align 1> materialize gmem) {
  %s = reduce sum (n: N) acc f8E4M3FN init 0.0 {
    %t = reduce sum (k: K) acc f8E4M3FN init 0.0 {
      %x = read %X[m, n, k] : f8E4M3FN over (m, n, k)
      yield %x
    } : f8E4M3FN over (m, n)
    yield %t
  } : f8E4M3FN over (m)
  yield %s to Y
}

// Several sums at once, each in its own type.
region.func @several<M, K> iters (m: M)
    ins (%X: memref<[M, K], f16, row_major, align 2>, %F: memref<[M, K], f64, row_major, align 8>)
    outs (A: memref<[M], f64, row_major, align 8> materialize gmem, B: memref<[M], f16, row_major, align 2> materialize gmem) {
  %a:2 = reduce sum (k: K) acc (f64, f16) init (0.0, 0.0) {
    %f = read %F[m, k] : f64 over (m, k)
    %x = read %X[m, k] : f16 over (m, k)
    yield %f, %x
  } : f64 over (m), f16 over (m)
  yield %a to A, %a#1 to B
}

// A product that is not rounded is seen through broadcasts.
region.func @spread<M, K> iters (m: M)
    ins (%X: memref<[K], f16, row_major, align 2>)
    outs (B: memref<[M], f16, row_major, align 2> materialize gmem) {
  %a = reduce sum (k: K) acc f16 init 0.0 {
    %x = read %X[k] : f16 over (k)
    %y = binary mul %x, %x widen : f16 over (k)
    %z = broadcast_in_dim %y to [M, K] dims [1] : f16 over (m, k)
    yield %z
  } : f16 over (m)
  yield %a to B
}

// A scan is rounded once at each point.
region.func @scan<M, N> iters (m: M, n: N)
    ins (%X: memref<[M, N], f16, row_major, align 2>)
    outs (Y: memref<[M, N], f16, row_major, align 2> materialize gmem) {
  %x = read %X[m, n] : f16 over (m, n)
  %s = scan sum %x along n : f16 over (m, n)
  %y = unary relu %s : f16 over (m, n)
  yield %y to Y
}

// A recurrence, too: its factors stay as they are.
region.func @recurrence<M, N> iters (m: M, n: N)
    ins (%A: memref<[M, N], f16, row_major, align 2>, %X: memref<[M, N], f16, row_major, align 2>)
    outs (Y: memref<[M, N], f16, row_major, align 2> materialize gmem) {
  %a = read %A[m, n] : f16 over (m, n)
  %x = read %X[m, n] : f16 over (m, n)
  %s = scan linear %a, %x along n : f16 over (m, n)
  yield %s to Y
}

// EXPECT:
// module {
//   region.func @gemm<M, N, K> iters (m: M, n: N)
//     ins (%X: memref<[M, K], bf16, row_major, align 2>, %W: memref<[K, N], bf16, row_major, align 2>)
//     outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
//     %s = reduce sum (k: K) acc f32 init 0.0 {
//       %x = read %X[m, k] : bf16 over (m, k)
//       %w = read %W[k, n] : bf16 over (n, k)
//       %p = binary mul %x, %w widen : f32 over (m, n, k)
//       yield %p
//     } : f32 over (m, n)
//     %0 = cast %s : bf16 over (m, n)
//     %y = cast %0 : f32 over (m, n)
//     yield %y to Y
//   }
//   region.func @rounded<M, K> iters (m: M)
//     ins (%X: memref<[M, K], f16, row_major, align 2>)
//     outs (Y: memref<[M], f16, row_major, align 2> materialize gmem, Z: memref<[M], f16, row_major, align 2> materialize gmem) {
//     %s = reduce sum (k: K) acc f32 init 0.0 {
//       %x = read %X[m, k] : f16 over (m, k)
//       %p = binary mul %x, %x : f16 over (m, k)
//       %0 = cast %p : f32 over (m, k)
//       yield %0
//     } : f32 over (m)
//     %1 = cast %s : f16 over (m)
//     %q = reduce prod (k: K) acc f32 init 1.0 {
//       %x = read %X[m, k] : f16 over (m, k)
//       %2 = cast %x : f32 over (m, k)
//       yield %2
//     } : f32 over (m)
//     %3 = cast %q : f16 over (m)
//     yield %1 to Y, %3 to Z
//   }
//   region.func @nested<M, N, K> iters (m: M)
//     ins (%X: memref<[M, N, K], f8E4M3FN, row_major, align 1>)
//     outs (Y: memref<[M], f8E4M3FN, row_major, align 1> materialize gmem) {
//     %s = reduce sum (n: N) acc f32 init 0.0 {
//       %t = reduce sum (k: K) acc f32 init 0.0 {
//         %x = read %X[m, n, k] : f8E4M3FN over (m, n, k)
//         %0 = cast %x : f32 over (m, n, k)
//         yield %0
//       } : f32 over (m, n)
//       %1 = cast %t : f8E4M3FN over (m, n)
//       %2 = cast %1 : f32 over (m, n)
//       yield %2
//     } : f32 over (m)
//     %3 = cast %s : f8E4M3FN over (m)
//     yield %3 to Y
//   }
//   region.func @several<M, K> iters (m: M)
//     ins (%X: memref<[M, K], f16, row_major, align 2>, %F: memref<[M, K], f64, row_major, align 8>)
//     outs (A: memref<[M], f64, row_major, align 8> materialize gmem, B: memref<[M], f16, row_major, align 2> materialize gmem) {
//     %a:2 = reduce sum (k: K) acc (f64, f32) init (0.0, 0.0) {
//       %f = read %F[m, k] : f64 over (m, k)
//       %x = read %X[m, k] : f16 over (m, k)
//       %0 = cast %x : f32 over (m, k)
//       yield %f, %0
//     } : f64 over (m), f32 over (m)
//     %1 = cast %a#1 : f16 over (m)
//     yield %a to A, %1 to B
//   }
//   region.func @spread<M, K> iters (m: M)
//     ins (%X: memref<[K], f16, row_major, align 2>)
//     outs (B: memref<[M], f16, row_major, align 2> materialize gmem) {
//     %a = reduce sum (k: K) acc f32 init 0.0 {
//       %x = read %X[k] : f16 over (k)
//       %y = binary mul %x, %x widen : f32 over (k)
//       %z = broadcast_in_dim %y to [M, K] dims [1] : f32 over (m, k)
//       yield %z
//     } : f32 over (m)
//     %0 = cast %a : f16 over (m)
//     yield %0 to B
//   }
//   region.func @scan<M, N> iters (m: M, n: N)
//     ins (%X: memref<[M, N], f16, row_major, align 2>)
//     outs (Y: memref<[M, N], f16, row_major, align 2> materialize gmem) {
//     %x = read %X[m, n] : f16 over (m, n)
//     %s = scan sum %x along n : f32 over (m, n)
//     %0 = cast %s : f16 over (m, n)
//     %y = unary relu %0 : f16 over (m, n)
//     yield %y to Y
//   }
//   region.func @recurrence<M, N> iters (m: M, n: N)
//     ins (%A: memref<[M, N], f16, row_major, align 2>, %X: memref<[M, N], f16, row_major, align 2>)
//     outs (Y: memref<[M, N], f16, row_major, align 2> materialize gmem) {
//     %a = read %A[m, n] : f16 over (m, n)
//     %x = read %X[m, n] : f16 over (m, n)
//     %s = scan linear %a, %x along n : f32 over (m, n)
//     %0 = cast %s : f16 over (m, n)
//     yield %0 to Y
//   }
// }
