// One case for each rule, reported at the op that breaks it.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

tiny.func @other_sizes<M, N, K>(%x: tensor<[M, N], f32>) -> tensor<[M, K], f32> {
  // expected-error@+1 {{[M, N] has M*N elements, [M, K] has K*M}}
  %y = reshape %x to [M, K]
  return %y
}

// -----

tiny.func @another_constant(%x: tensor<[6], f32>) -> tensor<[2, 4], f32> {
  // expected-error@+1 {{[6] has 6 elements, [2, 4] has 8}}
  %y = reshape %x to [2, 4]
  return %y
}

// -----

tiny.func @another_type<M>(%x: tensor<[M, 1], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{the result is of type tensor<[M, 2], f32>, must be tensor<[M], f32>}}
  %y = reshape %x to [M] : tensor<[M, 2], f32>
  // expected-error@+1 {{returns (tensor<[M, 2], f32>), but the function returns (tensor<[M], f32>)}}
  return %y
}

// -----

tiny.func @an_axis_twice<M>(%x: tensor<[M, M], f32>) -> tensor<[M, M], f32> {
  // expected-error@+1 {{[0, 0] is no order of the 2 axes of [M, M]}}
  %y = permute %x by [0, 0]
  return %y
}

// -----

tiny.func @too_few_axes<M>(%x: tensor<[M, M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{[0] is no order of the 2 axes of [M, M]}}
  %y = permute %x by [0]
  return %y
}

// -----

tiny.func @no_such_axis<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{[-1] is no order of the 1 axes of [M]}}
  %y = permute %x by [-1]
  return %y
}

// -----

tiny.func @only_one_expands<M, N>(%x: tensor<[M], f32>) -> tensor<[N], f32> {
  // expected-error@+1 {{axis 0 has the size M and cannot become N: only 1 expands}}
  %y = expand %x to [N]
  return %y
}

// -----

tiny.func @expand_keeps_the_rank<M>(%x: tensor<[1], f32>) -> tensor<[M, 1], f32> {
  // expected-error@+1 {{[1] has 1 axes, [M, 1] has 2}}
  %y = expand %x to [M, 1]
  return %y
}

// -----

tiny.func @sizes_that_differ<M, N>(%x: tensor<[M], f32>, %y: tensor<[N], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{[M] and [N] cannot be broadcast: M meets N}}
  %z = add %x, %y
  return %z
}

// -----

tiny.func @formats_that_differ<M>(%x: tensor<[M], f16>, %y: tensor<[M], bf16>) -> tensor<[M], f16> {
  // expected-error@+1 {{neither of f16 and bf16 holds the other: cast one of them}}
  %z = mul %x, %y
  return %z
}

// -----

tiny.func @an_axis_out_of_order<M>(%x: tensor<[M, M], f32>) -> tensor<[], f32> {
  // expected-error@+1 {{[1, 0] must be axes of [M, M], ascending}}
  %y = reduce sum %x over [1, 0]
  return %y
}

// -----

tiny.func @an_axis_beyond<M>(%x: tensor<[M], f32>) -> tensor<[], f32> {
  // expected-error@+1 {{[1] must be axes of [M], ascending}}
  %y = reduce sum %x over [1]
  return %y
}

// -----

tiny.func @a_narrow_accumulator<M>(%x: tensor<[M], f32>) -> tensor<[], f16> {
  // expected-error@+1 {{elements of type f32 cannot be accumulated in f16, which is narrower}}
  %y = reduce sum %x over [0] acc f16
  return %y
}

// -----

tiny.func @an_unknown_combiner<M>(%x: tensor<[M], f32>) -> tensor<[], f32> {
  // expected-error@+1 {{'summ' is no combiner; it is one of sum, prod, max, min}}
  %y = reduce summ %x over [0]
  return %y
}

// -----

tiny.func @a_cast_to_no_number<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{a tensor has no elements of type none}}
  %y = cast %x to none
  return %y
}

// -----

tiny.func @relu_keeps_its_type<M>(%x: tensor<[M], f32>) -> tensor<[M], f16> {
  // expected-error@+1 {{all operands and results must have one type, but here are tensor<[M], f32> and tensor<[M], f16>}}
  %y = relu %x : tensor<[M], f16>
  return %y
}

// -----

tiny.func @operands_are_tensors(%x: f32) -> f32 {
  // expected-error@+1 {{operand 0 must be a tensor}}
  %y = add %x, %x
  return %y
}

// -----

tiny.func @a_constant_that_does_not_fit() -> tensor<[], i8> {
  // expected-error@+1 {{the number does not fit the type i8}}
  %c = const 300 : tensor<[], i8>
  return %c
}

// -----

tiny.func @a_fraction_among_integers() -> tensor<[], i8> {
  // expected-error@+1 {{the number does not fit the type i8}}
  %c = const 0.5 : tensor<[], i8>
  return %c
}

// -----

tiny.func @a_constant_of_another_type() -> tensor<[], f32> {
  // expected-error@+1 {{the number must be of the type of the tensor's elements}}
  %c = "tiny.const"() <{value = 1.0 : f16}> : () -> tensor<[], f32>
  return %c
}

// -----

// expected-error@+1 {{the symbol 'N' is not declared}}
tiny.func @undeclared<M>(%x: tensor<[M, N], f32>) -> tensor<[M], f32> {
  %y = reduce sum %x over [1]
  return %y
}

// -----

tiny.func @undeclared_inside<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{the symbol 'N' is not declared by the function}}
  %c = const 0.0 : tensor<[N], f32>
  return %x
}

// -----

// expected-error@+1 {{a symbol is declared twice}}
tiny.func @declared_twice<M, M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  return %x
}

// -----

tiny.func @branches<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
// expected-error@-1 {{a tensor program has no branches: one block}}
  return %x
^bb1:
  return %x
}

// -----

// expected-error@+1 {{'arg_attrs' must have a dictionary for each of the 0 arguments}}
"tiny.func"() <{arg_attrs = [{}], function_type = () -> (), sym_name = "f"}> ({}) : () -> ()
