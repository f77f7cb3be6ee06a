// Branches in three loops, and of two model threads, that go wrong only together.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// No barrier is met where all three hold, at M = N = K = 500 alone: each two of them hold at sizes that are run.
kernel.func @in_three_loops<M, N, K>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    for %i = 0 to 2 {
      if (M + N == 1000) {
      } else {
        barrier
      }
    }
    for %j = 0 to 2 {
      if (N + K == 1000) {
      } else {
        barrier
      }
    }
    for %k = 0 to 2 {
      // expected-error@+1 {{E1814 'kernel.if': not verified: in no run the condition holds, together with what the notes say, and it may}}
      if (M + K == 1000) {
      } else {
        barrier
      }
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// The same, where the sum of all three would be odd: a barrier is met always.
kernel.func @never_all_three<M, N, K>(%X: memref<[64, 64], f32, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    for %i = 0 to 2 {
      if (M + N == 1000) {
      } else {
        barrier
      }
    }
    for %j = 0 to 2 {
      if (N + K == 1000) {
      } else {
        barrier
      }
    }
    for %k = 0 to 2 {
      if (M + K == 1001) {
      } else {
        barrier
      }
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1] where (i0 < 0)
  }
  return %Y
}

// -----

// The consumer deadlocks where both hold, at M = 501 and N = 499 alone.
kernel.func @of_two_agents<M, N>(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  grid (1) threads 256 {
    %done = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    barrier
    role producer warps 0 to 4 single {
      if (M + N == 1000) {
      } else {
        arrive %done by one
      }
    }
    role consumer warps 4 to 8 {
      // expected-error@+1 {{E1814 'kernel.if': not verified: in no run the condition holds, together with what the notes say, and it may}}
      if (M == N + 2) {
        wait %done parity %zero
      } else {
      }
    }
  }
  return %D
}

// -----

// Both hold nowhere.
kernel.func @never_both<M, N>(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  grid (1) threads 256 {
    %done = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    barrier
    role producer warps 0 to 4 single {
      if (M + N == 1000) {
      } else {
        arrive %done by one
      }
    }
    role consumer warps 4 to 8 {
      if (M + N == 1002) {
        wait %done parity %zero
      } else {
      }
    }
  }
  return %D
}

// -----

// The same where the launch counts tiles: what few tiles exclude is asked for of all more as well.
kernel.func @of_many_tiles<M, N>(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 64], f32>
  %tiles = index (M ceildiv 64)
  grid (%tiles) threads 256 {
    %done = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    barrier
    role producer warps 0 to 4 single {
      if (M + N == 1000) {
      } else {
        arrive %done by one
      }
    }
    role consumer warps 4 to 8 {
      // expected-error@+1 {{E1814 'kernel.if': not verified: in no run the condition holds, together with what the notes say, and it may}}
      if (M == N + 2) {
        wait %done parity %zero
      } else {
      }
    }
  }
  return %D
}
