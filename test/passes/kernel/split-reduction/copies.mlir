// Grids that copy the factors of a product next to that of its sum: the sum is divided, and nothing was asked of the copies.

// RUN: dlc-opt %s --pass-pipeline='tiny-to-region,choose-plan{target=sm90 symbols=[M:64,N:64,K:8192]},add-fallback,tensorize,kernel-schedule' 2>&1 | FileCheck %s

// CHECK-NOT: Warning
// CHECK: kernel.func private @product_0_any
// CHECK: workspace
// CHECK: grid ((K ceildiv 256)*(M ceildiv 16)) threads 128 {
// CHECK: grid ((K ceildiv 256)*(N ceildiv 16)) threads 128 {
// CHECK: split_k
tiny.func @product<M, N, K>(%X: tensor<[M, K], f16>, %W: tensor<[N, K], f16>) -> tensor<[M, N], f16> {
  %s = contract %X [m, k], %W [n, k] to [m, n] acc f32
  %y = cast %s to f16
  return %y
}
