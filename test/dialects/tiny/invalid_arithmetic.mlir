// One case for each rule of arithmetic, reported at the op that breaks it.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

tiny.func @sizes_that_differ<M, N>(%x: tensor<[M], f32>, %y: tensor<[N], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{[M] and [N] cannot be broadcast: aligned at the right, M meets N, and neither is 1}}
  %z = add %x, %y
  return %x
}

// -----

tiny.func @sizes_that_are_not_aligned<M, N>(%x: tensor<[M, N], f32>, %y: tensor<[M], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{[M, N] and [M] cannot be broadcast: aligned at the right, N meets M, and neither is 1}}
  %z = sub %x, %y
  return %x
}

// -----

tiny.func @zero_is_not_one<M, N>(%x: tensor<[M], f32>, %y: tensor<[2], f32>, %z: tensor<[0], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{[2] and [0] cannot be broadcast: aligned at the right, 2 meets 0, and neither is 1}}
  %w = mul %y, %z
  return %x
}

// -----

tiny.func @third_sizes<M, N>(%x: tensor<[M], f32>, %y: tensor<[N], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{[M] and [N] cannot be broadcast: aligned at the right, M meets N, and neither is 1}}
  %z = mulacc %x, %x, %y
  return %x
}

// -----

tiny.func @sizes_of_a_condition<M, N>(%x: tensor<[M], f32>, %c: tensor<[N], i1>) -> tensor<[M], f32> {
  // expected-error@+1 {{[N] and [M] cannot be broadcast: aligned at the right, N meets M, and neither is 1}}
  %z = where %c, %x, %x
  return %x
}

// -----

tiny.func @sizes_compared<M, N>(%x: tensor<[M], f32>, %y: tensor<[N], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{[M] and [N] cannot be broadcast: aligned at the right, M meets N, and neither is 1}}
  %z = cmp lt %x, %y
  return %x
}

// -----

tiny.func @sizes_shifted<M, N>(%x: tensor<[M], f32>, %a: tensor<[M], i8>, %b: tensor<[N], i8>) -> tensor<[M], f32> {
  // expected-error@+1 {{[M] and [N] cannot be broadcast: aligned at the right, M meets N, and neither is 1}}
  %z = shl %a, %b
  return %x
}

// -----

tiny.func @elements_without_a_common_type<M, N>(%x: tensor<[M], f32>, %y: tensor<[M], i4>) -> tensor<[M], f32> {
  // expected-error@+1 {{elements of type f32 and i4 have no common type}}
  %z = mul %x, %y
  return %x
}

// -----

tiny.func @elements_that_cannot_be_compared<M, N>(%x: tensor<[M], f32>, %y: tensor<[M], i4>) -> tensor<[M], f32> {
  // expected-error@+1 {{elements of type f32 and i4 have no common type}}
  %z = cmp eq %x, %y
  return %x
}

// -----

tiny.func @no_tensor<M, N>(%x: tensor<[M], f32>, %y: f32) -> tensor<[M], f32> {
  // expected-error@+1 {{operand 1 must be a tensor}}
  %z = add %x, %y
  return %x
}

// -----

tiny.func @floats_divided_as_integers<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+3 {{the operand 'lhs' must be a tensor of integers, but is tensor<[M], f32>}}
  // expected-error@+2 {{the operand 'rhs' must be a tensor of integers, but is tensor<[M], f32>}}
  // expected-error@+1 {{the result 'out' must be a tensor of integers, but is tensor<[M], f32>}}
  %z = cdiv %x, %x
  return %x
}

// -----

tiny.func @integers_without_a_common_integer<M, N>(%x: tensor<[M], f32>, %a: tensor<[M], i64>, %b: tensor<[M], ui64>) -> tensor<[M], f32> {
  // expected-error@+1 {{the result 'out' must be a tensor of integers}}
  %z = and %a, %b
  return %x
}

// -----

tiny.func @floats_shifted<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+3 {{the operand 'lhs' must be a tensor of integers, but is tensor<[M], f32>}}
  // expected-error@+2 {{the operand 'rhs' must be a tensor of integers, but is tensor<[M], f32>}}
  // expected-error@+1 {{the result 'out' must be a tensor of integers, but is tensor<[M], f32>}}
  %z = shr %x, %x
  return %x
}

// -----

tiny.func @a_result_of_another_type<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{the result is of type tensor<[M], f16>, must be tensor<[M], f32>}}
  %z = relu %x : tensor<[M], f16>
  return %x
}

// -----

tiny.func @an_unknown_predicate<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{'less' is no predicate; it is one of eq, ne, lt, le, gt, ge}}
  %z = cmp less %x, %x
  return %x
}

// -----

tiny.func @a_number_as_condition<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{must be a tensor of i1}}
  %z = where %x, %x, %x
  return %x
}

// -----

tiny.func @a_cast_to_no_number<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{a tensor has no elements of type none}}
  %z = cast %x to none
  return %x
}

// -----

tiny.func @bits_of_no_number<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{bits are read as integers or floats}}
  %z = bitcast %x to none
  return %x
}

// -----

tiny.func @bits_that_do_not_fit<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{the last axis of [M] cannot be read as f64 instead of f32}}
  %z = bitcast %x to f64
  return %x
}

// -----

tiny.func @bits_without_an_axis<M, N>(%x: tensor<[M], f32>, %y: tensor<[], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{the last axis of [] cannot be read as f16 instead of f32}}
  %z = bitcast %y to f16
  return %x
}
