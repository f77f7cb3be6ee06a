// A number is cast to a fragment.

// RUN: not dlc-opt %s --check-async --no-output 2>&1 | FileCheck %s

// CHECK: [E1704] Error: 'kernel.cast': index is one number, and frag<[64], f32, slice 0 of (blocked [1, 4] lanes [4, 8]
kernel.func @t<N>(%X: memref<[64, 64], f32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %b = block_id 0
    %d = cast %b : frag<[64], f32, slice 0 of (blocked [1, 4] lanes [4, 8] warps [4, 1])>
    %e = broadcast %d along 0 : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %e to %Y[i0, i1]
  }
  return %Y
}
