// RUN: dlc-opt %s --stream-softmax --split-input-file | FileCheck %s
// RUN: dlc-opt %s --stream-softmax --split-input-file --evaluate-each --no-output

// Programs bound the maximum by the lowest finite number, so that rows that are masked throughout have sums of 0.
// CHECK-LABEL: @masked_rows<
// CHECK: reduce (n: N) acc (f32, f32) init (-3.40282347E+38, 0.0)
// CHECK-NOT: reduce
// CHECK: yield %y to Y
region.func @masked_rows<M, N> iters (m: M, n: N)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
  %hidden = const -inf : f32 over ()
  %i = index (m + n) : i32 over (m, n)
  %two = const 2 : i32 over ()
  %keep = binary lt %i, %two : i1 over (m, n)
  %x = read %X[m, n] : f32 over (m, n)
  %s = select %keep, %x, %hidden : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %s } : f32 over (m)
  %least = const -3.40282347E+38 : f32 over ()
  %top = binary max %max, %least : f32 over (m)
  %d = binary sub %s, %top : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  %one = const 1.0 : f32 over ()
  %most = binary max %sum, %one : f32 over (m)
  %y = binary fdiv %e, %most : f32 over (m, n)
  yield %y to Y
}

// -----

// Another bound is a number that an element may be below: the maximum stays.
// CHECK-LABEL: @other_bound<
// CHECK: reduce max
// CHECK: reduce sum (n: N)
region.func @other_bound<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %zero = const 0.0 : f32 over ()
  %top = binary max %max, %zero : f32 over (m)
  %d = binary sub %x, %top : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  yield %sum to Y
}
