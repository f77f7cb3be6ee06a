// RUN: dlc-opt %s --split-input-file --verify-diagnostics --align-params

// Nothing says what the size is.
book.func @unknown<M, R>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error @+1 {{E1304 'book.iota': the size of axis i1, R, does not agree with the signature}}
  %i = iota (i1) axes (i0: M, i1: R) : tensor<[M, R], f32>
  %s = reduce sum axes (i0: M) over (i1: R) of %i at (i0, i1) acc f32 : tensor<[M], f32>
  return %s
}

// -----

// A size that is no size of an axis.
book.func @position<M, R>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error @+1 {{E1304 'book.entry': 'R' is no size of the signature}}
  %y = entry neg axes (i0: M) of %x at (i0 + R) where (0 <= i0 + R < M) : tensor<[M], f32>
  return %y
}

// -----

// The axis that is reduced is none of the result.
book.func @reduced<M, R>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error @+1 {{E1304 'book.reduce': 'R' is no size of the signature}}
  %y = reduce sum axes (i0: M) over (i1: R) of %x at (i0) acc f32 : tensor<[M], f32>
  return %y
}

// -----

// No size times 4 is M.
book.func @divided<M, R>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error @+1 {{E1304 'book.reshape': the size of axis i0, R, does not agree with the signature}}
  %a = reshape non_scop %x : tensor<[R, 4], f32>
  %y = reshape non_scop %a : tensor<[M], f32>
  return %y
}

// -----

// The first reshape says that R is M, and so the second is between 2*M and 2*M + 1 elements.
book.func @twice<M, R>(%x: tensor<[M, 2], f32>) -> tensor<[2*M + 1], f32> {
  %a = reshape non_scop %x : tensor<[R, 2], f32>
  // expected-error @+1 {{E1304 'book.reshape': 2*M elements cannot become 2*M + 1: the sizes do not agree with the signature}}
  %y = reshape non_scop %a : tensor<[2*M + 1], f32>
  return %y
}
