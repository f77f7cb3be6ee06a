// Reductions that each thread goes over for its own elements of a planned tile: windows, sums along short axes. The axes of
// which a tile has one position are axes of blocks, and loops that the plan unrolls are marked.

// RUN: dlc-opt %s --tensorize --evaluate-each --check-async | FileCheck %s
// RUN: dlc-opt %s --pass-pipeline='tensorize,kernel-schedule,kernel-to-ptx,licm{registers=128},cse,dce' --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=PTX

// Channels last: a thread has eight channels of four pixels in a row. Of a pixel beyond the last nothing is asked, as the
// window itself is bounded. Products are added as they are, rounded once. What two windows share is loaded once: 18 vectors of
// pixels instead of 36, and nine of weights.
// CHECK-LABEL: kernel.func @channels_last
// CHECK: grid (2*H*N*(W ceildiv 64)) threads 32 {
// CHECK: const 0.0 : frag<[64, 16], f32, blocked [4, 8] lanes [16, 2] warps [1, 1]>
// CHECK: for %i = 0 to 3 unroll carry
// CHECK-NEXT: for %j = 0 to 3 unroll carry
// CHECK: load %X[{{.*}}, {{.*}}, 64*%row + %j + i0 - 1, 16*%column + i1] where (0 <= {{.*}} < H, 0 <= 64*%row + %j + i0 - 1 < W, 16*%column + i1 < 24)
// CHECK-NOT: binary
// CHECK: mulacc
// CHECK: store {{.*}} where (64*%row + i0 < W, 16*%column + i1 < 24)
// PTX-LABEL: ptx.func @channels_last
// PTX-COUNT-27: ld.global.nc.v4.b32
// PTX-NOT: ld.global
// PTX-COUNT-4: st.global.v4.b32
region.func @channels_last<N, H, W> iters (n: N, h: H, w: W, c: 24)
    ins (%X: memref<[N, H, W, 24], f16, row_major, align 16>, %F: memref<[3, 3, 24], f16, row_major, align 16>)
    outs (Y: memref<[N, H, W, 24], f16, row_major, align 16> materialize gmem) {
  %s = reduce sum (i: 3, j: 3) acc f32 init 0.0 {
    %f = read %F[i, j, c] : f16 over (c, i, j)
    %x = read %X[n, h + i - 1, w + j - 1, c] where (0 <= h + i - 1 < H, 0 <= w + j - 1 < W) : f16 over (n, h, w, c, i, j)
    %p = binary mul %x, %f widen : f32 over (n, h, w, c, i, j)
    yield %p
  } : f32 over (n, h, w, c)
  yield %s to Y as f16
}
plan.schedule of @channels_last for sm90 {
  tile (n: 1, h: 1, w: 64, c: 16, i: 1, j: 1)
  thread_tile (w: 4, c: 8)
  threads (w: 16, c: 2)
  unroll (i: 3, j: 3)
  vectors (Y: 8)
}

// Channels first: the windows of eight pixels in a row begin between two vectors of memory. A row of three windows is in
// three vectors, and four rows of them in six rows of memory, though of bounds that hold anyway nothing is asked.
// CHECK-LABEL: kernel.func @channels_first
// CHECK: load %X[{{.*}}, 8*%row + %i + i0 - 1, 128*%column + %j + i1 - 1] where (0 <= 8*%row + %i + i0 - 1 < H, 0 <= 128*%column + %j + i1 - 1 < W)
// PTX-LABEL: ptx.func @channels_first
// PTX-COUNT-27: ld.global.nc.{{v4.b32|b16}}
// PTX-NOT: ld.global
// PTX-COUNT-4: st.global.v4.b32
region.func @channels_first<N, H, W> iters (n: N, c: 3, h: H, w: W)
    ins (%X: memref<[N, 3, H, W], f16, row_major, align 16>, %F: memref<[3, 3, 3], f16, row_major, align 16>)
    outs (Y: memref<[N, 3, H, W], f16, row_major, align 16> materialize gmem) {
  %s = reduce sum (i: 3, j: 3) acc f32 init 0.0 {
    %f = read %F[c, i, j] : f16 over (c, i, j)
    %x = read %X[n, c, h + i - 1, w + j - 1] where (0 <= h + i - 1 < H, 0 <= w + j - 1 < W) : f16 over (n, c, h, w, i, j)
    %p = binary mul %x, %f widen : f32 over (n, c, h, w, i, j)
    yield %p
  } : f32 over (n, c, h, w)
  yield %s to Y as f16
}
plan.schedule of @channels_first for sm90 {
  tile (n: 1, c: 1, h: 8, w: 128, i: 1, j: 1)
  assume (W: 8)
  thread_tile (h: 4, w: 8)
  threads (h: 2, w: 16)
  unroll (i: 3, j: 3)
  vectors (Y: 8)
  predicate_tail [h, w]
}

// The same for unaligned rows: elements one by one, each once.
// PTX-LABEL: ptx.func @anywhere
// PTX-COUNT-27: ld.global.nc.b16
// PTX-NOT: ld.global
region.func @anywhere<N, H, W> iters (n: N, c: 3, h: H, w: W)
    ins (%X: memref<[N, 3, H, W], f16, row_major, align 16>, %F: memref<[3, 3, 3], f16, row_major, align 16>)
    outs (Y: memref<[N, 3, H, W], f16, row_major, align 16> materialize gmem) {
  %s = reduce sum (i: 3, j: 3) acc f32 init 0.0 {
    %f = read %F[c, i, j] : f16 over (c, i, j)
    %x = read %X[n, c, h + i - 1, w + j - 1] where (0 <= h + i - 1 < H, 0 <= w + j - 1 < W) : f16 over (n, c, h, w, i, j)
    %p = binary mul %x, %f widen : f32 over (n, c, h, w, i, j)
    yield %p
  } : f32 over (n, c, h, w)
  yield %s to Y as f16
}
plan.schedule of @anywhere for sm90 {
  tile (n: 1, c: 1, h: 4, w: 64, i: 1, j: 1)
  thread_tile (w: 4)
  threads (h: 4, w: 16)
  unroll (i: 3, j: 3)
}

// Every second window, of which the greatest element counts: outside of memory there is none. Windows of eight results in a
// row are in three vectors.
// CHECK-LABEL: kernel.func @greatest
// CHECK: require (W mod 16 == 0)
// CHECK: load %X[{{.*}}] where {{.*}} else -inf
// PTX-LABEL: ptx.func @greatest
// PTX-COUNT-15: ld.global.nc.v4.b32
// PTX-NOT: ld.global
region.func @greatest<N, H, W> iters (n: N, h: H ceildiv 2, w: W ceildiv 2)
    ins (%X: memref<[N, H, W], f16, row_major, align 16>)
    outs (Y: memref<[N, H ceildiv 2, W ceildiv 2], f16, row_major, align 16> materialize gmem) {
  %y = reduce max (i: 3, j: 3) acc f16 init -inf {
    %x = read %X[n, 2*h + i - 1, 2*w + j - 1] where (0 <= 2*h + i - 1 < H, 0 <= 2*w + j - 1 < W) else -inf : f16 over (n, h, w, i, j)
    yield %x
  } : f16 over (n, h, w)
  yield %y to Y
}
plan.schedule of @greatest for sm90 {
  tile (n: 1, h: 8, w: 64, i: 1, j: 1)
  assume (W: 16)
  thread_tile (h: 2, w: 8)
  threads (h: 4, w: 8)
  unroll (i: 3, j: 3)
  vectors (Y: 8)
}

// A sum along a short axis, over an outer loop that is not unrolled.
// CHECK-LABEL: kernel.func @short
// CHECK: for %i = 0 to 5 carry
// CHECK-NEXT: for %j = 0 to 4 unroll carry
// PTX-LABEL: ptx.func @short
// PTX: bra_if
region.func @short<M, N> iters (m: M, n: N)
    ins (%X: memref<[5, M, 4, N], f32, row_major, align 16>)
    outs (Y: memref<[M, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (i: 5, j: 4) acc f32 init 0.0 {
    %x = read %X[i, m, j, n] : f32 over (m, n, i, j)
    yield %x
  } : f32 over (m, n)
  yield %s to Y
}
plan.schedule of @short for sm90 {
  tile (m: 4, n: 64, i: 1, j: 1)
  assume (N: 4)
  thread_tile (n: 4)
  threads (m: 4, n: 16)
  unroll (j: 4)
  vectors (X: 4, Y: 4)
}
