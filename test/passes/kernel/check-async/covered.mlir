// What is right at each size, in each block and whatever the data.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// 'expect' and the copies agree.
kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16>, %B: memref<[N, K], f16>) -> memref<[M, N], f16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16>
  %mA = tensor_map %A : tensormap<[64, 32], f16, swizzle 64>
  %mB = tensor_map %B : tensormap<[64, 32], f16, swizzle 64>
  grid (M ceildiv 64, N ceildiv 64) threads 256 {
    %sA = shared : tile<6 x [64, 32], f16, swizzle 64>
    %sB = shared : tile<6 x [64, 32], f16, swizzle 64>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %m = block_id 0
    %n = block_id 1
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 registers 40 single {
      for %k = 0 to K step 64 carry (%s = %zero, %p = %one) {
        %lo = index (2 * %s)
        %hi = index (2 * %s + 1)
        wait %empty[%s] parity %p
        if (%k + 32 < K) {
          expect %full[%s] bytes 16384
        } else {
          expect %full[%s] bytes 8192
        }
        tma_load %mA[64 * %m, %k] to %sA[%lo] signal %full[%s]
        tma_load %mB[64 * %n, %k] to %sB[%lo] signal %full[%s]
        if (%k + 32 < K) {
          tma_load %mA[64 * %m, %k + 32] to %sA[%hi] signal %full[%s]
          tma_load %mB[64 * %n, %k + 32] to %sB[%hi] signal %full[%s]
        }
        %s1, %p1 = advance %s, %p over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 registers 232 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K step 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        %lo = index (2 * %s0)
        %hi = index (2 * %s0 + 1)
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%lo], %sB[%lo] transposed, %c1
        await %w
        %c4 = if (%k + 32 < K) : frag<[64, 64], f32, wgmma> {
          %c3, %w2 = wgmma %sA[%hi], %sB[%hi] transposed, %c2
          await %w2
          yield %c3
        } else {
          yield %c2
        }
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c4, %s1, %p1
      }
      %h = cast %c : frag<[64, 64], f16, wgmma>
      store %h to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
    }
  }
  return %D
}

// -----

// Each way meets one barrier after its last store.
kernel.func @t<N>(%X: memref<[64, 64], f16>, %F: memref<[4], i32>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16>

  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %zero = index (0)
    %one = index (1)
    %f0 = load %F[0] : i32
    %z = const 0 : i32
    %a = binary ne %f0, %z : i1
    store_shared %x to %sX
    barrier
    if %a {
      barrier
    } else {
      %y0 = binary add %x, %x : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      store_shared %y0 to %sX
    }
    if %a {
    } else {
      barrier
    }
    %y = load_shared %sX : frag<[64, 64], f16, blocked [8, 1] lanes [8, 4] warps [1, 4]>
    store %y to %Y[i0, i1]

  }
  return %Y
}

// -----

// 64-bit numbers.
kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16>, %B: memref<[N, K], f16>) -> memref<[M, N], f16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16>
  %mA = tensor_map %A : tensormap<[64, 16], f16, swizzle 32>
  %mB = tensor_map %B : tensormap<[64, 16], f16, swizzle 32>
  grid (M ceildiv 64, N ceildiv 64) threads 256 {
    %sA = shared : tile<3 x [64, 16], f16, swizzle 32>
    %sB = shared : tile<3 x [64, 16], f16, swizzle 32>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 1 : mbarrier<3>
    %m = block_id 0
    %n = block_id 1
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 registers 40 single {
      for %k = 0 to K step 16 carry (%s = %zero, %p = %one) {
        %k1 = index (%k floordiv 16)
%t = index (1000000007 * %k1)
%u = min %t, %t
%pp = index (1 - (%u floordiv 3000000021) mod 2)
wait %empty[%s] parity %pp

        expect %full[%s] bytes 4096
        tma_load %mA[64 * %m, %k] to %sA[%s] signal %full[%s]
        tma_load %mB[64 * %n, %k] to %sB[%s] signal %full[%s]
        %s1, %p1 = advance %s, %p over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 registers 232 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K step 16 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0

        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1
        await %w
        arrive %empty[%s0] by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      %h = cast %c : frag<[64, 64], f16, wgmma>
      store %h to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
    }
  }
  return %D
}

// -----

// The barrier is there at each size.
kernel.func @t<N>(%X: memref<[64, 64], f32, row_major, align 16>, %F: memref<[8], i32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    if (N < 123456) {
      barrier
    } else {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// Both conditions are one, after copies of threads.
kernel.func @t<N>(%X: memref<[64, 64], f32, row_major, align 16>, %F: memref<[8], i32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %z = const 0 : i32
    %f0 = load %F[0] : i32
    %c0 = binary ne %f0, %z : i1
    %f1 = load %F[1] : i32
    %c1 = binary ne %f1, %z : i1
    %f2 = load %F[2] : i32
    %c2 = binary ne %f2, %z : i1
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if %c0 {
      barrier
    }
    if %c0 {
    } else {
      barrier
    }
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// Blocks have as many steps as one of nine rows says; of many blocks, those that are run are of each row.
kernel.func @nine_rows<A>(%X: memref<[A, 2, 520, 64], f16, row_major, align 128, noalias>) -> memref<[A, 2, 520, 64], f16, row_major, align 128, noalias> attributes {target = "sm80"} {
  %Y = output : memref<[A, 2, 520, 64], f16, row_major, align 128, noalias>
  grid (18*A) threads 128 {
    %s = shared : tile<8 x [32, 64], f16, swizzle 128>
    %tile = block_id 0
    %in = index (%tile mod 9)
    %row, %column = tile_order %in of (9, 1) rows
    %zero = index (0)
    %rows = index (520)
    %behind = index (64*%row + 64)
    %end = min %rows, %behind
    %c = const 0.0 : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %l0 = if (0 < %end) : token<load> {
      %p0 = index (0)
      %q0 = index (0)
      %c0 = copy_async %X[%tile floordiv 18, (%tile floordiv 9) mod 2, %p0 + i0, i1] to %s[%q0] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      yield %c0
    } else {
      %d0 = done : token<load>
      yield %d0
    }
    %l1 = if (32 < %end) : token<load> {
      %p1 = index (32)
      %q1 = index (1)
      %c1 = copy_async %X[%tile floordiv 18, (%tile floordiv 9) mod 2, %p1 + i0, i1] to %s[%q1] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      yield %c1
    } else {
      %d1 = done : token<load>
      yield %d1
    }
    %l2 = if (64 < %end) : token<load> {
      %p2 = index (64)
      %q2 = index (2)
      %c2 = copy_async %X[%tile floordiv 18, (%tile floordiv 9) mod 2, %p2 + i0, i1] to %s[%q2] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      yield %c2
    } else {
      %d2 = done : token<load>
      yield %d2
    }
    %l3 = if (96 < %end) : token<load> {
      %p3 = index (96)
      %q3 = index (3)
      %c3 = copy_async %X[%tile floordiv 18, (%tile floordiv 9) mod 2, %p3 + i0, i1] to %s[%q3] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      yield %c3
    } else {
      %d3 = done : token<load>
      yield %d3
    }
    %l4 = if (128 < %end) : token<load> {
      %p4 = index (128)
      %q4 = index (4)
      %c4 = copy_async %X[%tile floordiv 18, (%tile floordiv 9) mod 2, %p4 + i0, i1] to %s[%q4] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      yield %c4
    } else {
      %d4 = done : token<load>
      yield %d4
    }
    %l5 = if (160 < %end) : token<load> {
      %p5 = index (160)
      %q5 = index (5)
      %c5 = copy_async %X[%tile floordiv 18, (%tile floordiv 9) mod 2, %p5 + i0, i1] to %s[%q5] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      yield %c5
    } else {
      %d5 = done : token<load>
      yield %d5
    }
    %l6 = if (192 < %end) : token<load> {
      %p6 = index (192)
      %q6 = index (6)
      %c6 = copy_async %X[%tile floordiv 18, (%tile floordiv 9) mod 2, %p6 + i0, i1] to %s[%q6] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      yield %c6
    } else {
      %d6 = done : token<load>
      yield %d6
    }
    %r:9 = for %i = 0 to %end step 32 carry (%sum = %c, %stage = %zero, %t0 = %l0, %t1 = %l1, %t2 = %l2, %t3 = %l3, %t4 = %l4, %t5 = %l5, %t6 = %l6) {
      await %t0
      barrier
      %l = if (%i + 224 < %end) : token<load> {
        %p = index (%i + 224)
        %q = index ((%stage + 7) mod 8)
        %copy = copy_async %X[%tile floordiv 18, (%tile floordiv 9) mod 2, %p + i0, i1] where (%p + i0 < 520) to %s[%q] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
        yield %copy
      } else {
        %none = done : token<load>
        yield %none
      }
      %x = load_shared %s[%stage] : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %y = binary add %sum, %x : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      %next = index ((%stage + 1) mod 8)
      yield %y, %next, %t1, %t2, %t3, %t4, %t5, %t6, %l
    }
    store %r#0 to %Y[%tile floordiv 18, (%tile floordiv 9) mod 2, 64*%row + i0, i1] where (64*%row + i0 < 520)
  }
  return %Y
}
