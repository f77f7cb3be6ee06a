// Reduced axes of which a tile has one position are loops around, so that what is read is a matrix at each place of a
// window. Rows beyond the last are not asked for where the window itself stays in memory.

// RUN: dlc-opt %s --tensorize --evaluate-each | FileCheck %s

// CHECK-LABEL: kernel.func @bounded
// CHECK: for %w = 0 to 3 carry
// CHECK-NEXT: for %k = 0 to C step 32 carry
// CHECK-NEXT: copy %X[32*%row + %w + i0 - 1, %k + i1] where (0 <= 32*%row + %w + i0 - 1 < L, %k + i1 < C) to %lhs
// CHECK-NEXT: copy %F[%w, %k + i0, 16*%column + i1] where (%k + i0 < C, 16*%column + i1 < N) to %rhs
region.func @bounded<L, C, N> iters (l: L, n: N)
    ins (%X: memref<[L, C], f16, row_major, align 16>, %F: memref<[3, C, N], f16, row_major, align 16>)
    outs (Y: memref<[L, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (w: 3, c: C) acc f32 init 0.0 {
    %x = read %X[l + w - 1, c] where (0 <= l + w - 1 < L) : f16 over (l, w, c)
    %f = read %F[w, c, n] : f16 over (n, w, c)
    %p = binary mul %x, %f widen : f32 over (l, n, w, c)
    yield %p
  } : f32 over (l, n)
  yield %s to Y
}
plan.schedule of @bounded for sm80 {
  tile (l: 32, n: 16, c: 32)
  instruction mma
  cache X (l, w, c) f16 in smem
  cache F (w, c, n) f16 in smem
}

// Here the rows of the result alone say that memory is not left.
// CHECK-LABEL: kernel.func @open
// CHECK: copy %X[32*%row + %w + i0, %k + i1] where (32*%row + i0 < L, %k + i1 < C) to %lhs
region.func @open<L, C, N> iters (l: L, n: N)
    ins (%X: memref<[L + 2, C], f16, row_major, align 16>, %F: memref<[3, C, N], f16, row_major, align 16>)
    outs (Y: memref<[L, N], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (w: 3, c: C) acc f32 init 0.0 {
    %x = read %X[l + w, c] : f16 over (l, w, c)
    %f = read %F[w, c, n] : f16 over (n, w, c)
    %p = binary mul %x, %f widen : f32 over (l, n, w, c)
    yield %p
  } : f32 over (l, n)
  yield %s to Y
}
plan.schedule of @open for sm80 {
  tile (l: 32, n: 16, c: 32)
  instruction mma
  cache X (l, w, c) f16 in smem
  cache F (w, c, n) f16 in smem
}
