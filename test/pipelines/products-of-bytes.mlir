// Products of 8-bit floats on tensor cores, whichever way the factors lie: each layer computes what the graph says.

// RUN: dlc-opt %s --lower-frontend --tiny-to-ptx-sm90 --evaluate-each -o %t.sm90
// RUN: FileCheck %s --input-file %t.sm90
// RUN: dlc-run %s --function=nt --device=cpu -o %t.nt.npz
// RUN: dlc-run %t.sm90 --function=nt --device=cpu --check=%t.nt.npz

// CHECK-DAG: mma.sync{{.*}}m16n8k32.row.col.f32.e4m3.e4m3.f32
// CHECK-DAG: mma.sync{{.*}}m16n8k32.row.col.f32.e5m2.e5m2.f32
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
