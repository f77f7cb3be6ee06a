// Indices in memory are 64-bit integers: nothing of them is lost on the way to other numbers and back.

// RUN: dlc-opt %s --tensorize --kernel-to-ptx -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run %s --device=cpu --seed=0 -o %t.npz
// RUN: dlc-run %t.mlir --device=cpu --seed=0 --check=%t.npz --rtol=0 --atol=0

// CHECK-LABEL: ptx.func @index
// CHECK: ld.global.nc.b64
// CHECK: cvt.u32.u64
// CHECK: st.global.u8
// CHECK: st.global.b64
region.func @index iters (m: 64) ins (%X: memref<[64], index>)
    outs (Y: memref<[64], i8> materialize gmem, Z: memref<[64], index> materialize gmem) {
  %x = read %X[m] : index over (m)
  %y = cast %x : i8 over (m)
  yield %y to Y, %x to Z
}
