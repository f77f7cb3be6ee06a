// One lane of each warp gives a stage back, which the others may still read.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

kernel.func @by_warp<K>(%A: memref<[64, K], f32, row_major, align 16>) -> memref<[64, 32], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 32], f32>
  %mA = tensor_map %A : tensormap<[64, 32], f32, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<2 x [64, 32], f32, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<2>
    %empty = mbarriers arrivals 4 : mbarrier<2>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 32 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 8192
        // expected-error@+1 {{E1802 'kernel.tma_load': writes to %sA[0]: other lanes than the one that arrived read it}}
        tma_load %mA[0, 32 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 2
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      %c, %s, %p = for %k = 0 to K ceildiv 32 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %x = load_shared %sA[%s0] : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
        arrive %empty[%s0] by warp
        %c2 = binary add %c1, %x : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
        %s1, %p1 = advance %s0, %p0 over 2
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

kernel.func @by_warp_right<K>(%A: memref<[64, K], f32, row_major, align 16>) -> memref<[64, 32], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 32], f32>
  %mA = tensor_map %A : tensormap<[64, 32], f32, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<2 x [64, 32], f32, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<2>
    %empty = mbarriers arrivals 4 : mbarrier<2>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 32 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 32 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 2
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      %c, %s, %p = for %k = 0 to K ceildiv 32 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %x = load_shared %sA[%s0] : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
        warp_sync
        arrive %empty[%s0] by warp
        %c2 = binary add %c1, %x : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
        %s1, %p1 = advance %s0, %p0 over 2
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}

// -----

// Every lane says so for itself.
kernel.func @by_thread<K>(%A: memref<[64, K], f32, row_major, align 16>) -> memref<[64, 32], f32> attributes {target = "sm90"} {
  %D = output : memref<[64, 32], f32>
  %mA = tensor_map %A : tensormap<[64, 32], f32, swizzle 128>
  grid (1) threads 256 {
    %sA = shared : tile<2 x [64, 32], f32, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<2>
    %empty = mbarriers arrivals 128 : mbarrier<2>
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 32 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 8192
        tma_load %mA[0, 32 * %k] to %sA[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 2
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
      %c, %s, %p = for %k = 0 to K ceildiv 32 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %x = load_shared %sA[%s0] : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
        arrive %empty[%s0] by thread
        %c2 = binary add %c1, %x : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
        %s1, %p1 = advance %s0, %p0 over 2
        yield %c2, %s1, %p1
      }
      store %c to %D[i0, i1]
    }
  }
  return %D
}
