// Panels that are stored together: all are written, then one thread lets TMA store them.

// RUN: dlc-opt %s --stage-stores=planned --evaluate-each --check-async -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --function=pairs --shape=M=70,N=136 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=pairs --shape=M=70,N=136 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=narrow --shape=M=70,N=136 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=narrow --shape=M=70,N=136 --seed=0 --check=%t.npy

// CHECK-LABEL: kernel.func @pairs
// CHECK: tile<2 x [64, 64], f16, swizzle 128>
// CHECK: elect {
// CHECK-NEXT: await_read %stored_1, %stored_2
// CHECK-NEXT: }
// CHECK-NEXT: barrier
// CHECK: store_shared
// CHECK-NOT: barrier
// CHECK: store_shared
// CHECK-NEXT: fence_async
// CHECK-NEXT: barrier
// CHECK-NEXT: elect : token<epilogue>, token<epilogue> {
// CHECK-NEXT: tma_store {{.*}}[64*%m, 128*%n]
// CHECK-NEXT: tma_store {{.*}}[64*%m, 128*%n + 64]
kernel.func @pairs<M, N>(%x: memref<[M, N], f16, row_major, align 16>) -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (1) threads 128 {
    for %n = 0 to N ceildiv 128 {
      for %m = 0 to M ceildiv 64 {
        %h = load %x[64*%m + i0, 128*%n + i1] where (64*%m + i0 < M, 128*%n + i1 < N) : frag<[64, 128], f16, wgmma>
        store %h to %D[64*%m + i0, 128*%n + i1] where (64*%m + i0 < M, 128*%n + i1 < N)
      }
    }
  }
  return %D
}
plan.schedule of @pairs for sm90 {
  store tma panels 2 together 2
}

// Of narrow panels four have the room of one with rows of 128 bytes, and leave together.
// CHECK-LABEL: kernel.func @narrow
// CHECK: tile<7 x [64, 16], f16, swizzle 32>
// CHECK-COUNT-4: store_shared
// CHECK-NEXT: fence_async
// CHECK-NEXT: barrier
// CHECK-NEXT: elect
// CHECK-COUNT-4: tma_store
// CHECK-COUNT-3: store_shared
// CHECK-NEXT: fence_async
// CHECK-NEXT: barrier
// CHECK-NEXT: elect
// CHECK-COUNT-3: tma_store
kernel.func @narrow<M, N>(%x: memref<[M, N], f16, row_major, align 16>) -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (M ceildiv 64, N ceildiv 112) threads 128 {
    %m = block_id 0
    %n = block_id 1
    %h = load %x[64*%m + i0, 112*%n + i1] where (64*%m + i0 < M, 112*%n + i1 < N) : frag<[64, 112], f16, wgmma>
    store %h to %D[64*%m + i0, 112*%n + i1] where (64*%m + i0 < M, 112*%n + i1 < N)
  }
  return %D
}
plan.schedule of @narrow for sm90 {
  store tma panels 2 together 1
}
