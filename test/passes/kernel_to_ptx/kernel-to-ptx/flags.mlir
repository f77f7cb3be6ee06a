// Tickets, releases and acquires as instructions: one thread, between two meetings of all that are here.

// RUN: dlc-opt %s --kernel-to-ptx=unchecked=true 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=WARNING --input-file=%t.err

// In any order of the blocks, by tickets; and by numbers only in some.
// RUN: dlc-opt %s --kernel-to-ptx=unchecked=true -o %t.ptx 2>%t.err
// RUN: dlc-run %s --function=running --strict --shape=N=9 --seed=0 -o %t.npy
// RUN: dlc-run %t.ptx --function=running --strict --shape=N=9 --seed=0 --order-seed=1 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-run %t.ptx --function=running --strict --shape=N=9 --seed=0 --order-seed=2 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-run %t.ptx --function=running --strict --shape=N=9 --seed=0 --order-seed=3 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-run %t.ptx --function=running --strict --shape=N=9 --seed=0 --order-seed=4 --check=%t.npy --rtol=0 --atol=0
// RUN: not dlc-run %t.ptx --function=by_number --strict --shape=N=9 --order-seed=1 2>&1 | FileCheck %s --check-prefix=DEADLOCK

// WARNING: E1806
// DEADLOCK: no thread can go on: all of them wait
// DEADLOCK: lane 0 at

// CHECK-LABEL: entry "running_0" (N) threads 128 shared 16
// CHECK: bar.sync 0
// CHECK: %[[OLD:[0-9]+]] = atom.acq_rel.gpu.global.add.u32 [%{{.*}}], 1
// CHECK-NEXT: st.shared.u32 [%[[WORD:[0-9]+]]], %[[OLD]]
// CHECK: bar.sync 0
// CHECK-NEXT: %{{.*}} = ld.shared.u32 [%[[WORD]]]
// CHECK: bar.sync 0
// CHECK: %[[SEEN:[0-9]+]] = ld.acquire.gpu.global.u32
// CHECK-NEXT: setp.ge.u32 %[[SEEN]], 1
// CHECK: bar.sync 0
// CHECK: bar.sync 0
// CHECK: st.release.gpu.global.u32 [%{{.*}}], 1
!row = frag<[128], f32, blocked [1] lanes [32] warps [4]>
kernel.func @running<N>(%X: memref<[N, 128], f32>) -> memref<[N, 128], f32> {
  %Y = output : memref<[N, 128], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 128 {
    %t = ticket %order[0]
    %x = load %X[%t, i0] : !row
    %sum = if (%t > 0) : !row {
      %seen = acquire %ready[%t - 1] until 1
      %before = load %Y[%t - 1, i0] : !row
      %both = binary add %before, %x : !row
      yield %both
    } else {
      yield %x
    }
    store %sum to %Y[%t, i0]
    release 1 to %ready[%t]
  }
  return %Y
}

kernel.func @by_number<N>(%X: memref<[N, 128], f32>) -> memref<[N, 128], f32> {
  %Y = output : memref<[N, 128], f32>
  %ready = scratch : memref<[N], i32>
  grid (N) threads 128 {
    %t = block_id 0
    %x = load %X[%t, i0] : !row
    if (%t > 0) {
      %seen = acquire %ready[%t - 1] until 1
    }
    store %x to %Y[%t, i0]
    release 1 to %ready[%t]
  }
  return %Y
}

// The groups of a role have a word and a barrier each; one warp meets as a warp.
// CHECK-LABEL: entry "groups_0" (N) threads 96 shared 12
// CHECK: atom.acq_rel.gpu.global.add.u32
// CHECK: st.release.gpu.global.u32
!half = frag<[32], f32, blocked [1] lanes [32] warps [1]>
kernel.func @groups<N>(%X: memref<[N, 64], f32>) -> memref<[N, 64], f32> {
  %Y = output : memref<[N, 64], f32>
  %order = scratch : memref<[1], i32>
  %ready = scratch : memref<[N, 2], i32>
  grid (N) threads 96 {
    %t = ticket %order[0]
    role half warps 1 to 3 groups 2 (%g: index) {
      %x = load %X[%t, 32 * %g + i0] : !half
      %s = if (%t > 0) : !half {
        %seen = acquire %ready[%t - 1, %g] until 1
        %before = load %Y[%t - 1, 32 * %g + i0] : !half
        %sum = binary add %before, %x : !half
        yield %sum
      } else {
        yield %x
      }
      store %s to %Y[%t, 32 * %g + i0]
      release 1 to %ready[%t, %g]
    }
  }
  return %Y
}
// RUN: dlc-run %s --function=groups --strict --shape=N=9 --seed=0 -o %t.npy
// RUN: dlc-run %t.ptx --function=groups --strict --shape=N=9 --seed=0 --order-seed=1 --check=%t.npy --rtol=0 --atol=0
// RUN: dlc-run %t.ptx --function=groups --strict --shape=N=9 --seed=0 --order-seed=2 --check=%t.npy --rtol=0 --atol=0
