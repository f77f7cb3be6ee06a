// Copies are still on their way at the end.

// RUN: dlc-opt %s --check-async --no-output --verify-diagnostics

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
      // expected-error@+1 {{E1809 'kernel.copy_async': a copy to shared memory is not awaited when the warps end}}
      %b = copy_async %B[32 * %k + 64 + i0, 64 * %n + i1] where (32 * %k + 64 + i0 < K, 64 * %n + i1 < N) else 0.0 to %sB[%s2] by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
      %x = load_shared %sA[%s0] : frag<[64, 32], f16, mma_a [2, 2]>
      %y = load_shared %sB[%s0] : frag<[32, 64], f16, mma_b [2, 2]>
      %c2 = mma %x, %y, %c1 : frag<[64, 64], f32, mma [2, 2]>
      yield %c2, %t1, %b
    }
    store %c to %D[64 * %m + i0, 64 * %n + i1] where (64 * %m + i0 < M, 64 * %n + i1 < N)
  }
  return %D
}
