// One case for each rule of reductions and contractions, reported at the op that breaks it.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

tiny.func @axes_out_of_order<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{[1, 0] must be axes below 2, ascending}}
  %y = reduce sum %x over [1, 0]
  return %x
}

// -----

tiny.func @an_axis_twice<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{[1, 1] must be axes below 2, ascending}}
  %y = reduce sum %x over [1, 1]
  return %x
}

// -----

tiny.func @an_axis_beyond<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{[1] must be axes below 1, ascending}}
  %y = reduce sum %x over [1]
  return %x
}

// -----

tiny.func @a_negative_axis<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{[-1] must be axes below 1, ascending}}
  %y = reduce sum %x over [-1]
  return %x
}

// -----

tiny.func @a_narrow_accumulator<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{elements of type f32 cannot be accumulated in f16, which is narrower}}
  %y = reduce sum %x over [0] acc f16
  return %x
}

// -----

tiny.func @an_accumulator_without_a_common_type<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{elements of type f32 and i4 have no common type}}
  %y = reduce sum %x over [0] acc i4
  return %x
}

// -----

tiny.func @an_unknown_combiner<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{'summ' is no combiner; it is one of sum, prod, max, min}}
  %y = reduce summ %x over [0]
  return %x
}

// -----

tiny.func @an_expression_in_the_result<M, N>(%x: tensor<[M, N], f32>, %w: tensor<[N, 3], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{the result is indexed by names alone, not by m + n}}
  %y = contract %x [m, k], %w [k, n] to [m + n]
  return %x
}

// -----

tiny.func @a_number_in_the_result<M, N>(%x: tensor<[M, N], f32>, %w: tensor<[N, 3], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{the result is indexed by names alone, not by 0}}
  %y = contract %x [m, k], %w [k, n] to [m, 0]
  return %x
}

// -----

tiny.func @an_index_twice_in_the_result<M, N>(%x: tensor<[M, N], f32>, %w: tensor<[N, 3], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{the result has the index m twice}}
  %y = contract %x [m, k], %w [k, n] to [m, m]
  return %x
}

// -----

tiny.func @an_index_that_is_not_there<M, N>(%x: tensor<[M, N], f32>, %w: tensor<[N, 3], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{nothing says how large the index p is}}
  %y = contract %x [m, k], %w [k, n] to [m, p]
  return %x
}

// -----

tiny.func @too_few_indices_left<M, N>(%x: tensor<[M, N], f32>, %w: tensor<[N, 3], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{the left operand [M, N] has 2 axes, and 1 indices}}
  %y = contract %x [m], %w [k, n] to [m, n]
  return %x
}

// -----

tiny.func @too_many_indices_right<M, N>(%x: tensor<[M, N], f32>, %w: tensor<[N, 3], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{the right operand [N, 3] has 2 axes, and 3 indices}}
  %y = contract %x [m, k], %w [k, n, p] to [m, n]
  return %x
}

// -----

tiny.func @an_index_of_two_sizes<M, N>(%x: tensor<[M, N], f32>, %w: tensor<[N, 3], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{the index k has the size N and the size 3}}
  %y = contract %x [m, k], %w [n, k] to [m, n]
  return %x
}

// -----

tiny.func @a_size_that_is_repeated<M, N>(%x: tensor<[M, N], f32>, %w: tensor<[N, 3], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{an axis that is written 0 has the size 1, not M}}
  %y = contract %x [0, k], %w [k, n] to [n]
  return %x
}

// -----

tiny.func @a_product_of_indices<M, N>(%x: tensor<[M, N], f32>, %w: tensor<[N, 3], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{the index k*m of the left operand is no sum of names}}
  %y = contract %x [m*k, k], %w [k, n] to [n]
  return %x
}

// -----

tiny.func @an_index_with_an_offset<M, N>(%x: tensor<[M, N], f32>, %w: tensor<[N, 3], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{the index k + 1 of the right operand is no sum of names}}
  %y = contract %x [m, k], %w [k + 1, n] to [m, n]
  return %x
}

// -----

tiny.func @an_index_backwards<M, N>(%x: tensor<[M, N], f32>, %w: tensor<[N, 3], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{the index -k of the right operand is no sum of names}}
  %y = contract %x [m, k], %w [-k, n] to [m, n]
  return %x
}

// -----

tiny.func @two_unknown_in_a_window<M, N>(%x: tensor<[M, N], f32>, %w: tensor<[N, 3], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{nothing says how large the index q is: its window has another such}}
  %y = contract %x [m, k], %w [p + q, n] to [m, n]
  return %x
}

// -----

tiny.func @a_window_beyond_its_axis<M, N>(%x: tensor<[10], f32>, %w: tensor<[3, 4], f32>) -> tensor<[10], f32> {
  // expected-error@+1 {{a window goes beyond the size 10 of its axis}}
  %y = contract %x [4*i + j], %w [i, j] to [i]
  return %x
}

// -----

tiny.func @a_narrow_product<M, N>(%x: tensor<[M, N], f32>, %w: tensor<[N, 3], f16>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{elements of type f32 cannot be multiplied in f16, which is narrower}}
  %y = contract %x [m, k], %w [k, n] to [m, n] product f16
  return %x
}

// -----

tiny.func @a_window_larger_than_its_axis(%x: tensor<[3], f32>, %w: tensor<[5], f32>) -> tensor<[3], f32> {
  // expected-error@+1 {{a window is larger than the axis of size 3 that it moves over}}
  %y = contract %x [i + k], %w [k] to [i]
  return %x
}

// -----

tiny.func @a_sum_over_places_of_a_window_larger_than_its_axis(%x: tensor<[3], f32>, %w: tensor<[5], f32>) -> tensor<[3], f32> {
  // expected-error@+1 {{a window is larger than the axis of size 3 that it moves over}}
  %y = contract %x [i + k], %w [k] to []
  return %x
}

// -----

tiny.func @a_narrow_sum_of_products<M, N>(%x: tensor<[M, N], f32>, %w: tensor<[N, 3], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{elements of type f32 cannot be accumulated in bf16, which is narrower}}
  %y = contract %x [m, k], %w [k, n] to [m, n] acc bf16
  return %x
}

// -----

tiny.func @products_without_a_common_type<M, N>(%x: tensor<[M, N], f32>, %w: tensor<[N], i4>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{elements of type f32 and i4 have no common type}}
  %y = contract %x [m, k], %w [k] to [m]
  return %x
}

// -----

tiny.func @a_scan_along_no_axis<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{axis 2 is none of the 2 axes of [M, N]}}
  %y = scan sum %x along 2
  return %x
}

// -----

tiny.func @a_scan_along_a_negative_axis<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{axis -1 is none of the 2 axes of [M, N]}}
  %y = scan sum %x along -1
  return %x
}

// -----

tiny.func @a_scan_in_a_narrow_type<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{elements of type f32 cannot be accumulated in f16, which is narrower}}
  %y = scan sum %x along 1 acc f16
  return %x
}

// -----

tiny.func @a_sort_along_no_axis<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{axis 2 is none of the 2 axes of [M, N]}}
  %y = sort %x along 2
  return %x
}

// -----

tiny.func @a_recurrence_without_factors<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0108 'tiny.scan': 'linear' is of 2 operands, and 1 are given; write the factors first: 'scan linear %a, %b'}}
  %y = scan linear %x along 1
  return %x
}

// -----

tiny.func @a_sum_of_two<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{'sum' is of 1 operand, and 2 are given; of two operands there is 'linear', a recurrence}}
  %y = scan sum %x, %x along 1
  return %x
}

// -----

tiny.func @factors_of_other_sizes<M, N>(%x: tensor<[M, N], f32>, %a: tensor<[N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{the operands of a scan have the same sizes, not [N] and [M, N]}}
  %y = scan linear %a, %x along 0
  return %x
}

// -----

tiny.func @a_recurrence_of_truth_values<M, N>(%x: tensor<[M, N], f32>, %a: tensor<[M, N], i1>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{a linear recurrence is of numbers, not of truth values; cast the operands to a type of numbers}}
  %y = scan linear %a, %x along 0
  return %x
}
