// A run of pixels goes on from row to row and from image to image: it is stored along these axes taken as one.

// RUN: dlc-opt %s --stage-stores --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --check-async -o /dev/null
// RUN: dlc-run %s --function=run --shape=B=3,H=5,W=7,C=40 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=run --shape=B=3,H=5,W=7,C=40 --seed=0 --check=%t.npy

// CHECK-LABEL: kernel.func @run<
// CHECK: %[[MAP:.+]] = tensor_map %D merged [3, 1] : tensormap<[64, 64], f16, swizzle 128>
// CHECK: tma_store %panels to %[[MAP]][64*%p, 64*%n]
kernel.func @run<B, H, W, C>(%x: memref<[B, H, W, C], f16, row_major, align 16>) -> memref<[B, H, W, C], f16, row_major, align 16> attributes {target = "sm90"} {
  require (C mod 8 == 0)
  %D = output : memref<[B, H, W, C], f16, row_major, align 16>
  grid ((B * H * W) ceildiv 64, C ceildiv 64) threads 128 {
    %p = block_id 0
    %n = block_id 1
    %h = load %x[(64 * %p + i0) floordiv (H * W), ((64 * %p + i0) floordiv W) mod H, (64 * %p + i0) mod W, 64 * %n + i1]
        where (64 * %p + i0 < B * H * W, 64 * %n + i1 < C) : frag<[64, 64], f16, wgmma>
    store %h to %D[(64 * %p + i0) floordiv (H * W), ((64 * %p + i0) floordiv W) mod H, (64 * %p + i0) mod W, 64 * %n + i1]
        where (64 * %p + i0 < B * H * W, 64 * %n + i1 < C)
  }
  return %D
}

// Rows of one image in a run: the images stay apart.
// CHECK-LABEL: kernel.func @rows<
// CHECK: tensor_map %D merged [1, 2, 1] : tensormap<[1, 64, 64], f16, swizzle 128>
// CHECK: tma_store %panels to %{{.+}}[%b, 64*%p, 0]
kernel.func @rows<B, H, W>(%x: memref<[B, H, W, 64], f16, row_major, align 16>) -> memref<[B, H, W, 64], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[B, H, W, 64], f16, row_major, align 16>
  grid ((H * W) ceildiv 64, B) threads 128 {
    %p = block_id 0
    %b = block_id 1
    %h = load %x[%b, (64 * %p + i0) floordiv W, (64 * %p + i0) mod W, i1] where (64 * %p + i0 < H * W) : frag<[64, 64], f16, wgmma>
    store %h to %D[%b, (64 * %p + i0) floordiv W, (64 * %p + i0) mod W, i1] where (64 * %p + i0 < H * W)
  }
  return %D
}

// Every second pixel is no run, nor is one that the guard ends before the last.
// CHECK-LABEL: kernel.func @apart<
// CHECK-NOT: tensor_map
// CHECK: return
kernel.func @apart<H, W>(%x: memref<[H, W, 64], f16, row_major, align 16>) -> memref<[H, W, 64], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[H, W, 64], f16, row_major, align 16>
  grid ((H * W) ceildiv 128, 2) threads 128 {
    %p = block_id 0
    %b = block_id 1
    %h = load %x[(128 * %p + 2 * i0 + %b) floordiv W, (128 * %p + 2 * i0 + %b) mod W, i1] where (128 * %p + 2 * i0 + %b < H * W) : frag<[64, 64], f16, wgmma>
    store %h to %D[(128 * %p + 2 * i0 + %b) floordiv W, (128 * %p + 2 * i0 + %b) mod W, i1] where (128 * %p + 2 * i0 + %b < H * W)
  }
  return %D
}

// CHECK-LABEL: kernel.func @cut<
// CHECK-NOT: tensor_map
kernel.func @cut<H, W>(%x: memref<[H, W, 64], f16, row_major, align 16>) -> memref<[H, W, 64], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[H, W, 64], f16, row_major, align 16>
  grid ((H * W) ceildiv 64, 2) threads 128 {
    %p = block_id 0
    %b = block_id 1
    %h = const 0.0 : frag<[64, 64], f16, wgmma>
    store %h to %D[(64 * %p + i0) floordiv W, (64 * %p + i0) mod W, i1] where (64 * %p + i0 < 3)
  }
  return %D
}
