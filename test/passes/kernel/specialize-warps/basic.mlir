// RUN: dlc-opt %s --insert-async-tokens -o %t.mlir
// RUN: dlc-opt %t.mlir --specialize-warps=stages=3 --evaluate-each --check-async | snapshot %s
// RUN: dlc-opt %t.mlir --specialize-warps=consumers=1,stages=2 --evaluate-each --check-async | snapshot %s --name=one
// RUN: dlc-opt %t.mlir --specialize-warps=stages=2 --evaluate-each --check-async -o /dev/null
// RUN: dlc-opt %t.mlir --specialize-warps=stages=7 --evaluate-each --check-async -o /dev/null
// RUN: dlc-opt %t.mlir --specialize-warps -o %t.once
// RUN: dlc-opt %t.once --specialize-warps | diff %t.once -

// A block for each tile.
kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (M ceildiv 128, N ceildiv 16) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[128, 16], f32, wgmma> {
      copy %A[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
      copy %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      yield %d
    }
    store %c to %D[128*%m + i0, 16*%n + i1] where (128*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}

// The rows of products, of what is read and of what is compared are shared among the consumers.
kernel.func @epilogue<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>, %bias: memref<[N], f32>, %scale: memref<[M], f32>)
    -> (memref<[M, N], f32, row_major, align 16>, memref<[M], f32>) attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  %S = output : memref<[M], f32>
  grid (M ceildiv 128) threads 128 {
    %sA = shared : tile<[128, 32], f16, swizzle 32>
    %sB = shared : tile<[32, 16], f16, swizzle 32>
    %m = block_id 0
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    for %n = 0 to N step 16 {
      %c = for %k = 0 to K step 32 carry (%acc = %zero) : frag<[128, 16], f32, wgmma> {
        copy %A[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [8, 4] warps [4, 1]
        copy %B[%k + i0, %n + i1] where (%k + i0 < K, %n + i1 < N) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
        fence_async
        barrier
        %d, %t = wgmma %sA, %sB, %acc : frag<[128, 16], f32, wgmma>, token<compute>
        await %t
        barrier
        yield %d
      }
      %b = load %bias[%n + i0] where (%n + i0 < N) : frag<[16], f32, slice 0 of (wgmma)>
      %s = load %scale[128*%m + i0] where (128*%m + i0 < M) : frag<[128], f32, slice 1 of (wgmma)>
      %bb = broadcast %b along 0 : frag<[128, 16], f32, wgmma>
      %ss = broadcast %s along 1 : frag<[128, 16], f32, wgmma>
      %x = binary mul %c, %ss : frag<[128, 16], f32, wgmma>
      %y = binary add %x, %bb : frag<[128, 16], f32, wgmma>
      %none = const -1.0 : f32
      %z = select where (%n + i1 <= 128*%m + i0) then %y else %none : frag<[128, 16], f32, wgmma>
      store %z to %D[128*%m + i0, %n + i1] where (128*%m + i0 < M, %n + i1 < N)
      %r = reduce max %z along 1 : frag<[128], f32, slice 1 of (wgmma)>
      store %r to %S[128*%m + i0] where (128*%m + i0 < M)
    }
  }
  return %D, %S
}

// Tiles that threads read: the left matrix in registers, the right one from the tile.
kernel.func @scaled<M, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[16, K], f16, row_major, align 16>)
    -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, 16], f32, row_major, align 16>
  grid (M ceildiv 128) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %m = block_id 0
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[128, 16], f32, wgmma> {
      copy %A[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
      copy %B[i0, %k + i1] where (%k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
      fence_async
      barrier
      %a = load_shared %sA : frag<[128, 16], f16, wgmma_a>
      %p = unary relu %a : frag<[128, 16], f16, wgmma_a>
      %d, %t = wgmma %p, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      yield %d
    }
    store %c to %D[128*%m + i0, i1] where (128*%m + i0 < M)
  }
  return %D
}

// The left matrix is transposed and of two panels, of which each consumer takes one; and one of two panels of which each takes the upper or lower half.
kernel.func @turned<M, K>(%A: memref<[K, M], f16, row_major, align 16>, %C: memref<[M, K], f16, row_major, align 16>, %B: memref<[16, K], f16, row_major, align 16>)
    -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, M mod 8 == 0)
  %D = output : memref<[M, 16], f32, row_major, align 16>
  grid (M ceildiv 128) threads 128 {
    %sA = shared : tile<[32, 128], f16, swizzle 128>
    %sC = shared : tile<[128, 32], f16, swizzle 32>
    %sB = shared : tile<[16, 32], f16, swizzle 64>
    %m = block_id 0
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    %c = for %k = 0 to K step 32 carry (%acc = %zero) : frag<[128, 16], f32, wgmma> {
      copy %A[%k + i0, 128*%m + i1] where (%k + i0 < K, 128*%m + i1 < M) to %sA by blocked [1, 8] lanes [2, 16] warps [4, 1]
      copy %C[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sC by blocked [1, 8] lanes [8, 4] warps [4, 1]
      copy %B[i0, %k + i1] where (%k + i1 < K) to %sB by blocked [1, 8] lanes [8, 4] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA transposed, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
      %e, %u = wgmma %sC, %sB transposed, %d : frag<[128, 16], f32, wgmma>, token<compute>
      await %t, %u
      barrier
      yield %e
    }
    store %c to %D[128*%m + i0, i1] where (128*%m + i0 < M)
  }
  return %D
}

// The rings go on from tile to tile.
kernel.func @persistent<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (2) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %b = block_id 0
    for %t = %b to (M ceildiv 128) * (N ceildiv 16) step 2 {
      %m, %n = tile_order %t of (M ceildiv 128, N ceildiv 16) rows
      %zero = const 0.0 : frag<[128, 16], f32, wgmma>
      %c = for %k = 0 to K step 16 carry (%acc = %zero) {
        copy %A[128 * %m + i0, %k + i1] where (128 * %m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
        copy %B[16 * %n + i0, %k + i1] where (16 * %n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
        fence_async
        barrier
        %d, %w = wgmma %sA, %sB transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
        await %w
        barrier
        yield %d
      }
      store %c to %D[128 * %m + i0, 16 * %n + i1] where (128 * %m + i0 < M, 16 * %n + i1 < N)
    }
  }
  return %D
}

// A matrix that is loaded once, and two loads of a step that are waited for one after another.
kernel.func @two_waits<M, K>(%Q: memref<[M, 16], f16, row_major, align 16>, %X: memref<[K, 16], f16, row_major, align 16>, %Y: memref<[K, 32], f16, row_major, align 16>)
    -> memref<[M, 32], f32, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[M, 32], f32, row_major, align 16>
  grid (M ceildiv 128) threads 128 {
    %sQ = shared : tile<[128, 16], f16, swizzle 32>
    %sX = shared : tile<[16, 16], f16, swizzle 32>
    %sY = shared : tile<[16, 32], f16, swizzle 64>
    %m = block_id 0
    copy %Q[128*%m + i0, i1] where (128*%m + i0 < M) to %sQ by blocked [1, 8] lanes [16, 2] warps [4, 1]
    fence_async
    barrier
    %zero = const 0.0 : frag<[128, 16], f32, wgmma>
    %none = const 0.0 : frag<[128, 32], f32, wgmma>
    %c = for %k = 0 to K step 16 carry (%acc = %none) : frag<[128, 32], f32, wgmma> {
      copy %X[%k + i0, i1] where (%k + i0 < K) to %sX by blocked [1, 8] lanes [16, 2] warps [4, 1]
      fence_async
      barrier
      %s, %t = wgmma %sQ, %sX transposed, %zero : frag<[128, 16], f32, wgmma>, token<compute>
      await %t
      copy %Y[%k + i0, i1] where (%k + i0 < K) to %sY by blocked [1, 8] lanes [8, 4] warps [4, 1]
      fence_async
      barrier
      %h = cast %s : frag<[128, 16], f16, wgmma>
      %p = convert %h : frag<[128, 16], f16, wgmma_a>
      %d, %u = wgmma %p, %sY, %acc : frag<[128, 32], f32, wgmma>, token<compute>
      await %u
      barrier
      yield %d
    }
    store %c to %D[128*%m + i0, i1] where (128*%m + i0 < M)
  }
  return %D
}

// EXPECT:
// module {
//   kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0)
//     %D = output : memref<[M, N], f32, row_major, align 16>
//     %map_A = tensor_map %A : tensormap<[128, 16], f16, swizzle 32>
//     %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
//     grid (M ceildiv 128, N ceildiv 16) threads 384 {
//       %sA = shared : tile<3 x [128, 16], f16, swizzle 32>
//       %sB = shared : tile<3 x [16, 16], f16, swizzle 32>
//       %full = mbarriers arrivals 1 : mbarrier<3>
//       %empty = mbarriers arrivals 8 : mbarrier<3>
//       barrier
//       %m = block_id 0
//       %n = block_id 1
//       %0 = index (0)
//       role producer warps 0 to 4 registers 40 single {
//         %1 = index (0)
//         %2 = index (1)
//         %3:2 = for %k = 0 to K step 16 carry (%stage = %1, %parity = %2) : index, index {
//           wait %empty[%stage] parity %parity
//           expect %full[%stage] bytes 4608
//           tma_load %map_A[128*%m, %k] to %sA[%stage] signal %full[%stage]
//           tma_load %map_B[16*%n, %k] to %sB[%stage] signal %full[%stage]
//           %next:2 = advance %stage, %parity over 3
//           yield %next, %next#1
//         }
//       }
//       role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
//         %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//         %4 = index (0)
//         %5 = done : token<compute>
//         %c:5 = for %k = 0 to K step 16 carry (%acc = %zero, %parity = %0, %stage = %4, %held = %5, %before = %4) : frag<[64, 16], f32, wgmma>, index, index, token<compute>, index {
//           wait %full[%stage] parity %parity
//           %6 = slice %sA[%stage] at (64*%g, 0) : tile<[64, 16], f16, swizzle 32>
//           %d, %t = wgmma %6, %sB[%stage] transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
//           await %held
//           if (1 <= %k) {
//             arrive %empty[%before] by warp
//           }
//           %next:2 = advance %stage, %parity over 3
//           yield %d, %next#1, %next, %t, %stage
//         }
//         await %c#3
//         if (1 <= K) {
//           arrive %empty[%c#4] by warp
//         }
//         store %c to %D[128*%m + 64*%g + i0, 16*%n + i1] where (128*%m + 64*%g + i0 < M, 16*%n + i1 < N)
//       }
//     }
//     return %D
//   }
//   kernel.func @epilogue<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>, %bias: memref<[N], f32, row_major, align 4>, %scale: memref<[M], f32, row_major, align 4>) -> (memref<[M, N], f32, row_major, align 16>, memref<[M], f32, row_major, align 4>) attributes {target = "sm90"} {
//     require (K mod 8 == 0, N mod 8 == 0)
//     %D = output : memref<[M, N], f32, row_major, align 16>
//     %S = output : memref<[M], f32, row_major, align 4>
//     %map_A = tensor_map %A : tensormap<[128, 16], f16, swizzle 32>
//     %map_B = tensor_map %B : tensormap<[32, 16], f16, swizzle 32>
//     grid (M ceildiv 128) threads 384 {
//       %sA = shared : tile<3 x [128, 32], f16, swizzle 32>
//       %sB = shared : tile<3 x [32, 16], f16, swizzle 32>
//       %full = mbarriers arrivals 1 : mbarrier<3>
//       %empty = mbarriers arrivals 8 : mbarrier<3>
//       barrier
//       %m = block_id 0
//       %0 = index (0)
//       role producer warps 0 to 4 registers 40 single {
//         %1 = index (0)
//         %2 = index (1)
//         %3:2 = for %n = 0 to N step 16 carry (%stage = %1, %parity = %2) : index, index {
//           %4:2 = for %k = 0 to K step 32 carry (%stage_0 = %stage, %parity_0 = %parity) : index, index {
//             wait %empty[%stage_0] parity %parity_0
//             expect %full[%stage_0] bytes 9216
//             %5 = slice %sA[%stage_0] at (0, 0) : tile<[128, 16], f16, swizzle 32>
//             tma_load %map_A[128*%m, %k] to %5 signal %full[%stage_0]
//             %6 = slice %sA[%stage_0] at (0, 16) : tile<[128, 16], f16, swizzle 32>
//             tma_load %map_A[128*%m, %k + 16] to %6 signal %full[%stage_0]
//             tma_load %map_B[%k, %n] to %sB[%stage_0] signal %full[%stage_0]
//             %next:2 = advance %stage_0, %parity_0 over 3
//             yield %next, %next#1
//           }
//           yield %4, %4#1
//         }
//       }
//       role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
//         %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//         %7 = index (0)
//         %8:2 = for %n = 0 to N step 16 carry (%parity = %0, %stage = %7) : index, index {
//           %9 = done : token<compute>
//           %c:5 = for %k = 0 to K step 32 carry (%acc = %zero, %parity_0 = %parity, %stage_1 = %stage, %held = %9, %before = %stage) : frag<[64, 16], f32, wgmma>, index, index, token<compute>, index {
//             wait %full[%stage_1] parity %parity_0
//             %10 = slice %sA[%stage_1] at (64*%g, 0) : tile<[64, 32], f16, swizzle 32 rows 128>
//             %d, %t = wgmma %10, %sB[%stage_1], %acc : frag<[64, 16], f32, wgmma>, token<compute>
//             await %held
//             if (1 <= %k) {
//               arrive %empty[%before] by warp
//             }
//             %next:2 = advance %stage_1, %parity_0 over 3
//             yield %d, %next#1, %next, %t, %stage_1
//           }
//           await %c#3
//           if (1 <= K) {
//             arrive %empty[%c#4] by warp
//           }
//           %b = load %bias[%n + i0] where (%n + i0 < N) : frag<[16], f32, slice 0 of (wgmma)>
//           %s = load %scale[128*%m + 64*%g + i0] where (128*%m + 64*%g + i0 < M) : frag<[64], f32, slice 1 of (wgmma)>
//           %bb = broadcast %b along 0 : frag<[64, 16], f32, wgmma>
//           %ss = broadcast %s along 1 : frag<[64, 16], f32, wgmma>
//           %x = binary mul %c, %ss : frag<[64, 16], f32, wgmma>
//           %y = binary add %x, %bb : frag<[64, 16], f32, wgmma>
//           %none = const -1.0 : f32
//           %z = select where (%n + i1 <= 128*%m + 64*%g + i0) then %y else %none : frag<[64, 16], f32, wgmma>
//           store %z to %D[128*%m + 64*%g + i0, %n + i1] where (128*%m + 64*%g + i0 < M, %n + i1 < N)
//           %r = reduce max %z along 1 : frag<[64], f32, slice 1 of (wgmma)>
//           store %r to %S[128*%m + 64*%g + i0] where (128*%m + 64*%g + i0 < M)
//           yield %c#1, %c#2
//         }
//       }
//     }
//     return %D, %S
//   }
//   kernel.func @scaled<M, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[16, K], f16, row_major, align 16>) -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0)
//     %D = output : memref<[M, 16], f32, row_major, align 16>
//     %map_A = tensor_map %A : tensormap<[128, 16], f16, swizzle 32>
//     %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
//     grid (M ceildiv 128) threads 384 {
//       %sA = shared : tile<3 x [128, 16], f16, swizzle 32>
//       %sB = shared : tile<3 x [16, 16], f16, swizzle 32>
//       %full = mbarriers arrivals 1 : mbarrier<3>
//       %empty = mbarriers arrivals 8 : mbarrier<3>
//       barrier
//       %m = block_id 0
//       %0 = index (0)
//       role producer warps 0 to 4 registers 40 single {
//         %1 = index (0)
//         %2 = index (1)
//         %3:2 = for %k = 0 to K step 16 carry (%stage = %1, %parity = %2) : index, index {
//           wait %empty[%stage] parity %parity
//           expect %full[%stage] bytes 4608
//           tma_load %map_A[128*%m, %k] to %sA[%stage] signal %full[%stage]
//           tma_load %map_B[0, %k] to %sB[%stage] signal %full[%stage]
//           %next:2 = advance %stage, %parity over 3
//           yield %next, %next#1
//         }
//       }
//       role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
//         %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//         %4 = index (0)
//         %c:3 = for %k = 0 to K step 16 carry (%acc = %zero, %parity = %0, %stage = %4) : frag<[64, 16], f32, wgmma>, index, index {
//           wait %full[%stage] parity %parity
//           %5 = slice %sA[%stage] at (64*%g, 0) : tile<[64, 16], f16, swizzle 32>
//           %a = load_shared %5 : frag<[64, 16], f16, wgmma_a>
//           %p = unary relu %a : frag<[64, 16], f16, wgmma_a>
//           %d, %t = wgmma %p, %sB[%stage] transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
//           await %t
//           warp_sync
//           arrive %empty[%stage] by warp
//           %next:2 = advance %stage, %parity over 3
//           yield %d, %next#1, %next
//         }
//         store %c to %D[128*%m + 64*%g + i0, i1] where (128*%m + 64*%g + i0 < M)
//       }
//     }
//     return %D
//   }
//   kernel.func @turned<M, K>(%A: memref<[K, M], f16, row_major, align 16>, %C: memref<[M, K], f16, row_major, align 16>, %B: memref<[16, K], f16, row_major, align 16>) -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0, M mod 8 == 0)
//     %D = output : memref<[M, 16], f32, row_major, align 16>
//     %map_A = tensor_map %A : tensormap<[32, 64], f16, swizzle 128>
//     %map_C = tensor_map %C : tensormap<[128, 16], f16, swizzle 32>
//     %map_B = tensor_map %B : tensormap<[16, 32], f16, swizzle 64>
//     grid (M ceildiv 128) threads 384 {
//       %sA = shared : tile<3 x [32, 128], f16, swizzle 128>
//       %sC = shared : tile<3 x [128, 32], f16, swizzle 32>
//       %sB = shared : tile<3 x [16, 32], f16, swizzle 64>
//       %full = mbarriers arrivals 1 : mbarrier<3>
//       %empty = mbarriers arrivals 8 : mbarrier<3>
//       barrier
//       %m = block_id 0
//       %0 = index (0)
//       role producer warps 0 to 4 registers 40 single {
//         %1 = index (0)
//         %2 = index (1)
//         %3:2 = for %k = 0 to K step 32 carry (%stage = %1, %parity = %2) : index, index {
//           wait %empty[%stage] parity %parity
//           expect %full[%stage] bytes 17408
//           %4 = slice %sA[%stage] at (0, 0) : tile<[32, 64], f16, swizzle 128>
//           tma_load %map_A[%k, 128*%m] to %4 signal %full[%stage]
//           %5 = slice %sA[%stage] at (0, 64) : tile<[32, 64], f16, swizzle 128>
//           tma_load %map_A[%k, 128*%m + 64] to %5 signal %full[%stage]
//           %6 = slice %sC[%stage] at (0, 0) : tile<[128, 16], f16, swizzle 32>
//           tma_load %map_C[128*%m, %k] to %6 signal %full[%stage]
//           %7 = slice %sC[%stage] at (0, 16) : tile<[128, 16], f16, swizzle 32>
//           tma_load %map_C[128*%m, %k + 16] to %7 signal %full[%stage]
//           tma_load %map_B[0, %k] to %sB[%stage] signal %full[%stage]
//           %next:2 = advance %stage, %parity over 3
//           yield %next, %next#1
//         }
//       }
//       role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
//         %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//         %8 = index (0)
//         %9 = done : token<compute>
//         %c:5 = for %k = 0 to K step 32 carry (%acc = %zero, %parity = %0, %stage = %8, %held = %9, %before = %8) : frag<[64, 16], f32, wgmma>, index, index, token<compute>, index {
//           wait %full[%stage] parity %parity
//           %10 = slice %sA[%stage] at (0, 64*%g) : tile<[32, 64], f16, swizzle 128>
//           %d, %t = wgmma %10 transposed, %sB[%stage] transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
//           %11 = slice %sC[%stage] at (64*%g, 0) : tile<[64, 32], f16, swizzle 32 rows 128>
//           %e, %u = wgmma %11, %sB[%stage] transposed, %d : frag<[64, 16], f32, wgmma>, token<compute>
//           await %held
//           if (1 <= %k) {
//             arrive %empty[%before] by warp
//           }
//           %next:2 = advance %stage, %parity over 3
//           yield %e, %next#1, %next, %u, %stage
//         }
//         await %c#3
//         if (1 <= K) {
//           arrive %empty[%c#4] by warp
//         }
//         store %c to %D[128*%m + 64*%g + i0, i1] where (128*%m + 64*%g + i0 < M)
//       }
//     }
//     return %D
//   }
//   kernel.func @persistent<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0)
//     %D = output : memref<[M, N], f32, row_major, align 16>
//     %map_A = tensor_map %A : tensormap<[128, 16], f16, swizzle 32>
//     %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
//     grid (2) threads 384 {
//       %sA = shared : tile<3 x [128, 16], f16, swizzle 32>
//       %sB = shared : tile<3 x [16, 16], f16, swizzle 32>
//       %full = mbarriers arrivals 1 : mbarrier<3>
//       %empty = mbarriers arrivals 8 : mbarrier<3>
//       barrier
//       %b = block_id 0
//       %0 = index (0)
//       role producer warps 0 to 4 registers 40 single {
//         %1 = index (0)
//         %2 = index (1)
//         %3:2 = for %t = %b to (M ceildiv 128)*(N ceildiv 16) step 2 carry (%stage = %1, %parity = %2) : index, index {
//           %m, %n = tile_order %t of (M ceildiv 128, N ceildiv 16) rows
//           %4:2 = for %k = 0 to K step 16 carry (%stage_0 = %stage, %parity_0 = %parity) : index, index {
//             wait %empty[%stage_0] parity %parity_0
//             expect %full[%stage_0] bytes 4608
//             tma_load %map_A[128*%m, %k] to %sA[%stage_0] signal %full[%stage_0]
//             tma_load %map_B[16*%n, %k] to %sB[%stage_0] signal %full[%stage_0]
//             %next:2 = advance %stage_0, %parity_0 over 3
//             yield %next, %next#1
//           }
//           yield %4, %4#1
//         }
//       }
//       role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
//         %5 = index (0)
//         %6:2 = for %t = %b to (M ceildiv 128)*(N ceildiv 16) step 2 carry (%parity = %0, %stage = %5) : index, index {
//           %m, %n = tile_order %t of (M ceildiv 128, N ceildiv 16) rows
//           %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//           %7 = done : token<compute>
//           %c:5 = for %k = 0 to K step 16 carry (%acc = %zero, %parity_0 = %parity, %stage_1 = %stage, %held = %7, %before = %stage) : frag<[64, 16], f32, wgmma>, index, index, token<compute>, index {
//             wait %full[%stage_1] parity %parity_0
//             %8 = slice %sA[%stage_1] at (64*%g, 0) : tile<[64, 16], f16, swizzle 32>
//             %d, %w = wgmma %8, %sB[%stage_1] transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
//             await %held
//             if (1 <= %k) {
//               arrive %empty[%before] by warp
//             }
//             %next:2 = advance %stage_1, %parity_0 over 3
//             yield %d, %next#1, %next, %w, %stage_1
//           }
//           await %c#3
//           if (1 <= K) {
//             arrive %empty[%c#4] by warp
//           }
//           store %c to %D[128*%m + 64*%g + i0, 16*%n + i1] where (128*%m + 64*%g + i0 < M, 16*%n + i1 < N)
//           yield %c#1, %c#2
//         }
//       }
//     }
//     return %D
//   }
//   kernel.func @two_waits<M, K>(%Q: memref<[M, 16], f16, row_major, align 16>, %X: memref<[K, 16], f16, row_major, align 16>, %Y: memref<[K, 32], f16, row_major, align 16>) -> memref<[M, 32], f32, row_major, align 16> attributes {target = "sm90"} {
//     %D = output : memref<[M, 32], f32, row_major, align 16>
//     %map_Q = tensor_map %Q : tensormap<[128, 16], f16, swizzle 32>
//     %map_X = tensor_map %X : tensormap<[16, 16], f16, swizzle 32>
//     %map_Y = tensor_map %Y : tensormap<[16, 32], f16, swizzle 64>
//     grid (M ceildiv 128) threads 384 {
//       %sQ = shared : tile<[128, 16], f16, swizzle 32>
//       %sX = shared : tile<3 x [16, 16], f16, swizzle 32>
//       %sY = shared : tile<3 x [16, 32], f16, swizzle 64>
//       %full = mbarriers arrivals 1 : mbarrier<1>
//       %full_0 = mbarriers arrivals 1 : mbarrier<3>
//       %empty = mbarriers arrivals 8 : mbarrier<3>
//       %full_1 = mbarriers arrivals 1 : mbarrier<3>
//       barrier
//       %m = block_id 0
//       %0 = index (0)
//       %1 = index (0)
//       %2 = index (0)
//       role producer warps 0 to 4 registers 40 single {
//         %3 = index (0)
//         %4 = index (1)
//         expect %full bytes 4096
//         tma_load %map_Q[128*%m, 0] to %sQ signal %full
//         %5:2 = for %k = 0 to K step 16 carry (%stage = %3, %parity = %4) : index, index {
//           wait %empty[%stage] parity %parity
//           expect %full_0[%stage] bytes 512
//           tma_load %map_X[%k, 0] to %sX[%stage] signal %full_0[%stage]
//           expect %full_1[%stage] bytes 1024
//           tma_load %map_Y[%k, 0] to %sY[%stage] signal %full_1[%stage]
//           %next:2 = advance %stage, %parity over 3
//           yield %next, %next#1
//         }
//       }
//       role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
//         wait %full parity %0
//         barrier
//         %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//         %none = const 0.0 : frag<[64, 32], f32, wgmma>
//         %6 = index (0)
//         %c:4 = for %k = 0 to K step 16 carry (%acc = %none, %parity = %1, %parity_0 = %2, %stage = %6) : frag<[64, 32], f32, wgmma>, index, index, index {
//           wait %full_0[%stage] parity %parity
//           %7 = slice %sQ at (64*%g, 0) : tile<[64, 16], f16, swizzle 32>
//           %s, %t = wgmma %7, %sX[%stage] transposed, %zero : frag<[64, 16], f32, wgmma>, token<compute>
//           await %t
//           wait %full_1[%stage] parity %parity_0
//           %h = cast %s : frag<[64, 16], f16, wgmma>
//           %p = convert %h : frag<[64, 16], f16, wgmma_a>
//           %d, %u = wgmma %p, %sY[%stage], %acc : frag<[64, 32], f32, wgmma>, token<compute>
//           await %u
//           arrive %empty[%stage] by warp
//           %next:2 = advance %stage, %parity over 3
//           %next_0:2 = advance %stage, %parity_0 over 3
//           yield %d, %next#1, %next_0#1, %next
//         }
//         store %c to %D[128*%m + 64*%g + i0, i1] where (128*%m + 64*%g + i0 < M)
//       }
//     }
//     return %D
//   }
// }

// EXPECT one:
// module {
//   kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0)
//     %D = output : memref<[M, N], f32, row_major, align 16>
//     %map_A = tensor_map %A : tensormap<[128, 16], f16, swizzle 32>
//     %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
//     grid (M ceildiv 128, N ceildiv 16) threads 256 {
//       %sA = shared : tile<2 x [128, 16], f16, swizzle 32>
//       %sB = shared : tile<2 x [16, 16], f16, swizzle 32>
//       %full = mbarriers arrivals 1 : mbarrier<2>
//       %empty = mbarriers arrivals 4 : mbarrier<2>
//       barrier
//       %m = block_id 0
//       %n = block_id 1
//       %0 = index (0)
//       role producer warps 0 to 4 registers 40 single {
//         %1 = index (0)
//         %2 = index (1)
//         %3:2 = for %k = 0 to K step 16 carry (%stage = %1, %parity = %2) : index, index {
//           wait %empty[%stage] parity %parity
//           expect %full[%stage] bytes 4608
//           tma_load %map_A[128*%m, %k] to %sA[%stage] signal %full[%stage]
//           tma_load %map_B[16*%n, %k] to %sB[%stage] signal %full[%stage]
//           %next:2 = advance %stage, %parity over 2
//           yield %next, %next#1
//         }
//       }
//       role consumer warps 4 to 8 registers 232 {
//         %zero = const 0.0 : frag<[128, 16], f32, wgmma>
//         %4 = index (0)
//         %c:3 = for %k = 0 to K step 16 carry (%acc = %zero, %parity = %0, %stage = %4) : frag<[128, 16], f32, wgmma>, index, index {
//           wait %full[%stage] parity %parity
//           %d, %t = wgmma %sA[%stage], %sB[%stage] transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
//           await %t
//           arrive %empty[%stage] by warp
//           %next:2 = advance %stage, %parity over 2
//           yield %d, %next#1, %next
//         }
//         store %c to %D[128*%m + i0, 16*%n + i1] where (128*%m + i0 < M, 16*%n + i1 < N)
//       }
//     }
//     return %D
//   }
//   kernel.func @epilogue<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>, %bias: memref<[N], f32, row_major, align 4>, %scale: memref<[M], f32, row_major, align 4>) -> (memref<[M, N], f32, row_major, align 16>, memref<[M], f32, row_major, align 4>) attributes {target = "sm90"} {
//     require (K mod 8 == 0, N mod 8 == 0)
//     %D = output : memref<[M, N], f32, row_major, align 16>
//     %S = output : memref<[M], f32, row_major, align 4>
//     %map_A = tensor_map %A : tensormap<[128, 16], f16, swizzle 32>
//     %map_B = tensor_map %B : tensormap<[32, 16], f16, swizzle 32>
//     grid (M ceildiv 128) threads 256 {
//       %sA = shared : tile<2 x [128, 32], f16, swizzle 32>
//       %sB = shared : tile<2 x [32, 16], f16, swizzle 32>
//       %full = mbarriers arrivals 1 : mbarrier<2>
//       %empty = mbarriers arrivals 4 : mbarrier<2>
//       barrier
//       %m = block_id 0
//       %0 = index (0)
//       role producer warps 0 to 4 registers 40 single {
//         %1 = index (0)
//         %2 = index (1)
//         %3:2 = for %n = 0 to N step 16 carry (%stage = %1, %parity = %2) : index, index {
//           %4:2 = for %k = 0 to K step 32 carry (%stage_0 = %stage, %parity_0 = %parity) : index, index {
//             wait %empty[%stage_0] parity %parity_0
//             expect %full[%stage_0] bytes 9216
//             %5 = slice %sA[%stage_0] at (0, 0) : tile<[128, 16], f16, swizzle 32>
//             tma_load %map_A[128*%m, %k] to %5 signal %full[%stage_0]
//             %6 = slice %sA[%stage_0] at (0, 16) : tile<[128, 16], f16, swizzle 32>
//             tma_load %map_A[128*%m, %k + 16] to %6 signal %full[%stage_0]
//             tma_load %map_B[%k, %n] to %sB[%stage_0] signal %full[%stage_0]
//             %next:2 = advance %stage_0, %parity_0 over 2
//             yield %next, %next#1
//           }
//           yield %4, %4#1
//         }
//       }
//       role consumer warps 4 to 8 registers 232 {
//         %zero = const 0.0 : frag<[128, 16], f32, wgmma>
//         %7 = index (0)
//         %8:2 = for %n = 0 to N step 16 carry (%parity = %0, %stage = %7) : index, index {
//           %c:3 = for %k = 0 to K step 32 carry (%acc = %zero, %parity_0 = %parity, %stage_1 = %stage) : frag<[128, 16], f32, wgmma>, index, index {
//             wait %full[%stage_1] parity %parity_0
//             %d, %t = wgmma %sA[%stage_1], %sB[%stage_1], %acc : frag<[128, 16], f32, wgmma>, token<compute>
//             await %t
//             arrive %empty[%stage_1] by warp
//             %next:2 = advance %stage_1, %parity_0 over 2
//             yield %d, %next#1, %next
//           }
//           %b = load %bias[%n + i0] where (%n + i0 < N) : frag<[16], f32, slice 0 of (wgmma)>
//           %s = load %scale[128*%m + i0] where (128*%m + i0 < M) : frag<[128], f32, slice 1 of (wgmma)>
//           %bb = broadcast %b along 0 : frag<[128, 16], f32, wgmma>
//           %ss = broadcast %s along 1 : frag<[128, 16], f32, wgmma>
//           %x = binary mul %c, %ss : frag<[128, 16], f32, wgmma>
//           %y = binary add %x, %bb : frag<[128, 16], f32, wgmma>
//           %none = const -1.0 : f32
//           %z = select where (%n + i1 <= 128*%m + i0) then %y else %none : frag<[128, 16], f32, wgmma>
//           store %z to %D[128*%m + i0, %n + i1] where (128*%m + i0 < M, %n + i1 < N)
//           %r = reduce max %z along 1 : frag<[128], f32, slice 1 of (wgmma)>
//           store %r to %S[128*%m + i0] where (128*%m + i0 < M)
//           yield %c#1, %c#2
//         }
//       }
//     }
//     return %D, %S
//   }
//   kernel.func @scaled<M, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[16, K], f16, row_major, align 16>) -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0)
//     %D = output : memref<[M, 16], f32, row_major, align 16>
//     %map_A = tensor_map %A : tensormap<[128, 16], f16, swizzle 32>
//     %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
//     grid (M ceildiv 128) threads 256 {
//       %sA = shared : tile<2 x [128, 16], f16, swizzle 32>
//       %sB = shared : tile<2 x [16, 16], f16, swizzle 32>
//       %full = mbarriers arrivals 1 : mbarrier<2>
//       %empty = mbarriers arrivals 4 : mbarrier<2>
//       barrier
//       %m = block_id 0
//       %0 = index (0)
//       role producer warps 0 to 4 registers 40 single {
//         %1 = index (0)
//         %2 = index (1)
//         %3:2 = for %k = 0 to K step 16 carry (%stage = %1, %parity = %2) : index, index {
//           wait %empty[%stage] parity %parity
//           expect %full[%stage] bytes 4608
//           tma_load %map_A[128*%m, %k] to %sA[%stage] signal %full[%stage]
//           tma_load %map_B[0, %k] to %sB[%stage] signal %full[%stage]
//           %next:2 = advance %stage, %parity over 2
//           yield %next, %next#1
//         }
//       }
//       role consumer warps 4 to 8 registers 232 {
//         %zero = const 0.0 : frag<[128, 16], f32, wgmma>
//         %4 = index (0)
//         %c:3 = for %k = 0 to K step 16 carry (%acc = %zero, %parity = %0, %stage = %4) : frag<[128, 16], f32, wgmma>, index, index {
//           wait %full[%stage] parity %parity
//           %a = load_shared %sA[%stage] : frag<[128, 16], f16, wgmma_a>
//           %p = unary relu %a : frag<[128, 16], f16, wgmma_a>
//           %d, %t = wgmma %p, %sB[%stage] transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
//           await %t
//           warp_sync
//           arrive %empty[%stage] by warp
//           %next:2 = advance %stage, %parity over 2
//           yield %d, %next#1, %next
//         }
//         store %c to %D[128*%m + i0, i1] where (128*%m + i0 < M)
//       }
//     }
//     return %D
//   }
//   kernel.func @turned<M, K>(%A: memref<[K, M], f16, row_major, align 16>, %C: memref<[M, K], f16, row_major, align 16>, %B: memref<[16, K], f16, row_major, align 16>) -> memref<[M, 16], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0, M mod 8 == 0)
//     %D = output : memref<[M, 16], f32, row_major, align 16>
//     %map_A = tensor_map %A : tensormap<[32, 64], f16, swizzle 128>
//     %map_C = tensor_map %C : tensormap<[128, 16], f16, swizzle 32>
//     %map_B = tensor_map %B : tensormap<[16, 32], f16, swizzle 64>
//     grid (M ceildiv 128) threads 256 {
//       %sA = shared : tile<2 x [32, 128], f16, swizzle 128>
//       %sC = shared : tile<2 x [128, 32], f16, swizzle 32>
//       %sB = shared : tile<2 x [16, 32], f16, swizzle 64>
//       %full = mbarriers arrivals 1 : mbarrier<2>
//       %empty = mbarriers arrivals 4 : mbarrier<2>
//       barrier
//       %m = block_id 0
//       %0 = index (0)
//       role producer warps 0 to 4 registers 40 single {
//         %1 = index (0)
//         %2 = index (1)
//         %3:2 = for %k = 0 to K step 32 carry (%stage = %1, %parity = %2) : index, index {
//           wait %empty[%stage] parity %parity
//           expect %full[%stage] bytes 17408
//           %4 = slice %sA[%stage] at (0, 0) : tile<[32, 64], f16, swizzle 128>
//           tma_load %map_A[%k, 128*%m] to %4 signal %full[%stage]
//           %5 = slice %sA[%stage] at (0, 64) : tile<[32, 64], f16, swizzle 128>
//           tma_load %map_A[%k, 128*%m + 64] to %5 signal %full[%stage]
//           %6 = slice %sC[%stage] at (0, 0) : tile<[128, 16], f16, swizzle 32>
//           tma_load %map_C[128*%m, %k] to %6 signal %full[%stage]
//           %7 = slice %sC[%stage] at (0, 16) : tile<[128, 16], f16, swizzle 32>
//           tma_load %map_C[128*%m, %k + 16] to %7 signal %full[%stage]
//           tma_load %map_B[0, %k] to %sB[%stage] signal %full[%stage]
//           %next:2 = advance %stage, %parity over 2
//           yield %next, %next#1
//         }
//       }
//       role consumer warps 4 to 8 registers 232 {
//         %zero = const 0.0 : frag<[128, 16], f32, wgmma>
//         %8 = index (0)
//         %c:3 = for %k = 0 to K step 32 carry (%acc = %zero, %parity = %0, %stage = %8) : frag<[128, 16], f32, wgmma>, index, index {
//           wait %full[%stage] parity %parity
//           %d, %t = wgmma %sA[%stage] transposed, %sB[%stage] transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
//           %e, %u = wgmma %sC[%stage], %sB[%stage] transposed, %d : frag<[128, 16], f32, wgmma>, token<compute>
//           await %t, %u
//           arrive %empty[%stage] by warp
//           %next:2 = advance %stage, %parity over 2
//           yield %e, %next#1, %next
//         }
//         store %c to %D[128*%m + i0, i1] where (128*%m + i0 < M)
//       }
//     }
//     return %D
//   }
//   kernel.func @persistent<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0)
//     %D = output : memref<[M, N], f32, row_major, align 16>
//     %map_A = tensor_map %A : tensormap<[128, 16], f16, swizzle 32>
//     %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
//     grid (2) threads 256 {
//       %sA = shared : tile<2 x [128, 16], f16, swizzle 32>
//       %sB = shared : tile<2 x [16, 16], f16, swizzle 32>
//       %full = mbarriers arrivals 1 : mbarrier<2>
//       %empty = mbarriers arrivals 4 : mbarrier<2>
//       barrier
//       %b = block_id 0
//       %0 = index (0)
//       role producer warps 0 to 4 registers 40 single {
//         %1 = index (0)
//         %2 = index (1)
//         %3:2 = for %t = %b to (M ceildiv 128)*(N ceildiv 16) step 2 carry (%stage = %1, %parity = %2) : index, index {
//           %m, %n = tile_order %t of (M ceildiv 128, N ceildiv 16) rows
//           %4:2 = for %k = 0 to K step 16 carry (%stage_0 = %stage, %parity_0 = %parity) : index, index {
//             wait %empty[%stage_0] parity %parity_0
//             expect %full[%stage_0] bytes 4608
//             tma_load %map_A[128*%m, %k] to %sA[%stage_0] signal %full[%stage_0]
//             tma_load %map_B[16*%n, %k] to %sB[%stage_0] signal %full[%stage_0]
//             %next:2 = advance %stage_0, %parity_0 over 2
//             yield %next, %next#1
//           }
//           yield %4, %4#1
//         }
//       }
//       role consumer warps 4 to 8 registers 232 {
//         %5 = index (0)
//         %6:2 = for %t = %b to (M ceildiv 128)*(N ceildiv 16) step 2 carry (%parity = %0, %stage = %5) : index, index {
//           %m, %n = tile_order %t of (M ceildiv 128, N ceildiv 16) rows
//           %zero = const 0.0 : frag<[128, 16], f32, wgmma>
//           %c:3 = for %k = 0 to K step 16 carry (%acc = %zero, %parity_0 = %parity, %stage_1 = %stage) : frag<[128, 16], f32, wgmma>, index, index {
//             wait %full[%stage_1] parity %parity_0
//             %d, %w = wgmma %sA[%stage_1], %sB[%stage_1] transposed, %acc : frag<[128, 16], f32, wgmma>, token<compute>
//             await %w
//             arrive %empty[%stage_1] by warp
//             %next:2 = advance %stage_1, %parity_0 over 2
//             yield %d, %next#1, %next
//           }
//           store %c to %D[128*%m + i0, 16*%n + i1] where (128*%m + i0 < M, 16*%n + i1 < N)
//           yield %c#1, %c#2
//         }
//       }
//     }
//     return %D
//   }
//   kernel.func @two_waits<M, K>(%Q: memref<[M, 16], f16, row_major, align 16>, %X: memref<[K, 16], f16, row_major, align 16>, %Y: memref<[K, 32], f16, row_major, align 16>) -> memref<[M, 32], f32, row_major, align 16> attributes {target = "sm90"} {
//     %D = output : memref<[M, 32], f32, row_major, align 16>
//     %map_Q = tensor_map %Q : tensormap<[128, 16], f16, swizzle 32>
//     %map_X = tensor_map %X : tensormap<[16, 16], f16, swizzle 32>
//     %map_Y = tensor_map %Y : tensormap<[16, 32], f16, swizzle 64>
//     grid (M ceildiv 128) threads 256 {
//       %sQ = shared : tile<[128, 16], f16, swizzle 32>
//       %sX = shared : tile<2 x [16, 16], f16, swizzle 32>
//       %sY = shared : tile<2 x [16, 32], f16, swizzle 64>
//       %full = mbarriers arrivals 1 : mbarrier<1>
//       %full_0 = mbarriers arrivals 1 : mbarrier<2>
//       %empty = mbarriers arrivals 4 : mbarrier<2>
//       %full_1 = mbarriers arrivals 1 : mbarrier<2>
//       barrier
//       %m = block_id 0
//       %0 = index (0)
//       %1 = index (0)
//       %2 = index (0)
//       role producer warps 0 to 4 registers 40 single {
//         %3 = index (0)
//         %4 = index (1)
//         expect %full bytes 4096
//         tma_load %map_Q[128*%m, 0] to %sQ signal %full
//         %5:2 = for %k = 0 to K step 16 carry (%stage = %3, %parity = %4) : index, index {
//           wait %empty[%stage] parity %parity
//           expect %full_0[%stage] bytes 512
//           tma_load %map_X[%k, 0] to %sX[%stage] signal %full_0[%stage]
//           expect %full_1[%stage] bytes 1024
//           tma_load %map_Y[%k, 0] to %sY[%stage] signal %full_1[%stage]
//           %next:2 = advance %stage, %parity over 2
//           yield %next, %next#1
//         }
//       }
//       role consumer warps 4 to 8 registers 232 {
//         wait %full parity %0
//         barrier
//         %zero = const 0.0 : frag<[128, 16], f32, wgmma>
//         %none = const 0.0 : frag<[128, 32], f32, wgmma>
//         %6 = index (0)
//         %c:4 = for %k = 0 to K step 16 carry (%acc = %none, %parity = %1, %parity_0 = %2, %stage = %6) : frag<[128, 32], f32, wgmma>, index, index, index {
//           wait %full_0[%stage] parity %parity
//           %s, %t = wgmma %sQ, %sX[%stage] transposed, %zero : frag<[128, 16], f32, wgmma>, token<compute>
//           await %t
//           wait %full_1[%stage] parity %parity_0
//           %h = cast %s : frag<[128, 16], f16, wgmma>
//           %p = convert %h : frag<[128, 16], f16, wgmma_a>
//           %d, %u = wgmma %p, %sY[%stage], %acc : frag<[128, 32], f32, wgmma>, token<compute>
//           await %u
//           arrive %empty[%stage] by warp
//           %next:2 = advance %stage, %parity over 2
//           %next_0:2 = advance %stage, %parity_0 over 2
//           yield %d, %next#1, %next_0#1, %next
//         }
//         store %c to %D[128*%m + i0, i1] where (128*%m + i0 < M)
//       }
//     }
//     return %D
//   }
// }
