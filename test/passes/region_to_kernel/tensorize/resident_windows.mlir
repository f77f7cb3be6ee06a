// Pixels of whole rows stay in shared memory for all places of a window: the plan says 'window'.

// RUN: dlc-opt %s --tensorize -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --function=rows --shape=N=2 -o %t.npz
// RUN: dlc-run %t.mlir --function=rows --shape=N=2 --check=%t.npz
// RUN: dlc-run %s --function=columns --shape=N=2,H=6 -o %t.npz
// RUN: dlc-run %t.mlir --function=columns --shape=N=2,H=6 --check=%t.npz --rtol=1e-2 --atol=1e-2
// RUN: dlc-run %s --function=apart --shape=N=2 -o %t.npz
// RUN: dlc-run %t.mlir --function=apart --shape=N=2 --check=%t.npz

// Two rows of 14 results, with what windows reach beyond them. A third row and a part of the one after it are read by the
// last places, and the sums of 32 pixels are computed to no effect.
// CHECK-LABEL: kernel.func @rows
// CHECK: grid (3*N)
// CHECK: for %k = 0 to 128 step 64 carry
// CHECK: %[[WHOLE:.+]] = slice %patch at (0, 0) : tile<[96, 64], f16, swizzle 128>
// CHECK-NEXT: copy %X[%{{.+}}, 2*%row + i0 floordiv 16 - 1, i0 mod 16 - 1, %k + i1] where (0 <= 2*%row + i0 floordiv 16 - 1 < 6, 0 <= i0 mod 16 - 1 < 14, %k + i1 < 128) to %[[WHOLE]]
// CHECK: %[[LAST:.+]] = slice %filters at (512, 0) : tile<[64, 64], f16, swizzle 128>
// CHECK-NEXT: copy %F[i0, 2, 2, %k + i1] where (%k + i1 < 128) to %[[LAST]]
// CHECK: fence_async
// CHECK-NEXT: barrier
// CHECK-NEXT: slice %patch at (0, 0) : tile<[64, 64], f16, swizzle 128>
// CHECK-NEXT: wgmma
// CHECK-NEXT: slice %patch at (1, 0)
// CHECK: slice %patch at (34, 0)
// CHECK-NEXT: wgmma {{.+}}, %[[LAST]] transposed,
// CHECK-NEXT: await
// CHECK-NEXT: barrier
// CHECK: store %{{.+}} to %Y[%{{.+}}, 2*%row + i0 floordiv 16, i0 mod 16, i1] where (2*%row + i0 floordiv 16 < 6, i0 mod 16 < 14, i0 < 32)
region.func @rows<N> iters (n: N, h: 6, w: 14, o: 64)
    ins (%X: memref<[N, 6, 14, 128], f16, row_major, align 128>, %F: memref<[64, 3, 3, 128], f16, row_major, align 128>)
    outs (Y: memref<[N, 6, 14, 64], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (r: 3, s: 3, c: 128) acc f32 init 0.0 {
    %x = read %X[n, h + r - 1, w + s - 1, c] where (0 <= h + r - 1 < 6, 0 <= w + s - 1 < 14) : f16 over (n, h, w, r, s, c)
    %f = read %F[o, r, s, c] : f16 over (o, r, s, c)
    %p = binary mul %x, %f widen : f32 over (n, h, w, o, r, s, c)
    yield %p
  } : f32 over (n, h, w, o)
  yield %s to Y as f16
}
plan.schedule of @rows for sm90 {
  tile (n: 1, h: 2, w: 16, o: 64, r: 3, s: 3, c: 64)
  reduced [r, s, c]
  instruction wgmma
  cache X (n, h, r, w, s, c) f16 in smem
  cache F (o, r, s, c) f16 in smem
  algo (load_X: window)
}

// Pixels fill the columns of the instruction, which any multiple of eight can be. Rows of the picture are no number, and
// the last tile has fewer of them. Without zeros around it windows end with the picture.
// CHECK-LABEL: kernel.func @columns
// CHECK: slice %patch at (0, 0) : tile<[64, 8], f32, swizzle 32>
// CHECK-NEXT: copy %X[{{.+}}, 3*%column + i0 floordiv 16, i0 mod 16, i1] where (0 <= 3*%column + i0 floordiv 16 < H, 0 <= i0 mod 16 < 14)
// CHECK: slice %patch at (64, 0) : tile<[8, 8], f32, swizzle 32>
// CHECK-NEXT: copy %X[{{.+}}, 3*%column + 4, i0, i1]
// CHECK: wgmma %{{.+}}, %{{.+}} transposed, %{{.+}} as tf32
region.func @columns<N, H> iters (n: N, o: 64, h: H - 1, w: 12)
    ins (%X: memref<[N, H, 14, 8], f32, row_major, align 128>, %F: memref<[2, 3, 64, 8], f32, row_major, align 128>)
    outs (Y: memref<[N, 64, H - 1, 12], f32, row_major, align 128> materialize gmem) {
  %sum = reduce sum (r: 2, s: 3, c: 8) acc f32 init 0.0 {
    %f = read %F[r, s, o, c] : f32 over (o, r, s, c)
    %x = read %X[n, h + r, w + s, c] : f32 over (n, h, w, r, s, c)
    %p = binary mul %f, %x widen {tf32} : f32 over (n, o, h, w, r, s, c)
    yield %p
  } : f32 over (n, o, h, w)
  yield %sum to Y
}
plan.schedule of @columns for sm90 {
  tile (n: 1, o: 64, h: 3, w: 16, r: 2, s: 3, c: 8)
  reduced [r, s, c]
  instruction wgmma as tf32
  cache F (r, s, o, c) f32 in smem
  cache X (n, h, r, w, s, c) f32 in smem
  algo (load_X: window)
}

// Places that are two pixels apart, and one row of results. Channels across the rows of the filters stay as they are.
// CHECK-LABEL: kernel.func @apart
// CHECK: copy %F[0, 0, i0, i1]
// CHECK: slice %patch at (0, 0) : tile<[64, 32], f16, swizzle 64>
// CHECK-NEXT: wgmma %{{[0-9]+}}, %{{[0-9]+}}, %
// CHECK: slice %patch at (2, 0) : tile<[64, 32], f16, swizzle 64>
// CHECK: slice %patch at (116, 0) : tile<[64, 32], f16, swizzle 64>
region.func @apart<N> iters (n: N, h: 5, w: 53, o: 64)
    ins (%X: memref<[N, 5, 53, 32], f16, row_major, align 128>, %F: memref<[2, 3, 32, 64], f16, row_major, align 128>)
    outs (Y: memref<[N, 5, 53, 64], f16, row_major, align 128> materialize gmem) {
  %sum = reduce sum (r: 2, s: 3, c: 32) acc f32 init 0.0 {
    %x = read %X[n, h + 2*r - 1, w + 2*s - 2, c] where (0 <= h + 2*r - 1 < 5, 0 <= w + 2*s - 2 < 53) : f16 over (n, h, w, r, s, c)
    %f = read %F[r, s, c, o] : f16 over (o, r, s, c)
    %p = binary mul %x, %f widen : f32 over (n, h, w, o, r, s, c)
    yield %p
  } : f32 over (n, h, w, o)
  yield %sum to Y as f16
}
plan.schedule of @apart for sm90 {
  tile (n: 1, h: 1, w: 57, o: 64, r: 2, s: 3, c: 32)
  reduced [r, s, c]
  instruction wgmma
  cache X (n, h, r, w, s, c) f16 in smem
  cache F (r, s, c, o) f16 in smem
  algo (load_X: window)
}
