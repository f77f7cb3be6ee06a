// What is read element by element goes to its tile together. What is the same for a row or a column is computed and asked
// once for all of its elements, and elements that follow each other in memory are named from the first one on.

// RUN: dlc-opt %s --kernel-to-ptx -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --function=windows --shape=H=6,W=7 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=windows --shape=H=6,W=7 --seed=0 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-run %s --function=channels --shape=W=20,C=3 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=channels --shape=W=20,C=3 --seed=0 --check=%t.npy --rtol=0 --atol=0

!half = frag<[16, 32], f16, blocked [1, 8] lanes [8, 4] warps [1, 1]>

// Eight elements of the first row, of which each is one of its own window; then they are stored as one.
// CHECK: %[[ROW:.+]] = setp.lt.u32 %{{.+}}, %H
// CHECK: %[[COLUMN:.+]] = setp.lt.s32 %{{.+}}, 21
// CHECK: %[[BOTH:.+]] = and.pred %[[ROW]], %[[COLUMN]]
// CHECK: %[[AT:.+]] = setp.lt.u32 %{{.+}}, %W
// CHECK: %[[IN:.+]] = and.pred %[[BOTH]], %[[AT]]
// CHECK: ld.global.nc.b16 [%[[BASE:.+]]] if %[[IN]]
// CHECK: ld.global.nc.b16 [%[[BASE]] + 2] if
// CHECK: ld.global.nc.b16 [%[[BASE]] + 14] if
// CHECK-NOT: st.shared.b16
// CHECK: st.shared.v4.b32
// CHECK-NOT: st.shared.b16
// CHECK: bar.sync
kernel.func @windows<H, W>(%X: memref<[H, W], f16, row_major, align 2>) -> memref<[16, 32], f16, row_major, align 16> {
  %Y = output : memref<[16, 32], f16, row_major, align 16>
  grid (1) threads 32 {
    %s = shared : tile<[16, 32], f16, swizzle 64>
    copy %X[i0 floordiv 3 - 1, 2 * (i0 mod 3) + i1 - 3] where (0 <= i0 floordiv 3 - 1 < H, 0 <= 2 * (i0 mod 3) + i1 - 3 < W, i1 < 21)
        to %s by blocked [1, 8] lanes [8, 4] warps [1, 1]
    barrier
    %h = load_shared %s : !half
    store %h to %Y[i0, i1]
  }
  return %Y
}

// A size that is required to be one number is that number: pixels with their channels lie one after another then.
// CHECK-LABEL: ptx.func @channels<
// CHECK: ld.global.nc.b16 [%[[BASE:.+]]] if
// CHECK: ld.global.nc.b16 [%[[BASE]] + 2] if
kernel.func @channels<W, C>(%X: memref<[W, C], f16, row_major, align 2>) -> memref<[16, 32], f16, row_major, align 16> {
  require (C == 3)
  %Y = output : memref<[16, 32], f16, row_major, align 16>
  grid (1) threads 32 {
    %s = shared : tile<[16, 32], f16, swizzle 64>
    copy %X[i0 + i1 floordiv C, i1 mod C] where (i0 + i1 floordiv C < W)
        to %s by blocked [1, 8] lanes [8, 4] warps [1, 1]
    barrier
    %h = load_shared %s : !half
    store %h to %Y[i0, i1]
  }
  return %Y
}
