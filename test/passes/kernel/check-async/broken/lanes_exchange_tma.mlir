// One lane lets TMA take what all lanes of its warp wrote: it must know that they have.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

kernel.func @one_warp<N>(%X: memref<[32, 32], f32>) -> memref<[32, 32], f32> attributes {target = "sm90"} {
  %Y = output : memref<[32, 32], f32>
  %mY = tensor_map %Y : tensormap<[32, 32], f32, swizzle 128>
  grid (1) threads 32 {
    %s = shared : tile<[32, 32], f32, swizzle 128>
    %x = load %X[i0, i1] : frag<[32, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    store_shared %x to %s
    fence_async
    elect {
      // expected-error@+1 {{E1811 'kernel.tma_store': reads %s: other lanes of the warp wrote to it, with no 'warp_sync' between}}
      %t = tma_store %s to %mY[0, 0] : token<epilogue>
      await_read %t
    }
  }
  return %Y
}

// -----

kernel.func @one_warp_right<N>(%X: memref<[32, 32], f32>) -> memref<[32, 32], f32> attributes {target = "sm90"} {
  %Y = output : memref<[32, 32], f32>
  %mY = tensor_map %Y : tensormap<[32, 32], f32, swizzle 128>
  grid (1) threads 32 {
    %s = shared : tile<[32, 32], f32, swizzle 128>
    %x = load %X[i0, i1] : frag<[32, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    store_shared %x to %s
    fence_async
    warp_sync
    elect {
      %t = tma_store %s to %mY[0, 0] : token<epilogue>
      await_read %t
    }
  }
  return %Y
}

// -----

// The fence of each lane stands for what it wrote itself, or for what it knows to be written: not in between.
kernel.func @fence_of_one<N>(%X: memref<[32, 32], f32>) -> memref<[32, 32], f32> attributes {target = "sm90"} {
  %Y = output : memref<[32, 32], f32>
  %mY = tensor_map %Y : tensormap<[32, 32], f32, swizzle 128>
  grid (1) threads 32 {
    %s = shared : tile<[32, 32], f32, swizzle 128>
    %x = load %X[i0, i1] : frag<[32, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    store_shared %x to %s
    warp_sync
    elect {
      // expected-error@+1 {{E1807 'kernel.tma_store': reads %s: threads wrote to it, with no 'fence_async' between}}
      %t = tma_store %s to %mY[0, 0] : token<epilogue>
      await_read %t
    }
  }
  return %Y
}

// -----

// The other lanes do not know that the store has read.
kernel.func @written_again<N>(%X: memref<[32, 32], f32>) -> memref<[32, 32], f32> attributes {target = "sm90"} {
  %Y = output : memref<[32, 32], f32>
  %mY = tensor_map %Y : tensormap<[32, 32], f32, swizzle 128>
  grid (1) threads 32 {
    %s = shared : tile<[32, 32], f32, swizzle 128>
    %x = load %X[i0, i1] : frag<[32, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    for %i = 0 to N {
      // expected-error@+1 {{E1811 'kernel.store_shared': writes to %s: a store reads it, which one thread has awaited, with no 'warp_sync' between}}
      store_shared %x to %s
      fence_async
      warp_sync
      elect {
        %t = tma_store %s to %mY[0, 0] : token<epilogue>
        await_read %t
      }
    }
  }
  return %Y
}
