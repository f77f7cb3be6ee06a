// An mbarrier that is made again begins with parity 0, and nobody may still wait for the one before it.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

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
      // expected-error@+1 {{E1803 'kernel.wait': waits for %e with parity 1, which passes at once until phase 0 ends, and that may have ended before}}
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

// -----

// Somebody may still wait.
kernel.func @t<N>(%X: memref<[64, 64], f16>, %F: memref<[4], i32>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16>

  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %zero = index (0)
    %one = index (1)
    for %i = 0 to N {
      // expected-error@+1 {{E1803 'kernel.mbarriers': makes %e again, and others may still wait for it}}
      %e = mbarriers arrivals 1 : mbarrier<1>
      barrier
      arrive %e by one
      wait %e parity %zero
    }
    store %x to %Y[i0, i1]

  }
  return %Y
}

// -----

// One of two has arrived.
kernel.func @t<N>(%X: memref<[64, 64], f16>, %F: memref<[4], i32>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16>

  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %zero = index (0)
    %one = index (1)
    for %i = 0 to N {
      // expected-error@+1 {{E1803 'kernel.mbarriers': makes %e again within a phase of it}}
      %e = mbarriers arrivals 2 : mbarrier<1>
      barrier
      if (%i + 1 < N) {
        arrive %e by one
      }
      barrier
    }
    store %x to %Y[i0, i1]

  }
  return %Y
}

// -----

kernel.func @loads<N>(%A: memref<[64, N], f32, row_major, align 16>) -> memref<[64, 32], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 32], f32>
  %mA = tensor_map %A : tensormap<[64, 32], f32, swizzle 128>
  grid (1) threads 128 {
    %sA = shared : tile<[64, 32], f32, swizzle 128>
    %zero = index (0)
    %c0 = const 0.0 : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    %c = for %k = 0 to N ceildiv 32 carry (%c1 = %c0) {
      %e = mbarriers arrivals 1 : mbarrier<1>
      barrier
      elect {
        expect %e bytes 8192
        tma_load %mA[0, 32 * %k] to %sA signal %e
      }
      wait %e parity %zero
      %x = load_shared %sA : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      %c2 = binary add %c1, %x : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      barrier
      yield %c2
    }
    store %c to %D[i0, i1]
  }
  return %D
}

// -----

kernel.func @loads_late<N>(%A: memref<[64, N], f32, row_major, align 16>) -> memref<[64, 32], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 32], f32>
  %mA = tensor_map %A : tensormap<[64, 32], f32, swizzle 128>
  grid (1) threads 128 {
    %sA = shared : tile<[64, 32], f32, swizzle 128>
    %zero = index (0)
    %c0 = const 0.0 : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    %c = for %k = 0 to N ceildiv 32 carry (%c1 = %c0) {
      // expected-error@+1 {{E1803 'kernel.mbarriers': makes %e again, and others may still wait for it}}
      %e = mbarriers arrivals 1 : mbarrier<1>
      barrier
      elect {
        expect %e bytes 8192
        tma_load %mA[0, 32 * %k] to %sA signal %e
      }
      wait %e parity %zero
      %x = load_shared %sA : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      %c2 = binary add %c1, %x : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      yield %c2
    }
    store %c to %D[i0, i1]
  }
  return %D
}
