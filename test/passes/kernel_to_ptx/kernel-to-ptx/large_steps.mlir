// Places beyond 64 bits are in no memory: registers hold them modulo 2^64, and nothing panics.

// RUN: dlc-opt %s --kernel-to-ptx | FileCheck %s

// CHECK-LABEL: ptx.func @pitch
// CHECK: ld.global
kernel.func @pitch<N>(%X: memref<[N, 4611686018427387904], f32>) -> memref<[64], f32> {
  %Y = output : memref<[64], f32>
  grid (1) threads 32 {
    %x = load %X[i0, 0] : frag<[64], f32, slice 1 of (blocked [2, 1] lanes [32, 1] warps [1, 1])>
    store %x to %Y[i0]
  }
  return %Y
}

// CHECK-LABEL: ptx.func @guarded
// CHECK: ld.global
kernel.func @guarded<H>(%X: memref<[64, H], f32>) -> memref<[64], f32> {
  %Y = output : memref<[64], f32>
  grid (1) threads 32 {
    %x = load %X[i0, 0] : frag<[64], f32, slice 1 of (blocked [2, 1] lanes [32, 1] warps [1, 1])>
    store %x to %Y[i0] where (9223372036854775807 * i0 < H)
  }
  return %Y
}
