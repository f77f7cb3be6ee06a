// RUN: dlc-opt %s --plan-arena | FileCheck %s
// RUN: dlc-opt %s --plan-arena --statistics --no-output 2>&1 | FileCheck %s --check-prefix=STATISTICS

// Nothing here shares memory.
// STATISTICS: 0 shared: Buffers that lie where another was.

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
region.func private @pair<N> iters (n: N) ins (%x: memref<[N], f32>) outs (y: memref<[N], f32> materialize gmem, z: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  yield %a to y, %a to z
}

// What a kernel reads is there until it has ended: it does not write over it.
// CHECK-LABEL: host.func @in_place(
// CHECK-SAME: attributes {arena = [32], pool = 0}
// CHECK: (%x) at [0] :
// CHECK: (%a) at [16] :
host.func @in_place(%x: memref<[4], f32>) -> memref<[4], f32> {
  %a = launch @twice<4> (%x) : memref<[4], f32>
  %b = launch @twice<4> (%a) : memref<[4], f32>
  %c = launch @twice<4> (%b) : memref<[4], f32>
  return %c
}

// Both results of one kernel are written together, even those that nothing reads.
// CHECK-LABEL: host.func @results<M>(
// CHECK-SAME: attributes {arena = ["8*M"], pool = 0}
// CHECK: at [0, 4*M] :
host.func @results<M>(%x: memref<[M], f32>) -> memref<[M], f32> {
  %a, %b = launch @pair<M> (%x) : memref<[M], f32>, memref<[M], f32>
  %c = launch @twice<M> (%b) : memref<[M], f32>
  return %c
}

// M may be larger than N, and N than M.
// CHECK-LABEL: host.func @incomparable<M, N>(
// CHECK-SAME: attributes {arena = ["4*M + 4*N"], pool = 0}
host.func @incomparable<M, N>(%x: memref<[M], f32>, %y: memref<[N], f32>) -> (memref<[M], f32>, memref<[N], f32>) {
  %a = launch @twice<M> (%x) : memref<[M], f32>
  %b = launch @twice<M> (%a) : memref<[M], f32>
  %c = launch @twice<N> (%y) : memref<[N], f32>
  %d = launch @twice<N> (%c) : memref<[N], f32>
  return %b, %d
}

// A number and a symbol are not comparable either.
// CHECK-LABEL: host.func @number_and_symbol<M>(
// CHECK-SAME: attributes {arena = ["4*M + 16"], pool = 0}
host.func @number_and_symbol<M>(%x: memref<[M], f32>, %y: memref<[4], f32>) -> (memref<[M], f32>, memref<[4], f32>) {
  %a = launch @twice<M> (%x) : memref<[M], f32>
  %b = launch @twice<M> (%a) : memref<[M], f32>
  %c = launch @twice<4> (%y) : memref<[4], f32>
  %d = launch @twice<4> (%c) : memref<[4], f32>
  return %b, %d
}

// What is returned, itself or by a view, is the caller's; arguments are, too.
// CHECK-LABEL: host.func @returned<M>(
// CHECK-SAME: attributes {arena = [0], pool = 0}
// CHECK: %a = launch @twice<M> (%x) at [*] :
// CHECK: %b = launch @twice<M> (%a) at [*] :
host.func @returned<M>(%x: memref<[M], f32>) -> (memref<[M], f32>, memref<[1, M], f32>, memref<[M], f32>) {
  %a = launch @twice<M> (%x) : memref<[M], f32>
  %b = launch @twice<M> (%a) : memref<[M], f32>
  %v = view %b : memref<[1, M], f32>
  return %a, %v, %x
}

// A declaration has no buffers.
// CHECK: host.func private @declared(memref<[2], f32, row_major, align 4>){{$}}
host.func private @declared(memref<[2], f32>)
