// What is read once for all rows is asked for before the sum, if that leaves half of the registers.

// RUN: dlc-opt %s --stage-stores --remarks=passed --evaluate-each --check-async 2>&1 | FileCheck %s

// CHECK: passed] this is loaded before the sum, so that it is there when the sum is
// CHECK-NOT: before the sum
// CHECK: kernel.func @bias
// CHECK: role consumer
// CHECK-NEXT: %b = load %bias
// CHECK: for %k
// CHECK-NOT: load %bias
// CHECK: tma_store
kernel.func @bias<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>, %bias: memref<[N], f16, row_major, align 2>) -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  %map_A = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %map_B = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  grid ((M ceildiv 64)*(N ceildiv 64)) threads 256 {
    %rhs = shared : tile<4 x [64, 64], f16, swizzle 128>
    %lhs = shared : tile<4 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<4>
    %empty = mbarriers arrivals 4 : mbarrier<4>
    barrier
    %tile = block_id 0
    %row, %column = tile_order %tile of (M ceildiv 64, N ceildiv 64) rows
    %0 = index (0)
    role producer warps 0 to 4 registers 40 single {
      %1 = index (1)
      %2:2 = for %k = 0 to K step 64 carry (%stage = %0, %parity = %1) : index, index {
        wait %empty[%stage] parity %parity
        expect %full[%stage] bytes 16384
        tma_load %map_A[64*%row, %k] to %lhs[%stage] signal %full[%stage]
        tma_load %map_B[64*%column, %k] to %rhs[%stage] signal %full[%stage]
        %next:2 = advance %stage, %parity over 4
        yield %next, %next#1
      }
    }
    role consumer warps 4 to 8 registers 232 {
      %3 = const 0.0 : frag<[64, 64], f32, wgmma>
      %4 = done : token<compute>
      %s:5 = for %k = 0 to K step 64 carry (%5 = %3, %parity = %0, %stage = %0, %held = %4, %before = %0) : frag<[64, 64], f32, wgmma>, index, index, token<compute>, index {
        wait %full[%stage] parity %parity
        %6:2 = wgmma %lhs[%stage], %rhs[%stage] transposed, %5 : frag<[64, 64], f32, wgmma>, token<compute>
        await %held
        if (1 <= %k) {
          arrive %empty[%before] by warp
        }
        %next:2 = advance %stage, %parity over 4
        yield %6, %next#1, %next, %6#1, %stage
      }
      await %s#3
      if (1 <= K) {
        arrive %empty[%s#4] by warp
      }
      %b = load %bias[64*%column + i0] where (64*%column + i0 < N) : frag<[64], f16, slice 0 of (wgmma)>
      %7 = cast %b : frag<[64], f32, slice 0 of (wgmma)>
      %8 = broadcast %7 along 0 : frag<[64, 64], f32, wgmma>
      %c = binary add %s, %8 : frag<[64, 64], f32, wgmma>
      %9 = cast %c : frag<[64, 64], f16, wgmma>
      store %9 to %D[64*%row + i0, 64*%column + i1] where (64*%row + i0 < M, 64*%column + i1 < N)
    }
  }
  return %D
}

// The sums have 32 registers and the bias 16, which is more than half of 88.
// CHECK-LABEL: kernel.func @few
// CHECK: role consumer
// CHECK: for %k
// CHECK: load %bias
kernel.func @few<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>, %bias: memref<[N], f16, row_major, align 2>) -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  %map_A = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %map_B = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  grid ((M ceildiv 64)*(N ceildiv 64)) threads 256 {
    %rhs = shared : tile<4 x [64, 64], f16, swizzle 128>
    %lhs = shared : tile<4 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<4>
    %empty = mbarriers arrivals 4 : mbarrier<4>
    barrier
    %tile = block_id 0
    %row, %column = tile_order %tile of (M ceildiv 64, N ceildiv 64) rows
    %0 = index (0)
    role producer warps 0 to 4 registers 40 single {
      %1 = index (1)
      %2:2 = for %k = 0 to K step 64 carry (%stage = %0, %parity = %1) : index, index {
        wait %empty[%stage] parity %parity
        expect %full[%stage] bytes 16384
        tma_load %map_A[64*%row, %k] to %lhs[%stage] signal %full[%stage]
        tma_load %map_B[64*%column, %k] to %rhs[%stage] signal %full[%stage]
        %next:2 = advance %stage, %parity over 4
        yield %next, %next#1
      }
    }
    role consumer warps 4 to 8 registers 88 {
      %3 = const 0.0 : frag<[64, 64], f32, wgmma>
      %4 = done : token<compute>
      %s:5 = for %k = 0 to K step 64 carry (%5 = %3, %parity = %0, %stage = %0, %held = %4, %before = %0) : frag<[64, 64], f32, wgmma>, index, index, token<compute>, index {
        wait %full[%stage] parity %parity
        %6:2 = wgmma %lhs[%stage], %rhs[%stage] transposed, %5 : frag<[64, 64], f32, wgmma>, token<compute>
        await %held
        if (1 <= %k) {
          arrive %empty[%before] by warp
        }
        %next:2 = advance %stage, %parity over 4
        yield %6, %next#1, %next, %6#1, %stage
      }
      await %s#3
      if (1 <= K) {
        arrive %empty[%s#4] by warp
      }
      %b = load %bias[64*%column + i0] where (64*%column + i0 < N) : frag<[64], f16, slice 0 of (wgmma)>
      %7 = cast %b : frag<[64], f32, slice 0 of (wgmma)>
      %8 = broadcast %7 along 0 : frag<[64, 64], f32, wgmma>
      %c = binary add %s, %8 : frag<[64, 64], f32, wgmma>
      %9 = cast %c : frag<[64, 64], f16, wgmma>
      store %9 to %D[64*%row + i0, 64*%column + i1] where (64*%row + i0 < M, 64*%column + i1 < N)
    }
  }
  return %D
}
