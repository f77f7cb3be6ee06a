// While one part of a step multiplies, the fragments of the next one are loaded, and a part of the copies is begun.

// RUN: dlc-opt %s --overlap-fragments --evaluate-each --check-async | FileCheck %s
// RUN: dlc-opt %s --overlap-fragments='planned' | FileCheck %s --check-prefix=PLAN

// What the first steps need is asked for in any case, and reads nothing beyond the end.
// CHECK-LABEL: kernel.func @gemm
// CHECK-NOT: if
// CHECK: copy_async %A[i0, i1] where (i1 < K, 1 <= K) to %lhs
// CHECK-NEXT: %[[FIRST:.+]] = copy_async %B
// CHECK: copy_async %A
// CHECK-NEXT: %[[SECOND:.+]] = copy_async %B
// CHECK-NEXT: await %[[FIRST]]
// CHECK-NEXT: barrier
// CHECK-NEXT: slice %lhs[%{{.+}}] at (0, 0) : tile<[32, 16], f16, swizzle 64>
// CHECK-NEXT: %[[A:.+]] = load_shared {{.*}} : frag<[32, 16], f16, mma_a [2, 2]>
// CHECK-NEXT: slice %rhs[%{{.+}}] at (0, 0) : tile<[16, 32], f16, swizzle 64 rows 32>
// CHECK-NEXT: %[[B:.+]] = load_shared {{.*}} : frag<[16, 32], f16, mma_b [2, 2]>
// CHECK-NEXT: for %k = 0 to K step 32 carry (%[[SUM:.+]] = %{{.+}}, %stage = %{{.+}}, %loaded = %[[FIRST]], %[[NEXT:.+]] = %[[SECOND]], %[[LEFT:.+]] = %[[A]], %[[RIGHT:.+]] = %[[B]])
// CHECK: slice %lhs[%stage] at (0, 16)
// CHECK-NEXT: %[[A1:.+]] = load_shared
// CHECK-NEXT: slice %rhs[%stage] at (16, 0)
// CHECK-NEXT: %[[B1:.+]] = load_shared
// CHECK-NEXT: copy_async %A[i0, %k + i1 + 64] where (%k + i1 + 64 < K, %k + 64 < K) to %lhs[%slot
// CHECK-NEXT: %[[LAST:.+]] = copy_async %B
// CHECK-NEXT: %[[ONE:.+]] = mma %[[LEFT]], %[[RIGHT]], %[[SUM]]
// CHECK-NEXT: await %[[NEXT]]
// CHECK-NEXT: barrier
// CHECK-NEXT: slice %lhs[%next] at (0, 0)
// CHECK-NEXT: %[[A2:.+]] = load_shared
// CHECK-NEXT: slice %rhs[%next] at (0, 0)
// CHECK-NEXT: %[[B2:.+]] = load_shared
// CHECK-NEXT: %[[TWO:.+]] = mma %[[A1]], %[[B1]], %[[ONE]]
// CHECK-NEXT: yield %[[TWO]], %next, %[[NEXT]], %[[LAST]], %[[A2]], %[[B2]]
// CHECK: await
// CHECK-NEXT: store
// PLAN-LABEL: kernel.func @gemm
// PLAN: if
kernel.func @gemm<K>(%A: memref<[32, K], f16, row_major, align 16>, %B: memref<[K, 32], f16, row_major, align 16>) -> memref<[32, 32], f32, row_major, align 16> attributes {target = "sm80"} {
  require (K mod 8 == 0)
  %D = output : memref<[32, 32], f32, row_major, align 16>
  grid (1) threads 128 {
    %rhs = shared : tile<3 x [32, 32], f16, swizzle 64>
    %lhs = shared : tile<3 x [32, 32], f16, swizzle 64>
    %0 = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
    %1 = index (0)
    %2 = if (0 < K) : token<load> {
      %3 = copy_async %A[i0, i1] where (i1 < K) to %lhs[%1] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      %4 = copy_async %B[i0, i1] where (i0 < K) to %rhs[%1] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      yield %4
    } else {
      %5 = done : token<load>
      yield %5
    }
    %6 = if (32 < K) : token<load> {
      %slot = index (1)
      %7 = copy_async %A[i0, i1 + 32] where (i1 + 32 < K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      %8 = copy_async %B[i0 + 32, i1] where (i0 + 32 < K) to %rhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      yield %8
    } else {
      %9 = done : token<load>
      yield %9
    }
    %s:4 = for %k = 0 to K step 32 carry (%10 = %0, %stage = %1, %loaded = %2, %loaded_0 = %6) : frag<[32, 32], f32, mma [2, 2]>, index, token<load>, token<load> {
      await %loaded
      barrier
      %11 = if (%k + 64 < K) : token<load> {
        %slot = index ((%stage + 2) mod 3)
        %12 = copy_async %A[i0, %k + i1 + 64] where (%k + i1 + 64 < K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
        %13 = copy_async %B[%k + i0 + 64, i1] where (%k + i0 + 64 < K) to %rhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
        yield %13
      } else {
        %14 = done : token<load>
        yield %14
      }
      %15 = load_shared %lhs[%stage] : frag<[32, 32], f16, mma_a [2, 2]>
      %16 = load_shared %rhs[%stage] : frag<[32, 32], f16, mma_b [2, 2]>
      %17 = mma %15, %16, %10 : frag<[32, 32], f32, mma [2, 2]>
      %next = index ((%stage + 1) mod 3)
      yield %17, %next, %loaded_0, %11
    }
    store %s to %D[i0, i1]
  }
  return %D
}

// A plan requires it.
// PLAN-LABEL: kernel.func @planned
// PLAN-NOT: if
// PLAN: plan.schedule
kernel.func @planned<K>(%A: memref<[32, K], f16, row_major, align 16>, %B: memref<[K, 32], f16, row_major, align 16>) -> memref<[32, 32], f32, row_major, align 16> attributes {target = "sm80"} {
  require (K mod 8 == 0)
  %D = output : memref<[32, 32], f32, row_major, align 16>
  grid (1) threads 128 {
    %rhs = shared : tile<3 x [32, 32], f16, swizzle 64>
    %lhs = shared : tile<3 x [32, 32], f16, swizzle 64>
    %0 = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
    %1 = index (0)
    %2 = if (0 < K) : token<load> {
      %3 = copy_async %A[i0, i1] where (i1 < K) to %lhs[%1] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      %4 = copy_async %B[i0, i1] where (i0 < K) to %rhs[%1] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      yield %4
    } else {
      %5 = done : token<load>
      yield %5
    }
    %6 = if (32 < K) : token<load> {
      %slot = index (1)
      %7 = copy_async %A[i0, i1 + 32] where (i1 + 32 < K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      %8 = copy_async %B[i0 + 32, i1] where (i0 + 32 < K) to %rhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      yield %8
    } else {
      %9 = done : token<load>
      yield %9
    }
    %s:4 = for %k = 0 to K step 32 carry (%10 = %0, %stage = %1, %loaded = %2, %loaded_0 = %6) : frag<[32, 32], f32, mma [2, 2]>, index, token<load>, token<load> {
      await %loaded
      barrier
      %11 = if (%k + 64 < K) : token<load> {
        %slot = index ((%stage + 2) mod 3)
        %12 = copy_async %A[i0, %k + i1 + 64] where (%k + i1 + 64 < K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
        %13 = copy_async %B[%k + i0 + 64, i1] where (%k + i0 + 64 < K) to %rhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
        yield %13
      } else {
        %14 = done : token<load>
        yield %14
      }
      %15 = load_shared %lhs[%stage] : frag<[32, 32], f16, mma_a [2, 2]>
      %16 = load_shared %rhs[%stage] : frag<[32, 32], f16, mma_b [2, 2]>
      %17 = mma %15, %16, %10 : frag<[32, 32], f32, mma [2, 2]>
      %next = index ((%stage + 1) mod 3)
      yield %17, %next, %loaded_0, %11
    }
    store %s to %D[i0, i1]
  }
  return %D
}
plan.schedule of @planned for sm80 {
  instruction mma [16, 8, 16]
  stages 3
  in_flight 1
}

// A tile that lies with k along its rows is divided there.
// CHECK-LABEL: kernel.func @whole
// CHECK: slice %rhs[%stage] at (0, 16) : tile<[32, 16], f16, swizzle 64>
// CHECK-NEXT: load_shared {{.*}} transposed : frag<[16, 32], f16, mma_b [2, 2]>
kernel.func @whole<K>(%A: memref<[32, K], f16, row_major, align 16>, %B: memref<[32, K], f16, row_major, align 16>) -> memref<[32, 32], f32, row_major, align 16> attributes {target = "sm80"} {
  require (K mod 8 == 0)
  %D = output : memref<[32, 32], f32, row_major, align 16>
  grid (1) threads 128 {
    %rhs = shared : tile<3 x [32, 32], f16, swizzle 64>
    %lhs = shared : tile<3 x [32, 32], f16, swizzle 64>
    %0 = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
    %1 = index (0)
    %2 = if (0 < K) : token<load> {
      %3 = copy_async %A[i0, i1] where (i1 < K) to %lhs[%1] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      %4 = copy_async %B[i0, i1] where (i1 < K) to %rhs[%1] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      yield %4
    } else {
      %5 = done : token<load>
      yield %5
    }
    %6 = if (32 < K) : token<load> {
      %slot = index (1)
      %7 = copy_async %A[i0, i1 + 32] where (i1 + 32 < K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      %8 = copy_async %B[i0, i1 + 32] where (i1 + 32 < K) to %rhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      yield %8
    } else {
      %9 = done : token<load>
      yield %9
    }
    %s:4 = for %k = 0 to K step 32 carry (%10 = %0, %stage = %1, %loaded = %2, %loaded_0 = %6) : frag<[32, 32], f32, mma [2, 2]>, index, token<load>, token<load> {
      await %loaded
      barrier
      %11 = if (%k + 64 < K) : token<load> {
        %slot = index ((%stage + 2) mod 3)
        %12 = copy_async %A[i0, %k + i1 + 64] where (%k + i1 + 64 < K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
        %13 = copy_async %B[i0, %k + i1 + 64] where (%k + i1 + 64 < K) to %rhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
        yield %13
      } else {
        %14 = done : token<load>
        yield %14
      }
      %15 = load_shared %lhs[%stage] : frag<[32, 32], f16, mma_a [2, 2]>
      %16 = load_shared %rhs[%stage] transposed : frag<[32, 32], f16, mma_b [2, 2]>
      %17 = mma %15, %16, %10 : frag<[32, 32], f32, mma [2, 2]>
      %next = index ((%stage + 1) mod 3)
      yield %17, %next, %loaded_0, %11
    }
    store %s to %D[i0, i1]
  }
  return %D
}

// Rows of copies are divided among the products of a step, if there are enough for all threads.
// CHECK-LABEL: kernel.func @divided
// CHECK: for %k
// CHECK: slice %lhs[%[[SLOT:.+]]] at (0, 0) : tile<[32, 32], f16, swizzle 64 rows 64>
// CHECK-NEXT: copy_async %A[i0, %k + i1 + 64]
// CHECK-NEXT: slice %rhs[%[[SLOT]]] at (0, 0) : tile<[16, 64], f16, swizzle 128 rows 32>
// CHECK-NEXT: copy_async %B[%k + i0 + 64, i1]
// CHECK-NEXT: mma
// CHECK-NEXT: slice %lhs[%[[SLOT]]] at (32, 0)
// CHECK-NEXT: copy_async %A[i0 + 32, %k + i1 + 64]
// CHECK-NEXT: slice %rhs[%[[SLOT]]] at (16, 0)
// CHECK-NEXT: %[[LAST:.+]] = copy_async %B[%k + i0 + 80, i1]
// CHECK-NEXT: await
// CHECK: yield {{.*}}, %[[LAST]],
kernel.func @divided<K>(%A: memref<[64, K], f16, row_major, align 16>, %B: memref<[K, 64], f16, row_major, align 16>) -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm80"} {
  require (K mod 8 == 0)
  %D = output : memref<[64, 64], f32, row_major, align 16>
  grid (1) threads 128 {
    %rhs = shared : tile<3 x [32, 64], f16, swizzle 128>
    %lhs = shared : tile<3 x [64, 32], f16, swizzle 64>
    %0 = const 0.0 : frag<[64, 64], f32, mma [2, 2]>
    %1 = index (0)
    %2 = if (0 < K) : token<load> {
      %3 = copy_async %A[i0, i1] where (i1 < K) to %lhs[%1] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      %4 = copy_async %B[i0, i1] where (i0 < K) to %rhs[%1] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      yield %4
    } else {
      %5 = done : token<load>
      yield %5
    }
    %6 = if (32 < K) : token<load> {
      %slot = index (1)
      %7 = copy_async %A[i0, i1 + 32] where (i1 + 32 < K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      %8 = copy_async %B[i0 + 32, i1] where (i0 + 32 < K) to %rhs[%slot] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      yield %8
    } else {
      %9 = done : token<load>
      yield %9
    }
    %s:4 = for %k = 0 to K step 32 carry (%10 = %0, %stage = %1, %loaded = %2, %loaded_0 = %6) : frag<[64, 64], f32, mma [2, 2]>, index, token<load>, token<load> {
      await %loaded
      barrier
      %11 = if (%k + 64 < K) : token<load> {
        %slot = index ((%stage + 2) mod 3)
        %12 = copy_async %A[i0, %k + i1 + 64] where (%k + i1 + 64 < K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
        %13 = copy_async %B[%k + i0 + 64, i1] where (%k + i0 + 64 < K) to %rhs[%slot] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
        yield %13
      } else {
        %14 = done : token<load>
        yield %14
      }
      %15 = load_shared %lhs[%stage] : frag<[64, 32], f16, mma_a [2, 2]>
      %16 = load_shared %rhs[%stage] : frag<[32, 64], f16, mma_b [2, 2]>
      %17 = mma %15, %16, %10 : frag<[64, 64], f32, mma [2, 2]>
      %next = index ((%stage + 1) mod 3)
      yield %17, %next, %loaded_0, %11
    }
    store %s to %D[i0, i1]
  }
  return %D
}

// Conditions on the step join those on the rows of a block, each over its own values.
// CHECK-LABEL: kernel.func @rows
// CHECK: copy_async %A[32*%b + i0, %k + i1 + 64] where (32*%b + i0 < M, %k + i1 + 64 < K, %k + 64 < K)
// PLAN-LABEL: kernel.func @rows
// PLAN: if
kernel.func @rows<M, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, 32], f16, row_major, align 16>) -> memref<[M, 32], f32, row_major, align 16> attributes {target = "sm80"} {
  require (K mod 8 == 0)
  %D = output : memref<[M, 32], f32, row_major, align 16>
  grid (M ceildiv 32) threads 128 {
    %b = block_id 0
    %rhs = shared : tile<3 x [32, 32], f16, swizzle 64>
    %lhs = shared : tile<3 x [32, 32], f16, swizzle 64>
    %0 = const 0.0 : frag<[32, 32], f32, mma [2, 2]>
    %1 = index (0)
    %2 = if (0 < K) : token<load> {
      %3 = copy_async %A[32*%b + i0, i1] where (32*%b + i0 < M, i1 < K) to %lhs[%1] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      %4 = copy_async %B[i0, i1] where (i0 < K) to %rhs[%1] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      yield %4
    } else {
      %5 = done : token<load>
      yield %5
    }
    %6 = if (32 < K) : token<load> {
      %slot = index (1)
      %7 = copy_async %A[32*%b + i0, i1 + 32] where (32*%b + i0 < M, i1 + 32 < K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      %8 = copy_async %B[i0 + 32, i1] where (i0 + 32 < K) to %rhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      yield %8
    } else {
      %9 = done : token<load>
      yield %9
    }
    %s:4 = for %k = 0 to K step 32 carry (%10 = %0, %stage = %1, %loaded = %2, %loaded_0 = %6) : frag<[32, 32], f32, mma [2, 2]>, index, token<load>, token<load> {
      await %loaded
      barrier
      %11 = if (%k + 64 < K) : token<load> {
        %slot = index ((%stage + 2) mod 3)
        %12 = copy_async %A[32*%b + i0, %k + i1 + 64] where (32*%b + i0 < M, %k + i1 + 64 < K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
        %13 = copy_async %B[%k + i0 + 64, i1] where (%k + i0 + 64 < K) to %rhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
        yield %13
      } else {
        %14 = done : token<load>
        yield %14
      }
      %15 = load_shared %lhs[%stage] : frag<[32, 32], f16, mma_a [2, 2]>
      %16 = load_shared %rhs[%stage] : frag<[32, 32], f16, mma_b [2, 2]>
      %17 = mma %15, %16, %10 : frag<[32, 32], f32, mma [2, 2]>
      %next = index ((%stage + 1) mod 3)
      yield %17, %next, %loaded_0, %11
    }
    store %s to %D[32*%b + i0, i1] where (32*%b + i0 < M)
  }
  return %D
}
plan.schedule of @rows for sm80 {
  instruction mma
  in_flight 0
}
