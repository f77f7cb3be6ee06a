// choose-plan: the factors of the gradient of a filter are copied to NHWC where windows go along what is summed: TMA brings boxes
// of channels, and each place of the filter is an axis of blocks.

// RUN: dlc-opt %s --choose-plan=target=sm90 --remarks --no-output 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --choose-plan=target=sm90 | FileCheck %s

// REMARK: @gradient_0 takes {{.*}} us as its factors lie, and {{.*}} where ({{.*}}) lie along the results, besides {{.*}} for copies
// CHECK: region.func private @gradient_0_g
// CHECK: region.func private @gradient_0_x
// CHECK: region.func private @gradient_0
// CHECK: read %g[n, h, w, o]
// CHECK: read %x[n, h + i - 1, j + w - 1, c]
// CHECK: tile (o: 64, c: {{64|128}}, i: 1, j: 1, w: 64)
// CHECK: instruction wgmma
// CHECK: split_k {{[0-9]+}} through workspace
host.func @gradient(%x: memref<[6, 128, 95, 95], bf16, row_major, align 128>, %g: memref<[6, 64, 95, 95], bf16, row_major, align 128>) -> memref<[64, 128, 3, 3], bf16, row_major, align 128> {
  %y = launch @gradient_0 (%x, %g) : memref<[64, 128, 3, 3], bf16, row_major, align 128>
  return %y
}
region.func private @gradient_0 iters (o: 64, c: 128, i: 3, j: 3) ins (%x: memref<[6, 128, 95, 95], bf16, row_major, align 128>, %g: memref<[6, 64, 95, 95], bf16, row_major, align 128>) outs (y: memref<[64, 128, 3, 3], bf16, row_major, align 128> materialize gmem) {
  %s = reduce sum (n: 6, h: 95, w: 95) acc f32 init 0.0 {
    %0 = read %g[n, o, h, w] : bf16 over (o, n, h, w)
    %1 = read %x[n, c, h + i - 1, w + j - 1] where (0 <= h + i - 1 < 95, 0 <= w + j - 1 < 95) : bf16 over (c, i, j, n, h, w)
    %2 = binary mul %0, %1 widen : f32 over (o, c, i, j, n, h, w)
    yield %2
  } : f32 over (o, c, i, j)
  yield %s to y as bf16
}
