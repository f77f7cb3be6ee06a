// A product of triangular matrices of which a triangle is wanted, for tiles before, on and after the diagonal, and sizes with
// tails.

// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{target=sm90 assume=4096}' -o %t.sm90.mlir
// RUN: dlc-opt %s --pass-pipeline='lower-frontend,tiny-to-region,choose-plan{target=sm80 assume=4096}' -o %t.sm80.mlir
// RUN: dlc-run %s --shape=N=392 --seed=0 -o %t.npy
// RUN: dlc-run %t.sm90.mlir --shape=N=392 --seed=0 --passes='add-fallback,region-to-ptx' --check=%t.npy
// RUN: dlc-run %t.sm80.mlir --shape=N=392 --seed=0 --passes='add-fallback,region-to-ptx' --check=%t.npy
// RUN: dlc-run %s --shape=N=67 --seed=0 -o %t.npy
// RUN: dlc-run %t.sm90.mlir --shape=N=67 --seed=0 --passes='add-fallback,region-to-ptx' --check=%t.npy
// RUN: dlc-run %t.sm80.mlir --shape=N=67 --seed=0 --passes='add-fallback,region-to-ptx' --check=%t.npy
frontend.graph @triangular<N>(%a: tensor<[N, N], f16>, %b: tensor<[N, N], f16>) -> tensor<[N, N], f16> {
  %p = triu %a
  %q = triu %b
  %y = gemm %p, %q acc f32
  %z = triu %y
  output %z as f16
}
