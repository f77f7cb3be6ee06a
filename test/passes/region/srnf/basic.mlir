// RUN: dlc-opt %s --srnf --evaluate-each | snapshot %s
// RUN: dlc-opt %s --srnf > %t.once
// RUN: dlc-opt %t.once --srnf | diff %t.once -

// R1: what does not depend on the reduced axis goes out, a reduction with all that is in it too. R3: so does work on
// another accumulator.
region.func @invariant<M, N, K> iters (m: M)
    ins (%X: memref<[M, K], f32>, %S: memref<[M], f32>, %Z: memref<[N], f32>)
    outs (Y: memref<[M], f32> materialize gmem) {
  %top = reduce max (k: K) acc f32 init -inf {
    %x = read %X[m, k] : f32 over (m, k)
    yield %x
  } : f32 over (m)
  %acc = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f32 over (m, k)
    %s = read %S[m] : f32 over (m)
    %t = unary sqrt %s : f32 over (m)
    %n = unary neg %top : f32 over (m)
    %r = binary add %n, %t : f32 over (m)
    %z = reduce sum (n: N) acc f32 init 0.0 {
      %v = read %Z[n] : f32 over (n)
      %two = const 2.0 : f32 over ()
      %w = binary fdiv %v, %two : f32 over (n)
      yield %w
    } : f32 over ()
    %d = binary sub %x, %r : f32 over (m, k)
    %e = binary mul %d, %d : f32 over (m, k)
    %f = binary max %e, %z : f32 over (m, k)
    yield %f
  } : f32 over (m)
  yield %acc to Y
}

// R0: one maximum, whatever the depth, and one sum of integers.
region.func @nested<M, I, J, K> iters (m: M)
    ins (%X: memref<[M, I, J, K], f32>, %N: memref<[M, J, K], i8>)
    outs (Y: memref<[M], f32> materialize gmem, Z: memref<[M], i32> materialize gmem) {
  %a = reduce max (i: I) acc f32 init -inf {
    %b = reduce max (j: J) acc f32 init -inf {
      %c = reduce max (k: K) acc f32 init -inf {
        %x = read %X[m, i, j, k] : f32 over (m, i, j, k)
        yield %x
      } : f32 over (m, i, j)
      yield %c
    } : f32 over (m, i)
    yield %b
  } : f32 over (m)
  %s = reduce sum (j: J) acc i32 init 0 {
    %t = reduce sum (k: K) acc i32 init 0 {
      %n = read %N[m, j, k] : i8 over (m, j, k)
      yield %n
    } : i32 over (m, j)
    yield %t
  } : i32 over (m)
  yield %a to Y, %s to Z
}

// R1 on what is yielded: finite numbers and positive factors keep the order of floats, whatever is rounded; integers of
// one width and truth values distribute. The result no longer depends on what only the factor did.
region.func @factors<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f32>, %I: memref<[M, K], i32>, %C: memref<[N], i32>, %B: memref<[M, K], i1>, %D: memref<[N], i1>)
    outs (P: memref<[M], f32> materialize gmem, Q: memref<[M], f32> materialize gmem, R: memref<[M, N], i32> materialize gmem, S: memref<[M, N], i1> materialize gmem) {
  %half = const 0.5 : f32 over ()
  %three = const 3.0 : f32 over ()
  %c = read %C[n] : i32 over (n)
  %d = read %D[n] : i1 over (n)
  %p = reduce max (k: K) acc f32 init -inf {
    %x = read %X[m, k] : f32 over (m, k)
    %y = binary mul %half, %x : f32 over (m, k)
    %z = binary sub %y, %three : f32 over (m, k)
    yield %z
  } : f32 over (m)
  %q = reduce min (k: K) acc f32 init inf {
    %x = read %X[m, k] : f32 over (m, k)
    %y = binary fdiv %x, %half : f32 over (m, k)
    %z = binary add %three, %y : f32 over (m, k)
    yield %z
  } : f32 over (m)
  %r = reduce sum (k: K) acc i32 init 0 {
    %x = read %I[m, k] : i32 over (m, k)
    %y = binary mul %x, %c : i32 over (m, n, k)
    yield %y
  } : i32 over (m, n)
  %s = reduce sum (k: K) acc i1 init 0 {
    %x = read %B[m, k] : i1 over (m, k)
    %y = binary mul %d, %x : i1 over (m, n, k)
    yield %y
  } : i1 over (m, n)
  yield %p to P, %q to Q, %r to R, %s to S
}

// EXPECT:
// module {
//   region.func @invariant<M, N, K> iters (m: M)
//     ins (%X: memref<[M, K], f32, row_major, align 4>, %S: memref<[M], f32, row_major, align 4>, %Z: memref<[N], f32, row_major, align 4>)
//     outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
//     %top = reduce max (k: K) acc f32 init -inf {
//       %x = read %X[m, k] : f32 over (m, k)
//       yield %x
//     } : f32 over (m)
//     %s = read %S[m] : f32 over (m)
//     %t = unary sqrt %s : f32 over (m)
//     %n = unary neg %top : f32 over (m)
//     %r = binary add %n, %t : f32 over (m)
//     %two = const 2.0 : f32 over ()
//     %z = reduce sum (n: N) acc f32 init 0.0 {
//       %v = read %Z[n] : f32 over (n)
//       %w = binary fdiv %v, %two : f32 over (n)
//       yield %w
//     } : f32 over ()
//     %acc = reduce sum (k: K) acc f32 init 0.0 {
//       %x = read %X[m, k] : f32 over (m, k)
//       %d = binary sub %x, %r : f32 over (m, k)
//       %e = binary mul %d, %d : f32 over (m, k)
//       %f = binary max %e, %z : f32 over (m, k)
//       yield %f
//     } : f32 over (m)
//     yield %acc to Y
//   }
//   region.func @nested<M, I, J, K> iters (m: M)
//     ins (%X: memref<[M, I, J, K], f32, row_major, align 4>, %N: memref<[M, J, K], i8, row_major, align 1>)
//     outs (Y: memref<[M], f32, row_major, align 4> materialize gmem, Z: memref<[M], i32, row_major, align 4> materialize gmem) {
//     %a = reduce max (i: I, j: J, k: K) acc f32 init -inf {
//       %x = read %X[m, i, j, k] : f32 over (m, i, j, k)
//       yield %x
//     } : f32 over (m)
//     %s = reduce sum (j: J, k: K) acc i32 init 0 {
//       %n = read %N[m, j, k] : i8 over (m, j, k)
//       yield %n
//     } : i32 over (m)
//     yield %a to Y, %s to Z
//   }
//   region.func @factors<M, N, K> iters (m: M, n: N)
//     ins (%X: memref<[M, K], f32, row_major, align 4>, %I: memref<[M, K], i32, row_major, align 4>, %C: memref<[N], i32, row_major, align 4>, %B: memref<[M, K], i1, row_major, align 1>, %D: memref<[N], i1, row_major, align 1>)
//     outs (P: memref<[M], f32, row_major, align 4> materialize gmem, Q: memref<[M], f32, row_major, align 4> materialize gmem, R: memref<[M, N], i32, row_major, align 4> materialize gmem, S: memref<[M, N], i1, row_major, align 1> materialize gmem) {
//     %half = const 0.5 : f32 over ()
//     %three = const 3.0 : f32 over ()
//     %c = read %C[n] : i32 over (n)
//     %d = read %D[n] : i1 over (n)
//     %p = reduce max (k: K) acc f32 init -inf {
//       %x = read %X[m, k] : f32 over (m, k)
//       yield %x
//     } : f32 over (m)
//     %y = binary mul %half, %p : f32 over (m)
//     %z = binary sub %y, %three : f32 over (m)
//     %q = reduce min (k: K) acc f32 init inf {
//       %x = read %X[m, k] : f32 over (m, k)
//       yield %x
//     } : f32 over (m)
//     %y_0 = binary fdiv %q, %half : f32 over (m)
//     %z_0 = binary add %three, %y_0 : f32 over (m)
//     %r = reduce sum (k: K) acc i32 init 0 {
//       %x = read %I[m, k] : i32 over (m, k)
//       yield %x
//     } : i32 over (m)
//     %y_1 = binary mul %r, %c : i32 over (m, n)
//     %s = reduce sum (k: K) acc i1 init 0 {
//       %x = read %B[m, k] : i1 over (m, k)
//       yield %x
//     } : i1 over (m)
//     %y_2 = binary mul %d, %s : i1 over (m, n)
//     yield %z to P, %z_0 to Q, %y_1 to R, %y_2 to S
//   }
// }
