// RUN: dlc-opt %s --ccon1 --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --ccon1 --remarks=missed --no-output 2>&1 | FileCheck %s --check-prefix=REMARK

// What two reductions share is computed once, before them; so is what is used outside of the reduction too.
// REMARK: the value over (m, n) stays outside: it is used outside of the reduction too
// REMARK: the value over (m, k) stays outside: 2 reductions share it
// CHECK-LABEL: region.func @shared
// CHECK: %x = read %X[m, k]
// CHECK-NEXT: %y = read %Y[m, n]
// CHECK-NEXT: %a = reduce
// CHECK-NEXT: yield %x
// CHECK: %b = reduce
// CHECK-NEXT: yield %x
// CHECK: %c = reduce
// CHECK-NEXT: yield %y
region.func @shared<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f32>, %Y: memref<[M, N], f32>)
    outs (A: memref<[M], f32> materialize gmem, B: memref<[M], f32> materialize gmem, C: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, k] : f32 over (m, k)
  %y = read %Y[m, n] : f32 over (m, n)
  %a = reduce sum (k: K) acc f32 init 0.0 {
    yield %x
  } : f32 over (m)
  %b = reduce max (k: K) acc f32 init -inf {
    yield %x
  } : f32 over (m)
  %c = reduce max (n: N) acc f32 init -inf {
    yield %y
  } : f32 over (m)
  %d = binary add %y, %c : f32 over (m, n)
  yield %a to A, %b to B, %d to C
}

// What does not depend on the reduced axis stays outside, and so does what nothing uses.
// CHECK-LABEL: region.func @invariant
// CHECK: %s = read %S[m]
// CHECK-NEXT: %unused = read %X[m, k]
// CHECK-NEXT: %acc = reduce
// CHECK-NEXT: %x = read
region.func @invariant<M, K> iters (m: M)
    ins (%X: memref<[M, K], f32>, %S: memref<[M], f32>)
    outs (Y: memref<[M], f32> materialize gmem) {
  %s = read %S[m] : f32 over (m)
  %unused = read %X[m, k] : f32 over (m, k)
  %x = read %X[m, k] : f32 over (m, k)
  %p = binary mul %x, %s : f32 over (m, k)
  %acc = reduce sum (k: K) acc f32 init 0.0 {
    yield %p
  } : f32 over (m)
  yield %acc to Y
}

// The hidden layer of two products has no n: it is not computed again for each. Its elementwise work goes along.
// REMARK: this reduction stays before the other: in it, it would be computed again for each 'n'
// CHECK-LABEL: region.func @chain
// CHECK: %h = reduce sum (k: K)
// CHECK: } : f32 over (m, f)
// CHECK-NEXT: %y = reduce sum (f: F)
// CHECK-NEXT: %r = unary relu %h : f32 over (m, f)
// CHECK-NEXT: %v = read %V[f, n]
region.func @chain<M, N, K, F> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16>, %W: memref<[K, F], f16>, %V: memref<[F, N], f32>)
    outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, k] : f16 over (m, k)
  %w = read %W[k, f] : f16 over (f, k)
  %p = binary mul %x, %w widen : f32 over (m, f, k)
  %h = reduce sum (k: K) acc f32 init 0.0 {
    yield %p
  } : f32 over (m, f)
  %r = unary relu %h : f32 over (m, f)
  %v = read %V[f, n] : f32 over (n, f)
  %q = binary mul %r, %v : f32 over (m, n, f)
  %y = reduce sum (f: F) acc f32 init 0.0 {
    yield %q
  } : f32 over (m, n)
  yield %y to Y
}

// Broadcasts outside of bodies are not this pass's; nor are transposes, and those of values from outside stay as long as
// there would not be fewer.
// CHECK-LABEL: region.func @elsewhere
// CHECK: %xb = broadcast_in_dim %x to [N, M] dims [1]
// CHECK: %t = transpose %xb by [1, 0]
// CHECK: %acc = reduce
// CHECK: transpose %y by [1, 0]
region.func @elsewhere<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M], f32>, %Y: memref<[N, M], f32>, %Z: memref<[K], f32>)
    outs (A: memref<[M, N], f32> materialize gmem, B: memref<[N, M], f32> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  %xb = broadcast_in_dim %x to [N, M] dims [1] : f32 over (n, m)
  %t = transpose %xb by [1, 0] : f32 over (m, n)
  %y = read %Y[n, m] : f32 over (n, m)
  %acc = reduce sum (k: K) acc f32 init 0.0 {
    %z = read %Z[k] : f32 over (k)
    %yt = transpose %y by [1, 0] : f32 over (m, n)
    %p = binary mul %yt, %z : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  %a = binary add %acc, %t : f32 over (m, n)
  yield %a to A, %y to B
}

// Results in different orders, and a reduction inside that has a combiner of its own.
// REMARK: transposes stay in this reduction: its results have their axes in different orders
// REMARK: transposes stay in this reduction: a reduction in it combines its accumulators by a region
// CHECK-LABEL: region.func @orders
// CHECK: transpose
// CHECK: transpose
region.func @orders<M, N, K, J> iters (m: M, n: N)
    ins (%X: memref<[M, N, K], f32>, %Z: memref<[J, K, N], f32>)
    outs (A: memref<[M, N], f32> materialize gmem, B: memref<[N, M], f32> materialize gmem, C: memref<[N], f32> materialize gmem) {
  %x = read %X[m, n, k] : f32 over (m, n, k)
  %a, %b = reduce sum (k: K) acc (f32, f32) init (0.0, 0.0) {
    %t = transpose %x by [1, 0, 2] : f32 over (n, m, k)
    yield %x, %t
  } : f32 over (m, n), f32 over (n, m)
  %c = reduce sum (k: K) acc f32 init 0.0 {
    %z = read %Z[j, k, n] : f32 over (k, j, n)
    %s = transpose %z by [2, 0, 1] : f32 over (n, k, j)
    %d = reduce (j: J) acc f32 init -inf {
      yield %s
    } combine (%p: f32 over (n, k), %q: f32 over (n, k)) {
      %top = binary max %p, %q : f32 over (n, k)
      yield %top
    } : f32 over (n, k)
    yield %d
  } : f32 over (n)
  yield %a to A, %b to B, %c to C
}

// What a combiner uses stays before the reduction.
// CHECK-LABEL: region.func @combiner
// CHECK: %w = read %W[m]
// CHECK-NEXT: %a = reduce (k: K)
// CHECK-NEXT: %x = read %X[m, k]
region.func @combiner<M, K> iters (m: M, k: K)
    ins (%X: memref<[M, K], f32>, %W: memref<[M], f32>)
    outs (Y: memref<[M], f32> materialize gmem) {
  %x = read %X[m, k] : f32 over (m, k)
  %w = read %W[m] : f32 over (m)
  %a = reduce (k: K) acc f32 init -inf {
    yield %x
  } combine (%p: f32 over (m), %q: f32 over (m)) {
    %top = binary max %p, %q : f32 over (m)
    %least = binary max %top, %w : f32 over (m)
    yield %least
  } : f32 over (m)
  yield %a to Y
}

// A scan stands directly in the kernel, also where a reduction alone uses it.
// CHECK-LABEL: region.func @scanned
// CHECK: %s = scan sum %x along m
// CHECK-NEXT: reduce sum
region.func @scanned<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32>) outs (Y: memref<[M], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %s = scan sum %x along m : f32 over (m, n)
  %y = reduce sum (n: N) acc f32 init 0.0 { yield %s } : f32 over (m)
  yield %y to Y
}
