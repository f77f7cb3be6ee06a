// RUN: dlc-opt %s --stream-softmax | FileCheck %s --implicit-check-not=combine
// RUN: dlc-opt %s --stream-softmax --evaluate-each --no-output
// RUN: dlc-opt %s --stream-softmax --remarks --no-output 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not='one pass'

// The exponent has a bias that the maximum does not know.
// REMARK: the exponent has a 'read' in it that is neither the maximum nor what it is of
// CHECK-LABEL: @further_term<
// CHECK: reduce max
// CHECK: reduce sum (n: N)
region.func @further_term<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>, %B: memref<[N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %b = read %B[n] : f32 over (n)
  %d = binary sub %x, %max : f32 over (m, n)
  %p = binary add %d, %b : f32 over (m, n)
  %e = unary exp2 %p : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  yield %sum to Y
}

// Half of the maximum is taken away: the powers may be large.
// REMARK: the exponent is 1 * s + -0.5 * max, not a multiple of s - max
// CHECK-LABEL: @half<
// CHECK: reduce max
// CHECK: reduce sum (n: N)
region.func @half<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>, %B: memref<[N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %half = const 0.5 : f32 over ()
  %h = binary mul %max, %half : f32 over (m)
  %d = binary sub %x, %h : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  yield %sum to Y
}

// The distance from the maximum is the exponent: what is far away weighs most.
// REMARK: its weights grow with the distance from the maximum
// CHECK-LABEL: @growing<
// CHECK: reduce max
// CHECK: reduce sum (n: N)
region.func @growing<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>, %B: memref<[N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %d = binary sub %max, %x : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  yield %sum to Y
}

// One is added to each power before it is summed.
// REMARK: the maximum goes into it through a 'add', not only through products with exponentials
// CHECK-LABEL: @added<
// CHECK: reduce max
// CHECK: reduce sum (n: N)
region.func @added<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>, %B: memref<[N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %d = binary sub %x, %max : f32 over (m, n)
  %p = unary exp2 %d : f32 over (m, n)
  %one = const 1.0 : f32 over ()
  %e = binary add %p, %one : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  yield %sum to Y
}

// A mask that is put on the powers: it belongs into what the maximum is of.
// REMARK: the maximum goes into it through a 'select'
// CHECK-LABEL: @masked_late<
// CHECK: reduce max
// CHECK: reduce sum (n: N)
region.func @masked_late<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>, %B: memref<[N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %d = binary sub %x, %max : f32 over (m, n)
  %p = unary exp2 %d : f32 over (m, n)
  %none = const 0.0 : f32 over ()
  %e = select where (n <= m) then %p else %none : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  yield %sum to Y
}

// The powers are of another value than the maximum.
// REMARK: the exponent has a 'mul' in it that is neither the maximum nor what it is of
// CHECK-LABEL: @other_value<
// CHECK: reduce max
// CHECK: reduce sum (n: N)
region.func @other_value<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>, %B: memref<[N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %y = binary mul %x, %x : f32 over (m, n)
  %d = binary sub %y, %max : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  yield %sum to Y
}

// The largest becomes 1: a quotient, not a power. The sum waits for the maximum.
// REMARK: it has no exponential below the maximum as a factor
// CHECK-LABEL: @scaled_down<
// CHECK: reduce max
// CHECK: reduce sum (n: N)
region.func @scaled_down<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>, %B: memref<[N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %e = binary fdiv %x, %max : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  yield %sum to Y
}

// The maximum of each row, the sum of each column: no remark, they have nothing in common.
// CHECK-LABEL: @other_axis<
// CHECK: reduce max
// CHECK: reduce sum (m: M)
region.func @other_axis<M, N> iters (n: N)
    ins (%X: memref<[M, N], f32, row_major, align 4>, %B: memref<[N], f32, row_major, align 4>)
    outs (Y: memref<[N], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %d = binary sub %x, %max : f32 over (m, n)
  %e = unary exp2 %d : f32 over (m, n)
  %sum = reduce sum (m: M) acc f32 init 0.0 { yield %e } : f32 over (n)
  yield %sum to Y
}

// Nothing is taken below the maximum: no remark.
// CHECK-LABEL: @range_of_rows<
// CHECK: reduce max
// CHECK: reduce min (n: N)
region.func @range_of_rows<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>, %B: memref<[N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %low = reduce min (n: N) acc f32 init inf { yield %x } : f32 over (m)
  %range = binary sub %max, %low : f32 over (m)
  yield %range to Y
}

// Integers have no powers that vanish.
// CHECK-LABEL: @integers<
// CHECK: reduce max
// CHECK: reduce sum (n: N)
region.func @integers<M, N> iters (m: M)
    ins (%X: memref<[M, N], i32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : i32 over (m, n)
  %max = reduce max (n: N) acc i32 init -2147483648 { yield %x } : i32 over (m)
  %d = binary sub %x, %max : i32 over (m, n)
  %f = cast %d : f32 over (m, n)
  %e = unary exp2 %f : f32 over (m, n)
  %sum = reduce sum (n: N) acc f32 init 0.0 { yield %e } : f32 over (m)
  yield %sum to Y
}

// A sum in eight bits is rounded so much that f32 would give another number.
// REMARK: it is summed in f8E4M3FN
// CHECK-LABEL: @eight_bits<
// CHECK: reduce max
// CHECK: reduce sum (n: N)
region.func @eight_bits<M, N> iters (m: M)
    ins (%X: memref<[M, N], f8E4M3FN, row_major, align 4>)
    outs (Y: memref<[M], f8E4M3FN, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f8E4M3FN over (m, n)
  %max = reduce max (n: N) acc f8E4M3FN init -448.0 { yield %x } : f8E4M3FN over (m)
  %d = binary sub %x, %max : f8E4M3FN over (m, n)
  %e = unary exp2 %d : f8E4M3FN over (m, n)
  %sum = reduce sum (n: N) acc f8E4M3FN init 0.0 { yield %e } : f8E4M3FN over (m)
  yield %sum to Y
}

// It begins with a number that no eight bits hold: nothing is known to be below it.
// CHECK-LABEL: @beyond_eight_bits
// CHECK: reduce max
// CHECK: reduce sum (n: N)
region.func @beyond_eight_bits<M, N> iters (m: M)
    ins (%X: memref<[M, N], f8E4M3FN, row_major, align 4>)
    outs (Y: memref<[M], f8E4M3FN, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f8E4M3FN over (m, n)
  %max = reduce max (n: N) acc f8E4M3FN init -2147483648 { yield %x } : f8E4M3FN over (m)
  %d = binary sub %x, %max : f8E4M3FN over (m, n)
  %e = unary exp2 %d : f8E4M3FN over (m, n)
  %sum = reduce sum (n: N) acc f8E4M3FN init 0.0 { yield %e } : f8E4M3FN over (m)
  yield %sum to Y
}

// What takes the larger of the maximum and a bound stays where nothing is streamed.
// CHECK-LABEL: @bound_of_nothing
// CHECK: reduce max (n: N) acc f32 init -inf
// CHECK: binary max
region.func @bound_of_nothing<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 4> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %max = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %least = const -3.40282347E+38 : f32 over ()
  %top = binary max %max, %least : f32 over (m)
  yield %top to Y
}
