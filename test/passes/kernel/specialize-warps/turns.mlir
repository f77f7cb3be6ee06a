// Each consumer has a tile of its own: ping-pong.

// RUN: dlc-opt %s --insert-async-tokens -o %t.mlir
// RUN: dlc-opt %t.mlir --specialize-warps=roles=ping_pong,stages=3 --evaluate-each --check-async | snapshot %s
// RUN: dlc-opt %t.mlir --specialize-warps=roles=ping_pong,stages=4,consumers=3 --check-async -o %t.3.mlir
// RUN: dlc-opt %t.mlir --specialize-warps=roles=ping_pong,stages=2 --check-async -o %t.2.mlir
// RUN: dlc-run %s --shape=M=1,N=8,K=8 --seed=0 --function=gemm -o %t.npy
// RUN: dlc-run %t.2.mlir --shape=M=1,N=8,K=8 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %t.3.mlir --shape=M=1,N=8,K=8 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %s --shape=M=100,N=200,K=40 --seed=0 --function=gemm -o %t.npy
// RUN: dlc-run %t.2.mlir --shape=M=100,N=200,K=40 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %t.3.mlir --shape=M=100,N=200,K=40 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %s --shape=M=300,N=48,K=56 --seed=0 --function=gemm -o %t.npy
// RUN: dlc-run %t.2.mlir --shape=M=300,N=48,K=56 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %t.3.mlir --shape=M=300,N=48,K=56 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %s --shape=M=80,N=24,K=0 --seed=0 --function=gemm -o %t.npy
// RUN: dlc-run %t.2.mlir --shape=M=80,N=24,K=0 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %t.3.mlir --shape=M=80,N=24,K=0 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %s --shape=M=0,N=8,K=8 --seed=0 --function=gemm -o %t.npy
// RUN: dlc-run %t.2.mlir --shape=M=0,N=8,K=8 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %t.3.mlir --shape=M=0,N=8,K=8 --seed=0 --function=gemm --check=%t.npy

kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (2) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %b = block_id 0
    %bs = grid_size 0
    for %t = %b to (M ceildiv 64) * (N ceildiv 16) step %bs {
      %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 16) rows
      %zero = const 0.0 : frag<[64, 16], f32, wgmma>
      %c = for %k = 0 to K step 16 carry (%acc = %zero) {
        copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
        copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
        fence_async
        barrier
        %d, %w = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
        await %w
        barrier
        yield %d
      }
      %h = cast %c : frag<[64, 16], f16, wgmma>
      store %h to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
      barrier
    }
  }
  return %D
}

// Two loops of one tile, each with a ring of its own, and products of two rows of groups.
kernel.func @two<M, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[16, K], f16, row_major, align 16>, %C: memref<[M, K], f16, row_major, align 16>)
    -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, 16], f32, row_major, align 16>
  grid (2) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %sC = shared : tile<[128, 32], f16, swizzle 64>
    %sE = shared : tile<[16, 32], f16, swizzle 64>
    %b = block_id 0
    for %t = %b to M ceildiv 128 step 2 {
      %zero = const 0.0 : frag<[128, 16], f32, wgmma>
      %c = for %k = 0 to K step 16 carry (%acc = %zero) {
        copy %A[128*%t + i0, %k + i1] where (128*%t + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
        copy %B[i0, %k + i1] where (%k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
        fence_async
        barrier
        %d, %w = wgmma %sA, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
        await %w
        barrier
        yield %d
      }
      %e = for %k = 0 to K step 32 carry (%acc = %c) {
        copy %C[128*%t + i0, %k + i1] where (128*%t + i0 < M, %k + i1 < K) to %sC by blocked [1, 8] lanes [8, 4] warps [4, 1]
        copy %B[i0, %k + i1] where (%k + i1 < K) to %sE by blocked [1, 8] lanes [8, 4] warps [4, 1]
        fence_async
        barrier
        %d, %w = wgmma %sC, %sE transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
        await %w
        barrier
        yield %d
      }
      store %e to %D[128*%t + i0, i1] where (128*%t + i0 < M)
      barrier
    }
  }
  return %D
}

// EXPECT:
// module {
//   kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0, N mod 8 == 0)
//     %D = output : memref<[M, N], f16, row_major, align 16>
//     %map_A = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
//     %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
//     grid (2) threads 384 {
//       %sA = shared : tile<3 x [64, 16], f16, swizzle 32>
//       %sB = shared : tile<3 x [16, 16], f16, swizzle 32>
//       %full = mbarriers arrivals 1 : mbarrier<3>
//       %empty = mbarriers arrivals 4 : mbarrier<3>
//       barrier
//       %b = block_id 0
//       %bs = grid_size 0
//       %0 = index (0)
//       role producer warps 0 to 4 registers 40 single {
//         %1 = index (0)
//         %2 = index (1)
//         %3:2 = for %t = %b to (M ceildiv 64)*(N ceildiv 16) step %bs carry (%stage = %1, %parity = %2) : index, index {
//           %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 16) rows
//           %4:2 = for %k = 0 to K step 16 carry (%stage_0 = %stage, %parity_0 = %parity) : index, index {
//             wait %empty[%stage_0] parity %parity_0
//             expect %full[%stage_0] bytes 2560
//             tma_load %map_A[64*%m, %k] to %sA[%stage_0] signal %full[%stage_0]
//             tma_load %map_B[16*%n, %k] to %sB[%stage_0] signal %full[%stage_0]
//             %next:2 = advance %stage_0, %parity_0 over 3
//             yield %next, %next#1
//           }
//           yield %4, %4#1
//         }
//       }
//       role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
//         %5 = index (0)
//         %stage = index ((%g*(K ceildiv 16)) mod 3)
//         %parity = index (((%g*(K ceildiv 16)) floordiv 3) mod 2)
//         %mine = index (%g + 8)
//         %other = index ((%g + 1) mod 2 + 8)
//         if (%g == 1, %b < (M ceildiv 64)*(N ceildiv 16)) {
//           barrier_arrive id %other threads 256
//         }
//         %6:2 = for %t = %g*%bs + %b to (M ceildiv 64)*(N ceildiv 16) step 2*%bs carry (%parity_1 = %parity, %stage_1 = %stage) : index, index {
//           %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 16) rows
//           %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//           %7 = done : token<compute>
//           barrier id %mine threads 256
//           %c:5 = for %k = 0 to K step 16 carry (%acc = %zero, %parity_0 = %parity_1, %stage_2 = %stage_1, %held = %7, %before = %stage_1) : frag<[64, 16], f32, wgmma>, index, index, token<compute>, index {
//             wait %full[%stage_2] parity %parity_0
//             %d, %w = wgmma %sA[%stage_2], %sB[%stage_2] transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
//             await %held
//             if (1 <= %k) {
//               arrive %empty[%before] by warp
//             }
//             %next:2 = advance %stage_2, %parity_0 over 3
//             yield %d, %next#1, %next, %w, %stage_2
//           }
//           if (%t + %bs < (M ceildiv 64)*(N ceildiv 16)) {
//             barrier_arrive id %other threads 256
//           }
//           await %c#3
//           if (1 <= K) {
//             arrive %empty[%c#4] by warp
//           }
//           %h = cast %c : frag<[64, 16], f16, wgmma>
//           store %h to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
//           %8 = index ((%c#2 + K ceildiv 16) mod 3)
//           %9 = index ((%c#1 + (K + 16*%c#2 + 15) floordiv 48) mod 2)
//           yield %9, %8
//         }
//       }
//     }
//     return %D
//   }
//   kernel.func @two<M, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[16, K], f16, row_major, align 16>, %C: memref<[M, K], f16, row_major, align 16>) -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0)
//     %D = output : memref<[M, 16], f32, row_major, align 16>
//     %map_A = tensor_map %A : tensormap<[128, 16], f16, swizzle 32>
//     %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
//     %map_C = tensor_map %C : tensormap<[128, 32], f16, swizzle 64>
//     %map_B_0 = tensor_map %B : tensormap<[16, 32], f16, swizzle 64>
//     grid (2) threads 384 {
//       %sA = shared : tile<3 x [128, 16], f16, swizzle 32>
//       %sB = shared : tile<3 x [16, 16], f16, swizzle 32>
//       %sC = shared : tile<3 x [128, 32], f16, swizzle 64>
//       %sE = shared : tile<3 x [16, 32], f16, swizzle 64>
//       %full = mbarriers arrivals 1 : mbarrier<3>
//       %empty = mbarriers arrivals 4 : mbarrier<3>
//       %full_0 = mbarriers arrivals 1 : mbarrier<3>
//       %empty_0 = mbarriers arrivals 4 : mbarrier<3>
//       barrier
//       %b = block_id 0
//       %0 = index (0)
//       %1 = index (0)
//       role producer warps 0 to 4 registers 40 single {
//         %2 = index (0)
//         %3 = index (1)
//         %4 = index (0)
//         %5 = index (1)
//         %6:4 = for %t = %b to M ceildiv 128 step 2 carry (%stage = %2, %parity = %3, %stage_0 = %4, %parity_0 = %5) : index, index, index, index {
//           %7:2 = for %k = 0 to K step 16 carry (%stage_1 = %stage, %parity_1 = %parity) : index, index {
//             wait %empty[%stage_1] parity %parity_1
//             expect %full[%stage_1] bytes 4608
//             tma_load %map_A[128*%t, %k] to %sA[%stage_1] signal %full[%stage_1]
//             tma_load %map_B[0, %k] to %sB[%stage_1] signal %full[%stage_1]
//             %next:2 = advance %stage_1, %parity_1 over 3
//             yield %next, %next#1
//           }
//           %8:2 = for %k = 0 to K step 32 carry (%stage_2 = %stage_0, %parity_2 = %parity_0) : index, index {
//             wait %empty_0[%stage_2] parity %parity_2
//             expect %full_0[%stage_2] bytes 9216
//             tma_load %map_C[128*%t, %k] to %sC[%stage_2] signal %full_0[%stage_2]
//             tma_load %map_B_0[0, %k] to %sE[%stage_2] signal %full_0[%stage_2]
//             %next:2 = advance %stage_2, %parity_2 over 3
//             yield %next, %next#1
//           }
//           yield %7, %7#1, %8, %8#1
//         }
//       }
//       role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
//         %9 = index (0)
//         %10 = index (0)
//         %stage = index ((%g*(K ceildiv 16)) mod 3)
//         %parity = index (((%g*(K ceildiv 16)) floordiv 3) mod 2)
//         %stage_3 = index ((%g*(K ceildiv 32)) mod 3)
//         %parity_3 = index (((%g*(K ceildiv 32)) floordiv 3) mod 2)
//         %mine = index (%g + 8)
//         %other = index ((%g + 1) mod 2 + 8)
//         if (%g == 1, %b < M ceildiv 128) {
//           barrier_arrive id %other threads 256
//         }
//         %11:4 = for %t = %b + 2*%g to M ceildiv 128 step 4 carry (%parity_4 = %parity, %parity_0 = %parity_3, %stage_4 = %stage, %stage_5 = %stage_3) : index, index, index, index {
//           %zero = const 0.0 : frag<[128, 16], f32, wgmma>
//           %12 = done : token<compute>
//           barrier id %mine threads 256
//           %c:5 = for %k = 0 to K step 16 carry (%acc = %zero, %parity_1 = %parity_4, %stage_6 = %stage_4, %held = %12, %before = %stage_4) : frag<[128, 16], f32, wgmma>, index, index, token<compute>, index {
//             wait %full[%stage_6] parity %parity_1
//             %d, %w = wgmma %sA[%stage_6], %sB[%stage_6] transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
//             await %held
//             if (1 <= %k) {
//               arrive %empty[%before] by warp
//             }
//             %next:2 = advance %stage_6, %parity_1 over 3
//             yield %d, %next#1, %next, %w, %stage_6
//           }
//           await %c#3
//           if (1 <= K) {
//             arrive %empty[%c#4] by warp
//           }
//           %13 = done : token<compute>
//           %e:5 = for %k = 0 to K step 32 carry (%acc = %c, %parity_2 = %parity_0, %stage_7 = %stage_5, %held = %13, %before = %stage_5) : frag<[128, 16], f32, wgmma>, index, index, token<compute>, index {
//             wait %full_0[%stage_7] parity %parity_2
//             %d, %w = wgmma %sC[%stage_7], %sE[%stage_7] transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
//             await %held
//             if (1 <= %k) {
//               arrive %empty_0[%before] by warp
//             }
//             %next:2 = advance %stage_7, %parity_2 over 3
//             yield %d, %next#1, %next, %w, %stage_7
//           }
//           if (%t + 2 < M ceildiv 128) {
//             barrier_arrive id %other threads 256
//           }
//           await %e#3
//           if (1 <= K) {
//             arrive %empty_0[%e#4] by warp
//           }
//           store %e to %D[128*%t + i0, i1] where (128*%t + i0 < M)
//           %14 = index ((%c#2 + K ceildiv 16) mod 3)
//           %15 = index ((%c#1 + (K + 16*%c#2 + 15) floordiv 48) mod 2)
//           %16 = index ((%e#2 + K ceildiv 32) mod 3)
//           %17 = index ((%e#1 + (K + 32*%e#2 + 31) floordiv 96) mod 2)
//           yield %15, %17, %14, %16
//         }
//       }
//     }
//     return %D
//   }
// }
