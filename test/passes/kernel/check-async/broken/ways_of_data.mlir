// Branches on data go every way, and the same condition the same way.

// RUN: dlc-opt %s --check-async --no-output --split-input-file --verify-diagnostics

// It goes wrong where the first holds and the second does not.
kernel.func @t<N>(%X: memref<[64, 64], f16>, %F: memref<[4], i32>) -> memref<[64, 64], f16> attributes {target = "sm90"} {
  %Y = output : memref<[64, 64], f16>

  grid (1) threads 128 {
    %sX = shared : tile<[64, 64], f16, row_major>
    %x = load %X[i0, i1] : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
    %zero = index (0)
    %one = index (1)
    %f0 = load %F[0] : i32
    %f1 = load %F[1] : i32
    %f2 = load %F[2] : i32
    %z = const 0 : i32
    %a = binary ne %f0, %z : i1
    %b = binary ne %f1, %z : i1
    %c = binary ne %f2, %z : i1
    store_shared %x to %sX
    barrier
    if %a {
      %y0 = binary add %x, %x : frag<[64, 64], f16, blocked [1, 8] lanes [4, 8] warps [4, 1]>
      store_shared %y0 to %sX
    }
    if %b {
      barrier
    }
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %sX: other warps wrote to it, with no barrier between}}
    %y = load_shared %sX : frag<[64, 64], f16, blocked [8, 1] lanes [8, 4] warps [1, 4]>
    store %y to %Y[i0, i1]

  }
  return %Y
}

// -----

// The second of three alone.
kernel.func @t<N>(%X: memref<[64, 64], f32, row_major, align 16>, %F: memref<[8], i32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %z = const 0 : i32
    %f0 = load %F[0] : i32
    %c0 = binary ne %f0, %z : i1
    %f1 = load %F[1] : i32
    %c1 = binary ne %f1, %z : i1
    %f2 = load %F[2] : i32
    %c2 = binary ne %f2, %z : i1
    %x = load %X[i0, i1] : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store_shared %x to %s
    if %c0 {
      barrier
    } else {
      if %c1 {
      } else {
        barrier
      }
    }
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}

// -----

// The same after copies of threads.
kernel.func @t<N>(%X: memref<[64, 64], f32, row_major, align 16>, %F: memref<[8], i32>) -> memref<[64, 64], f32> {
  %Y = output : memref<[64, 64], f32>
  grid (1) threads 128 {
    %s = shared : tile<[64, 64], f32, row_major>
    %z = const 0 : i32
    %f0 = load %F[0] : i32
    %c0 = binary ne %f0, %z : i1
    %f1 = load %F[1] : i32
    %c1 = binary ne %f1, %z : i1
    %f2 = load %F[2] : i32
    %c2 = binary ne %f2, %z : i1
    %t = copy_async %X[i0, i1] to %s by blocked [1, 4] lanes [4, 8] warps [4, 1] : token<load>
    await %t
    if %c0 {
      if %c2 {
        barrier
      }
    } else {
      barrier
    }
    // expected-error@+1 {{E1811 'kernel.load_shared': reads %s: other warps wrote to it, with no barrier between}}
    %y = load_shared %s transposed : frag<[64, 64], f32, blocked [1, 4] lanes [4, 8] warps [4, 1]>
    store %y to %Y[i0, i1]
  }
  return %Y
}
