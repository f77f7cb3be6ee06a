// The two numbers of tf32 that a number of f32 is the sum of; of infinity the second one is infinity.

// RUN: dlc-opt %s --kernel-to-ptx -o %t.ptx.mlir
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx.mlir
// RUN: dlc-run %s | FileCheck %s
// RUN: dlc-run %s -o %t.npz
// RUN: dlc-run %t.ptx.mlir --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-opt %s --print-generic | dlc-opt - -o %t.text
// RUN: dlc-opt %s | cmp %t.text -

// Of 1.0009 the first number is 1.0009765625, rounded, and the second one what it is too much, of which 13 bits are cut off.
// CHECK: high {{ *}}tensor<[128], f32> {{.*}} 1.001
// CHECK: low {{ *}}tensor<[128], f32> {{.*}} -7.653e-5
// CHECK: high_of_infinity {{ *}}tensor<[128], f32> 1 1 1
// CHECK: low_of_infinity {{ *}}tensor<[128], f32> inf inf
// PTX: cvt.rna.tf32.f32
kernel.func @parts(%X: memref<[128], f32, row_major, align 16>) -> (memref<[128], f32>, memref<[128], f32>, memref<[128], f32>, memref<[128], f32>) attributes {target = "sm80"} {
  %high = output : memref<[128], f32>
  %low = output : memref<[128], f32>
  %high_of_infinity = output : memref<[128], f32>
  %low_of_infinity = output : memref<[128], f32>
  grid (1) threads 128 {
    %x = load %X[i0] : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    %square = binary mul %x, %x : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    %least = const 1.0009 : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    %number = binary max %least, %square : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    %first = unary tf32_high %number : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    store %first to %high[i0]
    %second = unary tf32_low %number : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    store %second to %low[i0]
    %zero = const 0.0 : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    %nothing = binary mul %x, %zero : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    %size = binary mul %nothing, %nothing : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    %infinity = unary recip %size : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    %one = unary tf32_high %infinity : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    store %one to %high_of_infinity[i0]
    %rest = unary tf32_low %infinity : frag<[128], f32, blocked [1] lanes [32] warps [4]>
    store %rest to %low_of_infinity[i0]
  }
  return %high, %low, %high_of_infinity, %low_of_infinity
}
