// One case for each rule of reading: positions are affine, name axes and symbols that there are, and stay within what is
// read; a guard excludes the rest, and says what stands there.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

book.func @product_of_axes<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1301 'book.entry': 'i0*i1' is not affine in the axes; a position is a sum of axes times numbers, of symbols, and of quotients by positive numbers}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0*i1, i1)
  return %x
}

// -----

book.func @product_with_a_symbol<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1301 'book.entry': 'M*i1' is not affine in the axes; a position is a sum of axes times numbers, of symbols, and of quotients by positive numbers}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, M*i1)
  return %x
}

// -----

book.func @division_by_a_symbol<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1301 'book.entry': 'i1 floordiv N' is not affine in the axes; a position is a sum of axes times numbers, of symbols, and of quotients by positive numbers}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1 floordiv N)
  return %x
}

// -----

book.func @division_by_an_axis<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1301 'book.entry': 'i1 floordiv (i0 + 1)' is not affine in the axes; a position is a sum of axes times numbers, of symbols, and of quotients by positive numbers}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1 floordiv (i0 + 1))
  return %x
}

// -----

book.func @division_by_zero<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0109 the divisor must be positive, and is 0}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1 floordiv 0)
  return %x
}

// -----

book.func @division_by_less_than_zero<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0109 the divisor must be positive, and is -2}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1 floordiv -2)
  return %x
}

// -----

book.func @remainder_of_zero<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0109 the divisor must be positive, and is 0}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1 mod 0)
  return %x
}

// -----

book.func @product_in_a_guard<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1301 'book.entry': 'i0*i1' is not affine in the axes; a position is a sum of axes times numbers, of symbols, and of quotients by positive numbers}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1) where (0 <= i0*i1 < 4)
  return %x
}

// -----

book.func @product_in_an_iota<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1301 'book.iota': 'i0*i1' is not affine in the axes; a position is a sum of axes times numbers, of symbols, and of quotients by positive numbers}}
  %y = iota (i0*i1) axes (i0: M, i1: N) : tensor<[M, N], i32>
  return %x
}

// -----

book.func @unknown_symbol<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1304 'book.entry': 'K' is neither an axis nor a symbol of the function; the axes are i0, i1}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, K)
  return %x
}

// -----

book.func @unknown_symbol_in_a_guard<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1304 'book.entry': 'K' is neither an axis nor a symbol of the function; the axes are i0, i1}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1) where (i0 < K)
  return %x
}

// -----

book.func @more_axes_than_there_are<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1304 'book.entry': 'i2' is neither an axis nor a symbol of the function; the axes are i0, i1}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i2)
  return %x
}

// -----

book.func @axes_where_there_are_none<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1304 'book.entry': 'i0' is neither an axis nor a symbol of the function; there are no axes}}
  %y = entry copy axes () of %x at (i0, 0)
  return %x
}

// -----

book.func @unknown_name_in_an_iota<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1304 'book.iota': 'i2' is neither an axis nor a symbol of the function; the axes are i0, i1}}
  %y = iota (i2) axes (i0: M, i1: N) : tensor<[M, N], i32>
  return %x
}

// -----

book.func @iota_of_another_size<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1304 'book.iota': the axes have the sizes [M], but the result has [N]}}
  %y = iota (i0) axes (i0: M) : tensor<[N], i32>
  return %x
}

// -----

book.func @deep_symbol<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1304 'book.entry': 'K' in 'K + i1' is neither an axis nor a symbol of the function; the axes are i0, i1}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1 + K)
  return %x
}

// -----

book.func @too_few_positions<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1304 'book.entry': operand 0 has 2 axes, and is read at 1 positions}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0)
  return %x
}

// -----

book.func @too_many_positions<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1304 'book.entry': operand 0 has 2 axes, and is read at 3 positions}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1, 0)
  return %x
}

// -----

book.func @accesses_for_other_operands<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.entry': 1 operands are read, and 0 accesses are given}}
  %y = "book.entry"(%x) <{accesses = [], axes = ["M", "N"], function = "copy"}> : (!core.tensor<["M", "N"], f32>) -> !core.tensor<["M", "N"], f32>
  return %x
}

// -----

book.func @another_axis<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1302 'book.entry': operand 0 is read at 'i0', which may lie outside of 0 to M; add the guard 'where (0 <= i0 < M)'}}
  %y = entry copy axes (i0: N, i1: M) of %x at (i0, i1)
  return %x
}

// -----

book.func @before_the_start<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1302 'book.entry': operand 0 is read at 'i1 - 1', which may lie outside of 0 to N; add the guard 'where (0 <= i1 - 1 < N)'}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1 - 1)
  return %x
}

// -----

book.func @past_the_end<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1302 'book.entry': operand 0 is read at 'i1 + 1', which may lie outside of 0 to N; add the guard 'where (0 <= i1 + 1 < N)'}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1 + 1)
  return %x
}

// -----

book.func @a_number_of_what_may_be_empty<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1302 'book.entry': operand 0 is read at '0', which may lie outside of 0 to N; add the guard 'where (0 <= 0 < N)'}}
  %y = entry copy axes (i0: M) of %x at (i0, 0)
  return %x
}

// -----

book.func @guard_of_one_side<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1302 'book.entry': operand 0 is read at 'i1 - 1', which may lie outside of 0 to N; add the guard 'where (0 <= i1 - 1 < N)'}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1 - 1) where (i1 - 1 < N)
  return %x
}

// -----

book.func @guard_that_is_too_wide<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1302 'book.entry': operand 0 is read at 'i1 - 1', which may lie outside of 0 to N; add the guard 'where (0 <= i1 - 1 < N)'}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1 - 1) where (0 <= i1 - 1 < N) or (i0 < 3)
  return %x
}

// -----

book.func @guard_that_says_nothing<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1302 'book.entry': operand 0 is read at 'i1 + 1', which may lie outside of 0 to N; add the guard 'where (0 <= i1 + 1 < N)'}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1 + 1) where ()
  return %x
}

// -----

book.func @guard_for_another_axis<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1302 'book.entry': operand 0 is read at 'i1 + 1', which may lie outside of 0 to N; add the guard 'where (0 <= i1 + 1 < N)'}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1 + 1) where (0 <= i0 + 1 < N)
  return %x
}

// -----

book.func @steps_too_large<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1302 'book.entry': operand 0 is read at '2*i1', which may lie outside of 0 to N; add the guard 'where (0 <= 2*i1 < N)'}}
  %y = entry copy axes (i0: M, i1: 2) of %x at (i0, 2*i1) where (i1 < N)
  return %x
}

// -----

book.func @reads_beyond_in_a_reduction<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1302 'book.reduce': operand 0 is read at 'i1', which may lie outside of 0 to N; add the guard 'where (0 <= i1 < N)'}}
  %y = reduce sum axes (i0: M) over (i1: N + 1) of %x at (i0, i1) acc f32
  return %x
}

// -----

book.func @positions_beyond_64_bits<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E1302 'book.entry': operand 0 is read at '4611686018427387904*i0 + 4611686018427387904*i1', which may lie outside of 0 to M; add the guard 'where (0 <= 4611686018427387904*i0 + 4611686018427387904*i1 < M)'}}
  %y = entry copy axes (i0: 9223372036854775807, i1: 9223372036854775807) of %x at (4611686018427387904*i0 + 4611686018427387904*i1, 0)
  return %x
}

// -----

book.func @guard_that_is_none<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0205 'book.entry': the attribute 'accesses' must be a list of accesses, such as [{at = ["i0", 0]}], but is [{at = [0, 0], where = [["i0"]]}]}}
  %y = "book.entry"(%x) <{accesses = [{at = [0, 0], where = [["i0"]]}], axes = ["M"], function = "copy"}> : (!core.tensor<["M", "N"], f32>) -> !core.tensor<["M"], f32>
  return %x
}

// -----

book.func @guard_out_of_canonical_form<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0205 'book.entry': the attribute 'accesses' must be a list of accesses, such as [{at = ["i0", 0]}], but is [{at = ["i0", 0], where = [["i0 + 0 < 4"]]}]}}
  %y = "book.entry"(%x) <{accesses = [{at = ["i0", 0], where = [["i0 + 0 < 4"]]}], axes = ["M"], function = "copy"}> : (!core.tensor<["M", "N"], f32>) -> !core.tensor<["M"], f32>
  return %x
}

// -----

book.func @access_with_another_key<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0205 'book.entry': the attribute 'accesses' must be a list of accesses, such as [{at = ["i0", 0]}], but is [{at = ["i0", 0], when = 1}]}}
  %y = "book.entry"(%x) <{accesses = [{at = ["i0", 0], when = 1}], axes = ["M"], function = "copy"}> : (!core.tensor<["M", "N"], f32>) -> !core.tensor<["M"], f32>
  return %x
}

// -----

book.func @condition_without_a_sign<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0001 expected '<', '<=', '>', '>=' or '==', found ')'}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1) where (i0)
  return %x
}

// -----

book.func @condition_with_two_lower_bounds<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0109 this bounds nothing; write '0 <= i < N', 'i < N' or 'i == 2'}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1) where (0 <= i0 >= 3)
  return %x
}

// -----

book.func @fill_without_a_guard<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.entry': operand 0 is read everywhere, so there is nothing outside; write 'where (..)' before 'else', or leave 'else' out}}
  %y = entry copy axes (i0: M, i1: N) of %x at (i0, i1) else 0.0
  return %x
}

// -----

book.func @fill_of_another_type<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'book.entry': the number outside of the guard of operand 0 is not of the type of its elements}}
  %y = "book.entry"(%x) <{accesses = [{at = ["i0", "i1"], fill = 1 : i32, where = [["i0 < 4"]]}], axes = ["M", "N"], function = "copy"}> : (!core.tensor<["M", "N"], f32>) -> !core.tensor<["M", "N"], f32>
  return %x
}

// -----

book.func @fill_that_does_not_fit<M, N>(%x: tensor<[M, N], f32>, %b: tensor<[4], i8>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0109 the number does not fit the type i8}}
  %y = entry copy axes (i0: 4) of %b at (i0) where (i0 < 2) else 300
  return %x
}

// -----

book.func @infinity_of_a_type_without_one<M, N>(%x: tensor<[M, N], f32>, %b: tensor<[4], f8E4M3FN>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0109 the number does not fit the type f8E4M3FN}}
  %y = entry copy axes (i0: 4) of %b at (i0) where (i0 < 2) else -inf
  return %x
}

// -----

book.func @excessive_pieces<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-warning@+1 {{W2101 'book.entry': the guard has 17 pieces; leave out what follows from the rest, and join pieces that touch}}
  %y = entry copy axes (i0: M) of %x at (i0) where (i0 == 0) or (i0 == 2) or (i0 == 4) or (i0 == 6) or (i0 == 8) or (i0 == 10) or (i0 == 12) or (i0 == 14) or (i0 == 16) or (i0 == 18) or (i0 == 20) or (i0 == 22) or (i0 == 24) or (i0 == 26) or (i0 == 28) or (i0 == 30) or (i0 == 32)
  return %y
}
