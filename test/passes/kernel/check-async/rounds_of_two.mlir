// In which rounds of their loops two model threads do something: each ring of two stages lets one of them be two rounds ahead,
// so it matters which round comes before which, and by how much.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// One round ahead is always possible.
kernel.func @one_ahead<M, N, K>(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  require (M <= N + 1, N + 1 < K)
  grid (1) threads 256 {
    %full = mbarriers arrivals 1 : mbarrier<2>
    %empty = mbarriers arrivals 1 : mbarrier<2>
    %extra = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        arrive %full[%s0] by one
        if (%k == M) {
          arrive %extra by one
        }
        %s1, %p1 = advance %s0, %p0 over 2
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 single {
      %s, %p = for %k = 0 to K carry (%s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        if (%k == N) {
          wait %extra parity %zero
        }
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 2
        yield %s1, %p1
      }
    }
  }
  return %D
}

// -----

// Two are one too many: the consumer has not given back the stage of round N + 2.
kernel.func @two_ahead<M, N, K>(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  require (M <= N + 2, N + 2 < K)
  grid (1) threads 256 {
    %full = mbarriers arrivals 1 : mbarrier<2>
    %empty = mbarriers arrivals 1 : mbarrier<2>
    %extra = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K carry (%s0 = %zero, %p0 = %one) {
        // expected-error@+1 {{E1806 'kernel.wait': deadlock at %empty[0]: nothing arrives in phase 0}}
        wait %empty[%s0] parity %p0
        arrive %full[%s0] by one
        if (%k == M) {
          arrive %extra by one
        }
        %s1, %p1 = advance %s0, %p0 over 2
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 single {
      %s, %p = for %k = 0 to K carry (%s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        if (%k == N) {
          wait %extra parity %zero
        }
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 2
        yield %s1, %p1
      }
    }
  }
  return %D
}

// -----

// The same from round 1000 on.
kernel.func @one_ahead_far<M, N, K>(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  require (M <= N + 1, N >= 1000, N + 1 < K)
  grid (1) threads 256 {
    %full = mbarriers arrivals 1 : mbarrier<2>
    %empty = mbarriers arrivals 1 : mbarrier<2>
    %extra = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        arrive %full[%s0] by one
        if (%k == M) {
          arrive %extra by one
        }
        %s1, %p1 = advance %s0, %p0 over 2
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 single {
      %s, %p = for %k = 0 to K carry (%s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        if (%k == N) {
          wait %extra parity %zero
        }
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 2
        yield %s1, %p1
      }
    }
  }
  return %D
}

// -----

// And two.
kernel.func @two_ahead_far<M, N, K>(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  require (M <= N + 2, N >= 1000, N + 2 < K)
  grid (1) threads 256 {
    %full = mbarriers arrivals 1 : mbarrier<2>
    %empty = mbarriers arrivals 1 : mbarrier<2>
    %extra = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K carry (%s0 = %zero, %p0 = %one) {
        // expected-error@+1 {{E1806 'kernel.wait': deadlock at %empty[0]: nothing arrives in phase 500}}
        wait %empty[%s0] parity %p0
        arrive %full[%s0] by one
        if (%k == M) {
          arrive %extra by one
        }
        %s1, %p1 = advance %s0, %p0 over 2
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 single {
      %s, %p = for %k = 0 to K carry (%s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        if (%k == N) {
          wait %extra parity %zero
        }
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 2
        yield %s1, %p1
      }
    }
  }
  return %D
}
