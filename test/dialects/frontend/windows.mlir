// Convolutions and pooling, written and read in both forms.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom

// Without attributes the window moves by one, and the axes lose its reach.
// CHECK-LABEL: @conv
// CHECK{LITERAL}: %y = conv %x, %w :
frontend.graph @conv<N, H, W>(%x: tensor<[N, 4, H, W], f32>, %w: tensor<[6, 4, 3, 3], f32>) -> tensor<[N, 6, H - 2, W - 2], f32> {
  %y = conv %x, %w
  output %y
}

// The specification's convolution: 3 x 3, every second place, padded.
// CHECK-LABEL: @conv_stride_pad
// CHECK{LITERAL}: %y = conv %x, %w stride [2, 2] pad [1, 1] :
frontend.graph @conv_stride_pad<N, H, W>(%x: tensor<[N, 4, H, W], f32>, %w: tensor<[6, 4, 3, 3], f32>) -> tensor<[N, 6, (H + 1) floordiv 2, (W + 1) floordiv 2], f32> {
  %y = conv %x, %w stride [2, 2] pad [1, 1]
  output %y
}

// Products of 16-bit floats are summed in f32, which is the type of the result.
// CHECK-LABEL: @conv_accumulator
// CHECK{LITERAL}: %y = conv %x, %w pad [1, 1] acc f32 :
frontend.graph @conv_accumulator<N, H, W>(%x: tensor<[N, 4, H, W], f16>, %w: tensor<[6, 4, 3, 3], f16>) -> tensor<[N, 6, H, W], f32> {
  %y = conv %x, %w pad [1, 1] acc f32
  output %y
}

// A number for each output channel is added.
// CHECK-LABEL: @conv_bias
// CHECK{LITERAL}: %y = conv %x, %w bias %b :
frontend.graph @conv_bias<N, H, W, C, O>(%x: tensor<[N, C, H, W], f32>, %w: tensor<[O, C, 1, 1], f32>, %b: tensor<[O], f32>) -> tensor<[N, O, H, W], f32> {
  %y = conv %x, %w bias %b
  output %y
}

// A window of one element that strides leaves places out.
// CHECK-LABEL: @conv_pointwise_stride
// CHECK{LITERAL}: %y = conv %x, %w stride [2, 3] :
frontend.graph @conv_pointwise_stride<N, H, W, C, O>(%x: tensor<[N, C, H, W], f32>, %w: tensor<[O, C, 1, 1], f32>) -> tensor<[N, O, (H + 1) floordiv 2, (W + 2) floordiv 3], f32> {
  %y = conv %x, %w stride [2, 3]
  output %y
}

// One spatial axis; elements of the window are apart.
// CHECK-LABEL: @conv_1d_dilation
// CHECK{LITERAL}: %y = conv %x, %w bias %b pad [2] dilation [2] :
frontend.graph @conv_1d_dilation<N, L, C, O>(%x: tensor<[N, C, L], f32>, %w: tensor<[O, C, 3], f32>, %b: tensor<[O], f32>) -> tensor<[N, O, L], f32> {
  %y = conv %x, %w bias %b pad [2] dilation [2]
  output %y
}

// Padding before and after differs: a causal convolution.
// CHECK-LABEL: @conv_causal
// CHECK{LITERAL}: %y = conv %x, %w pad [3, 0] :
frontend.graph @conv_causal<N, L, C, O>(%x: tensor<[N, C, L], f32>, %w: tensor<[O, C, 4], f32>) -> tensor<[N, O, L], f32> {
  %y = conv %x, %w pad [3, 0]
  output %y
}

// The size of the window may be a symbol.
// CHECK-LABEL: @conv_symbolic_window
// CHECK{LITERAL}: %y = conv %x, %w stride [2] pad [1, 2] :
frontend.graph @conv_symbolic_window<N, L, C, O, K>(%x: tensor<[N, C, L], f32>, %w: tensor<[O, C, K], f32>) -> tensor<[N, O, (L - K + 5) floordiv 2], f32> {
  %y = conv %x, %w stride [2] pad [1, 2]
  output %y
}

// Three spatial axes, each with its own numbers.
// CHECK-LABEL: @conv_3d
// CHECK{LITERAL}: %y = conv %x, %w stride [1, 2, 3] pad [1, 1, 0] :
frontend.graph @conv_3d<N, D, H, W>(%x: tensor<[N, 2, D, H, W], f32>, %w: tensor<[3, 2, 2, 3, 1], f32>) -> tensor<[N, 3, D + 1, (H + 1) floordiv 2, (W + 2) floordiv 3], f32> {
  %y = conv %x, %w stride [1, 2, 3] pad [1, 1, 0]
  output %y
}

// An output channel sees the channels of its group.
// CHECK-LABEL: @conv_groups
// CHECK{LITERAL}: %y = conv %x, %w bias %b pad [1, 1] groups 2 :
frontend.graph @conv_groups<N, H, W, C, O>(%x: tensor<[N, 2*C, H, W], f32>, %w: tensor<[2*O, C, 3, 3], f32>, %b: tensor<[2*O], f32>) -> tensor<[N, 2*O, H, W], f32> {
  %y = conv %x, %w bias %b pad [1, 1] groups 2
  output %y
}

// As many groups as channels: depthwise, with two output channels for each.
// CHECK-LABEL: @conv_depthwise
// CHECK{LITERAL}: %y = conv %x, %w pad [1, 1] groups 4 :
frontend.graph @conv_depthwise<N, H, W>(%x: tensor<[N, 4, H, W], f32>, %w: tensor<[8, 1, 3, 3], f32>) -> tensor<[N, 8, H, W], f32> {
  %y = conv %x, %w pad [1, 1] groups 4
  output %y
}

// Channels last, weights too.
// CHECK-LABEL: @conv_channels_last
// CHECK{LITERAL}: %y = conv %x, %w bias %b stride [2, 1] pad [1, 0] layout channels_last :
frontend.graph @conv_channels_last<N, H, W, C, O>(%x: tensor<[N, H, W, C], f32>, %w: tensor<[3, 2, C, O], f32>, %b: tensor<[O], f32>) -> tensor<[N, (H + 1) floordiv 2, W - 1, O], f32> {
  %y = conv %x, %w bias %b stride [2, 1] pad [1, 0] layout channels_last
  output %y
}

// Channels last with groups.
// CHECK-LABEL: @conv_channels_last_groups
// CHECK{LITERAL}: %y = conv %x, %w groups 3 layout channels_last :
frontend.graph @conv_channels_last_groups<N, H, W>(%x: tensor<[N, H, W, 6], f32>, %w: tensor<[2, 2, 2, 9], f32>) -> tensor<[N, H - 1, W - 1, 9], f32> {
  %y = conv %x, %w groups 3 layout channels_last
  output %y
}

// Integers are summed as integers.
// CHECK-LABEL: @conv_integers
// CHECK{LITERAL}: %y = conv %x, %w bias %b pad [1] acc i32 :
frontend.graph @conv_integers<N, L>(%x: tensor<[N, 3, L], i8>, %w: tensor<[2, 3, 3], i8>, %b: tensor<[2], i32>) -> tensor<[N, 2, L], i32> {
  %y = conv %x, %w bias %b pad [1] acc i32
  output %y
}

// Every element adds a window.
// CHECK-LABEL: @conv_transpose
// CHECK{LITERAL}: %y = conv_transpose %x, %w :
frontend.graph @conv_transpose<N, H, W, C, O>(%x: tensor<[N, C, H, W], f32>, %w: tensor<[C, O, 3, 3], f32>) -> tensor<[N, O, H + 2, W + 2], f32> {
  %y = conv_transpose %x, %w
  output %y
}

// What doubles the sizes.
// CHECK-LABEL: @conv_transpose_stride
// CHECK{LITERAL}: %y = conv_transpose %x, %w bias %b stride [2, 2] pad [1, 1] output_pad [1, 1] :
frontend.graph @conv_transpose_stride<N, H, W, C, O>(%x: tensor<[N, C, H, W], f32>, %w: tensor<[C, O, 3, 3], f32>, %b: tensor<[O], f32>) -> tensor<[N, O, 2*H, 2*W], f32> {
  %y = conv_transpose %x, %w bias %b stride [2, 2] pad [1, 1] output_pad [1, 1]
  output %y
}

// A stride larger than the window leaves places that nothing is added to.
// CHECK-LABEL: @conv_transpose_gaps
// CHECK{LITERAL}: %y = conv_transpose %x, %w stride [3] :
frontend.graph @conv_transpose_gaps<N, L, C, O>(%x: tensor<[N, C, L], f32>, %w: tensor<[C, O, 2], f32>) -> tensor<[N, O, 3*L - 1], f32> {
  %y = conv_transpose %x, %w stride [3]
  output %y
}

// More is cut off than the window reaches.
// CHECK-LABEL: @conv_transpose_cut
// CHECK{LITERAL}: %y = conv_transpose %x, %w stride [2] pad [2, 3] :
frontend.graph @conv_transpose_cut<N, L, C, O>(%x: tensor<[N, C, L], f32>, %w: tensor<[C, O, 2], f32>) -> tensor<[N, O, 2*L - 5], f32> {
  %y = conv_transpose %x, %w stride [2] pad [2, 3]
  output %y
}

// Dilation and groups.
// CHECK-LABEL: @conv_transpose_groups
// CHECK{LITERAL}: %y = conv_transpose %x, %w bias %b stride [2] pad [1, 1] dilation [2] groups 2 :
frontend.graph @conv_transpose_groups<N, L, C, O>(%x: tensor<[N, 2*C, L], f32>, %w: tensor<[2*C, O, 3], f32>, %b: tensor<[2*O], f32>) -> tensor<[N, 2*O, 2*L + 1], f32> {
  %y = conv_transpose %x, %w bias %b stride [2] pad [1, 1] dilation [2] groups 2
  output %y
}

// The window may be a symbol here too.
// CHECK-LABEL: @conv_transpose_symbolic_window
// CHECK{LITERAL}: %y = conv_transpose %x, %w stride [2] pad [1, 1] :
frontend.graph @conv_transpose_symbolic_window<N, L, C, O, K>(%x: tensor<[N, C, L], f32>, %w: tensor<[C, O, K], f32>) -> tensor<[N, O, 2*L + K - 4], f32> {
  %y = conv_transpose %x, %w stride [2] pad [1, 1]
  output %y
}

// Channels last, with weights [spatial.., out, in].
// CHECK-LABEL: @conv_transpose_channels_last
// CHECK{LITERAL}: %y = conv_transpose %x, %w stride [2, 1] pad [0, 1] groups 2 layout channels_last :
frontend.graph @conv_transpose_channels_last<N, H, W>(%x: tensor<[N, H, W, 4], f32>, %w: tensor<[2, 3, 3, 4], f32>) -> tensor<[N, 2*H, W, 6], f32> {
  %y = conv_transpose %x, %w stride [2, 1] pad [0, 1] groups 2 layout channels_last
  output %y
}

// A window moves by its size unless it is given otherwise.
// CHECK-LABEL: @max_pool
// CHECK{LITERAL}: %y = max_pool %x window [2, 3] :
frontend.graph @max_pool<N, C, H, W>(%x: tensor<[N, C, H, W], f32>) -> tensor<[N, C, H floordiv 2, W floordiv 3], f32> {
  %y = max_pool %x window [2, 3]
  output %y
}

// What is put around is never the largest.
// CHECK-LABEL: @max_pool_pad
// CHECK{LITERAL}: %y = max_pool %x window [3, 3] stride [2, 2] pad [1, 1] :
frontend.graph @max_pool_pad<N, C, H, W>(%x: tensor<[N, C, H, W], f32>) -> tensor<[N, C, (H + 1) floordiv 2, (W + 1) floordiv 2], f32> {
  %y = max_pool %x window [3, 3] stride [2, 2] pad [1, 1]
  output %y
}

// Elements apart, one axis, rounded up.
// CHECK-LABEL: @max_pool_ceil
// CHECK{LITERAL}: %y = max_pool %x window [2] stride [3] dilation [2] ceil :
frontend.graph @max_pool_ceil<N, C, L>(%x: tensor<[N, C, L], f32>) -> tensor<[N, C, L ceildiv 3], f32> {
  %y = max_pool %x window [2] stride [3] dilation [2] ceil
  output %y
}

// A window that would begin after the axis is left out.
// CHECK-LABEL: @max_pool_ceil_pad
// CHECK{LITERAL}: %y = max_pool %x window [2] stride [2] pad [1] ceil :
frontend.graph @max_pool_ceil_pad<N, C, L>(%x: tensor<[N, C, L], f32>) -> tensor<[N, C, (L + 2) floordiv 2], f32> {
  %y = max_pool %x window [2] stride [2] pad [1] ceil
  output %y
}

// Channels last; integers have a lowest number too.
// CHECK-LABEL: @max_pool_integers
// CHECK{LITERAL}: %y = max_pool %x window [3, 2] stride [1, 2] pad [1, 1] layout channels_last :
frontend.graph @max_pool_integers<N, C, H, W>(%x: tensor<[N, H, W, C], i8>) -> tensor<[N, H, W floordiv 2 + 1, C], i8> {
  %y = max_pool %x window [3, 2] stride [1, 2] pad [1, 1] layout channels_last
  output %y
}

// A type without infinities has a lowest number.
// CHECK-LABEL: @max_pool_finite
// CHECK{LITERAL}: %y = max_pool %x window [2] stride [1] pad [1] :
frontend.graph @max_pool_finite<N, C, L>(%x: tensor<[N, C, L], f8E4M3FN>) -> tensor<[N, C, L + 1], f8E4M3FN> {
  %y = max_pool %x window [2] stride [1] pad [1]
  output %y
}

// Three axes.
// CHECK-LABEL: @max_pool_3d
// CHECK{LITERAL}: %y = max_pool %x window [2, 1, 3] stride [1, 1, 1] :
frontend.graph @max_pool_3d<N, C, D, H, W>(%x: tensor<[N, C, D, H, W], f32>) -> tensor<[N, C, D - 1, H, W - 2], f32> {
  %y = max_pool %x window [2, 1, 3] stride [1, 1, 1]
  output %y
}

// The mean of each window.
// CHECK-LABEL: @avg_pool
// CHECK{LITERAL}: %y = avg_pool %x window [2, 2] :
frontend.graph @avg_pool<N, C, H, W>(%x: tensor<[N, C, H, W], f32>) -> tensor<[N, C, H floordiv 2, W floordiv 2], f32> {
  %y = avg_pool %x window [2, 2]
  output %y
}

// Zeros that are put around count.
// CHECK-LABEL: @avg_pool_pad
// CHECK{LITERAL}: %y = avg_pool %x window [3, 3] stride [1, 1] pad [1, 1] :
frontend.graph @avg_pool_pad<N, C, H, W>(%x: tensor<[N, C, H, W], f32>) -> tensor<[N, C, H, W], f32> {
  %y = avg_pool %x window [3, 3] stride [1, 1] pad [1, 1]
  output %y
}

// And do not.
// CHECK-LABEL: @avg_pool_exclude_pad
// CHECK{LITERAL}: %y = avg_pool %x window [3, 2] stride [1, 1] pad [1, 0] exclude_pad :
frontend.graph @avg_pool_exclude_pad<N, C, H, W>(%x: tensor<[N, C, H, W], f32>) -> tensor<[N, C, H, W - 1], f32> {
  %y = avg_pool %x window [3, 2] stride [1, 1] pad [1, 0] exclude_pad
  output %y
}

// What is beyond the padding never counts.
// CHECK-LABEL: @avg_pool_ceil
// CHECK{LITERAL}: %y = avg_pool %x window [3] stride [2] pad [1] ceil :
frontend.graph @avg_pool_ceil<N, C, L>(%x: tensor<[N, C, L], f32>) -> tensor<[N, C, (L + 2) floordiv 2], f32> {
  %y = avg_pool %x window [3] stride [2] pad [1] ceil
  output %y
}

// Channels last.
// CHECK-LABEL: @avg_pool_channels_last
// CHECK{LITERAL}: %y = avg_pool %x window [2, 2] stride [2, 2] pad [1, 0] ceil exclude_pad layout channels_last :
frontend.graph @avg_pool_channels_last<N, C, H, W>(%x: tensor<[N, H, W, C], f16>) -> tensor<[N, (H + 2) floordiv 2, (W + 1) floordiv 2, C], f16> {
  %y = avg_pool %x window [2, 2] stride [2, 2] pad [1, 0] ceil exclude_pad layout channels_last
  output %y
}

// The mean of each channel.
// CHECK-LABEL: @global_avg_pool
// CHECK{LITERAL}: %y = global_avg_pool %x :
frontend.graph @global_avg_pool<N, C, H, W>(%x: tensor<[N, C, H, W], f32>) -> tensor<[N, C, 1, 1], f32> {
  %y = global_avg_pool %x
  output %y
}

// Channels last, one axis of constant size.
// CHECK-LABEL: @global_avg_pool_channels_last
// CHECK{LITERAL}: %y = global_avg_pool %x layout channels_last :
frontend.graph @global_avg_pool_channels_last<N, C>(%x: tensor<[N, 7, C], f16>) -> tensor<[N, 1, C], f16> {
  %y = global_avg_pool %x layout channels_last
  output %y
}
