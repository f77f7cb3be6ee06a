// Tiles in shared memory: copies to them, how they lie, loads and stores of matrices.

// RUN: dlc-opt %s --kernel-to-ptx=unchecked | FileCheck %s

// A copy that is waited for at once goes through registers. Copies that are not have 16, 8 or 4 bytes, by the layout; what
// is out of bounds is filled with zeros by the size that is read. Another number cannot be filled in: such a copy goes
// through registers, too, but counts as one on its way.
// CHECK-LABEL: ptx.func @copies<N>(
// CHECK: %[[S:.+]] = smem
// CHECK: %[[T:.+]] = add.s32 %[[S]], 8192
// CHECK-COUNT-4: st.shared.v4.b32
// CHECK: mul.lo.s32 %{{.+}}, 144
// CHECK-COUNT-4: cp.async.cg.shared.global [%{{.+}}], [%{{.+}}], 16{{$}}
// CHECK-NEXT: cp.async.commit_group
// CHECK-COUNT-8: cp.async.ca.shared.global [%{{.+}}], [%{{.+}}], 8{{$}}
// CHECK-NEXT: cp.async.commit_group
// CHECK-COUNT-16: cp.async.ca.shared.global [%{{.+}}], [%{{.+}}], 4{{$}}
// CHECK-NEXT: cp.async.commit_group
// CHECK: %[[IN:.+]] = setp.lt.s32 %{{.+}}, %N
// CHECK-NEXT: %[[BYTES:.+]] = selp.b32 16, 0, %[[IN]]
// CHECK-NEXT: cp.async.cg.shared.global [%{{.+}}], [%{{.+}}], 16, %[[BYTES]]
// CHECK: cp.async.commit_group
// CHECK: ld.global.nc.v2.b32 [%{{.+}}] if %[[IN]] else
// CHECK: st.shared.v2.b32
// CHECK-NOT: cp.async.ca
// CHECK: cp.async.commit_group
// CHECK-NEXT: cp.async.wait_group 0
kernel.func @copies<N>(%X: memref<[64, 64], f16, row_major, align 16>) {
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %t = shared : tile<[64, 64], f16, row_major pitch 72>
    %n = index (N)
    copy %X[i0, i1] to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
    %a = copy_async %X[i0, i1] to %t by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
    %b = copy_async %X[i0, i1] to %t by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    %c = copy_async %X[i0, i1] to %t by blocked [1, 2] lanes [4, 8] warps [4, 1] : token<load>
    %d = copy_async %X[i0, i1] where (i0 < %n) to %t by blocked [1, 8] lanes [4, 8] warps [4, 1] : token<load>
    %e = copy_async %X[i0, i1] where (i0 < %n) else 1.0 to %t by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %a, %b, %c, %d, %e
  }
  return
}

// Rows with a pitch, columns one after another, and patterns that exchange 16-byte units by the row: the number of
// the unit is the exclusive or with three, two or one bits of the row.
// CHECK-LABEL: ptx.func @layouts(
// CHECK: %[[A:.+]] = smem
// CHECK-NEXT: %[[B:.+]] = add.s32 %[[A]], 9216
// CHECK-NEXT: %[[C:.+]] = add.s32 %[[A]], 17408
// CHECK-NEXT: %[[D:.+]] = add.s32 %[[A]], 25600
// CHECK-NEXT: %[[E:.+]] = add.s32 %[[A]], 29696
// CHECK: %[[ROW:.+]] = mul.lo.s32 %{{.+}}, 144
// CHECK-NEXT: add.s32 %[[A]], %[[ROW]]
// CHECK: st.shared.v4.b32 [%[[P:.+]] + 2304]
// CHECK: add.s32 %[[B]],
// CHECK: %[[U:.+]] = mul.lo.s32 %{{.+}}, 144
// CHECK-NEXT: %[[ONE:.+]] = xor.b32 %{{.+}}, %[[U]]
// CHECK: %[[V:.+]] = mul.lo.s32 %{{.+}}, 288
// CHECK-NEXT: %[[TWO:.+]] = xor.b32 %[[ONE]], %[[V]]
// CHECK: %[[W:.+]] = mul.lo.s32 %{{.+}}, 576
// CHECK-NEXT: %[[THREE:.+]] = xor.b32 %[[TWO]], %[[W]]
// CHECK: %[[ATC:.+]] = add.s32 %[[C]],
// CHECK: add.s32 %[[D]],
// CHECK: add.s32 %[[E]],
// CHECK: bar.sync 0
// The slice begins 8 columns on; the second one 32 rows on, where the pattern begins again.
// CHECK: add.s32 %[[A]], 16
// CHECK: add.s32 %[[C]], 4096
kernel.func @layouts() attributes {target = "sm90"} {
  grid (1) threads 128 {
    %a = shared : tile<[64, 64], f16, row_major pitch 72>
    %b = shared : tile<[64, 64], f16, col_major>
    %c = shared : tile<[64, 64], f16, swizzle 128>
    %d = shared : tile<[64, 32], f16, swizzle 64>
    %e = shared : tile<[64, 16], f16, swizzle 32>
    %x = const 1.0 : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %y = const 1.0 : frag<[64, 32], f16, blocked [1, 8] lanes [8, 4] warps [4, 1]>
    %z = const 1.0 : frag<[64, 16], f16, blocked [1, 8] lanes [16, 2] warps [4, 1]>
    %w = const 1.0 : frag<[64, 64], f16, blocked [8, 1] lanes [8, 4] warps [1, 4]>
    store_shared %x to %a
    store_shared %w to %b
    store_shared %x to %c
    store_shared %y to %d
    store_shared %z to %e
    barrier
    %part = slice %a at (0, 8) : tile<[64, 8], f16, row_major pitch 72>
    %v = load_shared %part : frag<[64, 8], f16, blocked [1, 8] lanes [32, 1] warps [4, 1]>
    %ring = slice %c at (32, 0) : tile<[32, 64], f16, swizzle 128>
    %u = load_shared %ring : frag<[32, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %f = load_shared %b transposed : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
  }
  return
}

// Matrices of the tensor cores are loaded by fours, transposed where columns are needed, and stored by fours.
// CHECK-LABEL: ptx.func @matrices(
// CHECK-COUNT-2: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-COUNT-2: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK-COUNT-2: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-COUNT-16: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-COUNT-4: stmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-NOT: st.shared
// CHECK: exit
kernel.func @matrices() attributes {target = "sm90"} {
  grid (1) threads 128 {
    %s = shared : tile<2 x [64, 16], f16, swizzle 32>
    %r = shared : tile<[16, 64], f16, swizzle 128>
    %n = index (1)
    %a = load_shared %s[%n] : frag<[64, 16], f16, mma_a [2, 2]>
    %b = load_shared %r : frag<[16, 64], f16, mma_b [2, 2]>
    %c = load_shared %s[%n] transposed : frag<[16, 64], f16, mma_b [2, 2]>
    %d = const 0.0 : frag<[64, 64], f32, mma [2, 2]>
    %e = mma %a, %b, %d
    %f = mma %a, %c, %e
    %h = cast %f : frag<[64, 64], f16, mma [2, 2]>
    %o = shared : tile<[64, 64], f16, swizzle 128>
    store_shared %h to %o
  }
  return
}

// Devices before sm_90 store pairs.
// CHECK-LABEL: ptx.func @matrices_sm80(
// CHECK-NOT: stmatrix
// CHECK-COUNT-16: st.shared.b32
// CHECK: exit
kernel.func @matrices_sm80() attributes {target = "sm80"} {
  grid (1) threads 128 {
    %h = const 1.0 : frag<[64, 64], f16, mma [2, 2]>
    %o = shared : tile<[64, 64], f16, swizzle 128>
    store_shared %h to %o
  }
  return
}
