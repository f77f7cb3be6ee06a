// Columns that are reduced: lanes lie next to each other along them, and warps share the axis that is reduced.

// RUN: dlc-opt %s --tensorize --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --region-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %s --function=program --shape=B=2,M=301,N=75 --seed=0 -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=program --shape=B=2,M=301,N=75 --seed=0 --check=%t.npz
// RUN: dlc-run %s --function=program --shape=B=1,M=8,N=64 --seed=0 -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=program --shape=B=1,M=8,N=64 --seed=0 --check=%t.npz

host.func @program<B, M, N>(%x: memref<[B, M, N], f16, row_major, align 16>)
    -> (memref<[B, N], f32, row_major, align 16>, memref<[B, N], f32, row_major, align 16>, memref<[B, M, N], f16, row_major, align 16>) {
  %s = launch @sums<B, M, N> (%x) : memref<[B, N], f32, row_major, align 16>
  %t = launch @planned<B, M, N> (%x) : memref<[B, N], f32, row_major, align 16>
  %y = launch @below<B, M, N> (%x) : memref<[B, M, N], f16, row_major, align 16>
  return %s, %t, %y
}

// Without a plan: four warps, with eight steps each.
// CHECK-LABEL: kernel.func private @sums<
// CHECK: grid (B*(N ceildiv 64)) threads 128 {
// CHECK: shared : tile<[256], f32, row_major>
// CHECK: for %m = 0 to M step 32 carry
// CHECK: load %X[{{.*}}, %m + i1, i0 + 64*{{.*}}] where ({{.*}} < N, %m + i1 < M) : frag<[64, 32], f16, blocked [2, 1] lanes [32, 1] warps [1, 4]>
// CHECK: reduce sum %{{.*}} along 1 through %shared
region.func private @sums<B, M, N> iters (b: B, n: N)
    ins (%X: memref<[B, M, N], f16, row_major, align 16>)
    outs (Y: memref<[B, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (m: M) acc f32 init 0.0 {
    %x = read %X[b, m, n] : f16 over (b, m, n)
    %w = cast %x : f32 over (b, m, n)
    yield %w
  } : f32 over (b, n)
  yield %s to Y
}

// CHECK-LABEL: kernel.func private @planned<
// CHECK: grid (B*(N ceildiv 128)) threads 256 {
// CHECK: for %m = 0 to M step 64 carry
// CHECK: load %X[{{.*}}] where {{.*}} : frag<[128, 64], f16, blocked [2, 1] lanes [32, 1] warps [2, 4]>
region.func private @planned<B, M, N> iters (b: B, n: N)
    ins (%X: memref<[B, M, N], f16, row_major, align 16>)
    outs (Y: memref<[B, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce max (m: M) acc f32 init -inf {
    %x = read %X[b, m, n] : f16 over (b, m, n)
    %w = cast %x : f32 over (b, m, n)
    yield %w
  } : f32 over (b, n)
  yield %s to Y
}
plan.schedule of @planned for sm90 {
  tile (b: 1, n: 128, m: 64)
  reduced [m]
  thread_tile (n: 2)
  threads (n: 64, m: 4)
}

// What is below the maximum of its column: read again, by the same threads.
// CHECK-LABEL: kernel.func private @below<
// CHECK: reduce max
// CHECK: for %m = 0 to M step 32 {
// CHECK: store
region.func private @below<B, M, N> iters (b: B, m: M, n: N)
    ins (%X: memref<[B, M, N], f16, row_major, align 16>)
    outs (Y: memref<[B, M, N], f16, row_major, align 16> materialize gmem) {
  %top = reduce max (m: M) acc f16 init -inf {
    %x = read %X[b, m, n] : f16 over (b, m, n)
    yield %x
  } : f16 over (b, n)
  %x2 = read %X[b, m, n] : f16 over (b, m, n)
  %d = binary sub %x2, %top : f16 over (b, m, n)
  yield %d to Y
}

// A window along the reduced axis is no column: one position after the other.
// CHECK-LABEL: kernel.func private @windows<
// CHECK-NOT: through
region.func private @windows<M, N> iters (n: N)
    ins (%X: memref<[M, M + N], f16, row_major, align 16>)
    outs (Y: memref<[N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (m: M) acc f32 init 0.0 {
    %x = read %X[m, m + n] : f16 over (n, m)
    %w = cast %x : f32 over (n, m)
    yield %w
  } : f32 over (n)
  yield %s to Y
}

// Few columns: each lane has one.
// CHECK-LABEL: kernel.func private @few<
// CHECK: grid (1) threads 128 {
// CHECK: load %X{{.*}} : frag<[32, 32], f16, blocked [1, 1] lanes [32, 1] warps [1, 4]>
// CHECK: reduce sum %{{.*}} along 1 through %shared
region.func private @few<M> iters (n: 20)
    ins (%X: memref<[M, 20], f16, row_major, align 16>)
    outs (Y: memref<[20], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (m: M) acc f32 init 0.0 {
    %x = read %X[m, n] : f16 over (n, m)
    %w = cast %x : f32 over (n, m)
    yield %w
  } : f32 over (n)
  yield %s to Y
}
