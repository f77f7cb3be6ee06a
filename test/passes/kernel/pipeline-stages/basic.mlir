// RUN: dlc-opt %s --pipeline-stages --evaluate-each | snapshot %s
// RUN: dlc-opt %s --pipeline-stages=stages=2 --evaluate-each | snapshot %s --name=two
// RUN: dlc-opt %s --pipeline-stages=stages=4 --evaluate-each -o /dev/null
// RUN: dlc-opt %s --pipeline-stages=stages=1 -o %t.one
// RUN: dlc-opt %s | diff - %t.one
// RUN: dlc-opt %s --pipeline-stages=stages=2 --check-async -o /dev/null
// RUN: dlc-opt %s --pipeline-stages=stages=3 --check-async -o /dev/null
// RUN: dlc-opt %s --pipeline-stages=stages=5 --check-async -o /dev/null

// Copies run two steps ahead; threads meet once a step.
kernel.func @copies<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm80"} {
  require (K mod 2 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (M ceildiv 32, N ceildiv 32) threads 128 {
    %sA = shared : tile<[32, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 32], f16, swizzle 64>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[32, 32], f32, mma [2, 2]> {
      %0 = copy_async %A[32*%m + i0, %k + i1] where (32*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 2] lanes [4, 8] warps [4, 1] : token<load>
      %1 = copy_async %B[%k + i0, 32*%n + i1] where (%k + i0 < K, 32*%n + i1 < N) to %sB by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      await %0, %1
      barrier
      %a = load_shared %sA : frag<[32, 16], f16, mma_a [2, 2]>
      %b = load_shared %sB : frag<[16, 32], f16, mma_b [2, 2]>
      %d = mma %a, %b, %acc : frag<[32, 32], f32, mma [2, 2]>
      barrier
      yield %d
    }
    store %c to %D[32*%m + i0, 32*%n + i1] where (32*%m + i0 < M, 32*%n + i1 < N)
  }
  return %D
}

// Boxes run one step ahead, as the products of a step are awaited in the next one.
kernel.func @boxes<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
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
      %1 = index (-%parity + 1)
      yield %d, %1
    }
    store %c to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
  }
  return %D
}

// Stage and parity go on from tile to tile.
kernel.func @persistent<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  %map_A = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
  %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
  grid (2) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %full = mbarriers arrivals 1 : mbarrier<1>
    barrier
    %b = block_id 0
    %0 = index (0)
    %1 = for %t = %b to (M ceildiv 64)*(N ceildiv 16) step 2 carry (%parity = %0) : index {
      %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 16) rows
      %zero = const 0.0 : frag<[64, 16], f32, wgmma>
      %c:2 = for %k = 0 to K step 16 carry (%acc = %zero, %parity_0 = %parity) : frag<[64, 16], f32, wgmma>, index {
        elect {
          expect %full bytes 2560
          tma_load %map_A[64*%m, %k] to %sA signal %full
          tma_load %map_B[16*%n, %k] to %sB signal %full
        }
        wait %full parity %parity_0
        barrier
        %d, %w = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
        await %w
        barrier
        %2 = index (-%parity_0 + 1)
        yield %d, %2
      }
      store %c to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
      yield %c#1
    }
  }
  return %D
}

// A loop in a loop: its stages begin again with each row, so the threads meet before the first loads of the next one. A
// copy that the threads wait for stays as it is, and so does the barrier that its tile needs. What the loads need of
// the step is computed for the later step.
kernel.func @rows<M, N>(%X: memref<[M, 64, N], f16, row_major, align 16>, %S: memref<[M, N], f16>)
    -> memref<[M, 64], f32> {
  require (N mod 8 == 0)
  %Y = output : memref<[M, 64], f32>
  grid (M) threads 128 {
    %tile = shared : tile<[32, 32], f16, swizzle 64>
    %scale = shared : tile<[32], f16, row_major>
    %b = block_id 0
    %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    for %r = 0 to 64 step 32 {
      %sum = for %k = 0 to N ceildiv 32 step 1 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
        %n = index (32*%k)
        copy %S[%b, %n + i0] where (%n + i0 < N) to %scale by blocked [1] lanes [32] warps [4]
        %t = copy_async %X[%b, %r + i0, %n + i1] where (%n + i1 < N) to %tile by blocked [1, 8] lanes [8, 4] warps [4, 1]
        await %t
        barrier
        %x = load_shared %tile : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
        %s = load_shared %scale : frag<[32], f16, slice 0 of (blocked [1, 8] lanes [8, 4] warps [4, 1])>
        %w = broadcast %s along 0 : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
        %p = binary mul %x, %w : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
        %f = cast %p : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
        %d = binary add %acc, %f : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
        barrier
        yield %d
      }
      %row = reduce sum %sum along 1 : frag<[32], f32, slice 1 of (blocked [1, 8] lanes [8, 4] warps [4, 1])>
      store %row to %Y[%b, %r + i0]
    }
  }
  return %Y
}

// The same without the second copy: one barrier a step, and one after the loop.
kernel.func @columns<M, N>(%X: memref<[M, N], f16, row_major, align 16>) -> memref<[M, N], f32> {
  require (N mod 8 == 0)
  %Y = output : memref<[M, N], f32>
  grid (N ceildiv 32) threads 128 {
    %tile = shared : tile<[32, 32], f16, swizzle 64>
    %b = block_id 0
    %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    for %again = 0 to 2 step 1 {
      %sum = for %m = 0 to M step 32 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
        %t = copy_async %X[%m + i0, 32*%b + i1] where (%m + i0 < M, 32*%b + i1 < N) to %tile by blocked [1, 8] lanes [8, 4] warps [4, 1]
        await %t
        barrier
        %x = load_shared %tile : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
        %f = cast %x : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
        %d = binary add %acc, %f : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
        store %d to %Y[%m + i0, 32*%b + i1] where (%m + i0 < M, 32*%b + i1 < N)
        barrier
        yield %d
      }
    }
  }
  return %Y
}

// EXPECT:
// module {
//   kernel.func @copies<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm80"} {
//     require (K mod 2 == 0, N mod 8 == 0)
//     %D = output : memref<[M, N], f32, row_major, align 16>
//     grid (M ceildiv 32, N ceildiv 32) threads 128 {
//       %sA = shared : tile<3 x [32, 16], f16, swizzle 32>
//       %sB = shared : tile<3 x [16, 32], f16, swizzle 64>
//       %m = block_id 0
//       %n = block_id 1
//       %zero = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
//       %0 = index (0)
//       %1 = if (0 < K) : token<load> {
//         %k = index (0)
//         %slot = index (0)
//         %2 = copy_async %A[32*%m + i0, %k + i1] where (32*%m + i0 < M, %k + i1 < K) to %sA[%slot] by blocked [1, 2] lanes [4, 8] warps [4, 1] : token<load>
//         %3 = copy_async %B[%k + i0, 32*%n + i1] where (%k + i0 < K, 32*%n + i1 < N) to %sB[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//         yield %3
//       } else {
//         %4 = done : token<load>
//         yield %4
//       }
//       %5 = if (16 < K) : token<load> {
//         %k = index (16)
//         %slot = index (1)
//         %6 = copy_async %A[32*%m + i0, %k + i1] where (32*%m + i0 < M, %k + i1 < K) to %sA[%slot] by blocked [1, 2] lanes [4, 8] warps [4, 1] : token<load>
//         %7 = copy_async %B[%k + i0, 32*%n + i1] where (%k + i0 < K, 32*%n + i1 < N) to %sB[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//         yield %7
//       } else {
//         %8 = done : token<load>
//         yield %8
//       }
//       %c:4 = for %k = 0 to K step 16 carry (%acc = %zero, %stage = %0, %loaded = %1, %loaded_0 = %5) : frag<[32, 32], f32, mma [2, 2]>, index, token<load>, token<load> {
//         await %loaded
//         barrier
//         %9 = if (%k + 32 < K) : token<load> {
//           %k_0 = index (%k + 32)
//           %slot = index ((%stage + 2) mod 3)
//           %10 = copy_async %A[32*%m + i0, %k_0 + i1] where (32*%m + i0 < M, %k_0 + i1 < K) to %sA[%slot] by blocked [1, 2] lanes [4, 8] warps [4, 1] : token<load>
//           %11 = copy_async %B[%k_0 + i0, 32*%n + i1] where (%k_0 + i0 < K, 32*%n + i1 < N) to %sB[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//           yield %11
//         } else {
//           %12 = done : token<load>
//           yield %12
//         }
//         %a = load_shared %sA[%stage] : frag<[32, 16], f16, mma_a [2, 2]>
//         %b = load_shared %sB[%stage] : frag<[16, 32], f16, mma_b [2, 2]>
//         %d = mma %a, %b, %acc : frag<[32, 32], f32, mma [2, 2]>
//         %next = index ((%stage + 1) mod 3)
//         yield %d, %next, %loaded_0, %9
//       }
//       store %c to %D[32*%m + i0, 32*%n + i1] where (32*%m + i0 < M, 32*%n + i1 < N)
//     }
//     return %D
//   }
//   kernel.func @boxes<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0)
//     %D = output : memref<[M, N], f32, row_major, align 16>
//     %map_A = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
//     %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
//     grid (M ceildiv 64, N ceildiv 16) threads 128 {
//       %sA = shared : tile<3 x [64, 16], f16, swizzle 32>
//       %sB = shared : tile<3 x [16, 16], f16, swizzle 32>
//       %full = mbarriers arrivals 1 : mbarrier<3>
//       barrier
//       %m = block_id 0
//       %n = block_id 1
//       %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//       %0 = index (0)
//       %1 = index (0)
//       if (0 < K) {
//         %k = index (0)
//         %slot = index (0)
//         elect {
//           expect %full[%slot] bytes 2560
//           tma_load %map_A[64*%m, %k] to %sA[%slot] signal %full[%slot]
//           tma_load %map_B[16*%n, %k] to %sB[%slot] signal %full[%slot]
//         }
//       }
//       %2 = done : token<compute>
//       %c:4 = for %k = 0 to K step 16 carry (%acc = %zero, %parity = %0, %stage = %1, %held = %2) : frag<[64, 16], f32, wgmma>, index, index, token<compute> {
//         wait %full[%stage] parity %parity
//         barrier
//         if (%k + 16 < K) {
//           %k_0 = index (%k + 16)
//           %slot = index ((%stage + 1) mod 3)
//           elect {
//             expect %full[%slot] bytes 2560
//             tma_load %map_A[64*%m, %k_0] to %sA[%slot] signal %full[%slot]
//             tma_load %map_B[16*%n, %k_0] to %sB[%slot] signal %full[%slot]
//           }
//         }
//         %d, %t = wgmma %sA[%stage], %sB[%stage] transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
//         await %held
//         %next:2 = advance %stage, %parity over 3
//         yield %d, %next#1, %next, %t
//       }
//       await %c#3
//       store %c to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
//     }
//     return %D
//   }
//   kernel.func @persistent<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0)
//     %D = output : memref<[M, N], f32, row_major, align 16>
//     %map_A = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
//     %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
//     grid (2) threads 128 {
//       %sA = shared : tile<3 x [64, 16], f16, swizzle 32>
//       %sB = shared : tile<3 x [16, 16], f16, swizzle 32>
//       %full = mbarriers arrivals 1 : mbarrier<3>
//       barrier
//       %b = block_id 0
//       %0 = index (0)
//       %1 = index (0)
//       %2:2 = for %t = %b to (M ceildiv 64)*(N ceildiv 16) step 2 carry (%parity = %0, %stage = %1) : index, index {
//         %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 16) rows
//         %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//         if (0 < K) {
//           %k = index (0)
//           %slot = index (%stage mod 3)
//           elect {
//             expect %full[%slot] bytes 2560
//             tma_load %map_A[64*%m, %k] to %sA[%slot] signal %full[%slot]
//             tma_load %map_B[16*%n, %k] to %sB[%slot] signal %full[%slot]
//           }
//         }
//         %3 = done : token<compute>
//         %c:4 = for %k = 0 to K step 16 carry (%acc = %zero, %parity_0 = %parity, %stage_0 = %stage, %held = %3) : frag<[64, 16], f32, wgmma>, index, index, token<compute> {
//           wait %full[%stage_0] parity %parity_0
//           barrier
//           if (%k + 16 < K) {
//             %k_0 = index (%k + 16)
//             %slot = index ((%stage_0 + 1) mod 3)
//             elect {
//               expect %full[%slot] bytes 2560
//               tma_load %map_A[64*%m, %k_0] to %sA[%slot] signal %full[%slot]
//               tma_load %map_B[16*%n, %k_0] to %sB[%slot] signal %full[%slot]
//             }
//           }
//           %d, %w = wgmma %sA[%stage_0], %sB[%stage_0] transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
//           await %held
//           %next:2 = advance %stage_0, %parity_0 over 3
//           yield %d, %next#1, %next, %w
//         }
//         await %c#3
//         store %c to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
//         yield %c#1, %c#2
//       }
//     }
//     return %D
//   }
//   kernel.func @rows<M, N>(%X: memref<[M, 64, N], f16, row_major, align 16>, %S: memref<[M, N], f16, row_major, align 2>) -> memref<[M, 64], f32, row_major, align 4> {
//     require (N mod 8 == 0)
//     %Y = output : memref<[M, 64], f32, row_major, align 4>
//     grid (M) threads 128 {
//       %tile = shared : tile<3 x [32, 32], f16, swizzle 64>
//       %scale = shared : tile<[32], f16, row_major>
//       %b = block_id 0
//       %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//       for %r = 0 to 64 step 32 {
//         %0 = index (0)
//         %1 = if (0 < N ceildiv 32) : token<load> {
//           %k = index (0)
//           %slot = index (0)
//           %n = index (32*%k)
//           %t = copy_async %X[%b, %r + i0, %n + i1] where (%n + i1 < N) to %tile[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//           yield %t
//         } else {
//           %2 = done : token<load>
//           yield %2
//         }
//         %3 = if (1 < N ceildiv 32) : token<load> {
//           %k = index (1)
//           %slot = index (1)
//           %n = index (32*%k)
//           %t = copy_async %X[%b, %r + i0, %n + i1] where (%n + i1 < N) to %tile[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//           yield %t
//         } else {
//           %4 = done : token<load>
//           yield %4
//         }
//         %sum:4 = for %k = 0 to N ceildiv 32 carry (%acc = %zero, %stage = %0, %loaded = %1, %loaded_0 = %3) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>, index, token<load>, token<load> {
//           %n = index (32*%k)
//           copy %S[%b, %n + i0] where (%n + i0 < N) to %scale by blocked [1] lanes [32] warps [4]
//           await %loaded
//           barrier
//           %5 = if (%k + 2 < N ceildiv 32) : token<load> {
//             %k_0 = index (%k + 2)
//             %slot = index ((%stage + 2) mod 3)
//             %n_0 = index (32*%k_0)
//             %t = copy_async %X[%b, %r + i0, %n_0 + i1] where (%n_0 + i1 < N) to %tile[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//             yield %t
//           } else {
//             %6 = done : token<load>
//             yield %6
//           }
//           %x = load_shared %tile[%stage] : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//           %s = load_shared %scale : frag<[32], f16, slice 0 of (blocked [1, 8] lanes [8, 4] warps [4, 1])>
//           %w = broadcast %s along 0 : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//           %p = binary mul %x, %w : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//           %f = cast %p : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//           %d = binary add %acc, %f : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//           barrier
//           %next = index ((%stage + 1) mod 3)
//           yield %d, %next, %loaded_0, %5
//         }
//         %row = reduce sum %sum along 1 : frag<[32], f32, slice 1 of (blocked [1, 8] lanes [8, 4] warps [4, 1])>
//         store %row to %Y[%b, %r + i0]
//       }
//     }
//     return %Y
//   }
//   kernel.func @columns<M, N>(%X: memref<[M, N], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 4> {
//     require (N mod 8 == 0)
//     %Y = output : memref<[M, N], f32, row_major, align 4>
//     grid (N ceildiv 32) threads 128 {
//       %tile = shared : tile<3 x [32, 32], f16, swizzle 64>
//       %b = block_id 0
//       %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//       for %again = 0 to 2 {
//         %0 = index (0)
//         %1 = if (0 < M) : token<load> {
//           %m = index (0)
//           %slot = index (0)
//           %t = copy_async %X[%m + i0, 32*%b + i1] where (%m + i0 < M, 32*%b + i1 < N) to %tile[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//           yield %t
//         } else {
//           %2 = done : token<load>
//           yield %2
//         }
//         %3 = if (32 < M) : token<load> {
//           %m = index (32)
//           %slot = index (1)
//           %t = copy_async %X[%m + i0, 32*%b + i1] where (%m + i0 < M, 32*%b + i1 < N) to %tile[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//           yield %t
//         } else {
//           %4 = done : token<load>
//           yield %4
//         }
//         %sum:4 = for %m = 0 to M step 32 carry (%acc = %zero, %stage = %0, %loaded = %1, %loaded_0 = %3) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>, index, token<load>, token<load> {
//           await %loaded
//           barrier
//           %5 = if (%m + 64 < M) : token<load> {
//             %m_0 = index (%m + 64)
//             %slot = index ((%stage + 2) mod 3)
//             %t = copy_async %X[%m_0 + i0, 32*%b + i1] where (%m_0 + i0 < M, 32*%b + i1 < N) to %tile[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//             yield %t
//           } else {
//             %6 = done : token<load>
//             yield %6
//           }
//           %x = load_shared %tile[%stage] : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//           %f = cast %x : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//           %d = binary add %acc, %f : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//           store %d to %Y[%m + i0, 32*%b + i1] where (%m + i0 < M, 32*%b + i1 < N)
//           %next = index ((%stage + 1) mod 3)
//           yield %d, %next, %loaded_0, %5
//         }
//         barrier
//       }
//     }
//     return %Y
//   }
// }

// EXPECT two:
// module {
//   kernel.func @copies<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm80"} {
//     require (K mod 2 == 0, N mod 8 == 0)
//     %D = output : memref<[M, N], f32, row_major, align 16>
//     grid (M ceildiv 32, N ceildiv 32) threads 128 {
//       %sA = shared : tile<2 x [32, 16], f16, swizzle 32>
//       %sB = shared : tile<2 x [16, 32], f16, swizzle 64>
//       %m = block_id 0
//       %n = block_id 1
//       %zero = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
//       %0 = index (0)
//       %1 = if (0 < K) : token<load> {
//         %k = index (0)
//         %slot = index (0)
//         %2 = copy_async %A[32*%m + i0, %k + i1] where (32*%m + i0 < M, %k + i1 < K) to %sA[%slot] by blocked [1, 2] lanes [4, 8] warps [4, 1] : token<load>
//         %3 = copy_async %B[%k + i0, 32*%n + i1] where (%k + i0 < K, 32*%n + i1 < N) to %sB[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//         yield %3
//       } else {
//         %4 = done : token<load>
//         yield %4
//       }
//       %c:3 = for %k = 0 to K step 16 carry (%acc = %zero, %stage = %0, %loaded = %1) : frag<[32, 32], f32, mma [2, 2]>, index, token<load> {
//         await %loaded
//         barrier
//         %5 = if (%k + 16 < K) : token<load> {
//           %k_0 = index (%k + 16)
//           %slot = index ((%stage + 1) mod 2)
//           %6 = copy_async %A[32*%m + i0, %k_0 + i1] where (32*%m + i0 < M, %k_0 + i1 < K) to %sA[%slot] by blocked [1, 2] lanes [4, 8] warps [4, 1] : token<load>
//           %7 = copy_async %B[%k_0 + i0, 32*%n + i1] where (%k_0 + i0 < K, 32*%n + i1 < N) to %sB[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//           yield %7
//         } else {
//           %8 = done : token<load>
//           yield %8
//         }
//         %a = load_shared %sA[%stage] : frag<[32, 16], f16, mma_a [2, 2]>
//         %b = load_shared %sB[%stage] : frag<[16, 32], f16, mma_b [2, 2]>
//         %d = mma %a, %b, %acc : frag<[32, 32], f32, mma [2, 2]>
//         %next = index ((%stage + 1) mod 2)
//         yield %d, %next, %5
//       }
//       store %c to %D[32*%m + i0, 32*%n + i1] where (32*%m + i0 < M, 32*%n + i1 < N)
//     }
//     return %D
//   }
//   kernel.func @boxes<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0)
//     %D = output : memref<[M, N], f32, row_major, align 16>
//     %map_A = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
//     %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
//     grid (M ceildiv 64, N ceildiv 16) threads 128 {
//       %sA = shared : tile<2 x [64, 16], f16, swizzle 32>
//       %sB = shared : tile<2 x [16, 16], f16, swizzle 32>
//       %full = mbarriers arrivals 1 : mbarrier<2>
//       barrier
//       %m = block_id 0
//       %n = block_id 1
//       %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//       %0 = index (0)
//       %1 = index (0)
//       if (0 < K) {
//         %k = index (0)
//         %slot = index (0)
//         elect {
//           expect %full[%slot] bytes 2560
//           tma_load %map_A[64*%m, %k] to %sA[%slot] signal %full[%slot]
//           tma_load %map_B[16*%n, %k] to %sB[%slot] signal %full[%slot]
//         }
//       }
//       %c:3 = for %k = 0 to K step 16 carry (%acc = %zero, %parity = %0, %stage = %1) : frag<[64, 16], f32, wgmma>, index, index {
//         wait %full[%stage] parity %parity
//         barrier
//         if (%k + 16 < K) {
//           %k_0 = index (%k + 16)
//           %slot = index ((%stage + 1) mod 2)
//           elect {
//             expect %full[%slot] bytes 2560
//             tma_load %map_A[64*%m, %k_0] to %sA[%slot] signal %full[%slot]
//             tma_load %map_B[16*%n, %k_0] to %sB[%slot] signal %full[%slot]
//           }
//         }
//         %d, %t = wgmma %sA[%stage], %sB[%stage] transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
//         await %t
//         %next:2 = advance %stage, %parity over 2
//         yield %d, %next#1, %next
//       }
//       store %c to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
//     }
//     return %D
//   }
//   kernel.func @persistent<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0)
//     %D = output : memref<[M, N], f32, row_major, align 16>
//     %map_A = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
//     %map_B = tensor_map %B : tensormap<[16, 16], f16, swizzle 32>
//     grid (2) threads 128 {
//       %sA = shared : tile<2 x [64, 16], f16, swizzle 32>
//       %sB = shared : tile<2 x [16, 16], f16, swizzle 32>
//       %full = mbarriers arrivals 1 : mbarrier<2>
//       barrier
//       %b = block_id 0
//       %0 = index (0)
//       %1 = index (0)
//       %2:2 = for %t = %b to (M ceildiv 64)*(N ceildiv 16) step 2 carry (%parity = %0, %stage = %1) : index, index {
//         %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 16) rows
//         %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//         if (0 < K) {
//           %k = index (0)
//           %slot = index (%stage mod 2)
//           elect {
//             expect %full[%slot] bytes 2560
//             tma_load %map_A[64*%m, %k] to %sA[%slot] signal %full[%slot]
//             tma_load %map_B[16*%n, %k] to %sB[%slot] signal %full[%slot]
//           }
//         }
//         %c:3 = for %k = 0 to K step 16 carry (%acc = %zero, %parity_0 = %parity, %stage_0 = %stage) : frag<[64, 16], f32, wgmma>, index, index {
//           wait %full[%stage_0] parity %parity_0
//           barrier
//           if (%k + 16 < K) {
//             %k_0 = index (%k + 16)
//             %slot = index ((%stage_0 + 1) mod 2)
//             elect {
//               expect %full[%slot] bytes 2560
//               tma_load %map_A[64*%m, %k_0] to %sA[%slot] signal %full[%slot]
//               tma_load %map_B[16*%n, %k_0] to %sB[%slot] signal %full[%slot]
//             }
//           }
//           %d, %w = wgmma %sA[%stage_0], %sB[%stage_0] transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
//           await %w
//           %next:2 = advance %stage_0, %parity_0 over 2
//           yield %d, %next#1, %next
//         }
//         store %c to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
//         yield %c#1, %c#2
//       }
//     }
//     return %D
//   }
//   kernel.func @rows<M, N>(%X: memref<[M, 64, N], f16, row_major, align 16>, %S: memref<[M, N], f16, row_major, align 2>) -> memref<[M, 64], f32, row_major, align 4> {
//     require (N mod 8 == 0)
//     %Y = output : memref<[M, 64], f32, row_major, align 4>
//     grid (M) threads 128 {
//       %tile = shared : tile<2 x [32, 32], f16, swizzle 64>
//       %scale = shared : tile<[32], f16, row_major>
//       %b = block_id 0
//       %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//       for %r = 0 to 64 step 32 {
//         %0 = index (0)
//         %1 = if (0 < N ceildiv 32) : token<load> {
//           %k = index (0)
//           %slot = index (0)
//           %n = index (32*%k)
//           %t = copy_async %X[%b, %r + i0, %n + i1] where (%n + i1 < N) to %tile[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//           yield %t
//         } else {
//           %2 = done : token<load>
//           yield %2
//         }
//         %sum:3 = for %k = 0 to N ceildiv 32 carry (%acc = %zero, %stage = %0, %loaded = %1) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>, index, token<load> {
//           %n = index (32*%k)
//           copy %S[%b, %n + i0] where (%n + i0 < N) to %scale by blocked [1] lanes [32] warps [4]
//           await %loaded
//           barrier
//           %3 = if (%k + 1 < N ceildiv 32) : token<load> {
//             %k_0 = index (%k + 1)
//             %slot = index ((%stage + 1) mod 2)
//             %n_0 = index (32*%k_0)
//             %t = copy_async %X[%b, %r + i0, %n_0 + i1] where (%n_0 + i1 < N) to %tile[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//             yield %t
//           } else {
//             %4 = done : token<load>
//             yield %4
//           }
//           %x = load_shared %tile[%stage] : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//           %s = load_shared %scale : frag<[32], f16, slice 0 of (blocked [1, 8] lanes [8, 4] warps [4, 1])>
//           %w = broadcast %s along 0 : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//           %p = binary mul %x, %w : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//           %f = cast %p : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//           %d = binary add %acc, %f : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//           barrier
//           %next = index ((%stage + 1) mod 2)
//           yield %d, %next, %3
//         }
//         %row = reduce sum %sum along 1 : frag<[32], f32, slice 1 of (blocked [1, 8] lanes [8, 4] warps [4, 1])>
//         store %row to %Y[%b, %r + i0]
//       }
//     }
//     return %Y
//   }
//   kernel.func @columns<M, N>(%X: memref<[M, N], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 4> {
//     require (N mod 8 == 0)
//     %Y = output : memref<[M, N], f32, row_major, align 4>
//     grid (N ceildiv 32) threads 128 {
//       %tile = shared : tile<2 x [32, 32], f16, swizzle 64>
//       %b = block_id 0
//       %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//       for %again = 0 to 2 {
//         %0 = index (0)
//         %1 = if (0 < M) : token<load> {
//           %m = index (0)
//           %slot = index (0)
//           %t = copy_async %X[%m + i0, 32*%b + i1] where (%m + i0 < M, 32*%b + i1 < N) to %tile[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//           yield %t
//         } else {
//           %2 = done : token<load>
//           yield %2
//         }
//         %sum:3 = for %m = 0 to M step 32 carry (%acc = %zero, %stage = %0, %loaded = %1) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>, index, token<load> {
//           await %loaded
//           barrier
//           %3 = if (%m + 32 < M) : token<load> {
//             %m_0 = index (%m + 32)
//             %slot = index ((%stage + 1) mod 2)
//             %t = copy_async %X[%m_0 + i0, 32*%b + i1] where (%m_0 + i0 < M, 32*%b + i1 < N) to %tile[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//             yield %t
//           } else {
//             %4 = done : token<load>
//             yield %4
//           }
//           %x = load_shared %tile[%stage] : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//           %f = cast %x : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//           %d = binary add %acc, %f : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
//           store %d to %Y[%m + i0, 32*%b + i1] where (%m + i0 < M, 32*%b + i1 < N)
//           %next = index ((%stage + 1) mod 2)
//           yield %d, %next, %3
//         }
//         barrier
//       }
//     }
//     return %Y
//   }
// }
