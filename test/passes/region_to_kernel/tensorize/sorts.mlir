// Sorted rows are held whole: by the warps of a block, or several by each warp.

// RUN: dlc-opt %s --tensorize -o %t.kernel.mlir
// RUN: dlc-opt %t.kernel.mlir --check-async -o /dev/null
// RUN: FileCheck %s --input-file=%t.kernel.mlir
// RUN: dlc-run %s --strict --function=long --shape=M=3 -o %t.npz
// RUN: dlc-run %t.kernel.mlir --strict --function=long --shape=M=3 --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=short --shape=M=37 -o %t.npz
// RUN: dlc-run %t.kernel.mlir --strict --function=short --shape=M=37 --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=columns --shape=M=5 -o %t.npz
// RUN: dlc-run %t.kernel.mlir --strict --function=columns --shape=M=5 --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=groups --shape=M=2,N=700 -o %t.npz
// RUN: dlc-run %t.kernel.mlir --strict --function=groups --shape=M=2,N=700 --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=groups --shape=M=2,N=1 -o %t.npz
// RUN: dlc-run %t.kernel.mlir --strict --function=groups --shape=M=2,N=1 --check=%t.npz --rtol=0 --atol=0
// RUN: dlc-run %s --strict --function=one -o %t.npz
// RUN: dlc-run %t.kernel.mlir --strict --function=one --check=%t.npz --rtol=0 --atol=0

// What lies beyond the end comes last.
// CHECK-LABEL: kernel.func @long<
// CHECK: grid (M) threads 512 {
// CHECK: %[[LAST:.*]] = const 9223372036854775807
// CHECK: %[[IN:.*]] = select where ({{.*}} < 3000) then %{{.*}} else %[[LAST]]
// CHECK: sort %[[IN]] along 1 through %shared
region.func @long<M> iters (m: M, n: 3000)
    ins (%X: memref<[M, 3000], i64, row_major, align 16>)
    outs (Y: memref<[M, 3000], i64, row_major, align 16> materialize gmem) {
  %x = read %X[m, n] : i64 over (m, n)
  %s = sort %x along n : i64 over (m, n)
  yield %s to Y
}

// Short floats are sorted as f32.
// CHECK-LABEL: kernel.func @short<
// CHECK: grid (M ceildiv 16) threads 128 {
// CHECK: select where ({{.*}} < 50) then %{{.*}} else %{{.*}} : frag<[16, 64], f32,
// CHECK: sort %{{.*}} along 1 : frag<[16, 64], f32,
region.func @short<M> iters (m: M, n: 50)
    ins (%X: memref<[M, 50], f16, row_major, align 16>)
    outs (Y: memref<[M, 50], f16, row_major, align 16> materialize gmem) {
  %x = read %X[m, n] : f16 over (m, n)
  %s = sort %x along n : f16 over (m, n)
  yield %s to Y
}

// CHECK-LABEL: kernel.func @columns<
// CHECK: sort %{{.*}} along 1 : frag<[64, 16], i32,
region.func @columns<M> iters (n: 10, m: M)
    ins (%X: memref<[10, M], i8, row_major, align 16>)
    outs (Y: memref<[10, M], i8, row_major, align 16> materialize gmem) {
  %x = read %X[n, m] : i8 over (n, m)
  %s = sort %x along n : i8 over (n, m)
  yield %s to Y
}

// CHECK-LABEL: kernel.func @groups<
// CHECK: %group = index
// CHECK: sort
region.func @groups<M, N> iters (m: M, n: N)
    ins (%X: memref<[M, N], i32, row_major, align 16>)
    outs (Y: memref<[M, N], i32, row_major, align 16> materialize gmem) {
  %x = read %X[m, n] : i32 over (m, n)
  %s = sort %x along n every 512 : i32 over (m, n)
  yield %s to Y
}

// CHECK-LABEL: kernel.func @one(
region.func @one iters (n: 300)
    ins (%X: memref<[300], f32, row_major, align 16>)
    outs (Y: memref<[300], f32, row_major, align 16> materialize gmem) {
  %x = read %X[n] : f32 over (n)
  %s = sort %x along n : f32 over (n)
  yield %s to Y
}
