// RUN: dlc-opt %s --add-fallback=each=true --evaluate-each | snapshot %s
// RUN: dlc-opt %s --add-fallback=each=true --tensorize --evaluate-each -o %t.mlir
// RUN: dlc-run %s --function=program --shape=M=5,K=3 --seed=0 -o %t.npz
// RUN: dlc-run %t.mlir --function=program --shape=M=5,K=3 --seed=0 --check=%t.npz
// RUN: dlc-run %s --function=program --shape=M=5,K=24 --seed=0 -o %t.npz
// RUN: dlc-run %t.mlir --function=program --shape=M=5,K=24 --seed=0 --check=%t.npz

// A copy for each size that alone does not fit, where the plan asks about several, and one for all.
host.func @program<M, K>(%x: memref<[M, K], f16, row_major, align 16>, %w: memref<[K, 64], f16, row_major, align 16>, %v: memref<[K, 12], f16, row_major, align 16>)
    -> (memref<[M, 64], f32, row_major, align 16>, memref<[M, 64], f32, row_major, align 16>, memref<[M, 12], f32, row_major, align 16>) {
  %y = launch @gemm<M, 64, K> (%x, %w) : memref<[M, 64], f32, row_major, align 16>
  %z = launch @gemm<M, 64, K> where (M <= 8) else @gemm_any<M, 64, K> (%x, %w) : memref<[M, 64], f32, row_major, align 16>
  %u = launch @gemm<M, 12, K> (%x, %v) : memref<[M, 12], f32, row_major, align 16>
  return %y, %z, %u
}

// The plan names no kernel, and is that of this one from here on; the name that the copy would have is taken.
region.func private @gemm<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}
plan.schedule of @gemm for sm90 {
  tile (m: 64, n: 64, k: 64)
  assume (K: 8, N: 8)
  instruction wgmma
  cache A (m, k) f16 in smem
  cache B (k, n) f16 in smem
  barrier mbarrier
}
region.func private @gemm_any<M, N, K> iters (m: M, n: N)
    ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
    outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %A[m, k] : f16 over (m, k)
    %b = read %B[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to C
}

// EXPECT:
// module {
//   host.func @program<M, K>(%x: memref<[M, K], f16, row_major, align 16>, %w: memref<[K, 64], f16, row_major, align 16>, %v: memref<[K, 12], f16, row_major, align 16>) -> (memref<[M, 64], f32, row_major, align 16>, memref<[M, 64], f32, row_major, align 16>, memref<[M, 12], f32, row_major, align 16>) {
//     %y = launch @gemm<M, 64, K> where (K mod 8 == 0) else @gemm_any_0<M, 64, K> (%x, %w) : memref<[M, 64], f32, row_major, align 16>
//     %z = launch @gemm<M, 64, K> where (M < 9, K mod 8 == 0) else @gemm_any<M, 64, K> (%x, %w) : memref<[M, 64], f32, row_major, align 16>
//     %u = launch @gemm_any_1<M, 12, K> where (K mod 8 == 0) else @gemm_any_2<M, 12, K> (%x, %v) : memref<[M, 12], f32, row_major, align 16>
//     return %y, %z, %u
//   }
//   region.func private @gemm<M, N, K> iters (m: M, n: N)
//     ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
//     outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
//     %s = reduce sum (k: K) acc f32 init 0.0 {
//       %a = read %A[m, k] : f16 over (m, k)
//       %b = read %B[k, n] : f16 over (n, k)
//       %ab = binary mul %a, %b widen : f32 over (m, n, k)
//       yield %ab
//     } : f32 over (m, n)
//     yield %s to C
//   }
//   region.func private @gemm_any_0<M, N, K> iters (m: M, n: N)
//     ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
//     outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
//     %s = reduce sum (k: K) acc f32 init 0.0 {
//       %a = read %A[m, k] : f16 over (m, k)
//       %b = read %B[k, n] : f16 over (n, k)
//       %ab = binary mul %a, %b widen : f32 over (m, n, k)
//       yield %ab
//     } : f32 over (m, n)
//     yield %s to C
//   }
//   region.func private @gemm_any_1<M, N, K> iters (m: M, n: N)
//     ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
//     outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
//     %s = reduce sum (k: K) acc f32 init 0.0 {
//       %a = read %A[m, k] : f16 over (m, k)
//       %b = read %B[k, n] : f16 over (n, k)
//       %ab = binary mul %a, %b widen : f32 over (m, n, k)
//       yield %ab
//     } : f32 over (m, n)
//     yield %s to C
//   }
//   region.func private @gemm_any_2<M, N, K> iters (m: M, n: N)
//     ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
//     outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
//     %s = reduce sum (k: K) acc f32 init 0.0 {
//       %a = read %A[m, k] : f16 over (m, k)
//       %b = read %B[k, n] : f16 over (n, k)
//       %ab = binary mul %a, %b widen : f32 over (m, n, k)
//       yield %ab
//     } : f32 over (m, n)
//     yield %s to C
//   }
//   plan.schedule of @gemm_any_2 for sm90 {
//     tile (m: 64, n: 64, k: 64)
//     instruction wgmma
//     cache A (m, k) f16 in smem
//     cache B (k, n) f16 in smem
//     barrier mbarrier
//     algo (load_A: padded, load_B: padded)
//   }
//   plan.schedule of @gemm_any_1 for sm90 {
//     tile (m: 64, n: 64, k: 64)
//     assume (K: 8)
//     instruction wgmma
//     cache A (m, k) f16 in smem
//     cache B (k, n) f16 in smem
//     barrier mbarrier
//     algo (load_B: padded)
//   }
//   plan.schedule of @gemm_any_0 for sm90 {
//     tile (m: 64, n: 64, k: 64)
//     assume (N: 8)
//     instruction wgmma
//     cache A (m, k) f16 in smem
//     cache B (k, n) f16 in smem
//     barrier mbarrier
//     algo (load_A: padded)
//   }
//   plan.schedule of @gemm for sm90 {
//     tile (m: 64, n: 64, k: 64)
//     assume (K: 8, N: 8)
//     instruction wgmma
//     cache A (m, k) f16 in smem
//     cache B (k, n) f16 in smem
//     barrier mbarrier
//   }
//   region.func private @gemm_any<M, N, K> iters (m: M, n: N)
//     ins (%A: memref<[M, K], f16, row_major, align 16>, %B: memref<[K, N], f16, row_major, align 16>)
//     outs (C: memref<[M, N], f32, row_major, align 16> materialize gmem) {
//     %s = reduce sum (k: K) acc f32 init 0.0 {
//       %a = read %A[m, k] : f16 over (m, k)
//       %b = read %B[k, n] : f16 over (n, k)
//       %ab = binary mul %a, %b widen : f32 over (m, n, k)
//       yield %ab
//     } : f32 over (m, n)
//     yield %s to C
//   }
// }
