// Elements whose positions are expressions of where they are, as the pixels of windows that are added where they overlap: each is
// added to its place, and not looked at for all places.

// RUN: dlc-opt %s --tensorize --evaluate-each -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --region-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %s --function=program --shape=C=5 --seed=0 -o %t.npz
// RUN: dlc-run %t.mlir --strict --function=program --shape=C=5 --seed=0 --check=%t.npz
// RUN: dlc-run %t.ptx.mlir --strict --function=program --shape=C=5 --seed=0 --check=%t.npz

host.func @program<C>(%x: memref<[C, 300], f32, row_major, align 16>, %k: memref<[90], i64, row_major, align 16>)
    -> (memref<[C, 210], f32, row_major, align 16>, memref<[100], i64, row_major, align 16>) {
  %r = launch @overlapped<C> (%x) : memref<[C, 210], f32, row_major, align 16>
  %s = launch @last<> (%k) : memref<[100], i64, row_major, align 16>
  return %r, %s
}

// CHECK-LABEL: kernel.func private @overlapped<
// CHECK: store combine sum %{{.*}} to %Y[
region.func private @overlapped<C> iters (c: C, n: 210)
    ins (%X: memref<[C, 300], f32, row_major, align 16>)
    outs (Y: memref<[C, 210], f32, row_major, align 16> materialize gmem) {
  %zero = const 0.0 : f32 over ()
  %s = reduce sum (e: 300) acc f32 init 0.0 {
    %v = read %X[c, e] : f32 over (c, e)
    %w = select where (n == e mod 10 + 7*(e floordiv 10)) then %v else %zero : f32 over (c, n, e)
    yield %w
  } {any_order} : f32 over (c, n)
  yield %s to Y
}

// CHECK-LABEL: kernel.func private @last
// CHECK: store combine max %{{.*}} to %Y[
region.func private @last iters (n: 100)
    ins (%K: memref<[90], i64, row_major, align 16>)
    outs (Y: memref<[100], i64, row_major, align 16> materialize gmem) {
  %none = const -9223372036854775808 : i64 over ()
  %s = reduce max (e: 90) acc i64 init -9223372036854775808 {
    %v = read %K[e] : i64 over (e)
    %w = select where (e + 20 == n) then %v else %none : i64 over (n, e)
    yield %w
  } : i64 over (n)
  yield %s to Y
}
