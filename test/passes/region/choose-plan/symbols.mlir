// What the program is going to run with is known by the names of symbols: the plan is the one for all of them being that,
// and those that are not named are what is assumed. A number is given after ':' or, as on the command line of dlc-run,
// after '='.

// RUN: dlc-opt %s --choose-plan=assume=4096 -o %t.4096
// RUN: dlc-opt %s --choose-plan='symbols=[M:4096,N:4096,K:4096]' | cmp %t.4096 -
// RUN: dlc-opt %s --choose-plan='symbols=[M=4096,N=4096,K=4096]' | cmp %t.4096 -
// RUN: dlc-opt %s --choose-plan='assume=4096 symbols=[M:4096, K:4096]' | cmp %t.4096 -
// RUN: FileCheck %s --input-file=%t.4096 --check-prefix=MANY
// RUN: dlc-opt %s --choose-plan='assume=4096 symbols=[M:16]' | FileCheck %s --check-prefix=FEW

// MANY: tile (m: 128,
// MANY-NOT: split_k
// FEW-NOT: tile (m: 128,
// FEW: plan.schedule of @gemm for sm90

region.func @gemm<M, N, K> iters (m: M, n: N)
    ins (%X: memref<[M, K], f16, row_major, align 128>, %W: memref<[K, N], f16, row_major, align 128>)
    outs (Y: memref<[M, N], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (k: K) acc f32 init 0.0 {
    %a = read %X[m, k] : f16 over (m, k)
    %b = read %W[k, n] : f16 over (n, k)
    %ab = binary mul %a, %b widen : f32 over (m, n, k)
    yield %ab
  } : f32 over (m, n)
  yield %s to Y as f16
}
