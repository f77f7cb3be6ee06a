// A race after a `require` that only large sizes meet.

// RUN: not dlc-opt %s --check-async --no-output 2>&1 | FileCheck %s

// CHECK: [E1811] Error: 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between
kernel.func @t<M, N>(%X: memref<[64, 64], f32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  require (M >= 5000)
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major pitch 65>
    %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}
