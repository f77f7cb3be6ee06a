// Tensors with more elements than 64 bits count cannot be under other sizes: what may need that is refused.

// RUN: not dlc-opt %s --lower-frontend --split-input-file 2>&1 | FileCheck %s

// CHECK: 'frontend.softmax': the op is not legal here, and no pattern that converts it matches
// CHECK: the pattern 'softmax' does not match: one of its tensors has more elements than 64 bits count
frontend.graph @rows(%x: tensor<[1099511627776, 1099511627776, 3], f32>) -> tensor<[1099511627776, 1099511627776, 3], f32> {
  %y = softmax %x
  output %y
}

// -----

// There are no elements, but rows of them.
// CHECK: the pattern 'layer_norm' does not match: one of its tensors has more elements than 64 bits count
frontend.graph @empty(%x: tensor<[0, 1099511627776, 1099511627776], f32>) -> tensor<[0, 1099511627776, 1099511627776], f32> {
  %y = layer_norm %x over [0]
  output %y
}

// -----

// No channels can be divided into any number of groups, which become an axis.
// CHECK: the pattern 'group_norm' does not match: one of its tensors has more elements than 64 bits count
frontend.graph @groups_of_nothing(%x: tensor<[2, 0, 4], f32>) -> tensor<[2, 0, 4], f32> {
  %y = group_norm %x groups 9223372036854775807
  output %y
}
