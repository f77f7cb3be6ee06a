// A run of pixels that goes on from row to row and from image to image is a box of these axes taken as one.

// RUN: dlc-opt %s --insert-async-tokens=target=sm90 --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --check-async -o /dev/null
// RUN: dlc-run %s --shape=B=3,H=3,W=7,C=24 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --shape=B=3,H=3,W=7,C=24 --seed=0 --check=%t.npy --rtol=0 --atol=0

!half = frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>

// CHECK: %[[MAP:.+]] = tensor_map %X merged [3, 1] : tensormap<[32, 32], f16, swizzle 64>
// CHECK: tma_load %[[MAP]][32*%p, 0] to %s
kernel.func @run<B, H, W, C>(%X: memref<[B, H, W, C], f16, row_major, align 16>) -> memref<[B * H * W, C], f16, row_major, align 16> attributes {target = "sm90"} {
  require (C mod 8 == 0)
  %Y = output : memref<[B * H * W, C], f16, row_major, align 16>
  grid ((B * H * W) ceildiv 32) threads 128 {
    %s = shared : tile<[32, 32], f16, swizzle 64>
    %p = block_id 0
    copy %X[(32 * %p + i0) floordiv (H * W), ((32 * %p + i0) floordiv W) mod H, (32 * %p + i0) mod W, i1]
        where (32 * %p + i0 < B * H * W, i1 < C) to %s by blocked [1, 8] lanes [8, 4] warps [4, 1]
    barrier
    %h = load_shared %s : !half
    store %h to %Y[32 * %p + i0, i1] where (32 * %p + i0 < B * H * W, i1 < C)
  }
  return %Y
}
