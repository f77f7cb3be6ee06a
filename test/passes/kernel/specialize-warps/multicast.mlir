// The blocks of a cluster load what all of them need in parts.

// RUN: dlc-opt %s --insert-async-tokens -o %t.mlir
// RUN: dlc-opt %t.mlir --specialize-warps='consumers=1,stages=3,multicast=[B]' --dce --evaluate-each --check-async | snapshot %s
// RUN: dlc-opt %t.mlir --specialize-warps='roles=ping_pong,stages=3,multicast=[B]' --check-async -o %t.turns.mlir
// RUN: dlc-opt %t.mlir --specialize-warps='consumers=1,stages=3,multicast=[B]' --check-async -o %t.one.mlir
// RUN: dlc-run %s --shape=M=1,N=8,K=8 --seed=0 --function=gemm -o %t.npy
// RUN: dlc-run %t.one.mlir --shape=M=1,N=8,K=8 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %t.turns.mlir --shape=M=1,N=8,K=8 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %s --shape=M=200,N=72,K=40 --seed=0 --function=gemm -o %t.npy
// RUN: dlc-run %t.one.mlir --shape=M=200,N=72,K=40 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %t.turns.mlir --shape=M=200,N=72,K=40 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %s --shape=M=300,N=48,K=72 --seed=0 --function=gemm -o %t.npy
// RUN: dlc-run %t.one.mlir --shape=M=300,N=48,K=72 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %t.turns.mlir --shape=M=300,N=48,K=72 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %s --shape=M=80,N=24,K=0 --seed=0 --function=gemm -o %t.npy
// RUN: dlc-run %t.one.mlir --shape=M=80,N=24,K=0 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %t.turns.mlir --shape=M=80,N=24,K=0 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %s --shape=M=0,N=8,K=8 --seed=0 --function=gemm -o %t.npy
// RUN: dlc-run %t.one.mlir --shape=M=0,N=8,K=8 --seed=0 --function=gemm --check=%t.npy
// RUN: dlc-run %t.turns.mlir --shape=M=0,N=8,K=8 --seed=0 --function=gemm --check=%t.npy

kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (4) cluster [2] threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %b = block_id 0
    %bs = grid_size 0
    %c0 = index (%b floordiv 2)
    %cs = index (%bs floordiv 2)
    %r = block_rank
    for %t = %c0 to (M ceildiv 128) * (N ceildiv 16) step %cs {
      %m, %n = tile_order %t of (M ceildiv 128, N ceildiv 16) rows
      %zero = const 0.0 : frag<[64, 16], f32, wgmma>
      %c = for %k = 0 to K step 16 carry (%acc = %zero) {
        copy %A[128*%m + 64*%r + i0, %k + i1] where (128*%m + 64*%r + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
        copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
        fence_async
        barrier
        %d, %w = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
        await %w
        barrier
        yield %d
      }
      %h = cast %c : frag<[64, 16], f16, wgmma>
      store %h to %D[128*%m + 64*%r + i0, 16*%n + i1] where (128*%m + 64*%r + i0 < M, 16*%n + i1 < N)
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
//     %map_B = tensor_map %B : tensormap<[8, 16], f16, swizzle 32>
//     grid (4) cluster [2] threads 256 {
//       %rank = block_rank
//       %0 = index (0)
//       %1 = index (1)
//       %sA = shared : tile<3 x [64, 16], f16, swizzle 32>
//       %sB = shared : tile<3 x [16, 16], f16, swizzle 32>
//       %full = mbarriers arrivals 1 : mbarrier<3>
//       %empty = mbarriers arrivals 8 : mbarrier<3>
//       %b = block_id 0
//       %bs = grid_size 0
//       %c0 = index (%b floordiv 2)
//       %cs = index (%bs floordiv 2)
//       %r = block_rank
//       %2 = index (0)
//       cluster_barrier
//       role producer warps 0 to 4 registers 40 single {
//         %3 = index (0)
//         %4 = index (1)
//         %5:2 = for %t = %c0 to (M ceildiv 128)*(N ceildiv 16) step %cs carry (%stage = %3, %parity = %4) : index, index {
//           %m, %n = tile_order %t of (M ceildiv 128, N ceildiv 16) rows
//           %6:2 = for %k = 0 to K step 16 carry (%stage_0 = %stage, %parity_0 = %parity) : index, index {
//             wait %empty[%stage_0] parity %parity_0
//             expect %full[%stage_0] bytes 2560
//             tma_load %map_A[128*%m + 64*%r, %k] to %sA[%stage_0] signal %full[%stage_0]
//             %7 = slice %sB[%stage_0] at (8*%rank, 0) : tile<[8, 16], f16, swizzle 32>
//             tma_load %map_B[16*%n + 8*%rank, %k] to %7 signal %full[%stage_0] multicast 3
//             %next:2 = advance %stage_0, %parity_0 over 3
//             yield %next, %next#1
//           }
//           yield %6, %6#1
//         }
//         %8:2 = for %left = 0 to 3 carry (%stage = %5, %parity = %5#1) : index, index {
//           wait %empty[%stage] parity %parity
//           %next:2 = advance %stage, %parity over 3
//           yield %next, %next#1
//         }
//       }
//       role consumer warps 4 to 8 registers 232 {
//         %9 = index (0)
//         %10:2 = for %t = %c0 to (M ceildiv 128)*(N ceildiv 16) step %cs carry (%parity = %2, %stage = %9) : index, index {
//           %m, %n = tile_order %t of (M ceildiv 128, N ceildiv 16) rows
//           %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//           %11 = done : token<compute>
//           %c:5 = for %k = 0 to K step 16 carry (%acc = %zero, %parity_0 = %parity, %stage_1 = %stage, %held = %11, %before = %stage) : frag<[64, 16], f32, wgmma>, index, index, token<compute>, index {
//             wait %full[%stage_1] parity %parity_0
//             %d, %w = wgmma %sA[%stage_1], %sB[%stage_1] transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
//             await %held
//             if (1 <= %k) {
//               arrive %empty[%before] on %0 by warp
//               arrive %empty[%before] on %1 by warp
//             }
//             %next:2 = advance %stage_1, %parity_0 over 3
//             yield %d, %next#1, %next, %w, %stage_1
//           }
//           await %c#3
//           if (1 <= K) {
//             arrive %empty[%c#4] on %0 by warp
//             arrive %empty[%c#4] on %1 by warp
//           }
//           %h = cast %c : frag<[64, 16], f16, wgmma>
//           store %h to %D[128*%m + 64*%r + i0, 16*%n + i1] where (128*%m + 64*%r + i0 < M, 16*%n + i1 < N)
//           yield %c#1, %c#2
//         }
//       }
//     }
//     return %D
//   }
// }
