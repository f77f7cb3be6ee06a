// RUN: dlc-opt %s --split-scans='symbols=[N:1000000]' --split-input-file --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir

// Rows enough, and columns enough.
// CHECK-LABEL: @rows
// CHECK-NEXT: scan sum axes (i0: 128, i1: N)
// CHECK-NEXT: scan sum axes (i0: N, i1: 4096)
// CHECK-NEXT: return
book.func @rows<N>(%x: tensor<[128, N], f32>, %z: tensor<[N, 4096], f32>) -> (tensor<[128, N], f32>, tensor<[N, 4096], f32>) {
  %y = scan sum axes (i0: 128, i1: N) along 1 of %x at (i0, i1) acc f32 : tensor<[128, N], f32>
  %w = scan sum axes (i0: N, i1: 4096) along 0 of %z at (i0, i1) acc f32 : tensor<[N, 4096], f32>
  return %y, %w
}

// -----

// Short, of groups already, and with another number outside of a guard.
// CHECK-LABEL: @others
// CHECK-NEXT: scan sum axes (i0: 65536)
// CHECK-NEXT: scan sum axes (i0: N) along 0 every 1024
// CHECK-NEXT: scan sum axes (i0: N) along 0 of
// CHECK-NEXT: return
book.func @others<N>(%x: tensor<[65536], f32>, %z: tensor<[N], f32>) -> (tensor<[65536], f32>, tensor<[N], f32>, tensor<[N], f32>) {
  %a = scan sum axes (i0: 65536) along 0 of %x at (i0) acc f32 : tensor<[65536], f32>
  %b = scan sum axes (i0: N) along 0 every 1024 of %z at (i0) acc f32 : tensor<[N], f32>
  %c = scan sum axes (i0: N) along 0 of %z at (i0 - 1) where (0 <= i0 - 1) else 1.0 acc f32 : tensor<[N], f32>
  return %a, %b, %c
}
