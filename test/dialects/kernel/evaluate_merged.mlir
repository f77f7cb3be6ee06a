// A box of a map whose axes are merged goes on from row to row and from image to image, and ends with the last one.

// RUN: dlc-run %s --function=rows --shape=B=2,H=3,W=5 --seed=0 -o %t.npy
// RUN: dlc-run %s --function=same --shape=B=2,H=3,W=5 --seed=0 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-opt %s --kernel-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %t.ptx.mlir --function=rows --shape=B=2,H=3,W=5 --seed=0 -o %t.ptx.npy
// RUN: dlc-run %s --function=same --shape=B=2,H=3,W=5 --seed=0 --check=%t.ptx.npy --rtol=0 --atol=0
// RUN: dlc-translate %t.ptx.mlir --to-ptx -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json

// CHECK: "name": "from"
// CHECK-NEXT: "buffer": "X"
// CHECK-NEXT: "type": "f16"
// CHECK-NEXT: "shape": [
// CHECK-NEXT: "B*H*W",
// CHECK-NEXT: 8
// CHECK-NEXT: ],
kernel.func @rows<B, H, W>(%X: memref<[B, H, W, 8], f16, row_major, align 16>) -> memref<[B, H, W, 8], f16, row_major, align 16> attributes {target = "sm90"} {
  %Y = output : memref<[B, H, W, 8], f16, row_major, align 16>
  %from = tensor_map %X merged [3, 1] : tensormap<[16, 8], f16, row_major>
  %to = tensor_map %Y merged [3, 1] : tensormap<[16, 8], f16, row_major>
  grid ((B * H * W) ceildiv 16) threads 32 {
    %s = shared : tile<[16, 8], f16, row_major>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %b = block_id 0
    %zero = index (0)
    barrier
    elect {
      expect %full bytes 256
      tma_load %from[16 * %b, 0] to %s signal %full
    }
    wait %full parity %zero
    elect {
      %t = tma_store %s to %to[16 * %b, 0]
      await %t
    }
  }
  return %Y
}

kernel.func @same<B, H, W>(%X: memref<[B, H, W, 8], f16, row_major, align 16>) -> memref<[B, H, W, 8], f16, row_major, align 16> attributes {target = "sm90"} {
  %Y = output : memref<[B, H, W, 8], f16, row_major, align 16>
  grid (B * H * W) threads 32 {
    %p = block_id 0
    %x = load %X[%p floordiv (H * W), (%p floordiv W) mod H, %p mod W, i0] : frag<[8], f16, blocked [1] lanes [32] warps [1]>
    store %x to %Y[%p floordiv (H * W), (%p floordiv W) mod H, %p mod W, i0]
  }
  return %Y
}
