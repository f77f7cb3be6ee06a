// RUN: dlc-opt %s --tiny-to-kernel --evaluate-each -o /dev/null
// RUN: dlc-opt %s --lower-indexbook --form-regions --region-normalize --evaluate-each -o /dev/null
// RUN: dlc-opt %s --tiny-to-region | FileCheck %s

// Programs with symbolic sizes, each at several sizes with tails, 1 and 0: the numbers are the same at every layer from
// tiny to blocks. How many kernels each consists of is checked, too.

// CHECK-LABEL: host.func @gemm<
// CHECK-COUNT-1: launch
// CHECK-NEXT: return
tiny.func @gemm<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[K, N], f16>, %bias: tensor<[N], f16>) -> tensor<[M, N], f16> {
  %s = contract %X [m, k], %W [k, n] to [m, n] acc f32
  %sb = add %s, %bias
  %r = relu %sb
  %y = cast %r to f16
  return %y
}

// As tinygrad writes it.
// CHECK-LABEL: host.func @gemm_written_out<
// CHECK-COUNT-1: launch
// CHECK-NEXT: return
tiny.func @gemm_written_out<M, N, K>(%X: tensor<[M, K], f32>, %W: tensor<[N, K], f32>) -> tensor<[M, N], f32> {
  %x1 = reshape %X to [M, 1, K]
  %w1 = reshape %W to [1, N, K]
  %p = mul %x1, %w1
  %y = reduce sum %p over [2]
  return %y
}

// CHECK-LABEL: host.func @batched<
// CHECK-COUNT-1: launch
// CHECK-NEXT: return
tiny.func @batched<B, M, N, K>(%X: tensor<[B, M, K], bf16>, %W: tensor<[B, N, K], bf16>, %scale: tensor<[B, 1, 1], f32>) -> tensor<[B, M, N], f32> {
  %s = contract %X [b, m, k], %W [b, n, k] to [b, m, n] acc f32
  %y = mul %s, %scale
  return %y
}

// CHECK-LABEL: host.func @pool<
// CHECK-COUNT-1: launch
// CHECK-NOT: launch
// CHECK: return
tiny.func @pool<N, C, H, W>(%X: tensor<[N, C, 2*H, 3*W], f32>) -> tensor<[N, C, H, W], f32> {
  %r = reshape %X to [N, C, H, 2, W, 3]
  %y = reduce max %r over [3, 5]
  return %y
}

// CHECK-LABEL: host.func @softmax<
// CHECK-COUNT-1: launch
// CHECK-NEXT: return
tiny.func @softmax<M, N>(%X: tensor<[M, N], f32>) -> tensor<[M, N], f32> {
  %m = reduce max %X over [1]
  %m1 = reshape %m to [M, 1]
  %d = sub %X, %m1
  %c = const 1.442695 : tensor<[M, N], f32>
  %t = mul %d, %c
  %e = exp2 %t
  %l = reduce sum %e over [1]
  %l1 = reshape %l to [M, 1]
  %y = fdiv %e, %l1
  return %y
}

// CHECK-LABEL: host.func @layernorm<
// CHECK-COUNT-1: launch
// CHECK-NOT: launch
// CHECK: return
tiny.func @layernorm<B, S>(%X: tensor<[B, S, 24], f32>, %g: tensor<[24], f32>, %b: tensor<[24], f32>) -> tensor<[B, S, 24], f32> {
  %n = const 0.041666668 : tensor<[B, S], f32>
  %s = reduce sum %X over [2]
  %mean = mul %s, %n
  %mean1 = reshape %mean to [B, S, 1]
  %d = sub %X, %mean1
  %q = mul %d, %d
  %v = reduce sum %q over [2]
  %var = mul %v, %n
  %eps = const 1.0e-5 : tensor<[B, S], f32>
  %ve = add %var, %eps
  %sd = sqrt %ve
  %r = recip %sd
  %r1 = reshape %r to [B, S, 1]
  %h = mul %d, %r1
  %hg = mul %h, %g
  %y = add %hg, %b
  return %y
}

// CHECK-LABEL: host.func @attention<
// CHECK-COUNT-1: launch
// CHECK-NEXT: return
tiny.func @attention<H, S, D>(%Q: tensor<[H, S, D], f16>, %K: tensor<[H, S, D], f16>, %V: tensor<[H, S, D], f16>) -> tensor<[H, S, D], f16> {
  %s0 = contract %Q [h, i, d], %K [h, j, d] to [h, i, j] acc f32
  %scale = const 0.25 : tensor<[H, S, S], f32>
  %s1 = mul %s0, %scale
  %i = range 0 : tensor<[S, S], i32>
  %j = range 1 : tensor<[S, S], i32>
  %later = cmp lt %i, %j
  %no = const -1.0e30 : tensor<[S, S], f32>
  %s = where %later, %no, %s1
  %m = reduce max %s over [2]
  %m1 = reshape %m to [H, S, 1]
  %d = sub %s, %m1
  %e = exp2 %d
  %l = reduce sum %e over [2]
  %l1 = reshape %l to [H, S, 1]
  %p = fdiv %e, %l1
  %o = contract %p [h, i, j], %V [h, j, d] to [h, i, d] acc f32
  %y = cast %o to f16
  return %y
}

// CHECK-LABEL: host.func @chain<
// CHECK-COUNT-1: launch
// CHECK-NEXT: return
tiny.func @chain<B, M, N, K, O>(%A: tensor<[B, M, K], f16>, %V: tensor<[B, K, N], f16>, %D0: tensor<[B, M, N], f16>, %D1: tensor<[B, M, N], f16>, %W: tensor<[B, N, O], f16>, %D2: tensor<[B, M, O], f16>) -> tensor<[B, M, O], f16> {
  %s = contract %A [b, m, k], %V [b, k, n] to [b, m, n] acc f32
  %a0 = add %s, %D0
  %a1 = add %a0, %D1
  %r = relu %a1
  %h = cast %r to f16
  %t = contract %h [b, m, n], %W [b, n, o] to [b, m, o] acc f32
  %e = add %t, %D2
  %y = cast %e to f16
  return %y
}

// CHECK-LABEL: host.func @embedding<
// CHECK-COUNT-1: launch
// CHECK-NEXT: return
tiny.func @embedding<V, D, S>(%W: tensor<[V, D], f32>, %P: tensor<[S, D], f32>, %ids: tensor<[S], i32>) -> tensor<[S, D], f32> {
  %e = index %W[%ids]
  %y = add %e, %P
  return %y
}

// Views of all kinds, and a flip.
// CHECK-LABEL: host.func @views<
// CHECK-COUNT-1: launch
// CHECK-NEXT: return
tiny.func @views<M, N>(%X: tensor<[M, N], f32>) -> tensor<[2*N + 3, M], f32> {
  %f = flip %X over [0]
  %p = permute %f by [1, 0]
  %e = reshape %p to [N, 1, M]
  %w = expand %e to [N, 2, M]
  %r = reshape %w to [2*N, M]
  %q = pad %r low [1, 0] high [2, 0] value 3.0 : f32
  %n = neg %q
  return %n
}

// A row of its own, which two others need: it is stored, and so are they.
// CHECK-LABEL: host.func @fan_out<
// CHECK-COUNT-3: launch
// CHECK-NEXT: return
tiny.func @fan_out<M, N>(%X: tensor<[M, N], f32>, %Y: tensor<[M, N], f32>) -> (tensor<[M], f32>, tensor<[M, N], f32>) {
  %p = mul %X, %Y
  %s = reduce sum %p over [1]
  %a = exp2 %s
  %s1 = reshape %s to [M, 1]
  %b = mul %X, %s1
  return %a, %b
}

// A block of a network: normalization, a product of matrices, what was there before added.
// CHECK-LABEL: host.func @block<
// CHECK-COUNT-2: launch
// CHECK-NEXT: return
tiny.func @block<M>(%X: tensor<[M, 16], f32>, %W: tensor<[16, 16], f32>) -> tensor<[M, 16], f32> {
  %q = mul %X, %X
  %s = reduce sum %q over [1]
  %c = const 0.0625 : tensor<[M], f32>
  %v = mul %s, %c
  %sd = sqrt %v
  %one = const 1.0 : tensor<[M], f32>
  %sd1 = add %sd, %one
  %r = recip %sd1
  %r1 = reshape %r to [M, 1]
  %h = mul %X, %r1
  %t = contract %h [m, k], %W [k, n] to [m, n] acc f32
  %y = add %t, %X
  return %y
}

// A row reduction that is reduced further over the same axis.
// CHECK-LABEL: host.func @reduced_again<
// CHECK-COUNT-1: launch
// CHECK-NEXT: return
tiny.func @reduced_again<M, N>(%x: tensor<[M, N], f32>) -> tensor<[], f32> {
  %m = reduce max %x over [1] acc f32
  %c = reshape %m to [M, 1]
  %d = sub %x, %c
  %s = reduce sum %d over [0, 1] acc f32
  return %s
}
