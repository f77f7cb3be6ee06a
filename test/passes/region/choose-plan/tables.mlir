// Of a table that is read at positions that are values there come as many elements from memory as are read, not all of it.

// RUN: dlc-opt %s --choose-plan='assume=64' --remarks=analysis --no-output 2>&1 | FileCheck %s

// CHECK: the plan of @rows, {{.*}} memory 0.
region.func @rows<M> iters (m: M, n: 1024)
    ins (%x: memref<[1000000, 1024], f32, row_major, align 128>, %i: memref<[M], i64, row_major, align 128>)
    outs (y: memref<[M, 1024], f32, row_major, align 128> materialize gmem) {
  %0 = read %i[m] : i64 over (m)
  %1 = read %x[%0, n] : f32 over (m, n)
  yield %1 to y
}
