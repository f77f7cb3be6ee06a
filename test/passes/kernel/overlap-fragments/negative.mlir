// What stays as it is, and why.

// RUN: dlc-opt %s --overlap-fragments --remarks=missed -o %t.mlir 2>&1 | FileCheck %s
// RUN: dlc-opt %s | cmp %t.mlir -

// CHECK: the fragments of this loop are not loaded ahead: the tiles of the next step are asked for in the same one
kernel.func @two_stages<K>(%A: memref<[32, K], f16, row_major, align 16>, %B: memref<[K, 32], f16, row_major, align 16>) -> memref<[32, 32], f32, row_major, align 16> attributes {target = "sm80"} {
  require (K mod 8 == 0)
  %D = output : memref<[32, 32], f32, row_major, align 16>
  grid (1) threads 128 {
    %rhs = shared : tile<2 x [32, 32], f16, swizzle 64>
    %lhs = shared : tile<2 x [32, 32], f16, swizzle 64>
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
    %s:3 = for %k = 0 to K step 32 carry (%10 = %0, %stage = %1, %loaded = %2) : frag<[32, 32], f32, mma [2, 2]>, index, token<load> {
      await %loaded
      barrier
      %11 = if (%k + 32 < K) : token<load> {
        %slot = index ((%stage + 1) mod 2)
        %12 = copy_async %A[i0, %k + i1 + 32] where (%k + i1 + 32 < K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
        %13 = copy_async %B[%k + i0 + 32, i1] where (%k + i0 + 32 < K) to %rhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
        yield %13
      } else {
        %14 = done : token<load>
        yield %14
      }
      %15 = load_shared %lhs[%stage] : frag<[32, 32], f16, mma_a [2, 2]>
      %16 = load_shared %rhs[%stage] : frag<[32, 32], f16, mma_b [2, 2]>
      %17 = mma %15, %16, %10 : frag<[32, 32], f32, mma [2, 2]>
      %next = index ((%stage + 1) mod 2)
      yield %17, %next, %11
    }
    store %s to %D[i0, i1]
  }
  return %D
}

// CHECK: the fragments of this loop are not loaded ahead: its products do not only add up
kernel.func @not_a_sum<K>(%A: memref<[32, K], f16, row_major, align 16>, %B: memref<[K, 32], f16, row_major, align 16>) -> memref<[32, 32], f32, row_major, align 16> attributes {target = "sm80"} {
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
      %18 = unary neg %17
      %next = index ((%stage + 1) mod 3)
      yield %18, %next, %loaded_0, %11
    }
    store %s to %D[i0, i1]
  }
  return %D
}

// CHECK: the fragments of this loop are not loaded ahead: 'kernel.store' stands in it
kernel.func @store<K>(%A: memref<[32, K], f16, row_major, align 16>, %B: memref<[K, 32], f16, row_major, align 16>) -> memref<[32, 32], f32, row_major, align 16> attributes {target = "sm80"} {
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
      store %10 to %D[i0, i1]
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

// CHECK: the fragments of this loop are not loaded ahead: a step of 16 is one product of 16
kernel.func @one_product<K>(%A: memref<[32, K], f16, row_major, align 16>, %B: memref<[K, 32], f16, row_major, align 16>) -> memref<[32, 32], f32, row_major, align 16> attributes {target = "sm80"} {
  require (K mod 8 == 0)
  %D = output : memref<[32, 32], f32, row_major, align 16>
  grid (1) threads 128 {
    %rhs = shared : tile<3 x [16, 32], f16, swizzle 64>
    %lhs = shared : tile<3 x [32, 16], f16, swizzle 32>
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
    %6 = if (16 < K) : token<load> {
      %slot = index (1)
      %7 = copy_async %A[i0, i1 + 16] where (i1 + 16 < K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      %8 = copy_async %B[i0 + 16, i1] where (i0 + 16 < K) to %rhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      yield %8
    } else {
      %9 = done : token<load>
      yield %9
    }
    %s:4 = for %k = 0 to K step 16 carry (%10 = %0, %stage = %1, %loaded = %2, %loaded_0 = %6) : frag<[32, 32], f32, mma [2, 2]>, index, token<load>, token<load> {
      await %loaded
      barrier
      %11 = if (%k + 32 < K) : token<load> {
        %slot = index ((%stage + 2) mod 3)
        %12 = copy_async %A[i0, %k + i1 + 32] where (%k + i1 + 32 < K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
        %13 = copy_async %B[%k + i0 + 32, i1] where (%k + i0 + 32 < K) to %rhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
        yield %13
      } else {
        %14 = done : token<load>
        yield %14
      }
      %15 = load_shared %lhs[%stage] : frag<[32, 16], f16, mma_a [2, 2]>
      %16 = load_shared %rhs[%stage] : frag<[16, 32], f16, mma_b [2, 2]>
      %17 = mma %15, %16, %10 : frag<[32, 32], f32, mma [2, 2]>
      %next = index ((%stage + 1) mod 3)
      yield %17, %next, %loaded_0, %11
    }
    store %s to %D[i0, i1]
  }
  return %D
}

// CHECK: the fragments of this loop are not loaded ahead: 'kernel.if' stands in it
kernel.func @no_meeting<K>(%A: memref<[32, K], f16, row_major, align 16>, %B: memref<[K, 32], f16, row_major, align 16>) -> memref<[32, 32], f32, row_major, align 16> attributes {target = "sm80"} {
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

// The sum is seen halfway.
// CHECK: the fragments of this loop are not loaded ahead: its products do not only add up
kernel.func @seen<K>(%A: memref<[32, K], f16, row_major, align 16>, %B: memref<[K, 32], f16, row_major, align 16>) -> memref<[32, 32], f32, row_major, align 16> attributes {target = "sm80"} {
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
      %18 = unary neg %17
      %next = index ((%stage + 1) mod 3)
      yield %17, %next, %loaded_0, %11
    }
    store %s to %D[i0, i1]
  }
  return %D
}

// A fragment is used for something else too.
// CHECK: the fragments of this loop are not loaded ahead: its tiles are no rings
kernel.func @twice<K>(%A: memref<[32, K], f16, row_major, align 16>, %B: memref<[K, 32], f16, row_major, align 16>) -> memref<[32, 32], f32, row_major, align 16> attributes {target = "sm80"} {
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
      %18 = unary neg %15
      %next = index ((%stage + 1) mod 3)
      yield %17, %next, %loaded_0, %11
    }
    store %s to %D[i0, i1]
  }
  return %D
}

// CHECK: the fragments of this loop are not loaded ahead: its tiles are of two steps
kernel.func @steps<K>(%A: memref<[32, K], f16, row_major, align 16>, %B: memref<[K, 32], f16, row_major, align 16>) -> memref<[32, 32], f32, row_major, align 16> attributes {target = "sm80"} {
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
    %s:5 = for %k = 0 to K step 32 carry (%10 = %0, %stage = %1, %other = %1, %loaded = %2, %loaded_0 = %6) : frag<[32, 32], f32, mma [2, 2]>, index, index, token<load>, token<load> {
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
      %16 = load_shared %rhs[%other] : frag<[32, 32], f16, mma_b [2, 2]>
      %17 = mma %15, %16, %10 : frag<[32, 32], f32, mma [2, 2]>
      %next = index ((%stage + 1) mod 3)
      yield %17, %next, %next, %loaded_0, %11
    }
    store %s to %D[i0, i1]
  }
  return %D
}

// CHECK: the fragments of this loop are not loaded ahead: fragments of two products and their sums are {{[0-9]+}} registers
kernel.func @large<K>(%A: memref<[128, K], f16, row_major, align 16>, %B: memref<[K, 256], f16, row_major, align 16>) -> memref<[128, 256], f32, row_major, align 16> attributes {target = "sm80"} {
  require (K mod 8 == 0)
  %D = output : memref<[128, 256], f32, row_major, align 16>
  grid (1) threads 128 {
    %rhs = shared : tile<3 x [32, 256], f16, row_major>
    %lhs = shared : tile<3 x [128, 32], f16, swizzle 64>
    %0 = const 0.0 : frag<[128, 256], f32, mma [2, 2]>
    %1 = index (0)
    %2 = if (0 < K) : token<load> {
      %3 = copy_async %A[i0, i1] where (i1 < K) to %lhs[%1] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      %4 = copy_async %B[i0, i1] where (i0 < K) to %rhs[%1] by blocked [1, 8] lanes [1, 32] warps [4, 1] : token<load>
      yield %4
    } else {
      %5 = done : token<load>
      yield %5
    }
    %6 = if (32 < K) : token<load> {
      %slot = index (1)
      %7 = copy_async %A[i0, i1 + 32] where (i1 + 32 < K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      %8 = copy_async %B[i0 + 32, i1] where (i0 + 32 < K) to %rhs[%slot] by blocked [1, 8] lanes [1, 32] warps [4, 1] : token<load>
      yield %8
    } else {
      %9 = done : token<load>
      yield %9
    }
    %s:4 = for %k = 0 to K step 32 carry (%10 = %0, %stage = %1, %loaded = %2, %loaded_0 = %6) : frag<[128, 256], f32, mma [2, 2]>, index, token<load>, token<load> {
      await %loaded
      barrier
      %11 = if (%k + 64 < K) : token<load> {
        %slot = index ((%stage + 2) mod 3)
        %12 = copy_async %A[i0, %k + i1 + 64] where (%k + i1 + 64 < K) to %lhs[%slot] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
        %13 = copy_async %B[%k + i0 + 64, i1] where (%k + i0 + 64 < K) to %rhs[%slot] by blocked [1, 8] lanes [1, 32] warps [4, 1] : token<load>
        yield %13
      } else {
        %14 = done : token<load>
        yield %14
      }
      %15 = load_shared %lhs[%stage] : frag<[128, 32], f16, mma_a [2, 2]>
      %16 = load_shared %rhs[%stage] : frag<[32, 256], f16, mma_b [2, 2]>
      %17 = mma %15, %16, %10 : frag<[128, 256], f32, mma [2, 2]>
      %next = index ((%stage + 1) mod 3)
      yield %17, %next, %loaded_0, %11
    }
    store %s to %D[i0, i1]
  }
  return %D
}

// A loop without a product is not spoken of.
// CHECK-NOT: missed
kernel.func @none() -> memref<[32], f32> {
  %D = output : memref<[32], f32>
  grid (1) threads 32 {
    %c = const 1.0 : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %s = for %k = 0 to 4 carry (%a = %c) : frag<[32], f32, blocked [1] lanes [32] warps [1]> {
      %b = binary add %a, %c : frag<[32], f32, blocked [1] lanes [32] warps [1]>
      yield %b
    }
    store %s to %D[i0]
  }
  return %D
}
