// What JSON cannot say of a graph is an error at the op.

// RUN: dlc-opt %s --emit-json --verify-diagnostics --split-input-file

frontend.graph @input_in_another_type<M>(%x: tensor<[M], f32>) -> tensor<[M], f16> {
  // expected-error@+1 {{JSON cannot give 'x' with two types of elements}}
  output %x as f16
}

// -----

// expected-error@+1 {{JSON has no name for the type i5}}
frontend.graph @no_name_for_a_type<M>(%x: tensor<[M], i5>) -> tensor<[M], f32> {
  %y = cast %x to f32
  output %y
}

// -----

// expected-error@+1 {{JSON cannot say 'onnx.name' of a tensor}}
frontend.graph @notes(%x: tensor<[2], f32> {onnx.name = "input.1"}) -> tensor<[2], f32> {
  output %x
}
