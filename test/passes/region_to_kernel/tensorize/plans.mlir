// What a plan says of tiles, instructions and operands is done; see also the ladder.

// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --tensorize --evaluate-each -o /dev/null

// Two plans: each kernel has its own. The warps of `mma` by their grid, or by the tile of each.
// CHECK-LABEL: kernel.func @grid<
// CHECK: grid ((M ceildiv 128)*(N ceildiv 64)) threads 256
// CHECK: frag<[128, 64], f32, mma [4, 2]>
// CHECK: step 64
region.func @grid<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], bf16, row_major, align 16>, %B: memref<[K, N], bf16, row_major, align 16>)
    outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : bf16 over (m, k)
    %b = read %B[k, n] : bf16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @grid for sm80 {
  tile (m: 128, n: 64, k: 64)
  instruction mma [16, 8, 16]
  warp_tile (m: 32, n: 32)
  cache A (m, k) bf16 in smem
  cache B (k, n) bf16 in smem
}

// CHECK-LABEL: kernel.func @tile<
// CHECK: threads 64
// CHECK: frag<[32, 32], f32, mma [1, 2]>
region.func @tile<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    outs (C: memref<[M, N], f16, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[n, k] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C as f16
}
plan.schedule of @tile for sm80 {
  tile (m: 32, n: 32, k: 16)
  instruction mma [16, 8, 16]
  warps (m: 1, n: 2)
  cache A (m, k) f16 in smem
  cache B (n, k) f16 in smem
}

// A sum that is the same for all columns is no product of matrices, though its factors look like one.
// CHECK-LABEL: kernel.func @same<
// CHECK: for %t = 0 to T
// CHECK-NOT: wgmma %
// CHECK: binary max
// CHECK: wgmma %
region.func @same<M, N, T> iters (m: M, n: N)
    ins (%A: memref<[M, 32], f16, row_major, align 16>, %B: memref<[T, 32], f16, row_major, align 16>,
         %W: memref<[M, 64], f16, row_major, align 16>, %V: memref<[64, N], f16, row_major, align 16>)
    outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %dot = reduce sum (k: 32) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[t, k] : f16 over (t, k)
    %ab = binary mul %a, %b widen : f32 over (m, t, k)
    yield %ab
  } : f32 over (m, t)
  %top = reduce max (t: T) acc f32 init -inf {
    yield %dot
  } : f32 over (m)
  %s = reduce sum (h: 64) acc f32 init 0.0 {
    %w = read %W[m, h] : f16 over (m, h)
    %v = read %V[h, n] : f16 over (n, h)
    %wv = binary mul %w, %v widen : f32 over (m, n, h)
    yield %wv
  } : f32 over (m, n)
  %y = binary add %s, %top : f32 over (m, n)
  yield %y to C
}
plan.schedule of @same for sm90 {
  tile (m: 64, n: 64, k: 32, h: 64)
  reduced [k, h]
  instruction wgmma
  cache W (m, h) f16 in smem
  cache V (h, n) f16 in smem
}
