// Many reads across one tensor: each takes a tile of shared memory, and all of them together fit into a block. With tiles of
// 64 by 64 elements, which one read would have, they would not.

// RUN: dlc-opt %s --choose-plan=target=sm90 --tensorize --verify-each | FileCheck %s

// CHECK-LABEL: kernel.func @many
// CHECK-COUNT-16: shared : tile<[32, 32], f32
region.func @many iters (i: 3, j: 6) ins (%X: memref<[24, 3], f32, row_major, align 128, noalias>) outs (y: memref<[3, 6], f32, row_major, align 128, noalias> materialize gmem) {
  %r0 = read %X[j, i] : f32 over (i, j)
  %r1 = read %X[j + 1, i] : f32 over (i, j)
  %s1 = binary add %r0, %r1 : f32 over (i, j)
  %r2 = read %X[j + 2, i] : f32 over (i, j)
  %s2 = binary add %s1, %r2 : f32 over (i, j)
  %r3 = read %X[j + 3, i] : f32 over (i, j)
  %s3 = binary add %s2, %r3 : f32 over (i, j)
  %r4 = read %X[j + 4, i] : f32 over (i, j)
  %s4 = binary add %s3, %r4 : f32 over (i, j)
  %r5 = read %X[j + 5, i] : f32 over (i, j)
  %s5 = binary add %s4, %r5 : f32 over (i, j)
  %r6 = read %X[j + 6, i] : f32 over (i, j)
  %s6 = binary add %s5, %r6 : f32 over (i, j)
  %r7 = read %X[j + 7, i] : f32 over (i, j)
  %s7 = binary add %s6, %r7 : f32 over (i, j)
  %r8 = read %X[j + 8, i] : f32 over (i, j)
  %s8 = binary add %s7, %r8 : f32 over (i, j)
  %r9 = read %X[j + 9, i] : f32 over (i, j)
  %s9 = binary add %s8, %r9 : f32 over (i, j)
  %r10 = read %X[j + 10, i] : f32 over (i, j)
  %s10 = binary add %s9, %r10 : f32 over (i, j)
  %r11 = read %X[j + 11, i] : f32 over (i, j)
  %s11 = binary add %s10, %r11 : f32 over (i, j)
  %r12 = read %X[j + 12, i] : f32 over (i, j)
  %s12 = binary add %s11, %r12 : f32 over (i, j)
  %r13 = read %X[j + 13, i] : f32 over (i, j)
  %s13 = binary add %s12, %r13 : f32 over (i, j)
  %r14 = read %X[j + 14, i] : f32 over (i, j)
  %s14 = binary add %s13, %r14 : f32 over (i, j)
  %r15 = read %X[j + 15, i] : f32 over (i, j)
  %s15 = binary add %s14, %r15 : f32 over (i, j)
  yield %s15 to y
}
