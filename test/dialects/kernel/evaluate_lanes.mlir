// Lanes of one warp exchange numbers through shared memory: the evaluators of kernels and of PTX want them to meet.

// RUN: dlc-run %s --function=right --strict -o %t.npy
// RUN: not dlc-run %s --function=lanes --strict 2>&1 | FileCheck %s --check-prefix=LANES
// RUN: not dlc-run %s --function=engine --strict 2>&1 | FileCheck %s --check-prefix=ENGINE
// RUN: not dlc-run %s --function=left --strict 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: not dlc-run %s --function=again --strict 2>&1 | FileCheck %s --check-prefix=AGAIN

!rows = frag<[32, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
!columns = frag<[32, 32], f32, blocked [1, 1] lanes [32, 1] warps [1, 1]>

kernel.func @right(%X: memref<[32, 32], f32>) -> memref<[32, 32], f32> attributes {target = "sm90"} {
  %Y = output : memref<[32, 32], f32>
  %mY = tensor_map %Y : tensormap<[32, 32], f32, swizzle 128>
  grid (1) threads 32 {
    %s = shared : tile<[32, 32], f32, swizzle 128>
    %x = load %X[i0, i1] : !rows
    store_shared %x to %s
    warp_sync
    %y = load_shared %s : !columns
    warp_sync
    store_shared %y to %s
    fence_async
    warp_sync
    elect {
      %t = tma_store %s to %mY[0, 0] : token<epilogue>
      await_read %t
    }
  }
  return %Y
}

// LANES: 'kernel.load_shared': lane 0 of warp 0 reads byte {{[0-9]+}} of shared memory, which lane {{[0-9]+}} wrote with no 'warp_sync' between
kernel.func @lanes(%X: memref<[32, 32], f32>) -> memref<[32, 32], f32> attributes {target = "sm90"} {
  %Y = output : memref<[32, 32], f32>
  grid (1) threads 32 {
    %s = shared : tile<[32, 32], f32, row_major pitch 33>
    %x = load %X[i0, i1] : !rows
    store_shared %x to %s
    %y = load_shared %s : !columns
    store %y to %Y[i0, i1]
  }
  return %Y
}

// ENGINE: 'kernel.tma_store': byte 0 of shared memory, which threads wrote, is read before they have met
kernel.func @engine(%X: memref<[32, 32], f32>) -> memref<[32, 32], f32> attributes {target = "sm90"} {
  %Y = output : memref<[32, 32], f32>
  %mY = tensor_map %Y : tensormap<[32, 32], f32, swizzle 128>
  grid (1) threads 32 {
    %s = shared : tile<[32, 32], f32, swizzle 128>
    %x = load %X[i0, i1] : !rows
    store_shared %x to %s
    fence_async
    elect {
      %t = tma_store %s to %mY[0, 0] : token<epilogue>
      await_read %t
    }
  }
  return %Y
}

// LEFT: the block ends, and 32 threads have come to a barrier for which nothing waits
kernel.func @left(%X: memref<[32, 32], f32>) -> memref<[32, 32], f32> {
  %Y = output : memref<[32, 32], f32>
  grid (1) threads 64 {
    %one = index (1)
    role first warps 0 to 1 {
      barrier_arrive id %one threads 64
    }
    role second warps 1 to 2 {
      %x = load %X[i0, i1] : !rows
      store %x to %Y[i0, i1]
    }
  }
  return %Y
}

// AGAIN: 'kernel.mbarriers': makes mbarriers again within a phase of them
kernel.func @again(%X: memref<[32, 32], f32>) -> memref<[32, 32], f32> attributes {target = "sm90"} {
  %Y = output : memref<[32, 32], f32>
  grid (1) threads 32 {
    for %i = 0 to 2 {
      %e = mbarriers arrivals 2 : mbarrier<1>
      warp_sync
      arrive %e by one
      warp_sync
    }
    %x = load %X[i0, i1] : !rows
    store %x to %Y[i0, i1]
  }
  return %Y
}
