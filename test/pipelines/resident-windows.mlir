// Convolutions whose windows of pixels stay in shared memory, from plans to PTX: one thread loads whole rows of pixels once,
// and the filters once for all tiles of a block.

// RUN: dlc-opt %s --tensorize --kernel-schedule -o %t.kernel
// RUN: FileCheck %s --input-file=%t.kernel
// RUN: dlc-opt %t.kernel --region-to-ptx -o %t.ptx

// RUN: dlc-run %s --function=rows --shape=N=2 --device=cpu -o %t.npz
// RUN: dlc-run %t.kernel --function=rows --shape=N=2 --device=cpu --check=%t.npz
// RUN: dlc-run %t.ptx --function=rows --shape=N=2 --device=cpu --check=%t.npz
// RUN: dlc-run %s --function=swapped --shape=N=50 --device=cpu -o %t.npz
// RUN: dlc-run %t.kernel --function=swapped --shape=N=50 --device=cpu --check=%t.npz
// RUN: dlc-run %t.ptx --function=swapped --shape=N=50 --device=cpu --check=%t.npz
// RUN: dlc-run %s --function=columns --shape=N=1,H=9 --device=cpu -o %t.npz
// RUN: dlc-run %t.kernel --function=columns --shape=N=1,H=9 --device=cpu --check=%t.npz --rtol=1e-2 --atol=1e-2
// RUN: dlc-run %t.ptx --function=columns --shape=N=1,H=9 --device=cpu --check=%t.npz --rtol=1e-2 --atol=1e-2

// Two groups share the pixels of a tile. Of 128 channels there are two steps, so filters come with the pixels.
// CHECK-LABEL: kernel.func @rows
// CHECK: tensor_map %X : tensormap<[1, 10, 16, 64], f16, swizzle 128>
// CHECK: role producer
// CHECK: wait %empty
// CHECK: tma_load %map_X[%{{.+}}, 7*%row - 1, -1, %k] to
// CHECK: role consumer
// CHECK-COUNT-9: wgmma
region.func @rows<N> iters (n: N, h: 14, w: 14, o: 64)
    ins (%X: memref<[N, 14, 14, 128], f16, row_major, align 128>, %F: memref<[64, 3, 3, 128], f16, row_major, align 128>)
    outs (Y: memref<[N, 14, 14, 64], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (r: 3, s: 3, c: 128) acc f32 init 0.0 {
    %x = read %X[n, h + r - 1, w + s - 1, c] where (0 <= h + r - 1 < 14, 0 <= w + s - 1 < 14) : f16 over (n, h, w, r, s, c)
    %f = read %F[o, r, s, c] : f16 over (o, r, s, c)
    %p = binary mul %x, %f widen : f32 over (n, h, w, o, r, s, c)
    yield %p
  } : f32 over (n, h, w, o)
  yield %s to Y as f16
}
plan.schedule of @rows for sm90 {
  tile (n: 1, h: 7, w: 16, o: 64, r: 3, s: 3, c: 64)
  reduced [r, s, c]
  instruction wgmma
  stages 2
  persistent sms
  roles cooperative consumers 2
  cache X (n, h, r, w, s, c) f16 in smem
  cache F (o, r, s, c) f16 in smem
  swizzle (X: 128, F: 128)
  predicate_tail [w]
  barrier mbarrier
  store rows panels 2
  algo (load_X: window)
}

// The filters fill the rows of the instruction. TMA stores rows of pixels, and nothing beyond their ends.
// CHECK-LABEL: kernel.func @swapped
// CHECK: tensor_map %Y : tensormap<[1, 2, 16, 64], f16, swizzle 128>
// CHECK: role producer
// CHECK: tma_load %map_F
// CHECK: for
// CHECK: tma_load %map_X
// CHECK: role consumer
// CHECK: wait %full{{.*}} parity
// CHECK: for
// CHECK: tma_store
region.func @swapped<N> iters (n: N, h: 6, w: 14, o: 64)
    ins (%X: memref<[N, 6, 14, 64], f16, row_major, align 128>, %F: memref<[64, 3, 3, 64], f16, row_major, align 128>)
    outs (Y: memref<[N, 6, 14, 64], f16, row_major, align 128> materialize gmem) {
  %s = reduce sum (r: 3, s: 3, c: 64) acc f32 init 0.0 {
    %x = read %X[n, h + r - 1, w + s - 1, c] where (0 <= h + r - 1 < 6, 0 <= w + s - 1 < 14) : f16 over (n, h, w, r, s, c)
    %f = read %F[o, r, s, c] : f16 over (o, r, s, c)
    %p = binary mul %x, %f widen : f32 over (n, h, w, o, r, s, c)
    yield %p
  } : f32 over (n, h, w, o)
  yield %s to Y as f16
}
plan.schedule of @swapped for sm90 {
  tile (n: 1, h: 2, w: 16, o: 64, r: 3, s: 3, c: 64)
  reduced [r, s, c]
  instruction wgmma
  stages 3
  persistent sms
  roles ping_pong consumers 2
  cache X (n, h, r, w, s, c) f16 in smem
  cache F (o, r, s, c) f16 in smem buffers 1
  swizzle (X: 128, F: 128)
  predicate_tail [w]
  barrier mbarrier
  async overlap_epilogue
  store tma panels 1
  algo (load_X: window)
  swap_operands
}

// Factors of f32 that are multiplied as tf32, and results in NCHW.
// CHECK-LABEL: kernel.func @columns
// CHECK: as tf32
region.func @columns<N, H> iters (n: N, o: 64, h: H - 2, w: 14)
    ins (%X: memref<[N, H, 16, 8], f32, row_major, align 128>, %F: memref<[64, 3, 3, 8], f32, row_major, align 128>)
    outs (Y: memref<[N, 64, H - 2, 14], f32, row_major, align 128> materialize gmem) {
  %sum = reduce sum (r: 3, s: 3, c: 8) acc f32 init 0.0 {
    %f = read %F[o, r, s, c] : f32 over (o, r, s, c)
    %x = read %X[n, h + r, w + s, c] : f32 over (n, h, w, r, s, c)
    %p = binary mul %f, %x widen {tf32} : f32 over (n, o, h, w, r, s, c)
    yield %p
  } : f32 over (n, o, h, w)
  yield %sum to Y
}
plan.schedule of @columns for sm90 {
  tile (n: 1, o: 64, h: 4, w: 16, r: 3, s: 3, c: 8)
  reduced [r, s, c]
  instruction wgmma as tf32
  stages 3
  persistent sms
  roles ping_pong consumers 2
  cache F (o, r, s, c) f32 in smem
  cache X (n, h, r, w, s, c) f32 in smem
  swizzle (X: 32, F: 32)
  predicate_tail [h, w]
  barrier mbarrier
  store rows panels 2
  algo (load_X: window)
}
