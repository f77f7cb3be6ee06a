// A plan that is there stays, whether it names its kernel or there is only one; so does a kernel without a body.

// RUN: dlc-opt %s --choose-plan --split-input-file | FileCheck %s

// By hand, with its kernel's name.
// CHECK: plan.schedule of @f for sm80 {
// CHECK-NEXT: tile (m: 64)
// CHECK-NEXT: cache x (m) f32 in reg
// CHECK-NEXT: }
// CHECK-NEXT: region.func @g
// CHECK: plan.schedule of @g for sm90 {
region.func @f<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %a = read %x[m] : f32 over (m)
  yield %a to y
}

plan.schedule of @f for sm80 {
  tile (m: 64)
  cache x (m) f32 in reg
}

region.func @g<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %a = read %x[m] : f32 over (m)
  yield %a to y
}

// -----

// By hand, for the only kernel.
// CHECK: plan.schedule for sm80 {
// CHECK-NOT: plan.schedule
region.func @f<M> iters (m: M) ins (%x: memref<[M], f32>) outs (y: memref<[M], f32> materialize gmem) {
  %a = read %x[m] : f32 over (m)
  yield %a to y
}

plan.schedule for sm80 {
  tile (m: 64)
}

// -----

// No kernel.
// CHECK: module {
// CHECK-NOT: plan.schedule
sample.func @f(%x: i64) -> i64 {
  return %x
}
