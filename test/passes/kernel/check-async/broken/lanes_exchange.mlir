// Lanes of one warp give each other numbers through shared memory: they meet between the write and the read.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

kernel.func @rows_and_columns<N>(%X: memref<[32, 32], f32>) -> memref<[32, 32], f32> attributes {target = "sm90"} {
  %Y = output : memref<[32, 32], f32>
  grid (1) threads 32 {
    %s = shared : tile<[32, 32], f32, row_major pitch 33>
    %x = load %X[i0, i1] : frag<[32, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    store_shared %x to %s
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other lanes of the warp wrote to it, with no 'warp_sync' between}}
    %y = load_shared %s : frag<[32, 32], f32, blocked [1, 1] lanes [32, 1] warps [1, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

kernel.func @rows_and_columns_right<N>(%X: memref<[32, 32], f32>) -> memref<[32, 32], f32> attributes {target = "sm90"} {
  %Y = output : memref<[32, 32], f32>
  grid (1) threads 32 {
    %s = shared : tile<[32, 32], f32, row_major pitch 33>
    %x = load %X[i0, i1] : frag<[32, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    store_shared %x to %s
    warp_sync
    %y = load_shared %s : frag<[32, 32], f32, blocked [1, 1] lanes [32, 1] warps [1, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// Each lane reads what it wrote itself.
kernel.func @own<N>(%X: memref<[32, 32], f32>) -> memref<[32, 32], f32> attributes {target = "sm90"} {
  %Y = output : memref<[32, 32], f32>
  grid (1) threads 32 {
    %s = shared : tile<[32, 32], f32, row_major pitch 33>
    %x = load %X[i0, i1] : frag<[32, 32], f32, blocked [1, 1] lanes [1, 32] warps [1, 1]>
    store_shared %x to %s
    %y = load_shared %s : frag<[32, 32], f32, blocked [4, 1] lanes [1, 32] warps [1, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// All lanes read what one of them wrote.
kernel.func @everybody<N>(%X: memref<[32], f32>) -> memref<[32], f32> attributes {target = "sm90"} {
  %Y = output : memref<[32], f32>
  grid (1) threads 32 {
    %s = shared : tile<[32], f32, row_major>
    %x = load %X[i0] : frag<[32], f32, blocked [1] lanes [32] warps [1]>
    store_shared %x to %s
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other lanes of the warp wrote to it, with no 'warp_sync' between}}
    %y = load_shared %s : frag<[32], f32, blocked [32] lanes [32] warps [1]>
    store %y to %Y[i0]
  }
  return %Y
}

// -----

// Warps keep to themselves, and their lanes do not: a 'warp_sync' is enough.
kernel.func @four_warps<N>(%X: memref<[128, 32], f32>) -> memref<[128, 32], f32> attributes {target = "sm90"} {
  %Y = output : memref<[128, 32], f32>
  grid (1) threads 128 {
    %s = shared : tile<[128, 32], f32, row_major pitch 33>
    %x = load %X[i0, i1] : frag<[128, 32], f32, blocked [32, 1] lanes [1, 32] warps [4, 1]>
    store_shared %x to %s
    warp_sync
    %y = load_shared %s : frag<[128, 32], f32, blocked [1, 1] lanes [32, 1] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// It is not enough where warps do not.
kernel.func @not_four_warps<N>(%X: memref<[128, 32], f32>) -> memref<[128, 32], f32> attributes {target = "sm90"} {
  %Y = output : memref<[128, 32], f32>
  grid (1) threads 128 {
    %s = shared : tile<[128, 32], f32, row_major pitch 33>
    %x = load %X[i0, i1] : frag<[128, 32], f32, blocked [1, 1] lanes [1, 32] warps [4, 1]>
    store_shared %x to %s
    warp_sync
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s : frag<[128, 32], f32, blocked [1, 1] lanes [32, 1] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// `stmatrix` and `ldmatrix` move rows for other lanes: the same layout says nothing of who touches them.
kernel.func @matrices<N>(%X: memref<[64, 64], f16>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f16, swizzle 128>
    %x = load %X[i0, i1] : frag<[64, 64], f16, wgmma>
    store_shared %x to %s
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other lanes of the warp wrote to it, with no 'warp_sync' between}}
    %y = load_shared %s : frag<[64, 64], f16, wgmma>
    store %y to %Y[i0, i1]
  }
  return %Y
}
