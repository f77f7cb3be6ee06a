// Two layers: a product with an addition and a rectifier after it, twice. The hidden values lie in the arena.

// RUN: dlc-run %S/Inputs/mlp.tiny --shape=M=3,N=4,K=5,P=2 --seed=3 -o %t.npz
// RUN: dlc-run %s --shape=M=3,N=4,K=5,P=2 --seed=3 --check=%t.npz | FileCheck %s --check-prefix=SAME
// RUN: dlc-run %s --shape=M=3,N=4,K=5,P=2 | FileCheck %s
// RUN: dlc-opt %s | FileCheck %s --check-prefix=TEXT

// A program of tensors and one of memory are compared, whatever pass made the one from the other.
// RUN: dlc-opt %S/Inputs/mlp.tiny --evaluate-each --external='cmd="/bin/cat %s"' -o /dev/null
// RUN: not dlc-opt %S/Inputs/mlp.tiny --evaluate-each --external='cmd="/bin/sed s/relu/neg/ %s"' 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: [E0421] Error: the pass 'external' has changed what @mlp(X

// SAME: y: as expected (6 elements, off by at most 0,

// The function of the kernels is the program; what only it launches is private.
// CHECK: @mlp<M = 3, N = 4, K = 5, P = 2>
// CHECK: tensor<[3, 5], f16>
// CHECK: y {{.*}}[3, 2], f16
// TEXT: attributes {arena = ["2*M*N"]}

region.func private @layer<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 2, noalias>, %W: memref<[K, N], f16, row_major, align 2, noalias>, %b: memref<[N], f16>)
    outs (Y: memref<[M, N], f16> materialize gmem) {
  %x = read %X[m, k] : f16 over (m, k)
  %w = read %W[k, n] : f16 over (n, k)
  %p = binary mul %x, %w widen : f32 over (m, n, k)
  %s = reduce sum (k: K) acc f32 init 0.0 { yield %p } : f32 over (m, n)
  %c = read %b[n] : f16 over (n)
  %t = binary add %s, %c : f32 over (m, n)
  %r = unary relu %t : f32 over (m, n)
  yield %r to Y as f16
}

// One kernel for both layers: its symbols are not those of the program.
host.func @mlp<M, N, K, P>(%X: memref<[M, K], f16, row_major, align 16, noalias>, %W: memref<[K, N], f16, row_major, align 16, noalias>, %b: memref<[N], f16>, %V: memref<[N, P], f16, row_major, align 16, noalias>, %c: memref<[P], f16>) -> memref<[M, P], f16> attributes {arena = ["2*M*N"]} {
  %h = launch @layer<M, N, K> (%X, %W, %b) at [0] : memref<[M, N], f16, row_major, align 128>
  %y = launch @layer<M, P, N> (%h, %V, %c) at [*] : memref<[M, P], f16>
  return %y
}
