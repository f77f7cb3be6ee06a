// Rows by threads: where they are unaligned lanes take elements side by side, and where they are longer than what is kept in
// registers they are read again. Each choice asks less than the one before it.

// RUN: dlc-opt %s --add-fallback -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --tensorize -o %t.kernel.mlir
// RUN: FileCheck %s --input-file=%t.kernel.mlir --check-prefix=KERNEL
// RUN: dlc-opt %t.kernel.mlir --region-to-ptx -o %t.ptx.mlir

// A row that fits, an unaligned one, a long one, and a long an unaligned one.
// RUN: dlc-run %s --function=program --shape=M=3,N=56 --seed=0 -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=program --shape=M=3,N=56 --seed=0 --check=%t.npz
// RUN: dlc-run %s --function=program --shape=M=3,N=513 --seed=0 -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=program --shape=M=3,N=513 --seed=0 --check=%t.npz
// RUN: dlc-run %s --function=program --shape=M=3,N=4096 --seed=0 -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=program --shape=M=3,N=4096 --seed=0 --check=%t.npz
// RUN: dlc-run %s --function=program --shape=M=3,N=2051 --seed=0 -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=program --shape=M=3,N=2051 --seed=0 --check=%t.npz

// CHECK: launch @norm<M, N> where (N mod 8 == 0, N < 2049) else @norm_any<M, N> where (N < 2049) else @norm_any_0<M, N> where (N mod 8 == 0) else @norm_any_1<M, N> (%x)
// CHECK-LABEL: plan.schedule of @norm_any_1 for sm90 {
// CHECK-NEXT: tile (m: 1, n: 1024)
// CHECK-NEXT: reduced [n]
// CHECK-NEXT: threads (n: 64)
// CHECK-NEXT: unroll (n: 16)
// CHECK-NEXT: }
// CHECK-LABEL: plan.schedule of @norm_any_0 for sm90 {
// CHECK-NEXT: tile (m: 1, n: 2048)
// CHECK-NEXT: reduced [n]
// CHECK-NEXT: assume (N: 8)
// CHECK-NEXT: thread_tile (n: 8)
// CHECK-NEXT: threads (n: 64)
// CHECK-NEXT: unroll (n: 4)
// CHECK-NEXT: vectors (X: 8)
// CHECK-NEXT: }
// CHECK-LABEL: plan.schedule of @norm_any for sm90 {
// CHECK-NEXT: tile (m: 1, n: 2048)
// CHECK-NEXT: reduced [n]
// CHECK-NEXT: threads (n: 64)
// CHECK-NEXT: unroll (n: 32)
// CHECK-NEXT: blocks_per_sm 8
// CHECK-NEXT: cache X (m, n) f16 in reg
// CHECK-NEXT: }

// Each warp has a part of the row; what warps exchange is in whole registers.
// KERNEL-LABEL: kernel.func private @norm_any_1<
// KERNEL: grid (M) threads 64 {
// KERNEL: shared : tile<[2], f32, row_major>
// KERNEL: for %n = 0 to N step 1024
// KERNEL: load %X[%tile, %n + i0] where (%n + i0 < N) : frag<[1024], f16, slice 0 of (blocked [1, 1] lanes [1, 32] warps [1, 2])>
// KERNEL: reduce max {{.*}} along 1 through %shared
host.func @program<M, N>(%x: memref<[M, N], f16, row_major, align 16>) -> memref<[M, N], f16, row_major, align 16> {
  %y = launch @norm<M, N> (%x) : memref<[M, N], f16, row_major, align 16>
  return %y
}
region.func private @norm<M, N> iters (m: M, n: N)
    ins (%X: memref<[M, N], f16, row_major, align 16>)
    outs (Y: memref<[M, N], f16, row_major, align 16> materialize gmem) {
  %top = reduce max (n: N) acc f16 init -inf {
    %x = read %X[m, n] : f16 over (m, n)
    yield %x
  } : f16 over (m)
  %x2 = read %X[m, n] : f16 over (m, n)
  %d = binary sub %x2, %top : f16 over (m, n)
  yield %d to Y
}
plan.schedule of @norm for sm90 {
  tile (m: 1, n: 2048)
  reduced [n]
  assume (N: 8)
  thread_tile (n: 8)
  threads (n: 64)
  unroll (n: 4)
  blocks_per_sm 8
  cache X (m, n) f16 in reg
  vectors (X: 8)
}
