// Of a product whose rows are reduced next only tiles that have whole rows are compared, and results of rows alone are stored
// by the threads.

// RUN: dlc-opt %s --choose-plan='assume=4096' --split-input-file | FileCheck %s
// RUN: dlc-opt %s --choose-plan='assume=4096 target=sm80' --split-input-file | FileCheck %s --check-prefix=SM80
// RUN: dlc-opt %s --pass-pipeline='choose-plan{assume=4096},tensorize,kernel-schedule' --evaluate-each --split-input-file -o /dev/null
// RUN: dlc-opt %s --pass-pipeline='choose-plan{assume=4096 target=sm80},tensorize,kernel-schedule' --evaluate-each --split-input-file -o /dev/null

// CHECK-LABEL: plan.schedule of @norm
// CHECK: tile (m: {{[0-9]+}}, n: 104, k: {{[0-9]+}})
// CHECK: instruction wgmma [64, 104, 16]
// CHECK: cache W (n, k) f16 in smem
// CHECK: store fragments
// SM80-LABEL: plan.schedule of @norm
// SM80: tile (m: {{[0-9]+}}, n: 128, k: 64)
// SM80: instruction mma
region.func @norm<M, K> iters (m: M, n: 100)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[100, K], f16, row_major, align 128>)
    outs (Y: memref<[M, 100], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[n, k] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  %all = reduce sum (n: 100) acc f32 init 0.0 {
    yield %s
  } : f32 over (m)
  %part = const 0.01 : f32 over ()
  %mean = binary mul %all, %part : f32 over (m)
  %y = binary sub %s, %mean : f32 over (m, n)
  yield %y to Y as f16
}

// -----

// CHECK-LABEL: plan.schedule of @tops
// CHECK: tile (m: {{[0-9]+}}, n: 64, k: {{[0-9]+}})
// CHECK: instruction wgmma [64, 64, 16]
// CHECK: store fragments
// SM80-LABEL: plan.schedule of @tops
// SM80: tile (m: {{[0-9]+}}, n: 64, k: 64)
// SM80-NOT: assume (M
region.func @tops<M, K> iters (m: M)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, 64], f16, row_major, align 128>)
    outs (Y: memref<[M], f32, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %x = read %X[m, k] : f16 over (m, k)
    %w = read %W[k, n] : f16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  %top = reduce max (n: 64) acc f32 init -inf {
    yield %s
  } : f32 over (m)
  yield %top to Y
}

// -----

// Rows of nothing hold nothing.
// CHECK-LABEL: @no_columns
// SM80-LABEL: @no_columns
region.func @no_columns<M, K> iters (m: M)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, 320], f16, row_major, align 128>)
    outs (Y: memref<[M], f32, row_major, align 128> materialize gmem) {
  %top = reduce max (n: 0) acc f32 init -inf {
    %s = reduce sum (k: K) acc f32 init 0.0 {
      %x = read %X[m, k] : f16 over (m, k)
      %w = read %W[k, n] : f16 over (n, k)
      %p = binary mul %x, %w widen : f32 over (m, n, k)
      yield %p
    } : f32 over (m, n)
    yield %s
  } : f32 over (m)
  yield %top to Y
}
