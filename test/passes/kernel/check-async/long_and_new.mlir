// A loop that does something new in each of very many rounds is not followed to its end, again and again, where sizes are
// looked for.

// RUN: not dlc-opt %s --check-async --no-output 2>&1 | FileCheck %s

// CHECK: [E1801] Error: 'kernel.tma_load': %sX has 9 stages, and none of number 9
kernel.func @far<A, B, C, D, E, F>(%X: memref<[64, 64], f16, row_major, align 16>, %N: memref<[A, B, C, D, E, F], f32>)
    -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  %mX = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  %tiles = index (A ceildiv 64)
  %most = index (132)
  %blocks = min %most, %tiles
  grid (%blocks) threads 256 {
    %sX = shared : tile<9 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    barrier
    role producer warps 0 to 4 single {
      expect %full bytes 73728
      for %q = 0 to 2147483647 {
        tma_load %mX[0, 0] to %sX[%q] signal %full
      }
    }
    role consumer warps 4 to 8 {
      wait %full parity %zero
    }
  }
  return %Y
}
