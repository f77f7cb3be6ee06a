// From wherever a function is down to instructions: a tensor program gets a plan for the target, or none; a kernel with a
// plan of its own keeps that, and one that is written by hand is taken as it stands.

// RUN: dlc-opt %s --tiny-to-ptx -o %t.any.mlir && dlc-translate %t.any.mlir --to-ptx | FileCheck %s --check-prefix=ANY
// RUN: dlc-opt %s --tiny-to-ptx-sm80 -o %t.sm80.mlir && dlc-translate %t.sm80.mlir --to-ptx | FileCheck %s --check-prefix=SM80
// RUN: dlc-opt %s --tiny-to-ptx-sm90 -o %t.sm90.mlir && dlc-translate %t.sm90.mlir --to-ptx | FileCheck %s --check-prefix=SM90
// RUN: dlc-opt %t.sm80.mlir --tiny-to-ptx-sm80 | cmp %t.sm80.mlir -

// ANY: .target sm_80
// ANY: .entry product_0_0
// ANY-NOT: cp.async
// ANY: mma.sync
// ANY: .entry planned_0
// ANY: .entry by_hand_0
// ANY: .maxntid 32, 1, 1

// SM80: .target sm_80
// SM80: .entry product_0_0
// SM80: cp.async
// SM80: mma.sync
// SM80: .entry planned_0
// SM80: .entry by_hand_0
// SM80: .maxntid 32, 1, 1

// SM90: .target sm_90a
// SM90: .entry product_0_0
// SM90: wgmma.mma_async
// SM90: .entry planned_0
// SM90: .entry by_hand_0
// SM90: .maxntid 32, 1, 1

tiny.func @product(%X: tensor<[256, 128], f16>, %W: tensor<[128, 256], f16>) -> tensor<[256, 256], f16> {
  %s = contract %X [m, k], %W [k, n] to [m, n] acc f32
  %y = cast %s to f16
  return %y
}

region.func @planned<M> iters (m: M) ins (%X: memref<[M], f32, row_major, align 16>) outs (Y: memref<[M], f32, row_major, align 16> materialize gmem) {
  %x = read %X[m] : f32 over (m)
  %y = unary relu %x : f32 over (m)
  yield %y to Y
}

plan.schedule of @planned for sm80 {
  tile (m: 256)
}

kernel.func @by_hand<M>(%x: memref<[M], f32, row_major, align 16>) -> memref<[M], f32, row_major, align 16> {
  %y = output : memref<[M], f32, row_major, align 16>
  grid (M ceildiv 32) threads 32 {
    %block = block_id 0
    %a = load %x[32*%block + i0] where (32*%block + i0 < M) : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store %a to %y[32*%block + i0] where (32*%block + i0 < M)
  }
  return %y
}
