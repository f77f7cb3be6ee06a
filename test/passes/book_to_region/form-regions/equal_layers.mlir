// Equal layers have the same kernels, however many are below them.

// RUN: dlc-opt %s --lower-frontend --tiny-to-region | FileCheck %s

// What rows and their results have in common is found where it is near: no layer stores its scores.
// CHECK-LABEL: host.func @scores
// CHECK-NOT: memref<[B, 12, 1024, 1024]
// CHECK: return
frontend.graph @scores<B>(%x: tensor<[B, 1024, 768], bf16>, %g: tensor<[768], bf16>, %in: tensor<[2304, 768], bf16>, %out: tensor<[768, 768], bf16>,
    %w: tensor<[3072, 768], bf16>, %v: tensor<[768, 3072], bf16>) -> tensor<[B, 1024, 768], bf16> {
  %n0 = layer_norm %x weight %g over [2] eps 1.0e-05
  %a0 = linear %n0, %in
  %h0 = reshape %a0 to [B, 1024, 36, 64]
  %t0 = transpose %h0 by [0, 2, 1, 3]
  %q0, %k0, %c0 = split %t0 over 1 into [12, 12, 12]
  %s0 = attention %q0, %k0, %c0 causal
  %u0 = transpose %s0 by [0, 2, 1, 3]
  %r0 = reshape %u0 to [B, 1024, 768]
  %o0 = linear %r0, %out
  %y0 = add %x, %o0
  %m0 = layer_norm %y0 weight %g over [2] eps 1.0e-05
  %f0 = linear %m0, %w
  %e0 = gelu %f0 approximate tanh
  %d0 = linear %e0, %v
  %z0 = add %y0, %d0
  %n1 = layer_norm %z0 weight %g over [2] eps 1.0e-05
  %a1 = linear %n1, %in
  %h1 = reshape %a1 to [B, 1024, 36, 64]
  %t1 = transpose %h1 by [0, 2, 1, 3]
  %q1, %k1, %c1 = split %t1 over 1 into [12, 12, 12]
  %s1 = attention %q1, %k1, %c1 causal
  %u1 = transpose %s1 by [0, 2, 1, 3]
  %r1 = reshape %u1 to [B, 1024, 768]
  %o1 = linear %r1, %out
  %y1 = add %z0, %o1
  %m1 = layer_norm %y1 weight %g over [2] eps 1.0e-05
  %f1 = linear %m1, %w
  %e1 = gelu %f1 approximate tanh
  %d1 = linear %e1, %v
  %z1 = add %y1, %d1
  %n2 = layer_norm %z1 weight %g over [2] eps 1.0e-05
  %a2 = linear %n2, %in
  %h2 = reshape %a2 to [B, 1024, 36, 64]
  %t2 = transpose %h2 by [0, 2, 1, 3]
  %q2, %k2, %c2 = split %t2 over 1 into [12, 12, 12]
  %s2 = attention %q2, %k2, %c2 causal
  %u2 = transpose %s2 by [0, 2, 1, 3]
  %r2 = reshape %u2 to [B, 1024, 768]
  %o2 = linear %r2, %out
  %y2 = add %z1, %o2
  %m2 = layer_norm %y2 weight %g over [2] eps 1.0e-05
  %f2 = linear %m2, %w
  %e2 = gelu %f2 approximate tanh
  %d2 = linear %e2, %v
  %z2 = add %y2, %d2
  %n3 = layer_norm %z2 weight %g over [2] eps 1.0e-05
  %a3 = linear %n3, %in
  %h3 = reshape %a3 to [B, 1024, 36, 64]
  %t3 = transpose %h3 by [0, 2, 1, 3]
  %q3, %k3, %c3 = split %t3 over 1 into [12, 12, 12]
  %s3 = attention %q3, %k3, %c3 causal
  %u3 = transpose %s3 by [0, 2, 1, 3]
  %r3 = reshape %u3 to [B, 1024, 768]
  %o3 = linear %r3, %out
  %y3 = add %z2, %o3
  %m3 = layer_norm %y3 weight %g over [2] eps 1.0e-05
  %f3 = linear %m3, %w
  %e3 = gelu %f3 approximate tanh
  %d3 = linear %e3, %v
  %z3 = add %y3, %d3
  output %z3
}

// Products of the layers below are not side by side: what they are added to is a factor of a product, and stored.
// CHECK-LABEL: host.func @sums
// CHECK-NOT: memref<[B, 768], f32
// CHECK: return
frontend.graph @sums<B>(%x: tensor<[B, 768], bf16>, %g: tensor<[768], bf16>, %w: tensor<[3072, 768], bf16>, %v: tensor<[768, 3072], bf16>) -> tensor<[B, 768], bf16> {
  %u0 = linear %x, %w
  %r0 = relu %u0
  %d0 = linear %r0, %v bias %g
  %a0 = add %x, %d0
  %y0 = layer_norm %a0 weight %g bias %g over [1] eps 1.0e-05
  %u1 = linear %y0, %w
  %r1 = relu %u1
  %d1 = linear %r1, %v bias %g
  %a1 = add %y0, %d1
  %y1 = layer_norm %a1 weight %g bias %g over [1] eps 1.0e-05
  %u2 = linear %y1, %w
  %r2 = relu %u2
  %d2 = linear %r2, %v bias %g
  %a2 = add %y1, %d2
  %y2 = layer_norm %a2 weight %g bias %g over [1] eps 1.0e-05
  %u3 = linear %y2, %w
  %r3 = relu %u3
  %d3 = linear %r3, %v bias %g
  %a3 = add %y2, %d3
  %y3 = layer_norm %a3 weight %g bias %g over [1] eps 1.0e-05
  %u4 = linear %y3, %w
  %r4 = relu %u4
  %d4 = linear %r4, %v bias %g
  %a4 = add %y3, %d4
  %y4 = layer_norm %a4 weight %g bias %g over [1] eps 1.0e-05
  %u5 = linear %y4, %w
  %r5 = relu %u5
  %d5 = linear %r5, %v bias %g
  %a5 = add %y4, %d5
  %y5 = layer_norm %a5 weight %g bias %g over [1] eps 1.0e-05
  %u6 = linear %y5, %w
  %r6 = relu %u6
  %d6 = linear %r6, %v bias %g
  %a6 = add %y5, %d6
  %y6 = layer_norm %a6 weight %g bias %g over [1] eps 1.0e-05
  %u7 = linear %y6, %w
  %r7 = relu %u7
  %d7 = linear %r7, %v bias %g
  %a7 = add %y6, %d7
  %y7 = layer_norm %a7 weight %g bias %g over [1] eps 1.0e-05
  output %y7
}
