// RUN: dlc-opt %s --kernel-to-ptx | dlc-opt - | FileCheck %s
// RUN: dlc-opt %s --kernel-to-ptx | dlc-translate - --to-ptx | FileCheck %s --check-prefix=PTX

// The least 64-bit integer has no counterpart that is positive; it is read and written all the same.
// CHECK: selp.b64 -9223372036854775808, %
// PTX: selp.b64 %rd{{[0-9]+}}, -9223372036854775808, %rd

kernel.func @whole(%X: memref<[32], f32, row_major, align 4>) -> memref<[32], i64, row_major, align 8> {
  %Y = output : memref<[32], i64, row_major, align 8>
  grid (1) threads 32 {
    %x = load %X[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %y = cast %x : frag<[32], i64, blocked [1] lanes [32] warps [1]>
    store %y to %Y[i0]
  }
  return %Y
}
