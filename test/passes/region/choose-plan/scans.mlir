// Plans of scans along rows: a tile for rows of the length that they are assumed to have, and 16-byte accesses where it
// allows them. Along columns that are few, or short, lanes and warps where the elements are; else the default mapping.

// RUN: dlc-opt %s --choose-plan='target=sm90 symbols=[M:4096,N:4096]' | FileCheck %s
// RUN: dlc-opt %s --choose-plan='target=sm90 symbols=[M:1000000,N:100]' | FileCheck %s --check-prefix=SHORT
// RUN: dlc-opt %s --choose-plan='target=sm90 symbols=[M:4096,N:4097]' | FileCheck %s --check-prefix=ODD
// RUN: dlc-opt %s --choose-plan='target=sm90 symbols=[M:4096,N:4096]' --region-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %s --function=program --shape=M=5,N=1000 -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=program --shape=M=5,N=1000 --check=%t.npz
// RUN: dlc-opt %s --choose-plan='target=sm90 symbols=[M:5000,N:3]' | FileCheck %s --check-prefix=FEW
// RUN: dlc-opt %s --choose-plan='target=sm90 symbols=[M:5000,N:3]' --region-to-ptx -o %t.few.mlir
// RUN: dlc-run %t.few.mlir --function=program --shape=M=5,N=1000 --check=%t.npz
// RUN: dlc-run %s --function=program --shape=M=5000,N=3 -o %t.few.npz
// RUN: dlc-run %t.few.mlir --function=program --shape=M=5000,N=3 --check=%t.few.npz
// RUN: dlc-opt %s --choose-plan='target=sm90 symbols=[M:20,N:4096]' | FileCheck %s --check-prefix=LOW
// RUN: dlc-opt %s --choose-plan='target=sm90 symbols=[M:20,N:4096]' --region-to-ptx -o %t.low.mlir
// RUN: dlc-run %t.low.mlir --function=program --shape=M=5,N=1000 --check=%t.npz
// RUN: dlc-run %s --function=program --shape=M=300,N=4 -o %t.low.npz
// RUN: dlc-run %t.low.mlir --function=program --shape=M=300,N=4 --check=%t.low.npz

// CHECK: plan.schedule of @rows for sm90 {
// CHECK-NEXT: tile (m: 1, n: 4096)
// CHECK-NEXT: assume (N: 4)
// CHECK-NEXT: thread_tile (n: 4)
// CHECK-NEXT: threads (m: 1, n: 256)
// CHECK-NEXT: vectors (X: 4, Y: 4)
// CHECK-NEXT: }
// CHECK-NOT: plan.schedule of @columns

// Four rows at once for each warp.
// SHORT: plan.schedule of @rows for sm90 {
// SHORT-NEXT: tile (m: 16, n: 128)
// SHORT-NEXT: assume (N: 4)
// SHORT-NEXT: thread_tile (n: 4)
// SHORT-NEXT: threads (m: 4, n: 32)

// ODD: plan.schedule of @rows for sm90 {
// ODD-NEXT: tile (m: 1, n: 4096)
// ODD-NEXT: thread_tile (n: 4)
// ODD-NEXT: threads (m: 1, n: 256)
// ODD-NEXT: }

// Eight lanes below each other for each of four columns.
// FEW: plan.schedule of @columns for sm90 {
// FEW-NEXT: tile (m: 2048, n: 4)
// FEW-NEXT: thread_tile (m: 4, n: 1)
// FEW-NEXT: threads (m: 128, n: 4)
// FEW-NEXT: }

// Two warps below each other, and as many next to them.
// LOW: plan.schedule of @columns for sm90 {
// LOW-NEXT: tile (m: 32, n: 64)
// LOW-NEXT: thread_tile (m: 16, n: 1)
// LOW-NEXT: threads (m: 2, n: 64)
// LOW-NEXT: }
host.func @program<M, N>(%x: memref<[M, N], f32, row_major, align 128, noalias>)
    -> (memref<[M, N], f32, row_major, align 128, noalias>, memref<[M, N], f32, row_major, align 128, noalias>) {
  %r = launch @rows<M, N> (%x) : memref<[M, N], f32, row_major, align 128, noalias>
  %c = launch @columns<M, N> (%x) : memref<[M, N], f32, row_major, align 128, noalias>
  return %r, %c
}

region.func private @rows<M, N> iters (m: M, n: N)
    ins (%X: memref<[M, N], f32, row_major, align 128, noalias>)
    outs (Y: memref<[M, N], f32, row_major, align 128, noalias> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %s = scan sum %x along n : f32 over (m, n)
  yield %s to Y
}

region.func private @columns<M, N> iters (m: M, n: N)
    ins (%X: memref<[M, N], f32, row_major, align 128, noalias>)
    outs (Y: memref<[M, N], f32, row_major, align 128, noalias> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %s = scan sum %x along m : f32 over (m, n)
  yield %s to Y
}
