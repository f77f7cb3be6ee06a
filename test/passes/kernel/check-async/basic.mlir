// Kernels that are safe. What is broken in `broken/` is one of these with a small change.

// RUN: dlc-opt %s --check-async --split-input-file -o %t
// RUN: dlc-opt %s --split-input-file | cmp %t -
// RUN: dlc-opt %s --check-async --split-input-file --no-output --statistics 2>&1 | FileCheck %s
// RUN: dlc-opt %S/../../../kernels/attention.mlir --check-async --no-output
// RUN: dlc-opt %S/../../../kernels/attention_causal.mlir --check-async --no-output
// RUN: dlc-opt %S/../../../kernels/chain.mlir --check-async --no-output
// RUN: dlc-opt %S/../../../kernels/conv_im2col.mlir --check-async --no-output
// RUN: dlc-opt %S/../../../kernels/conv_window.mlir --check-async --no-output
// RUN: dlc-opt %S/../../../kernels/gelu_add.mlir --check-async --no-output
// RUN: dlc-opt %S/../../../kernels/gemm_cooperative.mlir --check-async --no-output
// RUN: dlc-opt %S/../../../kernels/gemm_pingpong.mlir --check-async --no-output
// RUN: dlc-opt %S/../../../kernels/gemm_small_m.mlir --check-async --no-output
// RUN: dlc-opt %S/../../../kernels/gemm_sm80.mlir --check-async --no-output
// RUN: dlc-opt %S/../../../kernels/row_layernorm.mlir --check-async --no-output
// RUN: dlc-opt %S/../../../kernels/row_rmsnorm.mlir --check-async --no-output
// RUN: dlc-opt %S/../../../kernels/row_softmax.mlir --check-async --no-output
// RUN: dlc-opt %S/../../../kernels/sgemm.mlir --check-async --no-output

// CHECK: 1 grids: Grids that were verified.

// A ring of three stages between a producer and a group that keeps one product in flight.
kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  %mD = tensor_map %D : tensormap<[64, 64], f16, swizzle 128>
  grid (N ceildiv 64, M ceildiv 64) threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sD = shared : tile<[64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 4 : mbarrier<3>
    %n = block_id 0
    %m = block_id 1
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 16384
        tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
        tma_load %mB[64 * %n, 64 * %k] to %sB[%s0] signal %full[%s0]
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %none = done : token<compute>
      %c, %s, %p, %last, %prev = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero, %held = %none, %before = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %held
        if (%k > 0) {
          arrive %empty[%before] by warp
        }
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1, %w, %s0
      }
      await %last
      if (K > 0) {
        arrive %empty[%prev] by warp
      }
      %h = cast %c : frag<[64, 64], f16, wgmma>
      store_shared %h to %sD
      fence_async
      barrier
      elect {
        %e = tma_store %sD to %mD[64 * %m, 64 * %n] : token<epilogue>
        await_read %e
      }
    }
  }
  return %D
}

// -----

// Two ping-pong groups.
kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  %mD = tensor_map %D : tensormap<[64, 64], f16, swizzle 128>
  grid (2) threads 384 {
    %sA = shared : tile<4 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<4 x [64, 64], f16, swizzle 128>
    %sD = shared : tile<2 x [64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<4>
    %empty = mbarriers arrivals 1 : mbarrier<4>
    %block = block_id 0
    %blocks = grid_size 0
    %tiles = index ((M ceildiv 64) * (N ceildiv 64))
    %steps = index (K ceildiv 64)
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 single {
      %s, %p = for %t = %block to %tiles step %blocks carry (%s0 = %zero, %p0 = %one) {
        %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 64) rows
        %s1, %p1 = for %k = 0 to %steps carry (%s2 = %s0, %p2 = %p0) {
          wait %empty[%s2] parity %p2
          expect %full[%s2] bytes 16384
          tma_load %mA[64 * %m, 64 * %k] to %sA[%s2] signal %full[%s2]
          tma_load %mB[64 * %n, 64 * %k] to %sB[%s2] signal %full[%s2]
          %s3, %p3 = advance %s2, %p2 over 4
          yield %s3, %p3
        }
        yield %s1, %p1
      }
    }
    role consumer warps 4 to 12 groups 2 (%g: index) {
      %mine = index (8 + %g)
      %other = index (9 - %g)
      %first = index (%block + %g * %blocks)
      if (%g == 1, %block < %tiles) {
        barrier_arrive id %other threads 256
      }
      %kept = done : token<epilogue>
      %all, %stored = for %t = %first to %tiles step 2 * %blocks carry (%i = %g, %e0 = %kept) {
        %m, %n = tile_order %t of (M ceildiv 64, N ceildiv 64) rows
        %s0 = index ((%i * %steps) mod 4)
        %p0 = index ((%i * %steps floordiv 4) mod 2)
        %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
        barrier id %mine threads 256
        %c, %s, %p = for %k = 0 to %steps carry (%c1 = %c0, %s1 = %s0, %p1 = %p0) {
          wait %full[%s1] parity %p1
          %c2, %w = wgmma %sA[%s1], %sB[%s1] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
          await %w
          arrive %empty[%s1] by one
          %s2, %p2 = advance %s1, %p1 over 4
          yield %c2, %s2, %p2
        }
        if (%t + %blocks < %tiles) {
          barrier_arrive id %other threads 256
        }
        %h = cast %c : frag<[64, 64], f16, wgmma>
        elect {
          await_read %e0
        }
        barrier
        store_shared %h to %sD[%g]
        fence_async
        barrier
        %e1 = elect : token<epilogue> {
          %e = tma_store %sD[%g] to %mD[64 * %m, 64 * %n] : token<epilogue>
          yield %e
        }
        %next = index (%i + 2)
        yield %next, %e1
      }
      elect {
        await_read %stored
      }
    }
  }
  return %D
}

// -----

// Two blocks share the second matrix.
kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[N, K], f16, row_major, align 16>)
    -> memref<[M, N], f16, row_major, align 16> attributes {target = "sm90"} {
  %D = output : memref<[M, N], f16, row_major, align 16>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[32, 64], f16, swizzle 128>
  %mD = tensor_map %D : tensormap<[64, 64], f16, swizzle 128>
  grid (N ceildiv 64, 2 * (M ceildiv 128)) cluster [1, 2] threads 256 {
    %sA = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<3 x [64, 64], f16, swizzle 128>
    %sD = shared : tile<[64, 64], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<3>
    %empty = mbarriers arrivals 2 : mbarrier<3>
    %n = block_id 0
    %m = block_id 1
    %rank = block_rank
    %zero = index (0)
    %one = index (1)
    cluster_barrier
    role producer warps 0 to 4 single {
      %s, %p = for %k = 0 to K ceildiv 64 carry (%s0 = %zero, %p0 = %one) {
        wait %empty[%s0] parity %p0
        expect %full[%s0] bytes 16384
        tma_load %mA[64 * %m, 64 * %k] to %sA[%s0] signal %full[%s0]
        %half = slice %sB[%s0] at (32 * %rank, 0) : tile<[32, 64], f16, swizzle 128>
        tma_load %mB[64 * %n + 32 * %rank, 64 * %k] to %half signal %full[%s0] multicast 3
        %s1, %p1 = advance %s0, %p0 over 3
        yield %s1, %p1
      }
      // The block stays until both blocks have released every stage.
      %s2, %p2 = for %k = 0 to 3 carry (%s3 = %s, %p3 = %p) {
        wait %empty[%s3] parity %p3
        %s4, %p4 = advance %s3, %p3 over 3
        yield %s4, %p4
      }
    }
    role consumer warps 4 to 8 {
      %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
      %c, %s, %p = for %k = 0 to K ceildiv 64 carry (%c1 = %c0, %s0 = %zero, %p0 = %zero) {
        wait %full[%s0] parity %p0
        %c2, %w = wgmma %sA[%s0], %sB[%s0] transposed, %c1 : frag<[64, 64], f32, wgmma>, token<compute>
        await %w
        arrive %empty[%s0] on %zero by one
        arrive %empty[%s0] on %one by one
        %s1, %p1 = advance %s0, %p0 over 3
        yield %c2, %s1, %p1
      }
      %h = cast %c : frag<[64, 64], f16, wgmma>
      store_shared %h to %sD
      fence_async
      barrier
      elect {
        %e = tma_store %sD to %mD[64 * %m, 64 * %n] : token<epilogue>
        await_read %e
      }
    }
  }
  return %D
}

// -----

// Copies by threads, two steps ahead.
kernel.func @gemm<M, N, K>(%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    -> memref<[M, N], f32> attributes {target = "sm80"} {
  %D = output : memref<[M, N], f32>
  grid (N ceildiv 64, M ceildiv 64) threads 128 {
    %sA = shared : tile<3 x [64, 32], f16, swizzle 64>
    %sB = shared : tile<3 x [32, 64], f16, swizzle 128>
    %n = block_id 0
    %m = block_id 1
    %zero = index (0)
    %one = index (1)
    %c0 = const 0.0 : frag<[64, 64], f32, mma [2, 2]>
    %a0 = copy_async %A[64 * %m + i0, i1] where (64 * %m + i0 < M, i1 < K) else 0.0 to %sA[%zero] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
    %b0 = copy_async %B[i0, 64 * %n + i1] where (i0 < K, 64 * %n + i1 < N) else 0.0 to %sB[%zero] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
    %a1 = copy_async %A[64 * %m + i0, 32 + i1] where (64 * %m + i0 < M, 32 + i1 < K) else 0.0 to %sA[%one] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
    %b1 = copy_async %B[32 + i0, 64 * %n + i1] where (32 + i0 < K, 64 * %n + i1 < N) else 0.0 to %sB[%one] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
    %c, %now, %last = for %k = 0 to K ceildiv 32 carry (%c1 = %c0, %t0 = %b0, %t1 = %b1) {
      %s0 = index (%k mod 3)
      %s2 = index ((%k + 2) mod 3)
      await %t0
      barrier
      %a = copy_async %A[64 * %m + i0, 32 * %k + 64 + i1] where (64 * %m + i0 < M, 32 * %k + 64 + i1 < K) else 0.0 to %sA[%s2] by blocked [1, 8] lanes [8, 4] warps [4, 1] : token<load>
      %b = copy_async %B[32 * %k + 64 + i0, 64 * %n + i1] where (32 * %k + 64 + i0 < K, 64 * %n + i1 < N) else 0.0 to %sB[%s2] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      %x = load_shared %sA[%s0] : frag<[64, 32], f16, mma_a [2, 2]>
      %y = load_shared %sB[%s0] : frag<[32, 64], f16, mma_b [2, 2]>
      %c2 = mma %x, %y, %c1 : frag<[64, 64], f32, mma [2, 2]>
      yield %c2, %t1, %b
    }
    await %last
    store %c to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
  }
  return %D
}

// -----

// The dump of section 9.3 of the specification, with the barrier expected and waited for again.
kernel.func @gemm(%A: memref<[64, 128], f16, row_major, align 16>, %B: memref<[64, 128], f16, row_major, align 16>) -> memref<[64, 64], f32>
    attributes {target = "sm90"} {
  %C = output : memref<[64, 64], f32>
  %mA = tensor_map %A : tensormap<[64, 64], f16, swizzle 128>
  %mB = tensor_map %B : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %sA = shared : tile<2 x [64, 64], f16, swizzle 128>
    %sB = shared : tile<2 x [64, 64], f16, swizzle 128>
    %mb = mbarriers arrivals 1 : mbarrier<1>
    %s0 = index (0)
    %s1 = index (1)
    barrier
    elect {
      expect %mb bytes 16384
      tma_load %mA[0, 0] to %sA[%s0] signal %mb
      tma_load %mB[0, 0] to %sB[%s0] signal %mb
    }
    wait %mb parity %s0
    %zero = const 0.0 : frag<[64, 64], f32, wgmma>
    %acc, %tMMA0 = wgmma %sA[%s0], %sB[%s0] transposed, %zero : frag<[64, 64], f32, wgmma>, token<compute>
    await %tMMA0
    elect {
      expect %mb bytes 16384
      tma_load %mA[0, 64] to %sA[%s1] signal %mb
      tma_load %mB[0, 64] to %sB[%s1] signal %mb
    }
    wait %mb parity %s1
    %sum, %tMMA1 = wgmma %sA[%s1], %sB[%s1] transposed, %acc : frag<[64, 64], f32, wgmma>, token<compute>
    await %tMMA1
    store %sum to %C[i0, i1]
  }
  return %C
}
