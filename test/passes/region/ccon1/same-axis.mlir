// RUN: dlc-opt %s --ccon1 | FileCheck %s
// RUN: dlc-opt %s --ccon1 --evaluate-each -o /dev/null

// A reduction stays before another one that goes over the same axis: in its body the axis is bound.
// CHECK:       %m = reduce max (n: N) acc f32 init -inf {
// CHECK-NEXT:    yield %x
// CHECK-NEXT:  } : f32 over (m)
// CHECK-NEXT:  %s = reduce sum (m: M, n: N) acc f32 init 0.0 {
// CHECK-NEXT:    %d = binary sub %x, %m : f32 over (m, n)
// CHECK-NEXT:    yield %d
region.func @f<M, N> iters () ins (%X: memref<[M, N], f32>) outs (Y: memref<[], f32> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %m = reduce max (n: N) acc f32 init -inf { yield %x } : f32 over (m)
  %d = binary sub %x, %m : f32 over (m, n)
  %s = reduce sum (m: M, n: N) acc f32 init 0.0 { yield %d } : f32 over ()
  yield %s to Y
}
