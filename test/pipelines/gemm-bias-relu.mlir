// A product of matrices with a bias and a relu, from a graph to PTX: section 15.1 of the specification.

// RUN: dlc-opt %s --lower-frontend --tiny-simplify -o %t.tiny
// RUN: FileCheck %s --input-file=%t.tiny --check-prefix=TINY
// RUN: dlc-opt %t.tiny --tiny-to-book -o %t.book
// RUN: FileCheck %s --input-file=%t.book --check-prefix=BOOK
// RUN: dlc-opt %t.book --build-poly-view | FileCheck %s --check-prefix=POLY
// RUN: dlc-opt %t.tiny --tiny-to-region -o %t.region
// RUN: FileCheck %s --input-file=%t.region --check-prefix=REGION
// RUN: dlc-opt %t.region --choose-plan=assume=4096 --add-fallback -o %t.plan
// RUN: FileCheck %s --input-file=%t.plan --check-prefix=PLAN
// RUN: dlc-opt %t.plan --tensorize --kernel-schedule -o %t.kernel
// RUN: FileCheck %s --input-file=%t.kernel --check-prefix=KERNEL
// RUN: dlc-opt %t.kernel --region-to-ptx -o %t.ptx
// RUN: dlc-translate %t.ptx --to-ptx | FileCheck %s --check-prefix=ASM

// The same numbers at each layer, where nothing fills a tile.
// RUN: dlc-run %s --shape=M=130,N=72,K=40 --seed=0 -o %t.npy
// RUN: dlc-run %t.book --shape=M=130,N=72,K=40 --seed=0 --check=%t.npy
// RUN: dlc-run %t.region --function=gemm_bias_relu --shape=M=130,N=72,K=40 --seed=0 --check=%t.npy
// RUN: dlc-run %t.kernel --function=gemm_bias_relu --shape=M=130,N=72,K=40 --seed=0 --check=%t.npy
// RUN: dlc-run %t.ptx --function=gemm_bias_relu --shape=M=130,N=72,K=40 --seed=0 --check=%t.npy
// RUN: dlc-run %s --shape=M=9,N=5,K=7 --seed=0 -o %t.odd.npy
// RUN: dlc-run %t.ptx --function=gemm_bias_relu --shape=M=9,N=5,K=7 --seed=0 --check=%t.odd.npy

// TINY: %{{.+}} = contract %A [m, k], %W [k, n] to [m, n] acc f32 : tensor<[M, N], f32>
// TINY-NEXT: %s = add %{{.+}}, %bias : tensor<[M, N], f32>
// TINY-NEXT: %r = relu %s : tensor<[M, N], f32>

// The bias is the same for all rows: it is read at (i1) alone.
// BOOK: entry mul axes (i0: M, i1: N, i2: K) of %A at (i0, i2), %W at (i2, i1) to f32 widen
// BOOK-NEXT: reduce sum axes (i0: M, i1: N) over (i2: K)
// BOOK-NEXT: entry add axes (i0: M, i1: N) of %{{.+}} at (i0, i1), %bias at (i1)

// POLY: contraction matmul lhs [m, k] rhs [k, n] out [m, n] reduce [k]
// POLY: read A "{ [m, n, k] -> A[m, k] }"

// One kernel in C-CON1 form: the product inside of the sum, the rest after it.
// REGION: region.func private @gemm_bias_relu_0<M, N, K> iters (m: M, n: N)
// REGION: %[[SUM:.+]] = reduce sum (k: K) acc f32 init 0.0 {
// REGION-NEXT: read %A[m, k]
// REGION-NEXT: read %W[k, n]
// REGION-NEXT: binary mul
// REGION-NEXT: yield
// REGION: binary add %[[SUM]],
// REGION-NEXT: unary relu
// REGION-NEXT: yield %{{.+}} to out as f16

// PLAN: plan.schedule of @gemm_bias_relu_0 for sm90 {
// PLAN: instruction wgmma
// PLAN: async
// PLAN: epilogue [add, relu]

// KERNEL: launch @gemm_bias_relu_0<M, N, K> where (K mod 8 == 0, N mod 8 == 0) else @gemm_bias_relu_0_any
// KERNEL: role producer
// KERNEL: wait %[[EMPTY:.+]][%{{.+}}] parity
// KERNEL-NEXT: expect %[[FULL:.+]][%{{.+}}] bytes
// KERNEL-NEXT: tma_load %map_A
// KERNEL: role consumer
// KERNEL: wait %[[FULL]][%{{.+}}] parity
// KERNEL-NEXT: wgmma
// KERNEL: unary relu
// KERNEL: tma_store

// ASM: .target sm_90a
// ASM: mbarrier.try_wait
// ASM: cp.async.bulk.tensor.2d.shared::cluster.global
// ASM: wgmma.mma_async.sync.aligned
// ASM: cp.async.bulk.tensor.2d.global.shared::cta
frontend.graph @gemm_bias_relu<M, N, K>(
    %A: tensor<[M, K], f16> {role = "data"}, %W: tensor<[K, N], f16> {role = "param"},
    %bias: tensor<[N], f16> {role = "param"}
) -> tensor<[M, N], f16> {
  %s = gemm %A, %W bias %bias acc f32
  %r = relu %s
  output %r as f16
}
