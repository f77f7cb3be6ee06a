// A lane stores what others of its warp wrote, and they do not meet.

// RUN: not dlc-opt %s --check-async --no-output 2>&1 | FileCheck %s

// CHECK: [E1811] Error: 'kernel.tma_store': reads %s: other lanes of the warp wrote to it, with no 'warp_sync' between
kernel.func @t<N>(%X: memref<[32, 32], f32>) -> memref<[32, 32], f32> attributes {target = "sm90"} {
  %Y = output : memref<[32, 32], f32>
  %mY = tensor_map %Y : tensormap<[32, 32], f32, swizzle 128>
  grid (1) threads 32 {
    %s = shared : tile<[32, 32], f32, swizzle 128>
    %x = load %X[i0, i1] : frag<[32, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    store_shared %x to %s
    fence_async
    elect {
      %t = tma_store %s to %mY[0, 0] : token<epilogue>
      await_read %t
    }
  }
  return %Y
}
