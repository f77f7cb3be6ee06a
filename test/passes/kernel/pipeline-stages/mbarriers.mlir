// Requests to TMA whose mbarrier is used otherwise than 'insert-async-tokens' writes it.
// RUN: dlc-opt %s -o %t.same
// RUN: dlc-opt %s --pipeline-stages | cmp %t.same -
// RUN: dlc-opt %s --pipeline-stages --no-output --remarks=missed 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK --implicit-check-not=missed

// Two waits.
// REMARK: missed] {{.*}}the loads of this loop do not run ahead: its mbarrier is not for one request and one wait of the loop alone
kernel.func @waits_twice<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  %map_A = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
  %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
  grid (M ceildiv 64, N ceildiv 16) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %full = mbarriers arrivals 1 : mbarrier<1>
    barrier
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[64, 16], f32, wgmma>
    %0 = index (0)
    %c:2 = for %k = 0 to K step 16 carry (%acc = %zero, %parity = %0) : frag<[64, 16], f32, wgmma>, index {
      elect {
        expect %full bytes 2560
        tma_load %map_A[64*%m, %k] to %sA signal %full
        tma_load %map_B[16*%n, %k] to %sB signal %full
      }
      wait %full parity %parity
      wait %full parity %parity
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      %1 = index (-%parity + 1)
      yield %d, %1
    }
    store %c to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}

// The first parity is 1.
// REMARK: missed] {{.*}}the loads of this loop do not run ahead: the parity of its mbarrier does not begin with 0 and change with every wait
kernel.func @begins_with_one<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  %map_A = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
  %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
  grid (M ceildiv 64, N ceildiv 16) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %full = mbarriers arrivals 1 : mbarrier<1>
    barrier
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[64, 16], f32, wgmma>
    %0 = index (1)
    %c:2 = for %k = 0 to K step 16 carry (%acc = %zero, %parity = %0) : frag<[64, 16], f32, wgmma>, index {
      elect {
        expect %full bytes 2560
        tma_load %map_A[64*%m, %k] to %sA signal %full
        tma_load %map_B[16*%n, %k] to %sB signal %full
      }
      wait %full parity %parity
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      %1 = index (-%parity + 1)
      yield %d, %1
    }
    store %c to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}

// The parity does not change.
// REMARK: missed] {{.*}}the loads of this loop do not run ahead: the parity of its mbarrier does not begin with 0 and change with every wait
kernel.func @stays<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  %map_A = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
  %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
  grid (M ceildiv 64, N ceildiv 16) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %full = mbarriers arrivals 1 : mbarrier<1>
    barrier
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[64, 16], f32, wgmma>
    %0 = index (0)
    %c:2 = for %k = 0 to K step 16 carry (%acc = %zero, %parity = %0) : frag<[64, 16], f32, wgmma>, index {
      elect {
        expect %full bytes 2560
        tma_load %map_A[64*%m, %k] to %sA signal %full
        tma_load %map_B[16*%n, %k] to %sB signal %full
      }
      wait %full parity %parity
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      %1 = index (%parity)
      yield %d, %1
    }
    store %c to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}

// Two arrive.
// REMARK: missed] {{.*}}the loads of this loop do not run ahead: its mbarrier is not for one request and one wait of the loop alone
kernel.func @two_arrivals<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  %map_A = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
  %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
  grid (M ceildiv 64, N ceildiv 16) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %full = mbarriers arrivals 2 : mbarrier<1>
    barrier
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[64, 16], f32, wgmma>
    %0 = index (0)
    %c:2 = for %k = 0 to K step 16 carry (%acc = %zero, %parity = %0) : frag<[64, 16], f32, wgmma>, index {
      elect {
        expect %full bytes 2560
        tma_load %map_A[64*%m, %k] to %sA signal %full
        tma_load %map_B[16*%n, %k] to %sB signal %full
      }
      wait %full parity %parity
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      %1 = index (-%parity + 1)
      yield %d, %1
    }
    store %c to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}

// The thread that asks does more.
// REMARK: missed] {{.*}}the loads of this loop do not run ahead: the thread that asks TMA does more than that
kernel.func @does_more<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  %map_A = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
  %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
  grid (M ceildiv 64, N ceildiv 16) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %full = mbarriers arrivals 1 : mbarrier<1>
    barrier
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[64, 16], f32, wgmma>
    %0 = index (0)
    %c:2 = for %k = 0 to K step 16 carry (%acc = %zero, %parity = %0) : frag<[64, 16], f32, wgmma>, index {
      elect {
        grid_wait
        expect %full bytes 2560
        tma_load %map_A[64*%m, %k] to %sA signal %full
        tma_load %map_B[16*%n, %k] to %sB signal %full
      }
      wait %full parity %parity
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      %1 = index (-%parity + 1)
      yield %d, %1
    }
    store %c to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}
