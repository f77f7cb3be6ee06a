// RUN: dlc-opt %s --normalize-select --evaluate-each | snapshot %s
// RUN: dlc-opt %s --normalize-select > %t.once
// RUN: dlc-opt %t.once --normalize-select | diff %t.once -

// A padded window: the select outside and the bounds of the read inside become one guard.
region.func @window<H> iters (h: H)
    ins (%X: memref<[H], f32>)
    outs (Y: memref<[H], f32> materialize gmem) {
  %zero = const 0.0 : f32 over ()
  %y = reduce sum (k: 3) acc f32 init 0.0 {
    %x = read %X[h + k - 1] where (0 <= h + k - 1 < H) : f32 over (h, k)
    %s = select where (1 <= h + k, h + k < H + 1) then %x else %zero : f32 over (h, k)
    yield %s
  } : f32 over (h)
  yield %y to Y
}

// A causal mask, counted in 64 bits: what the row sees, and minus infinity elsewhere; also the other way round, and for
// a read that something else needs too.
region.func @causal<S, T> iters (i: S, j: T)
    ins (%X: memref<[S, T], f32>)
    outs (Y: memref<[S, T], f32> materialize gmem, Z: memref<[S, T], f32> materialize gmem, W: memref<[S, T], f32> materialize gmem) {
  %inf = const -inf : f32 over ()
  %x = read %X[i, j] : f32 over (i, j)
  %p = index (i) : i64 over (i)
  %q = index (j) : i64 over (j)
  %c = binary le %q, %p : i1 over (i, j)
  %y = select %c, %x, %inf : f32 over (i, j)
  %d = binary gt %q, %p : i1 over (i, j)
  %z = select %d, %inf, %x : f32 over (i, j)
  %w = unary exp2 %x : f32 over (i, j)
  yield %y to Y, %z to Z, %w to W
}

// Arithmetic on positions, in as few bits as the sizes allow: 2*i + 1 stays below 128. Both, either, not, equal.
region.func @conditions iters (i: 60, j: 40)
    ins (%X: memref<[60], f32>)
    outs (A: memref<[60, 40], f32> materialize gmem, B: memref<[60, 40], f32> materialize gmem, C: memref<[60, 40], f32> materialize gmem) {
  %x = read %X[i] : f32 over (i)
  %h = const 0.5 : f32 over ()
  %p = index (i) : i8 over (i)
  %q = index (j) : i16 over (j)
  %one = const 1 : i8 over ()
  %two = const 2 : i8 over ()
  %p2 = binary mul %p, %two : i8 over (i)
  %r = binary add %p2, %one : i8 over (i)
  %s = binary floordiv %r, %two : i8 over (i)
  %t = binary floormod %s, %two : i8 over (i)
  %lt = binary lt %r, %q : i1 over (i, j)
  %eq = binary eq %t, %one : i1 over (i)
  %ne = binary ne %p, %q : i1 over (i, j)
  %and = binary and %lt, %eq : i1 over (i, j)
  %not = unary neg %and : i1 over (i, j)
  %or = binary or %and, %ne : i1 over (i, j)
  %sq = unary sqrt %x : f32 over (i)
  %a = select %and, %sq, %h : f32 over (i, j)
  %b = select %not, %sq, %h : f32 over (i, j)
  %c = select %or, %sq, %h : f32 over (i, j)
  yield %a to A, %b to B, %c to C
}

// Selects in selects lead to the same two values, in four ways.
region.func @nested<N> iters (n: N)
    ins (%X: memref<[N], f32>, %Y: memref<[N], f32>)
    outs (A: memref<[N], f32> materialize gmem, B: memref<[N], f32> materialize gmem, C: memref<[N], f32> materialize gmem, D: memref<[N], f32> materialize gmem) {
  %x0 = read %X[n] : f32 over (n)
  %x = unary neg %x0 : f32 over (n)
  %y0 = read %Y[n] : f32 over (n)
  %y = unary neg %y0 : f32 over (n)
  %a1 = select where (n < 5) then %x else %y : f32 over (n)
  %a = select where (2 <= n) then %a1 else %y : f32 over (n)
  %b1 = select where (n < 5) then %y else %x : f32 over (n)
  %b = select where (2 <= n) then %b1 else %y : f32 over (n)
  %c1 = select where (n < 5) then %x else %y : f32 over (n)
  %c = select where (7 <= n) then %x else %c1 : f32 over (n)
  %d1 = select where (n < 5) then %y else %x : f32 over (n)
  %d = select where (n < 2) then %x else %d1 : f32 over (n)
  yield %a to A, %b to B, %c to C, %d to D
}

// What follows from the sizes goes, pieces that touch are one, and a guard that holds everywhere or nowhere goes too:
// then the value is rounded and broadcast as the select had it.
region.func @gist<M, N> iters (m: M, n: N)
    ins (%X: memref<[M, N], f32>, %H: memref<[M], f16>, %I: memref<[M], i32>)
    outs (A: memref<[M, N], f32> materialize gmem, B: memref<[M, N], f32> materialize gmem, C: memref<[M, N], f32> materialize gmem, D: memref<[M, N], f32> materialize gmem, E: memref<[M, N], f32> materialize gmem) {
  %a = read %X[m, n] where (0 <= m < M, 0 <= n < N) else 3.0 : f32 over (m, n)
  %b = read %X[m, n] where (n < 2, m < 4) or (2 <= n, m < 4) or (m < 3, n < 1) : f32 over (m, n)
  %i = read %I[m] : i32 over (m)
  %c = read %X[%i, n] where (n < N) else 2.0 : f32 over (m, n)
  %h = read %H[m] : f16 over (m)
  %d = select where (n < N, m < M + 1) then %h else %a : f32 over (m, n)
  %e = select where (n < 0) then %a else %h : f32 over (m, n)
  %z = read %X[m, n] where (m < 0) else 7.0 : f32 over (m, n)
  %f = binary add %e, %z : f32 over (m, n)
  yield %a to A, %b to B, %c to C, %d to D, %f to E
}

// EXPECT:
// module {
//   region.func @window<H> iters (h: H)
//     ins (%X: memref<[H], f32, row_major, align 4>)
//     outs (Y: memref<[H], f32, row_major, align 4> materialize gmem) {
//     %y = reduce sum (k: 3) acc f32 init 0.0 {
//       %s = read %X[h + k - 1] where (0 <= h + k - 1 < H) else 0.0 : f32 over (h, k)
//       yield %s
//     } : f32 over (h)
//     yield %y to Y
//   }
//   region.func @causal<S, T> iters (i: S, j: T)
//     ins (%X: memref<[S, T], f32, row_major, align 4>)
//     outs (Y: memref<[S, T], f32, row_major, align 4> materialize gmem, Z: memref<[S, T], f32, row_major, align 4> materialize gmem, W: memref<[S, T], f32, row_major, align 4> materialize gmem) {
//     %x = read %X[i, j] : f32 over (i, j)
//     %y = read %X[i, j] where (j < i + 1) else -inf : f32 over (i, j)
//     %z = read %X[i, j] where (j < i + 1) else -inf : f32 over (i, j)
//     %w = unary exp2 %x : f32 over (i, j)
//     yield %y to Y, %z to Z, %w to W
//   }
//   region.func @conditions iters (i: 60, j: 40)
//     ins (%X: memref<[60], f32, row_major, align 4>)
//     outs (A: memref<[60, 40], f32, row_major, align 4> materialize gmem, B: memref<[60, 40], f32, row_major, align 4> materialize gmem, C: memref<[60, 40], f32, row_major, align 4> materialize gmem) {
//     %x = read %X[i] : f32 over (i)
//     %h = const 0.5 : f32 over ()
//     %sq = unary sqrt %x : f32 over (i)
//     %a = select where (2*i + 1 < j, i mod 2 == 1) then %sq else %h : f32 over (i, j)
//     %b = select where (j <= 2*i + 1) or (i mod 2 < 1) then %sq else %h : f32 over (i, j)
//     %c = select where (i < j) or (j + 1 <= i) then %sq else %h : f32 over (i, j)
//     yield %a to A, %b to B, %c to C
//   }
//   region.func @nested<N> iters (n: N)
//     ins (%X: memref<[N], f32, row_major, align 4>, %Y: memref<[N], f32, row_major, align 4>)
//     outs (A: memref<[N], f32, row_major, align 4> materialize gmem, B: memref<[N], f32, row_major, align 4> materialize gmem, C: memref<[N], f32, row_major, align 4> materialize gmem, D: memref<[N], f32, row_major, align 4> materialize gmem) {
//     %x0 = read %X[n] : f32 over (n)
//     %x = unary neg %x0 : f32 over (n)
//     %y0 = read %Y[n] : f32 over (n)
//     %y = unary neg %y0 : f32 over (n)
//     %a = select where (2 <= n < 5) then %x else %y : f32 over (n)
//     %b = select where (5 <= n) then %x else %y : f32 over (n)
//     %c = select where (7 <= n) or (n < 5) then %x else %y : f32 over (n)
//     %d = select where (n < 2) or (5 <= n) then %x else %y : f32 over (n)
//     yield %a to A, %b to B, %c to C, %d to D
//   }
//   region.func @gist<M, N> iters (m: M, n: N)
//     ins (%X: memref<[M, N], f32, row_major, align 4>, %H: memref<[M], f16, row_major, align 2>, %I: memref<[M], i32, row_major, align 4>)
//     outs (A: memref<[M, N], f32, row_major, align 4> materialize gmem, B: memref<[M, N], f32, row_major, align 4> materialize gmem, C: memref<[M, N], f32, row_major, align 4> materialize gmem, D: memref<[M, N], f32, row_major, align 4> materialize gmem, E: memref<[M, N], f32, row_major, align 4> materialize gmem) {
//     %a = read %X[m, n] : f32 over (m, n)
//     %b = read %X[m, n] where (m < 4) : f32 over (m, n)
//     %i = read %I[m] : i32 over (m)
//     %c = read %X[%i, n] else 2.0 : f32 over (m, n)
//     %h = read %H[m] : f16 over (m)
//     %0 = cast %h : f32 over (m)
//     %1 = broadcast_in_dim %0 to [M, N] dims [0] : f32 over (m, n)
//     %2 = cast %h : f32 over (m)
//     %3 = broadcast_in_dim %2 to [M, N] dims [0] : f32 over (m, n)
//     %4 = const 7.0 : f32 over ()
//     %5 = broadcast_in_dim %4 to [M, N] dims [] : f32 over (m, n)
//     %f = binary add %3, %5 : f32 over (m, n)
//     yield %a to A, %b to B, %c to C, %1 to D, %f to E
//   }
// }
