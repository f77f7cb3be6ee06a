// A maximum in whose place the exponent has a number where it is infinite, as in log-sum-exp: rows that are masked throughout
// have a sum of zero, and rows with infinity an infinite one.

// RUN: dlc-opt %s --stream-softmax --evaluate-each -o %t && FileCheck %s --input-file=%t
// RUN: dlc-run %t --function=masked --shape=M=3 --shape=N=3 --strict | FileCheck %s --check-prefix=MASKED
// RUN: dlc-run %t --function=endless --shape=M=3 --shape=N=3 --strict | FileCheck %s --check-prefix=ENDLESS
// RUN: dlc-opt %s --stream-softmax --remarks=missed --no-output 2>&1 | FileCheck %s --check-prefix=MISSED

// MASKED: 0, 1, 1.7204
// CHECK-LABEL: @masked<
// CHECK: %max, %sum = reduce (n: N) acc (f32, f32)
// CHECK: {reassoc}
// CHECK-NOT: reduce
// CHECK: %finite = binary lt
// CHECK: %[[POWER:.*]] = unary exp2
// CHECK: select %finite, %sum, %[[POWER]]
region.func @masked<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %never = const -inf : f32 over ()
  %s = select where (n < m) then %x else %never : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %s } : f32 over (m)
  %neg = unary neg %max : f32 over (m)
  %zero = const 0.0 : f32 over ()
  %below = binary lt %max, %zero : i1 over (m)
  %size = select %below, %neg, %max : f32 over (m)
  %inf = const inf : f32 over ()
  %finite = binary lt %size, %inf : i1 over (m)
  %safe = select %finite, %max, %zero : f32 over (m)
  %d = binary sub %s, %safe : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  yield %sum to Y
}

// The magnitude as a maximum, and another number; the last row has infinity.
// ENDLESS: inf
// CHECK-LABEL: @endless<
// CHECK: %max, %sum = reduce (n: N) acc (f32, f32)
// CHECK: {reassoc}
// CHECK: %[[BELOW:.*]] = binary sub %max, %
// CHECK: %[[POWER:.*]] = unary exp2
// CHECK: select %finite, %sum, %[[POWER]]
region.func @endless<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %inf = const inf : f32 over ()
  %s = select where (n < m) then %x else %inf : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %s } : f32 over (m)
  %neg = unary neg %max : f32 over (m)
  %size = binary max %max, %neg : f32 over (m)
  %one = const 1.0 : f32 over ()
  %finite = binary lt %size, %inf : i1 over (m)
  %safe = select %finite, %max, %one : f32 over (m)
  %d = binary sub %s, %safe : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  yield %sum to Y
}

// A bound that finite maxima may have, too, is another sum.
// MISSED: not joined to the maximum: the exponent has a 'select' in it
// CHECK-LABEL: @bounded<
// CHECK: reduce max
// CHECK: reduce sum
region.func @bounded<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %s = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %s } : f32 over (m)
  %neg = unary neg %max : f32 over (m)
  %size = binary max %max, %neg : f32 over (m)
  %zero = const 0.0 : f32 over ()
  %hundred = const 100.0 : f32 over ()
  %finite = binary lt %size, %hundred : i1 over (m)
  %safe = select %finite, %max, %zero : f32 over (m)
  %d = binary sub %s, %safe : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  yield %sum to Y
}
