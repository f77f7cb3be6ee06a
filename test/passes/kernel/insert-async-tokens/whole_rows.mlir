// Whole rows of pixels are a box along two axes, and copies that fill different parts of a tile do not disturb each other.

// RUN: dlc-opt %s --insert-async-tokens=target=sm90 -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --check-async -o /dev/null
// RUN: dlc-run %s --function=rows --shape=N=2 -o %t.npy
// RUN: dlc-run %t.mlir --function=rows --shape=N=2 --check=%t.npy --rtol=0 --atol=0

!half = frag<[40, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
!full = frag<[40, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>

// CHECK-LABEL: kernel.func @rows<
// CHECK: tensor_map %X : tensormap<[1, 2, 16, 64], f16, swizzle 128>
// CHECK: tensor_map %X : tensormap<[1, 1, 8, 64], f16, swizzle 128>
// CHECK: expect %{{.+}} bytes 5120
// CHECK-NEXT: %[[WHOLE:.+]] = slice %s at (0, 0) : tile<[32, 64], f16, swizzle 128>
// CHECK-NEXT: tma_load %{{.+}}[%b, %k - 1, -1, 0] to %[[WHOLE]]
// CHECK-NEXT: %[[REST:.+]] = slice %s at (32, 0) : tile<[8, 64], f16, swizzle 128>
// CHECK-NEXT: tma_load %{{.+}}[%b, %k + 1, 0, 0] to %[[REST]]
kernel.func @rows<N>(%X: memref<[N, 6, 14, 64], f16, row_major, align 128>) -> memref<[N, 40, 64], f32, row_major, align 128> {
  %Y = output : memref<[N, 40, 64], f32, row_major, align 128>
  grid (N) threads 128 {
    %s = shared : tile<[40, 64], f16, swizzle 128>
    %b = block_id 0
    %zero = const 0.0 : !full
    %all = for %k = 0 to 6 carry (%a = %zero) {
      %whole = slice %s at (0, 0) : tile<[32, 64], f16, swizzle 128>
      copy %X[%b, %k + i0 floordiv 16 - 1, i0 mod 16 - 1, i1] where (0 <= %k + i0 floordiv 16 - 1 < 6, 0 <= i0 mod 16 - 1 < 14)
          to %whole by blocked [1, 8] lanes [4, 8] warps [4, 1]
      %rest = slice %s at (32, 0) : tile<[8, 64], f16, swizzle 128>
      copy %X[%b, %k + 1, i0, i1] where (0 <= %k + 1 < 6, 0 <= i0 < 14) to %rest by blocked [1, 8] lanes [4, 8] warps [4, 1]
      barrier
      %x = load_shared %s : !half
      %y = cast %x : !full
      %sum = binary add %a, %y : !full
      barrier
      yield %sum
    }
    store %all to %Y[%b, i0, i1]
  }
  return %Y
}

// Rows of the tile that two copies fill are not theirs alone.
// CHECK-LABEL: kernel.func @shared_rows<
// CHECK-NOT: tma_load
kernel.func @shared_rows<N>(%X: memref<[N, 6, 14, 64], f16, row_major, align 128>) -> memref<[N, 40, 64], f32, row_major, align 128> {
  %Y = output : memref<[N, 40, 64], f32, row_major, align 128>
  grid (N) threads 128 {
    %s = shared : tile<[40, 64], f16, swizzle 128>
    %b = block_id 0
    %zero = const 0.0 : !full
    %all = for %k = 0 to 6 carry (%a = %zero) {
      %whole = slice %s at (0, 0) : tile<[32, 64], f16, swizzle 128>
      copy %X[%b, %k + i0 floordiv 16 - 1, i0 mod 16 - 1, i1] where (0 <= %k + i0 floordiv 16 - 1 < 6, 0 <= i0 mod 16 - 1 < 14)
          to %whole by blocked [1, 8] lanes [4, 8] warps [4, 1]
      barrier
      %rest = slice %s at (24, 0) : tile<[16, 64], f16, swizzle 128>
      copy %X[%b, %k + 1, i0, i1] where (0 <= %k + 1 < 6, 0 <= i0 < 14) to %rest by blocked [1, 8] lanes [4, 8] warps [4, 1]
      barrier
      %x = load_shared %s : !half
      %y = cast %x : !full
      %sum = binary add %a, %y : !full
      barrier
      yield %sum
    }
    store %all to %Y[%b, i0, i1]
  }
  return %Y
}
