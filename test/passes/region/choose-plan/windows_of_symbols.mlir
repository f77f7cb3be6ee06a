// Windows in shared memory have whole rows of pixels: where their length is a symbol whose size is given, a plan fixes it. The plan
// for all other sizes stands next to it, and launches take the one that costs less.

// RUN: dlc-opt %s --choose-plan='target=sm90 symbols=[N:32,H:28,W:28]' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %s --choose-plan='target=sm90' | FileCheck %s --check-prefix=ANY --implicit-check-not=fix
// RUN: dlc-opt %s --choose-plan='target=sm90 symbols=[N:32,H:28]' | FileCheck %s --check-prefix=ANY --implicit-check-not=fix
// RUN: dlc-opt %s --choose-plan='target=sm90' --remarks=analysis --no-output 2>&1 | FileCheck %s --check-prefix=TOLD
// RUN: dlc-opt %s --choose-plan='target=sm90 sizes=[32x28x28]' | FileCheck %s --check-prefix=SET
// RUN: dlc-opt %t.mlir --add-fallback | FileCheck %s --check-prefix=LAUNCH
// RUN: dlc-opt %t.mlir --add-fallback --tensorize --kernel-schedule --no-output --remarks=passed 2>&1 | FileCheck %s --check-prefix=ROLES
// RUN: dlc-run --strict %s --function=program --shape=N=1,H=9,W=28 --seed=5 -o %t.npz
// RUN: dlc-opt %t.mlir --add-fallback --tensorize -o %t.kernel
// RUN: dlc-run --strict %t.kernel --function=program --shape=N=1,H=9,W=28 --seed=5 --check=%t.npz
// RUN: dlc-run --strict %s --function=program --shape=N=1,H=5,W=6 --seed=6 -o %t.other.npz
// RUN: dlc-run --strict %t.kernel --function=program --shape=N=1,H=5,W=6 --seed=6 --check=%t.other.npz

// CHECK: launch @conv_1<N, H, W> cost ({{.*}}), @conv<N, H, W> cost
// CHECK: plan.schedule of @conv_1 for sm90 {
// CHECK-NEXT: tile (n: 1, g: 1, o: 16, h: {{[0-9]+}}, w: 30, r: 3, s: 3, c: 16)
// CHECK-NEXT: reduced
// CHECK-NEXT: fix (W: 28)
// CHECK: algo (load_x: window)
// CHECK: plan.schedule of @conv for sm90 {
// CHECK-NOT: fix
// ANY: plan.schedule of @conv for sm90
// Sizes that are only assumed are none to have a kernel for, and remarks say which plan is written.
// TOLD: the plan of @conv, {{.*}} c: 64)
// SET: fix (W: 28)
// LAUNCH: launch @conv_1<N, H, W> cost ({{.*}}) where (W == 28), @conv<N, H, W> cost
// Filters differ from group to group, so that each tile loads its own.
// ROLES: one thread loads, and 2 groups compute as ping-pong
host.func @program<N, H, W>(%x: memref<[N, 32, H, W, 16], f16, row_major, align 128, noalias>, %w: memref<[32, 16, 3, 3, 16], f16, row_major, align 128, noalias>) -> memref<[N, 32, 16, H, W], f16, row_major, align 128, noalias> {
  %0 = launch @conv<N, H, W> (%x, %w) : memref<[N, 32, 16, H, W], f16, row_major, align 128, noalias>
  return %0
}
region.func private @conv<N, H, W> iters (n: N, g: 32, o: 16, h: H, w: W)
    ins (%x: memref<[N, 32, H, W, 16], f16, row_major, align 128, noalias>, %w: memref<[32, 16, 3, 3, 16], f16, row_major, align 128, noalias>)
    outs (out: memref<[N, 32, 16, H, W], f16, row_major, align 128, noalias> materialize gmem) {
  %sum = reduce sum (c: 16, r: 3, s: 3) acc f32 init 0.0 {
    %a = read %w[g, o, r, s, c] : f16 over (g, o, c, r, s)
    %b = read %x[n, g, h + r - 1, s + w - 1, c] where (0 <= h + r - 1 < H, 0 <= s + w - 1 < W) : f16 over (n, g, h, w, c, r, s)
    %p = binary mul %a, %b widen : f32 over (n, g, o, h, w, c, r, s)
    yield %p
  } : f32 over (n, g, o, h, w)
  yield %sum to out as f16
}

// Rows of 58 pixels, four at once, would be no whole panels of results that lie along pixels: each thread would store its elements
// one by one. Pixels as the rows of the instruction are.
// CHECK: plan.schedule of @pixels for sm90 {
// CHECK: instruction wgmma [64, 64, 16]
// CHECK: store rows panels 2
// CHECK: algo (load_x: window)
region.func @pixels iters (n: 64, o: 64, h: 56, w: 56)
    ins (%x: memref<[64, 56, 56, 64], f16, row_major, align 128, noalias>, %w: memref<[64, 3, 3, 64], f16, row_major, align 128, noalias>)
    outs (out: memref<[64, 64, 56, 56], f16, row_major, align 128, noalias> materialize gmem) {
  %sum = reduce sum (c: 64, r: 3, s: 3) acc f32 init 0.0 {
    %a = read %w[o, r, s, c] : f16 over (o, c, r, s)
    %b = read %x[n, h + r - 1, s + w - 1, c] where (0 <= h + r - 1 < 56, 0 <= s + w - 1 < 56) : f16 over (n, h, w, c, r, s)
    %p = binary mul %a, %b widen : f32 over (n, o, h, w, c, r, s)
    yield %p
  } : f32 over (n, o, h, w)
  yield %sum to out as f16
}
