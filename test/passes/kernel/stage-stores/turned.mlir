// A result whose rows lie along those of memory is transposed on its way to shared memory, as where operands change sides.

// RUN: dlc-opt %s --stage-stores --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --shape=M=9,N=72 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --shape=M=9,N=72 --seed=0 --check=%t.npy

// CHECK: tensor_map %D : tensormap<[16, 64], f16, swizzle 128>
// CHECK: %panels = shared : tile<2 x [16, 64], f16, swizzle 128>
// CHECK: %[[TOP:.+]] = load %x[16*%m + i1, 128*%n + i0] {{.*}} : frag<[64, 16], f16, wgmma>
// CHECK: store_shared %[[TOP]] to %panels[{{.*}}] transposed
// CHECK: tma_store %panels[{{.*}}] to %map_D[16*%m, 128*%n]
// CHECK: load %x[16*%m + i1, 128*%n + i0 + 64]
// CHECK: tma_store %panels[{{.*}}] to %map_D[16*%m, 128*%n + 64]
kernel.func @turned<M, N>(%x: memref<[M, N], f16, row_major, align 16>) -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (N ceildiv 128, M ceildiv 16) threads 128 {
    %n = block_id 0
    %m = block_id 1
    %h = load %x[16 * %m + i1, 128 * %n + i0] where (128 * %n + i0 < N, 16 * %m + i1 < M) : frag<[128, 16], f16, wgmma>
    store %h to %D[16 * %m + i1, 128 * %n + i0] where (128 * %n + i0 < N, 16 * %m + i1 < M)
  }
  return %D
}
