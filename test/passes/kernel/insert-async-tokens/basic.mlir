// RUN: dlc-opt %s --insert-async-tokens --evaluate-each | snapshot %s
// RUN: dlc-opt %s --insert-async-tokens=target=sm80 --evaluate-each | snapshot %s --name=sm80
// RUN: dlc-opt %s --insert-async-tokens -o %t.once
// RUN: dlc-opt %t.once --insert-async-tokens | diff %t.once -
// RUN: dlc-opt %s --insert-async-tokens --check-async -o /dev/null

// Threads copy runs of 4 and of 16 bytes: the signature and what the kernel requires say that they are aligned.
kernel.func @runs<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm80"} {
  require (K mod 2 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (M ceildiv 32, N ceildiv 32) threads 128 {
    %sA = shared : tile<[32, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 32], f16, swizzle 64>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) {
      copy %A[32 * %m + i0, %k + i1] where (32 * %m + i0 < M, %k + i1 < K) to %sA by blocked [1, 2] lanes [4, 8] warps [4, 1]
      copy %B[%k + i0, 32 * %n + i1] where (%k + i0 < K, 32 * %n + i1 < N) to %sB by blocked [1, 8] lanes [8, 4] warps [4, 1]
      barrier
      %a = load_shared %sA : frag<[32, 16], f16, mma_a [2, 2]>
      %b = load_shared %sB : frag<[16, 32], f16, mma_b [2, 2]>
      %d = mma %a, %b, %acc : frag<[32, 32], f32, mma [2, 2]>
      barrier
      yield %d
    }
    store %c to %D[32 * %m + i0, 32 * %n + i1] where (32 * %m + i0 < M, 32 * %n + i1 < N)
  }
  return %D
}

// Boxes: one thread asks for both, and all wait with a parity that the loop carries. The fence is not needed any more.
kernel.func @boxes<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (M ceildiv 64, N ceildiv 16) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[64, 16], f32, wgmma>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) {
      copy %A[64 * %m + i0, %k + i1] where (64 * %m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
      copy %B[16 * %n + i0, %k + i1] where (16 * %n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      yield %d
    }
    store %c to %D[64 * %m + i0, 16 * %n + i1] where (64 * %m + i0 < M, 16 * %n + i1 < N)
  }
  return %D
}

// The parity goes on from tile to tile.
kernel.func @persistent<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (2) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %b = block_id 0
    for %t = %b to (M ceildiv 64) * (N ceildiv 16) step 2 {
      %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 16) rows
      %zero = const 0.0 : frag<[64, 16], f32, wgmma>
      %c = for %k = 0 to K step 16 carry (%acc = %zero) {
        copy %A[64 * %m + i0, %k + i1] where (64 * %m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
        copy %B[16 * %n + i0, %k + i1] where (16 * %n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
        fence_async
        barrier
        %d, %w = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
        await %w
        barrier
        yield %d
      }
      store %c to %D[64 * %m + i0, 16 * %n + i1] where (64 * %m + i0 < M, 16 * %n + i1 < N)
    }
  }
  return %D
}

// A row of the right tile is two panels of the swizzle: two boxes. The left one is not aligned for TMA, and
// is copied by the threads; the fence stays, as products read what they write.
kernel.func @panels<M, K>(%A: memref<[M, K], f16, row_major, align 4>, %B: memref<[K, 128], f16, row_major, align 16>)
    -> memref<[M, 128], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 2 == 0)
  %D = output : memref<[M, 128], f32, row_major, align 16>
  grid (M ceildiv 64) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 128], f16, swizzle 128>
    %m = block_id 0
    %zero = const 0.0 : frag<[64, 128], f32, wgmma>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 128], f32, wgmma> {
      copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 2] lanes [4, 8] warps [4, 1]
      copy %B[%k + i0, i1] where (0 <= %k + i0 < K) to %sB by blocked [1, 8] lanes [2, 16] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB, %acc : frag<[64, 128], f32, wgmma>, token<compute>
      await %t
      barrier
      yield %d
    }
    store %c to %D[64*%m + i0, i1] where (64*%m + i0 < M)
  }
  return %D
}

// Outside of loops, too; one axis, elements of 4 bytes, which need no neighbours.
kernel.func @once<N>(%X: memref<[N], f32>) -> memref<[N], f32> {
  %Y = output : memref<[N], f32>
  grid (N ceildiv 128) threads 128 {
    %s = shared : tile<[128], f32, row_major>
    %b = block_id 0
    copy %X[128*%b + i0 - 1] where (0 <= 128*%b + i0 - 1 < N) to %s by blocked [1] lanes [32] warps [4]
    barrier
    %x = load_shared %s : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    store %x to %Y[128*%b + i0] where (128*%b + i0 < N)
  }
  return %Y
}

// EXPECT:
// module {
//   kernel.func @runs<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm80"} {
//     require (K mod 2 == 0, N mod 8 == 0)
//     %D = output : memref<[M, N], f32, row_major, align 16>
//     grid (M ceildiv 32, N ceildiv 32) threads 128 {
//       %sA = shared : tile<[32, 16], f16, swizzle 32>
//       %sB = shared : tile<[16, 32], f16, swizzle 64>
//       %m = block_id 0
//       %n = block_id 1
//       %zero = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
//       %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[32, 32], f32, mma [2, 2]> {
//         %0 = copy_async %A[32*%m + i0, %k + i1] where (32*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 2] lanes [4, 8] warps [4, 1] : token<load>
//         %1 = copy_async %B[%k + i0, 32*%n + i1] where (%k + i0 < K, 32*%n + i1 < N) to %sB by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//         await %0, %1
//         barrier
//         %a = load_shared %sA : frag<[32, 16], f16, mma_a [2, 2]>
//         %b = load_shared %sB : frag<[16, 32], f16, mma_b [2, 2]>
//         %d = mma %a, %b, %acc : frag<[32, 32], f32, mma [2, 2]>
//         barrier
//         yield %d
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
//       %sA = shared : tile<[64, 16], f16, swizzle 32>
//       %sB = shared : tile<[16, 16], f16, swizzle 32>
//       %full = mbarriers arrivals 1 : mbarrier<1>
//       barrier
//       %m = block_id 0
//       %n = block_id 1
//       %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//       %0 = index (0)
//       %c:2 = for %k = 0 to K step 16 carry (%acc = %zero, %parity = %0) : frag<[64, 16], f32, wgmma>, index {
//         elect {
//           expect %full bytes 2560
//           tma_load %map_A[64*%m, %k] to %sA signal %full
//           tma_load %map_B[16*%n, %k] to %sB signal %full
//         }
//         wait %full parity %parity
//         barrier
//         %d, %t = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
//         await %t
//         barrier
//         %1 = index (-%parity + 1)
//         yield %d, %1
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
//       %sA = shared : tile<[64, 16], f16, swizzle 32>
//       %sB = shared : tile<[16, 16], f16, swizzle 32>
//       %full = mbarriers arrivals 1 : mbarrier<1>
//       barrier
//       %b = block_id 0
//       %0 = index (0)
//       %1 = for %t = %b to (M ceildiv 64)*(N ceildiv 16) step 2 carry (%parity = %0) : index {
//         %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 16) rows
//         %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//         %c:2 = for %k = 0 to K step 16 carry (%acc = %zero, %parity_0 = %parity) : frag<[64, 16], f32, wgmma>, index {
//           elect {
//             expect %full bytes 2560
//             tma_load %map_A[64*%m, %k] to %sA signal %full
//             tma_load %map_B[16*%n, %k] to %sB signal %full
//           }
//           wait %full parity %parity_0
//           barrier
//           %d, %w = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
//           await %w
//           barrier
//           %2 = index (-%parity_0 + 1)
//           yield %d, %2
//         }
//         store %c to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
//         yield %c#1
//       }
//     }
//     return %D
//   }
//   kernel.func @panels<M, K>(%A: memref<[M, K], f16, row_major, align 4>, %B: memref<[K, 128], f16, row_major, align 16>) -> memref<[M, 128], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 2 == 0)
//     %D = output : memref<[M, 128], f32, row_major, align 16>
//     %map_B = tensor_map %B : tensormap<[16, 64], f16, swizzle 128>
//     grid (M ceildiv 64) threads 128 {
//       %sA = shared : tile<[64, 16], f16, swizzle 32>
//       %sB = shared : tile<[16, 128], f16, swizzle 128>
//       %full = mbarriers arrivals 1 : mbarrier<1>
//       barrier
//       %m = block_id 0
//       %zero = const 0.0 : frag<[64, 128], f32, wgmma>
//       %0 = index (0)
//       %c:2 = for %k = 0 to K step 16 carry (%acc = %zero, %parity = %0) : frag<[64, 128], f32, wgmma>, index {
//         %1 = copy_async %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 2] lanes [4, 8] warps [4, 1] : token<load>
//         elect {
//           expect %full bytes 4096
//           %2 = slice %sB at (0, 0) : tile<[16, 64], f16, swizzle 128>
//           tma_load %map_B[%k, 0] to %2 signal %full
//           %3 = slice %sB at (0, 64) : tile<[16, 64], f16, swizzle 128>
//           tma_load %map_B[%k, 64] to %3 signal %full
//         }
//         wait %full parity %parity
//         await %1
//         fence_async
//         barrier
//         %d, %t = wgmma %sA, %sB, %acc : frag<[64, 128], f32, wgmma>, token<compute>
//         await %t
//         barrier
//         %4 = index (-%parity + 1)
//         yield %d, %4
//       }
//       store %c to %D[64*%m + i0, i1] where (64*%m + i0 < M)
//     }
//     return %D
//   }
//   kernel.func @once<N>(%X: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> {
//     %Y = output : memref<[N], f32, row_major, align 4>
//     grid (N ceildiv 128) threads 128 {
//       %s = shared : tile<[128], f32, row_major>
//       %b = block_id 0
//       %0 = copy_async %X[128*%b + i0 - 1] where (0 <= 128*%b + i0 - 1 < N) to %s by blocked [1] lanes [32] warps [4] : token<load>
//       await %0
//       barrier
//       %x = load_shared %s : frag<[128], f32, blocked [1] lanes [32] warps [4]>
//       store %x to %Y[128*%b + i0] where (128*%b + i0 < N)
//     }
//     return %Y
//   }
// }

// EXPECT sm80:
// module {
//   kernel.func @runs<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm80"} {
//     require (K mod 2 == 0, N mod 8 == 0)
//     %D = output : memref<[M, N], f32, row_major, align 16>
//     grid (M ceildiv 32, N ceildiv 32) threads 128 {
//       %sA = shared : tile<[32, 16], f16, swizzle 32>
//       %sB = shared : tile<[16, 32], f16, swizzle 64>
//       %m = block_id 0
//       %n = block_id 1
//       %zero = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
//       %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[32, 32], f32, mma [2, 2]> {
//         %0 = copy_async %A[32*%m + i0, %k + i1] where (32*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 2] lanes [4, 8] warps [4, 1] : token<load>
//         %1 = copy_async %B[%k + i0, 32*%n + i1] where (%k + i0 < K, 32*%n + i1 < N) to %sB by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
//         await %0, %1
//         barrier
//         %a = load_shared %sA : frag<[32, 16], f16, mma_a [2, 2]>
//         %b = load_shared %sB : frag<[16, 32], f16, mma_b [2, 2]>
//         %d = mma %a, %b, %acc : frag<[32, 32], f32, mma [2, 2]>
//         barrier
//         yield %d
//       }
//       store %c to %D[32*%m + i0, 32*%n + i1] where (32*%m + i0 < M, 32*%n + i1 < N)
//     }
//     return %D
//   }
//   kernel.func @boxes<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0)
//     %D = output : memref<[M, N], f32, row_major, align 16>
//     grid (M ceildiv 64, N ceildiv 16) threads 128 {
//       %sA = shared : tile<[64, 16], f16, swizzle 32>
//       %sB = shared : tile<[16, 16], f16, swizzle 32>
//       %m = block_id 0
//       %n = block_id 1
//       %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//       %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 16], f32, wgmma> {
//         %0 = copy_async %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1] : token<load>
//         %1 = copy_async %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1] : token<load>
//         await %0, %1
//         fence_async
//         barrier
//         %d, %t = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
//         await %t
//         barrier
//         yield %d
//       }
//       store %c to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
//     }
//     return %D
//   }
//   kernel.func @persistent<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0)
//     %D = output : memref<[M, N], f32, row_major, align 16>
//     grid (2) threads 128 {
//       %sA = shared : tile<[64, 16], f16, swizzle 32>
//       %sB = shared : tile<[16, 16], f16, swizzle 32>
//       %b = block_id 0
//       for %t = %b to (M ceildiv 64)*(N ceildiv 16) step 2 {
//         %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 16) rows
//         %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//         %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 16], f32, wgmma> {
//           %0 = copy_async %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1] : token<load>
//           %1 = copy_async %B[16*%n + i0, %k + i1] where (16*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1] : token<load>
//           await %0, %1
//           fence_async
//           barrier
//           %d, %w = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
//           await %w
//           barrier
//           yield %d
//         }
//         store %c to %D[64*%m + i0, 16*%n + i1] where (64*%m + i0 < M, 16*%n + i1 < N)
//       }
//     }
//     return %D
//   }
//   kernel.func @panels<M, K>(%A: memref<[M, K], f16, row_major, align 4>, %B: memref<[K, 128], f16, row_major, align 16>) -> memref<[M, 128], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 2 == 0)
//     %D = output : memref<[M, 128], f32, row_major, align 16>
//     grid (M ceildiv 64) threads 128 {
//       %sA = shared : tile<[64, 16], f16, swizzle 32>
//       %sB = shared : tile<[16, 128], f16, swizzle 128>
//       %m = block_id 0
//       %zero = const 0.0 : frag<[64, 128], f32, wgmma>
//       %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 128], f32, wgmma> {
//         %0 = copy_async %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 2] lanes [4, 8] warps [4, 1] : token<load>
//         %1 = copy_async %B[%k + i0, i1] where (0 <= %k + i0 < K) to %sB by blocked [1, 8] lanes [2, 16] warps [4, 1] : token<load>
//         await %0, %1
//         fence_async
//         barrier
//         %d, %t = wgmma %sA, %sB, %acc : frag<[64, 128], f32, wgmma>, token<compute>
//         await %t
//         barrier
//         yield %d
//       }
//       store %c to %D[64*%m + i0, i1] where (64*%m + i0 < M)
//     }
//     return %D
//   }
//   kernel.func @once<N>(%X: memref<[N], f32, row_major, align 4>) -> memref<[N], f32, row_major, align 4> {
//     %Y = output : memref<[N], f32, row_major, align 4>
//     grid (N ceildiv 128) threads 128 {
//       %s = shared : tile<[128], f32, row_major>
//       %b = block_id 0
//       %0 = copy_async %X[128*%b + i0 - 1] where (0 <= 128*%b + i0 - 1 < N) to %s by blocked [1] lanes [32] warps [4] : token<load>
//       await %0
//       barrier
//       %x = load_shared %s : frag<[128], f32, blocked [1] lanes [32] warps [4]>
//       store %x to %Y[128*%b + i0] where (128*%b + i0 < N)
//     }
//     return %Y
//   }
// }
