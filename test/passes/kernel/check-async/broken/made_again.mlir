// No op gives the memory of an mbarrier up, so it is made once.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

kernel.func @t<N>(%X: memref<[64, 64], f16>, %F: memref<[4], i32>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16>

  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %zero = index (0)
    %one = index (1)
    %p = for %i = 0 to N carry (%q = %zero) {
      // expected-error@+1 {{E1814 'kernel.mbarriers': not verified: %e is made again}}
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

// -----

kernel.func @t<N>(%X: memref<[64, 64], f16>, %F: memref<[4], i32>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16>

  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %zero = index (0)
    %one = index (1)
    for %i = 0 to N {
      // expected-error@+1 {{E1814 'kernel.mbarriers': not verified: %e is made again}}
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
