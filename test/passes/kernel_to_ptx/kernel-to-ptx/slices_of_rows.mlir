// A row of a tile begins where the distance of rows says, which need not be a multiple of 16 bytes.

// RUN: dlc-opt %s --kernel-to-ptx --evaluate-each | FileCheck %s

// CHECK-LABEL: ptx.func @row_of_matrices
// CHECK-NOT: ldmatrix
kernel.func @row_of_matrices(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f16, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[64, 64], f16, row_major, align 16>
  grid (1) threads 32 {
    %s = shared : tile<[64, 64], f16, row_major pitch 68>
    copy %A[i0, i1] to %s by blocked [1, 2] lanes [1, 32] warps [1, 1]
    barrier
    for %k = 0 to 64 {
      %row = slice %s at (%k, 0) : tile<[1, 64], f16, row_major pitch 68>
      %x = load_shared %row : frag<[1, 64], f16, blocked [1, 2] lanes [1, 32] warps [1, 1]>
      store %x to %D[%k + i0, i1]
    }
  }
  return %D
}

// CHECK-LABEL: ptx.func @row_of_vectors
// CHECK-NOT: ld.shared.v4
// CHECK: ld.shared.v2.b32
kernel.func @row_of_vectors(%A: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f16, row_major, align 16> attributes {target = "sm80"} {
  %D = output : memref<[64, 64], f16, row_major, align 16>
  grid (1) threads 32 {
    %s = shared : tile<[64, 64], f16, row_major pitch 68>
    copy %A[i0, i1] to %s by blocked [1, 2] lanes [1, 32] warps [1, 1]
    barrier
    for %k = 0 to 64 {
      %row = slice %s at (%k, 0) : tile<[1, 64], f16, row_major pitch 68>
      %x = load_shared %row : frag<[1, 64], f16, blocked [1, 8] lanes [1, 32] warps [1, 1]>
      store %x to %D[%k + i0, i1]
    }
  }
  return %D
}
