// One case for each rule of the function and of constants, reported at the op that breaks it.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

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
// expected-error@-1 {{a function of tensors has no branches: one block}}
  return %x
^bb1:
  return %x
}

// -----

// expected-error@+1 {{'arg_attrs' must have a dictionary for each of the 0 arguments}}
"tiny.func"() <{arg_attrs = [{}], function_type = () -> (), sym_name = "f"}> ({}) : () -> ()

// -----

tiny.func @elements_of_another_type() -> tensor<[2], f32> {
  // expected-error@+1 {{the elements are those of tensor<[2], f16>, not of tensor<[2], f32>}}
  %c = "tiny.const"() <{value = dense<[1.0, 2.0]> : tensor<2xf16>}> : () -> tensor<[2], f32>
  return %c
}

// -----

tiny.func @elements_of_other_sizes() -> tensor<[4], f32> {
  // expected-error@+1 {{the elements are those of tensor<[2, 2], f32>, not of tensor<[4], f32>}}
  %c = "tiny.const"() <{value = dense<1.0> : tensor<2x2xf32>}> : () -> tensor<[4], f32>
  return %c
}

// -----

tiny.func @a_vector() -> tensor<[2], f32> {
  // expected-error@+1 {{the constant is no dense tensor of numbers}}
  %c = const dense<1.0> : vector<2xf32>
  return %c
}

// -----

tiny.func @elements_of_a_vector() -> tensor<[2], f32> {
  // expected-error@+1 {{the elements are those of a vector, not of tensor<[2], f32>}}
  %c = "tiny.const"() <{value = dense<1.0> : vector<2xf32>}> : () -> tensor<[2], f32>
  return %c
}

// -----

tiny.func @a_scalar() -> tensor<[], f32> {
  // expected-error@+1 {{the type of a constant must be a tensor}}
  %c = const 1.0 : f32
  return %c
}

// -----

tiny.func @no_number() -> tensor<[], f32> {
  // expected-error@+1 {{expected a number, found 'one'}}
  %c = const one : tensor<[], f32>
  return %c
}

// -----

tiny.func @a_text() -> tensor<[], f32> {
  // expected-error@+1 {{must be a number or a dense tensor of numbers}}
  %c = "tiny.const"() <{value = "1.0"}> : () -> tensor<[], f32>
  return %c
}

// -----

tiny.func @bits_that_do_not_fit() -> tensor<[], f16> {
  // expected-error@+1 {{the number does not fit the type f16}}
  %c = const 0x12345 : tensor<[], f16>
  return %c
}

// -----

tiny.func @another_result<M>(%x: tensor<[M], f32>) -> tensor<[M], f16> {
  // expected-error@+1 {{returns (tensor<[M], f32>), but the function returns (tensor<[M], f16>)}}
  return %x
}

// -----

// expected-error@+1 {{E0201 'tiny.func': argument 1 must be a tensor, but is f32; a single number is a tensor without axes: tensor<[], f32>}}
tiny.func @argument_that_is_no_tensor<M>(%x: tensor<[M], f32>, %y: f32) -> tensor<[M], f32> {
  return %x
}

// -----

// expected-error@+1 {{E0201 'tiny.func': argument 0: 'alignment' is 24; it counts bytes and is a power of two}}
tiny.func @no_alignment<M>(%x: tensor<[M], f32> {alignment = 24}) -> tensor<[M], f32> {
  return %x
}

// -----

tiny.func @ends_like_a_region(%x: tensor<[9], f32>) -> tensor<[9], f32> {
  // expected-error@+1 {{E0201 'tiny.yield': a function ends with 'return'}}
  yield %x
}
