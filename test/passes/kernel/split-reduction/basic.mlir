// RUN: dlc-opt %s --split-reduction=parts=3 --evaluate-each | snapshot %s
// RUN: dlc-opt %s --split-reduction='parts=4 deterministic' --evaluate-each | snapshot %s --name=in_order
// RUN: dlc-opt %s --split-reduction='parts=16 deterministic' --evaluate-each -o /dev/null
// RUN: dlc-opt %s --split-reduction=parts=16 --evaluate-each -o /dev/null
// RUN: dlc-opt %s --split-reduction=parts=3 --check-async -o /dev/null
// RUN: dlc-opt %s --split-reduction='parts=5 deterministic' --check-async -o /dev/null
// RUN: dlc-opt %s --split-reduction=parts=1 -o %t.one
// RUN: dlc-opt %s | diff - %t.one
// RUN: dlc-opt %s --split-reduction=parts=3 --remarks=passed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A product of matrices whose sums are stored as they are: the output adds them, on top of zeros.
// REMARK: the sum has 3 parts, added as they come, in the output
kernel.func @product<M, N, K>(%A: memref<[M, K], f16>, %B: memref<[K, N], f16>) -> memref<[M, N], f32> {
  %D = output : memref<[M, N], f32>
  grid (M ceildiv 32, N ceildiv 32) threads 128 {
    %sA = shared : tile<[32, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 32], f16, swizzle 64>
    %m = block_id 0
    %n = block_id 1
    %zero = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[32, 32], f32, mma [2, 2]> {
      copy %A[32*%m + i0, %k + i1] where (32*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 2] lanes [4, 8] warps [4, 1]
      copy %B[%k + i0, 32*%n + i1] where (%k + i0 < K, 32*%n + i1 < N) to %sB by blocked [1, 8] lanes [8, 4] warps [4, 1]
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

// What is done with the sums is done once they are complete; a column of blocks has no place in memory.
// REMARK: the sum has 3 parts, added as they come, through memory
kernel.func @epilogue<M, K>(%A: memref<[M, K], f16>, %B: memref<[K, 16], f16>, %bias: memref<[16], f32>) -> memref<[M, 16], f16> {
  %D = output : memref<[M, 16], f16>
  grid (M ceildiv 16, 1) threads 32 {
    %m = block_id 0
    %zero = const 0.0 : frag<[16, 16], f32, mma [1, 1]>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[16, 16], f32, mma [1, 1]> {
      %a = load %A[16*%m + i0, %k + i1] where (16*%m + i0 < M, %k + i1 < K) : frag<[16, 16], f16, mma_a [1, 1]>
      %b = load %B[%k + i0, i1] where (%k + i0 < K) : frag<[16, 16], f16, mma_b [1, 1]>
      %d = mma %a, %b, %acc : frag<[16, 16], f32, mma [1, 1]>
      yield %d
    }
    %v = load %bias[i1] : frag<[16, 16], f32, mma [1, 1]>
    %s = binary add %c, %v : frag<[16, 16], f32, mma [1, 1]>
    %r = unary relu %s : frag<[16, 16], f32, mma [1, 1]>
    %h = cast %r : frag<[16, 16], f16, mma [1, 1]>
    store %h to %D[16*%m + i0, i1] where (16*%m + i0 < M)
  }
  return %D
}

// Two sums that are no products, from a place that the launch says, in steps that are loops themselves; the mean and the
// mean square.
// REMARK: the sum has 3 parts, added as they come, through memory
kernel.func @moments<N>(%x: memref<[N + 5], f32>) -> memref<[2], f32> {
  %y = output : memref<[2], f32>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s:2 = for %k = 5 to N + 5 step 64 carry (%a = %zero, %b = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]>, frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %t:2 = for %j = 0 to 64 step 32 carry (%c = %a, %d = %b) : frag<[32], f32, blocked [1] lanes [32] warps [1]>, frag<[32], f32, blocked [1] lanes [32] warps [1]> {
        %v = load %x[%k + %j + i0] where (%k + %j + i0 < N + 5) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
        %e = binary add %v, %c : frag<[32], f32, blocked [1] lanes [32] warps [1]>
        %f = mulacc %v, %v, %d : frag<[32], f32, blocked [1] lanes [32] warps [1]>
        yield %e, %f
      }
      yield %t#0, %t#1
    }
    %n = index (N) : i64
    %count = cast %n : f32
    %first = reduce sum %s#0 along 0 : frag<[], f32, slice 0 of (blocked [1] lanes [32] warps [1])>
    %second = reduce sum %s#1 along 0 : frag<[], f32, slice 0 of (blocked [1] lanes [32] warps [1])>
    store %first to %y[0]
    store %second to %y[1]
  }
  return %y
}

// Halves are not added in memory: parts are combined in order. Of ten steps three parts have four, four and two.
// REMARK: the sum has 3 parts, added in order, through memory
kernel.func @halves(%x: memref<[320], f16>) -> memref<[32], f16> {
  %y = output : memref<[32], f16>
  grid (1) threads 32 {
    %zero = const 0.0 : frag<[32], f16, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to 320 step 32 carry (%acc = %zero) : frag<[32], f16, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] : frag<[32], f16, blocked [1] lanes [32] warps [1]>
      %next = binary sub %acc, %v : frag<[32], f16, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    store %s to %y[i0]
  }
  return %y
}

// What the output adds already, it goes on adding; nothing puts zeros there. Twelve steps are three parts of four.
// REMARK: the sum has 3 parts, added as they come, in the output
kernel.func @added(%x: memref<[384], i32>) -> memref<[32], i32> {
  %y = output : memref<[32], i32>
  grid (1) threads 32 {
    %zero = const 0 : frag<[32], i32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to 384 step 32 carry (%acc = %zero) : frag<[32], i32, blocked [1] lanes [32] warps [1]> {
      %v = load %x[%k + i0] : frag<[32], i32, blocked [1] lanes [32] warps [1]>
      %next = binary add %acc, %v : frag<[32], i32, blocked [1] lanes [32] warps [1]>
      yield %next
    }
    %c = convert %s : frag<[32], i32, blocked [2] lanes [32] warps [1]>
    store combine sum %c to %y[i0]
  }
  return %y
}

// A product of tiles on its way is no other sum; and what goes through shared memory after the loop does so in the
// second grid.
// REMARK: the sum has 3 parts, added as they come, through memory
kernel.func @wgmma<K>(%A: memref<[64, K], f16>, %B: memref<[16, K], f16>) -> memref<[64, 16], f16> attributes {target = "sm90"} {
  %D = output : memref<[64, 16], f16>
  grid (1) threads 128 {
    %sA = shared : tile<[64, 16], f16, swizzle 32>
    %sB = shared : tile<[16, 16], f16, swizzle 32>
    %sD = shared : tile<[64, 16], f16, row_major pitch 24>
    %zero = const 0.0 : frag<[64, 16], f32, wgmma>
    %c = for %k = 0 to K step 16 carry (%acc = %zero) : frag<[64, 16], f32, wgmma> {
      copy %A[i0, %k + i1] where (%k + i1 < K) to %sA by blocked [1, 2] lanes [4, 8] warps [4, 1]
      copy %B[i0, %k + i1] where (%k + i1 < K) to %sB by blocked [1, 2] lanes [4, 8] warps [4, 1]
      fence_async
      barrier
      %d, %t = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
      await %t
      barrier
      yield %d
    }
    %h = cast %c : frag<[64, 16], f16, wgmma>
    store_shared %h to %sD
    barrier
    %r = load_shared %sD : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
    store %r to %D[i0, i1]
  }
  return %D
}

// EXPECT:
// module {
//   kernel.func @product<M, N, K>(%A: memref<[M, K], f16, row_major, align 2>, %B: memref<[K, N], f16, row_major, align 2>) -> memref<[M, N], f32, row_major, align 4> {
//     %D = output : memref<[M, N], f32, row_major, align 4>
//     grid (M ceildiv 32, N ceildiv 32) threads 128 {
//       %m = block_id 0
//       %n = block_id 1
//       %zero = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
//       store %zero to %D[32*%m + i0, 32*%n + i1] where (32*%m + i0 < M, 32*%n + i1 < N)
//     }
//     grid (M ceildiv 32, N ceildiv 32, 3) threads 128 {
//       %sA = shared : tile<[32, 16], f16, swizzle 32>
//       %sB = shared : tile<[16, 32], f16, swizzle 64>
//       %m = block_id 0
//       %n = block_id 1
//       %zero = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
//       %part = block_id 2
//       %0 = index (16*%part*(K ceildiv 48) + 16*(K ceildiv 48))
//       %1 = index (K)
//       %2 = min %0, %1
//       %c = for %k = 16*%part*(K ceildiv 48) to %2 step 16 carry (%acc = %zero) : frag<[32, 32], f32, mma [2, 2]> {
//         copy %A[32*%m + i0, %k + i1] where (32*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 2] lanes [4, 8] warps [4, 1]
//         copy %B[%k + i0, 32*%n + i1] where (%k + i0 < K, 32*%n + i1 < N) to %sB by blocked [1, 8] lanes [8, 4] warps [4, 1]
//         barrier
//         %a = load_shared %sA : frag<[32, 16], f16, mma_a [2, 2]>
//         %b = load_shared %sB : frag<[16, 32], f16, mma_b [2, 2]>
//         %d = mma %a, %b, %acc : frag<[32, 32], f32, mma [2, 2]>
//         barrier
//         yield %d
//       }
//       store combine sum %c to %D[32*%m + i0, 32*%n + i1] where (32*%m + i0 < M, 32*%n + i1 < N)
//     }
//     return %D
//   }
//   kernel.func @epilogue<M, K>(%A: memref<[M, K], f16, row_major, align 2>, %B: memref<[K, 16], f16, row_major, align 2>, %bias: memref<[16], f32, row_major, align 4>) -> memref<[M, 16], f16, row_major, align 2> {
//     %D = output : memref<[M, 16], f16, row_major, align 2>
//     %c_parts = scratch : memref<[M ceildiv 16, 16, 16], f32, row_major, align 128>
//     grid (M ceildiv 16, 1, 3) threads 32 {
//       %m = block_id 0
//       %zero = const 0.0 : frag<[16, 16], f32, mma [1, 1]>
//       %part = block_id 2
//       %0 = index (16*%part*(K ceildiv 48) + 16*(K ceildiv 48))
//       %1 = index (K)
//       %2 = min %0, %1
//       %c = for %k = 16*%part*(K ceildiv 48) to %2 step 16 carry (%acc = %zero) : frag<[16, 16], f32, mma [1, 1]> {
//         %a = load %A[16*%m + i0, %k + i1] where (16*%m + i0 < M, %k + i1 < K) : frag<[16, 16], f16, mma_a [1, 1]>
//         %b = load %B[%k + i0, i1] where (%k + i0 < K) : frag<[16, 16], f16, mma_b [1, 1]>
//         %d = mma %a, %b, %acc : frag<[16, 16], f32, mma [1, 1]>
//         yield %d
//       }
//       %block = block_id 0
//       store combine sum %c to %c_parts[%block, i0, i1]
//     }
//     grid (M ceildiv 16, 1) threads 32 {
//       %m = block_id 0
//       %block = block_id 0
//       %3 = load %c_parts[%block, i0, i1] : frag<[16, 16], f32, mma [1, 1]>
//       %v = load %bias[i1] : frag<[16, 16], f32, mma [1, 1]>
//       %s = binary add %3, %v : frag<[16, 16], f32, mma [1, 1]>
//       %r = unary relu %s : frag<[16, 16], f32, mma [1, 1]>
//       %h = cast %r : frag<[16, 16], f16, mma [1, 1]>
//       store %h to %D[16*%m + i0, i1] where (16*%m + i0 < M)
//     }
//     return %D
//   }
//   kernel.func @moments<N>(%x: memref<[N + 5], f32, row_major, align 4>) -> memref<[2], f32, row_major, align 4> {
//     %y = output : memref<[2], f32, row_major, align 4>
//     %s_parts = scratch : memref<[32], f32, row_major, align 128>
//     %parts = scratch : memref<[32], f32, row_major, align 128>
//     grid (1, 3) threads 32 {
//       %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
//       %part = block_id 1
//       %0 = index (64*%part*(N ceildiv 192) + 64*(N ceildiv 192) + 5)
//       %1 = index (N + 5)
//       %2 = min %0, %1
//       %s:2 = for %k = 64*%part*(N ceildiv 192) + 5 to %2 step 64 carry (%a = %zero, %b = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]>, frag<[32], f32, blocked [1] lanes [32] warps [1]> {
//         %t:2 = for %j = 0 to 64 step 32 carry (%c = %a, %d = %b) : frag<[32], f32, blocked [1] lanes [32] warps [1]>, frag<[32], f32, blocked [1] lanes [32] warps [1]> {
//           %v = load %x[%k + %j + i0] where (%k + %j + i0 < N + 5) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
//           %e = binary add %v, %c : frag<[32], f32, blocked [1] lanes [32] warps [1]>
//           %f = mulacc %v, %v, %d : frag<[32], f32, blocked [1] lanes [32] warps [1]>
//           yield %e, %f
//         }
//         yield %t, %t#1
//       }
//       store combine sum %s to %s_parts[i0]
//       store combine sum %s#1 to %parts[i0]
//     }
//     grid (1) threads 32 {
//       %3 = load %s_parts[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
//       %4 = load %parts[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
//       %first = reduce sum %3 along 0 : frag<[], f32, slice 0 of (blocked [1] lanes [32] warps [1])>
//       %second = reduce sum %4 along 0 : frag<[], f32, slice 0 of (blocked [1] lanes [32] warps [1])>
//       store %first to %y[0]
//       store %second to %y[1]
//     }
//     return %y
//   }
//   kernel.func @halves(%x: memref<[320], f16, row_major, align 2>) -> memref<[32], f16, row_major, align 2> {
//     %y = output : memref<[32], f16, row_major, align 2>
//     %s_parts = workspace : memref<[3, 32], f16, row_major, align 128>
//     grid (1, 3) threads 32 {
//       %zero = const 0.0 : frag<[32], f16, blocked [1] lanes [32] warps [1]>
//       %part = block_id 1
//       %0 = index (128*%part + 128)
//       %1 = index (320)
//       %2 = min %0, %1
//       %s = for %k = 128*%part to %2 step 32 carry (%acc = %zero) : frag<[32], f16, blocked [1] lanes [32] warps [1]> {
//         %v = load %x[%k + i0] : frag<[32], f16, blocked [1] lanes [32] warps [1]>
//         %next = binary sub %acc, %v : frag<[32], f16, blocked [1] lanes [32] warps [1]>
//         yield %next
//       }
//       %part_0 = block_id 1
//       store %s to %s_parts[%part_0, i0]
//     }
//     grid (1) threads 32 {
//       %zero = const 0.0 : frag<[32], f16, blocked [1] lanes [32] warps [1]>
//       %3 = for %part = 0 to 3 unroll carry (%acc = %zero) : frag<[32], f16, blocked [1] lanes [32] warps [1]> {
//         %4 = load %s_parts[%part, i0] : frag<[32], f16, blocked [1] lanes [32] warps [1]>
//         %5 = binary add %acc, %4 : frag<[32], f16, blocked [1] lanes [32] warps [1]>
//         yield %5
//       }
//       store %3 to %y[i0]
//     }
//     return %y
//   }
//   kernel.func @added(%x: memref<[384], i32, row_major, align 4>) -> memref<[32], i32, row_major, align 4> {
//     %y = output : memref<[32], i32, row_major, align 4>
//     grid (1, 3) threads 32 {
//       %zero = const 0 : frag<[32], i32, blocked [1] lanes [32] warps [1]>
//       %part = block_id 1
//       %s = for %k = 128*%part to 128*%part + 128 step 32 carry (%acc = %zero) : frag<[32], i32, blocked [1] lanes [32] warps [1]> {
//         %v = load %x[%k + i0] : frag<[32], i32, blocked [1] lanes [32] warps [1]>
//         %next = binary add %acc, %v : frag<[32], i32, blocked [1] lanes [32] warps [1]>
//         yield %next
//       }
//       %c = convert %s : frag<[32], i32, blocked [2] lanes [32] warps [1]>
//       store combine sum %c to %y[i0]
//     }
//     return %y
//   }
//   kernel.func @wgmma<K>(%A: memref<[64, K], f16, row_major, align 2>, %B: memref<[16, K], f16, row_major, align 2>) -> memref<[64, 16], f16, row_major, align 2> attributes {target = "sm90"} {
//     %D = output : memref<[64, 16], f16, row_major, align 2>
//     %c_parts = scratch : memref<[64, 16], f32, row_major, align 128>
//     grid (1, 3) threads 128 {
//       %sA = shared : tile<[64, 16], f16, swizzle 32>
//       %sB = shared : tile<[16, 16], f16, swizzle 32>
//       %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//       %part = block_id 1
//       %0 = index (16*%part*(K ceildiv 48) + 16*(K ceildiv 48))
//       %1 = index (K)
//       %2 = min %0, %1
//       %c = for %k = 16*%part*(K ceildiv 48) to %2 step 16 carry (%acc = %zero) : frag<[64, 16], f32, wgmma> {
//         copy %A[i0, %k + i1] where (%k + i1 < K) to %sA by blocked [1, 2] lanes [4, 8] warps [4, 1]
//         copy %B[i0, %k + i1] where (%k + i1 < K) to %sB by blocked [1, 2] lanes [4, 8] warps [4, 1]
//         fence_async
//         barrier
//         %d, %t = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
//         await %t
//         barrier
//         yield %d
//       }
//       store combine sum %c to %c_parts[i0, i1]
//     }
//     grid (1) threads 128 {
//       %sD = shared : tile<[64, 16], f16, row_major pitch 24>
//       %3 = load %c_parts[i0, i1] : frag<[64, 16], f32, wgmma>
//       %h = cast %3 : frag<[64, 16], f16, wgmma>
//       store_shared %h to %sD
//       barrier
//       %r = load_shared %sD : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
//       store %r to %D[i0, i1]
//     }
//     return %D
//   }
// }

// EXPECT in_order:
// module {
//   kernel.func @product<M, N, K>(%A: memref<[M, K], f16, row_major, align 2>, %B: memref<[K, N], f16, row_major, align 2>) -> memref<[M, N], f32, row_major, align 4> {
//     %D = output : memref<[M, N], f32, row_major, align 4>
//     %c_parts = workspace : memref<[4, M ceildiv 32, N ceildiv 32, 32, 32], f32, row_major, align 128>
//     grid (M ceildiv 32, N ceildiv 32, 4) threads 128 {
//       %sA = shared : tile<[32, 16], f16, swizzle 32>
//       %sB = shared : tile<[16, 32], f16, swizzle 64>
//       %m = block_id 0
//       %n = block_id 1
//       %zero = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
//       %part = block_id 2
//       %0 = index (16*%part*(K ceildiv 64) + 16*(K ceildiv 64))
//       %1 = index (K)
//       %2 = min %0, %1
//       %c = for %k = 16*%part*(K ceildiv 64) to %2 step 16 carry (%acc = %zero) : frag<[32, 32], f32, mma [2, 2]> {
//         copy %A[32*%m + i0, %k + i1] where (32*%m + i0 < M, %k + i1 < K) to %sA by blocked [1, 2] lanes [4, 8] warps [4, 1]
//         copy %B[%k + i0, 32*%n + i1] where (%k + i0 < K, 32*%n + i1 < N) to %sB by blocked [1, 8] lanes [8, 4] warps [4, 1]
//         barrier
//         %a = load_shared %sA : frag<[32, 16], f16, mma_a [2, 2]>
//         %b = load_shared %sB : frag<[16, 32], f16, mma_b [2, 2]>
//         %d = mma %a, %b, %acc : frag<[32, 32], f32, mma [2, 2]>
//         barrier
//         yield %d
//       }
//       %part_0 = block_id 2
//       %block = block_id 0
//       %block_0 = block_id 1
//       store %c to %c_parts[%part_0, %block, %block_0, i0, i1]
//     }
//     grid (M ceildiv 32, N ceildiv 32) threads 128 {
//       %m = block_id 0
//       %n = block_id 1
//       %zero = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
//       %block = block_id 0
//       %block_1 = block_id 1
//       %3 = for %part = 0 to 4 unroll carry (%acc = %zero) : frag<[32, 32], f32, mma [2, 2]> {
//         %4 = load %c_parts[%part, %block, %block_1, i0, i1] : frag<[32, 32], f32, mma [2, 2]>
//         %5 = binary add %acc, %4 : frag<[32, 32], f32, mma [2, 2]>
//         yield %5
//       }
//       store %3 to %D[32*%m + i0, 32*%n + i1] where (32*%m + i0 < M, 32*%n + i1 < N)
//     }
//     return %D
//   }
//   kernel.func @epilogue<M, K>(%A: memref<[M, K], f16, row_major, align 2>, %B: memref<[K, 16], f16, row_major, align 2>, %bias: memref<[16], f32, row_major, align 4>) -> memref<[M, 16], f16, row_major, align 2> {
//     %D = output : memref<[M, 16], f16, row_major, align 2>
//     %c_parts = workspace : memref<[4, M ceildiv 16, 16, 16], f32, row_major, align 128>
//     grid (M ceildiv 16, 1, 4) threads 32 {
//       %m = block_id 0
//       %zero = const 0.0 : frag<[16, 16], f32, mma [1, 1]>
//       %part = block_id 2
//       %0 = index (16*%part*(K ceildiv 64) + 16*(K ceildiv 64))
//       %1 = index (K)
//       %2 = min %0, %1
//       %c = for %k = 16*%part*(K ceildiv 64) to %2 step 16 carry (%acc = %zero) : frag<[16, 16], f32, mma [1, 1]> {
//         %a = load %A[16*%m + i0, %k + i1] where (16*%m + i0 < M, %k + i1 < K) : frag<[16, 16], f16, mma_a [1, 1]>
//         %b = load %B[%k + i0, i1] where (%k + i0 < K) : frag<[16, 16], f16, mma_b [1, 1]>
//         %d = mma %a, %b, %acc : frag<[16, 16], f32, mma [1, 1]>
//         yield %d
//       }
//       %part_0 = block_id 2
//       %block = block_id 0
//       store %c to %c_parts[%part_0, %block, i0, i1]
//     }
//     grid (M ceildiv 16, 1) threads 32 {
//       %m = block_id 0
//       %zero = const 0.0 : frag<[16, 16], f32, mma [1, 1]>
//       %block = block_id 0
//       %3 = for %part = 0 to 4 unroll carry (%acc = %zero) : frag<[16, 16], f32, mma [1, 1]> {
//         %4 = load %c_parts[%part, %block, i0, i1] : frag<[16, 16], f32, mma [1, 1]>
//         %5 = binary add %acc, %4 : frag<[16, 16], f32, mma [1, 1]>
//         yield %5
//       }
//       %v = load %bias[i1] : frag<[16, 16], f32, mma [1, 1]>
//       %s = binary add %3, %v : frag<[16, 16], f32, mma [1, 1]>
//       %r = unary relu %s : frag<[16, 16], f32, mma [1, 1]>
//       %h = cast %r : frag<[16, 16], f16, mma [1, 1]>
//       store %h to %D[16*%m + i0, i1] where (16*%m + i0 < M)
//     }
//     return %D
//   }
//   kernel.func @moments<N>(%x: memref<[N + 5], f32, row_major, align 4>) -> memref<[2], f32, row_major, align 4> {
//     %y = output : memref<[2], f32, row_major, align 4>
//     %s_parts = workspace : memref<[4], f32, row_major, align 128>
//     %parts = workspace : memref<[4], f32, row_major, align 128>
//     grid (1, 4) threads 32 {
//       %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
//       %part = block_id 1
//       %0 = index (64*%part*(N ceildiv 256) + 64*(N ceildiv 256) + 5)
//       %1 = index (N + 5)
//       %2 = min %0, %1
//       %s:2 = for %k = 64*%part*(N ceildiv 256) + 5 to %2 step 64 carry (%a = %zero, %b = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]>, frag<[32], f32, blocked [1] lanes [32] warps [1]> {
//         %t:2 = for %j = 0 to 64 step 32 carry (%c = %a, %d = %b) : frag<[32], f32, blocked [1] lanes [32] warps [1]>, frag<[32], f32, blocked [1] lanes [32] warps [1]> {
//           %v = load %x[%k + %j + i0] where (%k + %j + i0 < N + 5) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
//           %e = binary add %v, %c : frag<[32], f32, blocked [1] lanes [32] warps [1]>
//           %f = mulacc %v, %v, %d : frag<[32], f32, blocked [1] lanes [32] warps [1]>
//           yield %e, %f
//         }
//         yield %t, %t#1
//       }
//       %first = reduce sum %s along 0 : frag<[], f32, slice 0 of (blocked [1] lanes [32] warps [1])>
//       %second = reduce sum %s#1 along 0 : frag<[], f32, slice 0 of (blocked [1] lanes [32] warps [1])>
//       %part_0 = block_id 1
//       store %first to %s_parts[%part_0]
//       store %second to %parts[%part_0]
//     }
//     grid (1) threads 32 {
//       %zero = const 0.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
//       %3:2 = for %part = 0 to 4 step 32 carry (%acc = %zero, %acc_0 = %zero) : frag<[32], f32, blocked [1] lanes [32] warps [1]>, frag<[32], f32, blocked [1] lanes [32] warps [1]> {
//         %4 = load %s_parts[%part + i0] where (%part + i0 < 4) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
//         %5 = binary add %acc, %4 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
//         %6 = load %parts[%part + i0] where (%part + i0 < 4) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
//         %7 = binary add %acc_0, %6 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
//         yield %5, %7
//       }
//       %first = reduce sum %3 along 0 : frag<[], f32, slice 0 of (blocked [1] lanes [32] warps [1])>
//       %second = reduce sum %3#1 along 0 : frag<[], f32, slice 0 of (blocked [1] lanes [32] warps [1])>
//       store %first to %y[0]
//       store %second to %y[1]
//     }
//     return %y
//   }
//   kernel.func @halves(%x: memref<[320], f16, row_major, align 2>) -> memref<[32], f16, row_major, align 2> {
//     %y = output : memref<[32], f16, row_major, align 2>
//     %s_parts = workspace : memref<[4, 32], f16, row_major, align 128>
//     grid (1, 4) threads 32 {
//       %zero = const 0.0 : frag<[32], f16, blocked [1] lanes [32] warps [1]>
//       %part = block_id 1
//       %0 = index (96*%part + 96)
//       %1 = index (320)
//       %2 = min %0, %1
//       %s = for %k = 96*%part to %2 step 32 carry (%acc = %zero) : frag<[32], f16, blocked [1] lanes [32] warps [1]> {
//         %v = load %x[%k + i0] : frag<[32], f16, blocked [1] lanes [32] warps [1]>
//         %next = binary sub %acc, %v : frag<[32], f16, blocked [1] lanes [32] warps [1]>
//         yield %next
//       }
//       %part_0 = block_id 1
//       store %s to %s_parts[%part_0, i0]
//     }
//     grid (1) threads 32 {
//       %zero = const 0.0 : frag<[32], f16, blocked [1] lanes [32] warps [1]>
//       %3 = for %part = 0 to 4 unroll carry (%acc = %zero) : frag<[32], f16, blocked [1] lanes [32] warps [1]> {
//         %4 = load %s_parts[%part, i0] : frag<[32], f16, blocked [1] lanes [32] warps [1]>
//         %5 = binary add %acc, %4 : frag<[32], f16, blocked [1] lanes [32] warps [1]>
//         yield %5
//       }
//       store %3 to %y[i0]
//     }
//     return %y
//   }
//   kernel.func @added(%x: memref<[384], i32, row_major, align 4>) -> memref<[32], i32, row_major, align 4> {
//     %y = output : memref<[32], i32, row_major, align 4>
//     %s_parts = workspace : memref<[4, 32], i32, row_major, align 128>
//     grid (1, 4) threads 32 {
//       %zero = const 0 : frag<[32], i32, blocked [1] lanes [32] warps [1]>
//       %part = block_id 1
//       %s = for %k = 96*%part to 96*%part + 96 step 32 carry (%acc = %zero) : frag<[32], i32, blocked [1] lanes [32] warps [1]> {
//         %v = load %x[%k + i0] : frag<[32], i32, blocked [1] lanes [32] warps [1]>
//         %next = binary add %acc, %v : frag<[32], i32, blocked [1] lanes [32] warps [1]>
//         yield %next
//       }
//       %part_0 = block_id 1
//       store %s to %s_parts[%part_0, i0]
//     }
//     grid (1) threads 32 {
//       %zero = const 0 : frag<[32], i32, blocked [1] lanes [32] warps [1]>
//       %0 = for %part = 0 to 4 unroll carry (%acc = %zero) : frag<[32], i32, blocked [1] lanes [32] warps [1]> {
//         %1 = load %s_parts[%part, i0] : frag<[32], i32, blocked [1] lanes [32] warps [1]>
//         %2 = binary add %acc, %1 : frag<[32], i32, blocked [1] lanes [32] warps [1]>
//         yield %2
//       }
//       %c = convert %0 : frag<[32], i32, blocked [2] lanes [32] warps [1]>
//       store combine sum %c to %y[i0]
//     }
//     return %y
//   }
//   kernel.func @wgmma<K>(%A: memref<[64, K], f16, row_major, align 2>, %B: memref<[16, K], f16, row_major, align 2>) -> memref<[64, 16], f16, row_major, align 2> attributes {target = "sm90"} {
//     %D = output : memref<[64, 16], f16, row_major, align 2>
//     %c_parts = workspace : memref<[4, 64, 16], f32, row_major, align 128>
//     grid (1, 4) threads 128 {
//       %sA = shared : tile<[64, 16], f16, swizzle 32>
//       %sB = shared : tile<[16, 16], f16, swizzle 32>
//       %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//       %part = block_id 1
//       %0 = index (16*%part*(K ceildiv 64) + 16*(K ceildiv 64))
//       %1 = index (K)
//       %2 = min %0, %1
//       %c = for %k = 16*%part*(K ceildiv 64) to %2 step 16 carry (%acc = %zero) : frag<[64, 16], f32, wgmma> {
//         copy %A[i0, %k + i1] where (%k + i1 < K) to %sA by blocked [1, 2] lanes [4, 8] warps [4, 1]
//         copy %B[i0, %k + i1] where (%k + i1 < K) to %sB by blocked [1, 2] lanes [4, 8] warps [4, 1]
//         fence_async
//         barrier
//         %d, %t = wgmma %sA, %sB transposed, %acc : frag<[64, 16], f32, wgmma>, token<compute>
//         await %t
//         barrier
//         yield %d
//       }
//       %part_0 = block_id 1
//       store %c to %c_parts[%part_0, i0, i1]
//     }
//     grid (1) threads 128 {
//       %sD = shared : tile<[64, 16], f16, row_major pitch 24>
//       %zero = const 0.0 : frag<[64, 16], f32, wgmma>
//       %3 = for %part = 0 to 4 unroll carry (%acc = %zero) : frag<[64, 16], f32, wgmma> {
//         %4 = load %c_parts[%part, i0, i1] : frag<[64, 16], f32, wgmma>
//         %5 = binary add %acc, %4 : frag<[64, 16], f32, wgmma>
//         yield %5
//       }
//       %h = cast %3 : frag<[64, 16], f16, wgmma>
//       store_shared %h to %sD
//       barrier
//       %r = load_shared %sD : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
//       store %r to %D[i0, i1]
//     }
//     return %D
//   }
// }
