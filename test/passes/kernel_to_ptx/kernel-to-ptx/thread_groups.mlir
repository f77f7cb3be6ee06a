// Roles, who acts for others, and barriers.

// RUN: dlc-opt %s --kernel-to-ptx=unchecked | FileCheck %s

// A role is for warps of some numbers, with as many registers as it says. A group of a role has a barrier of its own,
// after those with numbers. Mbarriers lie after the tiles; one thread makes all of them ready. A wait asks until the phase is
// over.
// CHECK-LABEL: ptx.func @thread_groups<N>(
// CHECK: threads 384 shared 1056
// CHECK: %[[TID:.+]] = sreg.tid.x
// CHECK-NEXT: %[[LANE:.+]] = and.b32 %[[TID]], 31
// CHECK-NEXT: %[[W:.+]] = shr.u32 %[[TID]], 5
// CHECK-NEXT: %[[WARP:.+]] = shfl.sync.idx.b32 %[[W]], 0, 31, -1
// CHECK-NEXT: %[[SMEM:.+]] = smem
// CHECK-NEXT: %[[FULL:.+]] = add.s32 %[[SMEM]], 1024
// CHECK-NEXT: %[[EMPTY:.+]] = add.s32 %[[SMEM]], 1040
// CHECK-NEXT: %[[FIRST:.+]] = setp.eq.s32 %[[TID]], 0
// CHECK-NEXT: bra_if %[[FIRST]], ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: mbarrier.init.shared::cta.b64 [%[[SMEM]] + 1024], 128{{$}}
// CHECK-NEXT: mbarrier.init.shared::cta.b64 [%[[SMEM]] + 1032], 128{{$}}
// CHECK-NEXT: mbarrier.init.shared::cta.b64 [%[[SMEM]] + 1040], 2{{$}}
// CHECK-NEXT: mbarrier.init.shared::cta.b64 [%[[SMEM]] + 1048], 2{{$}}
// CHECK-NEXT: fence.mbarrier_init.release.cluster
// CHECK-NEXT: bra ^bb2
// CHECK-NEXT: ^bb2:
// CHECK-NOT: fence.mbarrier_init
// CHECK: bar.sync 0
// CHECK: %[[PRODUCES:.+]] = setp.lt.s32 %[[WARP]], 4
// CHECK: bra_if %[[PRODUCES]], ^bb3, ^bb6
// CHECK-NEXT: ^bb3:
// CHECK-NEXT: setmaxnreg.dec.sync.aligned.u32 40
// CHECK: %[[ONE:.+]] = mov.u32 1
// CHECK-NEXT: bra ^bb4
// CHECK-NEXT: ^bb4:
// CHECK-NEXT: %[[OVER:.+]] = mbarrier.try_wait.parity.shared::cta.b64 [%[[EMPTY]]], %[[ONE]]
// CHECK-NEXT: bra_if %[[OVER]], ^bb5, ^bb4
// CHECK: mbarrier.arrive.shared::cta.b64 _, [%[[FULL]]]{{$}}
// CHECK-NEXT: exit
// CHECK-NEXT: ^bb6:
// CHECK: %[[CONSUMES:.+]] = setp.ge.s32 %[[WARP]], 4
// CHECK: bra_if %[[CONSUMES]], ^bb7, ^bb12
// CHECK-NEXT: ^bb7:
// CHECK-NEXT: setmaxnreg.inc.sync.aligned.u32 232
// CHECK-NEXT: %[[IN:.+]] = add.s32 %[[WARP]], -4
// CHECK-NEXT: %[[G:.+]] = shr.u32 %[[IN]], 2
// CHECK: %[[THREAD:.+]] = sub.s32 %[[TID]],
// CHECK-NEXT: %[[BARRIER:.+]] = add.s32 %[[G]], 14
// CHECK: mbarrier.try_wait.parity.shared::cta.b64 [%[[FULL]]]
// CHECK: bar.sync %[[BARRIER]], 128
// CHECK-NEXT: %[[LEADS:.+]] = setp.eq.s32 %[[THREAD]], 0
// CHECK-NEXT: mbarrier.arrive.shared::cta.b64 _, [%[[EMPTY]]] if %[[LEADS]]
// CHECK-NEXT: bar.sync 5, 256
// CHECK: setp.lt.s32 %[[G]], 1
kernel.func @thread_groups<N>(%X: memref<[N, 128], f32, row_major, align 4>) -> memref<[N, 128], f32, row_major, align 4> attributes {target = "sm90"} {
  %Y = output : memref<[N, 128], f32, row_major, align 4>
  grid (N) threads 384 {
    %s = shared : tile<2 x [128], f32, row_major>
    %full = mbarriers arrivals 128 : mbarrier<2>
    %empty = mbarriers arrivals 2 : mbarrier<2>
    %b = block_id 0
    %zero = index (0)
    %one = index (1)
    barrier
    role producer warps 0 to 4 registers 40 {
      wait %empty[%zero] parity %one
      %x = load %X[%b, i0] : frag<[128], f32, blocked [1] lanes [32] warps [4]>
      store_shared %x to %s[%zero]
      arrive %full[%zero] by thread
    }
    role consumer warps 4 to 12 groups 2 (%g: index) registers 232 {
      wait %full[%zero] parity %zero
      %x = load_shared %s[%zero] : frag<[128], f32, blocked [1] lanes [32] warps [4]>
      barrier
      arrive %empty[%zero] by one
      %id = index (5)
      barrier id %id threads 256
      if (%g < 1) {
        store %x to %Y[%b, i0]
      }
    }
  }
  return %Y
}

// What is elected is done by the first thread. An arrival may be one of each warp, and at a barrier of another block.
// CHECK-LABEL: ptx.func @arrivals(
// CHECK: %[[FIRST:.+]] = setp.eq.s32 %[[TID:.+]], 0
// CHECK: %[[RANK:.+]] = sreg.cluster_ctarank
// CHECK: barrier.cluster.arrive.release.aligned
// CHECK-NEXT: barrier.cluster.wait.acquire.aligned
// CHECK-NEXT: bra_if %[[FIRST]], ^bb3, ^bb4
// CHECK-NEXT: ^bb3:
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [%{{.+}}], 4096
// CHECK-NEXT: bra ^bb4
// CHECK-NEXT: ^bb4:
// CHECK: %[[LEADS:.+]] = setp.eq.s32 %{{.+}}, 0
// CHECK-NEXT: mbarrier.arrive.shared::cta.b64 _, [%[[BAR:.+]]] if %[[LEADS]]
// CHECK: %[[THERE:.+]] = mapa.shared::cluster.u32 %[[BAR]], %{{.+}}
// CHECK-NEXT: mbarrier.arrive.shared::cluster.b64 _, [%[[THERE]]] if %[[FIRST]]
// CHECK-NEXT: bar.arrive 1, 256
kernel.func @arrivals() attributes {target = "sm90"} {
  grid (2) cluster [2] threads 128 {
    %full = mbarriers arrivals 6 : mbarrier<2>
    %n = index (1)
    %r = block_rank
    %peer = index (1 - %r)
    cluster_barrier
    elect {
      expect %full[%n] bytes 4096
    }
    arrive %full[%n] by warp
    arrive %full[%n] on %peer by one
    barrier_arrive id %n threads 256
    cluster_barrier
  }
  return
}
