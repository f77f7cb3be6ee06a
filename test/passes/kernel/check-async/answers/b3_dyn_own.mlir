// A barrier with a computed number next to one without: the second gets a number that the first cannot have.

// RUN: dlc-opt %s --check-async --no-output
// RUN: dlc-opt %s --kernel-to-ptx --no-output
kernel.func @t<N>(%X: memref<[64, 64], f16>, %F: memref<[4], i32>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16>

  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %zero = index (0)
    %one = index (1)
    store_shared %x to %sX
    barrier
    role a warps 0 to 4 groups 2 (%g: index) {
      for %i = 14 to 16 {
        barrier id %i threads 128
      }
      barrier
      for %i = 14 to 16 {
        barrier id %i threads 128
      }
    }

  }
  return %Y
}
