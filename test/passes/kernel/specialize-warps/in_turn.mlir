// Consumers of one tile are ordered at back-to-back products: a turn goes from the last product of a step to the
// first of the next. The first product of all and the last one need none.

// RUN: dlc-opt %s --specialize-warps=planned -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %s --specialize-warps=planned --evaluate-each --check-async -o /dev/null
// RUN: dlc-opt %s --specialize-warps=consumers=2,stages=2,in-turn --evaluate-each --check-async | FileCheck %s
// RUN: dlc-opt %s --specialize-warps=planned --remarks=missed --no-output 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=missed

// REMARK: [E1614] Warning: 'plan.schedule': consumers multiply when they can: no step has products one after another

// CHECK-LABEL: kernel.func @chain
// CHECK: role consumer warps 4 to 12 groups 2 (%g: index)
// CHECK-NEXT: %mine = index (%g + 8)
// CHECK-NEXT: %other = index ((%g + 1) mod 2 + 8)
// CHECK-NEXT: if (%g == 1) {
// CHECK-NEXT: barrier_arrive id %other threads 256
// CHECK: for %k = 0 to N step 32
// CHECK: %[[FIRST:.+]]:2 = wgmma
// CHECK-NEXT: if (1 <= %k) {
// CHECK-NEXT: barrier_arrive id %other threads 256
// CHECK-NEXT: }
// CHECK-NEXT: await %[[FIRST]]#1
// CHECK: if (%k + 32 < N) {
// CHECK-NEXT: barrier id %mine threads 256
// CHECK-NEXT: }
// CHECK-NEXT: wgmma
kernel.func @chain<M, N>(%A: memref<[M, 64], f16, row_major, align 16>, %B: memref<[N, 64], f16, row_major, align 16>, %C: memref<[N, 64], f16, row_major, align 16>) -> memref<[M, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %E = output : memref<[M, 64], f32, row_major, align 16>
  %map_A = tensor_map %A : tensormap<[128, 64], f16, swizzle 128>
  %map_B = tensor_map %B : tensormap<[32, 64], f16, swizzle 128>
  %map_C = tensor_map %C : tensormap<[32, 64], f16, swizzle 128>
  grid (M ceildiv 128) threads 128 {
    %rhs = shared : tile<[32, 64], f16, swizzle 128>
    %rhs_0 = shared : tile<[32, 64], f16, swizzle 128>
    %lhs = shared : tile<[128, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    %full_0 = mbarriers arrivals 1 : mbarrier<1>
    %full_1 = mbarriers arrivals 1 : mbarrier<1>
    barrier
    %tile = block_id 0
    %row, %column = tile_order %tile of (M ceildiv 128, 1) rows
    %0 = const 0.0 : frag<[128, 64], f32, wgmma>
    %1 = index (0)
    elect {
      expect %full bytes 16384
      tma_load %map_A[128*%row, 0] to %lhs signal %full
    }
    wait %full parity %1
    barrier
    %y:3 = for %k = 0 to N step 32 carry (%2 = %0, %parity = %1, %parity_0 = %1) : frag<[128, 64], f32, wgmma>, index, index {
      %3 = const 0.0 : frag<[128, 32], f32, wgmma>
      elect {
        expect %full_0 bytes 4096
        tma_load %map_B[%k, 0] to %rhs_0 signal %full_0
      }
      wait %full_0 parity %parity
      barrier
      %4:2 = wgmma %lhs, %rhs_0 transposed, %3 : frag<[128, 32], f32, wgmma>, token<compute>
      await %4#1
      barrier
      %r = unary relu %4 : frag<[128, 32], f32, wgmma>
      %h = cast %r : frag<[128, 32], f16, wgmma>
      %5 = if (%k + 32 <= N) : frag<[128, 32], f16, wgmma> {
        yield %h
      } else {
        %6 = const 0.0 : f16
        %7 = select where (%k + i1 < N) then %h else %6 : frag<[128, 32], f16, wgmma>
        yield %7
      }
      %8 = convert %5 : frag<[128, 32], f16, wgmma_a>
      elect {
        expect %full_1 bytes 4096
        tma_load %map_C[%k, 64*%column] to %rhs signal %full_1
      }
      wait %full_1 parity %parity_0
      barrier
      %9:2 = wgmma %8, %rhs, %2 : frag<[128, 64], f32, wgmma>, token<compute>
      await %9#1
      barrier
      %10 = index (-%parity + 1)
      %11 = index (-%parity_0 + 1)
      yield %9, %10, %11
    }
    store %y to %E[128*%row + i0, 64*%column + i1] where (128*%row + i0 < M, 64*%column + i1 < 64)
  }
  return %E
}
plan.schedule of @chain for sm90 {
  stages 2
  roles cooperative consumers 2 in_turn
}

// One product a step: there is nothing between two of them.
// CHECK-LABEL: kernel.func @single
// CHECK-NOT: barrier id
kernel.func @single<M, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[8, K], f16, row_major, align 16>) -> memref<[M, 8], f32> {
  require (K mod 8 == 0)
  %D = output : memref<[M, 8], f32>
  %mA = tensor_map %A : tensormap<[128, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[8, 64], f16, swizzle 128>
  grid (M ceildiv 128) threads 128 {
    %sA = shared : tile<[128, 64], f16, swizzle 128>
    %sB = shared : tile<[8, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<1>
    barrier
    %m = block_id 0
    %first = index (0)
    %zero = const 0.0 : frag<[128, 8], f32, wgmma>
    %c:2 = for %k = 0 to K step 64 carry (%acc = %zero, %parity = %first) : frag<[128, 8], f32, wgmma>, index {
      elect {
        expect %full bytes 17408
        tma_load %mA[128*%m, %k] to %sA signal %full
        tma_load %mB[0, %k] to %sB signal %full
      }
      wait %full parity %parity
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[128, 8], f32, wgmma>, token<compute>
      await %t
      barrier
      %other = index (1 - %parity)
      yield %d, %other
    }
    store %c to %D[128*%m + i0, i1] where (128*%m + i0 < M)
  }
  return %D
}
plan.schedule of @single for sm90 {
  stages 2
  roles cooperative consumers 2 in_turn
}
