// tensorize: where a window goes along pixels that are summed and along places of a filter, the factor lies along the pixels in
// shared memory, as neighbours of memory do.

// RUN: dlc-opt %s --tensorize | FileCheck %s
// RUN: dlc-opt %s --tensorize --evaluate-each --no-output

// CHECK-LABEL: kernel.func @gradient
// CHECK: %rhs = shared : tile<[128, 16], f16
// CHECK: load_shared %rhs transposed
region.func @gradient iters (o: 16, c: 8, j: 3) ins (%x: memref<[2, 8, 40], f16, row_major, align 128>, %g: memref<[2, 16, 40], f16, row_major, align 128>) outs (y: memref<[16, 8, 3], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (n: 2, w: 40) acc f32 init 0.0 {
    %0 = read %g[n, o, w] : f16 over (o, n, w)
    %1 = read %x[n, c, w + j - 1] where (0 <= w + j - 1 < 40) : f16 over (c, j, n, w)
    %2 = binary mul %0, %1 widen : f32 over (o, c, j, n, w)
    yield %2
  } : f32 over (o, c, j)
  yield %s to y
}
plan.schedule of @gradient for sm90 {
  tile (o: 16, c: 16, j: 8, w: 16)
  reduced [w]
  instruction mma [16, 8, 16]
  warp_tile (o: 16, c: 16, j: 8)
}
