// RUN: dlc-opt %s --kernel-to-ptx | FileCheck %s
// RUN: dlc-opt %s --kernel-to-ptx='target=sm_90a' | FileCheck %s --check-prefix=GIVEN
// RUN: dlc-opt %s --kernel-to-ptx | dlc-translate - --to-ptx | FileCheck %s --check-prefix=MODULE
// RUN: not dlc-opt %s --kernel-to-ptx='target=sm_80' 2>&1 | FileCheck %s --check-prefix=LESS

// A kernel that does not say for which machine it is, is for the least that has its instructions. A module with kernels
// for several is for the one that runs all of them.
// CHECK: ptx.func @any
// CHECK-SAME: target = "sm_80"
// CHECK: ptx.func @products
// CHECK-SAME: target = "sm_90a"
// GIVEN: ptx.func @any
// GIVEN-SAME: target = "sm_90a"
// MODULE: .target sm_90a
// MODULE: .entry any_0(
// MODULE: .entry products_0(
// LESS: [E1910] Error: 'ptx.wgmma.fence': this needs 'wgmma.fence.sync.aligned', which sm_90a has, and the kernel is for sm_80

kernel.func @any(%X: memref<[128], f32, row_major, align 4>) -> memref<[128], f32, row_major, align 4> {
  %Y = output : memref<[128], f32, row_major, align 4>
  grid (1) threads 32 {
    %x = load %X[i0] : frag<[128], f32, blocked [4] lanes [32] warps [1]>
    store %x to %Y[i0]
  }
  return %Y
}

kernel.func @products(%A: memref<[64, 64], f16, row_major, align 16>, %B: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32, row_major, align 16> {
  %C = output : memref<[64, 64], f32, row_major, align 16>
  grid (1) threads 128 {
    %rhs = shared : tile<[64, 64], f16, swizzle 128>
    %lhs = shared : tile<[64, 64], f16, swizzle 128>
    %zero = const 0.0 : frag<[64, 64], f32, wgmma>
    copy %A[i0, i1] to %lhs by blocked [1, 8] lanes [4, 8] warps [4, 1]
    copy %B[i0, i1] to %rhs by blocked [1, 8] lanes [4, 8] warps [4, 1]
    fence_async
    barrier
    %sum:2 = wgmma %lhs, %rhs, %zero : frag<[64, 64], f32, wgmma>, token<compute>
    await %sum#1
    store %sum to %C[i0, i1]
  }
  return %C
}
