// RUN: dlc-opt %s --predicate-tails | FileCheck %s
// RUN: dlc-opt %s --predicate-tails --evaluate-each -o /dev/null
// RUN: dlc-opt %s --predicate-tails='peel=false' | FileCheck %s --check-prefix=WHOLE
// RUN: dlc-opt %s --predicate-tails='assume="K=32,M=4"' | FileCheck %s --check-prefix=ASSUME
// RUN: dlc-opt %s --predicate-tails --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %S/../../../programs/matmul_fp16/graph.json --tiny-to-region --tensorize --predicate-tails --evaluate-each -o /dev/null
// RUN: dlc-opt %S/../../../programs/softmax/graph.json --tiny-to-region --tensorize --predicate-tails --evaluate-each -o /dev/null

// A sum along an axis of any size: the full steps are not guarded along it, the last one is. With what is assumed of the
// sizes there is no last step, and no guard.
// REMARK: split into full steps and the last
// REMARK: its guard holds everywhere
// CHECK-LABEL: kernel.func @rows<
// CHECK: for %k = 0 to 32*(K floordiv 32) step 32 carry
// CHECK-NEXT: copy %x[4*%t + i0, %k + i1] where (4*%t + i0 < M) to %s
// CHECK: for %k = 32*(K floordiv 32) to K step 32 carry
// CHECK-NEXT: copy %x[4*%t + i0, %k + i1] where (4*%t + i0 < M, %k + i1 < K) to %s
// CHECK: store %{{.*}} to %y[4*%t + i0, i1] where (4*%t + i0 < M)
// WHOLE-LABEL: kernel.func @rows<
// WHOLE: for %k = 0 to K step 32 carry
// WHOLE-NEXT: copy %x[4*%t + i0, %k + i1] where (4*%t + i0 < M, %k + i1 < K) to %s
// WHOLE-NOT: for
// WHOLE: return
// ASSUME-LABEL: kernel.func @rows<
// ASSUME: for %k = 0 to K step 32 carry
// ASSUME-NEXT: copy %x[4*%t + i0, %k + i1] to %s
// ASSUME-NOT: for
// ASSUME: store %{{.*}} to %y[4*%t + i0, i1]{{$}}
kernel.func @rows<M, K>(%x: memref<[M, K], f32>) -> memref<[M, 32], f32> {
  %y = output : memref<[M, 32], f32>
  grid (M ceildiv 4) threads 128 {
    %s = shared : tile<[4, 32], f32, row_major>
    %t = block_id 0
    %zero = const 0.0 : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
    %sum = for %k = 0 to K step 32 carry (%acc = %zero) : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]> {
      copy %x[4*%t + i0, %k + i1] where (4*%t + i0 < M, %k + i1 < K) to %s by blocked [1, 1] lanes [1, 32] warps [4, 1]
      barrier
      %v = load_shared %s : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
      barrier
      %next = binary add %acc, %v : frag<[4, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
      yield %next
    }
    store %sum to %y[4*%t + i0, i1] where (4*%t + i0 < M)
  }
  return %y
}

// Sizes that are numbers: rows and columns of tiles are bounded by how many there are, through an integer; one of the
// bounds is left; what is read outside is read no more; a choice is made.
// CHECK-LABEL: kernel.func @numbers(
// CHECK: %v = load %x[%m0 + i0, 16*%n + i1] where (16*%n + i1 < 40) else 1.0
// CHECK: %w = load %x[%m0 + i0, i1] : frag
// CHECK-NOT: select
// CHECK: store %{{.*}} to %y[%m0 + i0, 16*%n + i1] where (16*%n + i1 < 40)
kernel.func @numbers(%x: memref<[16, 40], f32>) -> memref<[16, 40], f32> {
  %y = output : memref<[16, 40], f32>
  grid (12) threads 32 {
    %tile = block_id 0
    %m, %n = tile_order %tile of (4, 3) rows
    %m0 = index (4*%m)
    %v = load %x[%m0 + i0, 16*%n + i1] where (0 <= %m0 + i0 < 16, 16*%n + i1 < 40) else 1.0 : frag<[4, 16], f32, blocked [1, 2] lanes [4, 8] warps [1, 1]>
    %w = load %x[%m0 + i0, i1] where (%m0 + i0 < 16) else 1.0 : frag<[4, 16], f32, blocked [1, 2] lanes [4, 8] warps [1, 1]>
    %c = select where (%m0 + i0 >= 0) then %v else %w : frag<[4, 16], f32, blocked [1, 2] lanes [4, 8] warps [1, 1]>
    %sum = binary add %c, %w : frag<[4, 16], f32, blocked [1, 2] lanes [4, 8] warps [1, 1]>
    store %sum to %y[%m0 + i0, 16*%n + i1] where (%m0 + i0 < 16, 16*%n + i1 < 40)
  }
  return %y
}
