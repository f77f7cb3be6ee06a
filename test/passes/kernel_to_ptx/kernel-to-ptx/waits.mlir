// Which number a wait gets: as many groups of its kind as have been begun since, on every way to it.

// RUN: dlc-opt %s --kernel-to-ptx | FileCheck %s
// RUN: dlc-opt %s --kernel-to-ptx --evaluate-each -o /dev/null

// One after another: after %a two were begun, after %b two more; the younger of several tokens counts. There is nothing
// to wait for where nothing was begun.
// CHECK-LABEL: ptx.func @straight(
// CHECK-COUNT-3: cp.async.commit_group
// CHECK-NEXT: cp.async.wait_group 2
// CHECK: cp.async.commit_group
// CHECK-NEXT: cp.async.wait_group 2
// CHECK-NEXT: cp.async.wait_group 0
// CHECK-NEXT: exit
kernel.func @straight(%X: memref<[4, 512], f32, row_major, align 16>) {
  grid (1) threads 128 {
    %s = shared : tile<4 x [1, 512], f32, row_major>
    %zero = index (0)
    %one = index (1)
    %two = index (2)
    %three = index (3)
    %a = copy_async %X[i0, i1] to %s[%zero] by blocked [1, 4] lanes [1, 32] warps [1, 4] : token<load>
    %b = copy_async %X[1 + i0, i1] to %s[%one] by blocked [1, 4] lanes [1, 32] warps [1, 4] : token<load>
    %c = copy_async %X[2 + i0, i1] to %s[%two] by blocked [1, 4] lanes [1, 32] warps [1, 4] : token<load>
    await %a
    %d = copy_async %X[3 + i0, i1] to %s[%three] by blocked [1, 4] lanes [1, 32] warps [1, 4] : token<load>
    await %b
    await %c, %d
    %none = done : token<load>
    await %none
  }
  return
}

// What nothing waits for by itself is part of the group after it: copies of two tiles are one group, also where the first
// is made in a loop that is unrolled.
// CHECK-LABEL: ptx.func @together(
// CHECK-NOT: cp.async.commit_group
// CHECK-COUNT-2: cp.async.cg.shared.global
// CHECK-NEXT: cp.async.commit_group
// CHECK-NOT: cp.async.commit_group
// CHECK-COUNT-3: cp.async.cg.shared.global
// CHECK-NEXT: cp.async.commit_group
// CHECK-NEXT: cp.async.wait_group 1
// CHECK-NEXT: cp.async.wait_group 0
// CHECK-NEXT: exit
kernel.func @together(%X: memref<[4, 512], f32, row_major, align 16>) {
  grid (1) threads 128 {
    %s = shared : tile<5 x [1, 512], f32, row_major>
    %zero = index (0)
    %one = index (1)
    %four = index (4)
    copy_async %X[i0, i1] to %s[%zero] by blocked [1, 4] lanes [1, 32] warps [1, 4] : token<load>
    %a = copy_async %X[1 + i0, i1] to %s[%one] by blocked [1, 4] lanes [1, 32] warps [1, 4] : token<load>
    for %k = 2 to 4 unroll {
      copy_async %X[%k + i0, i1] to %s[%k] by blocked [1, 4] lanes [1, 32] warps [1, 4] : token<load>
    }
    %b = copy_async %X[i0, i1] to %s[%four] by blocked [1, 4] lanes [1, 32] warps [1, 4] : token<load>
    await %a
    await %b
  }
  return
}

// Three stages: a copy stays on its way while the one before it is used. Where nothing is copied, because the loop is
// nearly over, an empty group is begun, so that the number is the same.
// CHECK-LABEL: ptx.func @stages<K>(
// CHECK-COUNT-2: cp.async.commit_group
// CHECK: ^bb1(%{{.+}}: i32,
// CHECK-NEXT: cp.async.wait_group 1
// CHECK: bra_if %{{.+}}, ^bb2, ^bb3
// CHECK-NEXT: ^bb2:
// CHECK: cp.async.cg.shared.global
// CHECK-NEXT: cp.async.commit_group
// CHECK-NEXT: bra ^bb4
// CHECK-NEXT: ^bb3:
// CHECK-NEXT: cp.async.commit_group
// CHECK-NEXT: bra ^bb4
// CHECK: ^bb5(%{{.+}}: f32,
// CHECK-NEXT: cp.async.wait_group 0
kernel.func @stages<K>(%X: memref<[K, 512], f32, row_major, align 16>) -> memref<[512], f32, row_major, align 16> {
  %Y = output : memref<[512], f32, row_major, align 16>
  grid (1) threads 128 {
    %s = shared : tile<3 x [1, 512], f32, row_major>
    %zero = index (0)
    %one = index (1)
    %c0 = const 0.0 : frag<[1, 512], f32, blocked [1, 4] lanes [1, 32] warps [1, 4]>
    %t0 = copy_async %X[i0, i1] to %s[%zero] by blocked [1, 4] lanes [1, 32] warps [1, 4] : token<load>
    %t1 = copy_async %X[1 + i0, i1] to %s[%one] by blocked [1, 4] lanes [1, 32] warps [1, 4] : token<load>
    %c, %a, %b, %st = for %k = 0 to K carry (%acc = %c0, %this = %t0, %next = %t1, %s0 = %zero) {
      await %this
      barrier
      %ahead = index ((%s0 + 2) mod 3)
      %t2 = if (%k + 2 < K) : token<load> {
        %y = copy_async %X[%k + 2 + i0, i1] to %s[%ahead] by blocked [1, 4] lanes [1, 32] warps [1, 4] : token<load>
        yield %y
      } else {
        yield %next
      }
      %x = load_shared %s[%s0] : frag<[1, 512], f32, blocked [1, 4] lanes [1, 32] warps [1, 4]>
      %sum = binary add %acc, %x : frag<[1, 512], f32, blocked [1, 4] lanes [1, 32] warps [1, 4]>
      %s1 = index ((%s0 + 1) mod 3)
      yield %sum, %next, %t2, %s1
    }
    await %b
    store %c to %Y[i1]
  }
  return %Y
}

// A product stays on its way while the next is begun. Sums that begin with zero are undefined before the first product,
// which does not add to them; where the loop has not run, they become zero after the wait.
// CHECK-LABEL: ptx.func @products<K>(
// CHECK: %[[RUNS:.+]] = setp.gt.s32 %K, 0
// CHECK: ^bb1(%[[COUNT:.+]]: i32,
// CHECK-NEXT: %[[ADDS:.+]] = setp.ne.s32 %[[COUNT]],
// CHECK: wgmma.fence.sync.aligned
// CHECK-NEXT: wgmma.mma_async{{.*}}, %[[ADDS]], 1, 1, 0, 0
// CHECK-NEXT: wgmma.mma_async{{.*}}, 1, 1, 1, 0, 0
// CHECK: wgmma.commit_group.sync.aligned
// CHECK-NEXT: wgmma.wait_group.sync.aligned 1
// CHECK: ^bb2(%{{.+}}: f32,
// CHECK-NEXT: wgmma.wait_group.sync.aligned 0
// CHECK: bra_if %[[RUNS]], ^bb4({{.*}}), ^bb3
// CHECK-NEXT: ^bb3:
// CHECK-NEXT: %[[ZERO:.+]] = mov.f32 0.0
// CHECK-NEXT: bra ^bb4(%[[ZERO]], %[[ZERO]],
kernel.func @products<K>(%X: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f32, row_major, align 16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f32, row_major, align 16>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    copy %X[i0, i1] to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
    fence_async
    barrier
    %none = done : token<compute>
    %c0 = const 0.0 : frag<[64, 64], f32, wgmma>
    %c, %last = for %k = 0 to K carry (%acc = %c0, %held = %none) {
      %d, %w = wgmma %s, %s transposed, %acc
      await %held
      yield %d, %w
    }
    await %last
    store %c to %Y[i0, i1]
  }
  return %Y
}

// Two buffers in turn: the store before the last must have been read. The thread that stores waits.
// CHECK-LABEL: ptx.func @stores(
// CHECK: bra_if %[[FIRST:.+]], ^bb2, ^bb3
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: cp.async.bulk.wait_group.read 1
// CHECK: fence.proxy.async.shared::cta
// CHECK-NEXT: bar.sync 0
// CHECK-NEXT: bra_if %[[FIRST]], ^bb4, ^bb5
// CHECK-NEXT: ^bb4:
// CHECK-NEXT: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
// CHECK-NEXT: cp.async.bulk.commit_group
// CHECK: ^bb7:
// CHECK-NEXT: cp.async.bulk.wait_group 0
kernel.func @stores(%X: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f16, row_major, align 16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16, row_major, align 16>
  %y = tensor_map %Y : tensormap<[64, 64], f16, swizzle 128>
  grid (1) threads 128 {
    %s = shared : tile<2 x [64, 64], f16, swizzle 128>
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %none = done : token<epilogue>
    %e, %f = for %j = 0 to 6 carry (%older = %none, %newer = %none) {
      elect {
        await_read %older
      }
      barrier
      %slot = index (%j mod 2)
      store_shared %x to %s[%slot]
      fence_async
      barrier
      %stored = elect : token<epilogue> {
        %t = tma_store %s[%slot] to %y[0, 0]
        yield %t
      }
      yield %newer, %stored
    }
    elect {
      await %f
    }
  }
  return %Y
}

// A condition that is known leaves one side: as many groups are begun there as on the other, so that the wait at the start
// of an iteration leaves no more than were begun after the copy that it is for.
// CHECK-LABEL: ptx.func @known<K>(
// CHECK-COUNT-2: cp.async.commit_group
// CHECK: ^bb1(%{{.+}}: i32,
// CHECK-NEXT: cp.async.wait_group 1
// CHECK: cp.async.cg.shared.global
// CHECK-NEXT: cp.async.commit_group
// CHECK-NEXT: cp.async.commit_group
// CHECK-NOT: cp.async.commit_group
// CHECK: exit
kernel.func @known<K>(%X: memref<[K, 128], f32, row_major, align 16>) -> memref<[128], f32, row_major, align 16> {
  %Y = output : memref<[128], f32, row_major, align 16>
  grid (1) threads 32 {
    %s = shared : tile<2 x [128], f32, row_major>
    %extra = shared : tile<[128], f32, row_major>
    %zero = index (0)
    %c0 = const 0.0 : frag<[128], f32, blocked [4] lanes [32] warps [1]>
    %first = copy_async %X[0, i0] where (0 < K) to %s[%zero] by blocked [4] lanes [32] warps [1] : token<load>
    %second = copy_async %X[0, i0] where (0 < K) to %extra by blocked [4] lanes [32] warps [1] : token<load>
    %c, %t, %st = for %k = 0 to K carry (%acc = %c0, %held = %first, %at = %zero) {
      await %held
      barrier
      %x = load_shared %s[%at] : frag<[128], f32, blocked [4] lanes [32] warps [1]>
      %sum = binary add %acc, %x : frag<[128], f32, blocked [4] lanes [32] warps [1]>
      barrier
      %next = index ((%at + 1) mod 2)
      %y = copy_async %X[%k + 1, i0] where (%k + 1 < K) to %s[%next] by blocked [4] lanes [32] warps [1] : token<load>
      // Never taken.
      if (%zero > 0) {
        %z = copy_async %X[0, i0] to %s[%at] by blocked [4] lanes [32] warps [1] : token<load>
        await %z
      }
      yield %sum, %y, %next
    }
    await %t, %second
    store %c to %Y[i0]
  }
  return %Y
}
