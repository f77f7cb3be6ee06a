// Products of 8-bit floats on tensor cores, whichever way the factors lie: each layer computes what the graph says.

// RUN: dlc-opt %s --lower-frontend --tiny-to-ptx-sm90 --evaluate-each -o %t.sm90
// RUN: FileCheck %s --input-file %t.sm90
// RUN: dlc-run %s --function=nt --device=cpu -o %t.nt.npz
// RUN: dlc-run %t.sm90 --function=nt --device=cpu --check=%t.nt.npz

// Steps that are promoted, with factors along the sum; others are brought there first. Sizes fill neither tiles nor units.
// RUN: dlc-run %s --function=any --shape=M=130,N=72,K=400 --device=cpu -o %t.npz
// RUN: dlc-run %t.sm90 --function=any --shape=M=130,N=72,K=400 --device=cpu --check=%t.npz
// RUN: dlc-run %s --function=any --shape=M=5,N=7,K=9 --device=cpu -o %t.npz
// RUN: dlc-run %t.sm90 --function=any --shape=M=5,N=7,K=9 --device=cpu --check=%t.npz
// RUN: dlc-opt %s --lower-frontend --tiny-to-region --choose-plan='assume=4096' --add-fallback -o %t.large
// RUN: FileCheck %s --check-prefix=LARGE --input-file %t.large
// RUN: dlc-opt %t.large --region-to-ptx -o %t.large.ptx
// RUN: dlc-run %s --function=across --shape=M=66,N=48,K=144 --device=cpu -o %t.npz
// RUN: dlc-run %t.large.ptx --function=across --shape=M=66,N=48,K=144 --device=cpu --check=%t.npz
// RUN: dlc-run %s --function=across --shape=M=33,N=7,K=141 --device=cpu -o %t.npz
// RUN: dlc-run %t.large.ptx --function=across --shape=M=33,N=7,K=141 --device=cpu --check=%t.npz

// CHECK-DAG: wgmma.mma_async.sync.aligned.{{.*}}k32.f32.e4m3.e4m3
// CHECK-DAG: mma.sync{{.*}}m16n8k32.row.col.f32.e5m2.e5m2.f32
// LARGE-LABEL: host.func @across
// LARGE: launch @across_0_a<
// LARGE: launch @across_0_b<
// LARGE: plan.schedule of @across_0 for sm90 {
// LARGE: instruction wgmma {{.+}} promote
frontend.graph @nt(%a: tensor<[72, 96], f8E4M3FN>, %b: tensor<[40, 96], f8E4M3FN>, %s: tensor<[], f32>) -> tensor<[72, 40], bf16> {
  %p = gemm %a, %b trans_b acc f32
  %y = mul %p, %s
  output %y as bf16
}
frontend.graph @nn(%a: tensor<[72, 96], f8E4M3FN>, %b: tensor<[96, 40], f8E4M3FN>, %s: tensor<[], f32>) -> tensor<[72, 40], bf16> {
  %p = gemm %a, %b acc f32
  %y = mul %p, %s
  output %y as bf16
}
frontend.graph @tn(%a: tensor<[96, 72], f8E5M2>, %b: tensor<[96, 40], f8E5M2>, %s: tensor<[], f32>) -> tensor<[72, 40], bf16> {
  %p = gemm %a, %b trans_a acc f32
  %y = mul %p, %s
  output %y as bf16
}
frontend.graph @tt(%a: tensor<[96, 72], f8E5M2>, %b: tensor<[40, 96], f8E5M2>, %s: tensor<[], f32>) -> tensor<[72, 40], bf16> {
  %p = gemm %a, %b trans_a trans_b acc f32
  %y = mul %p, %s
  output %y as bf16
}
frontend.graph @any<M, N, K>(%a: tensor<[M, K], f8E5M2>, %b: tensor<[N, K], f8E5M2>) -> tensor<[M, N], f32> {
  %p = gemm %a, %b trans_b acc f32
  output %p
}
frontend.graph @across<M, N, K>(%a: tensor<[K, M], f8E4M3FN>, %b: tensor<[K, N], f8E4M3FN>) -> tensor<[M, N], f32> {
  %p = gemm %a, %b trans_a acc f32
  output %p
}
