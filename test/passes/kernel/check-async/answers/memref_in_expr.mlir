// A memref where an integer belongs.

// RUN: not dlc-opt %s --check-async --no-output 2>&1 | FileCheck %s

// CHECK: [E0201] Error: 'kernel.load': an expression names integers, not memref<[64], f32, row_major, align 4>
kernel.func @t<N>(%X: memref<[64], f32>) -> memref<[64], f32> {
  %Y = output : memref<[64], f32>
  grid (1) threads 32 {
    %b = block_id 0
    %x = load %X[0*%X + i0] : frag<[64], f32, blocked [2] lanes [32] warps [1]>
    store %x to %Y[i0]
  }
  return %Y
}
