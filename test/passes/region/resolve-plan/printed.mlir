// The plan of section 8.1 of the specification for the region of section 6.8.1, with row-major factors: from the region to
// instructions: each clause is followed, or is what the kernel is.

// RUN: dlc-opt %s --resolve-plan | FileCheck %s
// RUN: dlc-opt %s --region-to-ptx -o %t.ptx 2> %t.err
// RUN: FileCheck %s --input-file=%t.err --check-prefix=WARNING
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX

// CHECK-LABEL: plan.schedule of @gemm_bias_relu
// CHECK-NEXT: tile (m: 128, n: 64, k: 64)
// CHECK-NEXT: reduced [k]
// CHECK-NEXT: instruction mma [16, 8, 16]
// CHECK-NEXT: warp_tile (m: 64, n: 64)
// CHECK-NEXT: stages 2

// Rows of no known alignment are copied by elements, and nothing runs alongside the stores of 'mma': each is a warning at its
// clause.
// WARNING: [E1614] Warning: 'plan.schedule': 'overlap_epilogue': only TMA stores results while the next tile is computed
// WARNING: [E1614] Warning: 'plan.schedule': a thread copies 1 of the 8 elements of B at once
// WARNING: [E1614] Warning: 'plan.schedule': 'barrier cp_async_group': the threads wait for the copy of A: a thread moves 2 bytes
// WARNING: [E1614] Warning: 'plan.schedule': 'barrier cp_async_group': the threads wait for the copy of B: a thread moves 2 bytes
// WARNING: [E1615] Warning: 'ptx.entry': 'gemm_bias_relu_0' needs about
// WARNING-NOT: Warning
// PTX: ptx.func @gemm_bias_relu
// PTX: mma.sync
region.func @gemm_bias_relu<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 128, noalias>, %B: memref<[K, N], f16, row_major, align 128, noalias>, %bias: memref<[N], f16, row_major, align 128, noalias>)
    outs (C: memref<[M, N], f16, row_major, align 128, noalias> materialize gmem) {
  %acc = reduce sum (k: K) acc f32 init 0.0 {
    %0 = read %A[m, k] : f16 over (m, k)
    %1 = read %B[k, n] : f16 over (n, k)
    %2 = binary mul %0, %1 widen : f32 over (m, n, k)
    yield %2
  } : f32 over (m, n)
  %3 = read %bias[n] : f16 over (n)
  %4 = broadcast_in_dim %3 to [M, N] dims [1] : f16 over (m, n)
  %c1 = binary add %acc, %4 : f32 over (m, n)
  %c2 = unary relu %c1 : f32 over (m, n)
  yield %c2 to C as f16
}
plan.schedule of @gemm_bias_relu for sm80 {
  tile (m: 128, n: 64, k: 64)
  warp_tile (m: 64, n: 64)
  stages 2
  bind (m.o: block.y, n.o: block.x, m.i.o: warp.y, n.i.o: warp.x)
  cache A in smem at k.i pingpong
  cache B in smem at k.i pingpong
  swizzle (A: auto, B: auto)
  stride (C: row)
  vectorize n.i.i by 8
  predicate_tail [m.i.i, n.i.i, k.i.i]
  barrier cp_async_group
  async prefetch 2 overlap_epilogue
  edge sum_k to relu in reg
  epilogue [bias, relu]
  algo (matmul: implicit_gemm)
}
