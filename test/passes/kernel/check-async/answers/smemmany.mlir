// More shared memory than a block has.

// RUN: not dlc-opt %s --check-async --no-output 2>&1 | FileCheck %s

// CHECK: [E0201] Error: 'kernel.grid': a block has up to 232448 bytes of shared memory, not 262152
kernel.func @t<M, N>(%X: memref<[M, N], f16>) -> memref<[64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64], f32>
  %mX = tensor_map %X : tensormap<[256, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %s = shared : tile<8 x [256, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %z = index (0)
    barrier
    elect {
      expect %full bytes 32768
      tma_load %mX[0, 0] to %s[%z] signal %full
    }
    wait %full parity %z
  }
  return %Y
}
