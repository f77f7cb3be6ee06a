// TMA begins within rows at multiples of 16 bytes (it stops the kernel at others): the second half of rows of 8 `bf16` is copied by
// threads, the second half of rows of 32 by TMA.

// RUN: dlc-opt %s --choose-plan=target=sm90 | FileCheck %s
// RUN: dlc-opt %s --choose-plan=target=sm90 --region-to-ptx --no-output

// CHECK-LABEL: plan.schedule of @short
// CHECK-NOT: mbarrier
// CHECK-LABEL: plan.schedule of @long
// CHECK: barrier mbarrier
region.func @short iters (m: 1900, n: 24)
    ins (%X: memref<[1900, 8], bf16, row_major, align 128>, %W: memref<[4, 24], bf16, row_major, align 128>)
    outs (Y: memref<[1900, 24], bf16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 4) acc f32 init 0.0 {
    %x = read %X[m, k + 4] : bf16 over (m, k)
    %w = read %W[k, n] : bf16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y as bf16
}

region.func @long iters (m: 1900, n: 128)
    ins (%X: memref<[1900, 1024], bf16, row_major, align 128>, %W: memref<[512, 128], bf16, row_major, align 128>)
    outs (Y: memref<[1900, 128], bf16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: 512) acc f32 init 0.0 {
    %x = read %X[m, k + 512] : bf16 over (m, k)
    %w = read %W[k, n] : bf16 over (n, k)
    %p = binary mul %x, %w widen : f32 over (m, n, k)
    yield %p
  } : f32 over (m, n)
  yield %s to Y as bf16
}
