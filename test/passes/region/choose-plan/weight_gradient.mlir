// The gradient of a filter has few results and long sums over images, rows and columns: blocks share the sums along the outer axes.

// RUN: dlc-opt %s --choose-plan=target=sm90 -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --region-to-ptx --no-output

// CHECK-LABEL: plan.schedule of @gradient for sm90
// CHECK: split_k {{[0-9]+}} through workspace
region.func @gradient iters (i0: 32, i1: 64, i2: 3, i3: 3)
    ins (%X: memref<[6, 64, 190, 190], bf16, row_major, align 128>, %G: memref<[6, 32, 190, 190], bf16, row_major, align 128>)
    outs (Y: memref<[32, 64, 3, 3], bf16, row_major, align 128> materialize gmem) {
  %0 = reduce sum (i4: 6, i5: 190, i6: 190) acc f32 init 0.0 {
    %1 = read %G[i4, i0, i5, i6] : bf16 over (i0, i4, i5, i6)
    %2 = read %X[i4, i1, i2 + i5 - 1, i3 + i6 - 1] where (0 <= i2 + i5 - 1 < 190, 0 <= i3 + i6 - 1 < 190) : bf16 over (i1, i2, i3, i4, i5, i6)
    %3 = binary mul %1, %2 widen : f32 over (i0, i1, i2, i3, i4, i5, i6)
    yield %3
  } : f32 over (i0, i1, i2, i3)
  yield %0 to Y as bf16
}
