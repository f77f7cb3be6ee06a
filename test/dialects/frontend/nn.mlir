// Softmax, normalizations and attention, written and read in both forms.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom

// The last axis.
// CHECK-LABEL: @softmax
// CHECK{LITERAL}: %y = softmax %x :
frontend.graph @softmax<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = softmax %x
  output %y
}

// Another axis.
// CHECK-LABEL: @softmax_axis
// CHECK{LITERAL}: %y = softmax %x over 1 :
frontend.graph @softmax_axis<M, N>(%x: tensor<[M, N, 3], f32>) -> tensor<[M, N, 3], f32> {
  %y = softmax %x over 1
  output %y
}

// Halves are rounded once.
// CHECK-LABEL: @softmax_narrow
// CHECK{LITERAL}: %y = softmax %x over 0 :
frontend.graph @softmax_narrow<M, N>(%x: tensor<[M, N], f16>) -> tensor<[M, N], f16> {
  %y = softmax %x over 0
  output %y
}

// The logarithm of it.
// CHECK-LABEL: @log_softmax
// CHECK{LITERAL}: %y = log_softmax %x :
frontend.graph @log_softmax<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = log_softmax %x
  output %y
}

// Along an axis that others follow.
// CHECK-LABEL: @log_softmax_axis
// CHECK{LITERAL}: %y = log_softmax %x over 1 :
frontend.graph @log_softmax_axis<M, N>(%x: tensor<[M, N, 2], bf16>) -> tensor<[M, N, 2], bf16> {
  %y = log_softmax %x over 1
  output %y
}

// The last axis, without parameters.
// CHECK-LABEL: @layer_norm
// CHECK{LITERAL}: %y = layer_norm %x :
frontend.graph @layer_norm<M, N>(%x: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = layer_norm %x
  output %y
}

// A row of the residual stream.
// CHECK-LABEL: @layer_norm_parameters
// CHECK{LITERAL}: %y = layer_norm %x weight %w bias %b eps 1.0e-6 :
frontend.graph @layer_norm_parameters<B, S, D>(%x: tensor<[B, S, D], f16>, %w: tensor<[D], f32>, %b: tensor<[D], f32>) -> tensor<[B, S, D], f16> {
  %y = layer_norm %x weight %w bias %b eps 1.0e-6
  output %y
}

// Two axes, and a bias alone.
// CHECK-LABEL: @layer_norm_axes
// CHECK{LITERAL}: %y = layer_norm %x bias %b over [1, 3] :
frontend.graph @layer_norm_axes<N, H, W>(%x: tensor<[N, H, 3, W], f32>, %b: tensor<[H, W], f32>) -> tensor<[N, H, 3, W], f32> {
  %y = layer_norm %x bias %b over [1, 3]
  output %y
}

// Every axis.
// CHECK-LABEL: @layer_norm_all
// CHECK{LITERAL}: %y = layer_norm %x weight %w over [0, 1] :
frontend.graph @layer_norm_all<M, N>(%x: tensor<[M, N], f32>, %w: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %y = layer_norm %x weight %w over [0, 1]
  output %y
}

// Mean squares alone.
// CHECK-LABEL: @rms_norm
// CHECK{LITERAL}: %y = rms_norm %x weight %w :
frontend.graph @rms_norm<B, S, D>(%x: tensor<[B, S, D], bf16>, %w: tensor<[D], bf16>) -> tensor<[B, S, D], bf16> {
  %y = rms_norm %x weight %w
  output %y
}

// Another axis, without a weight.
// CHECK-LABEL: @rms_norm_axis
// CHECK{LITERAL}: %y = rms_norm %x over [1] eps 0.01 :
frontend.graph @rms_norm_axis<M, N>(%x: tensor<[M, N, 4], f32>) -> tensor<[M, N, 4], f32> {
  %y = rms_norm %x over [1] eps 0.01
  output %y
}

// Channels in groups.
// CHECK-LABEL: @group_norm
// CHECK{LITERAL}: %y = group_norm %x groups 4 weight %w bias %b :
frontend.graph @group_norm<N, C, H, W>(%x: tensor<[N, 4*C, H, W], f32>, %w: tensor<[4*C], f32>, %b: tensor<[4*C], f32>) -> tensor<[N, 4*C, H, W], f32> {
  %y = group_norm %x groups 4 weight %w bias %b
  output %y
}

// Channels last, one channel a group: instance norm.
// CHECK-LABEL: @group_norm_channels_last
// CHECK{LITERAL}: %y = group_norm %x groups 6 layout channels_last :
frontend.graph @group_norm_channels_last<N, L>(%x: tensor<[N, L, 6], f16>) -> tensor<[N, L, 6], f16> {
  %y = group_norm %x groups 6 layout channels_last
  output %y
}

// Known means and variances.
// CHECK-LABEL: @batch_norm
// CHECK{LITERAL}: %y = batch_norm %x mean %m variance %v weight %w bias %b eps 0.001 :
frontend.graph @batch_norm<N, C, H, W>(%x: tensor<[N, C, H, W], f32>, %m: tensor<[C], f32>, %v: tensor<[C], f32>, %w: tensor<[C], f32>, %b: tensor<[C], f32>) -> tensor<[N, C, H, W], f32> {
  %y = batch_norm %x mean %m variance %v weight %w bias %b eps 0.001
  output %y
}

// Of rows, without weight.
// CHECK-LABEL: @batch_norm_rows
// CHECK{LITERAL}: %y = batch_norm %x mean %m variance %v bias %b :
frontend.graph @batch_norm_rows<N, C>(%x: tensor<[N, C], f32>, %m: tensor<[C], f32>, %v: tensor<[C], f32>, %b: tensor<[C], f32>) -> tensor<[N, C], f32> {
  %y = batch_norm %x mean %m variance %v bias %b
  output %y
}

// Channels last.
// CHECK-LABEL: @batch_norm_channels_last
// CHECK{LITERAL}: %y = batch_norm %x mean %m variance %v layout channels_last :
frontend.graph @batch_norm_channels_last<N, C, L>(%x: tensor<[N, L, C], f16>, %m: tensor<[C], f32>, %v: tensor<[C], f32>) -> tensor<[N, L, C], f16> {
  %y = batch_norm %x mean %m variance %v layout channels_last
  output %y
}

// Every query sees every key.
// CHECK-LABEL: @attention
// CHECK{LITERAL}: %y = attention %q, %k, %v :
frontend.graph @attention<B, H, S, D>(%q: tensor<[B, H, S, D], f32>, %k: tensor<[B, H, S, D], f32>, %v: tensor<[B, H, S, D], f32>) -> tensor<[B, H, S, D], f32> {
  %y = attention %q, %k, %v
  output %y
}

// A query sees what came before it; lengths and sizes differ.
// CHECK-LABEL: @attention_causal
// CHECK{LITERAL}: %y = attention %q, %k, %v causal :
frontend.graph @attention_causal<B, H, M, N, D, E>(%q: tensor<[B, H, M, D], f32>, %k: tensor<[B, H, N, D], f32>, %v: tensor<[B, H, N, E], f32>) -> tensor<[B, H, M, E], f32> {
  %y = attention %q, %k, %v causal
  output %y
}

// A mask of truth values for each query and key; a query that sees no key gives zeros.
// CHECK-LABEL: @attention_mask
// CHECK{LITERAL}: %y = attention %q, %k, %v mask %mask scale 0.125 :
frontend.graph @attention_mask<B, H, M, N, D>(%q: tensor<[B, H, M, D], f32>, %k: tensor<[B, H, N, D], f32>, %v: tensor<[B, H, N, D], f32>, %mask: tensor<[M, N], i1>) -> tensor<[B, H, M, D], f32> {
  %y = attention %q, %k, %v mask %mask scale 0.125
  output %y
}

// A mask of floats is added; it is broadcast over batches and queries.
// CHECK-LABEL: @attention_bias
// CHECK{LITERAL}: %y = attention %q, %k, %v mask %mask causal :
frontend.graph @attention_bias<B, H, M, N, D>(%q: tensor<[B, H, M, D], f32>, %k: tensor<[B, H, N, D], f32>, %v: tensor<[B, H, N, D], f32>, %mask: tensor<[H, 1, N], f32>) -> tensor<[B, H, M, D], f32> {
  %y = attention %q, %k, %v mask %mask causal
  output %y
}

// Three heads of queries share a head of keys and values.
// CHECK-LABEL: @attention_grouped
// CHECK{LITERAL}: %y = attention %q, %k, %v mask %mask :
frontend.graph @attention_grouped<B, G, M, N, D>(%q: tensor<[B, 3*G, M, D], f32>, %k: tensor<[B, G, N, D], f32>, %v: tensor<[B, G, N, D], f32>, %mask: tensor<[B, 3*G, M, N], i1>) -> tensor<[B, 3*G, M, D], f32> {
  %y = attention %q, %k, %v mask %mask
  output %y
}

// All heads share one; the mask is the same for all of them.
// CHECK-LABEL: @attention_multi_query
// CHECK{LITERAL}: %y = attention %q, %k, %v mask %mask causal :
frontend.graph @attention_multi_query<B, H, M, N>(%q: tensor<[B, H, M, 4], f16>, %k: tensor<[B, 1, N, 4], f16>, %v: tensor<[B, 1, N, 2], f16>, %mask: tensor<[B, 1, 1, N], i1>) -> tensor<[B, H, M, 2], f16> {
  %y = attention %q, %k, %v mask %mask causal
  output %y
}

// Without batch or heads.
// CHECK-LABEL: @attention_plain
// CHECK{LITERAL}: %y = attention %q, %k, %v scale 1.0 :
frontend.graph @attention_plain<M, N, D>(%q: tensor<[M, D], f32>, %k: tensor<[N, D], f32>, %v: tensor<[N, 3], f32>) -> tensor<[M, 3], f32> {
  %y = attention %q, %k, %v scale 1
  output %y
}

// Five axes.
// CHECK-LABEL: @attention_five_axes
// CHECK{LITERAL}: %y = attention %q, %k, %v :
frontend.graph @attention_five_axes<A, B, M, N>(%q: tensor<[A, B, 2, M, 4], bf16>, %k: tensor<[A, B, 2, N, 4], bf16>, %v: tensor<[A, B, 2, N, 4], bf16>) -> tensor<[A, B, 2, M, 4], bf16> {
  %y = attention %q, %k, %v
  output %y
}
