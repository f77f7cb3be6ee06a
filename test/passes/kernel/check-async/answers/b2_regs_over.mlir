// Roles want more registers than an SM has.

// RUN: not dlc-opt %s --check-async --no-output 2>&1 | FileCheck %s

// CHECK: [E0201] Error: 'kernel.grid': the roles want 98304 registers, and a block of 384 threads is launched with 6451
kernel.func @t<N>(%X: memref<[64, 64], f16>, %F: memref<[4], i32>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16>

  grid (1) threads 384 {
    %sX = shared : tile<[64, 64], f16, row_major>
    
    %zero = index (0)
    %one = index (1)
    barrier
    role a warps 0 to 4 registers 256 {
      barrier
    }
    role b warps 4 to 8 registers 256 {
      barrier
    }
    role c warps 8 to 12 registers 256 {
      barrier
    }

  }
  return %Y
}
