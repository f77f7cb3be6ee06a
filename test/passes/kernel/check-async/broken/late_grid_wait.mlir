// A grid that may begin before the one before it has ended touches nothing outside of its blocks until it has waited.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

kernel.func @read<N>(%X: memref<[N], f32>) -> memref<[N], f32> attributes {target = "sm90"} {
  %Y = output : memref<[N], f32>
  grid (N ceildiv 256) threads 128 {
    %b = block_id 0
    // expected-error@+1 {{E1801 'kernel.load': reads %X, which a grid before this one may still write}}
    %x = load %X[256 * %b + i0] where (256 * %b + i0 < N) else 0.0 : frag<[256], f32, blocked [2] lanes [32] warps [4]>
    grid_wait
    store %x to %Y[256 * %b + i0] where (256 * %b + i0 < N)
  }
  return %Y
}

// -----

kernel.func @read_right<N>(%X: memref<[N], f32>) -> memref<[N], f32> attributes {target = "sm90"} {
  %Y = output : memref<[N], f32>
  grid (N ceildiv 256) threads 128 {
    %b = block_id 0
    grid_wait
    %x = load %X[256 * %b + i0] where (256 * %b + i0 < N) else 0.0 : frag<[256], f32, blocked [2] lanes [32] warps [4]>
    store %x to %Y[256 * %b + i0] where (256 * %b + i0 < N)
  }
  return %Y
}

// -----

// Weights: no grid that may still run writes them, and the kernel says so. What it writes waits all the same.
kernel.func @constant<N>(%X: memref<[N], f32> {constant}) -> memref<[N], f32> attributes {target = "sm90"} {
  %Y = output : memref<[N], f32>
  grid (N ceildiv 256) threads 128 {
    %b = block_id 0
    %x = load %X[256 * %b + i0] where (256 * %b + i0 < N) else 0.0 : frag<[256], f32, blocked [2] lanes [32] warps [4]>
    // expected-error@+1 {{E1802 'kernel.store': writes to %Y, which a grid before this one may still use}}
    store %x to %Y[256 * %b + i0] where (256 * %b + i0 < N)
    grid_wait
  }
  return %Y
}

// -----

// The first boxes come before the wait.
kernel.func @boxes<K>(%A: memref<[64, K], f32, row_major, align 16>) -> memref<[64, 32], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 32], f32>
  %mA = tensor_map %A : tensormap<[64, 32], f32, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<[64, 32], f32, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    barrier
    role producer warps 0 to 4 single {
      expect %full bytes 8192
      // expected-error@+1 {{E1801 'kernel.tma_load': reads %mA, which a grid before this one may still write}}
      tma_load %mA[0, 0] to %sA signal %full
      grid_wait
    }
    role consumer warps 4 to 8 {
      wait %full parity %zero
      %x = load_shared %sA : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      grid_wait
      store %x to %D[i0, i1]
    }
  }
  return %D
}

// -----

// The consumers know of the wait by the boxes that come after it.
kernel.func @boxes_right<K>(%A: memref<[64, K], f32, row_major, align 16>) -> memref<[64, 32], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 32], f32>
  %mA = tensor_map %A : tensormap<[64, 32], f32, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<[64, 32], f32, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %zero = index (0)
    barrier
    role producer warps 0 to 4 single {
      grid_wait
      expect %full bytes 8192
      tma_load %mA[0, 0] to %sA signal %full
    }
    role consumer warps 4 to 8 {
      wait %full parity %zero
      %x = load_shared %sA : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      store %x to %D[i0, i1]
    }
  }
  return %D
}

// -----

// Without a step nothing comes, so nobody has waited.
kernel.func @without_steps<K>(%A: memref<[64, K], f32, row_major, align 16>) -> memref<[64, 32], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 32], f32>
  grid (1) threads 128 {
    %c0 = const 0.0 : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    %c = for %k = 0 to K ceildiv 32 carry (%c1 = %c0) {
      grid_wait
      %x = load %A[i0, 32 * %k + i1] where (32 * %k + i1 < K) else 0.0 : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      %c2 = binary add %c1, %x : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      yield %c2
    }
    // expected-error@+1 {{E1802 'kernel.store': writes to %D, which a grid before this one may still use}}
    store %c to %D[i0, i1]
  }
  return %D
}
