// What threads copy and wait for comes to registers a step ahead, and goes to the other one of two tiles after the work.

// RUN: dlc-opt %s --pipeline-stages=stages=2 --evaluate-each --check-async | FileCheck %s
// RUN: dlc-opt %s --pipeline-stages=stages=2 --no-output --remarks=all 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --pipeline-stages=stages=4 | FileCheck %s --check-prefix=MORE

// The guard asks for the step already. MORE is not needed: registers hold one step.
// REMARK-COUNT-4: passed] loads run 1 step ahead, through registers, in rings of 2
// MORE: tile<2 x [32, 32]
// CHECK-LABEL: kernel.func @guarded
// CHECK: %tile = shared : tile<2 x [32, 32], f32, col_major pitch 36>
// CHECK: %[[FIRST:.+]] = load %X[32*%b + i0, %k + i1] where (32*%b + i0 < M, %k + i1 < K) : frag<[32, 32], f32, [[BY:.+]]>
// CHECK-NEXT: store_shared %[[FIRST]] to %tile[%[[ZERO:.+]]]
// CHECK-NEXT: barrier
// CHECK-NEXT: for %[[K:.+]] = 0 to K step 32 carry (%acc = %zero, %stage = %[[ZERO]])
// CHECK-NEXT: %[[NEXT:.+]] = index (%[[K]] + 32)
// CHECK-NEXT: %[[LOADED:.+]] = load %X[32*%b + i0, %[[NEXT]] + i1] where (32*%b + i0 < M, %[[NEXT]] + i1 < K) : frag<[32, 32], f32, [[BY]]>
// CHECK-NEXT: load_shared %tile[%stage]
// CHECK-NEXT: binary add
// CHECK-NEXT: %next = index ((%stage + 1) mod 2)
// CHECK-NEXT: store_shared %[[LOADED]] to %tile[%next]
// CHECK-NEXT: barrier
// CHECK-NEXT: yield %{{.+}}, %next
kernel.func @guarded<M, K>(%X: memref<[M, K], f32, row_major, align 16>) -> memref<[M, 32], f32> {
  %Y = output : memref<[M, 32], f32>
  grid (M ceildiv 32) threads 128 {
    %tile = shared : tile<[32, 32], f32, col_major pitch 36>
    %b = block_id 0
    %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    %sum = for %k = 0 to K step 32 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
      copy %X[32*%b + i0, %k + i1] where (32*%b + i0 < M, %k + i1 < K) to %tile by blocked [1, 4] lanes [4, 8] warps [4, 1]
      barrier
      %x = load_shared %tile : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %s = binary add %acc, %x : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      barrier
      yield %s
    }
    store %sum to %Y[32*%b + i0, i1] where (32*%b + i0 < M)
  }
  return %Y
}

// Nothing is read after the last step, though no guard says so; the first step of a known number is there.
// CHECK-LABEL: kernel.func @unguarded
// CHECK: load %X[%k + i0, i1] : frag
// CHECK: for %[[K:.+]] = 0 to 96 step 32
// CHECK-NEXT: %[[NEXT:.+]] = index (%[[K]] + 32)
// CHECK-NEXT: load %X[%[[NEXT]] + i0, i1] where (%[[NEXT]] < 96) : frag
kernel.func @unguarded(%X: memref<[96, 32], f32, row_major, align 16>) -> memref<[32, 32], f32> {
  %Y = output : memref<[32, 32], f32>
  grid (1) threads 128 {
    %tile = shared : tile<[32, 32], f32, row_major>
    %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    %sum = for %k = 0 to 96 step 32 carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
      copy %X[%k + i0, i1] to %tile by blocked [1, 4] lanes [4, 8] warps [4, 1]
      barrier
      %x = load_shared %tile : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %s = binary add %acc, %x : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      barrier
      yield %s
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// Two tiles, a position that is computed in the loop, and steps whose number is known only when the kernel runs.
// CHECK-LABEL: kernel.func @two
// CHECK-COUNT-2: store_shared
// CHECK: barrier
// CHECK: for %[[K:.+]] = 0 to T carry
// CHECK-NEXT: %[[NEXT:.+]] = index (%[[K]] + 1)
// CHECK-NEXT: %[[ROW:.+]] = index (32*%[[NEXT]])
// CHECK-NEXT: load %X[%[[ROW]] + i0, i1] where (%[[ROW]] + i0 < M, %[[NEXT]] < T)
// CHECK-NEXT: load %X[%[[ROW]] + i0, i1 + 32] where (%[[ROW]] + i0 < M, %[[NEXT]] < T)
// CHECK-COUNT-2: store_shared
// CHECK-NEXT: barrier
// CHECK-NEXT: yield
kernel.func @two<M, T>(%X: memref<[M, 64], f32, row_major, align 16>) -> memref<[32, 32], f32> {
  %Y = output : memref<[32, 32], f32>
  grid (1) threads 128 {
    %left = shared : tile<[32, 32], f32, row_major>
    %right = shared : tile<[32, 32], f32, row_major>
    %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    %sum = for %t = 0 to T carry (%acc = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
      %row = index (32*%t)
      copy %X[%row + i0, i1] where (%row + i0 < M) to %left by blocked [1, 4] lanes [4, 8] warps [4, 1]
      copy %X[%row + i0, i1 + 32] where (%row + i0 < M) to %right by blocked [1, 4] lanes [4, 8] warps [4, 1]
      barrier
      %x = load_shared %left : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %y = load_shared %right : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %xy = binary mul %x, %y : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      %s = binary add %acc, %xy : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
      barrier
      yield %s
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}

// A loop in another one: each run of it begins with its first step.
// CHECK-LABEL: kernel.func @nested
// CHECK: for %o = 0 to 2
// CHECK: store_shared
// CHECK-NEXT: barrier
// CHECK-NEXT: for %
kernel.func @nested<K>(%X: memref<[2, 32, K], f32, row_major, align 16>) -> memref<[32, 32], f32> {
  %Y = output : memref<[32, 32], f32>
  grid (1) threads 128 {
    %tile = shared : tile<[32, 32], f32, row_major>
    %zero = const 0.0 : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    %all = for %o = 0 to 2 carry (%start = %zero) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
      %sum = for %k = 0 to K step 32 carry (%acc = %start) : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]> {
        copy %X[%o, i0, %k + i1] where (%k + i1 < K) to %tile by blocked [1, 4] lanes [4, 8] warps [4, 1]
        barrier
        %x = load_shared %tile : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
        %s = binary add %acc, %x : frag<[32, 32], f32, blocked [1, 8] lanes [8, 4] warps [4, 1]>
        barrier
        yield %s
      }
      yield %sum
    }
    store %all to %Y[i0, i1]
  }
  return %Y
}
