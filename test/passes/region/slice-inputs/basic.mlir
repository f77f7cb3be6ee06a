// Steps that read an input at positions of their own become one kernel, which takes a slice.

// RUN: dlc-opt %s --slice-inputs | FileCheck %s
// RUN: dlc-opt %s --slice-inputs -o %t.once
// RUN: dlc-opt %t.once --slice-inputs | cmp %t.once -
// RUN: dlc-opt %s --slice-inputs --merge-kernels | FileCheck %s --check-prefix=ONE
// RUN: dlc-opt %s --slice-inputs --evaluate-each --merge-kernels --evaluate-each -o /dev/null
// RUN: dlc-run %s --function=steps --shape=B=3 --seed=5 -o %t.npz
// RUN: dlc-run %t.once --function=steps --shape=B=3 --seed=5 --check=%t.npz | FileCheck %s --check-prefix=SAME
// RUN: dlc-run %t.once --function=steps --shape=B=0 --seed=5
// RUN: dlc-opt %s --slice-inputs --debug-counter=slice-inputs/slice=1 | FileCheck %s --check-prefix=SOME
// SAME: as expected (15 elements, off by at most 0,

// The axis of the steps is the second of three: rows lie apart. Its slices begin at multiples of 20 bytes.
// CHECK-LABEL: host.func @steps<
// CHECK-NEXT: %a = launch @step_0<B> (%x)
// CHECK-NEXT: %[[X1:.*]] = view %x from 5 : memref<[B, 5], f32, strided [20, 1], align 4>
// CHECK: launch @step_1<B> (%a, %[[X1]])
// CHECK: view %x from 10 :
// CHECK: view %x from 15 :
// CHECK: view %x from 5 :
// CHECK: region.func private @step_1<
// CHECK: ins (%h: memref<[B, 5], f32, row_major, align 4>, %x: memref<[B, 5], f32, strided [20, 1], align 4>)
// CHECK: read %x[b, i] where (i < 4) else 1.0

// ONE: %a = launch @step_0<
// ONE: %b = launch @step_1<
// ONE: %c = launch @step_1<
// ONE: %d = launch @step_1<
// ONE: %e = launch @step_1<
// ONE-COUNT-2: region.func
// ONE-NOT: region.func

// Nothing else is passed where a rule is not allowed.
// SOME: launch @step_2<B> (%b, %x)
host.func @steps<B>(%x: memref<[B, 4, 5], f32>) -> memref<[B, 5], f32> {
  %a = launch @step_0<B> (%x) : memref<[B, 5], f32>
  %b = launch @step_1<B> (%a, %x) : memref<[B, 5], f32>
  %c = launch @step_2<B> (%b, %x) : memref<[B, 5], f32>
  %d = launch @step_3<B> (%c, %x) : memref<[B, 5], f32>
  %e = launch @step_4<B> (%d, %x) : memref<[B, 5], f32>
  return %e
}
region.func private @step_0<B> iters (b: B, i: 5) ins (%x: memref<[B, 4, 5], f32>) outs (y: memref<[B, 5], f32> materialize gmem) {
  %y = read %x[b, 0, i] : f32 over (b, i)
  yield %y to y
}
region.func private @step_1<B> iters (b: B, i: 5)
    ins (%h: memref<[B, 5], f32>, %x: memref<[B, 4, 5], f32>)
    outs (y: memref<[B, 5], f32> materialize gmem) {
  %0 = read %h[b, i] : f32 over (b, i)
  %1 = read %x[b, 1, i] where (i < 4) else 1.0 : f32 over (b, i)
  %2 = read %x[b, 1, i] where (i < 4) else 1.0 : f32 over (b, i)
  %3 = binary mul %1, %2 : f32 over (b, i)
  %y = binary add %0, %3 : f32 over (b, i)
  yield %y to y
}
region.func private @step_2<B> iters (b: B, i: 5)
    ins (%h: memref<[B, 5], f32>, %x: memref<[B, 4, 5], f32>)
    outs (y: memref<[B, 5], f32> materialize gmem) {
  %0 = read %h[b, i] : f32 over (b, i)
  %1 = read %x[b, 2, i] where (i < 4) else 1.0 : f32 over (b, i)
  %2 = read %x[b, 2, i] where (i < 4) else 1.0 : f32 over (b, i)
  %3 = binary mul %1, %2 : f32 over (b, i)
  %y = binary add %0, %3 : f32 over (b, i)
  yield %y to y
}
region.func private @step_3<B> iters (b: B, i: 5)
    ins (%h: memref<[B, 5], f32>, %x: memref<[B, 4, 5], f32>)
    outs (y: memref<[B, 5], f32> materialize gmem) {
  %0 = read %h[b, i] : f32 over (b, i)
  %1 = read %x[b, 3, i] where (i < 4) else 1.0 : f32 over (b, i)
  %2 = read %x[b, 3, i] where (i < 4) else 1.0 : f32 over (b, i)
  %3 = binary mul %1, %2 : f32 over (b, i)
  %y = binary add %0, %3 : f32 over (b, i)
  yield %y to y
}
region.func private @step_4<B> iters (b: B, i: 5)
    ins (%h: memref<[B, 5], f32>, %x: memref<[B, 4, 5], f32>)
    outs (y: memref<[B, 5], f32> materialize gmem) {
  %0 = read %h[b, i] : f32 over (b, i)
  %1 = read %x[b, 1, i] where (i < 4) else 1.0 : f32 over (b, i)
  %2 = read %x[b, 1, i] where (i < 4) else 1.0 : f32 over (b, i)
  %3 = binary mul %1, %2 : f32 over (b, i)
  %y = binary add %0, %3 : f32 over (b, i)
  yield %y to y
}
