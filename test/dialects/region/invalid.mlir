// One case for each rule of a region, its values and what it yields, reported at the op that breaks it.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

// expected-error@+1 {{the axis 'm' is named twice}}
region.func @an_axis_twice<M> iters (m: M, m: M) ins (%X: memref<[M, M], f32>) outs (Y: memref<[M], f32> materialize gmem) {
  %x = read %X[m, m] : f32 over (m)
  yield %x to Y
}

// -----

// expected-error@+1 {{a region writes at least one result}}
region.func @no_results<M> iters (m: M) ins (%X: memref<[M], f32>) outs () {
  yield
}

// -----

// expected-error@+1 {{the result 'Y' is named twice}}
region.func @a_result_twice<M> iters (m: M) ins (%X: memref<[M], f32>) outs (Y: memref<[M], f32> materialize gmem, Y: memref<[M], f32> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  yield %x to Y, %x to Y
}

// -----

// expected-error@+1 {{a region reads and writes memrefs, not tensor<[M], f32>}}
region.func @no_memref<M> iters (m: M) ins (%X: tensor<[M], f32>) outs (Y: memref<[M], f32> materialize gmem) {
  %x = const 1.0 : f32 over ()
  yield %x to Y
}

// -----

// expected-error@+1 {{the symbol 'M' is declared twice}}
region.func @a_symbol_twice<M, M> iters (m: M) ins (%X: memref<[M], f32>) outs (Y: memref<[M], f32> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  yield %x to Y
}

// -----

// expected-error@+1 {{'M' is both an axis and a symbol}}
region.func @an_axis_and_symbol<M> iters (M: 4) ins (%X: memref<[4], f32>) outs (Y: memref<[4], f32> materialize gmem) {
  %x = read %X[M] : f32 over (M)
  yield %x to Y
}

// -----

// expected-error@+1 {{the symbol 'N' is not declared}}
region.func @undeclared<M> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

// expected-error@+1 {{'_0' is no name for an axis, a symbol or a result}}
region.func @a_reserved_axis<M> iters (_0: M) ins (%X: memref<[M], f32>) outs (Y: memref<[M], f32> materialize gmem) {
  %x = const 1.0 : f32 over ()
  yield %x to Y
}

// -----

// expected-error@+1 {{two elements of the result 'Y' lie in one place}}
region.func @stride_of_zero<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32, strided [1, 0]> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

// expected-error@+1 {{two elements of the result 'Y' lie in one place}}
region.func @equal_strides<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32, strided [N, N]> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

// expected-error@+1 {{two elements of the result 'Y' lie in one place}}
region.func @colliding_strides iters (m: 4, n: 5) ins (%X: memref<[4, 5], f32>) outs (Y: memref<[4, 5], f32, strided [3, 2]> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

// expected-error@+1 {{two elements of the result 'Y' lie in one place}}
region.func @three_colliding_strides iters (a: 2, b: 2, c: 2) ins (%X: memref<[2, 2, 2], f32>) outs (Y: memref<[2, 2, 2], f32, strided [1, 2, 3]> materialize gmem) {
  %x = read %X[a, b, c] : f32 over (a, b, c)
  yield %x to Y
}

// -----

// expected-error@+1 {{the layout of memref<[4], f32, strided [-1] offset 2, align 4> goes below its first element}}
region.func @below_the_first iters (m: 4) ins (%X: memref<[4], f32, strided [-1] offset 2>) outs (Y: memref<[4], f32> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  yield %x to Y
}

// -----

// expected-error@+1 {{swizzles in units of 2, and an element has 4 bytes}}
region.func @split_elements iters (m: 4) ins (%X: memref<[4], f32, swizzled 32 vec 2>) outs (Y: memref<[4], f32> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  yield %x to Y
}

// -----

region.func @an_unknown_axis<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  // expected-error-re@+1 {{E1304.*there is no axis 'q'; the axes here are \(m, n\)}}
  %q = const 1.0 : f32 over (q)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @an_unknown_axis_at<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  // expected-error@+1 {{'q' is neither an axis nor a symbol of the function}}
  %q = read %X[q, n] : f32 over (n)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @a_missing_axis<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  // expected-error@+1 {{the result depends on the axis 'n', and its type does not say so}}
  %q = read %X[m, n] : f32 over (m)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @one_axis_more<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{the result does not depend on the axis 'n' of its type}}
  %q = index (m) : i32 over (m, n)
  yield %x to Y
}

// -----

region.func @a_constant_over_axes<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  // expected-error@+1 {{the result does not depend on the axis 'm' of its type}}
  %q = const 1.0 : f32 over (m)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @another_order<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %t = transpose %x by [1, 0] : f32 over (n, m)
  // expected-error@+1 {{the axes (n, m) are in another order than (m, n)}}
  %q = binary add %x, %t : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @unary_of_other_axes<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+2 {{E0204 'region.unary': the result is of type f32 over (m), must be f32 over (m, n)}}
  // expected-error@+1 {{the result depends on the axis 'n', and its type does not say so}}
  %q = unary neg %x : f32 over (m)
  yield %x to Y
}

// -----

region.func @two_expressions<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  // expected-error@+1 {{one expression is the value, and 2 are given}}
  %q = "region.index"() <{value = ["m", "n"]}> : () -> i32 over (m, n)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @not_affine<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  // expected-error@+1 {{'m*n' is not affine in the axes}}
  %q = index (m*n) : i32 over (m, n)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @a_constant_of_another_type<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  // expected-error@+1 {{the number must be of the type of the value}}
  %q = "region.const"() <{value = 1.0 : f16}> : () -> f32 over ()
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @too_few_positions<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  // expected-error@+1 {{the memref has 2 axes, and is read at 1 positions}}
  %q = read %X[m] : f32 over (m)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @unguarded<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  // expected-error-re@+1 {{E1302.*the memref is read at 'm - 1', which may lie outside of 0 to M}}
  %q = read %X[m - 1, n] : f32 over (m, n)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @a_guard_too_wide<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  // expected-error@+1 {{the memref is read at '2*m', which may lie outside of 0 to M}}
  %q = read %X[2*m, n] where (2*m < M + 2) : f32 over (m, n)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @an_element_of_another_type<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  // expected-error@+1 {{the result is of type f32, not f16}}
  %q = read %X[m, n] : f16 over (m, n)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @a_fill_of_another_type<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  // expected-error@+1 {{the number outside of the guard is not of the type of the elements}}
  %q = "region.read"(%X) <{at = ["m", "n"], fill = 0.0 : f16, guard = [["m < 1"]]}> : (memref<[M, N], f32>) -> f32 over (m, n)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @a_fill_without_guard<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  // expected-error@+1 {{it is read everywhere, so there is nothing outside}}
  %q = read %X[m, n] else 0.0 : f32 over (m, n)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @a_float_position<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{a position is an integer, not of type f32}}
  %q = read %X[%x, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @an_index_twice<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %i = index (m) : i32 over (m)
  // expected-error@+1 {{each value among the operands is one position}}
  %q = "region.read"(%X, %i) <{at = ["_0", "_0"]}> : (memref<[M, N], f32>, i32 over (m)) -> f32 over (m)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @an_index_computed_with<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %i = index (m) : i32 over (m)
  // expected-error-re@+1 {{neither an axis nor a symbol|each value among the operands is one position}}
  %q = "region.read"(%X, %i) <{at = ["_0 + 1", 0]}> : (memref<[M, N], f32>, i32 over (m)) -> f32 over (m)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @many_pieces<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  // expected-warning-re@+1 {{W2101.*the guard has 17 pieces}}
  %q = read %X[m, n] where (m == 0) or (m == 1) or (m == 2) or (m == 3) or (m == 4) or (m == 5) or (m == 6) or (m == 7) or (m == 8) or (m == 9) or (m == 10) or (m == 11) or (m == 12) or (m == 13) or (m == 14) or (m == 15) or (m == 16) : f32 over (m, n)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @many_pieces_of_a_condition<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-warning@+1 {{the guard has 17 pieces}}
  %q = select where (m == 0) or (m == 1) or (m == 2) or (m == 3) or (m == 4) or (m == 5) or (m == 6) or (m == 7) or (m == 8) or (m == 9) or (m == 10) or (m == 11) or (m == 12) or (m == 13) or (m == 14) or (m == 15) or (m == 16) then %x else %x : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @no_common_type<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %i = const 1 : i64 over ()
  %j = const 1 : ui64 over ()
  // expected-error@+1 {{type}}
  %q = binary add %i, %j : i64 over ()
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @a_binary_of_another_type<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{the result is of type f32, not f16}}
  %q = binary add %x, %x : f16 over (m, n)
  yield %x to Y
}

// -----

region.func @widen_a_sum<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{only a product that is only summed, in a type that is no narrower, may stay without rounding}}
  %q = binary add %x, %x widen : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @widen_what_is_used<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{only a product that is only summed}}
  %q = binary mul %x, %x widen : f64 over (m, n)
  %r = unary neg %q : f64 over (m, n)
  yield %x to Y
}

// -----

region.func @widen_to_a_narrower<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{only a product that is only summed}}
  %q = binary mul %x, %x widen : f16 over (m, n)
  yield %x to Y
}

// -----

region.func @select_two<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{it takes 3 values, and 2 are given}}
  %q = "region.select"(%x, %x) : (f32 over (m, n), f32 over (m, n)) -> f32 over (m, n)
  yield %x to Y
}

// -----

region.func @select_by_a_number<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{the condition must be of type i1}}
  %q = select %x, %x, %x : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @select_another_type<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{the result is of type f32, not f64}}
  %q = select where (m < 1) then %x else %x : f64 over (m, n)
  yield %x to Y
}

// -----

region.func @select_nothing_common<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %i = const 1 : i64 over ()
  %j = const 1 : ui64 over ()
  // expected-error@+1 {{type}}
  %q = select where (m < 1) then %i else %j : i64 over (m)
  yield %x to Y
}

// -----

region.func @a_condition_not_affine<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{'m*n' is not affine in the axes}}
  %q = select where (m*n < 3) then %x else %x : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @bits_of_another_width<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{the bits of a number are taken as a type of as many bits}}
  %q = cast bits %x : i16 over (m, n)
  yield %x to Y
}

// -----

region.func @broadcast_to_other_sizes<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error-re@+1 {{E1001.*the axes of the result have the sizes \[M, N\], not \[M, M\]}}
  %q = broadcast_in_dim %x to [M, M] dims [0, 1] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @broadcast_of_other_axes<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %i = index (n) : i32 over (n)
  // expected-error@+1 {{'dims' must say which axis of the result each axis of the operand is, in order}}
  %q = broadcast_in_dim %i to [M, N] dims [0] : i32 over (m, n)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @broadcast_beyond<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %i = index (n) : i32 over (n)
  // expected-error@+1 {{'dims' must say which axis of the result each axis of the operand is, in order}}
  %q = broadcast_in_dim %i to [M, N] dims [-1] : i32 over (m, n)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @broadcast_to_another_type<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %i = index (n) : i32 over (n)
  // expected-error@+1 {{the result is of type i32, not i64}}
  %q = broadcast_in_dim %i to [M, N] dims [1] : i64 over (m, n)
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @transpose_wrongly<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{axis 'i' of the result must be axis 'by[i]' of the operand}}
  %q = transpose %x by [0, 1] : f32 over (n, m)
  yield %x to Y
}

// -----

region.func @transpose_beyond<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{axis 'i' of the result must be axis 'by[i]' of the operand}}
  %q = transpose %x by [1, 7] : f32 over (n, m)
  yield %x to Y
}

// -----

region.func @transpose_to_another_type<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{the result is of type f32, not f16}}
  %q = transpose %x by [1, 0] : f16 over (n, m)
  yield %x to Y
}

// -----

region.func @an_op_of_another_layer<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{only ops of region stand in a region}}
  %t = "tiny.const"() <{value = 1.0 : f32}> : () -> tensor<[], f32>
  yield %x to Y
}

// -----

region.func @yield_nothing<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{every result is yielded once, in the order of 'outs'}}
  yield
}

// -----

region.func @yield_elsewhere<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{every result is yielded once, in the order of 'outs'}}
  yield %x to Z
}

// -----

region.func @yield_fewer_axes<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %i = const 1.0 : f32 over ()
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{'Y' has the sizes [M, N], but its value has []}}
  yield %i to Y
}

// -----

region.func @yield_another_type<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{'Y' has elements of type f32, not f16}}
  yield %x to Y as f16
}

// -----

region.func @yield_fewer_casts<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{1 values are rounded to 2 types}}
  "region.yield"(%x) <{to = ["Y"], casts = [none, none]}> : (f32 over (m, n)) -> ()
}

// -----

region.func @yield_a_reduced_axis<M, N> iters (m: M) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %s = reduce sum (n: N) acc f32 init 0.0 { yield %x } : f32 over (m)
  // expected-error@+1 {{'Y' depends on 'n', which is no axis of the kernel}}
  yield %x to Y
}

// -----

// expected-error@+1 {{the symbol 'P' is not declared; declare it after the name: @pitch<P>}}
region.func @pitch<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>)
    outs (Y: memref<[M, N], f32, strided [P, 1]> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  yield %x to Y
}

// -----

region.func @a_scan_along_no_axis<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{the axis 'k' is none of the operand's, which are (m, n)}}
  %s = scan sum %x along k : f32 over (m, n)
  yield %s to Y
}

// -----

region.func @a_scan_over_other_axes<M, N> iters (m: M, n: N) ins (%X: memref<[M], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  // expected-error@+1 {{the result is over the axes (m, n), and its operand over (m)}}
  %s = scan sum %x along m : f32 over (m, n)
  yield %s to Y
}

// -----

region.func @a_scan_along_a_reduced_axis<M, N> iters (m: M) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{the axis 'n' is none of the results}}
  %s = scan sum %x along n : f32 over (m, n)
  %y = reduce sum (n: N) acc f32 init 0.0 { yield %s } : f32 over (m)
  yield %y to Y
}

// -----

region.func @a_scan_in_a_reduction<M, N> iters (m: M) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M], f32> materialize gmem) {
  %y = reduce sum (n: N) acc f32 init 0.0 {
    %x = read %X[m, n] : f32 over (m, n)
    // expected-error@+1 {{a scan stands directly in the kernel; move it before the reduction around it}}
    %s = scan sum %x along m : f32 over (m, n)
    yield %s
  } : f32 over (m)
  yield %y to Y
}

// -----

region.func @a_scan_in_a_narrow_type<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f16> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{numbers of type f32 cannot be accumulated in f16, which is narrower}}
  %s = scan sum %x along n : f16 over (m, n)
  yield %s to Y
}

// -----

region.func @groups_of_nothing<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{at least 1 position goes together, not -1}}
  %s = scan sum %x along n every -1 : f32 over (m, n)
  yield %s to Y
}

// -----

region.func @a_recurrence_without_factors<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{'linear' is of 2 operands, and 1 are given; write the factors first: 'scan linear %a, %b'}}
  %s = scan linear %x along n : f32 over (m, n)
  yield %s to Y
}

// -----

region.func @factors_over_other_axes<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>, %A: memref<[M], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %a = read %A[m] : f32 over (m)
  // expected-error@+1 {{the result is over the axes (m, n), and its operand over (m)}}
  %s = scan linear %a, %x along n : f32 over (m, n)
  yield %s to Y
}

// -----

region.func @a_sort_in_a_reduction<M, N> iters (m: M) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M], f32> materialize gmem) {
  %y = reduce sum (n: N) acc f32 init 0.0 {
    %x = read %X[m, n] : f32 over (m, n)
    // expected-error@+1 {{a sort stands directly in the kernel; move it before the reduction around it}}
    %s = sort %x along m : f32 over (m, n)
    yield %s
  } : f32 over (m)
  yield %y to Y
}

// -----

region.func @a_sort_along_no_axis<M, N> iters (m: M, n: N) ins (%X: memref<[M, N], f32>) outs (Y: memref<[M, N], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  // expected-error@+1 {{the axis 'k' is none of the operand's, which are (m, n)}}
  %s = sort %x along k : f32 over (m, n)
  yield %s to Y
}
