// RUN: dlc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect --lower-indexbook

// A symbol that has the name of an axis would be taken for one.
// expected-error @+1 {{E1304 'tiny.func': the symbol 'i0' has the name of an axis}}
tiny.func @axis<M, i0>(%x: tensor<[M, i0], f32>) -> tensor<[M, i0], f32> {
  return %x
}

// -----

// What no rule is for cannot be an entry.
tiny.func @unknown(%x: tensor<[2], f32>) -> tensor<[2], f32> {
  // expected-error @+1 {{E0453 'other.op': the op is not legal here, and no rule lowers it}}
  %y = "other.op"(%x) : (tensor<[2], f32>) -> tensor<[2], f32>
  return %y
}
