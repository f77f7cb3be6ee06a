// Heads inside an axis, as models have them, are axes of the kernel: the product has tensor cores, and TMA copies a head.

// RUN: dlc-opt %s --split-input-file --pass-pipeline=lower-frontend,tiny-to-region,choose-plan{target=sm90},tensorize,kernel-schedule | FileCheck %s
// RUN: dlc-opt %s --split-input-file --pass-pipeline=lower-frontend,tiny-to-ptx-sm90 --evaluate-each --no-output

// CHECK-LABEL: host.func @attention
// CHECK: [[Q:%[a-z0-9_]+]] = view %q : memref<[B, S, 4, 64], f16, row_major, align 128, noalias>
// CHECK: launch @attention_0<B, S> ([[Q]],
// CHECK: kernel.func private @attention_0
// CHECK: tma_load
// CHECK: wgmma
frontend.graph @attention<B, S>(%q: tensor<[B, S, 256], f16>, %k: tensor<[B, S, 256], f16>, %v: tensor<[B, S, 256], f16>) -> tensor<[B, S, 256], f16> {
  %q1 = reshape %q to [B, S, 4, 64]
  %k1 = reshape %k to [B, S, 4, 64]
  %v1 = reshape %v to [B, S, 4, 64]
  %q2 = transpose %q1 by [0, 2, 1, 3]
  %k2 = transpose %k1 by [0, 2, 1, 3]
  %v2 = transpose %v1 by [0, 2, 1, 3]
  %o = attention %q2, %k2, %v2
  %o2 = transpose %o by [0, 2, 1, 3]
  %y = reshape %o2 to [B, S, 256]
  output %y as f16
}

// -----

// Groups of channels are batches of the convolution.
// CHECK-LABEL: host.func @grouped
// CHECK: view %x : memref<[N, 2, 16, H, 5], f16
// CHECK: view %w : memref<[2, 16, 16, 3, 3], f16
// CHECK: wgmma
frontend.graph @grouped<N, H>(%x: tensor<[N, 32, H, 5], f16>, %w: tensor<[32, 16, 3, 3], f16>) -> tensor<[N, 32, H, 5], f16> {
  %y = conv %x, %w pad [1, 1] groups 2 acc f32
  output %y as f16
}
