// What is computed of numbers alone is in every register of a fragment, here and in PTX.

// RUN: dlc-run %s --shape=N=9 --seed=1 -o %t.npz
// RUN: dlc-run %s --shape=N=9 --seed=1 | FileCheck %s
// RUN: dlc-opt %s --kernel-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %t.ptx.mlir --shape=N=9 --seed=1 --check=%t.npz

!line = frag<[128], f32, blocked [4] lanes [32] warps [1]>

// CHECK: Y {{ *}}tensor<[9], f32> {{ *}}3 {{ *}}3 {{ *}}3
kernel.func @numbers<N>(%X: memref<[N], f32>) -> memref<[N], f32> {
  %Y = output : memref<[N], f32>
  grid (1) threads 32 {
    %one = const 1.0 : f32
    %two = const 2.0 : f32
    %sum = binary add %one, %two : !line
    %negative = unary neg %sum : !line
    %positive = unary neg %negative : !line
    store %positive to %Y[i0] where (i0 < N)
  }
  return %Y
}
