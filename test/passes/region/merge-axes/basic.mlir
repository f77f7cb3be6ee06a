// merge-axes: axes that are next to each other in all memory become one, with a symbol for a product of sizes.

// RUN: dlc-opt %s --merge-axes --split-input-file | FileCheck %s
// RUN: dlc-opt %s --merge-axes --split-input-file --evaluate-each --no-output
// RUN: dlc-opt %s --merge-axes --split-input-file --statistics --no-output 2>&1 | FileCheck %s --check-prefix=STATISTICS
// STATISTICS: 2 merged

// CHECK-LABEL: host.func @f<
// CHECK: %[[X:.*]] = view %x : memref<[8*N, H*W], f32
// CHECK: %y = launch @f_0<N, H*W> (%[[X]]) : memref<[8*N], f32
// CHECK: %[[Y:.*]] = view %y : memref<[N, 8], f32
// CHECK: return %[[Y]]
// CHECK: region.func private @f_0<N, HW> iters (nc: 8*N)
// CHECK: reduce sum (hw: HW) acc f32
// CHECK: read %x[nc, hw] : f32 over (nc, hw)
host.func @f<N, H, W>(%x: memref<[N, 8, H, W], f32, row_major, align 128>) -> memref<[N, 8], f32, row_major, align 128> {
  %y = launch @f_0<N, H, W> (%x) : memref<[N, 8], f32, row_major, align 128>
  return %y
}
region.func private @f_0<N, H, W> iters (n: N, c: 8) ins (%x: memref<[N, 8, H, W], f32, row_major, align 128>) outs (y: memref<[N, 8], f32, row_major, align 128> materialize gmem) {
  %y = reduce sum (h: H, w: W) acc f32 init 0.0 {
    %0 = read %x[n, c, h, w] : f32 over (n, c, h, w)
    yield %0
  } : f32 over (n, c)
  yield %y to y
}

// -----

// A number for each channel keeps it apart, and rows and columns go together; what counts them is named as well. Launches
// give the kernel other sizes.
// CHECK-LABEL: host.func @scale<
// CHECK: launch @scale_0<A, H*W> (%{{.*}}, %g) : memref<[A, 4, H*W], f16
// CHECK: launch @scale_0<2, 3*H> (%{{.*}}, %g) : memref<[2, 4, 3*H], f16
// CHECK: region.func private @scale_0<N, HW> iters (n: N, c: 4, hw: HW)
// CHECK: read %x[n, c, hw] : f16 over (n, c, hw)
// CHECK: read %g[c] : f16 over (c)
// CHECK: index (HW) : f16 over ()
host.func @scale<A, H, W>(%x: memref<[A, 4, H, W], f16>, %z: memref<[2, 4, 3, H], f16>, %g: memref<[4], f16>) -> (memref<[A, 4, H, W], f16>, memref<[2, 4, 3, H], f16>) {
  %y = launch @scale_0<A, H, W> (%x, %g) : memref<[A, 4, H, W], f16>
  %w = launch @scale_0<2, 3, H> (%z, %g) : memref<[2, 4, 3, H], f16>
  return %y, %w
}
region.func private @scale_0<N, H, W> iters (n: N, c: 4, h: H, w: W) ins (%x: memref<[N, 4, H, W], f16>, %g: memref<[4], f16>) outs (y: memref<[N, 4, H, W], f16> materialize gmem) {
  %0 = read %x[n, c, h, w] : f16 over (n, c, h, w)
  %1 = read %g[c] : f16 over (c)
  %2 = binary mul %0, %1 : f16 over (n, c, h, w)
  %3 = index (H*W) : f16 over ()
  %4 = binary add %2, %3 : f16 over (n, c, h, w)
  yield %4 to y
}

// -----

// Two reductions of the same memory are merged together, broadcasts among them.
// CHECK-LABEL: region.func private @norm_0<M> iters (m: M)
// CHECK: reduce max (a: 15) acc f32
// CHECK: read %x[m, a] : f32 over (m, a)
// CHECK: reduce sum (c: 15) acc f32
// CHECK: read %x[m, c] : f32 over (m, c)
// CHECK: broadcast_in_dim %{{.*}} to [M, 15] dims [0] : f32 over (m, c)
host.func @norm<M>(%x: memref<[M, 3, 5], f32>) -> memref<[M], f32> {
  %y = launch @norm_0<M> (%x) : memref<[M], f32>
  return %y
}
region.func private @norm_0<M> iters (m: M) ins (%x: memref<[M, 3, 5], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %0 = reduce max (a: 3, b2: 5) acc f32 init -inf {
    %1 = read %x[m, a, b2] : f32 over (m, a, b2)
    yield %1
  } : f32 over (m)
  %2 = reduce sum (c: 3, d2: 5) acc f32 init 0.0 {
    %3 = read %x[m, c, d2] : f32 over (m, c, d2)
    %4 = broadcast_in_dim %0 to [M, 3, 5] dims [0] : f32 over (m, c, d2)
    %5 = binary sub %3, %4 : f32 over (m, c, d2)
    yield %5
  } : f32 over (m)
  yield %2 to y
}

// -----

// Nothing of these may be merged: a bias along the columns, a window, a guard, a position as a number, memory of columns,
// a part of a row, rows that are reduced in another order.
// CHECK-LABEL: host.func @apart<
// CHECK-NOT: view
// CHECK: region.func private @bias<H, W> iters (h: H, w: W)
// CHECK: region.func private @window<H, W> iters (h: H, w: W)
// CHECK: region.func private @guard<H, W> iters (h: H, w: W)
// CHECK: region.func private @position<H, W> iters (h: H, w: W)
// CHECK: region.func private @columns<H, W> iters (h: H, w: W)
// CHECK: region.func private @part<H, W> iters (h: H, w: W)
// CHECK: region.func private @order<H, W> iters ()
// CHECK: reduce sum (w: W, h: H)
host.func @apart<H, W>(%x: memref<[H, W], f32>, %g: memref<[W], f32>, %p: memref<[H + 1, W + 1], f32>, %c: memref<[H, W], f32, col_major>) -> (memref<[H, W], f32>, memref<[H, W], f32>, memref<[H, W], f32>, memref<[H, W], f32>, memref<[H, W], f32>, memref<[H, W], f32>, memref<[], f32>) {
  %0 = launch @bias<H, W> (%x, %g) : memref<[H, W], f32>
  %1 = launch @window<H, W> (%p) : memref<[H, W], f32>
  %2 = launch @guard<H, W> (%x) : memref<[H, W], f32>
  %3 = launch @position<H, W> (%x) : memref<[H, W], f32>
  %4 = launch @columns<H, W> (%c) : memref<[H, W], f32>
  %5 = launch @part<H, W> (%p) : memref<[H, W], f32>
  %6 = launch @order<H, W> (%x) : memref<[], f32>
  return %0, %1, %2, %3, %4, %5, %6
}
region.func private @bias<H, W> iters (h: H, w: W) ins (%x: memref<[H, W], f32>, %g: memref<[W], f32>) outs (y: memref<[H, W], f32> materialize gmem) {
  %0 = read %x[h, w] : f32 over (h, w)
  %1 = read %g[w] : f32 over (w)
  %2 = binary add %0, %1 : f32 over (h, w)
  yield %2 to y
}
region.func private @window<H, W> iters (h: H, w: W) ins (%p: memref<[H + 1, W + 1], f32>) outs (y: memref<[H, W], f32> materialize gmem) {
  %0 = read %p[h + 1, w] : f32 over (h, w)
  yield %0 to y
}
region.func private @guard<H, W> iters (h: H, w: W) ins (%x: memref<[H, W], f32>) outs (y: memref<[H, W], f32> materialize gmem) {
  %0 = read %x[h, w] where (w < h + 1) : f32 over (h, w)
  yield %0 to y
}
region.func private @position<H, W> iters (h: H, w: W) ins (%x: memref<[H, W], f32>) outs (y: memref<[H, W], f32> materialize gmem) {
  %0 = read %x[h, w] : f32 over (h, w)
  %1 = index (h + w) : f32 over (h, w)
  %2 = binary add %0, %1 : f32 over (h, w)
  yield %2 to y
}
region.func private @columns<H, W> iters (h: H, w: W) ins (%c: memref<[H, W], f32, col_major>) outs (y: memref<[H, W], f32> materialize gmem) {
  %0 = read %c[h, w] : f32 over (h, w)
  yield %0 to y
}
region.func private @part<H, W> iters (h: H, w: W) ins (%p: memref<[H + 1, W + 1], f32>) outs (y: memref<[H, W], f32> materialize gmem) {
  %0 = read %p[h, w] : f32 over (h, w)
  yield %0 to y
}
region.func private @order<H, W> iters () ins (%x: memref<[H, W], f32>) outs (y: memref<[], f32> materialize gmem) {
  %0 = reduce sum (w: W, h: H) acc f32 init 0.0 {
    %1 = read %x[h, w] : f32 over (h, w)
    yield %1
  } : f32 over ()
  yield %0 to y
}

// -----

// What people launch and what has a plan keep their axes.
// CHECK-LABEL: region.func @public<H, W> iters (h: H, w: W)
region.func @public<H, W> iters (h: H, w: W) ins (%x: memref<[H, W], f32>) outs (y: memref<[H, W], f32> materialize gmem) {
  %0 = read %x[h, w] : f32 over (h, w)
  yield %0 to y
}
// CHECK-LABEL: region.func private @planned<H, W> iters (h: H, w: W)
host.func @planned_program<H, W>(%x: memref<[H, W], f32>) -> memref<[H, W], f32> {
  %y = launch @planned<H, W> (%x) : memref<[H, W], f32>
  return %y
}
region.func private @planned<H, W> iters (h: H, w: W) ins (%x: memref<[H, W], f32>) outs (y: memref<[H, W], f32> materialize gmem) {
  %0 = read %x[h, w] : f32 over (h, w)
  yield %0 to y
}
plan.schedule of @planned for sm90 {
  tile (h: 8, w: 32)
}
// -----

// Axes of a product stay on their sides: batches, rows, columns and what is summed are merged each. The rows of the columns of
// images in NCHW are one.
// CHECK-LABEL: region.func private @product<M, BZ> iters (zb: BZ, m: M, n: 8)
// CHECK: read %A[zb, m, k] : f16 over (zb, m, k)
host.func @batches<Z, B, M>(%a: memref<[Z, B, M, 16], f16>, %b: memref<[Z, B, 16, 8], f16>) -> memref<[Z, B, M, 8], f16> {
  %y = launch @product<Z, B, M> (%a, %b) : memref<[Z, B, M, 8], f16>
  return %y
}
region.func private @product<Z, B, M> iters (z: Z, b: B, m: M, n: 8) ins (%A: memref<[Z, B, M, 16], f16>, %B: memref<[Z, B, 16, 8], f16>) outs (y: memref<[Z, B, M, 8], f16> materialize gmem) {
  %s = reduce sum (k: 16) acc f32 init 0.0 {
    %0 = read %A[z, b, m, k] : f16 over (z, b, m, k)
    %1 = read %B[z, b, k, n] : f16 over (z, b, k, n)
    %2 = binary mul %0, %1 widen : f32 over (z, b, m, k, n)
    yield %2
  } : f32 over (z, b, m, n)
  yield %s to y as f16
}


// -----

// CHECK-LABEL: host.func @images<
// CHECK: launch @image_0<B, H*W> (%{{.*}}, %w) : memref<[B, 32, H*W], f16
// CHECK: region.func private @image_0<B, HW> iters (b: B, o: 32, hw: HW)
// CHECK: read %x[b, c, hw] : f16 over (b, hw, c)
host.func @images<B, H, W>(%x: memref<[B, 16, H, W], f16>, %w: memref<[32, 16], f16>) -> memref<[B, 32, H, W], f16> {
  %y = launch @image_0<B, H, W> (%x, %w) : memref<[B, 32, H, W], f16>
  return %y
}
region.func private @image_0<B, H, W> iters (b: B, o: 32, h: H, w: W) ins (%x: memref<[B, 16, H, W], f16>, %W: memref<[32, 16], f16>) outs (y: memref<[B, 32, H, W], f16> materialize gmem) {
  %s = reduce sum (c: 16) acc f32 init 0.0 {
    %0 = read %W[o, c] : f16 over (o, c)
    %1 = read %x[b, c, h, w] : f16 over (b, h, w, c)
    %2 = binary mul %0, %1 widen : f32 over (b, o, h, w, c)
    yield %2
  } : f32 over (b, o, h, w)
  yield %s to y as f16
}

// -----

// Axes of one position are gone, of memory that is read too, and so are broadcasts along them.
// CHECK-LABEL: host.func @kept<
// CHECK: %[[X:.+]] = view %x : memref<[N, 8], f32
// CHECK: %y = launch @kept_0<N> (%[[X]]) : memref<[N], f32
// CHECK: view %y : memref<[N, 1, 1], f32
// CHECK: region.func private @kept_0<N> iters (n: N)
// CHECK: reduce sum (k: 8)
// CHECK-NEXT: read %x[n, k]
// CHECK-NOT: broadcast_in_dim
// CHECK: yield %s to y
host.func @kept<N>(%x: memref<[N, 8, 1], f32>) -> memref<[N, 1, 1], f32> {
  %y = launch @kept_0<N> (%x) : memref<[N, 1, 1], f32>
  return %y
}
region.func private @kept_0<N> iters (n: N, i: 1, j: 1) ins (%x: memref<[N, 8, 1], f32>) outs (y: memref<[N, 1, 1], f32> materialize gmem) {
  %s = reduce sum (k: 8) acc f32 init 0.0 {
    %0 = read %x[n, k, j] : f32 over (n, k, j)
    yield %0
  } : f32 over (n, j)
  %t = broadcast_in_dim %s to [N, 1, 1] dims [0, 2] : f32 over (n, i, j)
  yield %t to y
}

// -----

// Memory whose elements are more than 64 bits count has no view.
// CHECK-LABEL: host.func @uncounted
// CHECK-NOT: view
host.func @uncounted(%x: memref<[4, 16, 4611686018427387904], f32>) -> memref<[4, 16], f32> {
  %y = launch @uncounted_0 (%x) : memref<[4, 16], f32>
  return %y
}
region.func private @uncounted_0 iters (i: 4, j: 16) ins (%x: memref<[4, 16, 4611686018427387904], f32>) outs (y: memref<[4, 16], f32> materialize gmem) {
  %s = reduce sum (k: 8) acc f32 init 0.0 {
    %0 = read %x[i, j, k] : f32 over (i, j, k)
    yield %0
  } : f32 over (i, j)
  yield %s to y
}

// -----

// A row that is read along in 8 parts of 16 elements, as after a reshape: the parts are one axis, that of the row.
// CHECK-LABEL: host.func @parts
// CHECK: launch @parts_0<N> (%x) : memref<[N, 128], f32
// CHECK: view %{{.*}} : memref<[N, 8, 16], f32
// CHECK: region.func private @parts_0<N> iters (n: N, [[HW:.+]]: 128)
// CHECK: reduce max (k: 128) acc f32
// CHECK: read %x[n, [[HW]]] : f32 over (n, [[HW]])
host.func @parts<N>(%x: memref<[N, 128], f32, row_major, align 128>) -> memref<[N, 8, 16], f32, row_major, align 128> {
  %y = launch @parts_0<N> (%x) : memref<[N, 8, 16], f32, row_major, align 128>
  return %y
}
region.func private @parts_0<N> iters (n: N, h: 8, w: 16)
    ins (%x: memref<[N, 128], f32, row_major, align 128>) outs (y: memref<[N, 8, 16], f32, row_major, align 128> materialize gmem) {
  %0 = reduce max (k: 128) acc f32 init -inf {
    %1 = read %x[n, k] : f32 over (n, k)
    yield %1
  } : f32 over (n)
  %2 = read %x[n, 16*h + w] : f32 over (n, h, w)
  %3 = broadcast_in_dim %0 to [N, 8, 16] dims [0] : f32 over (n, h, w)
  %y = binary sub %2, %3 : f32 over (n, h, w)
  yield %y to y
}

// -----

// Parts with a gap between them are no axis.
// CHECK-LABEL: host.func @gap
// CHECK: region.func private @gap_0 iters (h: 8, w: 16)
// CHECK: read %x[17*h + w]
host.func @gap(%x: memref<[135], f32, row_major, align 128>) -> memref<[8, 16], f32, row_major, align 128> {
  %y = launch @gap_0 (%x) : memref<[8, 16], f32, row_major, align 128>
  return %y
}
region.func private @gap_0 iters (h: 8, w: 16)
    ins (%x: memref<[135], f32, row_major, align 128>) outs (y: memref<[8, 16], f32, row_major, align 128> materialize gmem) {
  %0 = read %x[17*h + w] : f32 over (h, w)
  %y = unary neg %0 : f32 over (h, w)
  yield %y to y
}

// -----

// That there is an element at 0 is known only as long as an axis has `A` positions: a product of sizes does not say so.
// CHECK-LABEL: host.func @first
// CHECK: launch @first_0<A> (%x) : memref<[2*A, 4*A], f32
// CHECK: region.func private @first_0<A> iters (i0: 2*A, i2: 4*A)
host.func @first<A>(%x: memref<[A], f32, row_major, align 128>) -> memref<[2, A, 2*A, 2], f32, row_major, align 128> {
  %y = launch @first_0<A> (%x) : memref<[2, A, 2*A, 2], f32, row_major, align 128>
  return %y
}
region.func private @first_0<A> iters (i0: 2, a: A, i2: 2*A, i3: 2) ins (%x: memref<[A], f32, row_major, align 128>) outs (y: memref<[2, A, 2*A, 2], f32, row_major, align 128> materialize gmem) {
  %0 = read %x[0] : f32 over ()
  %1 = broadcast_in_dim %0 to [2, A, 2*A, 2] dims [] : f32 over (i0, a, i2, i3)
  yield %1 to y
}

// -----

// What is read at both parts of a position alone has one axis; with another read, it keeps both.
// CHECK-LABEL: host.func @parts
// CHECK: %[[X:.*]] = view %x : memref<[1000, 60], f32
// CHECK: launch @parts_0 (%[[X]], %z)
// CHECK: region.func private @parts_0 iters (c: 60)
// CHECK: read %x[n, c] : f32 over (c, n)
// CHECK: read %z[c floordiv 3, c mod 3]
// CHECK: read %z[c floordiv 3, 2]
host.func @parts(%x: memref<[1000, 20, 3], f32, row_major, align 128>, %z: memref<[20, 3], f32, row_major, align 128>) -> memref<[60], f32, row_major, align 128> {
  %y = launch @parts_0 (%x, %z) : memref<[60], f32, row_major, align 128>
  return %y
}
region.func private @parts_0 iters (c: 60) ins (%x: memref<[1000, 20, 3], f32, row_major, align 128>, %z: memref<[20, 3], f32, row_major, align 128>) outs (y: memref<[60], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (n: 1000) acc f32 init 0.0 {
    %0 = read %x[n, c floordiv 3, c mod 3] : f32 over (c, n)
    yield %0
  } : f32 over (c)
  %1 = read %z[c floordiv 3, c mod 3] : f32 over (c)
  %2 = read %z[c floordiv 3, 2] : f32 over (c)
  %3 = binary add %s, %1 : f32 over (c)
  %y = binary mul %3, %2 : f32 over (c)
  yield %y to y
}

// -----

// That 7 is in a row of memory is known by the size of the other axis alone: both stay.
// CHECK-LABEL: region.func private @known_0<B>
// CHECK: read %x[7 floordiv B, 7 mod B]
host.func @known<B>(%x: memref<[3, B], f32, row_major, align 128>) -> memref<[], f32, row_major, align 128> {
  %y = launch @known_0<B> (%x) : memref<[], f32, row_major, align 128>
  return %y
}
region.func private @known_0<B> iters () ins (%x: memref<[3, B], f32, row_major, align 128>) outs (y: memref<[], f32, row_major, align 128> materialize gmem) {
  %y = read %x[7 floordiv B, 7 mod B] where (7 floordiv B < 3, 7 mod B < B) : f32 over ()
  yield %y to y
}
