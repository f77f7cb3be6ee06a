// Sizes that few kernels are launched at: where nothing else is allowed, these are run.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

kernel.func @t<M, N>(%X: memref<[64, 64], f32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  require (M == 777)
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major pitch 65>
    %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

kernel.func @t<M, N>(%X: memref<[64, 64], f32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  require (M >= 5000)
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major pitch 65>
    %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

kernel.func @t<M, N>(%X: memref<[64, 64], f32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  require (M mod 64 == 5)
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major pitch 65>
    %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

kernel.func @t<M, N>(%X: memref<[64, 64], f32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  
  grid (M ceildiv 64) cluster [5] threads 128 {
    %s = shared : tile<[64, 64], f32, row_major pitch 65>
    %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

kernel.func @t<M, N>(%X: memref<[64, 64], f32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  
  grid (M ceildiv 64) cluster [6] threads 128 {
    %s = shared : tile<[64, 64], f32, row_major pitch 65>
    %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// Sizes of two symbols that go together.
kernel.func @t<M, N>(%X: memref<[64, 64], f32, row_major, align 16>, %F: memref<[8], i32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  require (M == 2 * N, N >= 300)
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// The same with copies of threads.
kernel.func @t<N>(%X: memref<[64, 64], f32, row_major, align 16>, %F: memref<[8], i32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  require (N mod 48 == 7)
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// No sizes at all: nothing was checked, and so nothing is safe.
kernel.func @t<N>(%X: memref<[64, 64], f32, row_major, align 16>, %F: memref<[8], i32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  require (N >= 5, N < 3)
  // expected-error@+1 {{E1814 'kernel.grid': not verified: no sizes were found at which it can be launched}}
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    barrier
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}
