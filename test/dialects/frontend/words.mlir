// What somebody writes who comes from another compiler, or mistypes: the answer is what to write here.

// RUN: dlc-opt %s --split-input-file --verify-diagnostics

frontend.graph @end<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'return'; in frontend it is written 'output'}}
  return %x
}

// -----

// expected-error@+1 {{no dialect registers the op 'frontend.func'; in frontend it is written 'graph'}}
frontend.func @frame<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  output %x
}

// -----

frontend.graph @keyword<M, N>(%x: tensor<[M, N], f32>, %g: tensor<[N], f32>) -> tensor<[M, N], f32> {
  // expected-error@+1 {{E0001 'frontend.rms_norm' has no keyword 'weigth'; did you mean 'weight'?}}
  %y = rms_norm %x over [1] weigth %g
  output %y
}

// -----

frontend.graph @number<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{E0001 expected a value, found a float; operands are values: make one before, as in '%c = full 0.5 : tensor<[], f32>'}}
  %y = mul %x, 0.5
  output %y
}

// -----

frontend.graph @axes<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{[-1] must be axes below 2, ascending; axes are counted from 0: write [1]}}
  %y = mean %x over [-1]
  output %y
}

// -----

// A matrix that lies the other way, and the way out.
frontend.graph @trans_b<M, N, K>(%x: tensor<[M, K], f16>, %w: tensor<[N, K], f16>) -> tensor<[M, N], f16> {
  // expected-error@+1 {{the index k has the size K in [M, K] and the size N in [N, K]; add 'trans_b': the second operand is [n, k]}}
  %y = gemm %x, %w
  output %y
}

// -----

frontend.graph @leave_out<M, N, K>(%x: tensor<[M, K], f16>, %w: tensor<[K, N], f16>) -> tensor<[M, N], f16> {
  // expected-error@+1 {{leave out 'trans_b': the second operand is [k, n]}}
  %y = gemm %x, %w trans_b
  output %y
}

// -----

frontend.graph @trans_a<M, N, K>(%x: tensor<[K, M], f16>, %w: tensor<[K, N], f16>) -> tensor<[M, N], f16> {
  // expected-error@+1 {{the index k has the size M in [K, M] and the size K in [K, N]; add 'trans_a': the first operand is [k, m]}}
  %y = gemm %x, %w
  output %y
}

// -----

frontend.graph @linear<M, N, K>(%x: tensor<[M, K], f16>, %w: tensor<[K, N], f16>) -> tensor<[M, N], f16> {
  // expected-error@+1 {{the weights are [in, out]: add 'transposed'}}
  %y = linear %x, %w
  output %y
}
