// Filters of f32 with several phases in a tile are a TMA box, as those of f16 are. The tensor cores round factors to tf32, so the
// kernel gives nearly the numbers of the region; its instructions give the same numbers as the kernel.

// RUN: dlc-opt %s --tensorize --kernel-schedule -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-opt %t.mlir --kernel-to-ptx -o %t.ptx.mlir
// RUN: dlc-run %s --seed=0 -o %t.region.npy
// RUN: dlc-run %t.mlir --seed=0 --check=%t.region.npy --rtol=1e-2 --atol=1e-2
// RUN: dlc-run %t.mlir --seed=0 -o %t.kernel.npy
// RUN: dlc-run %t.ptx.mlir --seed=0 --check=%t.kernel.npy --rtol=2e-6 --atol=2e-6

// CHECK-LABEL: kernel.func @tf32
// CHECK: tensor_map %w : tensormap<[32, 2, 2, 32], f32, swizzle 128>
region.func @tf32 iters (i0: 2, i1: 40, i2: 3, i3: 2, i4: 63, i5: 2)
  ins (%w: memref<[40, 3, 3, 32], f32, row_major, align 128, noalias>, %x: memref<[2, 3, 63, 32], f32, row_major, align 128, noalias>)
  outs (out: memref<[2, 40, 3, 2, 63, 2], f32, row_major, align 128, noalias> materialize gmem) {
  %0 = reduce sum (i6: 32, i7: 2, i8: 2) acc f32 init 0.0 {
    %1 = read %w[i1, i3 - 2*i7 + 1, i5 - 2*i8 + 1, i6] where (-i3 + 2*i7 + 1 < 3, -i5 + 2*i8 + 1 < 3) : f32 over (i1, i3, i5, i6, i7, i8)
    %2 = read %x[i0, i2 + i7, i4 + i8, i6] where (i2 + i7 < 3, i4 + i8 < 63) : f32 over (i0, i2, i4, i6, i7, i8)
    %3 = binary mul %1, %2 widen {tf32, tf32_factors} : f32 over (i0, i1, i2, i3, i4, i5, i6, i7, i8)
    yield %3
  } : f32 over (i0, i1, i2, i3, i4, i5)
  yield %0 to out
}
plan.schedule of @tf32 for sm90 {
  tile (i0: 1, i1: 32, i2: 1, i3: 2, i4: 64, i5: 2, i6: 32)
  instruction wgmma [64, 128, 8] as tf32
  stages 2
  roles cooperative consumers 1
  registers (producer: 24, consumer: 232)
  cache x (i0, i2, i7, i4, i8, i6) f32 in smem
  cache w (i1, i3, i7, i5, i8, i6) f32 in smem
  swizzle (x: 128, w: 128)
  barrier mbarrier
  async
  algo (load_x: im2col)
}
