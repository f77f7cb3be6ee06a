// One case for each rule of convolutions and pooling, reported at the op that breaks it.

// RUN: dlc-opt %s --verify-diagnostics --split-input-file

frontend.graph @spatial_axes(%x: tensor<[1, 4], f32>, %w: tensor<[6, 4], f32>) {
  // expected-error@+1 {{[1, 4] and weights of [6, 4] are no convolution}}
  %y = conv %x, %w
  output
}

// -----

frontend.graph @ranks_differ(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[6, 4, 3], f32>) {
  // expected-error@+1 {{are no convolution: both have a batch or an output axis}}
  %y = conv %x, %w
  output
}

// -----

frontend.graph @channels_differ(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[6, 3, 3, 3], f32>) {
  // expected-error@+1 {{the input has 4 channels, but weights of [6, 3, 3, 3] take 3}}
  %y = conv %x, %w
  output
}

// -----

frontend.graph @channels_of_groups(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[6, 4, 3, 3], f32>) {
  // expected-error@+1 {{the input has 4 channels, but weights of [6, 4, 3, 3] take 8 (2 groups)}}
  %y = conv %x, %w groups 2
  output
}

// -----

frontend.graph @layout_of_channels(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[6, 4, 3, 3], f32>) {
  // expected-error@+1 {{the input has 8 channels, but weights of [6, 4, 3, 3] take 3}}
  %y = conv %x, %w layout channels_last
  output
}

// -----

frontend.graph @groups_of_outputs(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[5, 2, 3, 3], f32>) {
  // expected-error@+1 {{5 channels cannot be divided into 2 groups}}
  %y = conv %x, %w groups 2
  output
}

// -----

frontend.graph @no_groups(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[6, 4, 3, 3], f32>) {
  // expected-error@+1 {{'groups' must be at least 1 and below 2^31, and 0 is not}}
  %y = conv %x, %w groups 0
  output
}

// -----

frontend.graph @bias_of_outputs(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[6, 4, 3, 3], f32>, %b: tensor<[4], f32>) {
  // expected-error@+1 {{the bias is [4], but there are 6 output channels}}
  %y = conv %x, %w bias %b
  output
}

// -----

frontend.graph @bias_axes(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[6, 4, 3, 3], f32>, %b: tensor<[1, 6], f32>) {
  // expected-error@+1 {{the bias is [1, 6], but there are 6 output channels}}
  %y = conv %x, %w bias %b
  output
}

// -----

frontend.graph @stride_count(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[6, 4, 3, 3], f32>) {
  // expected-error@+1 {{'stride' has 1 numbers, and 2 are needed for the spatial axes}}
  %y = conv %x, %w stride [2]
  output
}

// -----

frontend.graph @stride_zero(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[6, 4, 3, 3], f32>) {
  // expected-error@+1 {{'stride' must be at least 1 and below 2^31, and 0 is not}}
  %y = conv %x, %w stride [1, 0]
  output
}

// -----

frontend.graph @dilation_negative(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[6, 4, 3, 3], f32>) {
  // expected-error@+1 {{'dilation' must be at least 1 and below 2^31, and -1 is not}}
  %y = conv %x, %w dilation [-1, 1]
  output
}

// -----

frontend.graph @pad_count(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[6, 4, 3, 3], f32>) {
  // expected-error@+1 {{'pad' has 3 numbers, and 4 are needed for the spatial axes (or one for both sides of each)}}
  %y = conv %x, %w pad [1, 1, 1]
  output
}

// -----

frontend.graph @pad_negative(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[6, 4, 3, 3], f32>) {
  // expected-error@+1 {{'pad' must be at least 0 and below 2^31, and -1 is not}}
  %y = conv %x, %w pad [-1, 0]
  output
}

// -----

frontend.graph @window_too_large(%x: tensor<[1, 4, 2, 8], f32>, %w: tensor<[6, 4, 5, 3], f32>) {
  // expected-error@+1 {{a window that covers 5 elements is larger than axis 2 of size 2, with 1 put before it and 0 after}}
  %y = conv %x, %w pad [1, 0, 0, 0]
  output
}

// -----

frontend.graph @window_apart(%x: tensor<[1, 4, 8, 1], f32>, %w: tensor<[6, 4, 3, 3], f32>) {
  // expected-error@+1 {{a window that covers 5 elements is larger than axis 3 of size 1}}
  %y = conv %x, %w dilation [2, 2]
  output
}

// -----

frontend.graph @window_of_nothing(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[6, 4, 0, 3], f32>) {
  // expected-error@+1 {{a window has at least 1 element on each axis, not 0}}
  %y = conv %x, %w
  output
}

// -----

frontend.graph @narrow_accumulator(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[6, 4, 3, 3], f32>) {
  // expected-error@+1 {{elements of type f32 cannot be accumulated in f16, which is narrower}}
  %y = conv %x, %w acc f16
  output
}

// -----

frontend.graph @unknown_layout(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[6, 4, 3, 3], f32>) {
  // expected-error@+1 {{'nhwc' is no layout}}
  %y = conv %x, %w layout nhwc
  output
}

// -----

frontend.graph @transposed_channels(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[3, 4, 2, 2], f32>) {
  // expected-error@+1 {{the input has 4 channels, but weights of [3, 4, 2, 2] take 3}}
  %y = conv_transpose %x, %w
  output
}

// -----

frontend.graph @transposed_groups(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[4, 4, 2, 2], f32>) {
  // expected-error@+1 {{4 channels cannot be divided into 3 groups}}
  %y = conv_transpose %x, %w groups 3
  output
}

// -----

frontend.graph @transposed_bias(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[4, 3, 2, 2], f32>, %b: tensor<[3], f32>) {
  // expected-error@+1 {{the bias is [3], but there are 6 output channels}}
  %y = conv_transpose %x, %w bias %b groups 2
  output
}

// -----

frontend.graph @output_pad_large(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[4, 3, 2, 2], f32>) {
  // expected-error@+1 {{'output_pad' is 2, with stride 2 and dilation 1}}
  %y = conv_transpose %x, %w stride [2, 2] output_pad [0, 2]
  output
}

// -----

frontend.graph @output_pad_count(%x: tensor<[1, 4, 8, 8], f32>, %w: tensor<[4, 3, 2, 2], f32>) {
  // expected-error@+1 {{'output_pad' has 1 numbers, and 2 are needed for the spatial axes}}
  %y = conv_transpose %x, %w output_pad [0]
  output
}

// -----

frontend.graph @transposed_pad_large(%x: tensor<[1, 4, 2], f32>, %w: tensor<[4, 3, 2], f32>) {
  // expected-error@+1 {{'pad' cuts off more than there is: axis 2 would have the size -3}}
  %y = conv_transpose %x, %w pad [3]
  output
}

// -----

frontend.graph @transposed_too_large(%x: tensor<[1099511627776, 4, 1048576], f32>, %w: tensor<[4, 3, 2], f32>) {
  // expected-error@+1 {{its windows of the input and of the zeros put into it have more elements than 64 bits count}}
  %y = conv_transpose %x, %w stride [1048576]
  output
}

// -----

frontend.graph @conv_too_large(%x: tensor<[1099511627776, 4, 1048576], f32>, %w: tensor<[4, 4, 2], f32>) {
  // expected-error@+1 {{its windows of the input and of the zeros put into it have more elements than 64 bits count}}
  %y = conv %x, %w pad [2147483647]
  output
}

// -----

frontend.graph @pool_axes(%x: tensor<[1, 4, 8, 8], f32>) {
  // expected-error@+1 {{a window of 1 axes does not move over [1, 4, 8, 8]}}
  %y = max_pool %x window [2]
  output
}

// -----

frontend.graph @pool_no_axes(%x: tensor<[1, 4], f32>) {
  // expected-error@+1 {{a window of 0 axes does not move over [1, 4]}}
  %y = max_pool %x window []
  output
}

// -----

frontend.graph @pool_window_zero(%x: tensor<[1, 4, 8, 8], f32>) {
  // expected-error@+1 {{'window' must be at least 1 and below 2^31, and 0 is not}}
  %y = max_pool %x window [2, 0]
  output
}

// -----

frontend.graph @pool_stride_count(%x: tensor<[1, 4, 8, 8], f32>) {
  // expected-error@+1 {{'stride' has 1 numbers, and 2 are needed for the spatial axes}}
  %y = max_pool %x window [2, 2] stride [2]
  output
}

// -----

frontend.graph @pool_sees_nothing(%x: tensor<[1, 4, 8, 8], f32>) {
  // expected-error@+1 {{a window that covers 2 elements would see none of the axis: 2 are put before and 2 after it}}
  %y = max_pool %x window [2, 2] pad [2, 0]
  output
}

// -----

frontend.graph @pool_too_large(%x: tensor<[1, 4, 8, 8], f32>) {
  // expected-error@+1 {{a window that covers 10 elements is larger than axis 3 of size 8}}
  %y = avg_pool %x window [3, 10] stride [1, 1]
  output
}

// -----

frontend.graph @pool_ceil_too_large(%x: tensor<[1, 4, 1], f32>) {
  // expected-error@+1 {{a window that covers 9 elements is larger than axis 2 of size 1}}
  %y = avg_pool %x window [9] stride [1] ceil
  output
}

// -----

frontend.graph @mean_of_integers(%x: tensor<[1, 4, 8, 8], i32>) {
  // expected-error@+1 {{the operand 'input' must be a tensor of floats, but is tensor<[1, 4, 8, 8], i32>}}
  %y = "frontend.avg_pool"(%x) <{window = array<i64: 2, 2>}> : (tensor<[1, 4, 8, 8], i32>) -> tensor<[1, 4, 4, 4], f32>
  output
}

// -----

frontend.graph @global_pool_axes(%x: tensor<[1, 4], f32>) {
  // expected-error@+1 {{[1, 4] has no spatial axes}}
  %y = global_avg_pool %x
  output
}

// -----

// There is no image, and the sizes of one are computed.
frontend.graph @spread_of_nothing(%x: tensor<[0, 1, 4294967299], f32>, %w: tensor<[1, 1, 1], f32>) {
  // expected-error@+1 {{its windows of the input and of the zeros put into it have more elements than 64 bits count}}
  %y = conv_transpose %x, %w stride [2147483647]
  output
}

// -----

frontend.graph @windows_of_zeros(%x: tensor<[1, 4, 2], f32>, %w: tensor<[4, 3, 2147483647], f32>) {
  // expected-error@+1 {{its windows of the input and of the zeros put into it have more elements than 64 bits count}}
  %y = conv_transpose %x, %w pad [3]
  output
}
