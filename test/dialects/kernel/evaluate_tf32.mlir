// `wgmma` reads f32 from shared memory as tf32, without low bits; `unary tf32` rounds before.

// RUN: dlc-opt %s --kernel-to-ptx -o %t.ptx.mlir
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx.mlir
// RUN: dlc-run %s | FileCheck %s
// RUN: dlc-run %s -o %t.npz
// RUN: dlc-run %t.ptx.mlir --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-opt %s -o %t.text
// RUN: dlc-opt %s --print-generic | dlc-opt - | cmp %t.text -

// Of 1.0009 tf32 has 1 if it is cut off, and 1.00098 if it is rounded: sums of 32 squares.
// CHECK: cut {{ *}}tensor<[64, 64], f32> {{.*}} 32
// CHECK: rounded {{ *}}tensor<[64, 64], f32> {{.*}} 32.063
// PTX: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32
// PTX: cvt.rna.tf32.f32
// PTX-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32
kernel.func @tf32(%X: memref<[64, 32], f32, row_major, align 16>) -> (memref<[64, 64], f32>, memref<[64, 64], f32>) attributes {target = "sm90"} {
  %cut = output : memref<[64, 64], f32>
  %rounded = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 32], f32, swizzle 128>
    %number = const 1.0009 : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store_shared %number to %s
    fence_async
    barrier
    %zero = const 0.0 : frag<[64, 64], f32, wgmma>
    %c, %t = wgmma %s, %s transposed, %zero as tf32 : frag<[64, 64], f32, wgmma>, token<compute>
    await %t
    store %c to %cut[i0, i1]
    barrier
    %x = load %X[i0, i1] : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    %nothing = binary mul %x, %x : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    %same = binary max %number, %nothing : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    %near = unary tf32 %same : frag<[64, 32], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store_shared %near to %s
    fence_async
    barrier
    %d, %u = wgmma %s, %s transposed, %zero as tf32 : frag<[64, 64], f32, wgmma>, token<compute>
    await %u
    store %d to %rounded[i0, i1]
  }
  return %cut, %rounded
}
