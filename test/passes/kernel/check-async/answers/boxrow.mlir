// A box of a tensor map whose rows are too long.

// RUN: not dlc-opt %s --check-async --no-output 2>&1 | FileCheck %s

// CHECK: [E0201] Error: 'kernel.tensor_map': a box has 1 to 256 elements along an axis, not 1024
kernel.func @t<M, N>(%X: memref<[M, N], f16>) -> memref<[64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64], f32>
  %mX = tensor_map %X : tensormap<[8, 1024], f16, row_major>
  grid (1) threads 128 {
    %s = shared : tile<[8, 1024], f16, row_major>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %z = index (0)
    barrier
    elect {
      expect %full bytes 16384
      tma_load %mX[0, 0] to %s signal %full
    }
    wait %full parity %z
  }
  return %Y
}
