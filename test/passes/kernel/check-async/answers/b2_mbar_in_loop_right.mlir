// mbarriers are made again in a loop after a barrier.

// RUN: dlc-opt %s --check-async --no-output
// RUN: dlc-opt %s --kernel-to-ptx --no-output
kernel.func @t<N>(%X: memref<[64, 64], f16>, %F: memref<[4], i32>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16>

  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %zero = index (0)
    %one = index (1)
    for %i = 0 to N {
      %e = mbarriers arrivals 1 : mbarrier<1>
      barrier
      arrive %e by one
      wait %e parity %zero
      barrier
    }
    store %x to %Y[i0, i1]

  }
  return %Y
}
