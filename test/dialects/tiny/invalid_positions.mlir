// One case for each rule of positions and conditions, reported at the op that breaks it.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

tiny.func @a_range_beyond<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{axis 1 is none of the 1 axes of the result}}
  %i = range 1 : tensor<[M], i32>
  return %x
}

// -----

tiny.func @a_range_before<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{axis -1 is none of the 1 axes of the result}}
  %i = range -1 : tensor<[M], i32>
  return %x
}

// -----

tiny.func @no_index<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{there must be at least one index}}
  %y = index %x[]
  return %x
}

// -----

tiny.func @too_many_indices<M, N>(%x: tensor<[M], f32>, %i: tensor<[M], i32>) -> tensor<[M], f32> {
  // expected-error@+1 {{2 indices are given for the 1 axes of [M]}}
  %y = index %x[%i, %i]
  return %x
}

// -----

tiny.func @indices_of_other_sizes<M, N>(%x: tensor<[M, N], f32>, %i: tensor<[M], i32>, %j: tensor<[N], i32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{[M] and [N] cannot be broadcast: aligned at the right, M meets N, and neither is 1}}
  %y = index %x[%i, %j]
  return %x
}

// -----

tiny.func @an_index_that_is_a_float<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{must be a tensor of integers}}
  %y = index %x[%x]
  return %x
}

// -----

tiny.func @a_condition_for_each_element<M, N>(%x: tensor<[M], f32>, %c: tensor<[M], i1>) -> tensor<[M], f32> {
  // expected-error@+1 {{the condition is one truth value, of rank 0}}
  %y = if %c : tensor<[M], f32> { yield %x } else { yield %x }
  return %x
}

// -----

tiny.func @a_condition_that_is_a_number<M, N>(%x: tensor<[M], f32>, %c: tensor<[], i8>) -> tensor<[M], f32> {
  // expected-error@+1 {{must be a tensor of i1}}
  %y = if %c : tensor<[M], f32> { yield %x } else { yield %x }
  return %x
}

// -----

tiny.func @another_type_is_yielded<M, N>(%x: tensor<[M, N], f32>, %c: tensor<[], i1>, %r: tensor<[M], f32>) -> tensor<[M, N], f32> {
  %y = if %c : tensor<[M], f32> {
    yield %r
  } else {
  // expected-error@+1 {{yields (tensor<[M, N], f32>), but the op gives (tensor<[M], f32>)}}
    yield %x
  }
  return %x
}

// -----

tiny.func @nothing_is_yielded<M, N>(%x: tensor<[M], f32>, %c: tensor<[], i1>) -> tensor<[M], f32> {
  %y = if %c : tensor<[M], f32> {
  // expected-error@+1 {{yields (), but the op gives (tensor<[M], f32>)}}
    yield
  } else {
    yield %x
  }
  return %x
}

// -----

tiny.func @a_region_that_does_not_yield<M, N>(%x: tensor<[M], f32>, %c: tensor<[], i1>) -> tensor<[M], f32> {
  // expected-error@+1 {{region 0 must end with 'yield'}}
  %y = if %c : tensor<[M], f32> {
    return %x
  } else {
    yield %x
  }
  return %x
}

// -----

tiny.func @a_region_with_arguments<M, N>(%x: tensor<[M], f32>, %c: tensor<[], i1>) -> tensor<[M], f32> {
  // expected-error@+1 {{its regions take no arguments}}
  "tiny.if"(%c) ({
  ^bb0(%a: tensor<[M], f32>):
    "tiny.yield"() : () -> ()
  }, {
    "tiny.yield"() : () -> ()
  }) : (tensor<[], i1>) -> ()
  return %x
}
