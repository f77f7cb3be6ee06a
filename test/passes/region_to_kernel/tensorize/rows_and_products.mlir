// The scores of an online softmax that its kernel's product does not weigh lie in the fragments of that product: where warps
// share its columns, they exchange what they have of a row.

// RUN: dlc-opt %s --tensorize -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --check-async --kernel-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %s --shape=M=70,N=37 --seed=0 -o %t.npy
// RUN: dlc-run %t.mlir --shape=M=70,N=37 --seed=0 --check=%t.npy --rtol=1e-3 --atol=1e-3
// RUN: dlc-run %t.ptx.mlir --shape=M=70,N=37 --seed=0 --check=%t.npy --rtol=1e-3 --atol=1e-3

// CHECK-LABEL: kernel.func @next_to
// CHECK: %shared = shared : tile<[128], f32, row_major>
// CHECK: mma %{{.+}} : frag<[64, 32], f32, mma [2, 2]>
// CHECK: %[[TOP:.+]] = reduce max %{{.+}} along 1 through %shared{{.*}} : frag<[64], f32, slice 1 of (mma [2, 2])>
// CHECK: reduce sum %{{.+}} along 1 through %shared
region.func @next_to<M, N> iters (m: M, d: 16)
    ins (%Q: memref<[M, 16], f16, row_major, align 16>, %K: memref<[N, 16], f16, row_major, align 16>,
         %V: memref<[N, 16], f16, row_major, align 16>)
    outs (Y: memref<[M, 16], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (k: 16) acc f32 init 0.0 {
    %q = read %Q[m, k] : f16 over (m, k)
    %x = read %K[n, k] : f16 over (n, k)
    %qx = binary mul %q, %x widen : f32 over (m, n, k)
    yield %qx
  } : f32 over (m, n)
  %h = cast %s : f16 over (m, n)
  %top, %sum = reduce (n: N) acc (f32, f32) init (-inf, 0.0) {
    %one = const 1.0 : f32 over ()
    yield %h, %one
  } combine (%m0: f32 over (m), %l0: f32 over (m), %m1: f32 over (m), %l1: f32 over (m)) {
    %most = binary max %m0, %m1 : f32 over (m)
    %d0 = binary sub %m0, %most : f32 over (m)
    %w0 = unary exp2 %d0 : f32 over (m)
    %d1 = binary sub %m1, %most : f32 over (m)
    %w1 = unary exp2 %d1 : f32 over (m)
    %a0 = binary mul %l0, %w0 : f32 over (m)
    %a1 = binary mul %l1, %w1 : f32 over (m)
    %l = binary add %a0, %a1 : f32 over (m)
    yield %most, %l
  } {fuse, reassoc} : f32 over (m), f32 over (m)
  %y = reduce sum (n: N) acc f32 init 0.0 {
    %v = read %V[n, d] : f16 over (n, d)
    %hv = binary mul %h, %v widen : f32 over (m, n, d)
    yield %hv
  } : f32 over (m, d)
  %i = unary recip %sum : f32 over (m)
  %ib = broadcast_in_dim %i to [M, 16] dims [0] : f32 over (m, d)
  %z = binary mul %y, %ib : f32 over (m, d)
  %tb = broadcast_in_dim %top to [M, 16] dims [0] : f32 over (m, d)
  %o = binary add %z, %tb : f32 over (m, d)
  yield %o to Y
}
