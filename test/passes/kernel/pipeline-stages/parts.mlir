// Copies that threads wait for into parts of a tile, which are named in the loop: they stay, as a part is no ring of its own.

// RUN: dlc-opt %s --pipeline-stages --no-output --remarks=missed 2>&1 | FileCheck %s
// CHECK: missed] {{.*}}and not through registers: a part of a tile, which is named in the loop, is no ring of its own
!half = frag<[40, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
!full = frag<[40, 64], f32, blocked [1, 8] lanes [4, 8] warps [4, 1]>

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
