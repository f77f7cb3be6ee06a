// Divisions take several steps, whose registers a thread needs besides its elements: fewer blocks share an SM.

// RUN: dlc-opt %s --choose-plan='target=sm90' | FileCheck %s

// CHECK-LABEL: plan.schedule of @product
// CHECK: blocks_per_sm 8
region.func @product iters (x: 1073741824)
    ins (%X: memref<[1073741824], f32, row_major, align 128>)
    outs (Y: memref<[1073741824], f32, row_major, align 128> materialize gmem) {
  %0 = read %X[x] : f32 over (x)
  %1 = binary add %0, %0 : f32 over (x)
  %2 = binary mul %0, %1 : f32 over (x)
  yield %2 to Y
}

// CHECK-LABEL: plan.schedule of @quotient
// CHECK: blocks_per_sm {{[4-6]}}
region.func @quotient iters (x: 1073741824)
    ins (%X: memref<[1073741824], f32, row_major, align 128>)
    outs (Y: memref<[1073741824], f32, row_major, align 128> materialize gmem) {
  %0 = read %X[x] : f32 over (x)
  %1 = binary add %0, %0 : f32 over (x)
  %2 = binary fdiv %0, %1 : f32 over (x)
  yield %2 to Y
}
