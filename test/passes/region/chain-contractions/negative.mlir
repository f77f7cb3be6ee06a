// RUN: dlc-opt %s --chain-contractions | FileCheck %s --implicit-check-not='{deferred}'
// RUN: dlc-opt %s --chain-contractions --evaluate-each --no-output
// RUN: dlc-opt %s --chain-contractions --remarks --no-output 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not='handed on'

// The axis between both is one of the results: the other elements of a row are in another tile.
// REMARK: what goes from one contraction to the next is not kept on chip: all its axes are those of the results: another value of its row is in another tile
// CHECK-LABEL: @result_too<
region.func @result_too<M, K, H, N> iters (m: M, n: N, h: H)
    ins (%X: memref<[M, K], f32, row_major, align 4>, %A: memref<[K, H], f32, row_major, align 4>,
         %B: memref<[H, N], f32, row_major, align 4>)
    outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem,
          T: memref<[M, H], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, k] : f32 over (m, k)
  %a = read %A[k, h] : f32 over (h, k)
  %xa = binary mul %x, %a widen : f32 over (m, h, k)
  %first = reduce sum (k: K) acc f32 init 0.0 { yield %xa } : f32 over (m, h)
  %b = read %B[h, n] : f32 over (n, h)
  %p = binary mul %first, %b widen : f32 over (m, n, h)
  %y = reduce sum (h: H) acc f32 init 0.0 { yield %p } : f32 over (m, n)
  %t = binary add %first, %first : f32 over (m, h)
  yield %y to Y, %t to T
}

// Of the first result the second reduces one axis, and the third another: it would have to be kept whole.
// REMARK: what goes from one contraction to the next is not kept on chip: its axis 'i' is neither one of the results nor reduced by the next
// CHECK-LABEL: @third_axis<
region.func @third_axis<M, I, K, H> iters (m: M)
    ins (%X: memref<[M, I, K], f32, row_major, align 4>, %A: memref<[K, H], f32, row_major, align 4>,
         %C: memref<[H], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, i, k] : f32 over (m, i, k)
  %a = read %A[k, h] : f32 over (h, k)
  %xa = binary mul %x, %a widen : f32 over (m, i, h, k)
  %first = reduce sum (k: K) acc f32 init 0.0 { yield %xa } : f32 over (m, i, h)
  %c = read %C[h] : f32 over (h)
  %p = binary mul %first, %c widen : f32 over (m, i, h)
  %second = reduce sum (h: H) acc f32 init 0.0 { yield %p } : f32 over (m, i)
  %low = reduce min (i: I) acc f32 init inf { yield %second } : f32 over (m)
  yield %low to Y
}

// The sum of a row of the product, and of its squares: no second factor. No remark.
// CHECK-LABEL: @mean<
region.func @mean<M, K, H, N> iters (m: M)
    ins (%X: memref<[M, K], f32, row_major, align 4>, %A: memref<[K, H], f32, row_major, align 4>,
         %B: memref<[H, N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, k] : f32 over (m, k)
  %a = read %A[k, h] : f32 over (h, k)
  %xa = binary mul %x, %a widen : f32 over (m, h, k)
  %first = reduce sum (k: K) acc f32 init 0.0 { yield %xa } : f32 over (m, h)
  %square = binary mul %first, %first : f32 over (m, h)
  %sum = reduce sum (h: H) acc f32 init 0.0 { yield %first } : f32 over (m)
  %squares = reduce sum (h: H) acc f32 init 0.0 { yield %square } : f32 over (m)
  %y = binary add %sum, %squares : f32 over (m)
  yield %y to Y
}

// The largest product instead of their sum is no contraction.
// CHECK-LABEL: @largest<
region.func @largest<M, K, H, N> iters (m: M, n: N)
    ins (%X: memref<[M, K], f32, row_major, align 4>, %A: memref<[K, H], f32, row_major, align 4>,
         %B: memref<[H, N], f32, row_major, align 4>)
    outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, k] : f32 over (m, k)
  %a = read %A[k, h] : f32 over (h, k)
  %xa = binary mul %x, %a widen : f32 over (m, h, k)
  %first = reduce sum (k: K) acc f32 init 0.0 { yield %xa } : f32 over (m, h)
  %b = read %B[h, n] : f32 over (n, h)
  %p = binary mul %first, %b : f32 over (m, n, h)
  %y = reduce max (h: H) acc f32 init -inf { yield %p } : f32 over (m, n)
  yield %y to Y
}

// What is multiplied is read, not the result of a contraction.
// CHECK-LABEL: @no_first<
region.func @no_first<M, K, N> iters (m: M, n: N)
    ins (%X: memref<[M, K], f32, row_major, align 4>, %A: memref<[K, N], f32, row_major, align 4>)
    outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, k] : f32 over (m, k)
  %r = unary relu %x : f32 over (m, k)
  %a = read %A[k, n] : f32 over (n, k)
  %p = binary mul %r, %a widen : f32 over (m, n, k)
  %y = reduce sum (k: K) acc f32 init 0.0 { yield %p } : f32 over (m, n)
  yield %y to Y
}

// The result of the first is the same along the axis of the second: a factor of it, no row.
// CHECK-LABEL: @factor<
region.func @factor<M, K, H, N> iters (m: M, n: N)
    ins (%X: memref<[M, K], f32, row_major, align 4>, %A: memref<[K], f32, row_major, align 4>,
         %B: memref<[M, H], f32, row_major, align 4>, %C: memref<[H, N], f32, row_major, align 4>)
    outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, k] : f32 over (m, k)
  %a = read %A[k] : f32 over (k)
  %xa = binary mul %x, %a widen : f32 over (m, k)
  %first = reduce sum (k: K) acc f32 init 0.0 { yield %xa } : f32 over (m)
  %b = read %B[m, h] : f32 over (m, h)
  %c = read %C[h, n] : f32 over (n, h)
  %fb = binary mul %first, %b : f32 over (m, h)
  %p = binary mul %fb, %c widen : f32 over (m, n, h)
  %y = reduce sum (h: H) acc f32 init 0.0 { yield %p } : f32 over (m, n)
  yield %y to Y
}

// Two contractions in one reduction: one of its results alone cannot have the mark.
// REMARK: what goes from one contraction to the next is not kept on chip: it is one of several results of a reduction
// CHECK-LABEL: @one_of_several<
region.func @one_of_several<M, K, H, N> iters (m: M, n: N)
    ins (%X: memref<[M, K], f32, row_major, align 4>, %A: memref<[K, H], f32, row_major, align 4>,
         %B: memref<[H, N], f32, row_major, align 4>)
    outs (Y: memref<[M, N], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, k] : f32 over (m, k)
  %a = read %A[k, h] : f32 over (h, k)
  %xa = binary mul %x, %a widen : f32 over (m, h, k)
  %xx = binary mul %x, %x widen : f32 over (m, k)
  %first, %norm = reduce sum (k: K) acc (f32, f32) init (0.0, 0.0) { yield %xa, %xx } : f32 over (m, h), f32 over (m)
  %b = read %B[h, n] : f32 over (n, h)
  %p = binary mul %first, %b widen : f32 over (m, n, h)
  %y = reduce sum (h: H) acc f32 init 0.0 { yield %p } : f32 over (m, n)
  %z = binary add %y, %norm : f32 over (m, n)
  yield %z to Y
}
