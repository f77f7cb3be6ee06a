// A product that its kernel would multiply at several places is stored: a rotary embedding reads each column of a projection
// twice, at two places of its result. Elementwise ops that read the same element twice are its epilogue.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region' --split-input-file --remarks --remarks-filter=form-regions -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region' --split-input-file | FileCheck %s
// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region' --split-input-file --evaluate-each -o /dev/null

// WHY: 'sum' of [T, 128] is stored, 256*T bytes: its kernel would multiply it at 4 places, which costs more than to write and read it
// CHECK-LABEL: host.func @rotary
// CHECK: region.func private @rotary_0
// CHECK: reduce sum
// CHECK-NOT: reduce sum
// CHECK: region.func private @rotary_1
// CHECK-NOT: reduce sum
frontend.graph @rotary<T>(%x: tensor<[T, 128], bf16>, %w: tensor<[128, 128], bf16>, %cos: tensor<[T, 1, 32], bf16>, %sin: tensor<[T, 1, 32], bf16>) -> tensor<[T, 2, 64], bf16> {
  %q = linear %x, %w
  %h = reshape %q to [T, 2, 64]
  %a = slice %h from [0, 0, 0] to [T, 2, 32]
  %b = slice %h from [0, 0, 32] to [T, 2, 64]
  %ac = mul %a, %cos
  %bs = mul %b, %sin
  %bc = mul %b, %cos
  %as = mul %a, %sin
  %l = sub %ac, %bs
  %r = add %bc, %as
  %y = concat %l, %r over 2
  output %y
}

// -----

// WHY: 'sum' of [M, 64] is not stored: what follows is its epilogue
// CHECK-LABEL: host.func @epilogue
// CHECK: region.func private @epilogue_0
// CHECK-NOT: region.func
frontend.graph @epilogue<M>(%x: tensor<[M, 128], bf16>, %w: tensor<[64, 128], bf16>) -> tensor<[M, 64], bf16> {
  %q = linear %x, %w
  %s = silu %q
  %y = mul %s, %q
  output %y
}

// -----

// The axis that a product sums is none of the result, though what it is a product of reads the same elements as what is added.
// CHECK-LABEL: host.func @residual
// CHECK: region.func private @residual_1<M> iters (m: M, i1: 96)
// CHECK-NOT: reduce sum (i1
// CHECK: yield
// CHECK-NOT: reduce sum (i1
frontend.graph @residual<M>(%z: tensor<[M, 96], f32>, %a: tensor<[384, 96], f32>, %b: tensor<[96, 384], f32>) -> tensor<[M, 96], f32> {
  %l = layer_norm %z over [1] eps 1.0e-5
  %h = linear %l, %a
  %g = relu %h
  %y = linear %g, %b
  %o = add %z, %y
  output %o
}
