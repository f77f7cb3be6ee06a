// A box of a tensor map with more than 256 rows.

// RUN: not dlc-opt %s --check-async --no-output 2>&1 | FileCheck %s

// CHECK: [E0201] Error: 'kernel.tensor_map': a box has 1 to 256 elements along an axis, not 257
kernel.func @t<M, N>(%X: memref<[M, N], f16>) -> memref<[64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64], f32>
  %mX = tensor_map %X : tensormap<[257, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %s = shared : tile<[257, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %z = index (0)
    barrier
    elect {
      expect %full bytes 32896
      tma_load %mX[0, 0] to %s signal %full
    }
    wait %full parity %z
  }
  return %Y
}
