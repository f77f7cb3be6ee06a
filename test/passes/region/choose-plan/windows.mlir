// Reductions that each thread computes for its own elements: threads have neighbours whose windows overlap, as many as pay.

// RUN: dlc-opt %s --choose-plan='symbols=[N:1,H:4096,W:4096]' | FileCheck %s
// RUN: dlc-opt %s --pass-pipeline='choose-plan{symbols=[N:1,H:4096,W:4096]},tensorize,kernel-schedule' -o /dev/null 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty

// The tile is followed, and each kernel is verified.
// QUIET-NOT: E1614

// Windows of rows that are whole vectors: four rows of eight pixels, so that six rows of three vectors are loaded.
// CHECK: plan.schedule of @channels_first for sm90 {
// CHECK-NEXT: tile (n: 1, c: 1, h: {{.*}}, w: {{.*}}, i: 1, j: 1)
// CHECK-NEXT: assume (W: 8)
// CHECK-NEXT: thread_tile (h: 4, w: 8)
// CHECK-NEXT: threads (
// CHECK-NEXT: unroll (i: 3, j: 3)
// CHECK-NEXT: blocks_per_sm
// CHECK-NEXT: vectors (Y: 8)
// CHECK-NEXT: predicate_tail [h, w]
region.func @channels_first<N, H, W> iters (n: N, c: 4, h: H, w: W)
    ins (%X: memref<[N, 4, H, W], f16, row_major, align 128>, %F: memref<[4, 3, 3], f16, row_major, align 128>)
    outs (Y: memref<[N, 4, H, W], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (i: 3, j: 3) acc f32 init 0.0 {
    %f = read %F[c, i, j] : f16 over (c, i, j)
    %x = read %X[n, c, h + i - 1, w + j - 1] where (0 <= h + i - 1 < H, 0 <= w + j - 1 < W) : f16 over (n, c, h, w, i, j)
    %p = binary mul %x, %f widen : f32 over (n, c, h, w, i, j)
    yield %p
  } : f32 over (n, c, h, w)
  yield %s to Y as f16
}

// Channels last: eight channels of some pixels in a row, for which weights are loaded once. Channels are so many that few
// threads next to each other have the fewest beyond the last.
// CHECK: plan.schedule of @channels_last for sm90 {
// CHECK-NEXT: tile (n: 1, h: 1, w: {{.*}}, c: {{8|16|32}}, i: 1, j: 1)
// CHECK-NEXT: thread_tile (w: 4, c: 8)
// CHECK: unroll (i: 3, j: 3)
region.func @channels_last<N, H, W> iters (n: N, h: H, w: W, c: 24)
    ins (%X: memref<[N, H, W, 24], f16, row_major, align 128>, %F: memref<[3, 3, 24], f16, row_major, align 128>)
    outs (Y: memref<[N, H, W, 24], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (i: 3, j: 3) acc f32 init 0.0 {
    %f = read %F[i, j, c] : f16 over (c, i, j)
    %x = read %X[n, h + i - 1, w + j - 1, c] where (0 <= h + i - 1 < H, 0 <= w + j - 1 < W) : f16 over (n, h, w, c, i, j)
    %p = binary mul %x, %f widen : f32 over (n, h, w, c, i, j)
    yield %p
  } : f32 over (n, h, w, c)
  yield %s to Y as f16
}

// Every second window: a row of results is whole vectors if the row of memory is twice as many.
// CHECK: plan.schedule of @every_second for sm90 {
// CHECK: assume (W: 16)
// CHECK: thread_tile (h: 4, w: 8)
region.func @every_second<N, H, W> iters (n: N, h: H ceildiv 2, w: W ceildiv 2)
    ins (%X: memref<[N, H, W], f16, row_major, align 128>)
    outs (Y: memref<[N, H ceildiv 2, W ceildiv 2], f16, row_major, align 128> materialize gmem) {
  %y = reduce max (i: 3, j: 3) acc f16 init -inf {
    %x = read %X[n, 2*h + i - 1, 2*w + j - 1] where (0 <= 2*h + i - 1 < H, 0 <= 2*w + j - 1 < W) else -inf : f16 over (n, h, w, i, j)
    yield %x
  } : f16 over (n, h, w)
  yield %y to Y
}

// Nothing overlaps: a sum along a short axis reads each element once.
// CHECK: plan.schedule of @short for sm90 {
// CHECK: assume (W: 4)
// CHECK: unroll (k: 5)
region.func @short<H, W> iters (h: H, w: W)
    ins (%X: memref<[5, H, W], f32, row_major, align 128>) outs (Y: memref<[H, W], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 5) acc f32 init 0.0 {
    %x = read %X[k, h, w] : f32 over (h, w, k)
    yield %x
  } : f32 over (h, w)
  yield %s to Y
}
