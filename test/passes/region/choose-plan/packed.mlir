// Factors that lie apart along what is summed, and have a window or short rows along their neighbours: they are copied first,
// by kernels of their own, where that takes less than it saves. Zeros fill what is summed up to whole 16-byte units.

// RUN: dlc-opt %s --choose-plan='assume=128 symbols=[H:56,W:56]' --verify-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %s --choose-plan='assume=128 symbols=[H:56,W:56]' --remarks=passed,analysis --no-output 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dlc-opt %s --choose-plan='assume=128 symbols=[H:56,W:56]' --debug-counter=choose-plan/pack=all | FileCheck %s --check-prefix=OFF
// OFF-NOT: launch @conv_X

// As regions, as kernels and as instructions, with sizes that fill no tiles and no units.
// RUN: dlc-opt %t.mlir --add-fallback --tensorize --kernel-schedule -o %t.kernel.mlir
// RUN: dlc-run %s --function=program --shape=B=2,H=5,W=7,C=9,O=5 --seed=0 -o %t.npz
// RUN: dlc-run %t.mlir --function=program --shape=B=2,H=5,W=7,C=9,O=5 --seed=0 --check=%t.npz
// RUN: dlc-run %t.kernel.mlir --function=program --shape=B=2,H=5,W=7,C=9,O=5 --seed=0 --check=%t.npz
// RUN: dlc-run %s --function=program --shape=B=1,H=4,W=8,C=16,O=70 --seed=0 -o %t.npz
// RUN: dlc-run %t.kernel.mlir --function=program --shape=B=1,H=4,W=8,C=16,O=70 --seed=0 --check=%t.npz
// RUN: dlc-run %s --function=few --shape=B=2,H=5,W=5,O=5 --seed=0 -o %t.npz
// RUN: dlc-run %t.kernel.mlir --function=few --shape=B=2,H=5,W=5,O=5 --seed=0 --check=%t.npz

// REMARK: @conv takes {{.*}} us as its factors lie, and {{.*}} where (F, X) lie along the sum, besides {{.*}} for copies

// What the copies take has places in the arena, where all has.
// CHECK-LABEL: host.func @program
// CHECK-SAME: arena = ["
// CHECK-NOT: arena = [0]
// CHECK: %[[F0:.+]] = view %F : memref<[O, C, 9], f16
// CHECK-NEXT: %[[F1:.+]] = launch @conv_F<O, C> (%[[F0]]) at [{{.+}}] : memref<[O, 9, 8*(C ceildiv 8)], f16
// CHECK-NEXT: %[[F2:.+]] = view %[[F1]] : memref<[O, 3, 3, 8*(C ceildiv 8)], f16
// CHECK-NEXT: %[[X0:.+]] = view %X : memref<[B, C, H*W], f16
// CHECK-NEXT: %[[X1:.+]] = launch @conv_X<B, C, H*W> (%[[X0]]) at [0] : memref<[B, H*W, 8*(C ceildiv 8)], f16
// CHECK-NEXT: %[[X2:.+]] = view %[[X1]] : memref<[B, H, W, 8*(C ceildiv 8)], f16
// CHECK-NEXT: launch @conv<B, H, W, C, O> (%[[X2]], %[[F2]]) at [*]
host.func @program<B, H, W, C, O>(%X: memref<[B, C, H, W], f16, row_major, align 128>, %F: memref<[O, C, 3, 3], f16, row_major, align 128>)
    -> memref<[B, O, H, W], f16, row_major, align 128> attributes {arena = [0], pool = 0} {
  %y = launch @conv<B, H, W, C, O> (%X, %F) at [*] : memref<[B, O, H, W], f16, row_major, align 128>
  return %y
}

// Where it would not be faster, the kernel stays as it is.
// CHECK-LABEL: host.func @few
// CHECK-NEXT: launch @few_conv<B, H, W, O> (%X, %F)
host.func @few<B, H, W, O>(%X: memref<[B, 3, H, W], f16, row_major, align 128>, %F: memref<[O, 3, 3, 3], f16, row_major, align 128>)
    -> memref<[B, O, H, W], f16, row_major, align 128> {
  %y = launch @few_conv<B, H, W, O> (%X, %F) : memref<[B, O, H, W], f16, row_major, align 128>
  return %y
}

// CHECK-LABEL: region.func private @conv_F<A, K> iters (a: A, s: 9, k: 8*(K ceildiv 8))
// CHECK: read %X[a, k, s] where (k < K) : f16 over (a, s, k)
// CHECK: plan.schedule of @conv_F for sm90 {
// CHECK: region.func private @conv_X<A, K, S> iters (a: A, s: S, k: 8*(K ceildiv 8))
// CHECK: plan.schedule of @conv_X for sm90 {
// CHECK: assume (S: 8)
// CHECK: cache X (a, k, s) f16 in smem transposed
// CHECK: vectors (X: 8, Y: 8)
// CHECK: region.func private @conv<B, H, W, C, O> iters (b: B, o: O, h: H, w: W)
// CHECK: reduce sum (c: 8*(C ceildiv 8), i: 3, j: 3)
// CHECK-DAG: read %F[o, i, j, c] : f16 over (o, c, i, j)
// CHECK-DAG: read %X[b, h + i - 1, j + w - 1, c] where (0 <= h + i - 1 < H, 0 <= j + w - 1 < W)
// Windows of pixels are loaded by TMA; results along them are stored by rows, as a run of pixels is no TMA box.
// CHECK: plan.schedule of @conv for sm90 {
// CHECK: instruction wgmma
// CHECK-DAG: swap_operands
// CHECK-DAG: store rows panels 2
// CHECK-DAG: algo (load_X: im2col)
region.func private @conv<B, H, W, C, O> iters (b: B, o: O, h: H, w: W)
    ins (%X: memref<[B, C, H, W], f16, row_major, align 128>, %F: memref<[O, C, 3, 3], f16, row_major, align 128>)
    outs (Y: memref<[B, O, H, W], f16, row_major, align 128> materialize gmem) {
  %y = reduce sum (c: C, i: 3, j: 3) acc f32 init 0.0 {
    %f = read %F[o, c, i, j] : f16 over (o, c, i, j)
    %x = read %X[b, c, h + i - 1, w + j - 1] where (0 <= h + i - 1 < H, 0 <= w + j - 1 < W) : f16 over (b, h, w, c, i, j)
    %p = binary mul %f, %x widen : f32 over (b, o, h, w, c, i, j)
    yield %p
  } : f32 over (b, o, h, w)
  yield %y to Y as f16
}

region.func private @few_conv<B, H, W, O> iters (b: B, o: O, h: H, w: W)
    ins (%X: memref<[B, 3, H, W], f16, row_major, align 128>, %F: memref<[O, 3, 3, 3], f16, row_major, align 128>)
    outs (Y: memref<[B, O, H, W], f16, row_major, align 128> materialize gmem) {
  %y = reduce sum (c: 3, i: 3, j: 3) acc f32 init 0.0 {
    %f = read %F[o, c, i, j] : f16 over (o, c, i, j)
    %x = read %X[b, c, h + i - 1, w + j - 1] where (0 <= h + i - 1 < H, 0 <= w + j - 1 < W) : f16 over (b, h, w, c, i, j)
    %p = binary mul %f, %x widen : f32 over (b, o, h, w, c, i, j)
    yield %p
  } : f32 over (b, o, h, w)
  yield %y to Y as f16
}

// What nothing launches stays as it is.
// CHECK-LABEL: region.func private @alone
// CHECK: read %X[b, c, h + i - 1]
region.func private @alone<B, H, C, O> iters (b: B, o: O, h: H)
    ins (%X: memref<[B, C, H], f16, row_major, align 128>, %F: memref<[O, C, 3], f16, row_major, align 128>)
    outs (Y: memref<[B, O, H], f16, row_major, align 128> materialize gmem) {
  %y = reduce sum (c: C, i: 3) acc f32 init 0.0 {
    %f = read %F[o, c, i] : f16 over (o, c, i)
    %x = read %X[b, c, h + i - 1] where (0 <= h + i - 1 < H) : f16 over (b, h, c, i)
    %p = binary mul %f, %x widen : f32 over (b, o, h, c, i)
    yield %p
  } : f32 over (b, o, h)
  yield %y to Y as f16
}
