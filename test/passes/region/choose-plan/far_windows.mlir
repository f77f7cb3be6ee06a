// Windows that are far apart, and steps of products along several axes.

// RUN: dlc-opt %s --choose-plan='target=sm90' | FileCheck %s

// Rows of windows that are 11 elements apart are read element by element. A warp lies along them, so that its threads read from
// few lines of the cache, and each has no neighbour along them.
// CHECK-LABEL: plan.schedule of @pool
// CHECK: tile (i0: 1, i2: {{[0-9]+}}, i3: 32, i4: 1, i5: 1)
// CHECK-NEXT: thread_tile (i2: {{[0-9]+}})
// CHECK-NEXT: threads (i2: {{[0-9]+}}, i3: 32)
region.func @pool iters (i0: 1024, i2: 186, i3: 186)
    ins (%x: memref<[1024, 2048, 2048], f32, row_major, align 128, noalias>)
    outs (y: memref<[1024, 186, 186], f32, row_major, align 128, noalias> materialize gmem) {
  %sum = reduce sum (i4: 11, i5: 11) acc f32 init 0.0 {
    %e = read %x[i0, 11*i2 + i4, 11*i3 + i5] : f32 over (i0, i2, i3, i4, i5)
    yield %e
  } : f32 over (i0, i2, i3)
  yield %sum to y
}

// Of 8 channels, which are contiguous, and windows of 4 x 32 pixels a step has all channels of 4 pixels: along 32 pixels alone
// threads would copy single elements.
// CHECK-LABEL: plan.schedule of @conv
// CHECK: tile ({{.*}}, i6: 4, i4: 8)
region.func @conv iters (i0: 32, i1: 16, i2: 169, i3: 425)
    ins (%w: memref<[16, 4, 32, 8], f32, row_major, align 128>, %x: memref<[32, 168, 512, 8], f32, row_major, align 128>)
    outs (y: memref<[32, 16, 169, 425], f32, row_major, align 128, noalias> materialize gmem) {
  %sum = reduce sum (i4: 8, i5: 4, i6: 32) acc f32 init 0.0 {
    %a = read %w[i1, i5, i6, i4] : f32 over (i1, i4, i5, i6)
    %b = read %x[i0, i2 + i5 - 2, i3 + 3*i6 - 3, i4] where (0 <= i2 + i5 - 2 < 168, 0 <= i3 + 3*i6 - 3 < 512) : f32 over (i0, i2, i3, i4, i5, i6)
    %p = binary mul %a, %b widen : f32 over (i0, i1, i2, i3, i4, i5, i6)
    yield %p
  } : f32 over (i0, i1, i2, i3)
  yield %sum to y
}
