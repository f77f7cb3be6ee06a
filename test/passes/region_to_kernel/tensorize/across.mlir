// A tensor that lies across is read along its rows and transposed through shared memory: a stack of matrices along the axes of
// which a tile has one position. Rows of the tile there are a word longer, and begin in other banks.

// RUN: dlc-opt %s --tensorize --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --check-async --kernel-to-ptx --cse --dce -o %t.ptx.mlir
// RUN: dlc-run %s --function=turn --shape=A=2,S=16,K=13 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=turn --shape=A=2,S=16,K=13 --seed=0 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-run %t.ptx.mlir --function=turn --shape=A=2,S=16,K=13 --seed=0 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-run %s --function=plus --shape=S=33,K=70 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --function=plus --shape=S=33,K=70 --seed=0 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-run %t.ptx.mlir --function=plus --shape=S=33,K=70 --seed=0 --check=%t.npy --rtol=0 --atol=0

// A tile of it is in shared memory, as the plan says.
// RUN: dlc-opt %s --tensorize --no-output 2>&1 | FileCheck %s --check-prefix=PLACED --allow-empty
// PLACED-NOT: no tile of it is in shared memory

// CHECK-LABEL: kernel.func @turn
// CHECK: grid (A*(K ceildiv 32)*(S ceildiv 32)) threads 128 {
// CHECK-NEXT: %through = shared : tile<[32, 32], f16, row_major pitch 34>
// CHECK: %[[X:.+]] = load %X[{{.+}}, 32*%column + i1, 32*%row + i0] where ({{.+}}) : frag<[32, 32], f16, blocked [8, 1] lanes [4, 8] warps [1, 4] order [0, 1]>
// CHECK-NEXT: %[[Y:.+]] = convert %[[X]] through %through : frag<[32, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
// CHECK-NEXT: store %[[Y]] to %Y[
region.func @turn<A, K, S> iters (a: A, s: S, k: 8*(K ceildiv 8))
    ins (%X: memref<[A, K, S], f16, row_major, align 128>)
    outs (Y: memref<[A, S, 8*(K ceildiv 8)], f16, row_major, align 128> materialize gmem) {
  %x = read %X[a, k, s] where (k < K) : f16 over (a, s, k)
  yield %x to Y
}
plan.schedule of @turn for sm90 {
  tile (a: 1, s: 32, k: 32)
  assume (S: 8)
  reduced []
  thread_tile (k: 8)
  threads (s: 32, k: 4)
  stages 1
  vectors (X: 8, Y: 8)
  cache X (a, k, s) f16 in smem transposed
  barrier block
}

// Next to what lies along the rows of results, and in single elements.
// CHECK-LABEL: kernel.func @plus
// CHECK: %through = shared : tile<[64, 64], f32, row_major pitch 65>
// CHECK: %[[X:.+]] = load %X[64*%column + i1, 64*%row + i0] where ({{.+}}) : frag<[64, 64], f32, blocked [1, 1] lanes [32, 1] warps [1, 8] order [0, 1]>
// CHECK-NEXT: %[[T:.+]] = convert %[[X]] through %through : frag<[64, 64], f32, blocked [1, 1] lanes [1, 32] warps [8, 1]>
// CHECK-NEXT: %[[B:.+]] = load %B[64*%row + i0, 64*%column + i1]
// CHECK-NEXT: binary add %[[T]], %[[B]]
region.func @plus<S, K> iters (s: S, k: K)
    ins (%X: memref<[K, S], f32, row_major, align 128>, %B: memref<[S, K], f32, row_major, align 128>)
    outs (Y: memref<[S, K], f32, row_major, align 128> materialize gmem) {
  %x = read %X[k, s] : f32 over (s, k)
  %b = read %B[s, k] : f32 over (s, k)
  %y = binary add %x, %b : f32 over (s, k)
  yield %y to Y
}
plan.schedule of @plus for sm90 {
  tile (s: 64, k: 64)
  reduced []
  threads (s: 8, k: 32)
  stages 1
  cache X (k, s) f32 in smem transposed
  barrier block
}
