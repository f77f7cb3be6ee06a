// One case for each rule of softmax, normalizations and attention, reported at the op that breaks it.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

frontend.graph @softmax_axis(%x: tensor<[2, 3, 4], f32>) {
  // expected-error@+1 {{axis 3 is none of the 3 axes of [2, 3, 4]}}
  %y = softmax %x over 3
  output
}

// -----

frontend.graph @softmax_negative_axis(%x: tensor<[2, 3, 4], f32>) {
  // expected-error@+1 {{axis -1 is none of the 3 axes of [2, 3, 4]; axes are counted from 0: write 2}}
  %y = log_softmax %x over -1
  output
}

// -----

frontend.graph @softmax_of_a_scalar(%x: tensor<[], f32>) {
  // expected-error@+1 {{axis -1 is none of the 0 axes of []}}
  %y = softmax %x
  output
}

// -----

frontend.graph @norm_axes(%x: tensor<[2, 3, 4], f32>) {
  // expected-error@+1 {{[2, 1] must be axes below 3, ascending}}
  %y = layer_norm %x over [2, 1]
  output
}

// -----

frontend.graph @norm_of_a_scalar(%x: tensor<[], f32>) {
  // expected-error@+1 {{a scalar has no axis to normalize}}
  %y = rms_norm %x
  output
}

// -----

frontend.graph @norm_weight(%x: tensor<[2, 3, 4], f32>, %w: tensor<[3], f32>) {
  // expected-error@+1 {{'weight' is [3], but what it belongs to is [4]}}
  %y = layer_norm %x weight %w
  output
}

// -----

frontend.graph @norm_bias(%x: tensor<[2, 3, 4], f32>, %b: tensor<[4], f32>) {
  // expected-error@+1 {{'bias' is [4], but what it belongs to is [3, 4]}}
  %y = layer_norm %x bias %b over [1, 2]
  output
}

// -----

frontend.graph @norm_eps(%x: tensor<[2, 3, 4], f32>) {
  // expected-error@+1 {{'eps' is -0.5}}
  %y = layer_norm %x eps -0.5
  output
}

// -----

frontend.graph @rms_weight(%x: tensor<[2, 3, 4], f32>, %w: tensor<[4, 1], f32>) {
  // expected-error@+1 {{'weight' is [4, 1], but what it belongs to is [4]}}
  %y = rms_norm %x weight %w
  output
}

// -----

frontend.graph @group_count(%x: tensor<[2, 3, 4], f32>) {
  // expected-error@+1 {{3 channels cannot be divided into 2 groups}}
  %y = group_norm %x groups 2
  output
}

// -----

frontend.graph @group_zero(%x: tensor<[2, 3, 4], f32>) {
  // expected-error@+1 {{3 channels cannot be divided into 0 groups}}
  %y = group_norm %x groups 0
  output
}

// -----

frontend.graph @group_weight(%x: tensor<[2, 3, 4], f32>, %w: tensor<[4], f32>) {
  // expected-error@+1 {{'weight' is [4], but what it belongs to is [3]}}
  %y = group_norm %x groups 3 weight %w
  output
}

// -----

frontend.graph @group_channels(%x: tensor<[3], f32>) {
  // expected-error@+1 {{[3] has no axis of channels}}
  %y = group_norm %x groups 3
  output
}

// -----

frontend.graph @batch_mean(%x: tensor<[2, 3, 4], f32>, %m: tensor<[4], f32>, %v: tensor<[3], f32>) {
  // expected-error@+1 {{'mean' is [4], but what it belongs to is [3]}}
  %y = batch_norm %x mean %m variance %v
  output
}

// -----

frontend.graph @batch_variance_last(%x: tensor<[2, 3, 4], f32>, %m: tensor<[4], f32>, %v: tensor<[3], f32>) {
  // expected-error@+1 {{'variance' is [3], but what it belongs to is [4]}}
  %y = batch_norm %x mean %m variance %v layout channels_last
  output
}

// -----

frontend.graph @attention_axes(%q: tensor<[5], f32>, %k: tensor<[2, 6, 7, 8], f32>, %v: tensor<[2, 6, 7, 3], f32>) {
  // expected-error@+1 {{queries [5], keys [2, 6, 7, 8] and values [2, 6, 7, 3] have not the same axes}}
  %y = attention %q, %k, %v
  output
}

// -----

frontend.graph @attention_sizes(%q: tensor<[2, 6, 5, 8], f32>, %v: tensor<[2, 6, 7, 3], f32>) {
  // expected-error@+1 {{queries of size 8 are compared with keys of size 3}}
  %y = attention %q, %v, %v
  output
}

// -----

frontend.graph @attention_values(%q: tensor<[2, 6, 5, 8], f32>, %k: tensor<[2, 6, 7, 8], f32>) {
  // expected-error@+1 {{there are keys [2, 6, 7], but values [2, 6, 5]}}
  %y = attention %q, %k, %q
  output
}

// -----

frontend.graph @attention_batches(%q: tensor<[2, 6, 5, 8], f32>, %k: tensor<[1, 6, 7, 8], f32>) {
  // expected-error@+1 {{the leading axes of queries are [2], of keys [1]}}
  %y = attention %q, %k, %k
  output
}

// -----

frontend.graph @attention_heads(%q: tensor<[2, 6, 5, 8], f32>, %k: tensor<[2, 4, 7, 8], f32>) {
  // expected-error@+1 {{6 heads of queries are no multiple of 4 heads of keys}}
  %y = attention %q, %k, %k
  output
}

// -----

frontend.graph @attention_symbolic_heads(%q: tensor<[2, 6, 5, 8], f32>, %k: tensor<[2, 0, 7, 8], f32>) {
  // expected-error@+1 {{6 heads of queries are no multiple of 0 heads of keys}}
  %y = attention %q, %k, %k
  output
}

// -----

frontend.graph @attention_mask_type(%q: tensor<[2, 6, 5, 8], f32>, %k: tensor<[2, 6, 7, 8], f32>, %v: tensor<[2, 6, 7, 3], f32>, %m: tensor<[5, 7], i32>) {
  // expected-error@+1 {{a mask of i32 is neither true or false nor added}}
  %y = attention %q, %k, %v mask %m
  output
}

// -----

frontend.graph @attention_mask_sizes(%q: tensor<[2, 6, 5, 8], f32>, %k: tensor<[2, 6, 7, 8], f32>, %v: tensor<[2, 6, 7, 3], f32>, %m: tensor<[7, 5], i1>) {
  // expected-error@+1 {{a mask [7, 5] is not broadcast to the scores [2, 6, 5, 7]}}
  %y = attention %q, %k, %v mask %m
  output
}

// -----

frontend.graph @attention_mask_axes(%q: tensor<[2, 6, 5, 8], f32>, %k: tensor<[2, 6, 7, 8], f32>, %v: tensor<[2, 6, 7, 3], f32>, %m: tensor<[1, 2, 6, 5, 7], i1>) {
  // expected-error@+1 {{a mask [1, 2, 6, 5, 7] is not broadcast to the scores [2, 6, 5, 7]}}
  %y = attention %q, %k, %v mask %m
  output
}

// -----

frontend.graph @attention_of_integers(%q: tensor<[5, 8], i32>, %k: tensor<[5, 8], f32>) {
  // expected-error@+1 {{the operand 'query' must be a tensor of floats}}
  %y = "frontend.attention"(%q, %k, %k) : (tensor<[5, 8], i32>, tensor<[5, 8], f32>, tensor<[5, 8], f32>) -> tensor<[5, 8], f32>
  output
}
