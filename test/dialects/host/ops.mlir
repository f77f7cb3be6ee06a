// The frame of a program, launches, views and constants, in both forms.

// RUN: dlc-opt %s -o %t.custom
// RUN: dlc-opt %t.custom | cmp %t.custom -
// RUN: dlc-opt %s --print-generic -o %t.generic
// RUN: dlc-opt %t.generic | cmp %t.custom -
// RUN: FileCheck %s --input-file=%t.custom
// RUN: FileCheck %s --check-prefix=GENERIC --input-file=%t.generic

region.func private @twice<N> iters (n: N)
    ins (%x: memref<[N], f32, row_major, align 4>)
    outs (y: memref<[N], f32, row_major, align 64> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  %b = binary add %a, %a : f32 over (n)
  yield %b to y
}

region.func private @both<N> iters (n: N)
    ins (%x: memref<[N], f32, row_major, align 4, noalias>, %z: memref<[N], f32>)
    outs (s: memref<[N], f32> materialize gmem, p: memref<[N], f32> materialize gmem) {
  %a = read %x[n] : f32 over (n)
  %b = read %z[n] : f32 over (n)
  %s = binary add %a, %b : f32 over (n)
  %p = binary mul %a, %b : f32 over (n)
  yield %s to s, %p to p
}

// CHECK: host.func private @declared<M>(memref<[M], f32, row_major, align 4>) -> memref<[M], f32, row_major, align 4>
host.func private @declared<M>(memref<[M], f32>) -> memref<[M], f32>

// CHECK-LABEL: host.func @unplanned<
// CHECK-SAME: M>(%x: memref<[M, 2], f32, row_major, align 256, noalias> {role = "data"}) -> (memref<[2*M], f32, row_major, align 4>, memref<[2*M], f32, row_major, align 4, noalias>) attributes {note = "kept"} {
// GENERIC-LABEL: "host.func"() <{arg_attrs = [{role = "data"}],
host.func @unplanned<M>(%x: memref<[M, 2], f32, row_major, align 256, noalias> {role = "data"}) -> (memref<[2*M], f32>, memref<[2*M], f32, row_major, align 4, noalias>) attributes {note = "kept"} {
  // CHECK-NEXT: %v = view %x {note} : memref<[2*M], f32, row_major, align 256, noalias>
  // GENERIC: %v = "host.view"(%x) {note} : (!core.memref<["M", 2], f32, "row_major", 256, true>) -> !core.memref<["2*M"], f32, "row_major", 256, true>
  %v = view %x {note} : memref<[2*M], f32, row_major, align 256, noalias>
  // CHECK-NEXT: %y = launch @twice<2*M> (%v) : memref<[2*M], f32, row_major, align 128>
  // GENERIC: %y = "host.launch"(%v) <{choices = [{callee = @twice, sizes = ["2*M"]}]}> :
  %y = launch @twice<2*M> (%v) : memref<[2*M], f32, row_major, align 128>
  // CHECK-NEXT: %s, %p = launch @both<2*M> (%v, %y) {note} : memref<[2*M], f32, row_major, align 4>, memref<[2*M], f32, row_major, align 4, noalias>
  %s, %p = launch @both<2*M> (%v, %y) {note} : memref<[2*M], f32>, memref<[2*M], f32, row_major, align 4, noalias>
  // CHECK-NEXT: return %s, %p
  return %s, %p
}

// Parts of memory: the elements from one on, where their layout says.
// CHECK-LABEL: host.func @parts<
host.func @parts<M, K>(%x: memref<[4, M, K], f32, row_major, align 16>) -> memref<[M], f32, row_major, align 64> {
  // CHECK: %v = view %x from 2*K*M : memref<[M, K], f32, row_major, align 4>
  // GENERIC: %v = "host.view"(%x) <{start = "2*K*M"}> :
  %v = view %x from 2 * M * K : memref<[M, K], f32>
  // CHECK-NEXT: %w = view %x from 3 {note} : memref<[M, 1], f32, strided [K, 1], align 4>
  // GENERIC: "host.view"(%x) <{start = 3}> {note} :
  %w = view %x from 3 {note} : memref<[M, 1], f32, strided [K, 1]>
  %u = view %x from K : memref<[M], f32, strided [K]>
  // CHECK: %n = view %x from 0 : memref<[0, 9], f32, row_major, align 16>
  %n = view %x from 0 : memref<[0, 9], f32, row_major, align 16>
  %t = view %x from M*K : memref<[M], f32>
  %y = launch @twice<M> (%t) : memref<[M], f32, row_major, align 64>
  return %y
}

// Constants with a place in the pool, buffers with one in the arena but for what is returned.
// CHECK-LABEL: host.func @planned(
// CHECK-SAME: ) -> memref<[3], f32, row_major, align 64> attributes {arena = [128], pool = 76} {
// GENERIC: arena = [128]
// GENERIC-SAME: pool = 76
host.func @planned() -> memref<[3], f32, row_major, align 64> attributes {arena = [128], pool = 76} {
  // CHECK-NEXT: %half = const 5.000000e-01 : f32 at 64 : memref<[3], f32, row_major, align 64>
  // GENERIC: %half = "host.const"() <{offset = 64, value = 5.000000e-01 : f32}> : () -> !core.memref<[3], f32, "row_major", 64, false>
  %half = const 0.5 : f32 at 64 : memref<[3], f32, row_major, align 64>
  // CHECK-NEXT: %list = const dense<[1.000000e+00, -2.000000e+00, 3.000000e+00]> : tensor<3xf32> at 0 : memref<[3], f32, row_major, align 4>
  %list = const dense<[1.0, -2.0, 3.0]> : tensor<3xf32> at 0 : memref<[3], f32>
  // CHECK-NEXT: %s, %p = launch @both<3> (%half, %list) at [0, 64] : memref<[3], f32, row_major, align 64>, memref<[3], f32, row_major, align 4>
  // GENERIC: "host.launch"(%half, %list) <{choices = [{callee = @both, sizes = [3]}], offsets = [0, 64]}>
  %s, %p = launch @both<3> (%half, %list) at [0, 64] : memref<[3], f32, row_major, align 64>, memref<[3], f32>
  // CHECK-NEXT: %q = launch @twice<3> (%p) at [*] : memref<[3], f32, row_major, align 64>
  // GENERIC: offsets = [unit]
  %q = launch @twice<3> (%p) at [*] : memref<[3], f32, row_major, align 64>
  return %q
}

// Kernels that take nothing, give nothing, or are chosen by the sizes.
region.func private @one iters () ins () outs (y: memref<[], f32> materialize gmem) {
  %c = const 1.0 : f32 over ()
  yield %c to y
}

// CHECK-LABEL: host.func @choices<
host.func @choices<M, K>(%x: memref<[M, K], f32>) -> (memref<[M*K], f32>, memref<[], f32>) {
  %v = view %x : memref<[M*K], f32>
  // CHECK: %y = launch @twice<K*M> where (K mod 8 == 0, M < 64) or (M == 1) else @twice<K*M> where (100 <= K) else @twice<K*M> (%v) : memref<[K*M], f32, row_major, align 64>
  // GENERIC{LITERAL}: choices = [{callee = @twice, sizes = ["K*M"], where = [["K mod 8 == 0", "M < 64"], ["M == 1"]]}, {callee = @twice, sizes = ["K*M"], where = [["100 <= K"]]}, {callee = @twice, sizes = ["K*M"]}]
  %y = launch @twice<M*K> where (K mod 8 == 0, M < 64) or (M == 1) else @twice<M*K> where (K >= 100) else @twice<M*K> (%v) : memref<[M*K], f32, row_major, align 64>
  // CHECK: %o = launch @one () : memref<[], f32, row_major, align 4>
  %o = launch @one () : memref<[], f32>
  %w = view %y : memref<[M*K], f32>
  return %w, %o
}
