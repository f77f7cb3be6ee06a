// A plan that was measured for a kernel, at its sizes, replaces the estimate.

// RUN: dlc-opt %s --choose-plan='symbols=[M:256]' --remarks=analysis 2>%t.err | FileCheck %s --check-prefix=TAKEN
// RUN: FileCheck %s --check-prefix=SAID < %t.err
// RUN: dlc-opt %s --choose-plan='symbols=[M:256]' --remarks=missed --no-output 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: dlc-opt %s --choose-plan='symbols=[M:255]' --remarks=analysis 2>%t.err | FileCheck %s --check-prefix=ESTIMATE
// RUN: FileCheck %s --check-prefix=SILENT --allow-empty < %t.err
// RUN: dlc-opt %s --choose-plan='symbols=[M:128]' 2>%t.err | FileCheck %s --check-prefix=ESTIMATE
// RUN: FileCheck %s --check-prefix=REFUSED < %t.err
// RUN: dlc-opt %s --choose-plan='target=sm80 symbols=[M:256]' | FileCheck %s --check-prefix=ESTIMATE

// TAKEN: plan.schedule of @twice for sm90 {
// TAKEN-NEXT: tile (m: 512)
// TAKEN-NEXT: threads (m: 64)
// TAKEN-NOT: plan.measured
// SAID: the plan of @twice, of {{.*}} tile (m: 512) threads (m: 64): measured 2.10 us;
// ESTIMATE-NOT: threads (m: 64)
// ESTIMATE-NOT: plan.measured
// SILENT-NOT: measured {{[0-9.]+}} us
// REFUSED: [E1616] Warning: the plan of @twice that took 1.00 us on NVIDIA H200 is not taken: the plan has the axis 'rows', and the axes of the kernel are m
region.func @twice<M> iters (m: M) ins (%x: memref<[M], f32, row_major, align 16>) outs (y: memref<[M], f32, row_major, align 16> materialize gmem) {
  %a = read %x[m] : f32 over (m)
  %b = binary add %a, %a : f32 over (m)
  yield %b to y
}

// Of three the fastest.
plan.measured twice for sm90 {
  kernel "35253dbd41fba2b0"
  sizes (M: 256)
  device "NVIDIA H200"
  driver 13000
  nanoseconds 2500
  tile (m: 1024)
  threads (m: 64)
}
plan.measured twice for sm90 {
  kernel "35253dbd41fba2b0"
  sizes (M: 256)
  device "NVIDIA H200"
  driver 13000
  nanoseconds 2100
  tile (m: 512)
  threads (m: 64)
}

plan.measured twice for sm90 {
  kernel "35253dbd41fba2b0"
  sizes (M: 256)
  device "NVIDIA H200"
  driver 13000
  nanoseconds 2200
  tile (m: 2048)
  threads (m: 64)
}

// A plan that the kernel cannot have.
plan.measured twice for sm90 {
  kernel "35253dbd41fba2b0"
  sizes (M: 128)
  device "NVIDIA H200"
  driver 13000
  nanoseconds 1000
  tile (rows: 64)
}

// Of another kernel.
plan.measured twice for sm90 {
  kernel "0123456789abcdef"
  sizes (M: 255)
  device "NVIDIA H200"
  driver 13000
  nanoseconds 10
  tile (m: 512)
}

// Of the name of a kernel that computes something else now.
// CHANGED: [choose-plan, missed] the plans that were measured for 'thrice' are for other kernels; this one is "{{[0-9a-f]+}}"
plan.measured thrice for sm90 {
  kernel "00000000000000ff"
  sizes (M: 128)
  device "NVIDIA H200"
  driver 13000
  nanoseconds 10
}
region.func @thrice<M> iters (m: M) ins (%x: memref<[M], f32, row_major, align 16>) outs (y: memref<[M], f32, row_major, align 16> materialize gmem) {
  %a = read %x[m] : f32 over (m)
  %b = binary add %a, %a : f32 over (m)
  %c = binary add %b, %a : f32 over (m)
  yield %c to y
}
