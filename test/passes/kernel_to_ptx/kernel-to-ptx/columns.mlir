// Tiles column by column: the row is what is left of the number.

// RUN: dlc-opt %s --kernel-to-ptx -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --shape=M=5,N=7 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --shape=M=5,N=7 --seed=0 --check=%t.npy

// CHECK: ptx.func @numbers
kernel.func @numbers<M, N>(%x: memref<[M, N], f32>) -> memref<[M, N], f32> {
  %y = output : memref<[M, N], f32>
  grid (M * N) threads 32 {
    %t = block_id 0
    %m, %n = tile_order %t of (M, N) columns
    %v = load %x[%m, %n + i0] where (i0 < 1) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %o = index (%t) : i32
    %f = cast %o : f32
    %w = binary add %v, %f : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %w to %y[%m, %n + i0] where (i0 < 1)
  }
  return %y
}
