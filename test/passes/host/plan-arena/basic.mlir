// RUN: dlc-opt %s --plan-arena -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: dlc-opt %t.once --plan-arena | cmp %t.once -
// RUN: dlc-opt %s --plan-arena --evaluate-each -o /dev/null
// RUN: dlc-opt %s --plan-arena --remarks=analysis -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --plan-arena --statistics --no-output 2>&1 | FileCheck %s --check-prefix=STATISTICS

// STATISTICS-DAG: 13 buffers: Buffers in the arena.
// STATISTICS-DAG: 5 shared: Buffers that lie where another was.

region.func private @twice<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  %b = binary add %a, %a : f32 over (n)
  yield %b to y
}
region.func private @sum<N> iters (n: N) ins (%x: memref<[N], f32>, %z: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  %b = read %z[n] : f32 over (n)
  %c = binary add %a, %b : f32 over (n)
  yield %c to y
}
region.func private @first<N, K> iters (n: N) ins (%x: memref<[N + K], f32>) outs (y: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  yield %a to y
}

// A chain: two buffers take turns. The last is returned, and is the caller's.
// CHECK-LABEL: host.func @chain<M>(
// CHECK-SAME: attributes {arena = ["8*M"], pool = 0}
// CHECK-NEXT: %a = launch @twice<M> (%x) at [0] :
// CHECK-NEXT: %b = launch @twice<M> (%a) at [4*M] :
// CHECK-NEXT: %c = launch @twice<M> (%b) at [0] :
// CHECK-NEXT: %d = launch @twice<M> (%c) at [*] :
// REMARK: Remark: [plan-arena, analysis] 3 buffers have 8*M bytes, and would have 12*M if 1 of them did not share memory; constants have 0 bytes
host.func @chain<M>(%x: memref<[M], f32>) -> memref<[M], f32> {
  %a = launch @twice<M> (%x) : memref<[M], f32>
  %b = launch @twice<M> (%a) : memref<[M], f32>
  %c = launch @twice<M> (%b) : memref<[M], f32>
  %d = launch @twice<M> (%c) : memref<[M], f32>
  return %d
}

// A smaller buffer replaces a larger one, though the larger comes after it.
// CHECK-LABEL: host.func @smaller<M, K>(
// CHECK-SAME: attributes {arena = ["4*K + 4*M"], pool = 0}
// CHECK-NEXT: %a = launch @first<M, K> (%x) at [0] :
// CHECK-NEXT: %b = launch @twice<M> (%a) at [*] :
// CHECK-NEXT: %c = launch @twice<K + M> (%x) at [0] :
// CHECK-NEXT: %d = launch @twice<K + M> (%c) at [*] :
host.func @smaller<M, K>(%x: memref<[M + K], f32>) -> (memref<[M], f32>, memref<[M + K], f32>) {
  %a = launch @first<M, K> (%x) : memref<[M], f32>
  %b = launch @twice<M> (%a) : memref<[M], f32>
  %c = launch @twice<M + K> (%x) : memref<[M + K], f32>
  %d = launch @twice<M + K> (%c) : memref<[M + K], f32>
  return %b, %d
}

// Numbers come before symbols, and fill gaps: the largest at 0, and after it what lives with it.
// CHECK-LABEL: host.func @gaps<M>(
// CHECK-SAME: attributes {arena = ["256*(M ceildiv 64) + 1280"], pool = 0}
// CHECK-NEXT: %s = launch @twice<M> (%x) at [1280] :
// CHECK-NEXT: %a = launch @twice<32> (%y) at [0] :
// CHECK-NEXT: %b = launch @first<32, 224> (%z) at [256] :
// CHECK-NEXT: %c = launch @sum<32> (%a, %b) at [*] :
// CHECK-NEXT: %d = launch @twice<256> (%z) at [0] :
// CHECK-NEXT: %e = launch @first<64, 192> (%d) at [1024] :
// CHECK-NEXT: %f = launch @twice<64> (%e) at [*] :
// CHECK-NEXT: %t = launch @twice<M> (%s) at [*] :
host.func @gaps<M>(%x: memref<[M], f32>, %y: memref<[32], f32>, %z: memref<[256], f32>) -> (memref<[32], f32>, memref<[64], f32>, memref<[M], f32>) {
  %s = launch @twice<M> (%x) : memref<[M], f32, row_major, align 256>
  %a = launch @twice<32> (%y) : memref<[32], f32>
  %b = launch @first<32, 224> (%z) : memref<[32], f32>
  %c = launch @sum<32> (%a, %b) : memref<[32], f32>
  %d = launch @twice<256> (%z) : memref<[256], f32>
  %e = launch @first<64, 192> (%d) : memref<[64], f32>
  %f = launch @twice<64> (%e) : memref<[64], f32>
  %t = launch @twice<M> (%s) : memref<[M], f32>
  return %c, %f, %t
}

// A buffer lives as long as a view of it is read; one that nothing reads has a place all the same.
// CHECK-LABEL: host.func @views<M>(
// CHECK-SAME: attributes {arena = ["8*M"], pool = 0}
// CHECK: %a = launch @twice<M> (%x) at [0] :
// CHECK: %b = launch @twice<M> (%x) at [4*M] :
// CHECK: %c = launch @sum<M> (%w, %x) at [*] :
// CHECK: %d = launch @twice<M> (%c) at [4*M] :
host.func @views<M>(%x: memref<[M], f32>) -> memref<[1, M], f32> {
  %a = launch @twice<M> (%x) : memref<[M], f32>
  %v = view %a : memref<[1, M], f32>
  %w = view %v : memref<[M], f32>
  %b = launch @twice<M> (%x) : memref<[M], f32>
  %c = launch @sum<M> (%w, %x) : memref<[M], f32>
  %d = launch @twice<M> (%c) : memref<[M], f32>
  %r = view %c : memref<[1, M], f32>
  return %r
}

// Constants in their order, each aligned; places that there were are forgotten.
// CHECK-LABEL: host.func @pool(
// CHECK-SAME: attributes {arena = [0], pool = 140}
// CHECK-NEXT: %a = const 1.000000e+00 : f32 at 0 :
// CHECK-NEXT: %b = const dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32> at 128 :
// CHECK-NEXT: %c = const 1.500000e+00 : f32 at 136 :
// CHECK-NEXT: %d = launch @sum<2> (%a, %b) at [*] :
host.func @pool() -> (memref<[2], f32>, memref<[1], f32>) attributes {arena = [64], pool = 1000} {
  %a = const 1.0 : f32 at 500 : memref<[2], f32>
  %b = const dense<[1.0, 2.0]> : tensor<2xf32> at 640 : memref<[2], f32, row_major, align 128>
  %c = const 1.5 : f32 at 400 : memref<[1], f32>
  %d = launch @sum<2> (%a, %b) at [*] : memref<[2], f32>
  return %d, %c
}
