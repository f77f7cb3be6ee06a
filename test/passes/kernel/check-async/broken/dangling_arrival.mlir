// Threads come to a numbered barrier for whom nothing waits before the block ends.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

kernel.func @few_wait<N>(%X: memref<[N], f32>) -> memref<[N], f32> attributes {target = "sm90"} {
  %Y = output : memref<[N], f32>
  grid (1) threads 256 {
    %one = index (1)
    role first warps 0 to 4 {
      // expected-error@+1 {{E1812 'kernel.barrier_arrive': at the end 128 of 256 threads have come to barrier 1, and nobody else does}}
      barrier_arrive id %one threads 256
    }
    role second warps 4 to 8 {
      if (N > 5) {
        barrier id %one threads 256
      }
    }
  }
  return %Y
}

// -----

kernel.func @as_many<N>(%X: memref<[N], f32>) -> memref<[N], f32> attributes {target = "sm90"} {
  %Y = output : memref<[N], f32>
  grid (1) threads 256 {
    %one = index (1)
    role first warps 0 to 4 {
      barrier_arrive id %one threads 256
    }
    role second warps 4 to 8 {
      barrier id %one threads 256
    }
  }
  return %Y
}

// -----

// Two ordered groups: the second lets the first begin, and each the other one after its own turn.
kernel.func @in_turn<N>(%X: memref<[N], f32>) -> memref<[N], f32> attributes {target = "sm90"} {
  %Y = output : memref<[N], f32>
  grid (1) threads 256 {
    role consumer warps 0 to 8 groups 2 (%g: index) {
      %mine = index (1 + %g)
      %other = index (2 - %g)
      if (%g == 1) {
        barrier_arrive id %other threads 256
      }
      for %i = 0 to N {
        barrier id %mine threads 256
        // expected-error@+1 {{E1812 'kernel.barrier_arrive': at the end 128 of 256 threads have come to barrier 1, and nobody else does}}
        barrier_arrive id %other threads 256
      }
    }
  }
  return %Y
}

// -----

// The first waits once more.
kernel.func @in_turn_right<N>(%X: memref<[N], f32>) -> memref<[N], f32> attributes {target = "sm90"} {
  %Y = output : memref<[N], f32>
  grid (1) threads 256 {
    role consumer warps 0 to 8 groups 2 (%g: index) {
      %mine = index (1 + %g)
      %other = index (2 - %g)
      if (%g == 1) {
        barrier_arrive id %other threads 256
      }
      for %i = 0 to N {
        barrier id %mine threads 256
        barrier_arrive id %other threads 256
      }
      if (%g == 0) {
        barrier id %mine threads 256
      }
    }
  }
  return %Y
}

// -----

// Warps that copy and warps that read, without mbarriers: the stage is given back once more than it is asked for.
kernel.func @given_back<N>(%X: memref<[64, N], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 256 {
    %s = shared : tile<[64, 64], f16, row_major>
    %full = index (1)
    %empty = index (2)
    role producer warps 0 to 4 {
      for %k = 0 to N ceildiv 64 {
        if (%k > 0) {
          barrier id %empty threads 256
        }
        %t = copy_async %X[i0, 64 * %k + i1] where (64 * %k + i1 < N) else 0.0 to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
        await %t
        barrier_arrive id %full threads 256
      }
    }
    role consumer warps 4 to 8 {
      %zero = const 0.0 : frag<[64, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %sum = for %k = 0 to N ceildiv 64 carry (%old = %zero) {
        barrier id %full threads 256
        %y = load_shared %s : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
        // expected-error@+1 {{E1812 'kernel.barrier_arrive': at the end 128 of 256 threads have come to barrier 2, and nobody else does}}
        barrier_arrive id %empty threads 256
        %z = cast %y : frag<[64, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
        %new = binary add %old, %z : frag<[64, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
        yield %new
      }
      store %sum to %Y[i0, i1]
    }
  }
  return %Y
}

// -----

kernel.func @given_back_right<N>(%X: memref<[64, N], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 256 {
    %s = shared : tile<[64, 64], f16, row_major>
    %full = index (1)
    %empty = index (2)
    role producer warps 0 to 4 {
      for %k = 0 to N ceildiv 64 {
        if (%k > 0) {
          barrier id %empty threads 256
        }
        %t = copy_async %X[i0, 64 * %k + i1] where (64 * %k + i1 < N) else 0.0 to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
        await %t
        barrier_arrive id %full threads 256
      }
    }
    role consumer warps 4 to 8 {
      %zero = const 0.0 : frag<[64, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %sum = for %k = 0 to N ceildiv 64 carry (%old = %zero) {
        barrier id %full threads 256
        %y = load_shared %s : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
        if (%k + 1 < N ceildiv 64) {
          barrier_arrive id %empty threads 256
        }
        %z = cast %y : frag<[64, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
        %new = binary add %old, %z : frag<[64, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>
        yield %new
      }
      store %sum to %Y[i0, i1]
    }
  }
  return %Y
}
