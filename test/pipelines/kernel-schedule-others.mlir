// Other machines, other kernels: a stack of matrices with a bias and an activation, one on an A100, convolutions, and one
// without a plan, which stays as it is.

// RUN: dlc-opt %s --pass-pipeline='tensorize,kernel-schedule' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --function=stack --shape=B=2,M=200,N=72,K=40 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=stack --shape=B=2,M=200,N=72,K=40 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=stack --shape=B=3,M=5,N=8,K=0 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=stack --shape=B=3,M=5,N=8,K=0 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=stack --shape=B=0,M=5,N=8,K=8 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=stack --shape=B=0,M=5,N=8,K=8 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=ampere --shape=M=70,N=136,K=72 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=ampere --shape=M=70,N=136,K=72 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=conv --shape=N=2,C=72,H=3,W=67,Co=24 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=conv --shape=N=2,C=72,H=3,W=67,Co=24 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=strided --shape=N=2,C=16,H=5,W=9,Co=24 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=strided --shape=N=2,C=16,H=5,W=9,Co=24 --seed=0 --check=%t.npy

// CHECK-LABEL: kernel.func @stack
// CHECK: role producer
// CHECK: tma_load %map_X[%tile floordiv
// CHECK: load %bias
// CHECK: barrier id %mine
// CHECK: unary relu
// CHECK: tma_store
region.func @stack<B, M, N, K> iters (b: B, m: M, n: N)
    ins (%X: memref<[B, M, K], f16, row_major, align 16>, %W: memref<[K, N], f16, row_major, align 16>, %bias: memref<[N], f16, row_major, align 16>)
    outs (Y: memref<[B, M, N], f16, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %X[b, m, k] : f16 over (b, m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %ab = binary mul %a, %w widen : f32 over (b, m, n, k)
    yield %ab
  } : f32 over (b, m, n)
  %c = read %bias[n] : f16 over (n)
  %d = cast %c : f32 over (n)
  %t = binary add %s, %d : f32 over (b, m, n)
  %r = unary relu %t : f32 over (b, m, n)
  yield %r to Y as f16
}
plan.schedule of @stack for sm90 {
  tile (b: 1, m: 64, n: 32, k: 32)
  instruction wgmma [64, 32, 16]
  stages 3
  persistent 2
  order grouped 8 along m
  roles ping_pong consumers 2
  cache X (b, m, k) f16 in smem
  cache W (k, n) f16 in smem
  barrier mbarrier
  async prefetch 2 overlap_epilogue
}

// CHECK-LABEL: kernel.func @ampere
// CHECK: tile<3 x [
// CHECK: copy_async
// CHECK-NOT: role producer
// CHECK: mma
// CHECK: {{ store }}
region.func @ampere<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 16>, %W: memref<[K, N], f16, row_major, align 16>)
    outs (Y: memref<[M, N], f16, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %X[m, k] : f16 over (m, k)
    %b = read %W[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to Y as f16
}
plan.schedule of @ampere for sm80 {
  tile (m: 64, n: 64, k: 32)
  assume (K: 8, N: 8)
  instruction mma [16, 8, 16]
  warps (m: 2, n: 2)
  stages 3
  order grouped 4 along m
  cache X (m, k) f16 in smem
  cache W (k, n) f16 in smem
  barrier cp_async_group
  async prefetch 2
}

// The window of a convolution is moved by TMA, place by place; what it reads beyond a row is of no row of the
// result.
// CHECK-LABEL: kernel.func @conv
// CHECK: role producer
// CHECK: for %kh = 0 to 3
// CHECK: for %kw = 0 to 3
// CHECK: for %k = 0 to C step 64
// CHECK: tma_load %map_X[{{.*}} + %kw - 1, %k]
// CHECK: tma_load %map_F[%kh, %kw, %k, 64*%column]
// CHECK: role consumer
// CHECK: barrier id %mine
// CHECK: tma_store
region.func @conv<N, C, H, W, Co> iters (n: N, ho: H, wo: W, co: Co)
    ins (%X: memref<[N, H, W, C], f16, row_major, align 128, noalias>, %F: memref<[3, 3, C, Co], f16, row_major, align 128, noalias>)
    outs (Y: memref<[N, H, W, Co], f16, row_major, align 128, noalias> materialize gmem) {
  %s = reduce sum (kh: 3, kw: 3, ci: C) acc f32 init 0.0 {
    %x = read %X[n, ho + kh - 1, wo + kw - 1, ci] where (0 <= ho + kh - 1 < H, 0 <= wo + kw - 1 < W) : f16 over (n, ho, wo, kh, kw, ci)
    %f = read %F[kh, kw, ci, co] : f16 over (co, kh, kw, ci)
    %p = binary mul %x, %f widen : f32 over (n, ho, wo, co, kh, kw, ci)
    yield %p
  } : f32 over (n, ho, wo, co)
  yield %s to Y as f16
}
plan.schedule of @conv for sm90 {
  tile (n: 1, ho: 1, wo: 64, co: 64, ci: 64)
  assume (C: 8, Co: 8)
  instruction wgmma [64, 64, 16]
  stages 4
  persistent 3
  order grouped 8 along wo
  roles ping_pong consumers 2
  cache X (n, ho, kh, wo, kw, ci) f16 in smem
  cache F (kh, kw, ci, co) f16 in smem
  barrier mbarrier
  async prefetch 2 overlap_epilogue
}

// With a stride of two TMA could not: threads copy, and warps have no roles then.
// CHECK-LABEL: kernel.func @strided
// CHECK-NOT: role producer
// CHECK: copy_async %X
region.func @strided<N, C, H, W, Co> iters (n: N, ho: (H + 1) floordiv 2, wo: (W + 1) floordiv 2, co: Co)
    ins (%X: memref<[N, H, W, C], f16, row_major, align 128, noalias>, %F: memref<[3, 3, C, Co], f16, row_major, align 128, noalias>)
    outs (Y: memref<[N, (H + 1) floordiv 2, (W + 1) floordiv 2, Co], f16, row_major, align 128, noalias> materialize gmem) {
  %s = reduce sum (kh: 3, kw: 3, ci: C) acc f32 init 0.0 {
    %x = read %X[n, 2*ho + kh - 1, 2*wo + kw - 1, ci] where (0 <= 2*ho + kh - 1 < H, 0 <= 2*wo + kw - 1 < W) : f16 over (n, ho, wo, kh, kw, ci)
    %f = read %F[kh, kw, ci, co] : f16 over (co, kh, kw, ci)
    %p = binary mul %x, %f widen : f32 over (n, ho, wo, co, kh, kw, ci)
    yield %p
  } : f32 over (n, ho, wo, co)
  yield %s to Y as f16
}
plan.schedule of @strided for sm90 {
  tile (n: 1, ho: 1, wo: 64, co: 64, ci: 64)
  assume (C: 8, Co: 8)
  instruction wgmma [64, 64, 16]
  stages 3
  roles cooperative consumers 1
  cache X (n, ho, kh, wo, kw, ci) f16 in smem
  cache F (kh, kw, ci, co) f16 in smem
  barrier mbarrier
  async prefetch 2 overlap_epilogue
}

// CHECK-LABEL: kernel.func @plain
// CHECK-NOT: copy_async
// CHECK: {{ copy }}
region.func @plain<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 16>, %W: memref<[K, N], f16, row_major, align 16>)
    outs (Y: memref<[M, N], f16, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %X[m, k] : f16 over (m, k)
    %b = read %W[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to Y as f16
}
