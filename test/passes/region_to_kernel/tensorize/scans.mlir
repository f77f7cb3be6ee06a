// Scans along rows and columns: a loop over tiles of the axis, with running values.

// RUN: dlc-opt %s --tensorize --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --region-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %s --function=program --shape=B=1,M=290,N=40 --seed=0 -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=program --shape=B=1,M=290,N=40 --seed=0 --check=%t.npz
// RUN: dlc-run %s --function=program --shape=B=1,M=2,N=2200 --seed=0 -o %t.npz
// RUN: dlc-run %t.ptx.mlir --function=program --shape=B=1,M=2,N=2200 --seed=0 --check=%t.npz

host.func @program<B, M, N>(%x: memref<[B, M, N], f16, row_major, align 16>)
    -> (memref<[B, M, N], f32, row_major, align 16>, memref<[B, M, N], f32, row_major, align 16>, memref<[B, M, N], f32, row_major, align 16>, memref<[B, M, N], f32, row_major, align 16>, memref<[B, M, N], i1, row_major, align 16>, memref<[B, M, N], f32, row_major, align 16>, memref<[B, M, N], f32, row_major, align 16>) {
  %r = launch @rows<B, M, N> (%x) : memref<[B, M, N], f32, row_major, align 16>
  %c = launch @columns<B, M, N> (%x) : memref<[B, M, N], f32, row_major, align 16>
  %t = launch @truth<B, M, N> (%x) : memref<[B, M, N], i1, row_major, align 16>
  %g = launch @groups<B, M, N> (%x) : memref<[B, M, N], f32, row_major, align 16>
  %h = launch @groups_of_columns<B, M, N> (%x) : memref<[B, M, N], f32, row_major, align 16>
  %lr = launch @linear_rows<B, M, N> (%x) : memref<[B, M, N], f32, row_major, align 16>
  %lc = launch @linear_columns<B, M, N> (%x) : memref<[B, M, N], f32, row_major, align 16>
  return %r, %c, %lr, %lc, %t, %g, %h
}

// Of rows of any length a block has one: each of four warps goes over it four times in a step.
// CHECK-LABEL: kernel.func private @rows<
// CHECK: grid (B*M) threads 128 {
// CHECK: %shared = shared : tile<[16], f32, row_major>
// CHECK: %[[ZERO:.*]] = const 0.0 : frag<[1], f32, slice 1 of (blocked [1, 4] lanes [1, 32] warps [1, 4])>
// CHECK: for %n = 0 to N step 2048 carry (%[[RUN:.*]] = %[[ZERO]])
// CHECK: %[[S:.*]]:2 = scan sum %{{.*}} from %[[RUN]] along 1 through %shared
// CHECK: unary relu %[[S]] :
// CHECK: store
// CHECK: yield %[[S]]#1
region.func private @rows<B, M, N> iters (b: B, m: M, n: N)
    ins (%X: memref<[B, M, N], f16, row_major, align 16>)
    outs (Y: memref<[B, M, N], f32, row_major, align 16> materialize gmem) {
  %x = read %X[b, m, n] : f16 over (b, m, n)
  %s = scan sum %x along n : f32 over (b, m, n)
  %y = unary relu %s : f32 over (b, m, n)
  yield %y to Y
}

// Of columns a block has as many as a warp has lanes; the last tile comes first, and what lies after the end is the
// identity there.
// CHECK-LABEL: kernel.func private @columns<
// CHECK: grid (B*(N ceildiv 32)) threads 512 {
// CHECK: for %m = 0 to M step 256 carry
// CHECK: load %X[{{.*}}256*(M ceildiv 256){{.*}}]
// CHECK: select where (
// CHECK: scan max %{{.*}} from %{{.*}} along 1 exclusive reverse through %shared
region.func private @columns<B, M, N> iters (b: B, m: M, n: N)
    ins (%X: memref<[B, M, N], f16, row_major, align 16>)
    outs (Y: memref<[B, M, N], f32, row_major, align 16> materialize gmem) {
  %x = read %X[b, m, n] : f16 over (b, m, n)
  %z = cast %x : f32 over (b, m, n)
  %s = scan max %z along m exclusive reverse : f32 over (b, m, n)
  yield %s to Y
}

// A recurrence has half the tile of one operand, so that both are in as many registers, and twice the memory for each part of
// it: what is before is one number for each row.
// CHECK-LABEL: kernel.func private @linear_rows<
// CHECK: %shared = shared : tile<[16], f32, row_major>
// CHECK: for %n = 0 to N step 1024 carry (%[[RUN:.*]] = %{{.*}})
// CHECK: %[[S:.*]]:2 = scan linear %{{.*}}, %{{.*}} from %[[RUN]] along 1 through %shared
// CHECK: yield %[[S]]#1
region.func private @linear_rows<B, M, N> iters (b: B, m: M, n: N)
    ins (%X: memref<[B, M, N], f16, row_major, align 16>)
    outs (Y: memref<[B, M, N], f32, row_major, align 16> materialize gmem) {
  %x = read %X[b, m, n] : f16 over (b, m, n)
  %s = scan linear %x, %x along n : f32 over (b, m, n)
  yield %s to Y
}

// What lies after the end leaves the running value as it is: times one, plus zero.
// CHECK-LABEL: kernel.func private @linear_columns<
// CHECK: %[[ONE:.*]] = const 1.0
// CHECK: %[[F:.*]] = select where ({{.*}}) then %{{.*}} else %[[ONE]]
// CHECK: %[[V:.*]] = select where ({{.*}}) then %{{.*}} else %{{.*}}
// CHECK: scan linear %[[F]], %[[V]] from %{{.*}} along 1 exclusive reverse through %shared
region.func private @linear_columns<B, M, N> iters (b: B, m: M, n: N)
    ins (%X: memref<[B, M, N], f16, row_major, align 16>)
    outs (Y: memref<[B, M, N], f32, row_major, align 16> materialize gmem) {
  %x = read %X[b, m, n] : f16 over (b, m, n)
  %a = unary exp2 %x : f16 over (b, m, n)
  %two = const 0.25 : f16 over ()
  %f = binary mul %a, %two : f16 over (b, m, n)
  %s = scan linear %f, %x along m exclusive reverse : f32 over (b, m, n)
  yield %s to Y
}

// Truth values are integers on the way: whether any was true is their maximum.
// CHECK-LABEL: kernel.func private @truth<
// CHECK: scan max %{{.*}} : frag<{{.*}}, i32, {{.*}}>, frag<{{.*}}, i32,
region.func private @truth<B, M, N> iters (b: B, m: M, n: N)
    ins (%X: memref<[B, M, N], f16, row_major, align 16>)
    outs (Y: memref<[B, M, N], i1, row_major, align 16> materialize gmem) {
  %x = read %X[b, m, n] : f16 over (b, m, n)
  %two = const 1.5 : f16 over ()
  %t = binary gt %x, %two : i1 over (b, m, n)
  %s = scan sum %t along n : i1 over (b, m, n)
  yield %s to Y
}

// Groups of positions have a block each, which begins again.
// CHECK-LABEL: kernel.func private @groups<
// CHECK: grid (((B*M) ceildiv 32)*(N ceildiv 64)) threads 128 {
// CHECK: %group = index (%{{.*}} mod (N ceildiv 64))
// CHECK: for %n = 0 to 64 step 64 carry
// CHECK: load %X[{{.*}}64*%group{{.*}}]
region.func private @groups<B, M, N> iters (b: B, m: M, n: N)
    ins (%X: memref<[B, M, N], f16, row_major, align 16>)
    outs (Y: memref<[B, M, N], f32, row_major, align 16> materialize gmem) {
  %x = read %X[b, m, n] : f16 over (b, m, n)
  %s = scan sum %x along n every 64 reverse : f32 over (b, m, n)
  yield %s to Y
}

// CHECK-LABEL: kernel.func private @groups_of_columns<
// CHECK: for %m = 0 to 512 step 256 carry
region.func private @groups_of_columns<B, M, N> iters (b: B, m: M, n: N)
    ins (%X: memref<[B, M, N], f16, row_major, align 16>)
    outs (Y: memref<[B, M, N], f32, row_major, align 16> materialize gmem) {
  %x = read %X[b, m, n] : f16 over (b, m, n)
  %s = scan sum %x along m every 512 exclusive : f32 over (b, m, n)
  yield %s to Y
}

// A short row has as many lanes as it needs, and a warp has several, side by side and one after another; a row that fits
// needs no loop.
// CHECK-LABEL: kernel.func @short(
// CHECK: grid (4) threads 128 {
// CHECK-NOT: for
// CHECK: scan sum %{{.*}} along 1 : frag<[32, 64], f32, blocked [1, 4] lanes [2, 16] warps [4, 1]>
region.func @short iters (m: 100, n: 50)
    ins (%X: memref<[100, 50], f32, row_major, align 16>)
    outs (Y: memref<[100, 50], f32, row_major, align 16> materialize gmem) {
  %x = read %X[m, n] : f32 over (m, n)
  %s = scan sum %x along n : f32 over (m, n)
  yield %s to Y
}
