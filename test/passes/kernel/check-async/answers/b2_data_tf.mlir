// A store and the barrier after it, each under its own truth value of data.

// RUN: not dlc-opt %s --check-async --no-output 2>&1 | FileCheck %s

// CHECK: [E1811] Error: 'kernel.load_shared': reads %sX: other warps wrote to it, with no barrier between
kernel.func @t<N>(%X: memref<[64, 64], f16>, %F: memref<[4], i32>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16>

  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %zero = index (0)
    %one = index (1)
    %f0 = load %F[0] : i32
    %f1 = load %F[1] : i32
    %f2 = load %F[2] : i32
    %z = const 0 : i32
    %a = binary ne %f0, %z : i1
    %b = binary ne %f1, %z : i1
    %c = binary ne %f2, %z : i1
    store_shared %x to %sX
    barrier
    if %a {
      %y0 = binary add %x, %x : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      store_shared %y0 to %sX
    }
    if %b {
      barrier
    }
    %y = load_shared %sX : frag<[64, 64], f16, blocked [8, 1] lanes [8, 4] warps [1, 4]>
    store %y to %Y[i0, i1]

  }
  return %Y
}
