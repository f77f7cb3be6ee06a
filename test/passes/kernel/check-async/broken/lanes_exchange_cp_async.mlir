// Each lane waits for its own copies alone, also on machines without a TMA: what others of its warp copied is there
// after a 'warp_sync'.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

kernel.func @copied<N>(%X: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f16> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
    await %t
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other lanes of the warp wrote to it, with no 'warp_sync' between}}
    %y = load_shared %s : frag<[64, 64], f16, blocked [1, 2] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

kernel.func @copied_right<N>(%X: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f16> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
    await %t
    warp_sync
    %y = load_shared %s : frag<[64, 64], f16, blocked [1, 2] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// They meet before the wait, and that says nothing of the copies.
kernel.func @before_the_wait<N>(%X: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f16> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
    warp_sync
    await %t
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other lanes of the warp wrote to it, with no 'warp_sync' between}}
    %y = load_shared %s : frag<[64, 64], f16, blocked [1, 2] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// Each lane reads what it copied: nobody need meet.
kernel.func @own<N>(%X: memref<[64, 64], f16, row_major, align 16>) -> memref<[64, 64], f16> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
    await %t
    %y = load_shared %s : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// A ring of two: the lanes of a warp read a stage, and the next copies to it come while some may still do so.
kernel.func @overwritten<K>(%X: memref<[64, K], f16, row_major, align 16>) -> memref<[64, 64], f32> attributes {target = "sm80"} {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %zero = const 0.0 : frag<[64, 64], f32, blocked [1, 2] lanes [4, 8] warps [4, 1]>
    %sum = for %k = 0 to K ceildiv 64 carry (%old = %zero) {
      // expected-error@+1 {{E1811 'kernel.copy_async': writes to %s: other lanes of the warp read it, with no 'warp_sync' between}}
      %t = copy_async %X[i0, 64 * %k + i1] where (64 * %k + i1 < K) else 0.0 to %s by blocked [1, 8] lanes [4, 8] warps [4, 1]
      await %t
      warp_sync
      %y = load_shared %s : frag<[64, 64], f16, blocked [1, 2] lanes [4, 8] warps [4, 1]>
      %z = cast %y : frag<[64, 64], f32, blocked [1, 2] lanes [4, 8] warps [4, 1]>
      %new = binary add %old, %z : frag<[64, 64], f32, blocked [1, 2] lanes [4, 8] warps [4, 1]>
      yield %new
    }
    store %sum to %Y[i0, i1]
  }
  return %Y
}
