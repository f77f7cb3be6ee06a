// RUN: dlc-opt %s --stage-stores --evaluate-each --check-async | snapshot %s
// RUN: dlc-opt %s --stage-stores=panels=1 --evaluate-each --check-async | FileCheck %s --check-prefix=ONE
// RUN: dlc-opt %s --stage-stores=panels=3 --evaluate-each --check-async -o /dev/null
// RUN: dlc-opt %s --stage-stores --dce -o %t.once
// RUN: dlc-opt %t.once --stage-stores | diff %t.once -

// One tile for each block: nothing is carried. Two panels, of 64 columns, from two buffers.
// ONE-LABEL: kernel.func @tile
// ONE: %panels = shared : tile<[64, 64], f16, swizzle 128>
kernel.func @tile<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f16, row_major, align 16>
  grid (M ceildiv 64, N ceildiv 128) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[128, 16], f16, swizzle 32>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[64, 128], f32, wgmma>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 128], f32, wgmma> {
      copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
      copy %B[128*%n + i0, %k + i1] where (128*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[64, 128], f32, wgmma>, token<compute>
      await %t
      barrier
      yield %d
    }
    %h = cast %c : frag<[64, 128], f16, wgmma>
    store %h to %D[64*%m + i0, 128*%n + i1] where (64*%m + i0 < M, 128*%n + i1 < N)
  }
  return %D
}

// From tile to tile: a buffer is free when the store before the last has read it. Sums of 32 bits have panels of 32 columns.
// ONE-LABEL: kernel.func @tiles
// ONE: for %t = {{.*}} carry (%stored = {{%[0-9]+}}) : token<epilogue> {
kernel.func @tiles<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
  require (K mod 8 == 0, N mod 8 == 0)
  %D = output : memref<[M, N], f32, row_major, align 16>
  grid (2) threads 128 {
    %sA = shared : tile<[128, 16], f16, swizzle 32>
    %sB = shared : tile<[32, 16], f16, swizzle 32>
    %b = block_id 0
    %bs = grid_size 0
    for %t = %b to (M ceildiv 128) * (N ceildiv 32) step %bs {
      %m, %n = tile_order %t of (M ceildiv 128, N ceildiv 32) rows
      %zero = const 0.0 : frag<[128, 32], f32, wgmma>
      %c = for %k = 0 to K step 16 carry (%acc = %zero) {
        copy %A[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
        copy %B[32*%n + i0, %k + i1] where (32*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
        fence_async
        barrier
        %d, %w = wgmma %sA, %sB transposed, %acc : frag<[128, 32], f32, wgmma>, token<compute>
        await %w
        barrier
        yield %d
      }
      store %c to %D[128*%m + i0, 32*%n + i1] where (128*%m + i0 < M, 32*%n + i1 < N)
      barrier
    }
  }
  return %D
}

// A matrix of a stack, with columns before it: a box has one row of what is not in the tile.
kernel.func @stack<B, N>(%x: memref<[N], f32>) -> memref<[B, 64, N], bf16, row_major, align 16> attributes {target = "sm90"} {
  require (N mod 8 == 0)
  %D = output : memref<[B, 64, N], bf16, row_major, align 16>
  grid (B, N ceildiv 16) threads 128 {
    %b = block_id 0
    %n = block_id 1
    %v = load %x[16*%n + i0] where (16*%n + i0 < N) : frag<[16], f32, slice 0 of (wgmma)>
    %w = broadcast %v along 0 : frag<[64, 16], f32, wgmma>
    %h = cast %w : frag<[64, 16], bf16, wgmma>
    store %h to %D[%b, i0, 16*%n + i1] where (16*%n + i1 < N)
  }
  return %D
}

// EXPECT:
// module {
//   kernel.func @tile<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0, N mod 8 == 0)
//     %D = output : memref<[M, N], f16, row_major, align 16>
//     %map_D = tensor_map %D : tensormap<[64, 64], f16, swizzle 128>
//     grid (M ceildiv 64, N ceildiv 128) threads 128 {
//       %panels = shared : tile<2 x [64, 64], f16, swizzle 128>
//       %sA = shared : tile<[64, 16], f16, swizzle 32>
//       %sB = shared : tile<[128, 16], f16, swizzle 32>
//       %m = block_id 0
//       %n = block_id 1
//       %zero = const 0.0 : frag<[64, 128], f32, wgmma>
//       %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 128], f32, wgmma> {
//         copy %A[64*%m + i0, %k + i1] where (64*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
//         copy %B[128*%n + i0, %k + i1] where (128*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
//         fence_async
//         barrier
//         %d, %t = wgmma %sA, %sB transposed, %acc : frag<[64, 128], f32, wgmma>, token<compute>
//         await %t
//         barrier
//         yield %d
//       }
//       %0 = index (0)
//       %1 = extract %c at [0, 0] : frag<[64, 64], f32, wgmma>
//       %h = cast %1 : frag<[64, 64], f16, wgmma>
//       store_shared %h to %panels[%0]
//       fence_async
//       barrier
//       %2 = elect : token<epilogue> {
//         %3 = tma_store %panels[%0] to %map_D[64*%m, 128*%n] : token<epilogue>
//         yield %3
//       }
//       %4 = index (1)
//       %5 = extract %c at [0, 64] : frag<[64, 64], f32, wgmma>
//       %h_0 = cast %5 : frag<[64, 64], f16, wgmma>
//       store_shared %h_0 to %panels[%4]
//       fence_async
//       barrier
//       %6 = elect : token<epilogue> {
//         %7 = tma_store %panels[%4] to %map_D[64*%m, 128*%n + 64] : token<epilogue>
//         yield %7
//       }
//       elect {
//         await_read %2, %6
//       }
//     }
//     return %D
//   }
//   kernel.func @tiles<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>) -> memref<[M, N], f32, row_major, align 16> attributes {target = "sm90"} {
//     require (K mod 8 == 0, N mod 8 == 0)
//     %D = output : memref<[M, N], f32, row_major, align 16>
//     %map_D = tensor_map %D : tensormap<[64, 32], f32, swizzle 128>
//     grid (2) threads 128 {
//       %panels = shared : tile<2 x [64, 32], f32, swizzle 128>
//       %sA = shared : tile<[128, 16], f16, swizzle 32>
//       %sB = shared : tile<[32, 16], f16, swizzle 32>
//       %b = block_id 0
//       %bs = grid_size 0
//       %0 = done : token<epilogue>
//       %1 = done : token<epilogue>
//       %2:2 = for %t = %b to (M ceildiv 128)*(N ceildiv 32) step %bs carry (%stored = %0, %stored_0 = %1) : token<epilogue>, token<epilogue> {
//         %m, %n = tile_order %t of (M ceildiv 128, N ceildiv 32) rows
//         %zero = const 0.0 : frag<[128, 32], f32, wgmma>
//         %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[128, 32], f32, wgmma> {
//           copy %A[128*%m + i0, %k + i1] where (128*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 8] lanes [16, 2] warps [4, 1]
//           copy %B[32*%n + i0, %k + i1] where (32*%n + i0 < N, %k + i1 < K) to %sB by blocked [1, 8] lanes [16, 2] warps [4, 1]
//           fence_async
//           barrier
//           %d, %w = wgmma %sA, %sB transposed, %acc : frag<[128, 32], f32, wgmma>, token<compute>
//           await %w
//           barrier
//           yield %d
//         }
//         elect {
//           await_read %stored
//         }
//         barrier
//         %3 = index (0)
//         %4 = extract %c at [0, 0] : frag<[64, 32], f32, wgmma>
//         store_shared %4 to %panels[%3]
//         fence_async
//         barrier
//         %5 = elect : token<epilogue> {
//           %6 = tma_store %panels[%3] to %map_D[128*%m, 32*%n] : token<epilogue>
//           yield %6
//         }
//         elect {
//           await_read %stored_0
//         }
//         barrier
//         %7 = index (1)
//         %8 = extract %c at [64, 0] : frag<[64, 32], f32, wgmma>
//         store_shared %8 to %panels[%7]
//         fence_async
//         barrier
//         %9 = elect : token<epilogue> {
//           %10 = tma_store %panels[%7] to %map_D[128*%m + 64, 32*%n] : token<epilogue>
//           yield %10
//         }
//         barrier
//         yield %5, %9
//       }
//       elect {
//         await_read %2, %2#1
//       }
//     }
//     return %D
//   }
//   kernel.func @stack<B, N>(%x: memref<[N], f32, row_major, align 4>) -> memref<[B, 64, N], bf16, row_major, align 16> attributes {target = "sm90"} {
//     require (N mod 8 == 0)
//     %D = output : memref<[B, 64, N], bf16, row_major, align 16>
//     %map_D = tensor_map %D : tensormap<[1, 64, 16], bf16, swizzle 32>
//     grid (B, N ceildiv 16) threads 128 {
//       %panels = shared : tile<[64, 16], bf16, swizzle 32>
//       %b = block_id 0
//       %n = block_id 1
//       %v = load %x[16*%n + i0] where (16*%n + i0 < N) : frag<[16], f32, slice 0 of (wgmma)>
//       %w = broadcast %v along 0 : frag<[64, 16], f32, wgmma>
//       %h = cast %w : frag<[64, 16], bf16, wgmma>
//       store_shared %h to %panels
//       fence_async
//       barrier
//       %0 = elect : token<epilogue> {
//         %1 = tma_store %panels to %map_D[%b, 0, 16*%n] : token<epilogue>
//         yield %1
//       }
//       elect {
//         await_read %0
//       }
//     }
//     return %D
//   }
// }
