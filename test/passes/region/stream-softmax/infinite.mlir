// RUN: dlc-opt %s --stream-softmax --evaluate-each | FileCheck %s
// RUN: dlc-opt %s --stream-softmax -o %t && dlc-run %t --function=masked --shape=M=3 --shape=N=3 --strict | FileCheck %s --check-prefix=FIRST

// The first row is masked throughout: its sum is not a number before and after. The others begin with finite elements.
// FIRST: NaN, 1, 1.7204
// CHECK-LABEL: @masked<
// CHECK: {reassoc}
region.func @masked<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %never = const -inf : f32 over ()
  %s = select where (n < m) then %x else %never : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %s } : f32 over (m)
  %d = binary sub %s, %max : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  yield %sum to Y
}

// The masked elements come first, and weigh nothing once a finite one comes; the outputs of the last row are of it alone.
// CHECK-LABEL: @masked_first<
// CHECK: {reassoc}
region.func @masked_first<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %never = const -inf : f32 over ()
  %s = select where (m <= n) then %x else %never : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %s } : f32 over (m)
  %d = binary sub %s, %max : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  %ex = binary mul %e, %x : f32 over (m, n)
  %out = reduce sum (n: N) acc f32 init 0.0 { yield %ex } : f32 over (m)
  %y = binary fdiv %out, %sum : f32 over (m)
  yield %y to Y
}

// One divided by small whole numbers: rows with infinities of both signs.
// CHECK-LABEL: @divided<
// CHECK: {reassoc}
region.func @divided<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %s = unary recip %x : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %s } : f32 over (m)
  %d = binary sub %s, %max : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  yield %sum to Y
}

// Nothing is summed where the row is empty: zero, as before, and not what is no number.
// CHECK-LABEL: @empty 
// CHECK: select where (1 <= 0)
region.func @empty iters (m: 2)
    ins (%X: memref<[2, 0], f32, row_major, align 4>)
    outs (Y: memref<[2], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: 0) acc f32 init -inf { yield %x } : f32 over (m)
  %d = binary sub %x, %max : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (n: 0) acc f32 init 0.0 { yield %e } : f32 over (m)
  yield %sum to Y
}
