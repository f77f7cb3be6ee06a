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

// -----

// Names of ONNX and PyTorch. Neither case nor '_' counts.
frontend.graph @relu<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'Relu'; did you mean 'frontend.relu'?}}
  %y = Relu %x
  output %y
}

// -----

frontend.graph @word<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'LayerNormalization'; in frontend it is written 'layer_norm'}}
  %y = LayerNormalization %x
  output %y
}

// -----

frontend.graph @word<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'MatMul'; in frontend it is written 'gemm'}}
  %y = MatMul %x
  output %y
}

// -----

frontend.graph @word<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'Clip'; in frontend it is written 'clamp'}}
  %y = Clip %x
  output %y
}

// -----

frontend.graph @word<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'GlobalAveragePool'; in frontend it is written 'global_avg_pool'}}
  %y = GlobalAveragePool %x
  output %y
}

// -----

frontend.graph @word<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'ReduceMean'; in frontend it is written 'mean'}}
  %y = ReduceMean %x
  output %y
}

// -----

frontend.graph @word<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'Conv2d'; in frontend it is written 'conv'}}
  %y = Conv2d %x
  output %y
}

// -----

frontend.graph @word<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'dot_general'; in frontend it is written 'einsum'}}
  %y = dot_general %x
  output %y
}

// -----

frontend.graph @word<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'index_select'; in frontend it is written 'take'}}
  %y = index_select %x
  output %y
}

// -----

frontend.graph @word<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'masked_fill'; in frontend it is written 'where'}}
  %y = masked_fill %x
  output %y
}

// -----

frontend.graph @word<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'chunk'; in frontend it is written 'split'}}
  %y = chunk %x
  output %y
}

// -----

// In another spelling it is an op of the layer.
frontend.graph @topk<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'TopK'; did you mean 'frontend.topk'?}}
  %y = TopK %x
  output %y
}

// -----

// What has no op.
frontend.graph @dropout<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{no dialect registers the op 'dropout'; leave it out: 'dropout' changes nothing in a model that is evaluated}}
  %y = dropout %x
  output %y
}

// -----

// A graph that does not end.
frontend.graph @open<M>(%x: tensor<[M], f32>) -> tensor<[M], f32> {
  // expected-error@+1 {{a block of 'frontend.graph' must end with a terminator, not with this op; 'frontend.graph' ends with 'output'}}
  %y = relu %x
}

// -----

// Element types by their names elsewhere.
// expected-error@+1 {{E0102 expected a type, found 'float16'; did you mean 'f16'?}}
frontend.graph @elements<M>(%x: tensor<[M], float16>) -> tensor<[M], f16> {
  output %x
}

// -----

// expected-error@+1 {{did you mean 'f32'?}}
frontend.graph @elements<M>(%x: tensor<[M], torch.float32>) -> tensor<[M], f32> {
  output %x
}

// -----

// expected-error@+1 {{did you mean 'f16'?}}
frontend.graph @elements<M>(%x: tensor<[M], half>) -> tensor<[M], f16> {
  output %x
}
