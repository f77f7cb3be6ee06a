// mbarriers are made again in a loop while they are in use.

// RUN: not dlc-opt %s --check-async --no-output 2>&1 | FileCheck %s

// CHECK: [E1803] Error: 'kernel.wait': waits for %e with parity 1, which passes at once until phase 0 ends, and that ma
kernel.func @t<N>(%X: memref<[64, 64], f16>, %F: memref<[4], i32>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16>

  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %zero = index (0)
    %one = index (1)
    %p = for %i = 0 to N carry (%q = %zero) {
      %e = mbarriers arrivals 1 : mbarrier<1>
      barrier
      arrive %e by one
      wait %e parity %q
      barrier
      %q1 = index (1 - %q)
      yield %q1
    }
    store %x to %Y[i0, i1]

  }
  return %Y
}
