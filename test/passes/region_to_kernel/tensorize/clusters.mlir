// Blocks of a cluster have neighbouring tiles; what is no cluster of neighbours is reported.

// RUN: dlc-opt %s --tensorize --evaluate-each --check-async | FileCheck %s
// RUN: dlc-opt %s --tensorize --no-output --remarks=missed 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=missed

// CHECK-LABEL: kernel.func @rows
// CHECK: grid (2*(M ceildiv 64)*(N ceildiv 16)) cluster [2] threads 128
// CHECK: %block = block_id 0
// CHECK: %tile = index (%block floordiv 2)
// CHECK: %rank = block_rank
// CHECK: %row, %column = tile_order %tile of (M ceildiv 64, N ceildiv 16) rows
// CHECK: copy %A[32*%rank + 64*%row + i0, %k + i1]
// CHECK: copy %B[%k + i0, 16*%column + i1]
region.func @rows<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @rows for sm90 {
  tile (m: 32, n: 16, k: 16)
  instruction mma
  cluster (m: 2)
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
}

// CHECK-LABEL: kernel.func @columns
// CHECK: cluster [4]
// CHECK: copy %A[32*%row + i0, %k + i1]
// CHECK: copy %B[%k + i0, 16*%rank + 64*%column + i1]
region.func @columns<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @columns for sm90 {
  tile (m: 32, n: 16, k: 16)
  instruction mma
  cluster (m: 1, n: 4)
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
}

// REMARK: [E1614] Warning: 'plan.schedule': blocks are in no clusters: they are neighbours along one axis alone, the last of rows or columns
// CHECK-LABEL: kernel.func @square
// CHECK: grid ((M ceildiv 32)*(N ceildiv 16)) threads 128
region.func @square<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @square for sm90 {
  tile (m: 32, n: 16, k: 16)
  instruction mma
  cluster (m: 2, n: 2)
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
}

// An axis of which a tile has one position is one of blocks: its matrices form a stack, though they share the right one.
// CHECK-LABEL: kernel.func @stack
// CHECK: %row, %column = tile_order %{{[0-9]+}} of (M ceildiv 32, N ceildiv 16) rows
// CHECK: copy %A[%tile floordiv ((M ceildiv 32)*(N ceildiv 16)), 32*%row + i0, %k + i1]
region.func @stack<B, M, N, K> iters (b: B, m: M, n: N)
    ins (%A: memref<[B, M, K], f16, row_major, align 16>, %W: memref<[K, N], f16, row_major, align 16>)
    outs (C: memref<[B, M, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[b, m, k] : f16 over (b, m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %ab = binary mul %a, %w widen : f32 over (b, m, n, k)
    yield %ab
  } : f32 over (b, m, n)
  yield %s to C
}
plan.schedule of @stack for sm90 {
  tile (b: 1, m: 32, n: 16, k: 16)
  instruction mma
  cache A (b, m, k) f16 in smem
  cache W (k, n) f16 in smem
}
