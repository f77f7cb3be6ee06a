// RUN: dlc-opt %s --normalize-select --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --normalize-select --remarks=missed --no-output 2>&1 | FileCheck %s --check-prefix=REMARK

// Of a size that is not known, i32 might wrap; so might i8 in the arithmetic, and u64 below zero.
// REMARK: the condition stays a value: 'i' may wrap in i32
// REMARK: the condition stays a value: '{{.*}}' may wrap in i8
// REMARK: the condition stays a value: '{{.*}}' may wrap in ui64
// CHECK-LABEL: region.func @wraps
// CHECK-COUNT-3: select %{{[a-z]+}}, %x, %zero
region.func @wraps<S> iters (i: S, j: 100)
    ins (%X: memref<[S, 100], f32>)
    outs (A: memref<[S, 100], f32> materialize gmem, B: memref<[S, 100], f32> materialize gmem, C: memref<[S, 100], f32> materialize gmem) {
  %zero = const 0.0 : f32 over ()
  %x = read %X[i, j] : f32 over (i, j)
  %p = index (i) : i32 over (i)
  %three = const 3 : i32 over ()
  %c = binary lt %p, %three : i1 over (i)
  %a = select %c, %x, %zero : f32 over (i, j)
  %q = index (j) : i8 over (j)
  %q2 = binary add %q, %q : i8 over (j)
  %d = binary lt %q2, %q : i1 over (j)
  %b = select %d, %x, %zero : f32 over (i, j)
  %u = index (j) : ui64 over (j)
  %one = const 1 : ui64 over ()
  %v = binary sub %u, %one : ui64 over (j)
  %e = binary lt %u, %v : i1 over (j)
  %f = select %e, %x, %zero : f32 over (i, j)
  yield %a to A, %b to B, %f to C
}

// Conditions on what is read, or on floats, are none of the point. A read with another number outside keeps its own, and
// so does one at a position that is a value; another type would round.
// CHECK-LABEL: region.func @values
// CHECK: select %c, %x, %zero
// CHECK: select %d, %x, %zero
// CHECK: select where (n < 3) then %one else %zero
// CHECK: select where (n < 3) then %g else %two
// CHECK: select where (n < 3) then %h else %zero
region.func @values<N> iters (n: N)
    ins (%X: memref<[N], f32>, %I: memref<[N], i32>, %H: memref<[N], f16>)
    outs (A: memref<[N], f32> materialize gmem, B: memref<[N], f32> materialize gmem, C: memref<[N], f32> materialize gmem, D: memref<[N], f32> materialize gmem, E: memref<[N], f32> materialize gmem) {
  %zero = const 0.0 : f32 over ()
  %two = const 2.0 : f32 over ()
  %x = read %X[n] : f32 over (n)
  %i = read %I[n] : i32 over (n)
  %four = const 4 : i32 over ()
  %c = binary lt %i, %four : i1 over (n)
  %a = select %c, %x, %zero : f32 over (n)
  %p = index (n) : f32 over (n)
  %d = binary lt %p, %two : i1 over (n)
  %b = select %d, %x, %zero : f32 over (n)
  %one = read %X[n] where (n < 1) else 1.0 : f32 over (n)
  %e = select where (n < 3) then %one else %zero : f32 over (n)
  %g = read %X[%i] : f32 over (n)
  %f = select where (n < 3) then %g else %two : f32 over (n)
  %h = read %H[n] : f16 over (n)
  %k = select where (n < 3) then %h else %zero : f32 over (n)
  yield %a to A, %b to B, %e to C, %f to D, %k to E
}

// A select that is used elsewhere too stays; so do guards without anything to leave out, pieces that are apart, and what
// holds because of another axis, of whose size nothing is known here.
// CHECK-LABEL: region.func @stay
// CHECK: %b = select where (2 <= n) then %a else %y
// CHECK: read %X[n] where (n < K, n < 3) : f32 over (n)
// CHECK: read %X[n] where (n < 2) or (4 <= n) : f32 over (n)
region.func @stay<N, K> iters (n: N)
    ins (%X: memref<[N], f32>, %Y: memref<[N], f32>, %Z: memref<[K], f32>)
    outs (A: memref<[N], f32> materialize gmem, B: memref<[N], f32> materialize gmem, C: memref<[N], f32> materialize gmem) {
  %x0 = read %X[n] : f32 over (n)
  %x = unary neg %x0 : f32 over (n)
  %y0 = read %Y[n] : f32 over (n)
  %y = unary neg %y0 : f32 over (n)
  %a = select where (n < 5) then %x else %y : f32 over (n)
  %b = select where (2 <= n) then %a else %y : f32 over (n)
  %i = index (n) : i64 over (n)
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %z = read %Z[k] : f32 over (k)
    yield %z
  } : f32 over ()
  %g = read %X[n] where (n < K, n < 3) : f32 over (n)
  %r = read %X[n] where (n < 2) or (4 <= n) : f32 over (n)
  %t = binary add %g, %r : f32 over (n)
  %u = binary add %t, %s : f32 over (n)
  yield %a to A, %b to B, %u to C
}

// What is replaced in a sum that goes too goes with it.
// CHECK-LABEL: region.func @inside
// CHECK-NEXT: ins
// CHECK-NEXT: outs
// CHECK-NEXT: %[[Y:.+]] = read %Y[n] : f32 over (n)
// CHECK-NEXT: yield
region.func @inside<N> iters (n: N)
    ins (%X: memref<[N, 8], f32>, %Y: memref<[N], f32>) outs (Z: memref<[N], f32> materialize gmem) {
  %zero = const 0.0 : f32 over ()
  %y = read %Y[n] : f32 over (n)
  %s = reduce sum (k: 8) acc f32 init 0.0 {
    %x = read %X[n, k] : f32 over (n, k)
    %z = select where (k < 4) then %x else %zero : f32 over (n, k)
    yield %z
  } : f32 over (n)
  %z = select where (n < N) then %y else %s : f32 over (n)
  yield %z to Z
}
