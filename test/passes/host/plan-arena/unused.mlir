// RUN: dlc-opt %s --plan-arena | FileCheck %s
// RUN: dlc-opt %s --plan-arena --evaluate-each --no-output

// Nothing is after the last kernel: a second result of it lives as long as the kernel.
// CHECK-LABEL: host.func @last(
// CHECK: %t, %u = launch @pair<3> (%q) at [*, {{[0-9]+}}]
host.func @last(%x: memref<[3], f32>) -> memref<[3], f32> {
  %s, %p = launch @pair<3> (%x) : memref<[3], f32>, memref<[3], f32>
  %q = launch @twice<3> (%s) : memref<[3], f32>
  %t, %u = launch @pair<3> (%q) : memref<[3], f32>, memref<[3], f32>
  return %t
}

region.func private @pair<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem, z: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  yield %a to y, %a to z
}

region.func private @twice<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  %b = binary add %a, %a : f32 over (n)
  yield %b to y
}
