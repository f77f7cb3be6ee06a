// Lanes of a warp exchange through shared memory, and do not meet.

// RUN: not dlc-opt %s --check-async --no-output 2>&1 | FileCheck %s

// CHECK: [E1811] Error: 'kernel.load_shared': reads %s: other lanes of the warp wrote to it, with no 'warp_sync' betwee
kernel.func @t<N>(%X: memref<[32, 32], f32>) -> memref<[32, 32], f32> attributes {target = "sm90"} {
  %Y = output : memref<[32, 32], f32>
  grid (1) threads 32 {
    %s = shared : tile<[32, 32], f32, row_major pitch 33>
    %x = load %X[i0, i1] : frag<[32, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    store_shared %x to %s
    %y = load_shared %s : frag<[32, 32], f32, blocked [1, 1] lanes [32, 1] warps [1, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}
