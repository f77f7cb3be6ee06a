// Kernels are dumped with all that their plans require, whether '--dump' alone or a named pipeline leads there.

// RUN: dlc-opt %s --dump=plan,gpu --no-output 2>&1 | FileCheck %s --check-prefixes=PLAN,GPU
// RUN: dlc-opt %s --tiny-to-ptx-sm90 --dump=gpu --no-output 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: dlc-opt %s --tiny-to-plan --emit=gpu 2>&1 | FileCheck %s --check-prefix=GPU

// PLAN: // -----// plan @product_0 //----- //
// PLAN-NEXT: plan.schedule of @product_0 for sm90 {
// PLAN: instruction wgmma
// GPU: kernel.func private @product_0
// GPU: mbarriers
// GPU: tma_store
tiny.func @product<M>(%A: tensor<[M, 4096], f16>, %B: tensor<[4096, 4096], f16>) -> tensor<[M, 4096], f32> {
  %y = contract %A [m, k], %B [k, n] to [m, n] acc f32 {pattern = "matmul"} : tensor<[M, 4096], f32>
  return %y
}
