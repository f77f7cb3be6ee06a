// Without a product nothing is shared by the blocks of a cluster: there is none, as the warning says.

// RUN: dlc-opt %s --tensorize -o %t.mlir 2>&1 | FileCheck %s --check-prefix=WARNS
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %s --region-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %s --shape=M=3,N=30 --seed=1 -o %t.npz
// RUN: dlc-run %t.ptx.mlir --shape=M=3,N=30 --seed=1 --check=%t.npz
// RUN: dlc-run %t.ptx.mlir --shape=M=3,N=0 --seed=1

// WARNS: E1614
// WARNS-SAME: 'cluster' of the plan changes nothing: the kernel has no product with tiles in shared memory
// CHECK: grid (M) threads
region.func @rows<M, N> iters (m: M)
    ins (%X: memref<[M, N], f32, row_major, align 4>)
    outs (Y: memref<[M], f32, row_major, align 128> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %top = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  yield %top to Y
}
plan.schedule of @rows for sm90 {
  tile (m: 1, n: 256)
  cluster (m: 2)
}
