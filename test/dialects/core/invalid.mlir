// Sizes and elements that no tensor has.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

// expected-error@+1 {{a size is not negative, and -4 is}}
sample.func private @negative(tensor<[-4], f32>)

// -----

// expected-error@+1 {{a number in a size with symbols is at most 2305843009213693952, and 'M + -9223372036854775808' has another one}}
sample.func private @far_below<M>(tensor<[M + -9223372036854775808], f32>)

// -----

// expected-error@+1 {{a number in a size with symbols is at most 2305843009213693952, and '-9223372036854775808*N' has another one}}
sample.func private @far_times<N>(tensor<[-9223372036854775808*N], f32>)

// -----

// expected-error@+1 {{expected a size, such as 2*K + 1}}
sample.func private @unknown_size(tensor<[?], f32>)

// -----

// expected-error@+1 {{expected a size, such as 2*K + 1}}
sample.func private @unbalanced(tensor<[(M, 4], f32>)

// -----

// expected-error@+1 {{the elements of a tensor must be integers, index or floats}}
sample.func private @of_tensors(tensor<[4], tensor<[4], f32>>)

// -----

// expected-error@+1 {{the parameter 'dims' must be a list of sizes}}
sample.func private @not_canonical(!core.tensor<["K*2"], f32>)

// -----

// expected-error@+1 {{the parameter 'dims' must be a list of sizes}}
sample.func private @constant_as_text(!core.tensor<["4"], f32>)

// -----

// expected-error@+1 {{1 parameters are given, wanted are 2 (dims, elem)}}
sample.func private @no_elements(!core.tensor<[4]>)
