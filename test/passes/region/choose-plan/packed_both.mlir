// choose-plan: where one factor is copied to lie along an axis of the sum, so is the other one that lies along another axis of it.

// RUN: dlc-opt %s --choose-plan=target=sm90 --remarks --no-output 2>&1 | FileCheck %s

// CHECK: @gradient_0 takes {{.*}} us as its factors lie, and {{.*}} where (g, x) lie along the sum, besides {{.*}} for copies
host.func @gradient(%x: memref<[16, 64, 144, 144], f32, row_major, align 128>, %g: memref<[16, 3, 144, 144], f32, row_major, align 128>) -> memref<[3, 64, 3, 3], f32, row_major, align 128> {
  %y = launch @gradient_0 (%x, %g) : memref<[3, 64, 3, 3], f32, row_major, align 128>
  return %y
}
region.func private @gradient_0 iters (o: 3, c: 64, i: 3, j: 3) ins (%x: memref<[16, 64, 144, 144], f32, row_major, align 128>, %g: memref<[16, 3, 144, 144], f32, row_major, align 128>) outs (y: memref<[3, 64, 3, 3], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (n: 16, h: 144, w: 144) acc f32 init 0.0 {
    %0 = read %g[n, o, h, w] : f32 over (o, n, h, w)
    %1 = read %x[n, c, h + i - 1, w + j - 1] where (0 <= h + i - 1 < 144, 0 <= w + j - 1 < 144) : f32 over (c, i, j, n, h, w)
    %2 = binary mul %0, %1 widen {tf32} : f32 over (o, c, i, j, n, h, w)
    yield %2
  } : f32 over (o, c, i, j)
  yield %s to y
}
