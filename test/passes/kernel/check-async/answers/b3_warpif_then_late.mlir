// A fragment is late in the first region of `warp_if`.

// RUN: not dlc-opt %s --check-async --no-output 2>&1 | FileCheck %s

// CHECK: [E1810] Error: 'kernel.yield': moves or overwrites registers that a matrix product may still use
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
    %x = load %X[i0, i1] : frag<[64, 64], f16, wgmma>
    %z = const 0.0 : frag<[64, 64], f16, wgmma>
    %cond = binary gt %x, %z : frag<[64, 64], i1, wgmma>
    %c, %w = wgmma %sX, %sX transposed, %c0
    %r = warp_if %cond : frag<[64, 64], f32, wgmma> {
      yield %c
    } else {
      yield %c0
    }
    store %r to %Y[i0, i1]
    await %w
  }
  return %Y
}
