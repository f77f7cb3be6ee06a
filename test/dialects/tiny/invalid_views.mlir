// One case for each rule of the views, reported at the op that breaks it.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

tiny.func @reshape_to_other_sizes<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{[M, N] has M*N elements, [M, 2] has 2*M, and these cannot be shown to be equal}}
  %y = reshape %x to [M, 2]
  return %x
}

// -----

tiny.func @reshape_to_more<M, N>(%x: tensor<[M, N], f32>, %six: tensor<[6], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{[6] has 6 elements, [2, 4] has 8}}
  %y = reshape %six to [2, 4]
  return %x
}

// -----

tiny.func @reshape_next_to<M, N>(%x: tensor<[M + 1], f32>) -> tensor<[M + 1], f32> {
  // expected-error@+1 {{[M + 1] has M + 1 elements, [M] has M}}
  %y = reshape %x to [M]
  return %x
}

// -----

tiny.func @reshape_undecided<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{[M] has M elements, [M floordiv 4, 4] has 4*(M floordiv 4), and these cannot be shown to be equal}}
  %y = reshape %x to [M floordiv 4, 4]
  return %x
}

// -----

tiny.func @reshape_overflows<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{64 bits}}
  %y = reshape %x to [4294967296, 4294967296]
  return %x
}

// -----

tiny.func @reshape_to_another_type<M, N>(%x: tensor<[M, 1], f32>) -> tensor<[M, 1], f32> {
  // expected-error@+1 {{the result is of type tensor<[M, 2], f32>, must be tensor<[M], f32>}}
  %y = reshape %x to [M] : tensor<[M, 2], f32>
  return %x
}

// -----

tiny.func @permute_an_axis_twice<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{[0, 0] is no order of the 2 axes of [M, N]}}
  %y = permute %x by [0, 0]
  return %x
}

// -----

tiny.func @permute_too_few_axes<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{[0] is no order of the 2 axes of [M, N]}}
  %y = permute %x by [0]
  return %x
}

// -----

tiny.func @permute_a_negative_axis<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{[-1] is no order of the 1 axes of [M]}}
  %y = permute %x by [-1]
  return %x
}

// -----

tiny.func @permute_an_axis_beyond<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{[0, 2] is no order of the 2 axes of [M, N]}}
  %y = permute %x by [0, 2]
  return %x
}

// -----

tiny.func @expand_what_is_not_one<M, N>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{axis 0 has the size M and cannot become N: only 1 expands}}
  %y = expand %x to [N]
  return %x
}

// -----

tiny.func @expand_a_zero<M, N>(%x: tensor<[0], f32>) -> tensor<[0], f32> {
  // expected-error@+1 {{axis 0 has the size 0 and cannot become 2: only 1 expands}}
  %y = expand %x to [2]
  return %x
}

// -----

tiny.func @expand_to_another_rank<M, N>(%x: tensor<[1], f32>) -> tensor<[1], f32> {
  // expected-error@+1 {{[1] has 1 axes, and places are given for 2}}
  %y = expand %x to [M, 1]
  return %x
}

// -----

tiny.func @expand_with_too_few_dims<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{[M, N] has 2 axes, and places are given for 1}}
  %y = expand %x to [M, N, 2] dims [0]
  return %x
}

// -----

tiny.func @expand_with_dims_out_of_order<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{[1, 0] must be axes below 2, ascending}}
  %y = expand %x to [N, M] dims [1, 0]
  return %x
}

// -----

tiny.func @expand_with_a_dim_beyond<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{[0, 2] must be axes below 2, ascending}}
  %y = expand %x to [M, N] dims [0, 2]
  return %x
}

// -----

tiny.func @pad_low<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{'low' has 1 numbers for the 2 axes of [M, N]}}
  %y = pad %x low [1] high [0, 0]
  return %x
}

// -----

tiny.func @pad_high<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{'high' has 3 numbers for the 2 axes of [M, N]}}
  %y = pad %x low [1, 0] high [0, 0, 0]
  return %x
}

// -----

tiny.func @pad_by_less_than_nothing<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{a size is not negative, and -1 is}}
  %y = pad %x low [1, -1] high [0, 0]
  return %x
}

// -----

tiny.func @pad_with_another_type<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{the number around must be of type f32}}
  %y = pad %x low [1, 0] high [0, 0] value 1.0 : f16
  return %x
}

// -----

tiny.func @shrink_start<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{'start' has 1 numbers for the 2 axes of [M, N]}}
  %y = shrink %x from [0] to [M, N]
  return %x
}

// -----

tiny.func @shrink_stop<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{'stop' has 1 numbers for the 2 axes of [M, N]}}
  %y = shrink %x from [0, 0] to [M]
  return %x
}

// -----

tiny.func @shrink_step<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{'step' has 1 numbers for the 2 axes of [M, N]}}
  %y = shrink %x from [0, 0] to [M, N] step [2]
  return %x
}

// -----

tiny.func @shrink_backwards<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{axis 1 has the size N, and 3 to 2 is no range of it}}
  %y = shrink %x from [0, 3] to [M, 2]
  return %x
}

// -----

tiny.func @shrink_to_less_than_nothing<M, K>(%x: tensor<[M], f32>) -> tensor<[2], f32> {
  // expected-error@+1 {{E0204 'tiny.shrink': axis 0 has the size M, and K to K - 2 is no range of it; give bounds with 0 <= from <= to <= size}}
  %y = shrink %x from [K] to [K + -2] : tensor<[2], f32>
  return %y
}

// -----

tiny.func @shrink_beyond<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{axis 0 has the size M, and 0 to M + 1 is no range of it}}
  %y = shrink %x from [0, 0] to [M + 1, N]
  return %x
}

// -----

tiny.func @shrink_without_a_step<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{the step of axis 1 is 0: it must be positive}}
  %y = shrink %x from [0, 0] to [M, N] step [1, 0]
  return %x
}

// -----

tiny.func @flip_twice<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{[1, 1] must be axes below 2, ascending}}
  %y = flip %x over [1, 1]
  return %x
}

// -----

tiny.func @flip_beyond<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{[2] must be axes below 2, ascending}}
  %y = flip %x over [2]
  return %x
}

// -----

tiny.func @view_strides<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{2 strides and 1 starts are given for 1 sizes}}
  %y = view %x as [M] strides [1, N] start [0]
  return %x
}

// -----

tiny.func @view_starts<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{2 strides and 2 starts are given for 2 sizes}}
  %y = view %x as [M, N] strides [1, N] start [0, 0]
  return %x
}

// -----

tiny.func @view_without_strides<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{'shape', 'strides' and 'start' are given together or not at all}}
  %y = "tiny.view"(%x) <{shape = ["N", "M"]}> : (!core.tensor<["M", "N"], f32>) -> !core.tensor<["N", "M"], f32>
  return %x
}

// -----

tiny.func @view_of_another_type<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{the result is of type tensor<[N, M], f32>, must be tensor<[M, N], f32>}}
  %y = view %x : tensor<[N, M], f32>
  return %x
}

// -----

tiny.func @valid_bounds<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{1 and 2 bounds are given for 2 axes}}
  %y = valid from [0] to [M, N] : tensor<[M, N], i1>
  return %x
}

// -----

tiny.func @valid_of_numbers<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{must be a tensor of i1}}
  %y = valid from [0] to [M] : tensor<[M], f32>
  return %x
}

// -----

tiny.func @load_other_elements<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{it is of type tensor<[M, N], f16>, but its elements are those of tensor<[M, N], f32>}}
  %y = load %x at [i0, i1] : tensor<[M, N], f16>
  return %x
}

// -----

tiny.func @load_all<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{without indices it is of type tensor<[M, N], f32>}}
  %y = load %x : tensor<[N, M], f32>
  return %x
}

// -----

tiny.func @load_indices<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{1 indices are given for the 2 axes of tensor<[M, N], f32>}}
  %y = load %x at [i0] : tensor<[M], f32>
  return %x
}

// -----

tiny.func @load_a_product<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{the index i0*i1 is not affine}}
  %y = load %x at [i0*i1, i1] : tensor<[M, N], f32>
  return %x
}

// -----

tiny.func @load_a_symbolic_quotient<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{the index i0 floordiv N is not affine}}
  %y = load %x at [i0 floordiv N, 0] : tensor<[M], f32>
  return %x
}

// -----

tiny.func @load_a_parametric_step<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{the index N*i0 is not affine}}
  %y = load %x at [N*i0, 0] : tensor<[M], f32>
  return %x
}

// -----

tiny.func @store_another_type<M, N>(%x: tensor<[M, N], f32>, %v: tensor<[M, N], f16>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{f16 is stored where f32 is}}
  %y = store %v into %x
  return %x
}

// -----

tiny.func @store_another_rank<M, N>(%x: tensor<[M, N], f32>, %v: tensor<[M], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{[M] cannot stand in [M, N]: the ranks differ}}
  %y = store %v into %x
  return %x
}

// -----

tiny.func @store_start<M, N>(%x: tensor<[M, N], f32>, %v: tensor<[1, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{'start' has 1 numbers for the 2 axes of [M, N]}}
  %y = store %v into %x from [1]
  return %x
}

// -----

tiny.func @store_beyond<M, N>(%x: tensor<[M, N], f32>, %v: tensor<[1, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{axis 0 has the size M, and the value goes to M + 1}}
  %y = store %v into %x from [M, 0]
  return %x
}

// -----

tiny.func @store_at_a_symbol<M, N>(%x: tensor<[M, N], f32>, %v: tensor<[1, N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0201 'tiny.store': the symbol 'from' is not declared by the function}}
  %y = store %v into %x from [from, 0]
  return %y
}

// -----

// No type has the symbol: it is in both bounds.
tiny.func @shrink_at_a_symbol<M>(%x: tensor<[M], f32>) -> tensor<[2], f32> {
  // expected-error@+1 {{E0201 'tiny.shrink': the symbol 'from' is not declared by the function}}
  %y = shrink %x from [from] to [from + 2]
  return %y
}

// -----

tiny.func @load_at_a_symbol(%x: tensor<[9], f32>) -> tensor<[5], f32> {
  // expected-error@+1 {{E0201 'tiny.load': the symbol 'offset' is not declared by the function}}
  %y = load %x at [i0 - offset + 4] : tensor<[5], f32>
  return %y
}

// -----

// Names of axes are those of the result's.
tiny.func @load_beyond_the_axes(%x: tensor<[9], f32>) -> tensor<[5], f32> {
  // expected-error@+1 {{E0201 'tiny.load': the symbol 'i32' is not declared by the function}}
  %y = load %x at [i32] : tensor<[5], f32>
  return %y
}
