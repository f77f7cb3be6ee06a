// Two products on one accumulator are in flight.

// RUN: not dlc-opt %s --check-async --no-output 2>&1 | FileCheck %s

// CHECK: [E1810] Error: 'kernel.wgmma': reads registers that a matrix product may still write
kernel.func @t<N>(%X: memref<[64, 64], f16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32>
  %mX = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    barrier
    elect {
      expect %full bytes 8192
      tma_load %mX[0, 0] to %sX signal %full
    }
    wait %full parity %zero
    %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
    %a, %t1 = wgmma %sX, %sX transposed, %c0
    %b, %t2 = wgmma %sX, %sX transposed, %a
    %d, %t3 = wgmma %sX, %sX, %a
    await %t3
    %e = binary add %b, %d : frag<[64, 64], f32, wgmma>
    store %e to %Y[i0, i1]
  }
  return %Y
}
