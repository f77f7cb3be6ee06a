// Programs of kernels: constants, views, choices, places in the arena.

// RUN: dlc-opt %s --kernel-to-ptx --plan-arena -o %t.mlir
// RUN: dlc-translate %t.mlir --to-ptx -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json

kernel.func private @add<N>(%X: memref<[N], f32, row_major, align 16>, %Z: memref<[4], f32, row_major, align 16>) -> memref<[N], f32, row_major, align 16> {
  %Y = output : memref<[N], f32, row_major, align 16>
  grid (N ceildiv 32) threads 32 {
    %b = block_id 0
    %x = load %X[32 * %b + i0] where (32 * %b + i0 < N) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    %z = load %Z[3] : f32
    %y = binary add %x, %z : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %y to %Y[32 * %b + i0] where (32 * %b + i0 < N)
  }
  return %Y
}

kernel.func private @wide<N>(%X: memref<[N], f32, row_major, align 16>, %Z: memref<[4], f32, row_major, align 16>) -> memref<[N], f32, row_major, align 16> {
  %Y = output : memref<[N], f32, row_major, align 16>
  grid (N ceildiv 64) threads 64 {
    %b = block_id 0
    %x = load %X[64 * %b + i0] where (64 * %b + i0 < N) : frag<[64], f32, blocked [1] lanes [32] warps [2]>
    %z = load %Z[0] : f32
    %y = binary add %x, %z : frag<[64], f32, blocked [1] lanes [32] warps [2]>
    store %y to %Y[64 * %b + i0] where (64 * %b + i0 < N)
  }
  return %Y
}

// One element of a constant stands for all of them. What holds in one of two ways is two choices of the same kernel, each
// of whose conditions all hold.
// CHECK: "programs": [
// CHECK: "name": "sums"
// CHECK: "arena": "16*M",
// CHECK-NEXT: "pool": 32,
// CHECK-NEXT: "steps": [
// CHECK: "const": "one",
// CHECK: "offset": 0,
// CHECK-NEXT: "base64": "AACAPwAAgD8AAIA/AACAPw=="
// CHECK: "const": "list",
// CHECK: "offset": 16,
// CHECK-NEXT: "base64": "AACAPwAAAMAAAEBAAAAAPw=="
// CHECK: "view": "v",
// CHECK-NEXT: "of": "x",
// CHECK: "launch": [
// CHECK-NEXT: {
// CHECK-NEXT: "kernel": "wide",
// CHECK-NEXT: "sizes": {
// CHECK-NEXT: "N": "4*M"
// CHECK-NEXT: },
// CHECK-NEXT: "where": [
// CHECK-NEXT: "M mod 8 == 0",
// CHECK-NEXT: "M < 64"
// CHECK-NEXT: ]
// CHECK-NEXT: },
// CHECK-NEXT: {
// CHECK-NEXT: "kernel": "wide",
// CHECK: "where": [
// CHECK-NEXT: "M == 1"
// CHECK-NEXT: ]
// CHECK-NEXT: },
// CHECK-NEXT: {
// CHECK-NEXT: "kernel": "add",
// CHECK-NOT: where
// CHECK: "inputs": [
// CHECK-NEXT: "v",
// CHECK-NEXT: "one"
// CHECK: "name": "y",
// CHECK: "offset": "0"
// CHECK: "kernel": "add",
// CHECK: "name": "z",
// CHECK: "offset": null
// CHECK: "view": "w",
// CHECK-NEXT: "of": "z",
// CHECK: "results": [
// CHECK-NEXT: "w"
host.func @sums<M>(%x: memref<[M, 4], f32, row_major, align 16>) -> memref<[M, 4], f32, row_major, align 16> {
  %one = const 1.0 : f32 : memref<[4], f32, row_major, align 16>
  %list = const dense<[1.0, -2.0, 3.0, 0.5]> : tensor<4xf32> : memref<[4], f32, row_major, align 16>
  %v = view %x : memref<[4 * M], f32, row_major, align 16>
  %y = launch @wide<4 * M> where (M mod 8 == 0, M < 64) or (M == 1) else @add<4 * M> (%v, %one) : memref<[4 * M], f32, row_major, align 16>
  %z = launch @add<4 * M> (%y, %list) : memref<[4 * M], f32, row_major, align 16>
  %w = view %z : memref<[M, 4], f32, row_major, align 16>
  return %w
}
