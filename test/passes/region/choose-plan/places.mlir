// What is read at several places, and at places that are values.

// RUN: dlc-opt %s --choose-plan='target=sm90 symbols=[N:64,H:56,W:56]' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: dlc-run --strict %s --function=least --seed=2 -o %t.npz
// RUN: dlc-opt %t.mlir --tensorize -o %t.kernel
// RUN: dlc-run --strict %t.kernel --function=least --seed=2 --check=%t.npz --rtol=0 --atol=0

// Four vectors of eight elements are loaded before they are added: eight blocks on an SM would leave a thread 32 registers, and the
// rest would go to local memory.
// CHECK-LABEL: plan.schedule of @roll
// CHECK: blocks_per_sm {{[1-5]$}}
region.func @roll<N, H, W> iters (n: N, h: H, w: W, c: 96)
    ins (%x: memref<[N, H, W, 96], f16, row_major, align 128, noalias>)
    outs (y: memref<[N, H, W, 96], f16, row_major, align 128, noalias> materialize gmem) {
  %a = read %x[n, h + 3, w + 3, c] where (w < W - 3, h < H - 3) : f16 over (n, h, w, c)
  %b = read %x[n, -H + h + 3, w + 3, c] where (w < W - 3, 0 <= -H + h + 3 < H) : f16 over (n, h, w, c)
  %ab = binary add %a, %b : f16 over (n, h, w, c)
  %c = read %x[n, h + 3, -W + w + 3, c] where (0 <= -W + w + 3 < W, h < H - 3) : f16 over (n, h, w, c)
  %d = read %x[n, -H + h + 3, -W + w + 3, c] where (0 <= -W + w + 3 < W, 0 <= -H + h + 3 < H) : f16 over (n, h, w, c)
  %cd = binary add %c, %d : f16 over (n, h, w, c)
  %y = binary add %ab, %cd : f16 over (n, h, w, c)
  yield %y to y
}

// The places of a row are values next to each other: the threads of a warp share the row.
// CHECK-LABEL: plan.schedule of @least
// CHECK: tile (i: {{[0-9]+}}, j: {{[0-9]+}})
// CHECK: threads (i: {{[0-9]+}}, j: 32)
region.func @least iters (i: 512)
    ins (%x: memref<[65536], f32, row_major, align 128, noalias>, %p: memref<[512], i32, row_major, align 128, noalias>)
    outs (y: memref<[512], f32, row_major, align 128, noalias> materialize gmem) {
  %first = read %p[i] : i32 over (i)
  %m = reduce min (j: 256) acc f32 init inf {
    %j = index (j) : i32 over (j)
    %at = binary add %first, %j : i32 over (i, j)
    %e = read %x[%at] : f32 over (i, j)
    yield %e
  } : f32 over (i)
  yield %m to y
}
