// RUN: dlc-opt %s --form-regions --verify-diagnostics

// An odd number of elements is no even one, whatever the sizes are.
book.func @odd<M, R>(%x: tensor<[R, 2], f32>) -> tensor<[2*M + 1], f32> {
  // expected-error@+1 {{E1309 2*R elements cannot become 2*M + 1}}
  %y = reshape non_scop %x : tensor<[2*M + 1], f32>
  return %y
}
