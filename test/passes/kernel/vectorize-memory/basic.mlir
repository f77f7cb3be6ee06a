// RUN: dlc-opt %s --vectorize-memory --evaluate-each | snapshot %s
// RUN: dlc-opt %s --vectorize-memory --evaluate-each -o %t.once
// RUN: dlc-opt %t.once --vectorize-memory | cmp %t.once -
// RUN: dlc-opt %s --vectorize-memory=bytes=8 | FileCheck %s --check-prefix=EIGHT
// RUN: dlc-opt %s --vectorize-memory --remarks=passed -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// What K must be a multiple of decides how wide rows are read; a fixed width needs no more than the alignment. A store
// that begins two elements after a multiple takes two.
// EIGHT-LABEL: kernel.func @rows
// EIGHT: load {{.*}} vector 2
// EIGHT: store {{.*}} vector 2
// REMARK: 4 elements, 16 bytes, are one access
kernel.func @rows<M, K>(%x: memref<[M, K], f32, row_major, align 16>) -> memref<[M, K + 2], f32, row_major, align 16> {
  require (K mod 4 == 0, M <= 100)
  %y = output : memref<[M, K + 2], f32, row_major, align 16>
  grid (M, K ceildiv 128) threads 32 {
    %m = block_id 0
    %k = block_id 1
    %v = load %x[%m, 128*%k + i0] where (128*%k + i0 < K) : frag<[128], f32, blocked [4] lanes [32] warps [1]>
    store %v to %y[%m, 128*%k + i0 + 2] where (128*%k + i0 < K)
    %z = const 0.0 : frag<[2], f32, blocked [2] lanes [32] warps [1]>
    store %z to %y[%m, i0] where (%k < 1)
  }
  return %y
}

// The counter of a loop is a multiple of its step. Both copies have rows in memory and in the tile; a transposed read has
// its own direction, that of the columns of a matrix in columns.
kernel.func @steps<N>(%x: memref<[32, N], f16, row_major, align 32>, %c: memref<[N, 32], f16, col_major, align 8>) -> memref<[32, N], f16, row_major, align 16> {
  require (N mod 64 == 0)
  %y = output : memref<[32, N], f16, row_major, align 16>
  grid (1) threads 128 {
    %s = shared : tile<[32, 64], f16, swizzle 128>
    for %n = 0 to N step 64 {
      copy %x[i0, %n + i1] to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
      barrier
      %v = load_shared %s : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %w = load %c[%n + i1, i0] : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %z = binary add %v, %w : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      store %z to %y[i0, %n + i1]
      barrier
      %0 = copy_async %x[i0, %n + i1] to %s by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      await %0
      barrier
    }
  }
  return %y
}

// A guard may begin or end at a multiple of a vector; between, it is the same for half of one. What is the same along a
// row may be a value of its own for each.
kernel.func @guards<M, K>(%x: memref<[M, K], f32, row_major, align 16>, %p: memref<[M], i32>) -> memref<[M, K], f32, row_major, align 16> {
  require (K mod 8 == 0)
  %y = output : memref<[M, K], f32, row_major, align 16>
  grid (1) threads 32 {
    %i = load %p[i0] where (i0 < M) : frag<[8], i32, slice 1 of (blocked [1, 4] lanes [8, 4] warps [1, 1])>
    %rows = broadcast %i along 1 : frag<[8, 16], i32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
    %own = index (i0) : frag<[8, 16], index, blocked [1, 4] lanes [8, 4] warps [1, 1]>
    %a = load %x[%rows, i1] where (%own < M, 0 <= %rows < M, 4 <= i1 < K - 4) : frag<[8, 16], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
    %b = load %x[i0, i1] where (i0 < M, i1 + 6 < K) : frag<[8, 16], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
    %c = binary add %a, %b : frag<[8, 16], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
    store %c to %y[i0, i1] where (i0 < M, i1 < K)
    for %k = 16 to K step 16 {
      store %c to %y[i0, %k + i1] where (i0 < M, %k + i1 < K)
    }
  }
  return %y
}

// What is wider already stays so.
// EIGHT-LABEL: kernel.func @known
// EIGHT: load {{.*}} vector 4
kernel.func @known<M, K>(%x: memref<[M, K], f32, row_major, align 16>) -> memref<[M, 16], f32> {
  %y = output : memref<[M, 16], f32>
  grid (1) threads 32 {
    %a = load %x[i0, i1] where (i0 < M, i1 < K) vector 4 : frag<[8, 16], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
    store %a to %y[i0, i1] where (i0 < M)
  }
  return %y
}

// EXPECT:
// module {
//   kernel.func @rows<M, K>(%x: memref<[M, K], f32, row_major, align 16>) -> memref<[M, K + 2], f32, row_major, align 16> {
//     require (K mod 4 == 0, M < 101)
//     %y = output : memref<[M, K + 2], f32, row_major, align 16>
//     grid (M, K ceildiv 128) threads 32 {
//       %m = block_id 0
//       %k = block_id 1
//       %v = load %x[%m, 128*%k + i0] where (128*%k + i0 < K) vector 4 : frag<[128], f32, blocked [4] lanes [32] warps [1]>
//       store %v to %y[%m, 128*%k + i0 + 2] where (128*%k + i0 < K) vector 2
//       %z = const 0.0 : frag<[2], f32, blocked [2] lanes [32] warps [1]>
//       store %z to %y[%m, i0] where (%k < 1) vector 2
//     }
//     return %y
//   }
//   kernel.func @steps<N>(%x: memref<[32, N], f16, row_major, align 32>, %c: memref<[N, 32], f16, col_major, align 8>) -> memref<[32, N], f16, row_major, align 16> {
//     require (N mod 64 == 0)
//     %y = output : memref<[32, N], f16, row_major, align 16>
//     grid (1) threads 128 {
//       %s = shared : tile<[32, 64], f16, swizzle 128>
//       for %n = 0 to N step 64 {
//         copy %x[i0, %n + i1] to %s by blocked [1, 8] lanes [4, 8] warps [4, 1] vector 8
//         barrier
//         %v = load_shared %s : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
//         %w = load %c[%n + i1, i0] vector 4 : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
//         %z = binary add %v, %w : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
//         store %z to %y[i0, %n + i1] vector 8
//         barrier
//         %0 = copy_async %x[i0, %n + i1] to %s by blocked [1, 8] lanes [4, 8] warps [4, 1] vector 8 : token<load>
//         await %0
//         barrier
//       }
//     }
//     return %y
//   }
//   kernel.func @guards<M, K>(%x: memref<[M, K], f32, row_major, align 16>, %p: memref<[M], i32, row_major, align 4>) -> memref<[M, K], f32, row_major, align 16> {
//     require (K mod 8 == 0)
//     %y = output : memref<[M, K], f32, row_major, align 16>
//     grid (1) threads 32 {
//       %i = load %p[i0] where (i0 < M) : frag<[8], i32, slice 1 of (blocked [1, 4] lanes [8, 4] warps [1, 1])>
//       %rows = broadcast %i along 1 : frag<[8, 16], i32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
//       %own = index (i0) : frag<[8, 16], index, blocked [1, 4] lanes [8, 4] warps [1, 1]>
//       %a = load %x[%rows, i1] where (%own < M, 0 <= %rows < M, 4 <= i1 < K - 4) vector 4 : frag<[8, 16], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
//       %b = load %x[i0, i1] where (i0 < M, i1 + 6 < K) vector 2 : frag<[8, 16], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
//       %c = binary add %a, %b : frag<[8, 16], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
//       store %c to %y[i0, i1] where (i0 < M, i1 < K) vector 4
//       for %k = 16 to K step 16 {
//         store %c to %y[i0, %k + i1] where (i0 < M, %k + i1 < K) vector 4
//       }
//     }
//     return %y
//   }
//   kernel.func @known<M, K>(%x: memref<[M, K], f32, row_major, align 16>) -> memref<[M, 16], f32, row_major, align 4> {
//     %y = output : memref<[M, 16], f32, row_major, align 4>
//     grid (1) threads 32 {
//       %a = load %x[i0, i1] where (i0 < M, i1 < K) vector 4 : frag<[8, 16], f32, blocked [1, 4] lanes [8, 4] warps [1, 1]>
//       store %a to %y[i0, i1] where (i0 < M)
//     }
//     return %y
//   }
// }
