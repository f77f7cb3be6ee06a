// RUN: dlc-opt %s --verify-roundtrip | FileCheck %s
// RUN: dlc-opt %s --print-generic | FileCheck %s --check-prefix=GENERIC

// A guard without pieces holds nowhere.
// CHECK: %x = read %X[m + 7] where never else 3.0 : f32 over (m)
// CHECK: %y = select where never then %x else %x : f32 over (m)
// GENERIC: guard = []
region.func @f<M> iters (m: M) ins (%X: memref<[M], f32>) outs (Y: memref<[M], f32> materialize gmem) {
  %x = read %X[m + 7] where never else 3.0 : f32 over (m)
  %y = select where never then %x else %x : f32 over (m)
  yield %y to Y
}
