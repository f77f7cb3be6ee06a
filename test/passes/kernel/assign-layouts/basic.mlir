// RUN: dlc-opt %s --assign-layouts --evaluate-each | snapshot %s
// RUN: dlc-opt %s --assign-layouts -o %t.once
// RUN: dlc-opt %t.once --assign-layouts | cmp %t.once -
// RUN: dlc-opt %s --assign-layouts --check-async -o /dev/null
// RUN: dlc-opt %s --assign-layouts --remarks=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// What is loaded column by column goes row by row, with all that is computed from it, in a loop and in a branch.
// REMARK: fragments: 'blocked [1, 4] lanes [1, 32] warps [4, 1]' costs {{.*}}, where 'blocked [8, 1] lanes [4, 8] warps [1, 4]' costs
kernel.func @columns<N>(%x: memref<[32, 128], f32, row_major, align 16>, %y: memref<[32, 128], f16, row_major, align 16>) -> memref<[32, 128], f32, row_major, align 16> {
  %z = output : memref<[32, 128], f32, row_major, align 16>
  grid (1) threads 128 {
    %zero = const 0.0 : frag<[32, 128], f32, blocked [8, 1] lanes [4, 8] warps [1, 4]>
    %sum = for %k = 0 to N step 1 carry (%acc = %zero) : frag<[32, 128], f32, blocked [8, 1] lanes [4, 8] warps [1, 4]> {
      %v = load %x[i0, i1] : frag<[32, 128], f32, blocked [8, 1] lanes [4, 8] warps [1, 4]>
      %w = if (%k > 1) : frag<[32, 128], f32, blocked [8, 1] lanes [4, 8] warps [1, 4]> {
        %h = load %y[i0, i1] : frag<[32, 128], f16, blocked [8, 1] lanes [4, 8] warps [1, 4]>
        %f = cast %h : frag<[32, 128], f32, blocked [8, 1] lanes [4, 8] warps [1, 4]>
        yield %f
      } else {
        yield %v
      }
      %next = binary add %acc, %w : frag<[32, 128], f32, blocked [8, 1] lanes [4, 8] warps [1, 4]>
      yield %next
    }
    store %sum to %z[i0, i1]
  }
  return %z
}

// Threads that copy lie next to each other along the rows of memory.
// REMARK: copy: 'blocked [1, 8] {{.*}}' costs {{.*}}, where 'blocked [8, 1] lanes [4, 8] warps [1, 4]' costs
// REMARK: tile: 'swizzle 128' costs {{.*}}, where 'row_major' costs
kernel.func @copies(%x: memref<[32, 128], f16, row_major, align 16>) -> memref<[128, 32], f16, row_major, align 16> {
  %y = output : memref<[128, 32], f16, row_major, align 16>
  grid (1) threads 128 {
    %t = shared : tile<[32, 128], f16, row_major>
    copy %x[i0, i1] to %t by blocked [8, 1] lanes [4, 8] warps [1, 4]
    barrier
    %v = load_shared %t : frag<[32, 128], f16, mma_a [2, 2]>
    %s = convert %v : frag<[32, 128], f16, blocked [8, 1] lanes [4, 8] warps [1, 4]>
    store %s to %y[i1, i0]
  }
  return %y
}

// A product of matrices has its layout: its halves are stored in whole rows by way of shared memory.
// REMARK: converted through shared memory: 'blocked [1, 8]
kernel.func @product(%a: memref<[128, 16], f16, row_major, align 16>, %b: memref<[16, 128], f16, row_major, align 16>) -> memref<[128, 128], f16, row_major, align 16> attributes {target = "sm80"} {
  %d = output : memref<[128, 128], f16, row_major, align 16>
  grid (1) threads 128 {
    %x = load %a[i0, i1] : frag<[128, 16], f16, mma_a [2, 2]>
    %y = load %b[i0, i1] : frag<[16, 128], f16, mma_b [2, 2]>
    %zero = const 0.0 : frag<[128, 128], f32, mma [2, 2]>
    %c = mma %x, %y, %zero : frag<[128, 128], f32, mma [2, 2]>
    %h = cast %c : frag<[128, 128], f16, mma [2, 2]>
    store %h to %d[i0, i1]
  }
  return %d
}

// Lanes that read a column of a tile each want another bank; a thread that stores to rows may read several of the column
// at once.
// REMARK: fragments: 'blocked [8, 1] {{.*}}' costs 82, where 'blocked [1, 1] lanes [1, 32] warps [4, 1]' costs 328
// REMARK: tile: 'swizzle 128' costs 26, where 'row_major' costs 34
kernel.func @turns(%x: memref<[32, 32], f32, row_major, align 4>) -> memref<[32, 32], f32, row_major, align 4> {
  %y = output : memref<[32, 32], f32, row_major, align 4>
  grid (1) threads 128 {
    %t = shared : tile<[32, 32], f32, row_major>
    %v = load %x[i0, i1] : frag<[32, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
    store_shared %v to %t
    barrier
    %w = load_shared %t transposed : frag<[32, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
    store %w to %y[i0, i1]
  }
  return %y
}

// The same where a reduction binds the layout; a pitch does it for tiles of three axes, which have no swizzle.
// REMARK: tile: 'row_major pitch 36' costs 104, where 'row_major' costs
kernel.func @bound(%x: memref<[2, 16, 32], f32, row_major, align 4>) -> memref<[2, 16], f32> {
  %y = output : memref<[2, 16], f32>
  grid (1) threads 32 {
    %t = shared : tile<[2, 16, 32], f32, row_major>
    copy %x[i0, i1, i2] to %t by blocked [1, 1, 1] lanes [1, 1, 32] warps [1, 1, 1]
    barrier
    %w = load_shared %t : frag<[2, 16, 32], f32, blocked [1, 1, 32] lanes [2, 16, 1] warps [1, 1, 1]>
    %r = reduce max %w along 2 : frag<[2, 16], f32, slice 2 of (blocked [1, 1, 32] lanes [2, 16, 1] warps [1, 1, 1])>
    store %r to %y[i0, i1]
  }
  return %y
}

// In a loop over tiles all meet before the tile of a conversion is used again; columns of memory are stored in columns.
// REMARK: converted through shared memory: 'blocked [8, 1] {{.*}} order [0, 1]' costs {{.*}}, where 'mma [2, 2]' costs
kernel.func @tiles(%a: memref<[128, 16], f16, row_major, align 16>) -> memref<[64, 128, 4], f16, strided [1, 64, 8192], align 16> {
  %d = output : memref<[64, 128, 4], f16, strided [1, 64, 8192], align 16>
  grid (1) threads 128 {
    for %t = 0 to 4 {
      %zero = const 0.0 : frag<[64, 128], f32, mma [2, 2]>
      %x = const 1.0 : frag<[64, 16], f16, mma_a [2, 2]>
      %y = load %a[i1, i0] : frag<[16, 128], f16, mma_b [2, 2]>
      %c = mma %x, %y, %zero : frag<[64, 128], f32, mma [2, 2]>
      %h = cast %c : frag<[64, 128], f16, mma [2, 2]>
      store %h to %d[i0, i1, %t]
    }
  }
  return %d
}

// EXPECT:
// module {
//   kernel.func @columns<N>(%x: memref<[32, 128], f32, row_major, align 16>, %y: memref<[32, 128], f16, row_major, align 16>) -> memref<[32, 128], f32, row_major, align 16> {
//     %z = output : memref<[32, 128], f32, row_major, align 16>
//     grid (1) threads 128 {
//       %zero = const 0.0 : frag<[32, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
//       %sum = for %k = 0 to N carry (%acc = %zero) : frag<[32, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]> {
//         %v = load %x[i0, i1] : frag<[32, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
//         %w = if (2 <= %k) : frag<[32, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]> {
//           %h = load %y[i0, i1] : frag<[32, 128], f16, blocked [1, 4] lanes [1, 32] warps [4, 1]>
//           %f = cast %h : frag<[32, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
//           yield %f
//         } else {
//           yield %v
//         }
//         %next = binary add %acc, %w : frag<[32, 128], f32, blocked [1, 4] lanes [1, 32] warps [4, 1]>
//         yield %next
//       }
//       store %sum to %z[i0, i1]
//     }
//     return %z
//   }
//   kernel.func @copies(%x: memref<[32, 128], f16, row_major, align 16>) -> memref<[128, 32], f16, row_major, align 16> {
//     %y = output : memref<[128, 32], f16, row_major, align 16>
//     grid (1) threads 128 {
//       %t = shared : tile<[32, 128], f16, swizzle 128>
//       copy %x[i0, i1] to %t by blocked [1, 8] lanes [2, 16] warps [4, 1]
//       barrier
//       %v = load_shared %t : frag<[32, 128], f16, mma_a [2, 2]>
//       %s = convert %v : frag<[32, 128], f16, blocked [8, 1] lanes [4, 8] warps [1, 4]>
//       store %s to %y[i1, i0]
//     }
//     return %y
//   }
//   kernel.func @product(%a: memref<[128, 16], f16, row_major, align 16>, %b: memref<[16, 128], f16, row_major, align 16>) -> memref<[128, 128], f16, row_major, align 16> attributes {target = "sm80"} {
//     %d = output : memref<[128, 128], f16, row_major, align 16>
//     grid (1) threads 128 {
//       %through = shared : tile<[128, 128], f16, swizzle 128>
//       %through_0 = shared : tile<[16, 128], f16, swizzle 128>
//       %through_1 = shared : tile<[128, 16], f16, swizzle 32>
//       %x = load %a[i0, i1] : frag<[128, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
//       %0 = convert %x through %through_1 : frag<[128, 16], f16, mma_a [2, 2]>
//       %y = load %b[i0, i1] : frag<[16, 128], f16, blocked [1, 8] lanes [2, 16] warps [4, 1]>
//       %1 = convert %y through %through_0 : frag<[16, 128], f16, mma_b [2, 2]>
//       %zero = const 0.0 : frag<[128, 128], f32, mma [2, 2]>
//       %c = mma %0, %1, %zero : frag<[128, 128], f32, mma [2, 2]>
//       %h = cast %c : frag<[128, 128], f16, mma [2, 2]>
//       %2 = convert %h through %through : frag<[128, 128], f16, blocked [1, 8] lanes [2, 16] warps [4, 1]>
//       store %2 to %d[i0, i1]
//     }
//     return %d
//   }
//   kernel.func @turns(%x: memref<[32, 32], f32, row_major, align 4>) -> memref<[32, 32], f32, row_major, align 4> {
//     %y = output : memref<[32, 32], f32, row_major, align 4>
//     grid (1) threads 128 {
//       %t = shared : tile<[32, 32], f32, swizzle 128>
//       %v = load %x[i0, i1] : frag<[32, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
//       store_shared %v to %t
//       barrier
//       %w = load_shared %t transposed : frag<[32, 32], f32, blocked [8, 1] lanes [4, 8] warps [1, 4] order [0, 1]>
//       store %w to %y[i0, i1]
//     }
//     return %y
//   }
//   kernel.func @bound(%x: memref<[2, 16, 32], f32, row_major, align 4>) -> memref<[2, 16], f32, row_major, align 4> {
//     %y = output : memref<[2, 16], f32, row_major, align 4>
//     grid (1) threads 32 {
//       %t = shared : tile<[2, 16, 32], f32, row_major pitch 36>
//       copy %x[i0, i1, i2] to %t by blocked [1, 1, 1] lanes [1, 1, 32] warps [1, 1, 1]
//       barrier
//       %w = load_shared %t : frag<[2, 16, 32], f32, blocked [1, 1, 32] lanes [2, 16, 1] warps [1, 1, 1]>
//       %r = reduce max %w along 2 : frag<[2, 16], f32, slice 2 of (blocked [1, 1, 32] lanes [2, 16, 1] warps [1, 1, 1])>
//       store %r to %y[i0, i1]
//     }
//     return %y
//   }
//   kernel.func @tiles(%a: memref<[128, 16], f16, row_major, align 16>) -> memref<[64, 128, 4], f16, strided [1, 64, 8192], align 16> {
//     %d = output : memref<[64, 128, 4], f16, strided [1, 64, 8192], align 16>
//     grid (1) threads 128 {
//       %through = shared : tile<[64, 128], f16, col_major pitch 72>
//       %through_0 = shared : tile<[16, 128], f16, col_major pitch 24>
//       for %t = 0 to 4 {
//         %zero = const 0.0 : frag<[64, 128], f32, mma [2, 2]>
//         %x = const 1.0 : frag<[64, 16], f16, mma_a [2, 2]>
//         %y = load %a[i1, i0] : frag<[16, 128], f16, blocked [8, 1] lanes [2, 16] warps [1, 4] order [0, 1]>
//         barrier
//         %0 = convert %y through %through_0 : frag<[16, 128], f16, mma_b [2, 2]>
//         %c = mma %x, %0, %zero : frag<[64, 128], f32, mma [2, 2]>
//         %h = cast %c : frag<[64, 128], f16, mma [2, 2]>
//         barrier
//         %1 = convert %h through %through : frag<[64, 128], f16, blocked [8, 1] lanes [8, 4] warps [1, 4] order [0, 1]>
//         store %1 to %d[i0, i1, %t]
//       }
//     }
//     return %d
//   }
// }
