// What is built for an op after its operands has the location of that op, and not that of its last operand.

// RUN: dlc-opt %s --tensorize --print-locations | FileCheck %s

region.func @row_max<M> iters (m: M) ins (%x: memref<[M, 100], f16, row_major>) outs (y: memref<[M], f32, row_major> materialize gmem) {
  // CHECK: load %x{{.+}} loc("{{.+}}":[[#@LINE+7]]:
  // CHECK-NEXT: cast {{.+}} loc("{{.+}}":[[#@LINE+7]]:
  // CHECK: select where {{.+}} loc("{{.+}}":[[#@LINE+4]]:
  // CHECK-NEXT: binary max {{.+}} loc("{{.+}}":[[#@LINE+3]]:
  // CHECK: reduce max {{.+}} loc("{{.+}}":[[#@LINE+2]]:
  // CHECK-NEXT: store {{.+}} loc("{{.+}}":[[#@LINE+6]]:
  %m = reduce max (n: 100) acc f32 init -inf {
    %v = read %x[m, n] : f16 over (m, n)
    %w = cast %v : f32 over (m, n)
    yield %w
  } : f32 over (m)
  yield %m to y
}
