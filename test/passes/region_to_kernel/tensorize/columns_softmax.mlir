// Online softmax along columns: lanes lie next to each other along them, each thread has a maximum and a sum of
// its own, and they are combined once, after the loop.

// RUN: dlc-opt %s --pass-pipeline="builtin.module(lower-frontend,tiny-to-region)" -o %t.region.mlir
// RUN: dlc-opt %s --pass-pipeline="builtin.module(lower-frontend,tiny-to-region{symbols=[M:700,N:40]},choose-plan{symbols=[M:700,N:40]},add-fallback,tensorize)" -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --region-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %t.region.mlir --shape=M=301,N=75 --seed=0 -o %t.npz
// RUN: dlc-run %t.mlir --shape=M=301,N=75 --seed=0 --check=%t.npz
// RUN: dlc-run %t.ptx.mlir --shape=M=301,N=75 --seed=0 --check=%t.npz
// RUN: dlc-run %t.region.mlir --shape=M=3,N=1 --seed=0 -o %t.npz
// RUN: dlc-run %t.mlir --shape=M=3,N=1 --seed=0 --check=%t.npz
// RUN: dlc-run %t.ptx.mlir --shape=M=3,N=1 --seed=0 --check=%t.npz

// CHECK: grid (
// CHECK: for %m = {{.*}} carry (%[[MAX:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}) : frag<[{{[0-9]+}}, {{[0-9]+}}], f32, blocked
// CHECK-NOT: reduce
// CHECK: binary max %[[MAX]],
// CHECK-NOT: reduce
// CHECK: yield
// CHECK: reduce max %{{.*}} along 1 through
// CHECK: reduce sum %{{.*}} along 1 through
frontend.graph @f<M, N>(%x: tensor<[M, N], f32>) -> tensor<[N], f32> {
  %y = logsumexp %x over [0]
  output %y
}
