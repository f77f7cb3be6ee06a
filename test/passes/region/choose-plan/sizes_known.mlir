// Plans for some sizes where tiles do not tell sizes apart, or the sizes of a launch are known.

// RUN: dlc-opt %s --choose-plan='sizes=[1024x256,8192x8192]' --split-input-file | FileCheck %s

// A sum of all has as many tiles for all sizes: the steps of a tile decide.
// CHECK-LABEL: host.func @program<
// CHECK: launch @all_1<M, N> where (M == 1024, N == 256) else @all_1<M, N> cost (tiles: 256, steps: (M*(N ceildiv 256)) ceildiv 256, {{.*}}), @all_2<M, N> cost (tiles: 1024, steps: (M*(N ceildiv 8192)) ceildiv 1024, {{.*}}), @all<M, N> cost ({{.*}}) (%x)
// CHECK: launch @all_2<4096, 256> (%z)
host.func @program<M, N>(%x: memref<[M, N], f16, row_major, align 16>, %z: memref<[4096, 256], f16, row_major, align 16>)
    -> (memref<[], f32, row_major, align 16>, memref<[], f32, row_major, align 16>) {
  %y = launch @all<M, N> (%x) : memref<[], f32, row_major, align 16>
  %w = launch @all<4096, 256> (%z) : memref<[], f32, row_major, align 16>
  return %y, %w
}
region.func private @all<M, N> iters ()
    ins (%X: memref<[M, N], f16, row_major, align 16>)
    outs (Y: memref<[], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (m: M, n: N) acc f32 init 0.0 {
    %x = read %X[m, n] : f16 over (m, n)
    %w = cast %x : f32 over (m, n)
    yield %w
  } : f32 over ()
  yield %s to Y
}

// -----

// A plan that no launch takes is left out.
// CHECK-LABEL: host.func @known(
// CHECK: launch @all_2<4096, 256> (%z)
// CHECK-NOT: @all_1
// CHECK: plan.schedule of @all_2 for
// CHECK-NOT: @all_1
// CHECK: plan.schedule of @all for
host.func @known(%z: memref<[4096, 256], f16, row_major, align 16>) -> memref<[], f32, row_major, align 16> {
  %w = launch @all<4096, 256> (%z) : memref<[], f32, row_major, align 16>
  return %w
}
region.func private @all<M, N> iters ()
    ins (%X: memref<[M, N], f16, row_major, align 16>)
    outs (Y: memref<[], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (m: M, n: N) acc f32 init 0.0 {
    %x = read %X[m, n] : f16 over (m, n)
    %w = cast %x : f32 over (m, n)
    yield %w
  } : f32 over ()
  yield %s to Y
}

// -----

// Where costs are known but not every symbol, the plan for the sizes that were named is still kept for them.
// CHECK-LABEL: host.func @partly<
// CHECK: launch @all_1<1024, 256, P> where (P == 128) else @all{{(_2)?}}<1024, 256, P> (%z)
host.func @partly<M, N, P>(%x: memref<[M, N], f16, row_major, align 16>, %z: memref<[1024, 256], f16, row_major, align 16>, %p: memref<[P], f16>)
    -> (memref<[], f32, row_major, align 16>, memref<[], f32, row_major, align 16>) {
  %y = launch @all<M, N, P> (%x) : memref<[], f32, row_major, align 16>
  %w = launch @all<1024, 256, P> (%z) : memref<[], f32, row_major, align 16>
  return %y, %w
}
region.func private @all<M, N, P> iters ()
    ins (%X: memref<[M, N], f16, row_major, align 16>)
    outs (Y: memref<[], f32, row_major, align 16> materialize gmem) {
  %s = reduce sum (m: M, n: N) acc f32 init 0.0 {
    %x = read %X[m, n] : f16 over (m, n)
    %w = cast %x : f32 over (m, n)
    yield %w
  } : f32 over ()
  yield %s to Y
}
