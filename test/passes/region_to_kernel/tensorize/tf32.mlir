// Products of f32 on tensor cores: each factor is the sum of two numbers of tf32, whichever way it lies in memory.

// RUN: dlc-opt %s --tensorize -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --kernel-schedule --check-async -o %t.scheduled.mlir
// RUN: FileCheck %s --check-prefix=SCHEDULED --input-file=%t.scheduled.mlir
// RUN: dlc-opt %s --region-to-ptx -o %t.ptx.mlir
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx.mlir

// Sizes that fill no tiles; no step at all; more steps than the ring has stages.
// RUN: dlc-run %s --function=nn --shape=M=130,N=72,K=272 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=nn --shape=M=130,N=72,K=272 --seed=0 --check=%t.npy --rtol=2e-5 --atol=2e-5
// RUN: dlc-run %t.scheduled.mlir --function=nn --shape=M=130,N=72,K=272 --seed=0 --check=%t.npy --rtol=2e-5 --atol=2e-5
// RUN: dlc-run %t.ptx.mlir --function=nn --shape=M=130,N=72,K=272 --seed=0 --check=%t.npy --rtol=2e-5 --atol=2e-5
// RUN: dlc-run %s --function=nn --shape=M=5,N=8,K=0 --seed=0 -o %t.npy
// RUN: dlc-run %t.ptx.mlir --function=nn --shape=M=5,N=8,K=0 --seed=0 --check=%t.npy
// RUN: dlc-run %s --function=tt --shape=B=2,M=68,N=70,K=76 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=tt --shape=B=2,M=68,N=70,K=76 --seed=0 --check=%t.npy --rtol=2e-5 --atol=2e-5
// RUN: dlc-run %t.ptx.mlir --function=tt --shape=B=2,M=68,N=70,K=76 --seed=0 --check=%t.npy --rtol=2e-5 --atol=2e-5
// One product of tf32 has fewer digits, the same in each layer.
// RUN: dlc-run %t.mlir --function=one --shape=M=33,N=72,K=40 --seed=0 -o %t.one.npy
// RUN: dlc-run %t.ptx.mlir --function=one --shape=M=33,N=72,K=40 --seed=0 --check=%t.one.npy --rtol=2e-6 --atol=2e-6
// RUN: dlc-run %s --function=one --shape=M=33,N=72,K=40 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=one --shape=M=33,N=72,K=40 --seed=0 --check=%t.npy --rtol=1e-2 --atol=1e-2
// RUN: not dlc-run %t.mlir --function=one --shape=M=33,N=72,K=40 --seed=0 --check=%t.npy --rtol=2e-5 --atol=2e-5

// Rows across the sum are padded, so that lanes that read them one by one have banks of their own.
// CHECK-LABEL: kernel.func @nn
// CHECK-DAG: %rhs = shared : tile<[32, 128], f32, row_major pitch 136>
// CHECK-DAG: %lhs = shared : tile<[128, 32], f32, swizzle 128>
// CHECK: for %k = 0 to K step 32 carry (%[[SUM:.+]] = %{{.+}})
// CHECK: %[[ZERO:.+]] = const 0.0 : frag<[128, 128], f32, mma [2, 4]>
// CHECK: %[[A:.+]] = load_shared %lhs : frag<[128, 32], f32, mma_a [2, 4]>
// CHECK-NEXT: %[[B:.+]] = load_shared %rhs : frag<[32, 128], f32, mma_b [2, 4]>
// CHECK-NEXT: %[[PRODUCT:.+]] = mma %[[A]], %[[B]], %[[ZERO]] as tf32x3 : frag<[128, 128], f32, mma [2, 4]>
// CHECK-NEXT: %[[ADDED:.+]] = binary add %[[SUM]], %[[PRODUCT]] : frag<[128, 128], f32, mma [2, 4]>
// CHECK-NEXT: barrier
// CHECK-NEXT: yield %[[ADDED]]

// The parts of a step are loaded ahead of each other, and go on where the one before it ended.
// SCHEDULED-LABEL: kernel.func @nn
// SCHEDULED: %[[ZERO:.+]] = const 0.0 : frag<[128, 128], f32, mma [2, 4]>
// SCHEDULED: %[[P0:.+]] = mma %lhs_0, %rhs_0, %[[ZERO]] as tf32x3
// SCHEDULED: %[[P1:.+]] = mma %{{.+}}, %{{.+}}, %[[P0]] as tf32x3
// SCHEDULED: %[[P2:.+]] = mma %{{.+}}, %{{.+}}, %[[P1]] as tf32x3
// SCHEDULED: %[[P3:.+]] = mma %{{.+}}, %{{.+}}, %[[P2]] as tf32x3
// SCHEDULED-NEXT: binary add %{{.+}}, %[[P3]]

// A factor is rounded, and what is left of it multiplies too; large numbers and infinities keep their products.
// PTX-LABEL: @nn
// PTX: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX: %[[SIZE:.+]] = abs.f32 %[[X:.+]]{{$}}
// PTX-NEXT: %[[IS_LARGE:.+]] = setp.ge.f32 %[[SIZE]], 3.4019929E+38
// PTX-NEXT: %[[ROUNDED:.+]] = cvt.rna.tf32.f32 %[[X]]{{$}}
// PTX: %[[FIRST:.+]] = selp.b32 %{{.+}}, %[[ROUNDED]], %[[IS_LARGE]]
// PTX-NEXT: %[[VALUE:.+]] = mov.b32 %[[FIRST]] : f32
// PTX-NEXT: sub.rn.f32 %[[X]], %[[VALUE]]
// PTX-COUNT-192: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// PTX-NOT: mma.sync
// PTX: add.rn.f32
region.func @nn<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f32, row_major, align 128>, %W: memref<[K, N], f32, row_major, align 128>)
    outs (Y: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f32 over (m, k)
    %w = read %W[k, n] : f32 over (n, k)
    %p = binary mul %x, %w : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y
}
plan.schedule of @nn for sm80 {
  tile (m: 128, n: 128, k: 32)
  assume (K: 4, N: 4)
  instruction mma [16, 8, 8] promote as tf32x3
  warp_tile (m: 64, n: 32)
  stages 3
  cache X (m, k) f32 in smem
  cache W (k, n) f32 in smem
  predicate_tail [m, n, k]
  barrier cp_async_group
  async
  in_flight 1
}

// The other two layouts, a stack of matrices, and what is computed of the results.
// CHECK-LABEL: kernel.func @tt
// CHECK-DAG: %lhs = shared : tile<[32, 64], f32, row_major pitch 72>
// CHECK-DAG: %rhs = shared : tile<[64, 32], f32, swizzle 128>
// CHECK: load_shared %lhs transposed : frag<[64, 32], f32, mma_a [2, 2]>
// CHECK: load_shared %rhs transposed : frag<[32, 64], f32, mma_b [2, 2]>
// CHECK: mma {{.+}} as tf32x3
region.func @tt<B, M, N, K> iters (b: B, m: M, n: N)
    ins (%X: memref<[B, K, M], f32, row_major, align 128>, %W: memref<[B, N, K], f32, row_major, align 128>,
         %bias: memref<[N], f32, row_major, align 128>)
    outs (Y: memref<[B, M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[b, k, m] : f32 over (b, m, k)
    %w = read %W[b, n, k] : f32 over (b, n, k)
    %p = binary mul %x, %w : f32 over (b, m, n, k)
    yield %p
  } : f32 over (b, m, n)
  %c = read %bias[n] : f32 over (n)
  %d = broadcast_in_dim %c to [B, M, N] dims [2] : f32 over (b, m, n)
  %e = binary add %s, %d : f32 over (b, m, n)
  %y = unary relu %e : f32 over (b, m, n)
  yield %y to Y
}
plan.schedule of @tt for sm90 {
  tile (b: 1, m: 64, n: 64, k: 32)
  instruction mma [16, 8, 8] as tf32x3
  warp_tile (b: 1, m: 32, n: 32)
  cache X (b, k, m) f32 in smem
  cache W (b, n, k) f32 in smem
}

// CHECK-LABEL: kernel.func @one
// CHECK: mma {{.+}} as tf32 :
// PTX-LABEL: @one
// PTX: cvt.rna.tf32.f32
// PTX-COUNT-8: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// PTX-NOT: mma.sync
region.func @one<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f32, row_major, align 128>, %W: memref<[N, K], f32, row_major, align 128>)
    outs (Y: memref<[M, N], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f32 over (m, k)
    %w = read %W[n, k] : f32 over (n, k)
    %p = binary mul %x, %w : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y
}
plan.schedule of @one for sm80 {
  tile (m: 32, n: 64, k: 32)
  instruction mma [16, 8, 8] as tf32
  warps (m: 2, n: 4)
  cache X (m, k) f32 in smem
  cache W (n, k) f32 in smem
}
