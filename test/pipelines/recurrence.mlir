// Ten steps that read their input at positions of their own. Two steps are a kernel each time, which takes the positions of
// both; the ops of the first two stand in another order.

// RUN: dlc-opt %s --lower-frontend --tiny-to-region | FileCheck %s
// RUN: dlc-opt %s --lower-frontend --tiny-to-ptx --evaluate-each -o %t.mlir
// RUN: dlc-run %s --shape=B=3 --seed=2 --strict -o %t.npz
// RUN: dlc-run %t.mlir --shape=B=3 --seed=2 --check=%t.npz | FileCheck %s --check-prefix=SAME
// RUN: dlc-run %t.mlir --shape=B=0
// SAME: as expected (48 elements

// CHECK-LABEL: host.func @recurrence<B>
// CHECK: %h2 = launch @recurrence_0<B> (%x, %w, %h)
// CHECK: [[S2:%.*]] = view %x from 32 : memref<[B, 2, 16], f32, strided [160, 16, 1], align 64, noalias>
// CHECK: %h4 = launch @recurrence_1<B> ([[S2]], %w, %h2)
// CHECK: [[S8:%.*]] = view %x from 128 : memref<[B, 2, 16], f32, strided [160, 16, 1], align 64, noalias>
// CHECK: %h10 = launch @recurrence_1<B> ([[S8]], %w, %h8)
// CHECK-COUNT-2: region.func
// CHECK-NOT: region.func
frontend.graph @recurrence<B>(%x: tensor<[B, 10, 16], f32>, %w: tensor<[16, 16], f32>, %h: tensor<[B, 16], f32>) -> tensor<[B, 16], f32> {
  %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8, %s9 = split %x over 1 into [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
  %r0 = reshape %s0 to [B, 16]
  %p0 = linear %h, %w
  %a0 = add %p0, %r0
  %h1 = tanh %a0
  %r1 = reshape %s1 to [B, 16]
  %p1 = linear %h1, %w
  %a1 = add %p1, %r1
  %h2 = tanh %a1
  %r2 = reshape %s2 to [B, 16]
  %p2 = linear %h2, %w
  %a2 = add %p2, %r2
  %h3 = tanh %a2
  %r3 = reshape %s3 to [B, 16]
  %p3 = linear %h3, %w
  %a3 = add %p3, %r3
  %h4 = tanh %a3
  %r4 = reshape %s4 to [B, 16]
  %p4 = linear %h4, %w
  %a4 = add %p4, %r4
  %h5 = tanh %a4
  %r5 = reshape %s5 to [B, 16]
  %p5 = linear %h5, %w
  %a5 = add %p5, %r5
  %h6 = tanh %a5
  %r6 = reshape %s6 to [B, 16]
  %p6 = linear %h6, %w
  %a6 = add %p6, %r6
  %h7 = tanh %a6
  %r7 = reshape %s7 to [B, 16]
  %p7 = linear %h7, %w
  %a7 = add %p7, %r7
  %h8 = tanh %a7
  %r8 = reshape %s8 to [B, 16]
  %p8 = linear %h8, %w
  %a8 = add %p8, %r8
  %h9 = tanh %a8
  %r9 = reshape %s9 to [B, 16]
  %p9 = linear %h9, %w
  %a9 = add %p9, %r9
  %h10 = tanh %a9
  output %h10
}
