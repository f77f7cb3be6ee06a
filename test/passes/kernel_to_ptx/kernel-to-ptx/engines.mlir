// TMA, and products of matrices in shared memory.

// RUN: dlc-opt %s --kernel-to-ptx=unchecked | FileCheck %s

// A tile that is wider than its pattern is loaded in panels. A tile may go to several blocks, hints are numbers of the
// hardware. Pictures: the position is the first pixel, the offsets are within the window, columns first. Positions of the
// hardware begin with the innermost one.
// CHECK-LABEL: ptx.func @loads<M>(
// CHECK: entry "loads_0" (2) cluster [2] threads 128 shared 32784 maps (%x, %w, %i, %y) {
// CHECK: %[[S:.+]] = smem
// CHECK-NEXT: %[[WIDE:.+]] = add.s32 %[[S]], 16384
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [%[[FULL:.+]]], 40960
// CHECK-NEXT: %[[TO:.+]] = add.s32 %[[S]], 8192
// CHECK-NEXT: %[[ROW:.+]] = shl.b32 %[[B:.+]], 6
// CHECK-DAG: %[[ZERO:.+]] = mov.u32 0
// CHECK-DAG: %[[BOTH:.+]] = mov.b16 3
// CHECK-DAG: %[[HINT:.+]] = mov.u64 1364590687093260288
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%[[TO]]], [%x{{.*}}, {%[[ZERO]], %[[ROW]]}], [%[[FULL]]], %[[BOTH]], %[[HINT]]
// CHECK-NEXT: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%[[WIDE]]], [%w{{.*}}, {%[[ZERO]], %[[ROW]]}], [%[[FULL]]]
// CHECK-NEXT: %[[SECOND:.+]] = mov.u32 64
// CHECK-NEXT: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%[[WIDE]] + 8192], [%w{{.*}}, {%[[SECOND]], %[[ROW]]}], [%[[FULL]]]
// CHECK: %[[BEFORE:.+]] = mov.u32 -1
// CHECK: %[[TWO:.+]] = mov.u32 2
// CHECK-NEXT: %[[Q:.+]] = cvt.u16.u32 %[[TWO]]
// CHECK: %[[R:.+]] = cvt.u16.u32
// CHECK-NEXT: cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%[[S]]], [%i{{.*}}, {%[[B]], %[[BEFORE]], %[[BEFORE]], %[[ZERO]]}], [%[[FULL]]], {%[[Q]], %[[R]]}
// CHECK: mbarrier.try_wait
// CHECK: fence.proxy.async.shared::cta
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%y{{.*}}, {%{{.+}}, %{{.+}}}], [%{{.+}}]
// CHECK-NEXT: cp.async.bulk.commit_group
// CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group
// CHECK-NEXT: cp.async.bulk.commit_group
// CHECK-NEXT: cp.async.bulk.wait_group.read 1
// CHECK-NEXT: cp.async.bulk.wait_group 0
kernel.func @loads<M>(%X: memref<[M, 128], f16, row_major, align 16>, %I: memref<[2, 8, 8, 64], f16, row_major, align 16>) -> memref<[M, 64], f16, row_major, align 16> attributes {target = "sm90"} {
  %Y = output : memref<[M, 64], f16, row_major, align 16>
  %x = tensor_map %X : tensormap<[64, 64], f16, swizzle 128>
  %w = tensor_map %X : tensormap<[64, 128], f16, swizzle 128>
  %i = tensor_map %I im2col lower [-1, -1] upper [-1, -1] strides [1, 1] : tensormap<[64, 64], f16, swizzle 128>
  %y = tensor_map %Y : tensormap<[64, 64], f16, swizzle 128>
  grid (2) cluster [2] threads 128 {
    %s = shared : tile<2 x [64, 64], f16, swizzle 128>
    %wide = shared : tile<[64, 128], f16, swizzle 128>
    %full = mbarriers arrivals 1 : mbarrier<2>
    %n = index (1)
    %b = block_id 0
    %r = block_rank
    %peer = index (1 - %r)
    %zero = index (0)
    cluster_barrier
    elect {
      expect %full[%n] bytes 40960
      tma_load %x[64 * %b, 0] to %s[%n] signal %full[%n] multicast 3 hint evict_first
      tma_load %w[64 * %b, 0] to %wide signal %full[%n]
      tma_load %i[0, -1, -1, %b] offsets (%n, 2) to %s[%zero] signal %full[%n]
    }
    wait %full[%n] parity %zero
    fence_async
    elect {
      %a = tma_store %s[%n] to %y[0, 0] : token<epilogue>
      %c = tma_store combine sum %s[%zero] to %y[64, 0] : token<epilogue>
      await_read %a
      await %c
    }
    arrive %full[%n] by warp
    arrive %full[%n] on %peer by one
    barrier_arrive id %n threads 256
    cluster_barrier
  }
  return %Y
}

// Both matrices from tiles, each in steps of 16 along the depth; a matrix may be transposed. The sums of the first product go
// on in the second, and neither is waited for before.
// CHECK-LABEL: ptx.func @both_from_tiles(
// CHECK: wgmma.fence.sync.aligned
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, 1, 1, 1, 0, 0{{$}}
// CHECK-COUNT-3: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, 1, 1, 1, 0, 0{{$}}
// CHECK-NEXT: wgmma.commit_group.sync.aligned
// CHECK-NOT: wgmma.wait_group
// CHECK: wgmma.fence.sync.aligned
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, 1, 1, 1, 1, 1{{$}}
// CHECK-NEXT: wgmma.commit_group.sync.aligned
// CHECK-NEXT: wgmma.wait_group.sync.aligned 0
kernel.func @both_from_tiles() attributes {target = "sm90"} {
  grid (1) threads 128 {
    %s = shared : tile<2 x [64, 64], f16, swizzle 128>
    %n = index (1)
    %c = const 1.0 : frag<[64, 64], f32, wgmma>
    %d, %t = wgmma %s[%n], %s[%n] transposed, %c
    %e, %u = wgmma %s[%n] transposed, %s[%n], %d
    await %t, %u
  }
  return
}

// The left matrix from registers. The first product of sums that are zero does not add to them.
// CHECK-LABEL: ptx.func @left_in_registers(
// CHECK: %[[L:.+]]:4 = ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: %[[M:.+]]:4 = ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: %[[D:.+]]:8 = wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, {%[[L]], %[[L]]#1, %[[L]]#2, %[[L]]#3}, %{{.+}}, 0, 1, 1, 1
// CHECK-NEXT: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%[[D]], {{.*}}}, {%[[M]], %[[M]]#1, %[[M]]#2, %[[M]]#3}, %{{.+}}, 1, 1, 1, 1
kernel.func @left_in_registers() attributes {target = "sm90"} {
  grid (1) threads 128 {
    %s = shared : tile<[64, 32], bf16, swizzle 64>
    %r = shared : tile<[32, 16], bf16, swizzle 32>
    %l = load_shared %s : frag<[64, 32], bf16, wgmma_a>
    %c = const 0.0 : frag<[64, 16], f32, wgmma>
    %d, %t = wgmma %l, %r, %c
    await %t
  }
  return
}

// What is multiplied is in registers, even if it is a constant.
// CHECK-LABEL: ptx.func @constant(
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {0.0, {{.*}}, 0, 1, 1, 1
kernel.func @constant() attributes {target = "sm90"} {
  grid (1) threads 128 {
    %r = shared : tile<[16, 16], bf16, swizzle 32>
    %l = const 1.0 : frag<[64, 16], bf16, wgmma_a>
    %c = const 0.0 : frag<[64, 16], f32, wgmma>
    %d, %t = wgmma %l, %r, %c
    await %t
  }
  return
}

// 128 rows are two products of 64 for each step.
// CHECK-LABEL: ptx.func @tall(
// CHECK: wgmma.fence.sync.aligned
// CHECK-NEXT: %[[A:.+]]:8 = wgmma.mma_async
// CHECK-NEXT: %[[B:.+]]:8 = wgmma.mma_async
// CHECK-NEXT: wgmma.mma_async{{.*}} {%[[A]], %[[A]]#1,
// CHECK-NEXT: wgmma.mma_async{{.*}} {%[[B]], %[[B]]#1,
// CHECK-NEXT: wgmma.commit_group.sync.aligned
kernel.func @tall() attributes {target = "sm90"} {
  grid (1) threads 128 {
    %s = shared : tile<[128, 32], f16, swizzle 64>
    %r = shared : tile<[16, 32], f16, swizzle 64>
    %c = const 1.0 : frag<[128, 16], f32, wgmma>
    %d, %t = wgmma %s, %r transposed, %c
    await %t
  }
  return
}
